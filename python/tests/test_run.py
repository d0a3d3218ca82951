"""Runs: the same numbers as on the command line, as arrays."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import sau


def cells_of(folder):
    """The bytes of every cell's file, by its name, and run.json."""
    files = {path.name: path.read_bytes() for path in sorted((folder / "cells").iterdir())}
    return files, (folder / "run.json").read_bytes()


@pytest.mark.parametrize(
    "problems, agents, steps, seed",
    [
        (["bernoulli", "bernoulli(actions=3,gap=0.2)"], ["sau_ucb", "TS", "ucb1"], 300, 1),
        (["linear-5-5", "wheel"], ["SAU-Sampling", "linear(lambda=2)+lin_ucb"], 300, 7),
        (["linear(dim=3)"], ["neural-sau-s", "NeuralLinear"], 120, 2),
        (["linear(dim=3)"], ["hashed_linear+sau_sampling", "mlp+sau_sampling+ids"], 120, 2),
        (["easy=bernoulli(gap=0.3|0.4)"], ["mine=sau_ucb(alpha=0.5|2)", "ucb1(alpha=1|3)"], 90, 1),
    ],
)
def test_the_numbers_are_the_same_as_on_the_command_line(
    program, tmp_path, problems, agents, steps, seed
):
    command = [program, "run", "--trials", "4", "--steps", str(steps), "--seed", str(seed),
               "--out", str(tmp_path / "line"), "--json", "--quiet"]
    command += [word for problem in problems for word in ("--problem", problem)]
    command += [word for agent in agents for word in ("--agent", agent)]
    printed = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    result = sau.run(problems, agents, 4, steps, seed, threads=2, out=tmp_path / "python")
    assert cells_of(tmp_path / "python") == cells_of(tmp_path / "line")
    frame = result.to_pandas("summary")
    for row, cell in zip(frame.itertuples(), printed["cells"], strict=True):
        assert (row.problem, row.agent) == (cell["problem"], cell["agent"])
        assert row.regret_mean == cell["regret"]["mean"]
        assert row.regret_p90 == cell["regret"]["p90"]
        assert row.reward_median == cell["reward"]["median"]
    # The command line continues where Python stopped.
    command[command.index("4")] = "6"
    command[command.index(str(tmp_path / "line"))] = str(tmp_path / "python")
    subprocess.run(command, check=True, capture_output=True)
    longer = sau.open(tmp_path / "python")
    assert [cell.n_trials for cell in longer] == [6] * len(result)
    np.testing.assert_array_equal(longer.regret[:, :, :4], result.regret)


def test_a_trial_played_by_hand_gives_the_same_regret_as_the_run():
    result = sau.run("linear(dim=4)", "linear+sau_sampling", trials=3, steps=200, seed=5)
    for trial in range(3):
        problem = sau.Problem("linear(dim=4)", seed=5, trial=trial)
        agent = problem.agent("linear+sau_sampling")
        x, info = problem.reset()
        assert info == {}
        total = 0.0
        for _ in range(200):
            choice = agent.choose(x)
            x, reward, terminated, truncated, info = problem.step(choice.action)
            assert not terminated and not truncated
            agent.learn(choice, reward)
            total += info["regret"]
        assert total == result.regret[0, 0, trial]


def test_agents_by_id_play_a_fixed_set_of_actions(tmp_path, rng):
    X = rng.normal(size=(300, 9))
    labels = X[:, :3].argmax(axis=1)
    lines = [",".join([*(f"{number:.6f}" for number in x), f"class{label}"])
             for x, label in zip(X, labels)]
    file = tmp_path / "own.csv"
    file.write_text("\n".join([",".join([*(f"x{i}" for i in range(9)), "label"]), *lines]) + "\n")
    agents = ["hashed_linear+sau_sampling", "linear+sau_ucb", "mlp+sau_sampling+ids",
              "linear+sau_ucb+ids", "uniform"]
    for problem in (f"csv(file={file})", sau.data.classification(X, labels)):
        result = sau.run([problem], agents, trials=2, steps=300)
        assert result.regret.shape == (1, 5, 2)
        assert result.regret[0, :4].max() < result.regret[0, 4].min()


