"""Late rewards, a log with propensities, and learning from it offline.

Part one: rewards come back late and out of order. Every decision goes into a log, with the exact
probability it had. Part two: the log is used twice, to estimate what another policy would have
earned (inverse propensity scores), and to train another agent, which is then tested.
"""

import pickle
import tempfile
from pathlib import Path

import numpy as np

import sau

rng = np.random.default_rng(3)
N_ACTIONS, DIM, STEPS = 3, 4, 4000
truth = rng.normal(size=(N_ACTIONS, DIM))


def reward_of(x, action):
    return float(truth[action] @ x + 0.5 * rng.normal())


# Part one: the service. A floor under every probability makes sure the log can be reweighted.
service = sau.Agent("linear+sau_ucb", context_dim=DIM, n_actions=N_ACTIONS, seed=1, floor=0.3)
log = {"x": [], "action": [], "reward": [], "probability": []}
waiting = []
for step in range(STEPS):
    choice = service.choose(rng.normal(size=DIM), probability=True)
    waiting.append(pickle.dumps(choice))  # as a queue or a database would keep it
    if len(waiting) > 50:  # a random one of the waiting rewards arrives
        arrived = pickle.loads(waiting.pop(rng.integers(len(waiting))))
        reward = reward_of(arrived.context, arrived.action)
        service.learn(arrived, reward)
        log["x"].append(arrived.context)
        log["action"].append(arrived.action)
        log["reward"].append(reward)
        log["probability"].append(arrived.probability)
X, actions, rewards, propensities = (np.array(column) for column in log.values())
print(f"{len(X)} decisions logged, mean reward {rewards.mean():.3f}")

# The service may stop and continue: the file has everything.
path = Path(tempfile.mkdtemp()) / "service.agent"
service.save(path)
assert sau.load(path).choose(X[0]).action == service.choose(X[0]).action

# Part two: learn from the first half of the log, test on the second.
half = len(X) // 2
learner = sau.Agent("linear+sau_sampling", context_dim=DIM, n_actions=N_ACTIONS)
learner.partial_fit(X[:half], actions[:half], rewards[:half])

chosen = learner.predict(X[half:])
weights = (chosen == actions[half:]) / propensities[half:]
estimate = np.mean(weights * rewards[half:])
error = np.std(weights * rewards[half:]) / np.sqrt(len(weights))
value = np.mean(np.einsum("ij,ij->i", truth[chosen], X[half:]))
print(f"greedy policy of the learner: estimated {estimate:.3f} ± {error:.3f}, really {value:.3f}")
assert abs(estimate - value) < 4 * error

# The same for its exploring policy, with its exact probabilities instead of its choices.
exploring = learner.predict_proba(X[half:])[np.arange(len(chosen)), actions[half:]]
estimate = np.average(rewards[half:], weights=exploring / propensities[half:])
print(f"the same with its exploration: {estimate:.3f} (self-normalised)")
