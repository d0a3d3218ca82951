"""The progress of a run, on one line that is rewritten."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from typing import Any, TextIO

#: Called with trials_done, trials_total, steps_done, seconds and share about ten times a second.
ProgressCallback = Callable[[dict[str, Any]], None]


def in_notebook() -> bool:
    """Whether this runs in a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def duration(seconds: float) -> str:
    """
    >>> duration(12.3), duration(200), duration(3900)
    ('12 s', '3:20 min', '1:05 h')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02} h"


def describe(progress: dict[str, Any], columns: int = 1000) -> str:
    """One line of fewer than `columns` characters; leaves out what matters least.

    >>> now = {"trials_done": 3, "trials_total": 12, "steps_done": 3e5, "seconds": 2.0,
    ...        "share": 0.25}
    >>> describe(now)
    '[#####...............]  25 %, 3 of 12 trials, 150.0k steps/s, 6 s left'
    >>> describe(now, 40)
    '25 %, 3 of 12 trials, 6 s left'
    >>> describe(now, 20)
    '25 %, 6 s left'
    """
    share = min(max(progress["share"], 0.0), 1.0)
    bar = ("#" * int(20 * share)).ljust(20, ".")
    percent, seconds = f"{int(100 * share)} %", progress["seconds"]
    trials = f"{progress['trials_done']} of {progress['trials_total']} trials"
    rate = left = []
    if share > 0.0 and seconds > 0.0:
        rate = [_rate(progress["steps_done"] / seconds)]
        left = [f"{duration(seconds * (1 - share) / share)} left"]
    long = [f"[{bar}] {percent:>5}", trials, *rate, *left]
    for parts in (long, [percent, trials, *rate, *left], [percent, trials, *left],
                  [percent, *left]):
        if len(text := ", ".join(parts)) < columns:
            return text
    return percent


def _rate(steps_per_second: float) -> str:
    if steps_per_second >= 1e6:
        return f"{steps_per_second / 1e6:.1f}M steps/s"
    if steps_per_second >= 1e3:
        return f"{steps_per_second / 1e3:.1f}k steps/s"
    return f"{steps_per_second:.0f} steps/s"


class Line:
    """The progress line: rewritten again and again, erased when the run is over."""

    def __init__(self, stream: TextIO, terminal: bool) -> None:
        self._stream, self._terminal = stream, terminal
        self._erase = "\r\x1b[K" if terminal else "\r"
        self._width = 0

    def __call__(self, progress: dict[str, Any]) -> None:
        if progress["trials_total"] == 0:
            return
        columns = shutil.get_terminal_size((1000, 1)).columns if self._terminal else 1000
        text = describe(progress, columns)
        # A notebook cannot erase a line, so overwrite the rest with blanks.
        self._stream.write(self._erase + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text)

    def finish(self) -> None:
        """Erases the line."""
        if self._width > 0:
            self._stream.write(self._erase + " " * self._width + self._erase)
            self._stream.flush()
            self._width = 0


def make_line(progress: bool | ProgressCallback | None) -> Line | ProgressCallback | None:
    """What reports progress: by default, a line if there is a terminal or a notebook."""
    if callable(progress):
        return progress
    terminal = sys.stderr is not None and sys.stderr.isatty()
    notebook = in_notebook()
    wanted = terminal or notebook if progress is None else progress
    if not wanted:
        return None
    return Line(sys.stdout if notebook else sys.stderr, terminal and not notebook)
