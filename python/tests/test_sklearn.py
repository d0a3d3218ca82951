"""Agents as scikit-learn estimators."""

import numpy as np
import pytest

import sau

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import Pipeline, make_pipeline  # noqa: E402
from sklearn.preprocessing import OneHotEncoder, StandardScaler  # noqa: E402
from sklearn.utils.validation import check_is_fitted  # noqa: E402


@pytest.fixture
def log(rng):
    """Contexts, actions and rewards; action a pays x[a]."""
    X = rng.normal(size=(600, 3)) * [1.0, 100.0, 0.01]
    actions = rng.integers(3, size=600)
    scaled = X / [1.0, 100.0, 0.01]
    return X, actions, scaled[np.arange(600), actions] + 0.1 * rng.normal(size=600)


def test_predictions_are_consistent(log):
    X, actions, rewards = log
    agent = sau.Agent("linear+sau_sampling", n_actions=3).fit(X, actions, rewards)
    scores, chances = agent.decision_function(X), agent.predict_proba(X)
    assert scores.shape == chances.shape == (600, 3)
    np.testing.assert_array_equal(agent.predict(X), scores.argmax(axis=1))
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_array_equal(scores, agent.values(X))
    assert agent.classes_.tolist() == [0, 1, 2]
    assert agent.n_features_in_ == 3


def test_predictions_follow_the_log(log):
    X, actions, rewards = log
    agent = sau.Agent("linear+sau_ucb", n_actions=3, lambda_=1e-9).fit(X, actions, rewards)
    best = (X / [1.0, 100.0, 0.01]).argmax(axis=1)
    assert (agent.predict(X) == best).mean() > 0.9


def test_parts_of_a_log_add_up_to_the_log(log):
    X, actions, rewards = log
    whole = sau.Agent("linear+sau_ucb", n_actions=3).partial_fit(X, actions, rewards)
    parts = sau.Agent("linear+sau_ucb", n_actions=3)
    for part in np.array_split(np.arange(600), 7):
        assert parts.partial_fit(X[part], actions[part], rewards[part]) is parts
    assert parts._state() == whole._state()


def test_weights_repeat_rows(log):
    X, actions, rewards = log
    times = np.arange(600) % 3
    weighted = sau.Agent("linear+sau_ucb", n_actions=3)
    weighted.partial_fit(X, actions, rewards, sample_weight=times)
    rows = np.repeat(np.arange(600), times)
    repeated = sau.Agent("linear+sau_ucb", n_actions=3)
    repeated.partial_fit(X[rows], actions[rows], rewards[rows])
    assert weighted._state() == repeated._state()
    # Weights that are no whole numbers: 600 rows of 0.25 are 150 on average, with a standard
    # deviation of 10.6.
    quarter = sau.Agent("sample_mean+sau_ucb", n_actions=1)
    quarter.partial_fit(np.empty((600, 0)), np.zeros(600, int), rewards, sample_weight=np.full(600, 0.25))
    ones = sau.Agent("sample_mean+sau_ucb", n_actions=1)
    ones.partial_fit(np.empty((600, 0)), np.zeros(600, int), rewards, sample_weight=np.ones(600))
    plain = sau.Agent("sample_mean+sau_ucb", n_actions=1)
    plain.partial_fit(np.empty((600, 0)), np.zeros(600, int), rewards)
    assert ones._state() == plain._state() != quarter._state()


def test_weighted_rows_may_come_one_by_one(log):
    X, actions, rewards = log
    weights = np.full(600, 0.3)
    whole, single, none, every = (sau.Agent("linear+sau_ucb", n_actions=3, context_dim=3)
                                  for _ in range(4))
    whole.partial_fit(X, actions, rewards, sample_weight=weights)
    for i in range(600):
        row = slice(i, i + 1)
        single.partial_fit(X[row], actions[row], rewards[row], sample_weight=weights[row])
    every.partial_fit(X, actions, rewards)
    assert single._state() == whole._state()
    np.testing.assert_array_equal(single.values(X), whole.values(X))
    for other in (none, every):
        assert not np.array_equal(single.values(X), other.values(X))


def test_chances_of_the_log_become_weights(log):
    X, actions, rewards = log
    # Two of three actions had a chance of a sixth: weights 2, and 0.5 for the third.
    chance = np.where(actions < 2, 1 / 6, 2 / 3)
    by_chance = sau.Agent("linear+sau_ucb", n_actions=3).fit(X, actions, rewards, probabilities=chance)
    by_weight = sau.Agent("linear+sau_ucb", n_actions=3).fit(
        X, actions, rewards, sample_weight=np.where(actions < 2, 2.0, 0.5))
    assert by_chance._state() == by_weight._state()
    capped = sau.Agent("linear+sau_ucb", n_actions=3).fit(
        X, actions, rewards, probabilities=np.full(600, 1e-9), largest_weight=1.0)
    assert capped._state() == sau.Agent("linear+sau_ucb", n_actions=3).fit(X, actions, rewards)._state()


