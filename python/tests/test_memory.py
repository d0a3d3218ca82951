"""Nothing leaks: many calls leave no more memory in use than before."""

import copy
import ctypes
import gc
import pickle
import sys

import numpy as np
import pytest

import sau


class MallocInfo(ctypes.Structure):
    """glibc's struct mallinfo2."""

    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
        "fordblks", "keepcost")]


def in_use():
    """Bytes allocated by malloc, and blocks allocated by Python, at this moment."""
    gc.collect()
    ask = ctypes.CDLL(None).mallinfo2
    ask.restype = MallocInfo
    info = ask()
    return np.array([info.uordblks + info.hblkhd, sys.getallocatedblocks()])


def resident():
    """Memory of this process, in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


class Coin:
    """A problem written in Python."""

    n_actions = 4

    def reset(self, *, seed=None):
        return [0.1, 0.2, 0.3], {}

    def step(self, action):
        return [0.1, 0.2, 0.3], 1.0, False, False, {"regret": 0.0}


class Last:
    """An agent written in Python."""

    def __init__(self, n_actions, context_dim, seed):
        self.action = n_actions - 1

    def choose(self, x):
        return self.action

    def learn(self, x, action, reward):
        pass


def refused(call):
    try:
        call()
    except (sau.Error, TypeError):
        return
    raise AssertionError("not refused")


def fail():
    raise ZeroDivisionError


def failing_run():
    try:
        sau.run(Coin, lambda **_: fail(), trials=2, steps=2, threads=2)
    except ZeroDivisionError:
        pass


OFFERED = sau.Agent("hashed_linear+sau_sampling")
OFFER = ({"device": "mobile", "v": [0.5, np.float32(1)], "u": {"n": np.int64(3)}}, [{"id": "a", "n": 1}, "b"])


def offers(offer):
    OFFERED.probabilities(*offer, excluded=["b"])
    OFFERED.learn(OFFERED.choose(*offer), 0.5)
    OFFERED.learn(sau.OfferChoice(offer[1][0], 0.5, offer[0]), 0.5)


X = np.array([0.1, 0.2, 0.3])
ROWS = np.stack([X, X])

CALLS = {
    "lists": (2000, lambda a: a.choose([0.5, 1.0, 2.0])),
    "keywords": (2000, lambda a: a.learn(choice=a.choose(x=X), reward=1)),
    "probabilities": (2000, lambda a: a.probabilities(X)),
    "lazy probabilities": (2000, lambda a: a.choose(X).probability),
    "contexts": (2000, lambda a: a.choose(X).context),
    "unpacking": (2000, lambda a: tuple(a.choose(X, probability=True))),
    "representations": (500, lambda a: (repr(a.choose(X)), repr(a))),
    "rows": (2000, lambda a: (a.values(ROWS), a.probabilities(ROWS.tolist()), a.predict(ROWS))),
    "batches": (1000, lambda a: a.learn_batch(a.choose_batch(ROWS, probability=True), [1.0, 0.0])),
    "logs": (500, lambda a: a.fit(ROWS, [0, 1], [1.0, 0.5])),
    "NaN": (1000, lambda a: refused(lambda: a.choose([float("nan"), 0.0, 0.0]))),
    "wrong shapes": (1000, lambda a: refused(lambda: a.probabilities(np.zeros((2, 7))))),
    "wrong rewards": (1000, lambda a: refused(lambda: a.learn(a.choose(X), "much"))),
    "wrong calls": (1000, lambda a: refused(lambda: a.choose(X, y=1))),
    "wrong names": (500, lambda a: refused(lambda: sau.Agent("sau_ucp", n_actions=2))),
    "agents": (500, lambda a: sau.Agent("mlp+sau_ucb", n_actions=2, context_dim=2, hidden=(3,))),
    "copies": (500, lambda a: copy.deepcopy(a)),
    "pickles": (500, lambda a: pickle.loads(pickle.dumps((a, a.choose(X))))),
    "problems": (500, lambda a: sau.Problem("linear").reset()),
    "arrays": (200, lambda a: sau.data.classification(ROWS, [0, 1])),
    "runs": (25, lambda a: sau.run("linear(dim=3,actions=4)", [a, "ts"], 2, 20, threads=2)),
    "own code": (50, lambda a: sau.run(Coin, ["sau_ucb", Last], 2, 20, threads=2)),
    "offers": (1000, lambda a: offers(OFFER)),
    "wrong offers": (1000, lambda a: refused(lambda: OFFERED.choose({"a": object()}, ["b"]))),
    "offer copies": (100, lambda a: pickle.loads(pickle.dumps((OFFERED, OFFERED.choose(*OFFER))))),
    "failing code": (25, lambda a: failing_run()),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_leaks_nothing(name):
    count, call = CALLS[name]
    agent = sau.Agent("linear+epsilon_greedy", context_dim=3, n_actions=4)

    def repeat(times):
        for _ in range(times):
            call(agent)

    repeat(count // 5 + 5)  # so that everything that is allocated once is there
    # Python and malloc allocate and free their own tables, so the best of several rounds counts. A
    # leak is at least one block, or 16 bytes, per call in every round.
    grown = []
    for _ in range(12):
        before = in_use()
        repeat(count)
        grown.append((in_use() - before) / count)
        if (grown[-1] < [8.0, 0.5]).all():
            return
    raise AssertionError(f"bytes and blocks per call: {np.array(grown).tolist()}")


def test_a_million_decisions_take_no_memory():
    agent = sau.Agent("linear+sau_sampling", context_dim=3, n_actions=4)

    def repeat(times):
        choose, learn = agent.choose, agent.learn
        for _ in range(times):
            learn(choose(X), 0.5)

    repeat(50_000)
    before, most = in_use(), resident()
    repeat(1_000_000)
    allocated, blocks = in_use() - before
    assert allocated < 10_000 and blocks < 1000
    assert resident() - most < 2_000_000


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
