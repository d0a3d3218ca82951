"""Problems and agents written in Python."""

import os
import signal
import time

import numpy as np
import pytest

import sau


class Arms:
    """Three arms, of which the second is the best; reset draws their means."""

    n_actions = 3
    reward_range = (0.0, 1.0)
    default_steps = 150

    def reset(self, *, seed=None):
        if seed is not None:
            self.rng = np.random.default_rng(seed)
            self.means = np.array([0.2, 0.8, 0.4]) + self.rng.uniform(-0.1, 0.1, 3)
        return np.empty(0), {}

    def step(self, action):
        reward = float(self.rng.random() < self.means[action])
        return np.empty(0), reward, False, False, {"regret": self.means.max() - self.means[action]}


class Signs:
    """Contexts of two numbers; action 1 is right if the first is positive. Reports no regret."""

    n_actions = 2

    def reset(self, *, seed=None):
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self.x = self.rng.normal(size=2)
        return self.x, {}

    def step(self, action):
        reward = float(action == (self.x[0] > 0))
        self.x = self.rng.normal(size=2)
        return self.x, reward, False, False, {}


class Episodes(Signs):
    """The same, but every step is an episode."""

    def step(self, action):
        _, reward, _, _, info = super().step(action)
        return None, reward, True, False, info


class Rival:
    """epsilon-greedy on sample means, as anybody would write it."""

    def __init__(self, n_actions, context_dim, seed):
        self.rng = np.random.default_rng(seed)
        self.n, self.mean = np.zeros(n_actions), np.zeros(n_actions)
        self.context_dim = context_dim

    def choose(self, x):
        assert x.shape == (self.context_dim,) and x.dtype == np.float64
        explore = self.rng.random() < 0.1
        return self.rng.integers(len(self.n)) if explore else int(self.mean.argmax())

    def learn(self, x, action, reward):
        self.n[action] += 1
        self.mean[action] += (reward - self.mean[action]) / self.n[action]


class First:
    """Always action 0."""

    def __init__(self, **_):
        pass

    def choose(self, x):
        return 0

    def learn(self, x, action, reward):
        assert action == 0 and isinstance(reward, float)


def test_agents_of_the_library_play_a_problem_written_in_python():
    result = sau.run(Arms, ["sau_ucb", "ts", "uniform"], trials=8)
    assert result.problems == ("Arms",) and result[0].steps == 150
    assert result.agents == ("SAU-UCB", "TS", "Uniform")
    medians = np.median(result.regret[0], axis=1)
    assert medians[0] < medians[2] and medians[1] < medians[2]


def test_a_run_gives_the_same_rewards_as_playing_by_hand():
    result = sau.run(Signs, "linear+sau_ucb", trials=2, steps=100, seed=3)
    # Only the problem uses the trial's seed; this agent draws nothing.
    seeds = []

    class Spied(Signs):
        def reset(self, *, seed=None):
            if seed is not None:
                seeds.append(seed)
            return super().reset(seed=seed)

    again = sau.run({"Signs": Spied}, "linear+sau_ucb", trials=2, steps=100, seed=3, threads=1)
    np.testing.assert_array_equal(again.regret, result.regret)
    for trial, seed in enumerate(seeds[-2:]):
        problem, agent = Signs(), sau.Agent("linear+sau_ucb", n_actions=2, context_dim=2)
        x, _ = problem.reset(seed=seed)
        total = 0.0
        for _ in range(100):
            choice = agent.choose(x)
            x, reward, *_ = problem.step(choice.action)
            agent.learn(choice, reward)
            total += reward
        assert total == result.reward[0, 0, trial]
        assert -total == result.regret[0, 0, trial]  # without info["regret"]: minus the reward
    assert len(set(seeds)) >= 2 and max(seeds) < 2**32


def test_results_depend_on_the_seed_and_not_on_threads():
    def regrets(seed, threads):
        agents = ["linear+sau_sampling", Rival]
        return sau.run(Signs, agents, trials=4, steps=60, seed=seed, threads=threads).regret

    np.testing.assert_array_equal(regrets(1, 1), regrets(1, 3))
    assert not np.array_equal(regrets(1, 1), regrets(2, 1))
    assert len(np.unique(regrets(1, 1)[0, 1])) > 1


def test_agents_meet_the_same_problem():
    result = sau.run(Signs, {"a": First, "b": First}, trials=5, steps=50)
    np.testing.assert_array_equal(result.reward[0, 0], result.reward[0, 1])


