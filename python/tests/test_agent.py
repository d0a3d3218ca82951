"""Agents, one decision at a time."""

import math

import numpy as np
import pytest

import sau

# Every kind of strategy, with settings that change the chances from step to step.
AGENTS = [
    "uniform",
    "greedy",
    "epsilon_greedy(epsilon=0.9,decay=0.8,initial_pulls=2)",
    "ucb1",
    "thompson",
    "sau_ucb(floor=0.1)",
    "sau_sampling",
    "lin_ucb",
    "mlp(hidden=8,batch=4,every=5,start=5)+sau_sampling",
    "neural_linear(hidden=8,batch=4,every=5,start=5)+thompson",
    'committee(members="linear+mlp(hidden=8,batch=4,every=5,start=5)")+sau_ucb(pool=5,start=0)',
]


def play(agent, steps, rng, dim=3):
    """Some steps of a world in which action 1 is the best for positive contexts."""
    actions = []
    for _ in range(steps):
        x = rng.normal(size=dim)
        choice = agent.choose(x)
        agent.learn(choice, float((choice.action == 1) == (x[0] > 0)))
        actions.append(choice.action)
    return actions


def test_the_choice_has_action_value_and_probability():
    agent = sau.Agent("linear+epsilon_greedy", context_dim=2, n_actions=4, seed=1, epsilon=0.2)
    choice = agent.choose([1.0, 2.0])
    assert choice.action in range(4)
    assert choice.value == 0.0
    assert choice.probability == pytest.approx(0.85 if choice.action == 0 else 0.05, abs=1e-12)
    assert choice.context.tolist() == [1.0, 2.0]
    action, value, probability = choice
    assert (action, value, probability) == (choice.action, choice.value, choice.probability)
    assert repr(choice).startswith(f"Choice(action={action}, value=0, probability=0.")


@pytest.mark.parametrize("model", ["mlp", "neural_linear"])
def test_asking_a_deep_agent_about_huge_numbers_changes_nothing(model, rng):
    spec = f"{model}(hidden=8,batch=4,every=5,start=5)+sau_sampling"
    agent = sau.Agent(spec, context_dim=3, n_actions=3, seed=1)
    play(agent, 50, rng)
    state, usual = agent._state(), agent.probabilities([1.0, 2.0, 3.0])
    for huge in (1e10, 1e20, 3.4e38, 1e200):
        assert agent.probabilities([huge, -huge, 1.0]).sum() == pytest.approx(1.0, abs=1e-12)
        assert np.isfinite(agent.values([huge, -huge, 1.0])).all()
    assert agent._state() == state
    assert agent.fault is None
    assert agent.probabilities([1.0, 2.0, 3.0]).tolist() == usual.tolist()


# Compares with a second implementation of linear SAU-UCB (eqs. 5 to 7) that solves anew every step.
def test_linear_sau_ucb_follows_its_equations(rng):
    d, k, lam = 4, 3, 2.0
    agent = sau.Agent("linear+sau_ucb", context_dim=d, n_actions=k, lambda_=lam)
    A = [lam * np.eye(d) for _ in range(k)]
    b = [np.zeros(d) for _ in range(k)]
    pulls, square = np.zeros(k), np.ones(k)
    for n in range(1, 200):
        x = rng.normal(size=d)
        mu = np.array([x @ np.linalg.solve(A[a], b[a]) for a in range(k)])
        if n <= k:
            expected = n - 1
        else:
            expected = int(np.argmax(mu + np.sqrt(square * math.log(n)) / pulls))
        choice = agent.choose(x)
        assert choice.action == expected
        assert choice.value == pytest.approx(mu[expected], abs=1e-9)
        np.testing.assert_allclose(agent.values(x), mu, atol=1e-9)
        reward = float(rng.normal() + x[expected])
        agent.learn(choice, reward)
        pulls[expected] += 1
        square[expected] += (reward - mu[expected]) ** 2
        A[expected] += np.outer(x, x)
        b[expected] += reward * x


@pytest.mark.parametrize("spec", AGENTS)
def test_the_probability_is_the_one_before_the_choice(spec, rng):
    agent = sau.Agent(spec, context_dim=3, n_actions=3, seed=4)
    for n in range(40):
        x = rng.normal(size=3)
        before = agent.probabilities(x)
        assert before.sum() == pytest.approx(1.0, abs=1e-12)
        eager = n % 2 == 0
        choice = agent.choose(x, probability=eager)
        if eager:  # and it stays right, whatever happens to the agent
            agent.learn(choice, 0.5)
            agent.choose(x)
            assert choice.probability == before[choice.action]
        else:
            assert choice.probability == pytest.approx(before[choice.action], abs=1e-13)
            agent.learn(choice, 1.0)
            assert choice.probability == pytest.approx(before[choice.action], abs=1e-13)


