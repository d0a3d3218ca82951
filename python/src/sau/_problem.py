"""The library's problems, played step by step."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from . import _core
from ._agent import Agent, whole_number
from ._spec import Setting, agent_spec, offer_agent_spec, problem_spec

Step = tuple[Any, float, bool, bool, Mapping[str, Any]]


@runtime_checkable
class ProblemLike(Protocol):
    """Your own problem, with the interface of gymnasium.

    Besides these two methods it has the number of actions, as ``n_actions`` or as
    ``action_space.n``. It may have ``context_dim`` (otherwise the first context sets the length),
    ``reward_range`` (a pair of numbers; some agents need to know it) and ``default_steps``.
    """

    def reset(self, *, seed: int | None = None) -> tuple[Any, Mapping[str, Any]]:
        """Starts over and returns the first context and a dictionary. A seed starts a trial."""

    def step(self, action: int) -> Step:
        """Plays an action and returns next context, reward, terminated, truncated, info.

        ``info["regret"]`` is how much less the action pays than the best one. Without it the
        regret is minus the reward. After `terminated` or `truncated`, ``reset()`` is called.
        """


@runtime_checkable
class AgentLike(Protocol):
    """Your own agent. Every trial makes a new one, by calling a function or class with the keywords
    ``n_actions``, ``context_dim`` and ``seed``."""

    def choose(self, x: npt.NDArray[np.float64]) -> int:
        """Returns the action for this context."""

    def learn(self, x: npt.NDArray[np.float64], action: int, reward: float) -> None:
        """Learns the reward of an action."""


class Problem(_core.Problem):
    """One trial of a problem of the library, step by step, with the interface of gymnasium.

    Parameters
    ----------
    problem : str
        As on the command line: ``"bernoulli"``, ``"linear(dim=10)"``, ``"statlog"``.
    seed : int, default 1
    trial : int, default 0
        Which trial: it draws the same numbers as this trial in ``sau.run`` and ``sau run``.
    **settings
        Settings of the problem, which override those in `problem`.

    Examples
    --------
    A trial by hand, with the same numbers as on the command line:

    >>> import sau
    >>> problem = sau.Problem("linear", seed=1, trial=0, actions=3)
    >>> agent = problem.agent("sau_sampling")
    >>> x, info = problem.reset()
    >>> regret = 0.0
    >>> for n in range(100):
    ...     choice = agent.choose(x)
    ...     x, reward, terminated, truncated, info = problem.step(choice.action)
    ...     agent.learn(choice, reward)
    ...     regret += info["regret"]
    >>> result = sau.run("linear(actions=3)", "sau_sampling", trials=1, steps=100, seed=1)
    >>> result.regret.item() == regret
    True

    Where actions come and go, a step begins with an offer: a dictionary with ``context``,
    ``actions`` and, if some may not be chosen, ``excluded``. These are the arguments of
    ``agent.choose``:

    >>> problem = sau.Problem("clicks", offered=2)
    >>> agent = problem.agent("hashed_linear+sau_sampling")
    >>> offer, info = problem.reset()
    >>> sorted(offer["context"]), sorted(offer["actions"][0])
    (['device', 'segment'], ['id', 'price', 'topic'])
    >>> choice = agent.choose(**offer)
    >>> offer, reward, terminated, truncated, info = problem.step(choice.action)
    >>> agent.learn(choice, reward)
    """

    def __init__(
        self, problem: str, *, seed: int = 1, trial: int = 0, **settings: Setting
    ) -> None:
        super().__init__(
            problem_spec(problem, settings),
            whole_number("seed", seed, 0, 2**64 - 1),
            whole_number("trial", trial, 0, 2**64 - 1),
        )

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts the trial over and returns its first context or offer and an empty dictionary.

        Another `seed`, or ``options={"trial": 3}``, makes it another trial.
        """
        trial = None if options is None else options.get("trial")
        return _seen(self._reset(seed, trial)), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays an action and returns what the next step begins with, the reward, False, False, and
        ``{"regret": ...}``.

        `action` is a number from 0. Where actions come and go, it is the place in the offer,
        ``choice.action``.
        """
        now, reward, regret = self._step(whole_number("action", action, 0, 2**32 - 1))
        return _seen(now), reward, False, False, {"regret": regret}

    def agent(self, agent: str, **settings: Setting) -> Agent:
        """The agent that plays this trial of this problem in a run, with the same random stream."""
        params = {
            "agent": agent,
            "n_actions": self.n_actions,
            "context_dim": self.context_dim,
            "seed": self.seed,
            **settings,
        }
        if self.context_dim is None:
            spec = offer_agent_spec(agent, settings)
        else:
            spec = agent_spec(agent, settings, self.context_dim)
        return Agent._in_trial(params, self.trial, self._agent_scope(spec))

    def __repr__(self) -> str:
        return f"Problem({self.spec!r}, seed={self.seed}, trial={self.trial})"


def _seen(given: npt.NDArray[np.float64] | str) -> Any:
    """What a step begins with: a context, or an offer, which comes as the JSON of a request."""
    if not isinstance(given, str):
        return given
    request = json.loads(given)
    offer = {
        "context": _plain(request["contextFeatures"]),
        "actions": [_plain_action(action) for action in request["actions"]],
    }
    excluded = request.get("excludedActions")
    return {**offer, "excluded": excluded} if excluded else offer


def _plain(features: list[Any]) -> Any:
    """Unpacks a list of one dictionary: the features are the same, and easier to read."""
    if not features:
        return {}
    return features[0] if len(features) == 1 and isinstance(features[0], dict) else features


def _plain_action(action: dict[str, Any]) -> dict[str, Any]:
    """Puts the features beside the id, unless one has a name that means something else there."""
    features = _plain(action.get("features", []))
    if not isinstance(features, dict) or features.keys() & {"id", "features"}:
        return action
    return {"id": action["id"], **features}