def test_every_trial_plays_a_copy_of_a_given_problem():
    made = sau.run({"Signs": Signs()}, "linear+sau_ucb", trials=3, steps=80)
    factory = sau.run(Signs, "linear+sau_ucb", trials=3, steps=80)
    np.testing.assert_array_equal(made.regret, factory.regret)


def test_a_problem_is_reset_after_an_episode():
    result = sau.run(Episodes, "linear+sau_ucb", trials=2, steps=300)
    assert (result.reward > 200).all()


def test_attributes_of_gymnasium_are_understood():
    class Space:
        n = np.int64(2)

    class Gym(Signs):
        n_actions = None
        action_space = Space()
        reward_range = (-float("inf"), float("inf"))

    assert sau.run(Gym, "sau_ucb", trials=1, steps=20)[0].agent_spec == "linear+sau_ucb"


def test_an_agent_written_in_python_plays_problems_of_the_library():
    result = sau.run(
        ["bernoulli(actions=3,gap=0.3,best=0)", "linear(actions=3)"], [Rival, First, "uniform"],
        trials=6, steps=400,
    )
    assert result.agents == ("Rival", "First", "Uniform")
    rival, first, uniform = np.median(result.regret[0], axis=1)
    assert first == 0.0 < rival < uniform  # the best arm is the first one
    hand = 0.0
    problem = sau.Problem("linear(actions=3)", trial=2)
    problem.reset()
    for _ in range(400):
        hand += problem.step(0)[4]["regret"]
    assert result["linear(actions=3)", "First"].regret[2] == hand


def test_a_late_reward_comes_with_the_context_of_its_choice():
    chosen, learned = [], []

    class Diary(First):
        def choose(self, x):
            chosen.append(x)
            return super().choose(x)

        def learn(self, x, action, reward):
            learned.append(x)

    sau.run("linear(actions=3)", Diary, trials=1, steps=30, delay=4, threads=1)
    assert 20 < len(learned) < 30
    np.testing.assert_array_equal(learned, chosen[:len(learned)])


def test_every_trial_plays_a_copy_of_a_given_python_agent():
    given = Rival(n_actions=10, context_dim=0, seed=3)
    agents = {"given": given, "made": lambda **_: Rival(10, 0, 3)}
    result = sau.run("bernoulli", agents, trials=3, steps=100)
    np.testing.assert_array_equal(result.regret[0, 0], result.regret[0, 1])
    assert given.n.sum() == 0


def test_factories_may_make_agents_of_the_library():
    def mine(n_actions, context_dim, seed):
        return sau.Agent("sau_ucb", n_actions=n_actions, alpha=0.5)

    result = sau.run("bernoulli", [mine, "sau_ucb(alpha=0.5)"], trials=3, steps=200)
    np.testing.assert_array_equal(result.regret[0, 0], result.regret[0, 1])


def test_every_trial_plays_a_copy_of_a_given_agent():
    trained = sau.Agent("sau_ucb", n_actions=10, context_dim=0)
    trained.partial_fit(np.empty((1000, 0)), np.arange(1000) % 10, np.arange(1000) % 10 == 0)
    state = trained._state()
    result = sau.run("bernoulli-10-0.1", [trained, "sau_ucb"], trials=4, steps=100)
    assert result.agents == ("copy of sample_mean+sau_ucb", "SAU-UCB")
    assert trained._state() == state
    assert (result.regret[0, 0] == 0.0).all() and (result.regret[0, 1] > 0.0).all()
    with pytest.raises(sau.UsageError, match="does not fit"):
        sau.run("bernoulli(actions=3)", trained, trials=1, steps=10)


def test_a_run_does_not_start_an_agent_that_has_seen_no_context():
    new = sau.Agent("sau_ucb", n_actions=5, alpha=0.5)
    result = sau.run("linear(dim=3)", [new, "sau_ucb(alpha=0.5)"], trials=2, steps=50)
    assert result.agents[0] == "copy of sau_ucb" and new.context_dim is None
    np.testing.assert_array_equal(result.regret[0, 0], result.regret[0, 1])


class Broken(Signs):
    """Returns the given answer, or raises, at its tenth step."""

    def __init__(self, answer):
        self.answer, self.count = answer, 0

    def step(self, action):
        self.count += 1
        return self.answer() if self.count == 10 else super().step(action)


def bad(x=(0.0, 0.0), reward=0.0, info=None):
    return lambda: (np.array(x), reward, False, False, info or {})


def explode():
    raise ZeroDivisionError("my own mistake")


