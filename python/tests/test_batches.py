"""Many contexts at once."""

import signal

import numpy as np
import pytest

import sau

SPECS = ["linear+sau_sampling", "linear_posterior+thompson", "linear+epsilon_greedy",
         "mlp(hidden=8,start=5,every=5)+sau_ucb"]


@pytest.fixture
def rows(rng):
    return rng.normal(size=(40, 3))


def trained(spec, rng):
    agent = sau.Agent(spec, context_dim=3, n_actions=4, seed=2)
    return agent.partial_fit(
        rng.normal(size=(60, 3)), rng.integers(4, size=60), rng.normal(size=60)
    )


@pytest.mark.parametrize("spec", SPECS)
def test_rows_are_answered_as_if_they_came_one_by_one(spec, rng, rows):
    agent, single = (trained(spec, np.random.default_rng(3)) for _ in "ab")
    np.testing.assert_array_equal(
        agent.probabilities(rows), np.stack([single.probabilities(x) for x in rows])
    )
    np.testing.assert_array_equal(agent.values(rows), np.stack([single.values(x) for x in rows]))
    choices = agent.choose_batch(rows, probability=True)
    one_by_one = [single.choose(x, probability=True) for x in rows]
    assert [tuple(choice) for choice in choices] == [tuple(choice) for choice in one_by_one]
    rewards = rng.normal(size=len(rows))
    agent.learn_batch(choices, rewards)
    for choice, reward in zip(one_by_one, rewards):
        single.learn(choice, reward)
    assert agent._state() == single._state()


def test_a_batch_describes_itself(rows):
    agent = sau.Agent("linear+sau_ucb", n_actions=4)
    choices = agent.choose_batch(rows)
    assert choices.probabilities is None and len(choices) == 40
    assert repr(choices) == "<Choices: 40 for contexts of length 3>"
    np.testing.assert_array_equal(choices.contexts, rows)
    assert choices.actions.dtype == np.int64


@pytest.mark.parametrize(
    "rewards, message",
    [
        (np.zeros(39), "expected one number for each of 40 contexts"),
        (np.full(40, np.nan), "row 0: reward nan is not allowed"),
        (np.r_[np.zeros(39), np.inf], "row 39: reward inf is not allowed"),
        (["a"] * 40, "rewards: expected numbers"),
    ],
)
def test_nothing_is_learned_from_a_wrong_batch(rows, rewards, message):
    agent = sau.Agent("linear+sau_ucb", n_actions=4)
    choices = agent.choose_batch(rows)
    state = agent._state()
    with pytest.raises(sau.UsageError, match=message):
        agent.learn_batch(choices, rewards)
    assert agent._state() == state


def test_after_control_c_the_same_call_learns_the_rest(rng):
    def interrupt(*_):
        raise KeyboardInterrupt

    # So long that Ctrl-C, which is looked for ten times a second, comes in the middle.
    X, rewards = rng.normal(size=(3000, 1500)), rng.normal(size=3000)
    calm, stopped = (sau.Agent("linear+sau_ucb", n_actions=2) for _ in "ab")
    calm.learn_batch(calm.choose_batch(X), rewards)
    choices = stopped.choose_batch(X)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            stopped.learn_batch(choices, rewards)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    stopped.learn_batch(choices, rewards)
    assert stopped._state() == calm._state()
    with pytest.raises(sau.UsageError, match="has learned from these choices already"):
        stopped.learn_batch(choices, rewards)


@pytest.mark.parametrize(
    "actions, message",
    [
        (np.full(40, 4), "row 0: action 4 is not one of 0 to 3"),
        (np.full(40, -1), "row 0: action -1 is not one of 0 to 3"),
        (np.full(40, 0.5), "row 0: action 0.5 is not one of 0 to 3"),
        (np.zeros((40, 1)), "found an array of shape \\(40, 1\\)"),
    ],
)
def test_nothing_is_learned_from_a_log_with_wrong_actions(rows, actions, message):
    agent = sau.Agent("linear+sau_ucb", n_actions=4, context_dim=3)
    state = agent._state()
    with pytest.raises(sau.UsageError, match=message):
        agent.partial_fit(rows, actions, np.zeros(40))
    assert agent._state() == state


def test_a_log_is_learned_as_if_the_agent_had_made_the_choices(rows, rng):
    # Replayed by hand, with the value that the agent would have predicted and one step per row.
    actions, rewards = rng.integers(4, size=40), rng.normal(size=40)
    logged = sau.Agent("linear+sau_ucb", context_dim=3, n_actions=4)
    by_hand = sau.Agent("linear+sau_ucb", context_dim=3, n_actions=4)
    logged.partial_fit(rows, actions, rewards)
    for x, action, reward in zip(rows, actions, rewards):
        by_hand.choose(x)
        value = by_hand.values(x)[action]
        by_hand.learn(sau.Choice(int(action), float(value), x), reward)
    assert logged._state() == by_hand._state()
    # The initial pulls are over, so the next choice uses what was learned.
    assert logged.choose(rows[0]).action == by_hand.choose(rows[0]).action


def test_a_log_uses_up_no_random_numbers(rows, rng):
    agent = sau.Agent("linear+sau_sampling", context_dim=3, n_actions=4)
    position = agent._state()[:80]  # the rng is the first field
    agent.partial_fit(rows, rng.integers(4, size=40), rng.normal(size=40))
    assert agent._state()[:80] == position


def test_multi_armed_agents_take_empty_rows():
    agent = sau.Agent("sau_ucb", n_actions=3)
    agent.partial_fit(np.empty((30, 0)), np.arange(30) % 3, (np.arange(30) % 3 == 2).astype(float))
    assert agent.context_dim == 0
    assert agent.predict(np.empty((2, 0))).tolist() == [2, 2]
