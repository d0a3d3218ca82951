"""Agents: a value model and an exploration strategy, by name."""

from __future__ import annotations

import copy
import os
import secrets
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from . import _core
from ._choices import Choices
from ._estimator import Rows, empty
from ._knowledge import InspectedAgent
from ._spec import Setting, agent_spec, offer_agent_spec


class Agent(InspectedAgent):
    """An agent that chooses among actions and learns from their rewards.

    Parameters
    ----------
    agent : str, default "sau"
        The default is a committee of models that suits most problems (docs/committee.md).
        Otherwise write it as on the command line: a name from the paper (``"neural-sau-s"``), a
        strategy (``"sau_ucb"``) or both parts with settings
        (``"linear(lambda=2)+sau_sampling(alpha=0.5)"``). ``sau.catalog`` lists them.
    n_actions : int, optional
        The number of actions. They are counted from 0. Without it actions may come and go: every
        call offers them by id, with their features.
    context_dim : int, optional
        The length of a context; 0 if there are no contexts. Without it the first context sets the
        length. If actions are offered, contexts are dictionaries of features and have no length.
    seed : int, default 1
        Selects the random stream. Agents with the same seed draw the same numbers. None draws a
        fresh seed, which ``agent.seed`` and ``repr(agent)`` show.
    **settings
        Settings of the model or the strategy, which override those in `agent`. ``lambda`` is
        written ``lambda_``. If both parts have a setting of the same name, write ``model__alpha``
        or ``strategy__alpha`` (or ``ids__dim`` for the part ``ids``). A list is one setting:
        ``hidden=(100, 100)``.

    See Also
    --------
    run : compare agents over many trials.

    Notes
    -----
    Use an agent from one thread at a time. Methods that take many contexts let other threads run
    meanwhile; if one of those calls the same agent, the call is refused.

    Examples
    --------
    Choose, play, learn:

    >>> import sau
    >>> agent = sau.Agent("linear+sau_sampling", context_dim=2, n_actions=3, seed=1)
    >>> for n in range(200):
    ...     x = [1.0, n % 2]
    ...     choice = agent.choose(x)
    ...     reward = 1.0 if choice.action == (2 if n % 2 else 0) else 0.0
    ...     agent.learn(choice, reward)
    >>> agent.predict([[1.0, 0.0], [1.0, 1.0]]).tolist()
    [0, 2]

    Learn from a log of somebody else's decisions:

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> X, actions = rng.normal(size=(500, 2)), rng.integers(3, size=500)
    >>> rewards = np.where(actions == 1, X[:, 0], 0.0)
    >>> agent = sau.Agent("linear+sau_ucb", n_actions=3).fit(X, actions, rewards)
    >>> agent.predict([[2.0, 0.0], [-2.0, 0.0]]).tolist()
    [1, 0]

    Choose among actions that come and go:

    >>> agent = sau.Agent("hashed_linear+sau_sampling", seed=1)
    >>> for n in range(300):
    ...     device = "mobile" if n % 2 else "desktop"
    ...     choice = agent.choose({"device": device}, ["short", {"id": "long", "minutes": 9}])
    ...     agent.learn(choice, float((choice.id == "short") == (device == "mobile")))
    >>> chances = agent.probabilities({"device": "mobile"}, ["short", {"id": "long", "minutes": 9}])
    >>> bool(chances[0] > 0.9)
    True
    """

    def __init__(
        self,
        agent: str = "sau",
        *,
        n_actions: int | None = None,
        context_dim: int | None = None,
        seed: int | None = 1,
        **settings: Setting,
    ) -> None:
        super().__init__()
        self._trial, self._params = (0, 0), {}
        self._adopt(
            {
                "agent": agent,
                "n_actions": n_actions,
                "context_dim": context_dim,
                "seed": seed,
                **settings,
            }
        )

    # Making, copying, saving

    def _adopt(self, params: dict[str, Any]) -> None:
        """Takes these parameters, or raises an error and keeps the old ones."""
        if params["seed"] is None:
            params = {**params, "seed": secrets.randbits(32)}
        whole_number("seed", params["seed"], 0, 2**64 - 1)
        dim = params["context_dim"]
        if params["n_actions"] is None:
            self._adopt_offers(params)
            return
        whole_number("n_actions", params["n_actions"], 1, 2**32 - 1)
        if dim is not None:
            whole_number("context_dim", dim, 0, 2**32 - 1)
        spec = agent_spec(params["agent"], _settings_in(params), 1 if dim is None else int(dim))
        if self._has_offers:
            raise _core.UsageError(
                "n_actions: the agent was made for actions that are offered by id; make another"
            )
        before, self._params = self._params, params
        if self._turn > 0:  # what it learned stays until fit() starts over
            return
        try:
            if dim is not None:
                self._launch(spec, int(dim))
            elif self._shape is not None:
                self._begin(self._shape[1])
        except Exception:
            self._params = before
            raise

    def _adopt_offers(self, params: dict[str, Any]) -> None:
        """Does what `_adopt` does, for an agent to which actions are offered."""
        if params["context_dim"] is not None:
            raise _core.UsageError(
                "n_actions is missing; without it actions are offered by id, contexts are "
                "dictionaries, and there is no context_dim"
            )
        spec = offer_agent_spec(params["agent"], _settings_in(params))
        if self._shape is not None:
            raise _core.UsageError("n_actions: the agent was made for a fixed set of actions")
        if self._turn > 0:
            raise _core.UsageError("the agent has chosen or learned already; make another one")
        # An agent outside of a trial has the streams of a service with the same agent and seed, so
        # both learn the same.
        trial, scope = self._trial
        self._start_offers(spec, int(params["seed"]), trial, scope or _core.scope(spec))
        self._params = params

    def _begin(self, context_dim: int) -> None:
        """Makes the agent, once the length of a context is known."""
        params = self._params
        if params["n_actions"] is None:
            raise _core.UsageError("rows of contexts need an agent that was made with n_actions")
        given = params["context_dim"]
        dim = context_dim if given is None else int(given)
        self._launch(agent_spec(params["agent"], _settings_in(params), dim), dim)

    def _launch(self, spec: str, context_dim: int) -> None:
        params = self._params
        self._start(spec, int(params["n_actions"]), context_dim, int(params["seed"]), *self._trial)

    @classmethod
    def _in_trial(cls, params: dict[str, Any], trial: int, scope: int) -> Self:
        agent = empty(cls)
        agent._trial = (trial, scope)
        agent._adopt(params)
        return agent

    def __copy__(self) -> Self:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = empty(type(self))
        memo[id(self)] = twin
        twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
        twin._copy_from(self)
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return empty, (type(self),), self.__getstate__()

    def __getstate__(self) -> dict[str, Any]:
        learned: tuple[Any, ...] | None = None
        if self._has_offers:
            learned = (self._spec, self._state())
        elif self._shape is not None:
            learned = (self._spec, *self._shape, self._state())
        return {"attributes": self.__dict__, "learned": learned}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state["attributes"])
        learned = state["learned"]
        if learned is None:
            return
        if len(learned) == 2:
            self._restore_offers(*learned)
        else:
            self._restore(*learned)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the agent to a file, which ``sau.load`` and the C++ library read.

        It writes the whole file or nothing. A loaded agent continues as if it had never stopped.

        Examples
        --------
        >>> import pathlib, sau, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "my.agent"
        >>> sau.Agent("sau_ucb", n_actions=3, context_dim=0).save(path)
        >>> sau.load(path)
        Agent('sample_mean+sau_ucb', n_actions=3, context_dim=0, seed=1)
        """
        self._save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Reads an agent file.

        Raises
        ------
        Error
            If it is not an agent file, is damaged, or has a newer format.
        """
        agent = empty(cls)
        agent._load(os.fspath(path))
        seed, trial, scope = agent._stream
        agent._trial = (trial, scope)
        actions, dim = agent._shape or (None, None)
        agent._params = {
            "agent": agent._spec,
            "n_actions": actions,
            "context_dim": dim,
            "seed": seed,
        }
        return agent

    # Description

    @property
    def context_dim(self) -> int | None:
        """The length of a context; None until it is known, or if actions are offered."""
        if self._shape is not None:
            return self._shape[1]
        dim = self._params["context_dim"]
        return None if dim is None else int(dim)

    @property
    def seed(self) -> int:
        """The seed of the random stream."""
        return int(self._params["seed"])

    @property
    def spec(self) -> str:
        """The canonical spec, model+strategy or model+strategy+ids(...).

        Asking for it is an error while context_dim is not known.
        """
        return self._spec

    @property
    def reward_range(self) -> tuple[float, float]:
        """The smallest and the largest reward it learns from."""
        return self._reward_range

    @property
    def fault(self) -> str | None:
        """Why the agent cannot go on, for example a diverged network; None while all is well."""
        return self._fault

    def __repr__(self) -> str:
        params = dict(self._params)
        name = params.pop("agent")
        if self._has_offers:
            del params["n_actions"], params["context_dim"]
        else:
            params["context_dim"] = self.context_dim
        parts = [repr(name), *(f"{key}={value!r}" for key, value in params.items())]
        return f"{type(self).__name__}({', '.join(parts)})"

    # Many contexts

    def choose_batch(self, contexts: Rows, *, probability: bool = False) -> Choices:
        """Chooses an action for each of many contexts, without learning in between.

        Parameters
        ----------
        contexts : array_like of shape (n, context_dim)
        probability : bool, default False
            Whether to work out the chance that each chosen action had.
        """
        actions, values, chances, rows = self._choose_batch(contexts, probability)
        return Choices(actions, values, rows, chances)

    def learn_batch(self, choices: Choices, rewards: npt.ArrayLike) -> None:
        """Learns the rewards of many choices in order. If one is wrong, it learns none of them.

        Choices that it has learned from already are refused. If Ctrl-C ended it in the middle, the
        same call again learns the rest.
        """
        self._learn_batch(
            choices.contexts, choices.actions, choices.values, rewards, choices._learned_by
        )

    def merge(self, other: Agent) -> None:
        """Adds to this agent what `other` learned separately.

        Both must have started as new agents of the same spec and shape, with a model that is a sum,
        such as ``sample_mean`` or ``beta_bernoulli``.
        """
        self._merge(other)

    # Parameters, as scikit-learn has them

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters it was made with, settings included."""
        return dict(self._params)

    def set_params(self, **params: Any) -> Self:
        """Changes parameters.

        An agent that has neither chosen nor learned yet is made again with them. Otherwise they
        take effect at the next ``fit``, as in scikit-learn: nothing that was learned is lost. If
        actions are offered there is no ``fit``, so a used agent refuses new parameters.
        """
        self._adopt({**self._params, **params})
        return self


def load(path: str | os.PathLike[str]) -> Agent:
    """Reads an agent file that ``Agent.save`` or the C++ library wrote."""
    return Agent.load(path)


def whole_number(name: str, value: Any, low: int, high: int) -> int:
    """Returns the number, or raises a UsageError that names it."""
    good = isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))
    if not good or not low <= value <= high:
        raise _core.UsageError(
            f"{name}={value!r} is not allowed; expected a whole number from {low} to {high}"
        )
    return int(value)


def _settings_in(params: dict[str, Any]) -> dict[str, Setting]:
    own = ("agent", "n_actions", "context_dim", "seed")
    return {key: value for key, value in params.items() if key not in own}
