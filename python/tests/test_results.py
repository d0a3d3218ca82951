"""Results as arrays, data frames, tables and figures."""

import pickle

import numpy as np
import pytest

import sau


@pytest.fixture(scope="module")
def result():
    return sau.run(["bernoulli-10-0.1", "uniform-10-0.1"], ["sau_ucb", "ts", "uniform"], 6, 200)


def test_the_summary_matches_the_trials(result):
    pandas = pytest.importorskip("pandas")
    frame = result.to_pandas("summary")
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 6
    regret = result.regret.reshape(6, 6)
    np.testing.assert_allclose(frame.regret_mean, regret.mean(axis=1))
    np.testing.assert_allclose(frame.regret_sem, regret.std(axis=1, ddof=1) / np.sqrt(6))
    np.testing.assert_allclose(frame.regret_median, np.median(regret, axis=1))
    np.testing.assert_allclose(frame.regret_p10, np.quantile(regret, 0.1, axis=1))
    np.testing.assert_allclose(frame.reward_mean, result.reward.reshape(6, 6).mean(axis=1))
    assert frame.failed.tolist() == [0] * 6


def test_data_frames_have_a_row_for_everything(result):
    pytest.importorskip("pandas")
    trials = result.to_pandas()
    assert len(trials) == 36
    assert trials.query("problem == 'bernoulli-10-0.1' and agent == 'TS'").regret.tolist() == list(
        result["bernoulli-10-0.1", "TS"].regret
    )
    curves = result.to_pandas("curves")
    assert len(curves) == 36 * len(result[0].curve_steps)
    last = curves[curves.step == 200].sort_values(["problem", "agent", "trial"], kind="stable")
    np.testing.assert_array_equal(
        last.regret, trials.sort_values(["problem", "agent", "trial"], kind="stable").regret
    )
    with pytest.raises(sau.UsageError, match="unknown kind 'all'"):
        result.to_pandas("all")
    assert "<table" in result._repr_html_()


def test_the_standard_error_of_one_trial_is_unknown():
    frame = sau.run("bernoulli", "sau_ucb", trials=1, steps=50).to_pandas("summary")
    assert np.isnan(frame.regret_sem[0]) and frame.regret_mean[0] > 0


def test_texts_are_the_same_as_on_the_command_line(result):
    lines = result.summary().splitlines()
    assert lines[0] == "bernoulli-10-0.1   200 steps" and "median" in lines[1]
    assert len(lines) == 2 * 5 + 1
    table = result.table("normalised", "markdown", paper=False)
    assert "| Uniform | 100" in table.replace("**", "").replace("_", "")
    assert result.table(format="csv").startswith("table,problem,algorithm,trials,mean")
    with pytest.raises(sau.UsageError, match="unknown table"):
        result.table("regrets")
    with pytest.raises(sau.UsageError, match="unknown format"):
        result.table("regret", "pdf")


def test_the_time_is_in_the_table(result):
    assert "SAU-UCB" in result.table("time", "text")


def test_results_can_be_pickled(result):
    kept = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(kept.regret, result.regret)
    assert kept.summary() == result.summary()
    assert repr(kept) == "<Results: 2 problems, 3 agents, 6 trials>"
    assert repr(kept[0]) == "<CellResult: SAU-UCB on bernoulli-10-0.1, 6 trials>"


def test_curves_are_drawn_in_the_style_of_the_report(result, figures, tmp_path):
    figure = result.plot()
    panels = [axes for axes in figure.axes if axes.get_visible()]
    assert [axes.get_title("left") for axes in panels] == list(result.problems)
    lines = {line.get_label(): line for line in panels[0].get_lines()}
    assert list(lines) == ["SAU-UCB", "TS", "Uniform"]
    (style,) = sau._core.styles(["SAU-UCB"])
    assert lines["SAU-UCB"].get_color() == style["colour"] and style["shape"] == "square"
    cell = result[0]
    np.testing.assert_array_equal(lines["SAU-UCB"].get_xdata(), cell.curve_steps)
    np.testing.assert_allclose(lines["SAU-UCB"].get_ydata(), cell.curves.mean(axis=0))
    figure.savefig(tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 10_000


def test_final_regrets_are_drawn_as_a_distribution(result, figures):
    figure = result.plot(
        "final", problems=["bernoulli-10-0.1"], agents=["TS", "SAU-UCB"], dark=True
    )
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["SAU-UCB", "TS"]
    assert result.plot(log=True).axes[0].get_xscale() == "log"
    for arguments in (("pie",), ("curves",)):
        with pytest.raises(sau.UsageError):
            result.plot(*arguments, problems=["nowhere"])


def test_agents_without_a_fixed_style_get_different_ones():
    from sau._plot import styles

    names = tuple(f"agent {n}" for n in range(20)) + ("SAU-UCB",)
    looks = styles(names)
    assert len({(look.colour, look.dash) for look in looks.values()}) == 21


def test_empty_results_work(figures):
    empty = sau.Results((), 1)
    assert empty.regret.shape == (0, 0, 0) and len(empty) == 0
    assert empty.to_pandas().empty
    with pytest.raises(sau.UsageError, match="no trials"):
        empty.plot()
