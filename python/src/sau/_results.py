"""Results of a run, as arrays and data frames."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from . import _core

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class CellResult:
    """One agent on one problem, many times.

    Attributes
    ----------
    problem, agent : str
        Their names, as tables and figures show them.
    problem_spec, agent_spec : str
        What was run, in canonical form.
    steps : int
        The number of steps of a trial.
    asked : int
        How many trials were asked for.
    regret, reward : ndarray of shape (n_trials,)
        The total of every trial; NaN if it failed.
    stuck : ndarray of bool, shape (n_trials,)
        Whether the trial ended on a wrong action (docs/statistics.md has the definition).
    curve_steps : ndarray of int, shape (n_points,)
    curves : ndarray of shape (n_trials, n_points)
        Cumulative regret at each of `curve_steps`.
    failures : dict
        Why each failed trial failed, by its number.
    seconds, seconds_sem : float
        CPU time of a trial: its mean and standard error.
    """

    problem: str
    agent: str
    problem_spec: str
    agent_spec: str
    steps: int
    asked: int
    regret: Floats
    reward: Floats
    stuck: npt.NDArray[np.bool_]
    curve_steps: npt.NDArray[np.int64]
    curves: Floats
    failures: Mapping[int, str] = field(default_factory=dict)
    seconds: float = 0.0
    seconds_sem: float = 0.0

    @property
    def n_trials(self) -> int:
        """How many trials there are, failed ones included."""
        return len(self.regret)

    def first(self, trials: int) -> CellResult:
        """The same cell with only its first `trials` trials."""
        if trials >= self.n_trials:
            return self
        return replace(
            self,
            regret=self.regret[:trials],
            reward=self.reward[:trials],
            stuck=self.stuck[:trials],
            curves=self.curves[:trials],
            failures={n: reason for n, reason in self.failures.items() if n < trials},
        )

    def __repr__(self) -> str:
        return f"<CellResult: {self.agent} on {self.problem}, {self.n_trials} trials>"


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """What ``sau.run``, ``sau.paper`` and ``sau.open`` return.

    Attributes
    ----------
    cells : tuple of CellResult
        All cells, problem by problem.
    seed : int
    theory : tuple of dict
        The checks of ``sau.paper(only="theory")``: id, statement, value, verdict and more.

    Examples
    --------
    >>> import sau
    >>> result = sau.run("bernoulli-10-0.1", ["sau_ucb", "ucb1"], trials=10, steps=500)
    >>> result
    <Results: 1 problem, 2 agents, 10 trials>
    >>> result["bernoulli-10-0.1", "SAU-UCB"].curves.shape == (10, len(result[0].curve_steps))
    True
    >>> [cell.agent for cell in result]
    ['SAU-UCB', 'UCB1']
    """

    cells: tuple[CellResult, ...]
    seed: int
    theory: tuple[Mapping[str, Any], ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """The names of the problems, in order."""
        return tuple(dict.fromkeys(cell.problem for cell in self.cells))

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of the agents, in order."""
        return tuple(dict.fromkeys(cell.agent for cell in self.cells))

    @property
    def regret(self) -> Floats:
        """Total regret, an array of shape (problems, agents, trials); NaN where there is none."""
        return self._cube("regret")

    @property
    def reward(self) -> Floats:
        """Total reward, an array of shape (problems, agents, trials); NaN where there is none."""
        return self._cube("reward")

    @property
    def curves(self) -> dict[tuple[str, str], tuple[npt.NDArray[np.int64], Floats]]:
        """Steps and cumulative regret, an array (trials, steps), for every (problem, agent)."""
        return {(cell.problem, cell.agent): (cell.curve_steps, cell.curves) for cell in self.cells}

    def _cube(self, name: str) -> Floats:
        problems, agents = self.problems, self.agents
        longest = max((cell.n_trials for cell in self.cells), default=0)
        cube = np.full((len(problems), len(agents), longest), np.nan)
        for cell in self.cells:
            place = problems.index(cell.problem), agents.index(cell.agent)
            cube[place][: cell.n_trials] = getattr(cell, name)
        return cube

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Iterator[CellResult]:
        return iter(self.cells)

    def __getitem__(self, key: int | tuple[str, str]) -> CellResult:
        if isinstance(key, (int, np.integer)):
            return self.cells[key]
        for cell in self.cells:
            if (cell.problem, cell.agent) == key:
                return cell
        raise KeyError(
            f"{key!r}; there are the problems {', '.join(self.problems)} and the agents "
            f"{', '.join(self.agents)}"
        )

    def __repr__(self) -> str:
        def count(number: int, what: str) -> str:
            return f"{number} {what}" if number == 1 else f"{number} {what}s"

        trials = max((cell.n_trials for cell in self.cells), default=0)
        parts = [
            count(len(self.problems), "problem"),
            count(len(self.agents), "agent"),
            count(trials, "trial"),
        ]
        if self.theory:
            parts.append(count(len(self.theory), "check"))
        return f"<Results: {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        try:
            return str(self.to_pandas("summary").to_html(index=False))
        except ImportError:
            return f"<pre>{self.summary()}</pre>"

    def summary(self) -> str:
        """The table that ``sau run`` prints: mean, median, 10-90 % range, stuck, time.

        Examples
        --------
        >>> import sau
        >>> result = sau.run("bernoulli-10-0.1", "sau_ucb", trials=5, steps=100)
        >>> print(result.summary())  # doctest: +ELLIPSIS
        bernoulli-10-0.1   100 steps
          agent     trials          regret   median         10-90 %   stuck   reward   time/trial
          SAU-UCB        5   7.560 ± 0.451    8.100   6.460 - 8.260   0.0 %    41.80 ...
        """
        return _core.summary_table(list(self.cells)).rstrip("\n")

    def table(
        self,
        kind: Literal["regret", "normalised", "time"] = "regret",
        format: Literal["text", "markdown", "csv", "latex"] = "text",
        *,
        paper: bool = True,
    ) -> str:
        """A table as in the paper, with one row per agent and one column per problem.

        Parameters
        ----------
        kind : {"regret", "normalised", "time"}
        format : {"text", "markdown", "csv", "latex"}
        paper : bool, default True
            Whether to show the paper's numbers beside ours, where it has them.
        """
        return _core.tables(list(self.cells), kind, format, paper)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes a new result folder, which ``sau.open`` and all commands of ``sau`` read.

        Times per trial are kept as their mean.

        Examples
        --------
        >>> import pathlib, sau, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp()) / "mine"
        >>> result = sau.run("bernoulli", "sau_ucb", trials=3, steps=50)
        >>> result.save(folder)
        >>> sau.open(folder).regret.tolist() == result.regret.tolist()
        True
        """
        _core.save_results(os.fspath(folder), self.seed, list(self.cells))

    def report(
        self,
        output: str | os.PathLike[str] = "report.html",
        format: Literal["html", "json", "md", "tex", "csv", "svg", "png", "pdf"] | None = None,
        *,
        title: str = "",
        paper: bool = True,
        width: float | None = None,
        font_size: float = 8.0,
    ) -> Path:
        """Makes a report, as ``sau report`` does.

        Parameters
        ----------
        output : path, default "report.html"
            A file; for ``csv``, ``svg``, ``png`` and ``pdf`` a folder.
        format : str, optional
            If left out, the ending of `output` tells. ``html`` is a page that needs no other file.
            A package that was installed from source has no page; all other formats work.
        title : str, optional
            The headline. If left out, it says what was run.
        paper : bool, default True
            Whether to show the paper's numbers where it has them.
        width : float, optional
            The width of pictures in inches, such as 3.3 or 6.8 for a column of a paper.
        font_size : float, default 8
            The points of the text in pictures of that width.

        Returns
        -------
        Path
            What was written.

        Examples
        --------
        >>> import pathlib, sau, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> result = sau.run("bernoulli", ["sau_ucb", "ucb1"], trials=3, steps=50)
        >>> result.report(folder / "report.md").name
        'report.md'
        """
        with tempfile.TemporaryDirectory(prefix="sau-") as temporary:
            folder = Path(temporary) / "results"
            self.save(folder)
            written, notes = _core.report(
                os.fspath(folder), os.fspath(output), format or "", title, paper, width, font_size
            )
        for note in notes:
            logging.getLogger("sau").info(note)  # the report has them too
        return Path(written)

    def to_pandas(
        self, kind: Literal["trials", "summary", "curves", "theory"] = "trials"
    ) -> pandas.DataFrame:
        """A data frame; needs pandas.

        Parameters
        ----------
        kind : {"trials", "summary", "curves", "theory"}
            One row per trial; per cell; per point of each trial's curve; or per check of the
            theory.

        Examples
        --------
        >>> import sau
        >>> result = sau.run("bernoulli", ["sau_ucb", "ts"], trials=3, steps=100)
        >>> frame = result.to_pandas()
        >>> frame.groupby("agent").regret.median().shape
        (2,)
        """
        import pandas as pd

        makers = {
            "trials": self._trial_rows,
            "summary": self._summary_rows,
            "curves": self._curve_rows,
        }
        if kind == "theory":
            return pd.DataFrame(list(self.theory))
        if kind not in makers:
            raise _core.UsageError(
                f"to_pandas: unknown kind {kind!r}; known: trials, summary, curves, theory"
            )
        frames = [pd.DataFrame(rows) for rows in makers[kind]()]
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()

    def _trial_rows(self) -> Iterator[dict[str, Any]]:
        for cell in self.cells:
            yield {
                "problem": cell.problem,
                "agent": cell.agent,
                "trial": np.arange(cell.n_trials),
                "regret": cell.regret,
                "reward": cell.reward,
                "stuck": cell.stuck,
                "failed": [cell.failures.get(n, "") for n in range(cell.n_trials)],
            }

    def _summary_rows(self) -> Iterator[list[dict[str, Any]]]:
        for cell, summary in zip(self.cells, _core.summarise(list(self.cells))):
            row: dict[str, Any] = {
                "problem": cell.problem,
                "agent": cell.agent,
                "steps": cell.steps,
                "trials": cell.n_trials,
                "failed": summary["failed"],
            }
            for name in ("regret", "reward"):
                numbers = summary[name] or dict.fromkeys(("mean", "sem", "median", "p10", "p90"))
                if cell.n_trials - summary["failed"] == 1:  # it is unknown, not 0
                    numbers = {**numbers, "sem": np.nan}
                row |= {f"{name}_{key}": number for key, number in numbers.items()}
            yield [{**row, "stuck": summary["stuck"], "seconds": cell.seconds}]

    def _curve_rows(self) -> Iterator[dict[str, Any]]:
        for cell in self.cells:
            trials, points = cell.curves.shape
            yield {
                "problem": cell.problem,
                "agent": cell.agent,
                "trial": np.repeat(np.arange(trials), points),
                "step": np.tile(cell.curve_steps, trials),
                "regret": cell.curves.ravel(),
            }

    def plot(
        self,
        kind: Literal["curves", "final"] = "curves",
        *,
        problems: list[str] | None = None,
        agents: list[str] | None = None,
        log: bool = False,
        dark: bool = False,
    ) -> matplotlib.figure.Figure:
        """Figures in the style of the report; needs matplotlib.

        Parameters
        ----------
        kind : {"curves", "final"}
            Mean cumulative regret against the step, with the 95 % interval of the mean; or the
            distribution of the final regret.
        problems, agents : list of str, optional
            Which ones to draw; otherwise all.
        log : bool, default False
            Logarithmic axes: both for ``"curves"``, only the regret for ``"final"``.
        dark : bool, default False
            Colours for a dark background.

        Returns
        -------
        matplotlib.figure.Figure
            One panel per problem. ``figure.savefig("regret.pdf")`` writes it to a file.
        """
        from ._plot import plot

        return plot(self, kind, problems=problems, agents=agents, log=log, dark=dark)