@pytest.mark.parametrize(("argument", "message"), [
    ({"sample_weight": [1.0]}, "sample_weight: expected 600 numbers"),
    ({"sample_weight": np.full(600, -1.0)}, "sample_weight: row 0 is -1.0; expected 0 or more"),
    ({"sample_weight": np.full(600, np.nan)}, "sample_weight: row 0"),
    ({"probabilities": np.r_[np.ones(9), 0.0, np.ones(590)]}, "probabilities: row 9 is 0.0"),
    ({"probabilities": np.ones(600), "largest_weight": 0.0}, "largest_weight"),
])
def test_wrong_weights_are_refused(log, argument, message):
    X, actions, rewards = log
    agent = sau.Agent("linear+sau_ucb", n_actions=3).partial_fit(X, actions, rewards)
    before = agent._state()
    with pytest.raises(ValueError, match=message):
        agent.partial_fit(X, actions, rewards, **argument)
    assert agent._state() == before


def test_fit_starts_over(log):
    X, actions, rewards = log
    agent = sau.Agent("linear+sau_sampling", n_actions=3, seed=4)
    agent.partial_fit(X[::-1], actions[::-1], rewards[::-1])
    agent.fit(X, actions, rewards)
    fresh = sau.Agent("linear+sau_sampling", n_actions=3, seed=4).fit(X, actions, rewards)
    assert agent._state() == fresh._state()
    # Contexts may then have another length, unless context_dim was given.
    agent.fit(X[:, :2], actions, rewards)
    assert agent.context_dim == 2


def test_a_fit_that_fails_changes_nothing(log):
    X, actions, rewards = log
    agent = sau.Agent("linear+sau_ucb", n_actions=3).fit(X, actions, rewards)
    state = agent._state()
    with pytest.raises(sau.UsageError):
        agent.fit(X, actions + 7, rewards)
    with pytest.raises(sau.UsageError, match="rewards is missing"):
        agent.fit(X, actions)
    assert agent._state() == state


def test_parameters_can_be_read_and_set(log):
    agent = sau.Agent("linear+sau_ucb", n_actions=3, alpha=0.5)
    assert agent.get_params() == {
        "agent": "linear+sau_ucb", "n_actions": 3, "context_dim": None, "seed": 1, "alpha": 0.5,
    }
    assert agent.set_params(alpha=2.0, lambda_=3.0, context_dim=3) is agent
    assert agent.spec == "linear(lambda=3)+sau_ucb(alpha=2)"
    # What was learned stays until fit.
    agent.fit(*log)
    state = agent._state()
    agent.set_params(alpha=4.0)
    assert agent._state() == state and agent.spec == "linear(lambda=3)+sau_ucb(alpha=2)"
    assert agent.fit(*log).spec == "linear(lambda=3)+sau_ucb(alpha=4)"
    # Wrong parameters change nothing.
    before = agent.get_params()
    with pytest.raises(sau.UsageError):
        agent.set_params(alpha=-1)
    assert agent.get_params() == before


def test_clones_are_new_agents(log):
    agent = sau.Agent("mlp+sau_ucb", n_actions=3, hidden=(5, 5), seed=3).fit(*log)
    fresh = clone(agent)
    assert fresh.get_params() == agent.get_params()
    assert fresh.context_dim is None
    assert fresh.fit(*log)._state() == agent._state()


def test_an_agent_can_be_the_last_step_of_a_pipeline(log):
    X, actions, rewards = log
    agent = sau.Agent("linear-sau-s", n_actions=3)
    pipeline = Pipeline([("scale", StandardScaler()), ("agent", agent)])
    pipeline.fit(X, actions, agent__rewards=rewards)
    best = (X / [1.0, 100.0, 0.01]).argmax(axis=1)
    assert (pipeline.predict(X) == best).mean() > 0.95
    assert pipeline.predict_proba(X).shape == (600, 3)
    assert pipeline.decision_function(X).shape == (600, 3)
    assert pipeline.n_features_in_ == 3
    check_is_fitted(pipeline)
    pipeline.set_params(agent__alpha=0.1)
    assert pipeline.get_params()["agent__alpha"] == 0.1
    with pytest.raises(sau.UsageError, match="<step>__rewards"):
        pipeline.fit(X, actions)


def test_a_pipeline_may_change_the_length_of_contexts(rng):
    words = rng.choice(["a", "b", "c", "d"], size=(200, 2))
    actions = rng.integers(2, size=200)
    rewards = ((words[:, 0] == "b") == (actions == 1)).astype(float)
    try:
        encoder = OneHotEncoder(sparse_output=False)
    except TypeError:  # before scikit-learn 1.2
        encoder = OneHotEncoder(sparse=False)
    pipeline = make_pipeline(encoder, sau.Agent("linear+sau_ucb", n_actions=2))
    pipeline.fit(words, actions, agent__rewards=rewards)
    assert pipeline[-1].context_dim == 8
    assert pipeline.predict([["b", "a"], ["c", "a"]]).tolist() == [1, 0]


def test_settings_can_be_searched(log):
    X, actions, rewards = log

    def value(agent, X, actions):
        return float((agent.predict(X) == actions).mean())

    search = GridSearchCV(
        sau.Agent("linear+sau_ucb", n_actions=3), {"lambda_": [0.1, 10.0]}, scoring=value, cv=2
    )
    search.fit(X, actions, rewards=rewards)
    assert search.best_params_["lambda_"] in (0.1, 10.0)


def test_one_context_instead_of_a_matrix_is_refused(log):
    agent = sau.Agent("linear+sau_ucb", n_actions=3).fit(*log)
    for method in (agent.predict, agent.predict_proba, agent.decision_function):
        with pytest.raises(sau.UsageError, match="expected two dimensions"):
            method([1.0, 2.0, 3.0])
        with pytest.raises(sau.UsageError):
            method([[1.0], [2.0, 3.0]])
