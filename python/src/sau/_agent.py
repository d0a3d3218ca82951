"""Agents: a value model and an exploration strategy, by name."""

from __future__ import annotations

import copy
import os
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core
from ._choices import Choices
from ._spec import Setting, agent_spec

Rows = npt.ArrayLike
Floats = npt.NDArray[np.float64]


class Agent(_core.Agent):
    """An agent that chooses among actions and learns from their rewards.

    Parameters
    ----------
    agent : str
        What the command line takes: a name of the paper (``"neural-sau-s"``), a strategy
        (``"sau_ucb"``) or both parts with settings
        (``"linear(lambda=2)+sau_sampling(alpha=0.5)"``). ``sau.catalog`` lists them.
    n_actions : int
        The number of actions. They are counted from 0.
    context_dim : int, optional
        The length of a context; 0 where there are none. Without it the first context says it.
    seed : int, default 1
        Names the random stream. Agents of the same seed draw the same numbers.
    **settings
        Settings of model or strategy, which override those in `agent`. ``lambda`` is written
        ``lambda_``; where both parts have a setting of the same name, ``model__alpha`` or
        ``strategy__alpha`` says whose. A list is one setting: ``hidden=(100, 100)``.

    See Also
    --------
    run : compare agents over many trials.

    Notes
    -----
    An agent belongs to one thread at a time. Methods over many contexts let other threads run
    meanwhile; a call from one of them on the same agent is refused.

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

    Learn from a log that somebody else made:

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> X, actions = rng.normal(size=(500, 2)), rng.integers(3, size=500)
    >>> rewards = np.where(actions == 1, X[:, 0], 0.0)
    >>> agent = sau.Agent("linear+sau_ucb", n_actions=3).fit(X, actions, rewards)
    >>> agent.predict([[2.0, 0.0], [-2.0, 0.0]]).tolist()
    [1, 0]
    """

    def __init__(
        self,
        agent: str,
        *,
        n_actions: int,
        context_dim: int | None = None,
        seed: int = 1,
        **settings: Setting,
    ) -> None:
        super().__init__()
        self._trial = (0, 0)  # trial and scope of the random stream
        self._params: dict[str, Any] = {}
        self._adopt(
            {
                "agent": agent,
                "n_actions": n_actions,
                "context_dim": context_dim,
                "seed": seed,
                **settings,
            }
        )

    # Life

    def _adopt(self, params: dict[str, Any]) -> None:
        """Takes parameters, or refuses them and keeps the old ones."""
        whole_number("n_actions", params["n_actions"], 1, 2**32 - 1)
        whole_number("seed", params["seed"], 0, 2**64 - 1)
        dim = params["context_dim"]
        if dim is not None:
            whole_number("context_dim", dim, 0, 2**32 - 1)
        spec = agent_spec(params["agent"], _settings_in(params), 1 if dim is None else int(dim))
        before, self._params = self._params, params
        if self._turn > 0:  # what has been learned stays until fit() begins anew
            return
        try:
            if dim is not None:
                self._launch(spec, int(dim))
            elif self._shape is not None:
                self._begin(self._shape[1])
        except Exception:
            self._params = before
            raise

    def _begin(self, context_dim: int) -> None:
        """Makes the agent, once the length of a context is known."""
        params = self._params
        given = params["context_dim"]
        dim = context_dim if given is None else int(given)
        self._launch(agent_spec(params["agent"], _settings_in(params), dim), dim)

    def _launch(self, spec: str, context_dim: int) -> None:
        params = self._params
        self._start(spec, int(params["n_actions"]), context_dim, int(params["seed"]), *self._trial)

    @classmethod
    def _in_trial(cls, params: dict[str, Any], trial: int, scope: int) -> Self:
        agent = _empty(cls)
        agent._trial = (trial, scope)
        agent._adopt(params)
        return agent

    def __copy__(self) -> Self:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = _empty(type(self))
        memo[id(self)] = twin
        twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
        twin._copy_from(self)
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return _empty, (type(self),), self.__getstate__()

    def __getstate__(self) -> dict[str, Any]:
        learned = None
        if self._shape is not None:
            learned = (self._spec, *self._shape, self._state())
        return {"attributes": self.__dict__, "learned": learned}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state["attributes"])
        if state["learned"] is not None:
            self._restore(*state["learned"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the agent to a file, which ``sau.load`` and the C++ library read.

        The whole file or none of it; a loaded agent goes on as if it had never stopped.

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
            When it is not an agent file, is damaged, or is of a newer format.
        """
        agent = _empty(cls)
        agent._load(os.fspath(path))
        assert agent._shape is not None
        seed, trial, scope = agent._stream
        agent._trial = (trial, scope)
        actions, dim = agent._shape
        agent._params = {
            "agent": agent._spec,
            "n_actions": actions,
            "context_dim": dim,
            "seed": seed,
        }
        return agent

    # What it is

    @property
    def n_actions(self) -> int:
        """The number of actions."""
        return int(self._params["n_actions"])

    @property
    def context_dim(self) -> int | None:
        """The length of a context; None until it is known."""
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
        """The canonical spec, model+strategy. An error while context_dim is not known."""
        return self._spec

    @property
    def reward_range(self) -> tuple[float, float]:
        """The smallest and the largest reward it learns from."""
        return self._reward_range

    @property
    def fault(self) -> str | None:
        """What went wrong for good, as a diverged network; None while all is well."""
        return self._fault

    def __repr__(self) -> str:
        params = dict(self._params)
        name = params.pop("agent")
        params["context_dim"] = self.context_dim
        parts = [repr(name), *(f"{key}={value!r}" for key, value in params.items())]
        return f"{type(self).__name__}({', '.join(parts)})"

    # Many contexts

    def choose_batch(self, contexts: Rows, *, probability: bool = False) -> Choices:
        """Chooses an action for each of many contexts, nothing being learned in between.

        Parameters
        ----------
        contexts : array_like of shape (n, context_dim)
        probability : bool, default False
            Whether to work out the chance that each of the chosen actions had.
        """
        actions, values, chances, rows = self._choose_batch(contexts, probability)
        return Choices(actions, values, rows, chances)

    def learn_batch(self, choices: Choices, rewards: npt.ArrayLike) -> None:
        """Learns what came of many choices, in their order: all of it, or nothing and an error."""
        self._learn_batch(choices.contexts, choices.actions, choices.values, rewards)

    def merge(self, other: Agent) -> None:
        """Adds what `other` learned apart from this agent, since both were new.

        For agents of the same spec and shape whose model is a sum, as ``sample_mean`` and
        ``beta_bernoulli`` are.
        """
        self._merge(other)

    # scikit-learn's habits

    def fit(self, X: Rows, actions: npt.ArrayLike, rewards: npt.ArrayLike | None = None) -> Self:
        """Forgets everything and learns from a log, row by row.

        Parameters
        ----------
        X : array_like of shape (n, context_dim)
            The contexts.
        actions : array_like of int, shape (n,)
            What was played; scikit-learn's ``y``.
        rewards : array_like of float, shape (n,)
            What it paid. In a pipeline whose last step is called ``agent`` write
            ``pipeline.fit(X, actions, agent__rewards=rewards)``.
        """
        if rewards is None:
            raise _core.UsageError(
                "fit: rewards is missing; in a pipeline it is given as <step>__rewards"
            )
        fresh = _empty(type(self))
        fresh._trial, fresh._params = self._trial, self._params
        fresh.partial_fit(X, actions, rewards)
        self._take(fresh)
        return self

    def partial_fit(self, X: Rows, actions: npt.ArrayLike, rewards: npt.ArrayLike) -> Self:
        """Learns from more of a log, row by row, as if the choices had been its own.

        Every row counts as a step. The error of eq. 5 is against the value that the agent would
        have predicted. All rows are checked first: one that is wrong means that nothing is learned.
        Ctrl-C ends it between two rows.
        """
        self._learn_logged(X, actions, rewards)
        return self

    def decision_function(self, X: Rows) -> Floats:
        """The reward predicted for every action, of shape (n, n_actions)."""
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
        """The actions, as scikit-learn calls the columns of ``predict_proba``."""
        return np.arange(self.n_actions)

    @property
    def n_features_in_(self) -> int:
        """The length of a context, as scikit-learn calls it."""
        if self._shape is None:
            raise AttributeError("n_features_in_: the agent has seen no context yet")
        return self._shape[1]

    def __sklearn_is_fitted__(self) -> bool:
        return self._shape is not None

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn 1.6 and later ask of a step of a pipeline."""
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=True))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters it was made with, settings included."""
        return dict(self._params)

    def set_params(self, **params: Any) -> Self:
        """Changes parameters.

        An agent that has neither chosen nor learned yet is made anew with them. Otherwise they
        count from the next ``fit`` on, as in scikit-learn: nothing that was learned is lost.
        """
        self._adopt({**self._params, **params})
        return self


def load(path: str | os.PathLike[str]) -> Agent:
    """Reads an agent file that ``Agent.save`` or the C++ library wrote."""
    return Agent.load(path)


def whole_number(name: str, value: Any, low: int, high: int) -> int:
    """The number, or a UsageError that names it."""
    good = isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))
    if not good or not low <= value <= high:
        raise _core.UsageError(
            f"{name}={value!r} is not allowed; expected a whole number from {low} to {high}"
        )
    return int(value)


def _settings_in(params: dict[str, Any]) -> dict[str, Setting]:
    own = ("agent", "n_actions", "context_dim", "seed")
    return {key: value for key, value in params.items() if key not in own}


def _matrix(X: Rows) -> Rows:
    """X, unless it is one context where many are expected."""
    if not hasattr(X, "shape"):
        try:
            X = np.asarray(X)
        except ValueError as error:
            raise _core.UsageError(f"X: {error}") from None
    shape = X.shape
    if len(shape) != 2:
        raise _core.UsageError(
            f"X: expected two dimensions, one row a context, found an array of shape {shape}"
        )
    return X


_AnyAgent = TypeVar("_AnyAgent", bound=Agent)


def _empty(cls: type[_AnyAgent]) -> _AnyAgent:
    """An agent before its parameters, for copies."""
    agent = cls.__new__(cls)
    _core.Agent.__init__(agent)
    agent._trial, agent._params = (0, 0), {}
    return agent
