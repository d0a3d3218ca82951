"""Threads, and signals in long calls."""

import copy
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import sau


def work(seed):
    """Calls every kind of method of one agent."""
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


def test_agents_in_different_threads_do_not_affect_each_other():
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
    most = 0
    for _ in range(100):  # on a busy machine the other thread may hardly run in the first calls
        start = time.monotonic()
        agent.probabilities(rows)
        end = time.monotonic()
        most = max(most, sum(start < moment < end for moment in ticks))
        if most > 10:
            break
    done.set()
    thread.join()
    assert most > 10


def test_a_busy_agent_refuses_calls_from_other_threads():
    agent = sau.Agent("linear+sau_sampling", context_dim=10, n_actions=50)
    rng = np.random.default_rng(0)
    agent.partial_fit(rng.normal(size=(500, 10)), np.arange(500) % 50, rng.normal(size=500))
    rows = rng.normal(size=(4000, 10))
    log = rows[:5], np.arange(5), np.ones(5)
    # The last three would replace the agent while it is in use.
    calls = {
        "choose": lambda: agent.choose(rows[0]),
        "pickle": lambda: pickle.dumps(agent),
        "copy": lambda: copy.copy(agent),
        "fit": lambda: agent.fit(*log),
        "load": lambda: agent.__setstate__(state),
        "begin": lambda: agent._begin(10),
    }
    state = agent.__getstate__()
    refused = set()
    # The thread may begin late and end early: what succeeds beside it says nothing.
    for _ in range(100):
        worker = threading.Thread(target=agent.probabilities, args=(rows,))
        worker.start()
        while worker.is_alive() and refused != set(calls):
            for name in set(calls) - refused:
                try:
                    calls[name]()
                except sau.Error as error:
                    assert "at work in another thread" in str(error)
                    refused.add(name)
            time.sleep(0.001)
        worker.join()
        agent.__setstate__(state)
        if refused == set(calls):
            break
    assert refused == set(calls)
    agent.choose(rows[0])


def test_control_c_ends_a_long_batch():
    script = textwrap.dedent(
        """
        import numpy as np, sau, signal
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
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
    out, _ = process.communicate(timeout=300)
    assert out == "interrupted\n" and process.returncode == 0
