"""What another policy would have earned, from a log of decisions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._agent import Agent, whole_number

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas

PolicyChoice = str | Agent | npt.ArrayLike
Policies = PolicyChoice | Sequence[str | Agent] | Mapping[str, PolicyChoice]

_ESTIMATORS = ("dr", "ips", "snips", "dm")


class Evaluation:
    """What ``sau.evaluate`` found. Printing it shows a table."""

    def __init__(self, result: dict[str, Any], text: str) -> None:
        self.result = result  # as ``sau evaluate --json`` prints it
        self._text = text

    def __repr__(self) -> str:
        return self._text.rstrip("\n")

    @property
    def policies(self) -> list[str]:
        """The names of the policies."""
        return [policy["policy"] for policy in self.result["policies"]]

    def _policy(self, policy: str | None) -> dict[str, Any]:
        for one in self.result["policies"]:
            if policy is None or one["policy"] == policy:
                return dict(one)
        raise _core.UsageError(f"there is no policy {policy!r}; there are {self.policies}")

    def refused(self, policy: str | None = None) -> list[str]:
        """Why the log cannot tell about a policy (the first one, if none is named); empty if it can."""
        return list(self._policy(policy)["refused"])

    def value(self, policy: str | None = None, estimator: str | None = None) -> float:
        """The estimate for a policy, NaN if it is undefined or refused.

        Without a name it is the first policy, and without an estimator the first of those asked for.
        """
        return _number(self._estimate(policy, estimator)["value"])

    def interval(
        self, policy: str | None = None, estimator: str | None = None
    ) -> tuple[float, float]:
        """The interval of the estimate that `value` returns; NaN if there is none."""
        ends = self._estimate(policy, estimator)["ends"] or [None, None]
        return _number(ends[0]), _number(ends[1])

    def _estimate(self, policy: str | None, estimator: str | None) -> dict[str, Any]:
        for one in _estimates(self._policy(policy)):
            if estimator is None or one["estimator"] == estimator:
                return one
        raise _core.UsageError(f"there is no estimator {estimator!r} in this evaluation")

    def to_frame(self) -> pandas.DataFrame:
        """One row per policy and estimator, as a pandas data frame."""
        import pandas

        rows = []
        for policy in self.result["policies"]:
            for one in _estimates(policy):
                ends = one["ends"] or [None, None]
                rows.append({
                    "policy": policy["policy"],
                    "estimator": one["estimator"],
                    "value": _number(one["value"]),
                    "error": _number(one["error"]),
                    "low": _number(ends[0]),
                    "high": _number(ends[1]),
                    "interval": one["interval"],
                    "refused": bool(policy["refused"]),
                })
        return pandas.DataFrame(rows)

    def plot(self, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        """The value of every policy with its interval, next to the mean reward of the log."""
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots(figsize=(6.4, 1.2 + 0.5 * len(self.policies)))
        for row, name in enumerate(self.policies):
            value = self.value(name)
            low, high = self.interval(name)
            if np.isnan(value):
                ax.text(self.result["loggedReward"]["mean"], row, " the log cannot tell", va="center")
                continue
            ax.plot([low, high], [row, row], color="#0072b2", linewidth=2)
            ax.plot([value], [row], "o", color="#0072b2")
        ax.axvline(self.result["loggedReward"]["mean"], color="#444444", linestyle=":",
                   label="the log")
        ax.set_yticks(range(len(self.policies)), self.policies)
        ax.invert_yaxis()
        ax.set_xlabel("reward per decision")
        ax.legend(loc="best", frameon=False)
        return ax


def _number(value: float | None) -> float:
    """JSON has null where there is no number."""
    return float("nan") if value is None else float(value)


def _estimates(policy: dict[str, Any]) -> list[dict[str, Any]]:
    if "replay" in policy:
        return [{"estimator": "replay", "interval": "normal", **policy["replay"]}]
    return list(policy["estimates"])


def evaluate(
    X: npt.ArrayLike,
    actions: npt.ArrayLike,
    rewards: npt.ArrayLike,
    probabilities: npt.ArrayLike | None,
    policy: Policies,
    *,
    n_actions: int | None = None,
    learning: str = "following",
    train: float | None = None,
    estimators: Sequence[str] = _ESTIMATORS,
    interval: str = "anytime",
    confidence: float = 0.95,
    reward_range: tuple[float, float] = (0.0, 1.0),
    reward_model: str = "hashed_linear",
    folds: int = 0,
    clip: float = 0.0,
    tau: float = 0.0,
    lambda_: float = 0.0,
    accept: float = 0.0,
    seed: int = 1,
    threads: int | None = None,
    force: bool = False,
) -> Evaluation:
    """Says what policies would have earned, from a log that another policy made.

    Parameters
    ----------
    X : array_like of shape (n, context_dim)
        The contexts, in the order of the log.
    actions : array_like of int, shape (n,)
        The actions that were chosen.
    rewards : array_like of float, shape (n,)
        What they paid.
    probabilities : array_like of shape (n,) or (n, n_actions)
        The chance that the chosen action had, or the chances that all actions had. With all of them
        intervals are narrower, and wrong chances are noticed. None if the log has no chances; then
        only ``estimators=["dm"]`` is possible.
    policy : str, Agent, array_like, or several
        A name: ``"uniform"``, ``"first"``, ``"logged"``, ``"constant(action=2)"`` or an agent of
        the catalogue. Or an agent that has learned already; it learns nothing from this log. Or an
        array: the action that the policy would choose in every row, shape (n,), or the chance of
        every action, shape (n, n_actions). Or a sequence of names and agents, or a mapping from
        names to any of these.
    n_actions : int, optional
        If left out, the number of columns of ``probabilities``, or the largest action plus 1.
    learning : {"following", "frozen", "replayed"}
        How agents given by name learn: from every row after they were scored on it, from the first
        part (``train``) only, or from rows that they accept as their own.
    train : float, optional
        The share of the log that is only learned from. By default 0.5 for ``"frozen"``, else 0.
    estimators : sequence of str
        ``ips``, ``snips``, ``dm``, ``dr``, ``sndr``, ``switch``, ``dros``, ``mips``.
    interval : {"anytime", "normal", "bootstrap", "bernstein", "likelihood"}
    confidence : float, default 0.95
    reward_range : pair of float
        The rewards that are possible.
    reward_model : str
        The model that predicts rewards, for ``dm``, ``dr`` and the like.
    folds : int, default 0
        How many folds to cross-fit that model with. With 0 it predicts each row from earlier rows.
    clip, tau, lambda_, accept : float
        Settings of ``ips``, ``switch``, ``dros`` and ``"replayed"``, in this order. 0 means the
        default.
    force : bool, default False
        Whether to give estimates that the log cannot support.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import numpy as np, sau
    >>> rng = np.random.default_rng(1)
    >>> X = rng.choice([-1.0, 1.0], size=(4000, 1))
    >>> actions = rng.integers(2, size=4000)
    >>> rewards = rng.random(4000) < np.where((X[:, 0] > 0) == (actions == 0), 0.7, 0.3)
    >>> result = sau.evaluate(X, actions, rewards, np.full(4000, 0.5), {"best": X[:, 0] < 0})
    >>> bool(abs(result.value("best") - 0.7) < 0.05)
    True
    """
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise _core.UsageError(f"X: expected two dimensions, found an array of shape {X.shape}")
    played = np.asarray(actions)
    chances = (np.full(len(X), np.nan) if probabilities is None
               else np.asarray(probabilities, dtype=np.float64))
    count = _count_actions(n_actions, chances, played)
    rows = len(X)
    if chances.ndim == 2:
        if chances.shape != (rows, count):
            raise _core.UsageError(
                f"probabilities: expected {rows} rows of {count}, found an array of shape "
                f"{chances.shape}"
            )
        chance = chances[np.arange(rows), _core.checked_actions(played, rows, count)]
    else:
        chance = chances
    if train is None:
        train = 0.5 if learning == "frozen" else 0.0
    settings = {
        "estimators": list(estimators), "interval": interval, "alpha": round(1.0 - confidence, 12),
        "least": float(reward_range[0]), "most": float(reward_range[1]), "clip": float(clip),
        "tau": float(tau), "lambda_": float(lambda_), "reward_model": reward_model,
        "folds": whole_number("folds", folds, 0, 100), "train": float(train),
        "accept": float(accept), "seed": whole_number("seed", seed, 0, 2**64 - 1),
        "threads": 0 if threads is None else whole_number("threads", threads, 1, 4096),
        "learning": learning, "force": bool(force),
    }
    named = [(name, _as_chances(name, one, X, count)) for name, one in _named(policy)]
    result, text = _core.evaluate_arrays(
        X, played, np.asarray(rewards, dtype=np.float64), chance,
        chances if chances.ndim == 2 else None, count, named, settings)
    return Evaluation(json.loads(result), text)


def _count_actions(n_actions: int | None, chances: npt.NDArray[Any],
                   played: npt.NDArray[Any]) -> int:
    if n_actions is not None:
        return whole_number("n_actions", n_actions, 1, 2**31)
    if chances.ndim == 2:
        return int(chances.shape[1])
    return int(played.max()) + 1 if played.size else 1


def _named(policy: Policies) -> list[tuple[str, PolicyChoice]]:
    if isinstance(policy, str):
        return [(policy, policy)]
    if isinstance(policy, Agent):
        return [(policy.spec, policy)]
    if isinstance(policy, Mapping):
        return list(policy.items())
    if isinstance(policy, Sequence) and all(isinstance(one, (str, Agent)) for one in policy):
        return [pair for one in policy for pair in _named(one)]
    return [("the array", policy)]  # type: ignore[list-item]


def _as_chances(name: str, policy: PolicyChoice, X: npt.NDArray[Any],
                count: int) -> str | npt.NDArray[np.float64]:
    if isinstance(policy, str):
        return policy
    if isinstance(policy, Agent):
        return policy.predict_proba(X)
    array = np.asarray(policy)
    if array.ndim == 1 and len(array) == len(X):
        whole = array.astype(np.int64)
        if (whole != array).any() or (whole < 0).any() or (whole >= count).any():
            raise _core.UsageError(f"{name}: expected actions from 0 to {count - 1}")
        return np.eye(count)[whole]
    if array.shape != (len(X), count):
        raise _core.UsageError(
            f"{name}: expected an action per row, or {len(X)} rows of {count} chances; found an "
            f"array of shape {array.shape}"
        )
    chances = array.astype(np.float64)
    if not ((chances >= 0.0).all() and np.allclose(chances.sum(axis=1), 1.0)):
        raise _core.UsageError(f"{name}: expected chances of 0 or more that add up to 1 in every row")
    return chances
