"""Runs: every agent on every problem, many times."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _core
from ._agent import whole_number
from ._cells import AgentChoice, ProblemChoice, make_cells
from ._progress import Line, ProgressCallback, make_line
from ._results import CellResult, Results

Folder = str | os.PathLike[str]


def run(
    problems: ProblemChoice | Sequence[ProblemChoice] | Mapping[str, ProblemChoice],
    agents: AgentChoice | Sequence[AgentChoice] | Mapping[str, AgentChoice],
    trials: int = 100,
    steps: int | None = None,
    seed: int | None = 1,
    threads: int | None = None,
    *,
    delay: int | tuple[int, int] | str | None = None,
    missing: float = 0.0,
    out: Folder | None = None,
    progress: bool | ProgressCallback | None = None,
) -> Results:
    """Lets every agent play every problem, and returns all trials.

    For problems and agents given by name, the numbers are the same as those of ``sau run`` with the
    same seed, with any number of threads. All agents see the same contexts and the same noise.

    Parameters
    ----------
    problems : str, object, or several
        Each is a name or spec as on the command line; arrays (``sau.data.classification``); or
        your own: an object with ``reset`` and ``step``, or a function or class that makes one when
        called without arguments. Every trial plays a copy of an object. A mapping gives them names,
        and so does ``"mine=wheel"``. Settings may have alternatives: ``"wheel(delta=0.5|0.9)"``.
    agents : str, object, or several
        Each is a name or spec; a ``sau.Agent``; or your own: an object with ``choose(x)`` and
        ``learn(x, action, reward)``, or a function or class that makes one when called with
        ``n_actions``, ``context_dim`` and ``seed``. Every trial plays a copy of an object. A
        mapping gives them names. A problem whose actions come and go by id takes names and every
        ``sau.Agent`` that was made without ``n_actions``.
    trials : int, default 100
    steps : int, optional
        Steps per trial; otherwise the problem's default.
    seed : int, default 1
        None draws one; `Results.seed` says which.
    threads : int, optional
        How many trials run at the same time; otherwise one per core. Python code takes turns.
    delay : int or pair of int, optional
        After how many steps a reward arrives; for a pair, every step draws a number between the
        two. Agents keep choosing meanwhile. A text also works: ``"10..200"``.
    missing : float, default 0
        The chance that a reward never arrives.
    out : path, optional
        A result folder to keep the trials in. Trials that it already has are not run again, so an
        interrupted run can be continued. ``sau inspect`` and the other commands read it.
    progress : bool or callable, optional
        Whether to show a progress line; by default, if there is a terminal or a notebook. A
        function is called with a dictionary about ten times a second.

    Returns
    -------
    Results

    Raises
    ------
    UsageError
        If a name does not exist, a setting is out of range, or an agent does not fit a problem.
        Then nothing is run.
    KeyboardInterrupt
        Ctrl-C ends it quickly. With `out` the finished trials are kept.

    Examples
    --------
    >>> import sau
    >>> result = sau.run("bernoulli(actions=5)", ["sau_ucb", "ucb1"], trials=20, steps=1000)
    >>> result.regret.shape
    (1, 2, 20)
    >>> bool(result.regret[0, 0].mean() < result.regret[0, 1].mean())
    True

    Rewards that arrive 100 steps later:

    >>> late = sau.run("bernoulli(actions=5)", "sau_ucb", trials=20, steps=1000, delay=100)
    >>> late.problems
    ('bernoulli(actions=5)+late(delay=100)',)
    >>> bool(late.regret.mean() > result.regret[0, 0].mean())
    True

    An agent written in Python:

    >>> import numpy as np
    >>> class Random:
    ...     def __init__(self, n_actions, context_dim, seed):
    ...         self.n_actions, self.rng = n_actions, np.random.default_rng(seed)
    ...     def choose(self, x):
    ...         return self.rng.integers(self.n_actions)
    ...     def learn(self, x, action, reward):
    ...         pass
    >>> result = sau.run("linear", {"SAU": "sau_ucb", "random": Random}, trials=2, steps=200)
    >>> result.agents
    ('SAU', 'random')
    """
    trials = whole_number("trials", trials, 1, 2**53)
    steps = 0 if steps is None else whole_number("steps", steps, 1, 2**53)
    late = _core.lateness(_delay_text(delay), float(missing))
    cells = make_cells(problems, agents, trials, steps, late)
    if seed is None:
        seed = secrets.randbits(63)
    return _run_cells(cells, seed, threads, out, progress)


def _delay_text(delay: int | tuple[int, int] | str | None) -> str:
    if delay is None:
        return "0"
    return "..".join(str(one) for one in delay) if isinstance(delay, tuple) else str(delay)


def paper(
    only: str | Sequence[str] | None = None,
    trials: int | None = None,
    seed: int = 1,
    threads: int | None = None,
    *,
    out: Folder | None = None,
    progress: bool | ProgressCallback | None = None,
) -> Results:
    """Repeats the experiments of the paper, or parts of them.

    Parameters
    ----------
    only : str or list of str, optional
        Names from ``sau.catalog.paper_parts()``. Without it all parts of the paper itself run,
        which takes half an hour.
    trials : int, optional
        If left out, the paper's own numbers of trials.
    seed, threads, out, progress
        As for ``run``.

    Returns
    -------
    Results
        The checks of the part ``theory`` are in its ``theory``. Missing data sets are left out,
        with a warning that says how to get them.

    Examples
    --------
    >>> import sau
    >>> result = sau.paper(only="wheel", trials=2)
    >>> result.problems[0], len(result.agents)
    ('wheel-0.50', 9)
    """
    count = 0 if trials is None else whole_number("trials", trials, 1, 2**53)
    if only is None:
        names = _core.usual_paper_parts()
    else:
        names = [only] if isinstance(only, str) else [*only]
    cells: list[dict[str, Any]] = []
    theory: list[dict[str, Any]] = []
    known = set()
    for name in names:
        part = _core.paper_part(name, count)
        for reason in part["left_out"]:
            warnings.warn(f"left out: {reason}", stacklevel=2)
        if only is not None and not part["cells"] and not part["checks"]:
            raise _core.MissingData(
                f"the part {name} cannot be run: none of its data are there"
            )
        for cell in part["cells"]:
            key = (cell["problem_spec"], cell["agent_spec"], cell["steps"])
            if key not in known:
                known.add(key)
                cells.append(cell)
        if part["checks"]:
            theory = _core.check_theory(whole_number("seed", seed, 0, 2**64 - 1), part["trials"])
    result = _run_cells(cells, seed, threads, out, progress)
    return Results(result.cells, result.seed, tuple(theory))


def open_results(path: Folder) -> Results:
    """Opens a result folder that ``sau run``, ``sau paper`` or ``sau.run`` wrote.

    Users call it ``sau.open``.

    Raises
    ------
    Error
        If it is not a result folder or is damaged; the message names the file and the line.

    Examples
    --------
    >>> import pathlib, sau, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "mine"
    >>> result = sau.run("bernoulli", "sau_ucb", trials=3, steps=50, out=folder)
    >>> sau.open(folder).regret.tolist() == result.regret.tolist()
    True
    """
    seed, cells = _core.read_results(os.fspath(path))
    return Results(tuple(CellResult(**cell) for cell in cells), seed)


def _run_cells(
    cells: list[dict[str, Any]],
    seed: int,
    threads: int | None,
    out: Folder | None,
    progress: bool | ProgressCallback | None,
) -> Results:
    seed = whole_number("seed", seed, 0, 2**64 - 1)
    count = 0 if threads is None else whole_number("threads", threads, 1, 4096)
    if not cells:
        return Results((), seed)
    with _folder(out) as folder:
        if out is not None:
            _refuse_old_code(folder, cells, seed)
        line = make_line(progress)
        try:
            _core.run_cells(os.fspath(folder), cells, seed, count, line)
        finally:
            if isinstance(line, Line):
                line.finish()
        _, found = _core.read_results(os.fspath(folder))
    result = Results(tuple(_asked(cell, found) for cell in cells), seed)
    for cell in result.cells:
        if cell.failures:
            first = min(cell.failures)
            warnings.warn(
                f"{cell.agent} on {cell.problem}: {len(cell.failures)} of {cell.n_trials} trials "
                f"failed; first: trial {first}: {cell.failures[first]}",
                RuntimeWarning,
                stacklevel=3,
            )
    return result


@contextlib.contextmanager
def _folder(out: Folder | None) -> Iterator[Path]:
    """The result folder, or a temporary one."""
    if out is not None:
        yield Path(out)
        return
    temporary = Path(tempfile.mkdtemp(prefix="sau-"))
    try:
        yield temporary / "results"
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _refuse_old_code(folder: Path, cells: list[dict[str, Any]], seed: int) -> None:
    """Trials of Python code are not continued: the code may have changed."""
    for cell, present in zip(cells, _core.trials_in(os.fspath(folder), cells, seed)):
        if present > 0 and ("problem_factory" in cell or "agent_factory" in cell):
            raise _core.Error(
                f"{folder} already has trials of {cell['problem']} with {cell['agent']}; they ran "
                "Python code, which may have changed since: choose another folder"
            )


def _asked(cell: dict[str, Any], found: list[dict[str, Any]]) -> CellResult:
    """As many trials of a cell as were asked for, under the names that were given."""
    key = ("problem_spec", "agent_spec", "steps")
    have = next(one for one in found if all(one[name] == cell[name] for name in key))
    names = {name: cell[name] for name in ("problem", "agent")}
    return CellResult(**{**have, **names, "asked": cell["trials"]}).first(cell["trials"])