@pytest.mark.parametrize(
    "answer, error, message",
    [
        (explode, ZeroDivisionError, "my own mistake"),
        (lambda: 3, sau.UsageError, "expected \\(context, reward, terminated, truncated, info\\)"),
        (bad(reward=float("nan")), sau.UsageError, "reward nan is not in its reward_range"),
        (bad(reward="much"), sau.UsageError, "reward: expected a number, found 'much'"),
        (bad(x=(0.0,)), sau.UsageError, "context has 1 numbers, expected 2"),
        (bad(x=(0.0, np.inf)), sau.UsageError, "number 1 of the problem's context is not finite"),
        (bad(info={"regret": float("nan")}), sau.UsageError, "regret is not finite"),
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_mistakes_in_a_problem_are_raised(answer, error, message, threads):
    with pytest.raises(error, match=message):
        sau.run(lambda: Broken(answer), ["sau_ucb", "uniform"], trials=50, steps=1000,
                threads=threads)


def test_control_c_ends_a_run_of_python_code():
    class Interrupted(Signs):
        def step(self, action):
            if time.monotonic() > sent + 0.2:
                os.kill(os.getpid(), signal.SIGINT)
            return super().step(action)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    sent = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            sau.run(Interrupted, [Rival, "sau_ucb"], trials=1000, steps=100_000, threads=2)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - sent < 300  # the whole run would take hours


class Confused(First):
    def choose(self, x):
        return self.answer


@pytest.mark.parametrize(
    "answer, message",
    [(7, "action 7 is not one of 0 to 9"), (-1, "action -1"), ("left", "found 'left'"),
     (1.5, "found 1.5"), (None, "found None")],
)
def test_actions_that_do_not_exist_are_refused(answer, message):
    agent = type("Mine", (Confused,), {"answer": answer})
    problem = "bernoulli" if answer != 7 else "bernoulli(actions=3)"
    with pytest.raises(sau.UsageError, match=message.replace("0 to 9", "0 to 2")):
        sau.run(problem, agent, trials=2, steps=10)


def test_mistakes_before_the_first_step_are_raised():
    with pytest.raises(TypeError, match="n_actions"):
        sau.run("bernoulli", lambda: First(), trials=1, steps=10)
    with pytest.raises(AttributeError, match="choose"):
        sau.run("bernoulli", lambda **_: object(), trials=1, steps=10)
    with pytest.raises(sau.UsageError, match="steps is missing"):
        sau.run(Signs, "sau_ucb", trials=1)
    with pytest.raises(sau.UsageError, match="has neither n_actions nor action_space.n"):
        sau.run(type("Lost", (Signs,), {"n_actions": None}), "sau_ucb", trials=1, steps=10)
    with pytest.raises(sau.UsageError, match="cannot learn from the rewards of Signs"):
        sau.run(Signs, "beta_bernoulli+thompson", trials=1, steps=10)
    with pytest.raises(sau.UsageError, match="two of the agents are called"):
        sau.run("bernoulli", [lambda **_: 1, lambda **_: 2], trials=1, steps=10)


def test_trials_of_python_code_are_not_continued_in_a_folder(tmp_path):
    sau.run(Signs, "sau_ucb", trials=2, steps=50, out=tmp_path / "r")
    assert sau.open(tmp_path / "r")["Signs", "SAU-UCB"].n_trials == 2
    with pytest.raises(sau.Error, match="which may have changed since"):
        sau.run(Signs, "sau_ucb", trials=4, steps=50, out=tmp_path / "r")


def test_a_problem_of_the_library_is_played_by_hand():
    problem = sau.Problem("linear(dim=3)", seed=2, trial=1)
    assert (problem.n_actions, problem.context_dim, problem.default_steps) == (5, 3, 20000)
    assert repr(problem) == "Problem('linear(dim=3)', seed=2, trial=1)"
    with pytest.raises(sau.UsageError, match="call reset"):
        problem.step(0)
    x, _ = problem.reset()
    first = problem.step(4)
    again, _ = problem.reset()
    np.testing.assert_array_equal(x, again)
    assert problem.step(4)[1] == first[1]
    other, _ = problem.reset(seed=3, options={"trial": 5})
    assert (problem.seed, problem.trial) == (3, 5) and not np.array_equal(x, other)
    for action in (-1, 5, 1.5):
        with pytest.raises(sau.UsageError):
            problem.step(action)
    assert isinstance(problem, sau.ProblemLike)
    assert sau.Problem("bernoulli").reward_range == (0.0, 1.0)
