"""Turns settings given as keywords into the spec of a component."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np

from . import _core

#: The value of a setting in Python; text is read as on the command line.
Setting = Any

_PREFIXES = ("model__", "strategy__", "ids__")


@cache
def _fields() -> dict[str, tuple[str, ...]]:
    """The names of the settings of every component, by kind and name."""
    kinds = {
        "agent": [*_core.models(), *_core.strategies(), *_core.ids()],
        "problem": _core.problems(),
    }
    return {
        f"{kind} {component['name']}": tuple(one["name"] for one in component["settings"])
        for kind, components in kinds.items()
        for component in components
    }


def value_text(value: Setting) -> str:
    """A value as it is written in a spec, without quotes.

    >>> value_text(0.5), value_text(True), value_text((100, 100)), value_text("all")
    ('0.5', 'true', '100x100', 'all')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, Iterable):
        return "x".join(value_text(element) for element in value)
    raise _core.UsageError(
        f"a setting may be a number, a switch, a text or a list of numbers, not {value!r}"
    )


def _place(kind: str, key: str, parts: list[tuple[str, dict[str, str]]]) -> tuple[int, str]:
    """The part that a keyword belongs to, and the setting's own name."""
    name = key
    allowed = range(len(parts))
    if kind == "agent":
        for i, prefix in enumerate(_PREFIXES):
            if key.startswith(prefix):
                name, allowed = key.removeprefix(prefix), range(i, min(i + 1, len(parts)))
    if name.endswith("_"):  # lambda_, since lambda is a keyword in Python
        name = name[:-1]
    known = {i: _fields()[f"{kind} {parts[i][0]}"] for i in allowed}
    found = [i for i in allowed if name in known[i]]
    whole = "+".join(part for part, _ in parts)
    if not found:
        every = sorted({setting for settings in known.values() for setting in settings})
        close = difflib.get_close_matches(name, every, n=1)
        hint = f"; did you mean '{close[0]}'?" if close else ";"
        raise _core.UsageError(
            f"the {kind} {whole} has no setting '{name}'{hint} known: {', '.join(every) or 'none'}"
        )
    if len(found) > 1:
        raise _core.UsageError(
            f"'{name}' is a setting of {' and of '.join(parts[i][0] for i in found)}; write "
            f"{' or '.join(_PREFIXES[i] + name for i in found)}"
        )
    return found[0], name


def _with_settings(
    kind: str, canonical: str, settings: Mapping[str, Setting], *, by_id: bool = False
) -> str:
    parts = [(name, dict(params)) for name, params in _core.split(canonical)]
    if by_id and len(parts) == 2:  # the spec leaves ids out if all its settings are defaults
        parts.append(("ids", {}))
    for key, value in settings.items():
        place, name = _place(kind, key, parts)
        parts[place][1][name] = value_text(value)
    texts = []
    for name, params in parts:
        inside = ",".join(f"{key}={_core.write_value(text)}" for key, text in params.items())
        texts.append(f"{name}({inside})" if inside else name)
    return "+".join(texts)


def agent_spec(text: str, settings: Mapping[str, Setting], context_dim: int) -> str:
    """The canonical spec of an agent with these settings changed.

    >>> agent_spec("Neural-SAU-S", {"lr": 0.01, "alpha": 0.5}, 9)
    'mlp(lr=0.01)+sau_sampling(alpha=0.5,initial_pulls=2)'
    """
    canonical = _core.canonical_agent(text, context_dim)
    if not settings:
        return canonical
    return _core.canonical_agent(_with_settings("agent", canonical, settings), context_dim)


def offer_agent_spec(text: str, settings: Mapping[str, Setting]) -> str:
    """The canonical spec of an agent to which actions are offered by id.

    >>> offer_agent_spec("sau_ucb", {"alpha": 0.5, "actions": 500})
    'hashed_linear+sau_ucb(alpha=0.5)+ids(actions=500)'
    """
    canonical = _core.canonical_offer_agent(text)
    if not settings:
        return canonical
    return _core.canonical_offer_agent(_with_settings("agent", canonical, settings, by_id=True))


def problem_spec(text: str, settings: Mapping[str, Setting]) -> str:
    """The canonical spec of a problem with these settings changed.

    >>> problem_spec("linear-5-5", {"actions": 7})
    'linear(actions=7)'
    """
    canonical = _core.canonical_problem(text)
    if not settings:
        return canonical
    return _core.canonical_problem(_with_settings("problem", canonical, settings))
