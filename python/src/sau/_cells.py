"""Turns the arguments of sau.run into the cells of a run."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from . import _core
from ._agent import Agent, whole_number
from ._problem import AgentLike, Problem, ProblemLike
from .data import ArrayProblem

ProblemChoice = str | Problem | ArrayProblem | ProblemLike | Callable[[], ProblemLike]
AgentChoice = str | Agent | AgentLike | Callable[..., AgentLike | Agent]

_LARGEST_REWARD = 1e100


@dataclass
class _Source:
    """A problem, and what a cell needs to know about it."""

    name: str
    spec: str
    n_actions: int  # 0 where actions come and go by id
    context_dim: int
    reward_range: tuple[float, float]
    default_steps: int
    data: str = ""
    parts: dict[str, Any] = field(default_factory=dict)  # entries of the cell: how to play it
    own_name: bool = False  # whether the user gave the name

    @property
    def native(self) -> bool:
        """Whether its spec is enough to play it."""
        return not self.parts


def make_cells(
    problems: Any, agents: Any, trials: int, steps: int, late: str = ""
) -> list[dict[str, Any]]:
    """Every problem with every agent, problem by problem, without duplicates.

    `late` says when rewards arrive; it is appended to the problems' specs.
    """
    sources = [_late(_source(name, one), late) for name, one in _named("problems", problems)]
    players = _named("agents", agents)
    _refuse_duplicate_names("problems", [source.spec for source in sources if not source.native])
    _refuse_duplicate_names("agents", [_python_spec(_agent_name(*one)) for one in players
                             if not isinstance(one[1], str)])
    cells: dict[tuple[str, str, int], dict[str, Any]] = {}
    for source in sources:
        for name, agent in players:
            cell = _cell(source, name, agent, trials, steps)
            key = (cell["problem_spec"], cell["agent_spec"], cell["steps"])
            cells.setdefault(key, cell)
    _core.refuse_duplicate_names(list(cells.values()))
    return list(cells.values())


def _named(what: str, given: Any) -> list[tuple[str | None, Any]]:
    """(name or None, choice) for each, whether given one, several, or a mapping.

    A text may have a name, ``mine=sau_ucb``, and settings with alternatives, ``alpha=0.1|1``.
    """
    pairs: list[tuple[str | None, Any]]
    if isinstance(given, Mapping):
        pairs = [(str(name), one) for name, one in given.items()]
    elif isinstance(given, Sequence) and not isinstance(given, str):
        pairs = [(None, one) for one in given]
    else:
        pairs = [(None, given)]
    if not pairs:
        raise _core.UsageError(f"run: {what} is empty")
    named: list[tuple[str | None, Any]] = []
    for name, one in pairs:
        if name is not None:
            _core.check_own_name(name)
        if isinstance(one, str):
            named += [(own or None, spec) for own, spec in _core.expand_named(name or "", one)]
        else:
            named.append((name, one))
    return named


def _refuse_duplicate_names(what: str, specs: Iterable[str]) -> None:
    seen = set()
    for spec in specs:
        if spec in seen:
            raise _core.UsageError(
                f"run: two of the {what} are called {spec}; give them names: {{'mine': ...}}"
            )
        seen.add(spec)


def _name_of(given: Any) -> str:
    return str(getattr(given, "__name__", None) or type(given).__name__)


def _python_spec(name: str) -> str:
    return f"python(name={_core.write_value(name)})"


# Problems


def _source(name: str | None, given: Any) -> _Source:
    if isinstance(given, Problem):
        given = given.spec
    if isinstance(given, str):
        info = _core.problem_info(given)
        own = info.pop("name")
        return _Source(name=name or own, own_name=name is not None, **info)
    if isinstance(given, ArrayProblem):
        return _Source(
            name=name or given.name,
            spec=f"arrays(name={_core.write_value(name or given.name)})",
            n_actions=given.n_actions,
            context_dim=given.context_dim,
            reward_range=given.reward_range,
            default_steps=given.n_rows,
            data=given.fingerprint,
            parts={"table": given._table},
        )
    made = isinstance(given, ProblemLike) and not isinstance(given, type)
    if not made and not callable(given):
        raise _core.UsageError(
            "run: a problem is a spec, an object with reset and step, or a function that makes "
            f"one, not {given!r}"
        )
    # Trials may be played at the same time, so each has its own problem.
    factory = (lambda: copy.deepcopy(given)) if made else given
    return _python_source(name or _name_of(given), factory)


def _late(source: _Source, late: str) -> _Source:
    """The same problem, with rewards as late as `late` says."""
    if not late:
        return source
    if "+late(" in source.spec:
        raise _core.UsageError(
            f"run: the problem {source.spec} already says when rewards arrive; leave out delay and "
            "missing"
        )
    return replace(source, name=source.name + late, spec=source.spec + late)


def _python_source(name: str, factory: Callable[[], Any]) -> _Source:
    probe = factory()
    if not isinstance(probe, ProblemLike):
        raise _core.UsageError(f"run: the problem {name} has no reset and step: {probe!r}")
    actions = _first(probe, "n_actions", "action_space.n")
    if actions is None:
        raise _core.UsageError(f"run: the problem {name} has neither n_actions nor action_space.n")
    dim = _first(probe, "context_dim")
    if dim is None:
        dim = np.size(_begin(name, probe))
    low, high = getattr(probe, "reward_range", (-math.inf, math.inf))
    source = _Source(
        name=name,
        spec=_python_spec(name),
        n_actions=whole_number(f"{name}: n_actions", actions, 1, 2**32 - 1),
        context_dim=whole_number(f"{name}: context_dim", dim, 0, 2**32 - 1),
        reward_range=(max(float(low), -_LARGEST_REWARD), min(float(high), _LARGEST_REWARD)),
        default_steps=int(getattr(probe, "default_steps", 0)),
    )
    source.parts = {
        "problem_factory": factory,
        "n_actions": source.n_actions,
        "context_dim": source.context_dim,
        "reward_range": source.reward_range,
    }
    return source


def _first(probe: Any, *paths: str) -> Any:
    """The first of these attributes that exists."""
    for path in paths:
        found = probe
        for part in path.split("."):
            found = getattr(found, part, None)
        if found is not None:
            return found
    return None


def _begin(name: str, probe: Any) -> Any:
    answer = probe.reset(seed=0)
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise _core.UsageError(
            f"run: the problem {name}: reset: expected (context, info), found {answer!r}"
        )
    return answer[0]


# Agents


def _agent_name(name: str | None, given: Any) -> str:
    if name is not None:
        return name
    if not isinstance(given, Agent):
        return _name_of(given)
    # Before its first context it has no spec yet.
    return f"copy of {given.get_params()['agent'] if given._shape is None else given.spec}"


def _cell(source: _Source, name: str | None, agent: Any, trials: int, steps: int) -> dict[str, Any]:
    steps = steps or source.default_steps
    if steps == 0:
        raise _core.UsageError(
            f"run: steps is missing; the problem {source.name} has no default_steps"
        )
    cell = {
        "problem": source.name,
        "problem_spec": source.spec,
        "steps": steps,
        "trials": trials,
        "data": source.data,
        "own_problem_name": source.own_name,
        "own_agent_name": name is not None,
        **source.parts,
    }
    if isinstance(agent, str):
        if source.native:
            # So the library checks that they fit, with its own error messages.
            made = _core.make_cell(source.spec, agent, steps, trials)
            spec, own = made["agent_spec"], made["agent"]
        else:
            spec = _fitting_spec(source, agent)
            own = _core.agent_name(spec, source.context_dim)
        return {**cell, "agent": name or own, "agent_spec": spec}
    label = _agent_name(name, agent)
    return {
        **cell,
        "agent": label,
        "agent_spec": _python_spec(label),
        "agent_factory": _agent_factory(agent, source),
    }


def _agent_factory(agent: Any, source: _Source) -> Callable[..., Any]:
    if source.n_actions == 0:
        return _copies_for_ids(agent, source)
    if isinstance(agent, Agent):
        return _copies_of(agent, source)
    if isinstance(agent, AgentLike) and not isinstance(agent, type):
        return lambda **_: copy.deepcopy(agent)
    if not callable(agent):
        raise _core.UsageError(
            "run: an agent is a spec, an object with choose and learn, or a function or class that "
            f"makes one, not {agent!r}"
        )
    factory: Callable[..., Any] = agent
    return factory


def _fitting_spec(source: _Source, text: str) -> str:
    """The agent's canonical spec, if it can learn from the problem's rewards."""
    trial = Agent(text, n_actions=source.n_actions, context_dim=source.context_dim)
    _check_rewards(trial, source)
    return trial.spec


def _check_rewards(agent: Agent, source: _Source) -> None:
    low, high = agent.reward_range
    if low > source.reward_range[0] or high < source.reward_range[1]:
        raise _core.UsageError(
            f"the agent {agent.spec} cannot learn from the rewards of {source.name}: expected "
            f"rewards from {low:g} to {high:g}, and a reward_range that says so"
        )


def _copies_for_ids(agent: Any, source: _Source) -> Callable[..., Agent]:
    if not isinstance(agent, Agent) or not agent._has_offers:
        raise _core.UsageError(
            f"run: the actions of {source.name} come and go by id; expected an agent by its name, "
            "or a sau.Agent made without n_actions"
        )
    _check_rewards(agent, source)
    offered = agent
    return lambda **_: offered  # the run copies it


def _copies_of(agent: Agent, source: _Source) -> Callable[..., Agent]:
    if agent._has_offers:
        raise _core.UsageError(
            f"the agent {agent!r} was made without n_actions, and {source.name} has a fixed set of "
            f"actions; give the spec {agent.spec.split('+ids')[0]}+ids instead"
        )
    dim = agent.context_dim
    if agent.n_actions != source.n_actions or dim not in (None, source.context_dim):
        raise _core.UsageError(
            f"the agent {agent!r} does not fit {source.name}, which has {source.n_actions} actions "
            f"and contexts of length {source.context_dim}"
        )
    if agent._shape is None:  # the run would start the caller's agent, which must not change
        return lambda **_: copy.deepcopy(agent)
    return lambda **_: agent  # the run copies it
