"""Actions that are offered by id, each with its own features."""

import copy
import math
import pickle
from collections import Counter
from decimal import Decimal
from types import MappingProxyType

import numpy as np
import pytest

import sau

def every_agent():
    """Every model with every strategy that fits it. Networks are small and train early."""
    settings = {model.name: {setting.name for setting in model.settings}
                for model in sau.catalog.models()}
    for strategy in sau.catalog.strategies():
        for model in strategy.fits:
            small = "(hidden=8,batch=4,every=5,start=5)" if "hidden" in settings[model] else ""
            yield f"{model}{small}+{strategy.name}"


AGENTS = [
    *every_agent(),
    "hashed_linear+sau_ucb(floor=0.1)",
    "hashed_linear+epsilon_greedy(epsilon=0.3)",
    "linear+sau_ucb+ids(dim=8)",
    "linear_posterior+thompson+ids(by=features,dim=8)",
]

ACTIONS = [{"id": "a", "topic": "x"}, {"id": "b", "topic": "y", "price": 2.5}, "c"]


def play(agent, steps, seed=0):
    """Some steps of a world in which "b" is best on mobiles and "c" elsewhere."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(steps):
        device = ["mobile", "desktop"][rng.integers(2)]
        choice = agent.choose(context={"device": device, "age": int(rng.integers(9))},
                              actions=ACTIONS)
        agent.learn(choice, float(choice.id == ("b" if device == "mobile" else "c")))
        made.append((choice.id, choice.value, choice.probability))
    return made


def test_the_choice_has_id_place_value_and_probability():
    agent = sau.Agent("hashed_linear+epsilon_greedy", epsilon=0.3, seed=1)
    choice = agent.choose(context={"device": "mobile", "age": 31}, actions=ACTIONS)
    assert isinstance(choice, sau.OfferChoice)
    assert choice.id == "abc"[choice.action]
    assert choice.value == 0.0
    assert choice.probability == pytest.approx(0.8 if choice.action == 0 else 0.1, abs=1e-12)
    assert repr(choice) == (f"OfferChoice(id='{choice.id}', action={choice.action}, value=0, "
                            f"probability={choice.probability!r})")


@pytest.mark.parametrize("spec", AGENTS)
def test_every_agent_of_the_catalogue_takes_offers(spec):
    agent = sau.Agent(spec, seed=3)
    play(agent, 60)
    assert agent.fault is None
    context = {"device": "mobile", "age": 3}
    chances = agent.probabilities(context, ACTIONS)
    assert chances.shape == (3,) and chances.sum() == pytest.approx(1.0, abs=1e-12)
    assert agent.values(context=context, actions=ACTIONS).shape == (3,)
    choice = agent.choose(context, ACTIONS)
    assert choice.probability == chances[choice.action]
    assert choice.value == agent.values(context, ACTIONS)[choice.action]


@pytest.mark.parametrize("spec", ["hashed_linear+sau_sampling", "linear+sau_sampling",
                                  "hashed_mlp+sau_sampling"])
def test_a_better_action_is_found(spec):
    agent = sau.Agent(spec)
    play(agent, 600)
    assert agent.probabilities({"device": "mobile", "age": 4}, ACTIONS)[1] > 0.8
    assert agent.probabilities({"device": "desktop", "age": 4}, ACTIONS)[2] > 0.8


def test_choices_follow_the_probabilities():
    agent = sau.Agent("hashed_linear+sau_sampling", seed=5)
    play(agent, 20)
    context = {"device": "mobile", "age": 2}
    chances = agent.probabilities(context, ACTIONS)
    count = Counter(agent.choose(context, ACTIONS).action for _ in range(20_000))
    for action, chance in enumerate(chances):
        error = 4 * math.sqrt(20_000 * chance * (1 - chance)) + 1
        assert abs(count[action] - 20_000 * chance) < error


def test_asking_for_probabilities_and_values_changes_nothing():
    asked, silent = (sau.Agent("hashed_linear+sau_sampling") for _ in "ab")
    play(asked, 10)
    play(silent, 10)
    asked.probabilities({"age": 1}, ACTIONS), asked.values({"age": 1}, ACTIONS)
    assert asked._state() == silent._state()


# A network in single precision cannot compute with such numbers.
@pytest.mark.parametrize("model", ["mlp", "neural_linear"])
@pytest.mark.parametrize("ids", ["", "+ids(by=features)"])
def test_a_huge_number_does_not_spoil_a_deep_agent(model, ids):
    spec = f"{model}(hidden=8,batch=4,every=5,start=5)+sau_sampling{ids}"
    asked, silent = (sau.Agent(spec) for _ in "ab")
    play(asked, 60)
    play(silent, 60)
    for huge in (1e10, 1e20, 3.4e38, -3.4e38):
        context, actions = {"age": huge}, [{"id": "a", "price": huge}, "b"]
        chances = asked.probabilities(context, actions)
        assert chances.sum() == pytest.approx(1.0, abs=1e-12)
        assert np.isfinite(asked.values(context, actions)).all()
    assert asked._state() == silent._state()
    choice = asked.choose({"age": 3.4e38}, ACTIONS)
    asked.learn(choice, 1.0)
    play(asked, 60)
    assert asked.fault is None
    usual = {"device": "mobile", "age": 3}
    assert len(set(asked.values(usual, ACTIONS).tolist())) > 1


def test_excluded_actions_are_not_chosen():
    agent = sau.Agent("hashed_linear+sau_sampling", seed=1)
    for excluded in (["a", "c"], ("a", "c"), {"a", "c", "never offered"}):
        chances = agent.probabilities({"age": 1}, ACTIONS, excluded=excluded)
        assert chances.tolist() == [0.0, 1.0, 0.0]
        assert agent.choose({"age": 1}, ACTIONS, excluded=excluded).id == "b"
    with pytest.raises(sau.UsageError, match="all actions are excluded"):
        agent.choose({"age": 1}, ACTIONS, excluded=["a", "b", "c"])


def test_actions_come_and_go():
    agent = sau.Agent("hashed_linear+epsilon_greedy", epsilon=0.5)
    for n in range(200):
        choice = agent.choose({"n": 1.0}, [f"new-{n}", "old"])
        agent.learn(choice, 1.0 if choice.id == "old" else 0.0)
    assert agent.values({"n": 1.0}, ["old"])[0] > 0.9


def test_late_rewards_and_pickled_choices():
    agent, twin = (sau.Agent("hashed_linear+sau_sampling", seed=2) for _ in "ab")
    play(agent, 30)
    play(twin, 30)
    waiting = [agent.choose({"age": n}, ACTIONS) for n in range(10)]
    same = [twin.choose({"age": n}, ACTIONS) for n in range(10)]
    for choice, other in zip(reversed(waiting), reversed(same)):
        kept = pickle.loads(pickle.dumps(choice))
        assert (kept.id, kept.action, kept.value, kept.probability) == (
            other.id, other.action, other.value, other.probability)
        agent.learn(kept, 0.5)
        twin.learn(copy.copy(other), 0.5)
    assert agent._state() == twin._state()


def test_a_choice_can_be_made_again_from_its_parts():
    agent, twin = (sau.Agent("hashed_linear+sau_sampling") for _ in "ab")
    context = {"device": "mobile"}
    choice = agent.choose(context, ACTIONS)
    agent.learn(choice, 1.0)
    twin.choose(context, ACTIONS)
    anew = sau.OfferChoice(ACTIONS[choice.action], choice.value, context, action=choice.action)
    assert (anew.id, anew.action) == (choice.id, choice.action)
    twin.learn(anew, 1.0)
    assert agent._state() == twin._state()
    with pytest.raises(sau.Error, match="not known"):
        anew.probability
    with pytest.raises(sau.Error, match="not known"):
        pickle.loads(pickle.dumps(anew)).probability
    with pytest.raises(sau.UsageError, match="value is not finite"):
        sau.OfferChoice("a", math.nan)
    with pytest.raises(sau.UsageError, match="probability 2 is not allowed"):
        sau.OfferChoice("a", 0.0, probability=2)
    with pytest.raises(sau.UsageError, match="action -1 is not allowed"):
        sau.OfferChoice("a", 0.0, action=-1)
    with pytest.raises(sau.UsageError, match="offered: expected an id"):
        sau.OfferChoice(3, 0.0)


def through_a_file(agent, folder):
    agent.save(folder / "one.agent")
    return sau.load(folder / "one.agent")


KEEP = {
    "pickle": lambda agent, folder: pickle.loads(pickle.dumps(agent)),
    "deepcopy": lambda agent, folder: copy.deepcopy(agent),
    "copy": lambda agent, folder: copy.copy(agent),
    "file": through_a_file,
}


@pytest.mark.parametrize("spec", AGENTS)
@pytest.mark.parametrize("way", KEEP)
def test_a_kept_agent_continues_identically(spec, way, tmp_path):
    agent = sau.Agent(spec, seed=9)
    play(agent, 40)
    kept = KEEP[way](agent, tmp_path)
    assert (kept.spec, kept.seed, kept.n_actions) == (agent.spec, 9, None)
    assert play(kept, 40, seed=1) == play(agent, 40, seed=1)
    assert kept._state() == agent._state()


def test_a_copy_is_independent():
    agent = sau.Agent("hashed_linear+sau_sampling")
    twin = copy.deepcopy(agent)
    state = twin._state()
    play(agent, 10)
    assert twin._state() == state


def test_the_seed_decides():
    def ids(seed):
        agent = sau.Agent("hashed_linear+sau_sampling", seed=seed)
        return [agent.choose({}, list("abcde")).id for _ in range(40)]

    assert ids(1) == ids(1)
    assert ids(1) != ids(2)


def test_names_and_settings():
    assert sau.Agent("sau_sampling").spec == "hashed_linear+sau_sampling"
    assert sau.Agent("hashed_linear").spec == "hashed_linear+sau_sampling"
    agent = sau.Agent("linear+sau_ucb", alpha=0.5, lambda_=2, dim=16)
    assert agent.spec == "linear(lambda=2)+sau_ucb(alpha=0.5)+ids(dim=16)"
    assert agent.spec == sau.Agent(agent.spec).spec
    assert sau.Agent("linear+sau_ucb", ids__dim=16, strategy__alpha=1).spec == (
        "linear+sau_ucb+ids(dim=16)")
    assert repr(agent) == "Agent('linear+sau_ucb', seed=1, alpha=0.5, lambda_=2, dim=16)"
    assert eval(repr(agent), {"Agent": sau.Agent}).spec == agent.spec
    assert (agent.n_actions, agent.context_dim) == (None, None)
    with pytest.raises(sau.UsageError, match="did you mean 'alpha'"):
        sau.Agent("linear+sau_ucb", alpah=1)
    with pytest.raises(sau.UsageError, match="n_actions is missing"):
        sau.Agent("linear+sau_ucb", context_dim=3)


def test_parameters_can_be_changed_until_the_agent_is_used():
    agent = sau.Agent("sau_ucb")
    assert agent.set_params(alpha=2).spec == "hashed_linear+sau_ucb(alpha=2)"
    agent.choose({}, ["a"])
    with pytest.raises(sau.UsageError, match="make another"):
        agent.set_params(alpha=3)
    assert agent.spec == "hashed_linear+sau_ucb(alpha=2)"


def test_python_and_numpy_types_are_read_like_their_json_equivalents():
    rows = [
        ({"n": 3}, [{"n": 3.0}, {"n": np.int64(3)}, {"n": np.float32(3)}, {"n": Decimal(3)},
                    {"n": 3, "nothing": None}, {"n": 3, "zero": 0}, MappingProxyType({"n": 3}),
                    [{"n": 3}], ({"n": 3}, {})]),
        ({"on": True}, [{"on": np.bool_(True)}, {"on": "true"}]),
        ({"v": [1.0, 2.0]}, [{"v": (1, 2)}, {"v": np.array([1.0, 2.0])}, {"v": np.array([1, 2])},
                             {"v": [np.float64(1), np.int8(2)]}, {"v": [Decimal(1), 2]}]),
        ({"t": ["x", "y"]}, [{"t": np.array(["x", "y"])}, {"t": ("x", np.str_("y"))}]),
        ({"u": {"a": 1}}, [{"u": MappingProxyType({"a": 1})}, {"u": [{"a": 1}]}]),
    ]
    for expected, spellings in rows:
        for side in ("context", "action"):
            wanted = features_of(expected, side)
            assert wanted
            for spelling in spellings:
                if side == "action" and isinstance(spelling, (list, tuple)):
                    spelling = {"features": spelling}
                assert features_of(spelling, side) == wanted, spelling
    different = [{"n": 3}, {"n": 4}, {"n": "3"}, {"m": 3}, {"n": [3]}, {"n": {"n": 3}}, {"n": True}]
    assert len({features_of(one, "context") for one in different}) == len(different)
    assert features_of({"n": 3}, "context") != features_of({"n": 3}, "action")


def features_of(features, side):
    """The hashed features that a choice keeps."""
    if side == "context":
        return sau.OfferChoice("a", 0.0, features).__reduce__()[1][4]
    return sau.OfferChoice({**features, "id": "a"}, 0.0).__reduce__()[1][5]


def test_an_action_may_be_written_as_for_the_service():
    here = {"id": "a", "size": 1, "user": {"age": 3}}
    there = {"id": "a", "features": [{"size": 1}, {"user": {"age": 3}}]}
    assert (sau.OfferChoice(here, 0.0).__reduce__()[1] == sau.OfferChoice(there, 0.0).__reduce__()[1])


class Odd:
    pass


@pytest.mark.parametrize(
    "context, actions, message",
    [
        ({"a": {"b": Odd()}}, ["x"], r"context\.a\.b: expected a text, a number, .* found Odd"),
        ({"a": math.nan}, ["x"], r"context\.a: the number is nan"),
        ({"a": math.inf}, ["x"], r"context\.a: the number is inf"),
        ({"a": 1e39}, ["x"], r"context\.a: the number is 1e\+39; expected a number within"),
        ({"a": 10**400}, ["x"], r"context\.a: the number is too large"),
        ({"a": [1, {"b": 1j}]}, ["x"], r"context\.a\.b: .*found complex"),
        ({3: 1}, ["x"], "context: the key 3 is not a text"),
        ({"\ud800": 1}, ["x"], "context: a text is not valid Unicode"),
        ({"a": "\ud800"}, ["x"], r"context\.a: a text is not valid Unicode"),
        ({"a": {"b": {"c": {"d": 1}}}}, ["x"], r"context\.a\.b\.c: .*nested deeper than 3"),
        ({"a": [[[1]]]}, ["x"], r"context\.a: .*nested deeper than 3"),
        ({"a": list(range(1, 100_003))}, ["x"], "more than 100000 features"),
        ([1.0, 2.0], ["x"], "context: expected a dictionary of features.* found float"),
        ("mobile", ["x"], "context: expected a dictionary of features.* found str"),
        ({}, None, "actions is missing"),
        ({}, [], "there is no action to choose from"),
        ({}, "xyz", "actions: expected a list of actions, found str"),
        ({}, 3, "actions: expected a list of actions, found int"),
        ({}, {"id": "x"}, "actions: expected a list of actions, found dict"),
        ({}, ["x", 3], r"actions\[1\]: expected an id, or a dictionary with \"id\", found int"),
        ({}, ["x", {"topic": 1}], r"actions\[1\]\.id: expected a text, found nothing"),
        ({}, [{"id": 7}], r"actions\[0\]\.id: expected a text, found int"),
        ({}, ["x", ""], r"actions\[1\]\.id: an id is not empty"),
        ({}, ["x" * 257], r"actions\[0\]\.id: an id has at most 256 bytes, not 257"),
        ({}, ["x", "y", "x"], r"actions\[2\]\.id: the id 'x' is that of actions\[0\] as well"),
        ({}, ["x", {"id": "y", "p": Odd()}], r"actions\[1\]\.p: expected"),
        ({}, [{"id": "y", "features": 3}], r"actions\[0\]\.features: expected a dictionary"),
    ],
)
def test_wrong_offers_are_refused_by_name(context, actions, message):
    agent = sau.Agent("hashed_linear+sau_sampling")
    for call in (agent.choose, agent.probabilities, agent.values):
        with pytest.raises(sau.UsageError, match=message):
            call(context=context, actions=actions)
    assert agent._turn == 0


def test_reading_an_offer_may_run_code_of_the_caller():
    agent = sau.Agent("hashed_linear+sau_sampling")
    actions = [{"id": "a"}, "b", "c"]

    class Sly:
        def __float__(self):
            actions.clear()
            agent.__setstate__(sau.Agent("hashed_linear+sau_ucb").__getstate__())
            return 1.0

    actions[0]["n"] = Sly()
    with pytest.raises(sau.UsageError, match="became shorter"):
        agent.choose({}, actions)
    assert agent.choose({"n": Sly()}, ["a"]).id == "a"

    class Failing:
        def __float__(self):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        agent.choose({"n": Failing()}, ["a"])


def test_excluded_must_be_ids():
    agent = sau.Agent("hashed_linear+sau_sampling")
    with pytest.raises(sau.UsageError, match="excluded: expected a list of ids, found str"):
        agent.choose({}, ["a", "b"], excluded="a")
    with pytest.raises(sau.UsageError, match=r"excluded\[0\]: expected the id of an action"):
        agent.choose({}, ["a", "b"], excluded=[1])


def test_fixed_and_offered_actions_are_not_mixed_up(tmp_path):
    fixed = sau.Agent("linear+sau_ucb", n_actions=2, context_dim=1)
    offers = sau.Agent("linear+sau_ucb")
    assert fixed.choose(context=[1.0]).action in (0, 1)
    with pytest.raises(sau.UsageError, match="fixed set of actions"):
        fixed.choose([1.0], ["a", "b"])
    with pytest.raises(sau.UsageError, match="fixed set of actions"):
        fixed.probabilities([1.0], excluded=["a"])
    with pytest.raises(sau.UsageError, match="fixed set of actions"):
        fixed.learn(offers.choose({}, ["a"]), 1.0)
    with pytest.raises(TypeError, match="two names for the same argument"):
        offers.choose({}, ["a"], context={})
    with pytest.raises(sau.UsageError, match="without n_actions"):
        offers.learn(fixed.choose([1.0]), 1.0)
    rows = [[1.0]], [0], [1.0]
    for call in (lambda: offers.partial_fit(*rows), lambda: offers.choose_batch([[1.0]]),
                 lambda: offers.merge(offers), lambda: offers.learn(sau.Choice(0, 0.0), 1.0)):
        with pytest.raises(sau.UsageError, match="without n_actions"):
            call()
    with pytest.raises(sau.UsageError, match="made with n_actions"):
        offers.fit(*rows)
    with pytest.raises(sau.UsageError, match="linear[+]sau_ucb[+]ids instead"):
        sau.run("linear", offers, trials=1, steps=5)


@pytest.mark.parametrize("reward", [math.nan, math.inf, 1e200])
def test_rewards_that_are_not_finite_or_too_large_are_refused(reward):
    agent = sau.Agent("hashed_linear+sau_ucb")
    choice = agent.choose({}, ["a"])
    state = agent._state()
    with pytest.raises(sau.UsageError, match="reward .* is not allowed"):
        agent.learn(choice, reward)
    assert agent._state() == state
