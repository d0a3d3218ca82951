"""Figures of results with matplotlib, in the style of the report."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._progress import in_notebook

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure

    from ._results import CellResult, Results


@dataclass(frozen=True)
class Style:
    """How an algorithm is drawn: its colour, and for black-and-white print its dash and marker."""

    colour: str
    dark_colour: str
    dash: tuple[int, ...]
    marker: str


_MARKERS = {
    "circle": "o",
    "square": "s",
    "triangle-up": "^",
    "triangle-down": "v",
    "triangle-left": "<",
    "triangle-right": ">",
    "diamond": "D",
    "cross": "X",
}


@dataclass(frozen=True)
class Paper:
    """The colours of everything that is not an algorithm."""

    paper: str
    ink: str
    muted: str
    grid: str


_LIGHT = Paper("#ffffff", "#1d2126", "#5a626b", "#e6e8eb")
_DARK = Paper("#1a1e22", "#e8eaec", "#a7b0b8", "#30363c")


def styles(agents: tuple[str, ...]) -> dict[str, Style]:
    """The styles of these agents, the same as in the report."""
    return {
        look["name"]: Style(
            look["colour"],
            look["dark_colour"],
            tuple(look["dash"]),
            _MARKERS.get(look["shape"], "o"),
        )
        for look in _core.styles(list(agents))
    }


def _curve(axes: Any, cell: CellResult, style: Style, colour: str) -> None:
    curves = cell.curves[~np.isnan(cell.regret)]
    if len(curves) == 0:
        return
    mean = curves.mean(axis=0)
    dashes: Any = (0, style.dash) if style.dash else "-"
    axes.plot(cell.curve_steps, mean, color=colour, linestyle=dashes, linewidth=1.6,
              label=cell.agent)
    if len(curves) > 1:
        half = 1.96 * curves.std(axis=0, ddof=1) / math.sqrt(len(curves))
        axes.fill_between(cell.curve_steps, mean - half, mean + half, color=colour, alpha=0.15,
                          linewidth=0)


def _curves(axes: Any, cells: list[CellResult], looks: dict[str, Style], dark: bool,
            log: bool) -> None:
    for cell in cells:
        style = looks[cell.agent]
        _curve(axes, cell, style, style.dark_colour if dark else style.colour)
    axes.set_xlabel("step")
    axes.set_ylabel("cumulative regret")
    if log:
        axes.set_xscale("log")
        axes.set_yscale("log")
    else:
        axes.set_xlim(left=0)


def _final(axes: Any, cells: list[CellResult], looks: dict[str, Style], dark: bool,
           log: bool, paper: Paper) -> None:
    names = [cell.agent for cell in cells]
    for place, cell in enumerate(cells):
        style = looks[cell.agent]
        colour = style.dark_colour if dark else style.colour
        regret = cell.regret[~np.isnan(cell.regret)]
        if len(regret) == 0:
            continue
        axes.boxplot([regret], positions=[place], vert=False, widths=0.55, showfliers=False,
                     patch_artist=True, boxprops={"facecolor": colour, "alpha": 0.25,
                                                  "edgecolor": colour},
                     medianprops={"color": paper.ink, "linewidth": 1.6},
                     whiskerprops={"color": colour}, capprops={"color": colour})
        # Spread the points, in the same way in every drawing of the same trials.
        offsets = np.random.default_rng(place).uniform(-0.18, 0.18, len(regret))
        axes.plot(regret, place + offsets, linestyle="none", marker=style.marker, markersize=3,
                  color=colour, alpha=0.6, markeredgewidth=0)
        axes.plot([regret.mean()], [place], marker=style.marker, markersize=7, color=colour,
                  markeredgecolor=paper.paper)
    axes.set_yticks(range(len(names)), [_folded(name) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlabel("regret at the end")
    if log:
        axes.set_xscale("log")


def _dress(axes: Any, paper: Paper) -> None:
    axes.set_facecolor(paper.paper)
    axes.grid(True, color=paper.grid, linewidth=0.8)
    axes.set_axisbelow(True)
    for name, spine in axes.spines.items():
        spine.set_visible(name in ("left", "bottom"))
        spine.set_color(paper.muted)
    axes.tick_params(colors=paper.muted, labelsize=9)
    axes.xaxis.label.set_color(paper.muted)
    axes.yaxis.label.set_color(paper.muted)


def plot(
    results: Results,
    kind: str = "curves",
    *,
    problems: list[str] | None = None,
    agents: list[str] | None = None,
    log: bool = False,
    dark: bool = False,
) -> matplotlib.figure.Figure:
    """See ``Results.plot``."""
    import matplotlib.pyplot as plt

    if kind not in ("curves", "final"):
        raise _core.UsageError(f"plot: unknown kind {kind!r}; known: curves, final")
    wanted = _wanted("problems", problems, results.problems)
    who = _wanted("agents", agents, results.agents)
    if not wanted:
        raise _core.UsageError("plot: there are no trials to draw")
    looks = styles(results.agents)
    paper = _DARK if dark else _LIGHT
    columns = 2 if len(wanted) == 4 else min(3, len(wanted))
    rows = math.ceil(len(wanted) / columns)
    height = 3.2 if kind == "curves" else 0.9 + 0.42 * len(who)
    figure, grid = plt.subplots(rows, columns, figsize=(4.4 * columns + 0.4, height * rows + 0.5),
                                squeeze=False, facecolor=paper.paper, layout="constrained")
    for axes, problem in zip(grid.flat, wanted):
        cells = [cell for cell in results if cell.problem == problem and cell.agent in who]
        if kind == "curves":
            _curves(axes, cells, looks, dark, log)
        else:
            _final(axes, cells, looks, dark, log, paper)
        axes.set_title(problem, loc="left", fontsize=11, color=paper.ink)
        _dress(axes, paper)
    for axes in list(grid.flat)[len(wanted):]:
        axes.set_visible(False)
    if kind == "curves":
        _legend(figure, grid, paper)
    if in_notebook():
        plt.close(figure)  # the notebook already shows it as the cell's value
    return figure


def _folded(name: str) -> str:
    """A long spec on two lines."""
    return name.replace("+", "+\n", 1) if len(name) > 24 else name


def _wanted(what: str, asked: list[str] | None, there: tuple[str, ...]) -> tuple[str, ...]:
    if asked is None:
        return there
    for name in asked:
        if name not in there:
            raise _core.UsageError(f"plot: {what}: no '{name}'; there are {', '.join(there)}")
    return tuple(asked)


def _legend(figure: Any, grid: Any, paper: Paper) -> None:
    """One legend for all panels, in a strip below them."""
    handles: dict[str, Any] = {}
    for axes in grid.flat:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            handles.setdefault(label, handle)
    width, height = figure.get_size_inches()
    longest = max((len(label) for label in handles), default=1)
    columns = max(1, min(len(handles), int(width / (0.6 + 0.085 * longest))))
    strip = 0.12 + 0.22 * math.ceil(len(handles) / columns)
    figure.set_size_inches(width, height + strip)
    share = strip / (height + strip)
    figure.get_layout_engine().set(rect=(0.0, share, 1.0, 1.0 - share))
    figure.legend(handles.values(), handles.keys(), loc="lower center", ncols=columns,
                  frameon=False, fontsize=9, labelcolor=paper.ink)