def test_a_probability_that_was_not_asked_for_in_time_is_refused():
    agent = sau.Agent("sau_sampling", n_actions=3, context_dim=0)
    learned = agent.choose()
    agent.learn(learned, 1.0)
    overtaken = agent.choose()
    agent.choose()
    for choice in (learned, overtaken):
        with pytest.raises(sau.Error, match="was not asked for in time"):
            choice.probability
    unknown = sau.Choice(1, 0.5)
    with pytest.raises(sau.Error, match="not known"):
        unknown.probability


def test_asking_for_probabilities_changes_nothing(rng):
    asked, silent = (sau.Agent("linear+sau_sampling", context_dim=3, n_actions=4) for _ in "ab")
    for _ in range(100):
        x = rng.normal(size=3)
        first, second = asked.choose(x, probability=True), silent.choose(x)
        first.probability, asked.probabilities(x), asked.values(x)
        assert (first.action, first.value) == (second.action, second.value)
        asked.learn(first, 0.3)
        silent.learn(second, 0.3)


def test_late_rewards_are_compared_with_the_value_predicted_then():
    # S2 grows by (1 - 0)^2, not by (1 - 1)^2, although the value was 1 when the reward came.
    agent = sau.Agent("sample_mean+sau_ucb", n_actions=2)
    late = agent.choose()
    other = agent.choose()
    agent.learn(other, 0.0)
    for _ in range(3):
        agent.learn(sau.Choice(0, 0.0), 1.0)
    assert agent.values().tolist() == [1.0, 0.0]
    agent.learn(late, 1.0)
    twin = sau.Agent("sample_mean+sau_ucb", n_actions=2)
    for _ in range(2):
        twin.choose()
    twin.learn(sau.Choice(1, 0.0), 0.0)
    for _ in range(4):
        twin.learn(sau.Choice(0, 0.0), 1.0)
    assert agent._state() == twin._state()


def test_the_seed_decides(rng):
    contexts = rng.normal(size=(60, 2))

    def actions(seed):
        agent = sau.Agent("linear+sau_sampling", context_dim=2, n_actions=5, seed=seed)
        chosen = []
        for x in contexts:
            choice = agent.choose(x)
            agent.learn(choice, 0.0)
            chosen.append(choice.action)
        return chosen

    assert actions(1) == actions(1)
    assert actions(1) != actions(2)


def test_a_better_action_is_found(rng):
    agent = sau.Agent("linear-sau-s", context_dim=3, n_actions=3)
    play(agent, 400, rng)
    assert agent.predict([[2.0, 0.0, 0.0]]).tolist() == [1]
    assert agent.fault is None


def test_a_network_that_diverges_says_so():
    agent = sau.Agent("mlp+greedy", context_dim=1, n_actions=1, lr=10.0, batch=4, start=1, every=1)
    for n in range(300):
        agent.learn(agent.choose([1.0]), 1e30)
        if agent.fault is not None:
            break
    assert "not finite" in agent.fault


def test_the_first_context_sets_the_length_of_contexts():
    agent = sau.Agent("sau_ucb", n_actions=2)
    assert agent.context_dim is None
    with pytest.raises(sau.UsageError, match="has seen no context yet"):
        agent.spec
    agent.choose([1.0, 2.0])
    assert (agent.context_dim, agent.spec) == (2, "linear+sau_ucb")
    armed = sau.Agent("sau_ucb", n_actions=2)
    armed.choose()
    assert (armed.context_dim, armed.spec) == (0, "sample_mean+sau_ucb")


def test_repr_looks_like_the_call():
    agent = sau.Agent("neural-sau-s", context_dim=9, n_actions=7, seed=1, alpha=0.5)
    assert repr(agent) == "Agent('neural-sau-s', n_actions=7, context_dim=9, seed=1, alpha=0.5)"
    same = eval(repr(agent), {"Agent": sau.Agent})
    assert same.get_params() == agent.get_params()


