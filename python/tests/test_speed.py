"""The time of a batch in Python compared with C++; bench/python_overhead.py measures more."""

import json
import os
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

import sau

DIM, ACTIONS, ROWS = 10, 10, 10_000


def contexts():
    """The same contexts as in bench/batch_bench.cpp."""
    i = np.arange(ROWS * DIM)
    return np.sin((i * i % 100_003).astype(float)).reshape(ROWS, DIM)


def seconds(work):
    """CPU time, since other programs may be running."""
    start = time.process_time()
    work()
    return time.process_time() - start


def test_a_batch_takes_hardly_longer_than_in_cpp():
    bench = Path(os.environ.get("SAU_BUILD_DIR", "")) / "bench" / "batch_bench"
    if not bench.exists():
        pytest.skip("build/bench/batch_bench is not built")
    agent = sau.Agent("linear+sau_sampling", context_dim=DIM, n_actions=ACTIONS)
    X = contexts()
    for x in X[:1000]:
        choice = agent.choose(x)
        agent.learn(choice, x[0] if choice.action == 3 else x[1])
    command = [bench, "--benchmark_filter=probabilities/sau_sampling", "--benchmark_format=json",
               "--benchmark_min_time=0.01"]
    python, cpp = [], []
    for _ in range(40):  # in turns, and the minimum of each: other load only adds time
        printed = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        cpp.append(printed["benchmarks"][0]["cpu_time"] / 1e3)
        python.append(seconds(lambda: agent.probabilities(X)))
        if min(python) <= 1.3 * min(cpp):
            return
    raise AssertionError(f"Python {min(python):.3f} s, C++ {min(cpp):.3f} s")
