"""What an agent has learned, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ._estimator import Estimator


@dataclass(frozen=True)
class Member:
    """A member of a committee: its model, its share in the values, and why it is left out, if it is."""

    spec: str
    weight: float
    fault: str | None


class Evidence(Mapping[str, npt.NDArray[np.float64]]):
    """Numbers of every action, by name; ``ids`` names the actions."""

    def __init__(
        self, ids: tuple[str, ...], columns: dict[str, npt.NDArray[np.float64]]
    ) -> None:
        self.ids, self._columns = ids, columns

    def __getitem__(self, name: str) -> npt.NDArray[np.float64]:
        if name not in self._columns:
            raise KeyError(f"{name!r}; this agent keeps {', '.join(self._columns) or 'nothing'}")
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        actions = f"{len(self.ids)} action{'' if len(self.ids) == 1 else 's'}"
        return f"<Evidence: {', '.join(self._columns) or 'none'} of {actions}>"


class InspectedAgent(Estimator):
    """Shows what the agent has learned: evidence, coefficients, members."""

    @property
    def evidence(self) -> Evidence:
        """What the agent has gathered about each action, as ``sau inspect`` shows it.

        A mapping from a name to an array with one number per action. SAU strategies have
        ``"count"``, ``"S2"`` and ``"spread"``, which is ``sqrt(S2) / count``; ``ucb1`` has
        ``"count"``; models add what they keep, such as ``"mean"``. It is empty if nothing is kept.
        ``evidence.ids`` names the actions: if they are offered by id, the most used come first.

        Examples
        --------
        >>> import sau
        >>> agent = sau.Agent("sau_ucb", n_actions=2)
        >>> for reward in (1.0, 0.0, 1.0):
        ...     agent.learn(agent.choose(), reward)
        >>> agent.evidence["count"].tolist(), agent.evidence["S2"].tolist()
        ([2.0, 1.0], [2.0, 1.0])
        """
        ids, columns = self._evidence(2**31)
        return Evidence(tuple(ids), dict(columns))

    @property
    def coefficients(self) -> npt.NDArray[np.float64]:
        """The coefficients of a linear model, an array of shape (n_actions, context_dim).

        The value of action ``a`` is ``intercepts[a] + coefficients[a] @ x``.

        Raises
        ------
        Error
            If the values are not linear in the context, or actions are offered by id.

        Examples
        --------
        >>> import sau
        >>> agent = sau.Agent("linear(lambda=1e-9)+sau_ucb", n_actions=1, context_dim=2)
        >>> agent = agent.fit([[1, 0], [0, 1]], [0, 0], [2.0, 3.0])
        >>> agent.coefficients.round(6).tolist()
        [[2.0, 3.0]]
        """
        return self._coefficients[0]

    @property
    def intercepts(self) -> npt.NDArray[np.float64]:
        """The values of a linear model where the context is 0, one per action."""
        return self._coefficients[1]

    @property
    def members(self) -> list[Member]:
        """The members of a committee, and how far each is believed; empty for other models.

        >>> import sau
        >>> agent = sau.Agent(n_actions=2, context_dim=1)
        >>> [member.spec.split("(")[0] for member in agent.members]
        ['linear', 'linear', 'neural_linear', 'neural_linear', 'random_features']
        """
        return [Member(spec, weight, fault or None) for spec, weight, fault in self._members]
