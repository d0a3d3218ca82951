"""The interface of a scikit-learn estimator, for agents with a fixed set of actions."""

from __future__ import annotations

from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core

Rows = npt.ArrayLike
Floats = npt.NDArray[np.float64]


class Estimator(_core.Agent):
    """The part of ``sau.Agent`` that learns from logs and predicts."""

    _trial: tuple[int, int]  # trial and scope of the random stream
    _params: dict[str, Any]

    @property
    def n_actions(self) -> int | None:
        """The number of actions; None if every call offers its own."""
        actions = self._params["n_actions"]
        return None if actions is None else int(actions)

    def fit(
        self,
        X: Rows,
        actions: npt.ArrayLike,
        rewards: npt.ArrayLike | None = None,
        *,
        sample_weight: npt.ArrayLike | None = None,
        probabilities: npt.ArrayLike | None = None,
        largest_weight: float = 10.0,
    ) -> Self:
        """Forgets everything and learns from a log, row by row.

        Parameters
        ----------
        X : array_like of shape (n, context_dim)
            The contexts.
        actions : array_like of int, shape (n,)
            The actions that were played; scikit-learn's ``y``. Or columns: action, reward and, for
            ``score``, probability; then ``rewards`` is left out.
        rewards : array_like of float, shape (n,)
            What they paid. In a pipeline whose last step is called ``agent``, write
            ``pipeline.fit(X, actions, agent__rewards=rewards)``.
        sample_weight, probabilities, largest_weight
            As in ``partial_fit``.
        """
        actions, rewards, _ = _log_columns(actions, rewards, None)
        if rewards is None:
            raise _core.UsageError(
                "fit: rewards is missing; in a pipeline it is given as <step>__rewards"
            )
        fresh = empty(type(self))
        fresh._trial, fresh._params = self._trial, self._params
        fresh.partial_fit(
            X, actions, rewards, sample_weight=sample_weight, probabilities=probabilities,
            largest_weight=largest_weight,
        )
        self._take(fresh)
        return self

    def partial_fit(
        self,
        X: Rows,
        actions: npt.ArrayLike,
        rewards: npt.ArrayLike,
        *,
        sample_weight: npt.ArrayLike | None = None,
        probabilities: npt.ArrayLike | None = None,
        largest_weight: float = 10.0,
    ) -> Self:
        """Learns more rows of a log, one by one, as if the agent had made these choices.

        Every row counts as a step. The error in eq. 5 is the difference from the value that the
        agent would have predicted. All rows are checked first: if one is wrong, nothing is learned.
        Ctrl-C stops it between two rows.

        Parameters
        ----------
        X, actions, rewards
            The log, as for ``fit``.
        sample_weight : array_like of float, shape (n,), optional
            How many observations each row counts for. A row with the weight 2 is learned twice and
            one with 0 not at all. A row with the weight 0.3 is learned with the chance 0.3. These
            draws come from the agent's random stream, so it does not matter whether rows come
            together or one by one.
        probabilities : array_like of float, shape (n,), optional
            The chance with which the log chose each action. A row gets the weight
            1 / (n_actions * chance), on top of ``sample_weight``: the agent learns as if all
            actions had been chosen equally often. Use it if the log prefers some actions in some
            contexts and the model is too simple to be right in all of them.
        largest_weight : float
            Weights from ``probabilities`` above this count as this.
        """
        weights = _row_weights(
            len(np.atleast_1d(np.asarray(actions))), self.n_actions, sample_weight, probabilities,
            largest_weight,
        )
        self._learn_logged(X, actions, rewards, weights)
        return self

    def score(
        self,
        X: Rows,
        actions: npt.ArrayLike,
        rewards: npt.ArrayLike | None = None,
        probabilities: npt.ArrayLike | None = None,
    ) -> float:
        """What the agent, as it is, would earn per row, from a log with chances (``snips``).

        scikit-learn's searches pass only ``X`` and ``y``, so ``actions`` may be an array with the
        columns action, reward and probability: ``GridSearchCV(agent, grid).fit(X, y)`` with such a
        ``y`` compares agents by this score. NaN if the log never plays what the agent would.
        """
        actions, rewards, probabilities = _log_columns(actions, rewards, probabilities)
        if rewards is None or probabilities is None:
            raise _core.UsageError("score: rewards and probabilities are missing")
        chance = self.predict_proba(X)
        played = _core.checked_actions(actions, *chance.shape)
        weights = chance[np.arange(len(played)), played] / np.asarray(probabilities, dtype=float)
        total = float(weights.sum())
        paid = np.asarray(rewards, dtype=float)
        return float(weights @ paid) / total if total > 0.0 else float("nan")

    def decision_function(self, X: Rows) -> Floats:
        """The reward predicted for every action, an array of shape (n, n_actions)."""
        return self.values(_matrix(X))

    def predict(self, X: Rows) -> npt.NDArray[np.int64]:
        """The action with the largest predicted reward, without exploration; changes nothing."""
        best: npt.NDArray[np.int64] = np.argmax(self.decision_function(X), axis=1)
        return best

    def predict_proba(self, X: Rows) -> Floats:
        """The chance of every action in the next choice, exploration included."""
        return self.probabilities(_matrix(X))

    @property
    def classes_(self) -> npt.NDArray[np.int64]:
        """The actions: scikit-learn's name for the columns of ``predict_proba``."""
        if self.n_actions is None:
            raise AttributeError("classes_: the agent has no fixed set of actions")
        return np.arange(self.n_actions)

    @property
    def n_features_in_(self) -> int:
        """The length of a context, under scikit-learn's name."""
        if self._shape is None:
            raise AttributeError("n_features_in_: the agent has seen no context yet")
        return self._shape[1]

    def __sklearn_is_fitted__(self) -> bool:
        return self._shape is not None

    def __sklearn_tags__(self) -> Any:
        """scikit-learn 1.6 and later ask every step of a pipeline for this."""
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=True))


