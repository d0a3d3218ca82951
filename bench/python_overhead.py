#!/usr/bin/env python3
"""The cost of a decision from Python, compared with C++.

A decision is choose() and learn(), with a float64 array of 10 numbers as context and 10 actions,
in a plain loop over a list of arrays. The times include the loop, whose own time is also printed.
The batch is probabilities() of 10,000 contexts. The times of C++ are for the same agents on the
same contexts, from build/bench/batch_bench, which runs in turns with Python.

usage: PYTHONPATH=build/python /usr/bin/python3 bench/python_overhead.py [build/bench/batch_bench]
"""

import json
import subprocess
import sys
import time

import numpy as np

import sau

DIM, ACTIONS, ROWS, ROUNDS, DECISIONS = 10, 10, 10_000, 15, 20_000
AGENTS = {
    "sau_ucb": "linear+sau_ucb",
    "sau_sampling": "linear+sau_sampling",
    "epsilon_greedy": "linear+epsilon_greedy",
    "thompson": "linear_posterior+thompson",
}


def contexts():
    """The same contexts as in bench/batch_bench.cpp."""
    i = np.arange(ROWS * DIM)
    return np.sin((i * i % 100_003).astype(float)).reshape(ROWS, DIM)


def make(spec):
    return sau.Agent(spec, context_dim=DIM, n_actions=ACTIONS, seed=1)


def step(agent, x):
    choice = agent.choose(x)
    agent.learn(choice, x[0] if choice.action == 3 else x[1])


def best_time(work, rounds=ROUNDS):
    """Seconds, the best of several rounds: other load on the machine only adds time."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(spec, X):
    """Nanoseconds of choose, learn, both and the loop; and an agent after 1000 steps."""
    rows = [X[i % ROWS].copy() for i in range(DECISIONS)]
    rewards = [float(x[0]) for x in rows]
    agent = make(spec)

    def both():
        choose, learn = agent.choose, agent.learn
        for x, reward in zip(rows, rewards):
            learn(choose(x), reward)

    def only_choose():
        choose = agent.choose
        for x in rows:
            choose(x)

    choices = [agent.choose(x) for x in rows]

    def only_learn():
        learn = agent.learn
        for choice, reward in zip(choices, rewards):
            learn(choice, reward)

    def loop():
        for _ in zip(rows, rewards):
            pass

    single = {
        name: 1e9 * best_time(work) / DECISIONS
        for name, work in {
            "both": both, "choose": only_choose, "learn": only_learn, "loop": loop,
        }.items()
    }
    trained = make(spec)
    for i in range(1000):
        step(trained, X[i])
    return single, trained


def cpp_times(program, name):
    """Nanoseconds per decision and milliseconds per batch, the best of several rounds."""
    command = [program, f"--benchmark_filter=/{name}$", "--benchmark_format=json",
               "--benchmark_min_time=0.05", "--benchmark_repetitions=5"]
    printed = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return tuple(
        min(one["real_time"] for one in printed["benchmarks"]
            if one["name"].startswith(what) and one["run_type"] == "iteration")
        for what in ("decisions", "probabilities")
    )


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else None
    X = contexts()
    print(f"sau {sau.__version__}, kernel {sau.build_info()['kernel']}, Python "
          f"{sys.version.split()[0]}; d = {DIM}, K = {ACTIONS}")
    print(f"{'agent':<15} {'choose':>8} {'learn':>8} {'both':>8} {'decisions/s':>12} "
          f"{'C++':>8} {'batch':>9} {'C++':>9} {'ratio':>6}")
    for name, spec in AGENTS.items():
        single, trained = measure(spec, X)
        batch, cpp = [], []
        for _ in range(3):  # in turns, since the load of the machine changes
            batch.append(1e3 * best_time(lambda: trained.probabilities(X), 5))
            cpp.append(cpp_times(program, name) if program else (float("nan"), float("nan")))
        decision, batch_cpp = (min(times) for times in zip(*cpp))
        print(f"{name:<15} {single['choose']:5.0f} ns {single['learn']:5.0f} ns "
              f"{single['both']:5.0f} ns {1e9 / single['both']:12,.0f} {decision:5.0f} ns "
              f"{min(batch):6.2f} ms {batch_cpp:6.2f} ms {min(batch) / batch_cpp:6.2f}")
    print(f"(the loop itself: {single['loop']:.0f} ns per decision)")


if __name__ == "__main__":
    main()
