"""Threads, memory, signals in long calls."""

import gc
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import sau


def resident():
    """Memory of this process, in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def work(seed):
    """A thread's own agent, by all its doors."""
    rng = np.random.default_rng(seed)
    agent = sau.Agent("linear+sau_sampling", context_dim=4, n_actions=5, seed=seed)
    for _ in range(20):
        rows = rng.normal(size=(30, 4))
        agent.probabilities(rows)
        choices = agent.choose_batch(rows, probability=True)
        agent.learn_batch(choices, rng.normal(size=30))
        for x in rows:
            agent.learn(agent.choose(x), 0.5)
        agent.partial_fit(rows, rng.integers(5, size=30), rng.normal(size=30))
    return agent._state()


def test_agents_of_their_own_threads_do_not_meet():
    alone = [work(seed) for seed in range(6)]
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(work, range(6))) == alone


def test_long_calls_let_other_threads_run():
    agent = sau.Agent("linear+sau_sampling", context_dim=10, n_actions=50)
    rng = np.random.default_rng(0)
    agent.partial_fit(rng.normal(size=(500, 10)), np.arange(500) % 50, rng.normal(size=500))
    rows = rng.normal(size=(4000, 10))
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    agent.probabilities(rows)
    end = time.monotonic()
    done.set()
    thread.join()
    assert sum(start < moment < end for moment in ticks) > 10


def test_an_agent_at_work_is_refused_to_others():
    agent = sau.Agent("linear+sau_sampling", context_dim=10, n_actions=50)
    rng = np.random.default_rng(0)
    agent.partial_fit(rng.normal(size=(500, 10)), np.arange(500) % 50, rng.normal(size=500))
    rows = rng.normal(size=(4000, 10))
    worker = threading.Thread(target=agent.probabilities, args=(rows,))
    worker.start()
    refused = 0
    while worker.is_alive():
        try:
            agent.choose(rows[0])
        except sau.Error as error:
            assert "at work in another thread" in str(error)
            refused += 1
        time.sleep(0.001)
    worker.join()
    assert refused > 0
    agent.choose(rows[0])


CALLS = {
    "choose and learn": (1_000_000, lambda a, x: a.learn(a.choose(x), 0.5)),
    "lists": (30_000, lambda a, x: a.choose([0.5, 1.0, 2.0])),
    "probabilities": (30_000, lambda a, x: a.probabilities(x)),
    "lazy probabilities": (30_000, lambda a, x: a.choose(x).probability),
    "contexts": (30_000, lambda a, x: a.choose(x).context),
    "unpacking": (30_000, lambda a, x: tuple(a.choose(x, probability=True))),
    "rows": (10_000, lambda a, x: a.values(np.stack([x, x]))),
    "errors": (30_000, lambda a, x: refuse(a)),
    "copies": (3_000, lambda a, x: a.__deepcopy__({})),
    "problems": (5_000, lambda a, x: sau.Problem("linear").reset()),
}


def refuse(agent):
    with pytest.raises(sau.UsageError):
        agent.choose([float("nan"), 0.0, 0.0])


@pytest.mark.parametrize("name", CALLS)
def test_nothing_leaks(name):
    count, call = CALLS[name]
    agent = sau.Agent("linear+epsilon_greedy", context_dim=3, n_actions=4)
    x = np.array([0.1, 0.2, 0.3])

    def repeat(times):
        for _ in range(times):
            call(agent, x)
        gc.collect()

    repeat(count // 10)  # whatever is made once
    before = resident()
    repeat(count)
    # A single leaked object of the smallest size a call would be 16 bytes times `count`.
    assert resident() - before < max(16 * count, 2_000_000) / 2


def test_an_agent_that_holds_its_own_choice_is_freed():
    freed = []

    class Holder(sau.Agent):
        def __del__(self):
            freed.append(True)

    agent = Holder("sau_ucb", n_actions=2, context_dim=0)
    agent.pending = agent.choose()
    del agent
    gc.collect()
    assert freed == [True]


def test_control_c_ends_a_long_batch():
    script = textwrap.dedent(
        """
        import numpy as np, sau
        agent = sau.Agent("linear+sau_sampling", context_dim=2, n_actions=200)
        agent.partial_fit(np.ones((400, 2)), np.arange(400) % 200, np.arange(400) / 400)
        print("running", flush=True)
        try:
            agent.probabilities(np.ones((10_000_000, 2)))
        except KeyboardInterrupt:
            agent.choose([1.0, 1.0])
            print("interrupted", flush=True)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "running\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert out == "interrupted\n" and process.returncode == 0