def _row_weights(
    count: int,
    n_actions: int | None,
    sample_weight: npt.ArrayLike | None,
    probabilities: npt.ArrayLike | None,
    largest_weight: float,
) -> Floats | None:
    """How many observations each row counts for; None if every row counts for one."""
    if sample_weight is None and probabilities is None:
        return None
    weights = np.ones(count)
    if probabilities is not None:
        if n_actions is None:
            raise _core.UsageError("probabilities: the agent has no fixed set of actions")
        if not largest_weight > 0.0:
            raise _core.UsageError(f"largest_weight: expected a number above 0, found {largest_weight}")
        chance = _column("probabilities", probabilities, count)
        if not ((chance > 0.0) & (chance <= 1.0)).all():
            row = int(np.argmin((chance > 0.0) & (chance <= 1.0)))
            raise _core.UsageError(
                f"probabilities: row {row} is {chance[row]}; expected above 0 and at most 1"
            )
        weights = np.minimum(1.0 / (n_actions * chance), largest_weight)
    if sample_weight is not None:
        given = _column("sample_weight", sample_weight, count)
        if not ((given >= 0.0) & np.isfinite(given)).all():
            row = int(np.argmin((given >= 0.0) & np.isfinite(given)))
            raise _core.UsageError(f"sample_weight: row {row} is {given[row]}; expected 0 or more")
        weights = weights * given
    return weights


def _column(name: str, values: npt.ArrayLike, count: int) -> Floats:
    try:
        column = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise _core.UsageError(f"{name}: {error}") from None
    if column.shape != (count,):
        raise _core.UsageError(f"{name}: expected {count} numbers, found shape {column.shape}")
    return column


def _log_columns(
    actions: npt.ArrayLike,
    rewards: npt.ArrayLike | None,
    probabilities: npt.ArrayLike | None,
) -> tuple[npt.ArrayLike, npt.ArrayLike | None, npt.ArrayLike | None]:
    """The columns of a log, which may come as one array."""
    if rewards is not None:
        return actions, rewards, probabilities
    columns = np.asarray(actions)
    if columns.ndim != 2 or columns.shape[1] not in (2, 3):
        return actions, rewards, probabilities
    played = columns[:, 0].astype(np.int64)
    if (played != columns[:, 0]).any():
        raise _core.UsageError("the first column must have the actions, as whole numbers")
    last = columns[:, 2].astype(float) if columns.shape[1] == 3 else probabilities
    return played, columns[:, 1].astype(float), last


def _matrix(X: Rows) -> Rows:
    """X, or an error if it is one context instead of many."""
    if not hasattr(X, "shape"):
        try:
            X = np.asarray(X)
        except ValueError as error:
            raise _core.UsageError(f"X: {error}") from None
    shape = X.shape
    if len(shape) != 2:
        raise _core.UsageError(
            f"X: expected two dimensions, one row per context, found an array of shape {shape}"
        )
    return X


_AnyAgent = TypeVar("_AnyAgent", bound=Estimator)


def empty(cls: type[_AnyAgent]) -> _AnyAgent:
    """An agent without parameters, to be filled by a copy."""
    agent = cls.__new__(cls)
    _core.Agent.__init__(agent)
    agent._trial, agent._params = (0, 0), {}
    return agent
