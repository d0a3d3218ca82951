#!/usr/bin/env python3
"""Compares agents served over HTTP with the same agents in the laboratory, on the same rows in the same order.

Every trial starts a service, sends the context of every step as the numbers x0, x1, ... and the actions
as the ids "0", "1", ..., and sends the reward of the chosen action. The laboratory plays the same trials.
Prints the mean regret of both. Needs the Python package on PYTHONPATH.

    PYTHONPATH=build/python bench/serve_problem.py build/sau --problem statlog --steps 2000 --trials 5
"""

import argparse
import statistics
import sys
import tempfile

import sau
from _server import Server

BASE = "/personalizer/v1.0"
AGENTS = ("linearposterior", "lineargreedy", "linear-sau-s", "linear-sau-ucb", "neuralgreedy",
          "neurallinear", "neural-sau-s", "neural-sau-ucb")


def served_regret(program, problem_spec, agent, trial, steps, exploration):
    problem = sau.Problem(problem_spec, seed=1, trial=trial)
    actions = [{"id": str(a)} for a in range(problem.n_actions)]
    regret = 0.0
    with tempfile.TemporaryDirectory() as folder:
        server = Server(program, folder + "/data", agent, trial + 1)
        server.call("PUT", BASE + "/configurations/service",
                    {"explorationPercentage": exploration, "probabilityFloor": 0,
                     "rewardMinimum": -1000, "rewardMaximum": 1000})
        x, _ = problem.reset()
        for _ in range(steps):
            context = {f"x{i}": value for i, value in enumerate(x.tolist()) if value != 0.0}
            answer = server.call("POST", BASE + "/rank",
                                 {"contextFeatures": [context], "actions": actions})
            x, reward, _, _, info = problem.step(int(answer["rewardActionId"]))
            server.call("POST", f"{BASE}/events/{answer['eventId']}/reward", {"value": reward})
            regret += info["regret"]
        server.stop()
    return regret


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--problem", default="statlog")
    parser.add_argument("--agent", action="append", help="default: the paper's linear and deep agents")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--exploration", type=float,
                        help="explorationPercentage of the service [the strategy's own]")
    flags = parser.parse_args()
    agents = flags.agent or list(AGENTS)
    laboratory = sau.run(flags.problem, agents, trials=flags.trials, steps=flags.steps, seed=1)
    print(f"{flags.problem}, {flags.steps} steps, {flags.trials} trials: mean regret and its standard error")
    for number, agent in enumerate(agents):
        served = [served_regret(flags.program, flags.problem, agent, trial, flags.steps, flags.exploration)
                  for trial in range(flags.trials)]
        lab = [float(value) for value in laboratory.regret[0, number]]
        shown = [f"{statistics.fmean(values):8.1f} ± {statistics.stdev(values) / len(values) ** 0.5:5.1f}"
                 for values in (lab, served)]
        print(f"  {agent:18} laboratory {shown[0]}   served {shown[1]}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
