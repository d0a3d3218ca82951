"""Files, pickles and copies: the agent continues as if it had never stopped."""

import copy
import pickle

import numpy as np
import pytest

import sau

SPECS = ["sau_sampling", "thompson", "epsilon_greedy", "neural-sau-s"]


def steps(agent, contexts):
    made = []
    for x in contexts:
        choice = agent.choose(x)
        agent.learn(choice, float(choice.action == 1))
        made.append((choice.action, choice.value))
    return made


def through_file(agent, tmp_path):
    agent.save(tmp_path / "one.agent")
    return sau.load(tmp_path / "one.agent")


KEEP = {
    "file": through_file,
    "pickle": lambda agent, _: pickle.loads(pickle.dumps(agent)),
    "deepcopy": lambda agent, _: copy.deepcopy(agent),
    "copy": lambda agent, _: copy.copy(agent),
}


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("way", KEEP)
def test_a_kept_agent_continues_identically(spec, way, rng, tmp_path):
    contexts = rng.normal(size=(150, 3))
    agent = sau.Agent(spec, context_dim=3, n_actions=3, seed=9)
    steps(agent, contexts[:70])
    kept = KEEP[way](agent, tmp_path)
    assert kept.spec == agent.spec
    assert steps(kept, contexts[70:]) == steps(agent, contexts[70:])


def test_a_copy_is_independent(rng):
    agent = sau.Agent("sau_ucb", context_dim=2, n_actions=2)
    twin = copy.deepcopy(agent)
    state = twin._state()
    steps(agent, rng.normal(size=(10, 2)))
    assert twin._state() == state


def test_copies_keep_parameters_and_attributes():
    class Mine(sau.Agent):
        pass

    agent = Mine("sau_ucb", n_actions=2, alpha=0.5)
    agent.note = ["kept"]
    for kept in (copy.deepcopy(agent), pickle_in_module(agent)):
        assert type(kept).__name__ == type(agent).__name__
        assert kept.get_params() == agent.get_params()
        assert kept.note == ["kept"] and kept.note is not agent.note
        assert kept.context_dim is None
        kept.choose([1.0])
        assert kept.spec == "linear+sau_ucb(alpha=0.5)"


def pickle_in_module(agent):
    """A class inside a function cannot be pickled, so this pickles its base class."""
    plain = sau.Agent("sau_ucb", n_actions=2, alpha=0.5)
    plain.__dict__.update(agent.__dict__)
    kept = pickle.loads(pickle.dumps(plain))
    kept.__class__ = type(agent)
    return kept


def test_a_pickled_choice_can_be_learned_later():
    agent, twin = (sau.Agent("linear+sau_sampling", context_dim=2, n_actions=2) for _ in "ab")
    choice, same = agent.choose([1.0, -1.0]), twin.choose([1.0, -1.0])
    kept = pickle.loads(pickle.dumps(choice))
    assert (kept.action, kept.value, kept.probability) == tuple(choice)
    assert kept.context.tolist() == [1.0, -1.0]
    agent.learn(kept, 1.0)
    twin.learn(same, 1.0)
    assert agent._state() == twin._state()
    # After learning, the probability is no longer known, but the rest is.
    stale = agent.choose([1.0, 1.0])
    agent.learn(stale, 0.0)
    late = pickle.loads(pickle.dumps(stale))
    assert late.value == stale.value
    with pytest.raises(sau.Error, match="not known"):
        late.probability


def test_the_probability_outlives_the_agent():
    agent = sau.Agent("uniform", n_actions=4, context_dim=0)
    choice = agent.choose()
    del agent
    assert choice.probability == 0.25


def test_a_file_keeps_the_parameters(tmp_path):
    path = tmp_path / "one.agent"
    sau.Agent("sau_ucb", n_actions=3, context_dim=2, seed=5, alpha=0.5).save(str(path))
    loaded = sau.load(str(path))
    assert loaded.get_params() == {
        "agent": "linear+sau_ucb(alpha=0.5)",
        "n_actions": 3,
        "context_dim": 2,
        "seed": 5,
    }


def test_errors_name_missing_wrong_and_damaged_files(tmp_path):
    with pytest.raises(sau.Error, match="nowhere.agent"):
        sau.load(tmp_path / "nowhere.agent")
    path = tmp_path / "text.agent"
    path.write_text("hello")
    with pytest.raises(sau.Error, match="text.agent: is not a sau agent file"):
        sau.load(path)
    agent = sau.Agent("sau_ucb", n_actions=3, context_dim=0)
    agent.save(path)
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(sau.Error, match="is damaged"):
        sau.load(path)


def test_an_agent_without_a_shape_cannot_be_saved(tmp_path):
    with pytest.raises(sau.UsageError, match="give context_dim"):
        sau.Agent("sau_ucb", n_actions=3).save(tmp_path / "one.agent")
    assert not list(tmp_path.iterdir())


def test_arrays_of_choices_can_be_kept(rng):
    agent = sau.Agent("linear+sau_sampling", n_actions=3)
    choices = agent.choose_batch(rng.normal(size=(6, 2)), probability=True)
    kept = pickle.loads(pickle.dumps(choices))
    np.testing.assert_array_equal(kept.actions, choices.actions)
    np.testing.assert_array_equal(kept.probabilities, choices.probabilities)
