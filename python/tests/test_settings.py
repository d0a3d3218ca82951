"""Settings as keywords, or as text as on the command line."""

import numpy as np
import pytest

import sau


@pytest.mark.parametrize(
    "text, settings, expected",
    [
        ("sau_ucb", {}, "linear+sau_ucb"),
        ("sau_ucb", {"alpha": 0.5}, "linear+sau_ucb(alpha=0.5)"),
        ("sau_ucb", {"alpha": np.float32(0.5)}, "linear+sau_ucb(alpha=0.5)"),
        ("sau_ucb", {"alpha": 1.0}, "linear+sau_ucb"),
        ("sau_ucb(alpha=0.5)", {"alpha": 2}, "linear+sau_ucb(alpha=2)"),
        ("sau_ucb", {"lambda_": 3, "intercept": True}, "linear(lambda=3,intercept=true)+sau_ucb"),
        ("Neural-SAU-S", {"hidden": (50, 20), "optimizer": "adam", "history": "all"},
         "mlp(hidden=50x20,optimizer=adam)+sau_sampling(initial_pulls=2)"),
        ("mlp+greedy", {"hidden": np.array([7])}, "mlp(hidden=7)+greedy"),
        ("linear_posterior+thompson", {"model__a0": 3}, "linear_posterior(a0=3)+thompson"),
    ],
)
def test_keywords_and_text_mean_the_same(text, settings, expected):
    assert sau.Agent(text, n_actions=2, context_dim=3, **settings).spec == expected
    assert sau.Agent(expected, n_actions=2, context_dim=3).spec == expected
    assert sau.catalog.canonical(text, context_dim=3, **settings) == expected


def test_a_setting_that_both_parts_have_needs_a_prefix():
    with pytest.raises(sau.UsageError, match="model__alpha or strategy__alpha"):
        sau.Agent("beta_bernoulli+sau_ucb", n_actions=2, context_dim=0, alpha=2)
    agent = sau.Agent(
        "beta_bernoulli+sau_ucb", n_actions=2, context_dim=0, model__alpha=2, strategy__alpha=3
    )
    assert agent.spec == "beta_bernoulli(alpha=2)+sau_ucb(alpha=3)"


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"alpah": 1}, "did you mean 'alpha'"),
        ({"model__alpha": 1}, "has no setting 'alpha'"),
        ({"alpha": None}, "a setting may be a number"),
        ({"alpha": "big"}, "alpha=big is not allowed; expected a number"),
        ({"initial_pulls": 1.5}, "initial_pulls=1.5 is not allowed"),
        ({"intercept": 1}, "intercept=1 is not allowed; expected false or true"),
    ],
)
def test_errors_name_the_wrong_setting(settings, message):
    with pytest.raises(sau.UsageError, match=message):
        sau.Agent("linear+sau_ucb", n_actions=2, context_dim=1, **settings)


def test_problems_take_settings_too():
    means = sau.Problem("bernoulli", means=[0.2, 0.5, 0.4])
    assert (means.spec, means.n_actions) == ("bernoulli(means=0.2x0.5x0.4)", 3)
    assert sau.Problem("linear-5-40", contexts="student").spec == "linear(dim=40,contexts=student)"
    with pytest.raises(sau.UsageError, match="the problem wheel has no setting 'radius'"):
        sau.Problem("wheel", radius=0.5)


def test_text_with_commas_is_quoted(tmp_path):
    file = tmp_path / "a,b.csv"
    file.write_text("x,y\n1,0\n2,1\n3,0\n4,1\n")
    problem = sau.Problem("csv", file=str(file), scale="none")
    assert (problem.n_actions, problem.context_dim) == (2, 2)


def test_the_catalogue_lists_what_can_be_named():
    strategies = {one.name: one for one in sau.catalog.strategies()}
    assert "linear" in strategies["lin_ucb"].fits
    alpha = next(one for one in strategies["sau_ucb"].settings if one.name == "alpha")
    assert (alpha.type, alpha.default) == ("number", "1")
    assert {"multi-armed", "theory"} <= set(sau.catalog.paper_parts())
    for alias in sau.catalog.agents():
        assert sau.catalog.canonical(alias.name) == sau.catalog.canonical(alias.spec)
    assert {one.name for one in sau.catalog.problems()} >= {"bernoulli", "linear", "wheel"}
    assert {one.name for one in sau.catalog.models()} >= {"sample_mean", "mlp"}
    assert "statlog" in {alias.name for alias in sau.catalog.paper_problems()}
