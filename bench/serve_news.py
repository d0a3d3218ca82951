#!/usr/bin/env python3
"""Clicks on news: how much of the best choices' clicks the default agent earns, in the laboratory and served.

The problem: 20 segments of users, 15 articles with features, all of them on offer. Every 2000 events, on
average, a new article replaces another. Rewards come 10 to 200 events late, and 30 % never come.

Two shares are printed, both for the last third of the events. The first is the mean expected reward of the
chosen articles divided by that of the best ones. For the second, that of uniform choices is subtracted from
both before. When a service plays, an event without a reward counts as no click when its time is over. Needs
the Python package on PYTHONPATH.

    PYTHONPATH=build/python bench/serve_news.py build/sau --trials 10 --served 1
"""

import argparse
import heapq
import random
import statistics
import sys
import tempfile

import sau
from _server import Server

BASE = "/personalizer/v1.0"
DELAY = (10, 200)
MISSING = 0.3


def problem_of(flags):
    return f"clicks(segments=20,articles=15,offered=15,turnover={flags.replaced / 2000:g})"


def shown(name, agent, best, uniform):
    """Prints the two shares; all arguments are means of the last third, one per trial."""
    plain = [a / b for a, b in zip(agent, best)]
    above = [(a - u) / (b - u) for a, b, u in zip(agent, best, uniform)]
    text = []
    for values in (plain, above):
        error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("nan")
        text.append(f"{100 * statistics.fmean(values):.1f} ± {100 * error:.1f} %"
                    f" ({100 * min(values):.1f} to {100 * max(values):.1f})")
    print(f"{name}: {text[0]} of the optimum; beyond uniform choices {text[1]}", flush=True)


def laboratory(flags):
    last = flags.steps // 3
    problem = f"{problem_of(flags)}+late(delay={DELAY[0]}..{DELAY[1]},missing={MISSING})"
    agents = flags.agent + ["uniform"]
    whole = sau.run(problem, agents, trials=flags.trials, steps=flags.steps, seed=flags.seed)
    # The same trials up to where the last third begins.
    before = sau.run(problem, agents, trials=flags.trials, steps=flags.steps - last, seed=flags.seed)
    regret = (whole.regret - before.regret)[0] / last
    # Reward plus regret estimates what the best choices earn. One agent's estimate serves for all agents of
    # a trial, because they meet the same events.
    best = ((whole.reward - before.reward)[0][-1] / last + regret[-1]).tolist()
    means = [[b - r for b, r in zip(best, row.tolist())] for row in regret]
    for name, mean in zip(agents, means):
        shown(f"laboratory, {name}", mean, best, means[-1])


def features_of(action):
    return {name: value for name, value in action.items() if name != "id"}


def served(flags, agent, trial):
    """Means of the last third: of the agent, of the best choices, and of uniform ones."""
    problem = sau.Problem(problem_of(flags), seed=flags.seed, trial=trial)
    draws = random.Random(f"{flags.seed} {trial}")
    late, last = [], flags.steps // 3
    regret = reward_sum = 0.0
    with tempfile.TemporaryDirectory() as folder:
        server = Server(flags.program, folder + "/data", agent, trial + 1)
        server.call("PUT", BASE + "/configurations/service", {"rewardWaitTime": flags.wait})
        offer, _ = problem.reset()
        for step in range(flags.steps):
            while late and late[0][0] <= step:
                _, event, value = heapq.heappop(late)
                server.call("POST", f"{BASE}/events/{event}/reward", {"value": value})
            ids = [action["id"] for action in offer["actions"]]
            answer = server.call("POST", BASE + "/rank", {
                "contextFeatures": [offer["context"]],
                "actions": [{"id": action["id"], "features": [features_of(action)]}
                            for action in offer["actions"]]})
            offer, reward, _, _, info = problem.step(ids.index(answer["rewardActionId"]))
            arrives, comes = step + draws.randint(*DELAY), draws.random() >= MISSING
            if comes:
                heapq.heappush(late, (arrives, answer["eventId"], reward))
            if step >= flags.steps - last:
                regret += info["regret"]
                reward_sum += reward
        server.stop()
    # A second estimate of what the best choices earn, from uniform choices in the same trial.
    problem = sau.Problem(problem_of(flags), seed=flags.seed, trial=trial)
    problem.reset()
    uniform_regret = uniform_reward = 0.0
    for step in range(flags.steps):
        _, reward, _, _, info = problem.step(draws.randrange(15))
        if step >= flags.steps - last:
            uniform_regret += info["regret"]
            uniform_reward += reward
    # Both estimate the same, each with the noise of its clicks.
    best = ((reward_sum + regret) + (uniform_reward + uniform_regret)) / 2 / last
    return best - regret / last, best, best - uniform_regret / last


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--agent", action="append", help="default: sau, the default agent")
    parser.add_argument("--steps", type=int, default=30000)
    parser.add_argument("--trials", type=int, default=10, help="in the laboratory [10]")
    parser.add_argument("--served", type=int, default=1, help="trials over HTTP [1]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--replaced", type=float, default=1, help="articles that are replaced in 2000 events [1]")
    parser.add_argument("--wait", default="PT10M", help="rewardWaitTime of the service, that of a new folder [PT10M]")
    flags = parser.parse_args()
    flags.agent = flags.agent or ["sau"]
    if flags.trials > 0:
        laboratory(flags)
    for agent in flags.agent if flags.served > 0 else []:
        shown(f"served, {agent}", *zip(*(served(flags, agent, trial) for trial in range(flags.served))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
