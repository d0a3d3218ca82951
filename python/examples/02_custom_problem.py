"""Your own problem, played by the library's agents and by an agent that you wrote.

A shop sends one of four letters to a customer whose age and loyalty it knows. The customer answers
or not. Which letter works depends on the customer.
"""

import numpy as np

import sau

LETTERS = ("voucher", "catalogue", "survey", "nothing")
WEIGHTS = np.array([[-1.0, -1.5, 0.5], [0.0, 1.0, 1.5], [-1.5, 2.0, -1.0], [-2.0, 0.0, 0.0]])


class Letters:
    """One customer per step. The regret is how much more the best letter would earn on average."""

    n_actions = len(LETTERS)
    context_dim = 2
    reward_range = (0.0, 1.0)
    default_steps = 2000

    def reset(self, *, seed=None):
        self.rng = np.random.default_rng(seed)
        return self.next_customer(), {}

    def step(self, action):
        chances = 1.0 / (1.0 + np.exp(-WEIGHTS @ [1.0, *self.customer]))
        reward = float(self.rng.random() < chances[action])
        regret = chances.max() - chances[action]
        return self.next_customer(), reward, False, False, {"regret": regret}

    def next_customer(self):
        self.customer = self.rng.uniform(-1.0, 1.0, size=2)  # age and loyalty, scaled
        return self.customer


class Fixed:
    """Tries every letter 50 times, then sends only the best one: no context, no more learning."""

    def __init__(self, n_actions, context_dim, seed):
        self.tried, self.earned = [0] * n_actions, [0.0] * n_actions

    def choose(self, x):
        fewest = min(self.tried)
        if fewest < 50:
            return self.tried.index(fewest)
        return self.earned.index(max(self.earned))

    def learn(self, x, action, reward):
        if self.tried[action] < 50:
            self.tried[action] += 1
            self.earned[action] += reward


agents = {
    "SAU-Sampling": "linear(intercept=true)+sau_sampling",
    "SAU-UCB": "linear(intercept=true)+sau_ucb",
    "one letter": Fixed,
    "any letter": "uniform",
}
result = sau.run(Letters, agents, trials=10, seed=1)
print(result.summary())

medians = dict(zip(result.agents, np.median(result.regret[0], axis=1)))
assert medians["SAU-Sampling"] < medians["one letter"] < medians["any letter"], medians

# The same agent, trained once more by hand and asked about two customers.
problem, agent = Letters(), sau.Agent(agents["SAU-Sampling"], context_dim=2, n_actions=4, seed=7)
x, _ = problem.reset(seed=7)
for _ in range(3000):
    choice = agent.choose(x)
    x, reward, *_ = problem.step(choice.action)
    agent.learn(choice, reward)
for customer in ([-0.9, 0.9], [0.9, -0.9]):
    letter = LETTERS[agent.predict([customer])[0]]
    chances = agent.probabilities(customer).round(3).tolist()
    print(f"age {customer[0]:+}, loyalty {customer[1]:+}: {letter}, chances {chances}")