@pytest.mark.parametrize(
    "arguments, message",
    [
        (dict(agent="sau_ucp", n_actions=2), "did you mean 'sau_ucb'"),
        (dict(agent="linear", n_actions=2), "names a model only"),
        (dict(agent="sau_ucb", n_actions=0), "n_actions=0 is not allowed"),
        (dict(agent="sau_ucb", n_actions=2.5), "n_actions=2.5 is not allowed"),
        (dict(agent="sau_ucb", n_actions=True), "n_actions=True is not allowed"),
        (dict(agent="sau_ucb", n_actions=2, context_dim=-1), "context_dim=-1 is not allowed"),
        (dict(agent="sau_ucb", n_actions=2, seed=-1), "seed=-1 is not allowed"),
        (dict(agent="sau_ucb", n_actions=2, seed=1.5), "seed=1.5 is not allowed"),
        (dict(agent="sau_ucb", n_actions=2, alpha=-1), "alpha=-1 is not allowed"),
        (dict(agent="sau_ucb", n_actions=2, beta=1), "has no setting 'beta'"),
        (dict(agent="linear+thompson", n_actions=2), "thompson needs a model with a posterior"),
    ],
)
def test_wrong_arguments_are_usage_errors(arguments, message):
    with pytest.raises(sau.UsageError, match=message.replace("(", r"\(")) as caught:
        sau.Agent(**arguments)
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, sau.Error)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda a: a.choose(1, 2, 3), "does not know"),
        (lambda a: a.choose(y=1), "does not know"),
        (lambda a: a.choose([0.0], x=[0.0]), "multiple values"),
        (lambda a: a.learn(), "needs the argument 'choice'"),
        (lambda a: a.learn(a.choose([0.0])), "needs the argument 'reward'"),
        (lambda a: a.learn(3, 1.0), "expected the Choice"),
        (lambda a: a.learn(a.choose([0.0]), "much"), "must be real number"),
        (lambda a: sau.Agent.probabilities(42), "not a sau.Agent"),
    ],
)
def test_wrong_calls_are_type_errors(call, message):
    with pytest.raises(TypeError, match=message):
        call(sau.Agent("sau_ucb", n_actions=2, context_dim=1))


@pytest.mark.parametrize("reward", [math.nan, math.inf, -math.inf, 1e200])
def test_rewards_that_are_not_finite_or_too_large_are_refused(reward):
    agent = sau.Agent("sau_ucb", n_actions=2, context_dim=0)
    choice = agent.choose()
    state = agent._state()
    with pytest.raises(sau.UsageError, match="reward .* is not allowed"):
        agent.learn(choice, reward)
    assert agent._state() == state


def test_rewards_outside_a_models_range_are_refused():
    agent = sau.Agent("ts", n_actions=2, context_dim=0)
    assert agent.reward_range == (0.0, 1.0)
    with pytest.raises(sau.UsageError, match="learns from rewards from 0 to 1"):
        agent.learn(agent.choose(), 2.0)


def test_choices_of_another_shape_are_refused():
    agent = sau.Agent("linear+sau_ucb", n_actions=2, context_dim=1)
    with pytest.raises(sau.UsageError, match="action 7 is not one of 2"):
        agent.learn(sau.Choice(7, 0.0, [1.0]), 1.0)
    with pytest.raises(sau.UsageError, match="context has 2 numbers, expected 1"):
        agent.learn(sau.Choice(0, 0.0, [1.0, 2.0]), 1.0)
    with pytest.raises(sau.UsageError, match="value is not finite"):
        sau.Choice(0, math.nan)
    with pytest.raises(sau.UsageError, match="probability 1.5 is not allowed"):
        sau.Choice(0, 0.0, None, 1.5)
    with pytest.raises(sau.UsageError, match="action -1 is not allowed"):
        sau.Choice(-1, 0.0)


def test_an_agent_whose_init_was_skipped_is_refused():
    class Forgetful(sau.Agent):
        def __init__(self):
            pass

    with pytest.raises(TypeError):
        Forgetful().choose()


def test_merged_agents_add_up():
    left, right, both = (sau.Agent("sau_ucb", n_actions=2, context_dim=0) for _ in "lrb")
    for agent, reward in ((left, 1.0), (right, 0.0)):
        choice = agent.choose()
        agent.learn(choice, reward)
        both.choose()
        both.learn(choice, reward)
    left.merge(right)
    assert left._state() == both._state()
    with pytest.raises(sau.UsageError, match="cannot be merged"):
        mlp = sau.Agent("mlp+greedy", n_actions=2, context_dim=1)
        mlp.merge(sau.Agent("mlp+greedy", n_actions=2, context_dim=1))


def test_without_a_name_it_is_the_default_agent():
    assert sau.Agent(n_actions=2, context_dim=3).spec == sau.Agent("sau", n_actions=2, context_dim=3).spec
    assert sau.Agent(n_actions=2, context_dim=3).spec.startswith("committee+sau_ucb(")
    assert sau.Agent(n_actions=2, context_dim=0).spec == "sample_mean+sau_ucb"
    assert sau.Agent().spec.startswith("committee+sau_sampling(")


def test_members_say_who_is_believed_and_who_is_left_out():
    agent = sau.Agent(
        'committee(members="linear+mlp(hidden=8,batch=4,every=5,start=5,updates=1)")+greedy',
        n_actions=2,
        context_dim=3,
    )
    assert [member.weight for member in agent.members] == [1.0, 0.0]  # at first the first
    rng = np.random.default_rng(1)
    for _ in range(30):
        x = rng.normal(size=3)
        agent.learn(agent.choose(x), 1e60 * x[0])
    linear, mlp = agent.members
    assert (linear.spec, linear.weight, linear.fault) == ("linear", 1.0, None)
    assert mlp.spec.startswith("mlp(") and mlp.weight == 0.0 and "diverged" in mlp.fault
    assert sau.Agent("linear+greedy", n_actions=2, context_dim=3).members == []
