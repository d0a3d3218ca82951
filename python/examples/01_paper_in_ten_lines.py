"""The paper in ten lines: its multi-armed figure, shortened, as numbers and as a picture."""

import sau

result = sau.paper(only="multi-armed", trials=4)  # the paper's own number is 500
print(result.summary())

regret = result.regret.mean(axis=2)  # problems x agents
for problem, row in zip(result.problems, regret):
    best = result.agents[row.argmin()]
    print(f"{problem}: {best} has the lowest mean regret")

try:
    result.plot(problems=list(result.problems[:4])).savefig("multi-armed.png", dpi=120)
    print("the curves are in multi-armed.png")
except ImportError:
    print("install matplotlib to get a picture")
