"""Problems whose actions come and go, played step by step."""

import json

import pytest

import sau


def play(problem, agent, steps):
    """The sum of regrets and the ids that were chosen."""
    offer, info = problem.reset()
    assert info == {}
    regret, ids = 0.0, []
    for _ in range(steps):
        choice = agent.choose(**offer)
        ids.append(choice.id)
        offer, reward, terminated, truncated, info = problem.step(choice.action)
        assert not terminated and not truncated
        agent.learn(choice, reward)
        regret += info["regret"]
    return regret, ids


def event(device, rewards, **more):
    actions = [{"id": name, "features": [{"kind": name.upper()}], "reward": reward}
               for name, reward in rewards.items()]
    return {"contextFeatures": [{"device": device}], "actions": actions, **more}


def events_file(folder, events):
    path = folder / "shop.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in events))
    return path


@pytest.mark.parametrize("agent", ["hashed_linear+sau_sampling", "linear+sau_ucb", "sau_ucb",
                                   "hashed_mlp(hidden=8,batch=4,every=5,start=5)+sau_sampling"])
def test_a_trial_by_hand_is_a_trial_of_a_run(agent):
    run = sau.run("clicks(articles=20)", agent, trials=2, steps=150, seed=3)
    for trial in range(2):
        problem = sau.Problem("clicks", articles=20, seed=3, trial=trial)
        assert play(problem, problem.agent(agent), 150)[0] == run.regret[0, 0, trial]


def test_a_file_of_events_by_hand_is_a_trial_of_a_run(tmp_path):
    path = events_file(tmp_path, [event("mobile" if n % 3 else "tv", {"a": n % 2, "b": 0.5, "c": 0})
                                  for n in range(40)])
    run = sau.run(f'events(file="{path}")', "hashed_linear+sau_sampling", trials=1, steps=100)
    problem = sau.Problem("events", file=str(path))
    assert problem.default_steps == 40 and problem.reward_range == (0.0, 1.0)
    agent = problem.agent("hashed_linear+sau_sampling")
    assert play(problem, agent, 100)[0] == run.regret.item()


def test_an_offer_has_names():
    problem = sau.Problem("clicks", offered=3, seed=1)
    offer, _ = problem.reset()
    assert set(offer) == {"context", "actions"}
    assert offer["context"]["device"] in ("mobile", "desktop", "tablet")
    assert offer["context"]["segment"] in [f"s{n}" for n in range(6)]
    assert [set(action) for action in offer["actions"]] == [{"id", "topic", "price"}] * 3
    assert all(0.0 <= action["price"] < 1.0 for action in offer["actions"])
    assert problem.n_actions is None and problem.context_dim is None
    assert repr(problem) == "Problem('clicks(offered=3)', seed=1, trial=0)"


def test_a_reset_is_the_same_trial_again_and_a_seed_another():
    problem = sau.Problem("clicks")
    first, _ = problem.reset()
    step = problem.step(0)
    assert problem.reset()[0] == first and problem.step(0) == step
    assert problem.reset(seed=2)[0] != first
    assert problem.reset(seed=1, options={"trial": 1})[0] != first
    assert problem.reset(options={"trial": 0})[0] == first


def test_excluded_actions_are_named_and_refused(tmp_path):
    path = events_file(tmp_path, [event("tv", {"a": 1, "b": 0}, excludedActions=["a"])])
    problem = sau.Problem("events", file=str(path))
    offer, _ = problem.reset()
    assert offer == {"context": {"device": "tv"}, "excluded": ["a"],
                     "actions": [{"id": "a", "kind": "A"}, {"id": "b", "kind": "B"}]}
    assert problem.agent("sau_ucb").choose(**offer).id == "b"
    with pytest.raises(sau.UsageError, match="action 0, 'a', is excluded"):
        problem.step(0)
    assert problem.step(1)[1] == 0.0


def test_features_that_a_dictionary_cannot_have_stay_in_a_list(tmp_path):
    actions = [{"id": "a", "features": [{"n": 1}, {"n": 2}], "reward": 1},
               {"id": "b", "features": [{"id": 7}], "reward": 0}, {"id": "c", "reward": 0}]
    path = events_file(tmp_path, [{"actions": actions}])
    offer, _ = sau.Problem("events", file=str(path)).reset()
    assert offer == {"context": {}, "actions": [
        {"id": "a", "features": [{"n": 1}, {"n": 2}]}, {"id": "b", "features": [{"id": 7}]},
        {"id": "c"}]}


def test_wrong_steps_are_refused():
    problem = sau.Problem("clicks(offered=4)")
    with pytest.raises(sau.UsageError, match="call reset"):
        problem.step(0)
    problem.reset()
    with pytest.raises(sau.UsageError, match="action 4 is not one of 0 to 3"):
        problem.step(4)
    with pytest.raises(sau.UsageError, match="cannot have late rewards"):
        sau.Problem("clicks+late(delay=5)")


def test_an_agent_of_a_trial_can_be_kept(tmp_path):
    problem = sau.Problem("clicks", seed=4, trial=2)
    agent = problem.agent("hashed_linear+sau_sampling")
    play(problem, agent, 30)
    agent.save(tmp_path / "my.agent")
    offer, _ = problem.reset()
    assert sau.load(tmp_path / "my.agent").choose(**offer).id == agent.choose(**offer).id
