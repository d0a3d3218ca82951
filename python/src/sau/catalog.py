"""The models, strategies, problems and names that exist.

Examples
--------
>>> import sau
>>> [model.name for model in sau.catalog.models()][:2]
['sample_mean', 'beta_bernoulli']
>>> sau.catalog.canonical("ts", context_dim=5)
'linear_posterior+thompson'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import _core
from ._spec import Setting, agent_spec

__all__ = [
    "Alias",
    "Component",
    "SettingInfo",
    "agents",
    "canonical",
    "models",
    "paper_parts",
    "paper_problems",
    "problems",
    "strategies",
]


@dataclass(frozen=True)
class SettingInfo:
    """A setting: its name, type, default and allowed values."""

    name: str
    type: str
    default: str
    range: str
    choices: tuple[str, ...]
    help: str


@dataclass(frozen=True)
class Component:
    """A value model, a strategy or a problem.

    `fits` lists, for a strategy, the models that it works with.
    """

    name: str
    summary: str
    settings: tuple[SettingInfo, ...]
    fits: tuple[str, ...] = ()


@dataclass(frozen=True)
class Alias:
    """A name, the spec it stands for, and where the paper has it.

    `contextual` is the spec it stands for if there are contexts, and `by_id` if actions come and go
    by id, when these differ.
    """

    name: str
    spec: str
    where: str
    contextual: str = ""
    by_id: str = ""


def models() -> list[Component]:
    """The value models."""
    return _components(_core.models())


def strategies() -> list[Component]:
    """The exploration strategies."""
    return _components(_core.strategies())


def problems() -> list[Component]:
    """The problems."""
    return _components(_core.problems())


def agents() -> list[Alias]:
    """The paper's names for agents."""
    return [Alias(**alias) for alias in _core.agent_aliases()]


def paper_problems() -> list[Alias]:
    """The paper's problems."""
    return [Alias(**alias) for alias in _core.problem_aliases()]


def paper_parts() -> list[str]:
    """The parts of the paper that ``sau.paper(only=...)`` knows."""
    return _core.paper_parts()


def canonical(agent: str, *, context_dim: int = 0, **settings: Setting) -> str:
    """The canonical spec of an agent: aliases expanded, defaults left out.

    >>> canonical("sau_ucb", context_dim=3, alpha=0.5)
    'linear+sau_ucb(alpha=0.5)'
    """
    return agent_spec(agent, settings, context_dim)


def _setting(described: dict[str, Any]) -> SettingInfo:
    choices = tuple(described.pop("choices"))
    return SettingInfo(choices=choices, **described)


def _components(described: list[dict[str, Any]]) -> list[Component]:
    return [
        Component(
            one["name"],
            one["summary"],
            tuple(_setting(setting) for setting in one["settings"]),
            tuple(one["fits"]),
        )
        for one in described
    ]