def test_a_seed_of_none_is_drawn_and_told():
    one, two = (sau.run("bernoulli", "sau_sampling", trials=2, steps=50, seed=None) for _ in "ab")
    assert one.seed != two.seed
    again = sau.run("bernoulli", "sau_sampling", trials=2, steps=50, seed=one.seed)
    np.testing.assert_array_equal(again.regret, one.regret)


def test_threads_change_nothing():
    runs = [sau.run("bernoulli", ["sau_sampling", "ts"], 6, 400, threads=n) for n in (1, 2, 5)]
    for other in runs[1:]:
        np.testing.assert_array_equal(other.regret, runs[0].regret)
        np.testing.assert_array_equal(other[1].curves, runs[0][1].curves)


def test_results_are_arrays():
    result = sau.run(["bernoulli-10-0.1", "wheel-0.50"], ["sau_ucb", "uniform"], trials=5, steps=150, seed=3)
    assert result.regret.shape == result.reward.shape == (2, 2, 5)
    assert (result.problems, result.agents[0]) == (("bernoulli-10-0.1", "wheel-0.50"), "SAU-UCB")
    assert result.seed == 3 and len(result) == 4
    cell = result["wheel-0.50", "Uniform"]
    assert cell is result[3] and cell.steps == 150 and cell.agent_spec == "sample_mean+uniform"
    np.testing.assert_array_equal(cell.regret, result.regret[1, 1])
    assert cell.curve_steps[-1] == 150 and cell.curves.shape == (5, len(cell.curve_steps))
    np.testing.assert_array_equal(cell.curves[:, -1], cell.regret)
    assert cell.stuck.dtype == bool and cell.failures == {} and cell.seconds > 0.0
    steps, curves = result.curves["wheel-0.50", "Uniform"]
    assert curves is cell.curves and steps is cell.curve_steps
    with pytest.raises(KeyError, match="there are the problems bernoulli-10-0.1"):
        result["wheel", "uniform"]


def test_without_steps_a_trial_has_the_problems_default():
    assert sau.run("wheel", "uniform", trials=1)[0].steps == 2000


def test_names_can_be_given():
    result = sau.run({"arms": "bernoulli"}, {"mine": "sau_ucb(alpha=0.5)"}, trials=1, steps=20)
    assert (result.problems, result.agents) == (("arms",), ("mine",))


def test_names_and_alternatives_are_written_as_on_the_command_line(tmp_path):
    result = sau.run("arms=bernoulli", ["mine=sau_ucb(alpha=0.5|2)", "ts"], trials=1, steps=20)
    assert result.problems == ("arms",)
    assert result.agents == ("mine(alpha=0.5)", "mine(alpha=2)", "TS")
    swept = sau.run({"w": "wheel(delta=0.5|0.9)"}, {'a "b': "sau_ucb"}, trials=1, steps=20)
    assert (swept.problems, swept.agents) == (("w(delta=0.5)", "w(delta=0.9)"), ('a "b',))
    late = sau.run("arms=bernoulli", "ts", trials=1, steps=20, delay=5)
    assert late.problems == ("arms+late(delay=5)",)
    with pytest.raises(sau.UsageError, match="two agents are called 'a'"):
        sau.run("bernoulli", ["a=ts", "a=ucb1"], trials=1, steps=20)
    with pytest.raises(sau.UsageError, match="two problems are called 'a'"):
        sau.run(["a=bernoulli", "a=wheel"], "uniform", trials=1, steps=20)
    for name in ("", "a\nb", "x" * 81):
        with pytest.raises(sau.UsageError, match="expected a name of 1 to 80"):
            sau.run("bernoulli", {name: "ts"}, trials=1, steps=20)
    for name in ("old", "new"):
        sau.run("bernoulli", f"{name}=ts", trials=1, steps=20, out=tmp_path / "r")
        assert sau.open(tmp_path / "r").agents == (name,)


def test_a_cell_named_twice_is_run_once():
    assert len(sau.run(["bernoulli(best=0)", "bernoulli-10-0.1"], ["ts", "TS"], trials=1, steps=20)) == 1


