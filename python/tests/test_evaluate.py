"""sau.evaluate: policies from arrays."""

import numpy as np
import pytest

import sau


def make_log(rows=4000, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.choice([-1.0, 1.0], size=(rows, 1))
    chances = np.where(X > 0, [[0.8, 0.2]], [[0.5, 0.5]])
    actions = (rng.random(rows) >= chances[:, 0]).astype(int)
    liked = (X[:, 0] > 0) == (actions == 0)
    rewards = (rng.random(rows) < np.where(liked, 0.7, 0.3)).astype(float)
    return X, actions, rewards, chances


def test_values_of_policies():
    X, actions, rewards, chances = make_log()
    best = (X[:, 0] < 0).astype(int)
    result = sau.evaluate(X, actions, rewards, chances,
                          {"uniform": "uniform", "best": best, "half": np.full((len(X), 2), 0.5)})
    assert result.policies == ["uniform", "best", "half"]
    for name, truth in [("uniform", 0.5), ("best", 0.7), ("half", 0.5)]:
        low, high = result.interval(name)
        assert low < truth < high
        assert abs(result.value(name) - truth) < 0.05
        assert not result.refused(name)
    assert result.value("half", "ips") == pytest.approx(result.value("uniform", "ips"))
    w = 0.5 / chances[np.arange(len(X)), actions]
    assert result.value("uniform", "ips") == pytest.approx(float((w * rewards).mean()), rel=1e-12)
    assert result.value("uniform", "snips") == pytest.approx(float(w @ rewards / w.sum()), rel=1e-12)
    assert "uniform" in repr(result)


def test_agents_by_name_and_as_they_are():
    X, actions, rewards, chances = make_log()
    agent = sau.Agent("linear(intercept=true)+sau_ucb", n_actions=2, seed=1)
    agent.fit(X[:2000], actions[:2000], rewards[:2000])
    result = sau.evaluate(X[2000:], actions[2000:], rewards[2000:], chances[2000:],
                          ["hashed_linear+greedy", agent])
    assert abs(result.value(agent.spec) - 0.7) < 0.08
    frozen = sau.evaluate(X, actions, rewards, chances, "hashed_linear+greedy", learning="frozen")
    assert frozen.result["learnedOnly"] == 2000
    replayed = sau.evaluate(X, actions, rewards, np.full(len(X), 0.5), "uniform",
                            learning="replayed")
    assert replayed.result["policies"][0]["policy"] == "uniform"


def test_without_chances_only_the_direct_method():
    X, actions, rewards, _ = make_log()
    with pytest.raises(sau.Error, match="--estimator dm|estimator dm"):
        sau.evaluate(X, actions, rewards, None, "uniform", n_actions=2)
    result = sau.evaluate(X, actions, rewards, None, "uniform", n_actions=2, estimators=["dm"])
    assert abs(result.value() - 0.5) < 0.05
    assert "no chances" in repr(result)


def test_a_log_that_cannot_tell():
    X, actions, rewards, chances = make_log(40)
    result = sau.evaluate(X, actions, rewards, chances, "constant(action=1)")
    assert result.refused()
    assert np.isnan(result.value())
    assert not np.isnan(
        sau.evaluate(X, actions, rewards, chances, "constant(action=1)", force=True).value())


def test_data_frame_and_plot():
    pytest.importorskip("pandas")
    X, actions, rewards, chances = make_log()
    result = sau.evaluate(X, actions, rewards, chances, ["uniform", "first"])
    frame = result.to_frame()
    assert list(frame["policy"].unique()) == ["uniform", "first"]
    assert len(frame) == 8
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert [label.get_text() for label in result.plot().get_yticklabels()] == ["uniform", "first"]


def test_mistakes():
    X, actions, rewards, chances = make_log(50)
    with pytest.raises(sau.UsageError, match="unknown estimator"):
        sau.evaluate(X, actions, rewards, chances, "uniform", estimators=["magic"])
    with pytest.raises(sau.UsageError, match="A policy is an agent"):
        sau.evaluate(X, actions, rewards, chances, "magic")
    with pytest.raises(sau.UsageError, match="add up to 1"):
        sau.evaluate(X, actions, rewards, chances, np.full((50, 2), 0.4))
    with pytest.raises(sau.UsageError, match="there is no policy"):
        sau.evaluate(X, actions, rewards, chances, "uniform", force=True).value("first")
    for wrong in (2, -1):
        with pytest.raises(sau.UsageError, match=f"row 7: action {wrong} is not one of 0 to 1"):
            sau.evaluate(X, np.r_[actions[:7], wrong, actions[8:]], rewards, chances, "uniform")
    with pytest.raises(sau.UsageError, match="actions: expected one number for each of 50"):
        sau.evaluate(X, actions[:9], rewards, chances, "uniform")
    chances[3] = [0.0, 1.0]
    actions[3] = 0
    with pytest.raises(sau.Error, match="line 4: the chance of the chosen action is 0"):
        sau.evaluate(X, actions, rewards, chances, "uniform")


def test_score_and_searches():
    X, actions, rewards, chances = make_log()
    chance = chances[np.arange(len(X)), actions]
    y = np.column_stack([actions, rewards, chance])
    agent = sau.Agent("linear(intercept=true)+greedy", n_actions=2, seed=1)
    assert agent.fit(X, y).score(X, y) == pytest.approx(0.7, abs=0.05)
    assert agent.score(X, actions, rewards, chance) == agent.score(X, y)
    for wrong in (2, -1):
        with pytest.raises(sau.UsageError, match=f"row 0: action {wrong} is not one of 0 to 1"):
            agent.score(X, np.r_[wrong, actions[1:]], rewards, chance)
    model_selection = pytest.importorskip("sklearn.model_selection")
    search = model_selection.GridSearchCV(agent, {"seed": [1, 2]}, cv=3).fit(X, y)
    assert search.best_score_ == pytest.approx(0.7, abs=0.06)
