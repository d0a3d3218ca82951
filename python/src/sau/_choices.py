"""Many choices at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core


@dataclass(frozen=True, eq=False, repr=False)
class Choices:
    """What ``Agent.choose_batch`` returns and ``Agent.learn_batch`` takes back.

    Attributes
    ----------
    actions : ndarray of int, shape (n,)
        The actions to play, counted from 0.
    values : ndarray of float, shape (n,)
        The rewards predicted for them.
    contexts : ndarray of float, shape (n, context_dim)
        The contexts they were chosen for.
    probabilities : ndarray of float, shape (n,), or None
        The chances that these actions had; None unless they were asked for.

    Examples
    --------
    >>> import numpy as np, sau
    >>> agent = sau.Agent("linear+epsilon_greedy", context_dim=2, n_actions=3, epsilon=0.3)
    >>> choices = agent.choose_batch(np.eye(2), probability=True)
    >>> len(choices), choices[0].action == choices.actions[0]
    (2, True)
    >>> agent.learn_batch(choices, [1.0, 0.0])
    """

    actions: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    contexts: npt.NDArray[np.float64]
    probabilities: npt.NDArray[np.float64] | None = None
    # The number of the agent that learned from them last (0: none), and from how many.
    _learned_by: list[int] = field(default_factory=lambda: [0, 0], init=False)

    def __len__(self) -> int:
        return len(self.actions)

    def __getitem__(self, i: int) -> _core.Choice:
        chance = None if self.probabilities is None else float(self.probabilities[i])
        return _core.Choice(
            int(self.actions[i]), float(self.values[i]), self.contexts[i], chance
        )

    def __iter__(self) -> Iterator[_core.Choice]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        dim = self.contexts.shape[1]
        chances = "" if self.probabilities is None else ", with probabilities"
        return f"<Choices: {len(self)} for contexts of length {dim}{chances}>"


def restore_offer_choice(*parts: Any) -> _core.OfferChoice:
    """For pickle, which cannot find functions of the extension by name."""
    return _core.restore_offer_choice(*parts)