def test_a_folder_is_continued(tmp_path):
    first = sau.run("bernoulli", "sau_ucb", trials=3, steps=100, out=tmp_path / "r")
    before = cells_of(tmp_path / "r")[0]
    again = sau.run("bernoulli", ["sau_ucb", "ts"], trials=5, steps=100, out=tmp_path / "r")
    for name, content in before.items():
        assert cells_of(tmp_path / "r")[0][name].startswith(content)
    np.testing.assert_array_equal(again.regret[0, 0, :3], first.regret[0, 0])
    fewer = sau.run("bernoulli", "ts", trials=2, steps=100, out=tmp_path / "r")
    np.testing.assert_array_equal(fewer.regret[0, 0], again.regret[0, 1, :2])
    with pytest.raises(sau.Error, match="holds results of seed 1, not 2"):
        sau.run("bernoulli", "sau_ucb", trials=3, steps=100, seed=2, out=tmp_path / "r")


def test_nothing_is_left_behind_without_a_folder(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    sau.run("bernoulli", "sau_ucb", trials=1, steps=20)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("bernouli", "sau_ucb"), "did you mean 'bernoulli'"),
        (("bernoulli", "sau_ucp"), "did you mean 'sau_ucb'"),
        (("linear", "beta_bernoulli+thompson"), "cannot learn from the rewards of linear"),
        (("bernoulli", []), "agents is empty"),
        (("bernoulli", 3), "an agent is a spec"),
        ((3, "sau_ucb"), "a problem is a spec"),
        (("bernoulli", "sau_ucb", 0), "trials=0 is not allowed"),
        (("bernoulli", "sau_ucb", 1, -5), "steps=-5 is not allowed"),
        (("bernoulli", "sau_ucb", 1, 5, 1, 0), "threads=0 is not allowed"),
    ],
)
def test_wrong_requests_run_nothing(arguments, message, tmp_path):
    with pytest.raises(sau.UsageError, match=message):
        sau.run(*arguments, out=tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_a_progress_function_is_called_and_may_stop_the_run():
    told = []
    sau.run("bernoulli", "sau_ucb", trials=30, steps=1000, progress=told.append)
    assert told[-1]["trials_done"] == told[-1]["trials_total"] == 30

    def fail(progress):
        raise RuntimeError("enough")

    start = time.monotonic()
    with pytest.raises(RuntimeError, match="enough"):
        sau.run("bernoulli", "ts", trials=100_000, progress=fail)
    assert time.monotonic() - start < 300  # the whole run takes longer


def test_a_run_prints_nothing_without_a_terminal_or_notebook(capfd):
    sau.run("bernoulli", "sau_ucb", trials=2, steps=50)
    assert capfd.readouterr() == ("", "")
    sau.run("bernoulli", "sau_ucb", trials=2, steps=50, progress=True)
    out, err = capfd.readouterr()
    assert out == "" and err.startswith("\r[") and "2 of 2 trials" in err


def test_a_notebook_gets_plain_text(monkeypatch, capfd):
    class ZMQInteractiveShell:
        pass

    class IPython:
        get_ipython = staticmethod(ZMQInteractiveShell)

    monkeypatch.setitem(sys.modules, "IPython", IPython)
    sau.run("bernoulli", "sau_ucb", trials=2, steps=50)
    out, err = capfd.readouterr()
    assert err == "" and "2 of 2 trials" in out and "\x1b" not in out


def test_control_c_ends_a_run_and_keeps_what_is_finished(tmp_path):
    script = textwrap.dedent(
        f"""
        import sau, signal
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
        def tell(progress):
            if progress["trials_done"] > 0:
                print("running", flush=True)
        try:
            sau.run("bernoulli", ["ts", "sau_ucb"], trials=100000, steps=20000,
                    out={str(tmp_path / "r")!r}, progress=tell)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "running\n"
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=300)
    assert out.endswith("interrupted\n") and process.returncode == 0
    left = sau.open(tmp_path / "r")
    done = left[0].n_trials
    assert 0 < done < 100_000
    whole = sau.run("bernoulli", "ts", trials=min(done, 5), steps=20_000)
    np.testing.assert_array_equal(left[0].regret[: min(done, 5)], whole[0].regret)


def test_failed_trials_are_reported_and_not_counted():
    agents = ["mlp(lr=10,start=1,every=1,batch=4)+greedy", "linear+greedy"]
    with pytest.warns(RuntimeWarning, match="trials failed; first: trial 0: .*not finite"):
        result = sau.run("linear(noise=1e50)", agents, trials=2, steps=300)
    failed = result[0]
    assert set(failed.failures) == {0, 1} and np.isnan(failed.regret).all()
    assert np.isnan(failed.curves).all()
    assert np.isfinite(result[1].regret).all()
    assert result.to_pandas().failed.str.len().gt(0).sum() == 2
    assert "failed" in result.summary()


def test_parts_of_the_paper(program, tmp_path):
    command = [program, "paper", "--only", "wheel", "--trials", "2", "--quiet"]
    subprocess.run([*command, "--out", str(tmp_path / "line")], check=True, capture_output=True)
    result = sau.paper(only=["wheel"], trials=2, out=tmp_path / "python")
    assert (len(result), len(result.problems)) == (45, 5) and "Neural-SAU-S" in result.agents
    assert cells_of(tmp_path / "python") == cells_of(tmp_path / "line")
    with pytest.raises(sau.UsageError, match="unknown part of the paper"):
        sau.paper(only="whel")


def test_the_theory_is_checked():
    result = sau.paper(only="theory", trials=1)
    assert len(result) == 0 and {"id", "verdict", "value"} <= set(result.theory[0])
    assert "checks" in repr(result)
    assert list(result.to_pandas("theory").columns)[0] == "id"


def test_missing_data_raise_an_error(monkeypatch, tmp_path):
    monkeypatch.setenv("SAU_DATA_DIR", str(tmp_path))
    with pytest.raises(sau.MissingData):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sau.paper(only="tables", trials=1)
    with pytest.raises(sau.MissingData, match="statlog"):
        sau.run("statlog", "uniform", trials=1)


def test_folders_that_are_not_result_folders_are_refused(tmp_path):
    with pytest.raises(sau.Error, match="is not a sau result folder"):
        sau.open(tmp_path)
    assert os.listdir(tmp_path) == []
    Path(tmp_path / "x").write_text("mine")
    with pytest.raises(sau.Error, match="is not empty"):
        sau.run("bernoulli", "sau_ucb", trials=1, steps=20, out=tmp_path)


# Actions that come and go by id


@pytest.mark.parametrize("spec", ["hashed_linear(bits=8)+sau_sampling", "linear+sau_ucb+ids(dim=8)"])
def test_an_agent_by_ids_plays_a_problem_whose_actions_come_and_go(spec):
    agent = sau.Agent(spec)
    result = sau.run("clicks", {"fresh": agent, "by name": spec}, trials=3, steps=200, threads=2)
    again = sau.run("clicks", {"fresh": agent}, trials=3, steps=200, threads=1)
    assert [cell.agent for cell in result.cells] == ["fresh", "by name"]
    assert result.cells[0].regret.tolist() == again.cells[0].regret.tolist()
    assert len(set(result.cells[0].regret.tolist())) == 3


def test_every_trial_begins_with_what_the_agent_by_ids_has_learned():
    spec = "hashed_linear(bits=8)+greedy"
    fresh, taught = sau.Agent(spec), sau.Agent(spec)
    actions = [{"id": "a", "topic": "x"}, {"id": "b", "topic": "y"}]
    for _ in range(50):
        choice = taught.choose({"hour": 1}, actions)
        taught.learn(choice, float(choice.id == "b"))
    state = taught._state()
    result = sau.run("clicks", {"fresh": fresh, "taught": taught}, trials=2, steps=50)
    assert taught._state() == state
    assert result.cells[0].regret.tolist() != result.cells[1].regret.tolist()


def test_late_rewards_reach_an_agent_by_ids():
    agent = sau.Agent("hashed_linear(bits=8)+sau_sampling")
    never = sau.run("clicks", {"it": agent}, trials=1, steps=300, missing=1.0)
    late = sau.run("clicks", {"it": agent}, trials=1, steps=300, delay=10)
    assert never.cells[0].regret.tolist() != late.cells[0].regret.tolist()


def test_agents_that_cannot_play_actions_by_id_are_refused():
    fixed = sau.Agent("linear+sau_ucb", n_actions=3, context_dim=2)
    for agent in (fixed, lambda **_: sau.Agent("hashed_linear+greedy")):
        with pytest.raises(sau.UsageError, match="come and go by id; expected an agent by its name"):
            sau.run("clicks", {"it": agent}, trials=1, steps=10)
