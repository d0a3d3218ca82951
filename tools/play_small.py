#!/usr/bin/env python3
"""Plays a small run with the installed package `sau` and prints its regrets, to compare machines.

usage: play_small.py                          prints JSON
       play_small.py --compare A B [C...]     A and B must have the same regrets, bit for bit; for the
                                              others, which use another kernel, the largest difference
                                              is printed
"""

import json
import platform
import sys

PROBLEMS = ["bernoulli", "linear", "wheel", "clicks"]
AGENTS = ["SAU-UCB", "SAU-Sampling", "TS", "neural-sau-s", "sau"]


def play():
    import pathlib
    import tempfile

    import sau

    result = sau.run(PROBLEMS, AGENTS, trials=2, steps=300, threads=2)
    with tempfile.TemporaryDirectory() as folder:
        # Also tries what the wheel carries: Cairo and its fonts, and the page.
        result.report(f"{folder}/figures", "pdf")
        result.report(f"{folder}/report.html")
        files = sorted(pathlib.Path(folder).rglob("*.*"))
        sizes = {str(file.relative_to(folder)): file.stat().st_size for file in files}
    build = sau.build_info()
    print(json.dumps({"machine": platform.machine(), "kernel": build["kernel"], "files": sizes,
                      "regret": {f"{problem}, {agent}": result.regret[i, j].tolist()
                                 for i, problem in enumerate(result.problems)
                                 for j, agent in enumerate(result.agents)}}))


def compare(paths):
    runs = []
    for path in paths:
        with open(path) as file:
            runs.append(json.load(file))
        kind = f"{runs[-1]['machine']}, {runs[-1]['kernel']} kernel"
        print(f"{kind}: {len(runs[-1]['regret'])} cells, {len(runs[-1]['files'])} files of reports")
    first, second, *others = runs
    different = [cell for cell, regret in first["regret"].items()
                 if second["regret"][cell] != regret]
    for cell in different:
        print(f"differs: {cell}: {first['regret'][cell]} and {second['regret'][cell]}")
    for other in others:
        apart = {cell: max(abs(a - b) for a, b in zip(regret, other["regret"][cell]))
                 for cell, regret in first["regret"].items()}
        cell = max(apart, key=apart.get)
        same = sum(value == 0 for value in apart.values())
        print(f"{other['kernel']} kernel: {same} cells are equal; largest difference of a regret "
              f"{apart[cell]:.3g} ({cell})")
    if different or first["files"].keys() != second["files"].keys():
        raise SystemExit("play_small: the two machines do not agree")
    print(f"{first['machine']} and {second['machine']} have the same regrets, bit for bit")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--compare"]:
        compare(sys.argv[2:])
    else:
        play()
