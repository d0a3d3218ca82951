"""Data sets as arrays, and arrays as problems.

Examples
--------
Any classification data is a bandit problem: the agent sees a row, guesses its class, and learns
whether it was right.

>>> import numpy as np, sau
>>> rng = np.random.default_rng(0)
>>> X = rng.normal(size=(500, 4))
>>> y = (X[:, 0] > X[:, 1]).astype(int)
>>> problem = sau.data.classification(X, y, name="larger")
>>> result = sau.run(problem, ["linear+sau_ucb", "uniform"], trials=5)
>>> result.problems, result[0].steps
(('larger',), 500)
>>> bool(np.median(result.regret[0, 0]) < np.median(result.regret[0, 1]))
True
"""

from __future__ import annotations

import hashlib
import http.client
import os
import shutil
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core

__all__ = [
    "ArrayProblem",
    "Dataset",
    "classification",
    "fetch",
    "folder",
    "load",
    "names",
    "rewards",
]

_TIMEOUT = 60.0  # seconds without a byte


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A data set from the paper, with the contexts that its problem uses.

    Attributes
    ----------
    name : str
    contexts : ndarray of shape (n, context_dim)
        Numbers scaled to mean 0 and standard deviation 1, categories one-hot encoded.
    labels : ndarray of int, shape (n,), or None
        The class of every row. ``jester`` and ``financial`` have none: every trial draws anew what
        their rows pay.
    n_actions : int
        The number of classes; 0 if there are no labels.
    """

    name: str
    contexts: npt.NDArray[np.float64]
    labels: npt.NDArray[np.int64] | None
    n_actions: int

    def __repr__(self) -> str:
        rows, dim = self.contexts.shape
        return f"<Dataset {self.name}: {rows} contexts of length {dim}, {self.n_actions} classes>"


class ArrayProblem:
    """A problem over arrays, for ``sau.run``; made by ``classification`` and ``rewards``.

    Every trial goes through the rows in its own random order, and starts again if it has more
    steps. It runs in C++, on as many threads as you like.
    """

    def __init__(self, table: _core.TableProblem, name: str) -> None:
        self._table = table
        self.name = name

    @property
    def n_rows(self) -> int:
        """The number of rows, which is the default number of steps."""
        return self._table.rows

    @property
    def n_actions(self) -> int:
        """The number of actions."""
        return self._table.n_actions

    @property
    def context_dim(self) -> int:
        """The length of a context."""
        return self._table.context_dim

    @property
    def reward_range(self) -> tuple[float, float]:
        """The smallest and the largest reward."""
        return self._table.reward_range

    @property
    def fingerprint(self) -> str:
        """A hash of the rows: the same data give the same text."""
        return self._table.fingerprint

    def __repr__(self) -> str:
        return (
            f"<ArrayProblem {self.name}: {self.n_rows} rows, {self.n_actions} actions, contexts of "
            f"length {self.context_dim}>"
        )


def classification(
    contexts: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    name: str = "arrays",
    n_actions: int | None = None,
    standardise: bool = False,
) -> ArrayProblem:
    """A problem from rows that each have a class: the right action pays 1, every other 0.

    Parameters
    ----------
    contexts : array_like of shape (n, context_dim)
    labels : array_like of shape (n,)
        Classes as whole numbers from 0; anything else is sorted and numbered, as in scikit-learn.
    name : str
        Its name in the results.
    n_actions : int, optional
        The number of classes, if not all of them are in `labels`.
    standardise : bool, default False
        Whether to scale every column to mean 0 and standard deviation 1.
    """
    codes = np.asarray(labels)
    whole = codes.dtype.kind in "iu" and codes.size > 0 and codes.min() >= 0
    if not whole:
        _, codes = np.unique(codes, return_inverse=True)
    classes = int(codes.max()) + 1 if codes.size > 0 else 1
    return ArrayProblem(
        _core.TableProblem.from_labels(contexts, codes, n_actions or classes, standardise), name
    )


def rewards(
    contexts: npt.ArrayLike,
    rewards: npt.ArrayLike,
    *,
    name: str = "arrays",
    standardise: bool = False,
) -> ArrayProblem:
    """A problem from rows that each have a reward for every action.

    Parameters
    ----------
    contexts : array_like of shape (n, context_dim)
    rewards : array_like of shape (n, n_actions)
        What every action pays. The regret is the difference from the best reward of the row.
    name : str
        Its name in the results.
    standardise : bool, default False
        Whether to scale every column of the contexts to mean 0 and standard deviation 1.
    """
    return ArrayProblem(
        _core.TableProblem.from_rewards(contexts, rewards, standardise), name
    )


def names() -> list[str]:
    """The names of the data sets.

    >>> import sau
    >>> "statlog" in sau.data.names()
    True
    """
    return [source["name"] for source in _core.data_sources()]


def folder() -> Path:
    """Where the files are looked for: $SAU_DATA_DIR, else usually ~/.local/share/sau/data."""
    return Path(_core.data_folder())


def load(name: str) -> Dataset:
    """A data set as arrays.

    Parameters
    ----------
    name : str
        One of ``names()``.

    Raises
    ------
    MissingData
        If its file is not in ``folder()``; ``fetch`` downloads it.
    """
    contexts, labels, actions, _ = _core.load_data(name)
    return Dataset(name, contexts, labels, actions)


def fetch(name: str, mirror: str | os.PathLike[str] | None = None) -> list[Path]:
    """Downloads the files of a data set into ``folder()``, unless they are there.

    A file appears there only when it is complete and its checksum is right.

    Parameters
    ----------
    name : str
        One of ``names()``.
    mirror : str or path, optional
        A folder or an http(s) address with the same layout as a data folder, with plain or
        compressed files; otherwise the publisher.

    Returns
    -------
    list of Path
        Where the files are.
    """
    known = {source["name"]: source for source in _core.data_sources()}
    key = name.replace("-", "_")
    if key not in known:
        raise _core.UsageError(f"unknown data set '{name}'; known: {', '.join(known)}")
    source = known[key]
    return [_fetch_file(source, file, mirror) for file in source["files"]]


def _fetch_file(
    source: dict[str, Any], file: dict[str, Any], mirror: str | os.PathLike[str] | None
) -> Path:
    if file["found"] is not None:
        return Path(file["found"])
    place = folder() / str(file["path"])
    addresses = _addresses(source, file, mirror)
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".fetch-") as temporary:
        part = Path(temporary) / "part"
        _first_that_answers(addresses, part, place)
        content = _core.unpack(os.fspath(part), place.name)
        _check(file, content, place)
        whole = Path(temporary) / "whole"
        whole.write_bytes(content)
        whole.replace(place)
    return place


def _addresses(
    source: dict[str, Any], file: dict[str, Any], mirror: str | os.PathLike[str] | None
) -> list[str]:
    if mirror is None:
        if not file["url"]:
            raise _core.Error(f"{file['path']} cannot be downloaded; {source['note']}")
        return [file["url"]]
    base = os.fspath(mirror)
    if not base.startswith(("http://", "https://")):
        if not Path(base).is_dir():
            raise _core.UsageError(f"the mirror {base} is neither a folder nor an address")
        base = Path(base).resolve().as_uri()
    return [
        f"{base.rstrip('/')}/{file['path']}{suffix}" for suffix in ["", *_core.packed_suffixes()]
    ]


def _first_that_answers(addresses: list[str], part: Path, place: Path) -> None:
    """Downloads from the first address that has the file, to `part`."""
    reason: Exception | None = None
    for address in addresses:
        try:
            with urllib.request.urlopen(address, timeout=_TIMEOUT) as answer, part.open("wb") as to:
                shutil.copyfileobj(answer, to)
            return
        except (OSError, http.client.HTTPException) as error:  # URLError is an OSError
            if isinstance(error, urllib.error.HTTPError):
                error.close()
            reason = reason or error
    raise _core.Error(
        f"{addresses[0]}: {str(reason).strip()}; fetch it elsewhere and put it at {place}"
    ) from reason


def _check(file: dict[str, Any], content: bytes, place: Path) -> None:
    if file["sha256"]:
        found = hashlib.sha256(content).hexdigest()
        if found != file["sha256"]:
            raise _core.Error(
                f"{place.name}: its SHA-256 is {found}, expected {file['sha256']}; nothing was "
                "put in place"
            )
    elif file["lines"] and content.count(b"\n") != file["lines"]:
        raise _core.Error(
            f"{place.name} has {content.count(bytes([10]))} lines, expected {file['lines']}; "
            "nothing was put in place"
        )
