"""Contextual bandits with Sample Average Uncertainty: the C++ library, from Python.

The pieces:

``sau.Agent``
    chooses and learns, one context at a time or many, online or from a log; among a fixed set of
    actions, or among actions that are offered by id.
``sau.run``, ``sau.paper``, ``sau.open``
    compare agents over many trials, repeat the paper, read result folders.
``sau.evaluate``
    says what another policy would have earned, from a log of decisions.
``sau.Problem``
    the library's problems, step by step.
``sau.data``
    data sets as arrays, and arrays as problems.
``sau.catalog``
    lists models, strategies, problems and names.

docs/python.md is the guide.

Examples
--------
>>> import sau
>>> agent = sau.Agent("sau_sampling", n_actions=2, seed=1)
>>> for _ in range(300):
...     choice = agent.choose()
...     agent.learn(choice, 1.0 if choice.action == 1 else 0.5)
>>> bool(agent.probabilities()[1] > 0.99)
True
"""

from . import catalog, data
from ._agent import Agent, load
from ._choices import Choices
from ._core import Choice, Error, MissingData, OfferChoice, UsageError, build_info
from ._evaluate import Evaluation, evaluate
from ._knowledge import Member
from ._problem import AgentLike, Problem, ProblemLike
from ._results import CellResult, Results
from ._run import open_results as open
from ._run import paper, run

__version__: str = build_info()["version"]

__all__ = [
    "Agent",
    "AgentLike",
    "CellResult",
    "Choice",
    "Choices",
    "Error",
    "Evaluation",
    "Member",
    "MissingData",
    "OfferChoice",
    "Problem",
    "ProblemLike",
    "Results",
    "UsageError",
    "build_info",
    "catalog",
    "data",
    "evaluate",
    "load",
    "open",
    "paper",
    "run",
]
