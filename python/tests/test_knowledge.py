"""What an agent knows, choices that count once, seeds that are drawn, results that are kept."""

import copy

import numpy as np
import pytest
import sau


def taught(name="sau_ucb", **keywords):
    agent = sau.Agent(name, n_actions=2, seed=1, **keywords)
    x = None if agent.context_dim in (None, 0) else np.ones(agent.context_dim)
    for n in range(30):
        choice = agent.choose() if x is None else agent.choose(x)
        agent.learn(choice, float(n % 3 == 0))
    return agent


def test_evidence_is_that_of_the_strategy_and_the_model():
    evidence = taught().evidence
    assert list(evidence) == ["count", "S2", "spread", "mean"]
    assert evidence.ids == ("0", "1")
    assert evidence["count"].sum() == 30
    np.testing.assert_allclose(evidence["spread"], np.sqrt(evidence["S2"]) / evidence["count"])
    with pytest.raises(KeyError, match="this agent keeps count, S2, spread, mean"):
        evidence["counts"]
    assert dict(taught("mlp+greedy", context_dim=2).evidence) == {}


def test_uncertainty_has_a_row_per_context():
    agent = taught("linear+lin_ucb", context_dim=3)
    one = agent.uncertainty([1.0, 0.0, 2.0])
    assert one.shape == (2,) and (one > 0).all()
    many = agent.uncertainty([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(many[0], one)
    np.testing.assert_array_equal(many[1], [0.0, 0.0])
    with pytest.raises(sau.UsageError, match="expected 3"):
        agent.uncertainty([1.0])
    with pytest.raises(sau.UsageError, match="sample_mean\\+greedy keeps no number for it"):
        taught("greedy").uncertainty()


def test_coefficients_are_those_of_the_regression():
    rng = np.random.default_rng(1)
    X, actions = rng.normal(size=(200, 3)), rng.integers(2, size=200)
    slope = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 1.0]])
    rewards = (slope[actions] * X).sum(axis=1) + 0.25
    agent = sau.Agent("linear(lambda=1e-9,intercept=true)+sau_ucb", n_actions=2)
    agent.fit(X, actions, rewards)
    np.testing.assert_allclose(agent.coefficients, slope, atol=1e-6)
    np.testing.assert_allclose(agent.intercepts, [0.25, 0.25], atol=1e-6)
    for other in (taught(), taught("mlp+greedy", context_dim=2)):
        with pytest.raises(sau.Error, match="not linear in the context"):
            other.coefficients
    with pytest.raises(sau.Error, match="actions are offered by id"):
        sau.Agent("linear+sau_ucb").coefficients


def test_offered_actions_are_known_by_their_ids():
    agent = sau.Agent("hashed_linear+sau_ucb", seed=1)
    for _ in range(5):
        agent.learn(agent.choose({}, ["b"]), 1.0)
    agent.learn(agent.choose({}, ["a"]), 0.0)
    evidence = agent.evidence
    assert evidence.ids == ("b", "a")
    assert evidence["count"].tolist() == [5.0, 1.0]
    np.testing.assert_allclose(agent.uncertainty({}, ["a", "b"]), evidence["spread"][::-1])


@pytest.mark.parametrize("offered", [False, True])
def test_a_choice_counts_once(offered):
    agent = sau.Agent("hashed_linear+sau_ucb") if offered else sau.Agent("sau_ucb", n_actions=2)
    choice = agent.choose({}, ["a"]) if offered else agent.choose()
    twin = copy.deepcopy(agent)
    agent.learn(choice, 1.0)
    with pytest.raises(sau.UsageError, match="learned from this choice already"):
        agent.learn(choice, 1.0)
    assert agent.evidence["count"].sum() == 1
    twin.learn(choice, 1.0)  # another agent may


def test_a_refused_reward_leaves_the_choice_open():
    agent = sau.Agent("ts", n_actions=2, context_dim=0)
    choice = agent.choose()
    with pytest.raises(sau.Error, match="reward 2"):
        agent.learn(choice, 2.0)
    agent.learn(choice, 1.0)


def test_a_batch_counts_once():
    agent = sau.Agent("linear+sau_ucb", n_actions=2, context_dim=1)
    choices = agent.choose_batch(np.ones((3, 1)))
    agent.learn_batch(choices, [1.0, 0.0, 1.0])
    with pytest.raises(sau.UsageError, match="learned from these choices already"):
        agent.learn_batch(choices, [1.0, 0.0, 1.0])


def test_a_seed_of_none_is_drawn_and_shown():
    one, other = (sau.Agent("sau_ucb", n_actions=2, seed=None) for _ in range(2))
    assert one.seed != other.seed  # once in four billion
    assert f"seed={one.seed}" in repr(one)
    assert one.get_params()["seed"] == one.seed
    same = sau.Agent("sau_ucb", n_actions=2, seed=one.seed)
    assert [same.choose().action for _ in range(5)] == [one.choose().action for _ in range(5)]


def test_results_are_saved_and_reported(tmp_path):
    result = sau.run(["bernoulli", "linear"], {"mine": "sau_ucb", "ts": "ts"}, trials=3, steps=60)
    result.save(tmp_path / "r")
    again = sau.open(tmp_path / "r")
    np.testing.assert_array_equal(again.regret, result.regret)
    np.testing.assert_array_equal(again[0].curves, result[0].curves)
    assert again.agents == ("mine", "ts")
    with pytest.raises(sau.UsageError, match="exists already"):
        result.save(tmp_path / "r")
    for name, text in (("report.md", "all problems"), ("report.tex", "lmodern"), ("r.html", "mine")):
        assert text in result.report(tmp_path / name).read_text()
    pictures = result.report(tmp_path / "figures", "svg")
    assert (pictures / "panels.svg").exists()
    column = result.report(tmp_path / "column", "svg", width=3.3)
    assert 'width="237.6' in (column / "panels.svg").read_text()[:400]
    with pytest.raises(sau.UsageError, match="width is for svg"):
        result.report(tmp_path / "r.md", width=3.3)
    with pytest.raises(sau.UsageError, match="expected 1 to 40"):
        result.report(tmp_path / "column", "svg", width=0)
    # The folder in between is nobody's business.
    assert str(tmp_path.parent) not in (tmp_path / "report.md").read_text()
    assert "| a run in Python |" in (tmp_path / "report.md").read_text()
    with pytest.raises(sau.UsageError, match="format"):
        result.report(tmp_path / "x.docx")
