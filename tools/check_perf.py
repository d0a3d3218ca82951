#!/usr/bin/env python3
"""Runs the benchmarks of a base commit and of this working tree in turns, and prints the ratios.

The base is built in a git worktree under build/perf, the working tree in build, both with the preset
release. Every round runs each program once from either build, in alternating order, so that a machine
that slows down affects both equally. A ratio is the time now divided by the time at the base: 0.90 is
10 % faster. It is the median over the rounds, shown with the lowest and the highest. A ratio whose
range includes 1 says nothing. Use a quiet machine.

  tools/check_perf.py --program multi_armed_bench --filter sau_ucb
  tools/check_perf.py --base v0.1.0 --rounds 15
"""

import argparse
import json
import os
import re
import stat
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEAST_ROUNDS = 5
NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


def times_of(report):
    """Name -> nanoseconds, from the JSON output of a benchmark program."""
    times = {}
    for run in report["benchmarks"]:
        if run.get("run_type", "iteration") != "iteration" or run.get("error_occurred"):
            continue
        # A benchmark that takes its own time reports it as real time.
        which = "real_time" if run["name"].endswith(("/real_time", "/manual_time")) else "cpu_time"
        times[run["name"]] = run[which] * NANOSECONDS[run["time_unit"]]
    return times


def compare(base, change):
    """Medians and ratios of one benchmark; base[i] and change[i] were measured in round i."""
    ratios = [now / before for before, now in zip(base, change, strict=True)]
    return {
        "base": statistics.median(base),
        "change": statistics.median(change),
        "ratio": statistics.median(ratios),
        "lowest": min(ratios),
        "highest": max(ratios),
    }


def run_program(program, pattern, seconds):
    command = [program, "--benchmark_format=json", f"--benchmark_min_time={seconds}"]
    if pattern:
        command.append(f"--benchmark_filter={pattern}")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"{program} failed: {done.stderr.decode(errors='replace').strip()}")
    # A filter that matches nothing leaves standard output empty.
    return times_of(json.loads(done.stdout)) if done.stdout.strip() else {}


def measure(base, change, pattern, rounds, seconds):
    """base and change are paths of a program. Name -> (times at the base, times now)."""
    times = {}
    for i in range(rounds):
        order = (0, 1) if i % 2 == 0 else (1, 0)
        for side in order:
            for name, time in run_program((base, change)[side], pattern, seconds).items():
                times.setdefault(name, ([], []))[side].append(time)
        print(f"  round {i + 1} of {rounds}", end="\r", file=sys.stderr, flush=True)
    print(" " * 40, end="\r", file=sys.stderr, flush=True)
    return times


def duration(nanoseconds):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def table(times, rounds):
    """Lines of text for the benchmarks of one program."""
    lines = []
    for name, (base, change) in times.items():
        if len(base) != rounds or len(change) != rounds:
            lines.append(f"  {name:<52} only {'now' if change else 'at the base'}")
            continue
        found = compare(base, change)
        lines.append(
            f"  {name:<52} {duration(found['base']):>9} {duration(found['change']):>9} "
            f"{found['ratio']:7.3f}  ({found['lowest']:.3f} to {found['highest']:.3f})"
        )
    return lines


def call(*command, **options):
    print("+", *command, file=sys.stderr)
    if subprocess.run(command, check=False, **options).returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}")


def answer(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def build(source, targets, jobs):
    # Without the Python package, unless the build folder is configured already.
    more = [] if (source / "build" / "CMakeCache.txt").exists() else ["-DSAU_BUILD_PYTHON=OFF"]
    call("cmake", "--preset", "release", *more, cwd=source, stdout=subprocess.DEVNULL)
    call("cmake", "--build", "build", "-j", str(jobs), "--target", *targets, cwd=source)
    return source / "build" / "bench"


def check_out(revision):
    """A worktree of the revision."""
    commit = answer("git", "rev-parse", "--verify", "--quiet", revision + "^{commit}")
    if commit is None:
        sys.exit(f"check_perf: there is no commit {revision}")
    folder = ROOT / "build" / "perf" / "base"
    call("git", "worktree", "prune", cwd=ROOT)
    if (folder / ".git").exists():
        call("git", "checkout", "--quiet", "--force", "--detach", commit, cwd=folder)
    else:
        folder.parent.mkdir(parents=True, exist_ok=True)
        call("git", "worktree", "add", "--quiet", "--force", "--detach", folder, commit, cwd=ROOT)
    print(f"base: {commit[:10]} ({revision})")
    return folder


def self_test():
    found = compare([10.0, 20.0, 40.0, 10.0, 10.0], [9.0, 22.0, 36.0, 9.0, 30.0])
    assert found["base"] == 10.0 and found["change"] == 22.0, found
    # The median of the ratios of each round, not the ratio of the medians.
    assert (found["ratio"], found["lowest"], found["highest"]) == (0.9, 0.9, 3.0), found
    assert compare([1.0] * 6, [2.0, 2.0, 2.0, 4.0, 4.0, 4.0])["ratio"] == 3.0
    report = {"benchmarks": [
        {"name": "a/10", "cpu_time": 2.5, "real_time": 9.0, "time_unit": "us"},
        {"name": "b/real_time", "cpu_time": 1.0, "real_time": 3.0, "time_unit": "ms"},
        {"name": "a_mean", "run_type": "aggregate", "cpu_time": 1, "real_time": 1, "time_unit": "ns"},
        {"name": "c/manual_time", "cpu_time": 8.0, "real_time": 4.0, "time_unit": "ns"},
        {"name": "broken", "error_occurred": True},
    ]}
    assert times_of(report) == {"a/10": 2500.0, "b/real_time": 3e6, "c/manual_time": 4.0}, times_of(report)
    assert [duration(t) for t in (3.21, 4560.0, 7.8e6, 2e9)] == ["3.21 ns", "4.56 us", "7.8 ms", "2 s"]
    # Two programs that log when they ran. The second takes half the time and has one more benchmark.
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, results in (("base", {"a": 10}), ("change", {"a": 5, "new": 1})):
            text = json.dumps({"benchmarks": [
                {"name": key, "cpu_time": time, "time_unit": "ns"} for key, time in results.items()
            ]})
            path = Path(folder, name)
            path.write_text(f"#!/bin/sh\necho {name} \"$*\" >> '{folder}/order'\necho '{text}'\n",
                            encoding="utf-8")
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
            paths.append(path)
        times = measure(*paths, "a|new", 5, 0.01)
        order = Path(folder, "order").read_text(encoding="utf-8").splitlines()
    turns = ["base", "change", "change", "base"] * 2 + ["base", "change"]
    assert [line.split()[0] for line in order] == turns, order
    assert all("--benchmark_filter=a|new" in line and "min_time=0.01" in line for line in order), order
    assert times == {"a": ([10.0] * 5, [5.0] * 5), "new": ([], [1.0] * 5)}, times
    lines = table(times, 5)
    assert re.search(r"a +10 ns +5 ns +0\.500  \(0\.500 to 0\.500\)$", lines[0]), lines
    assert lines[1].endswith("only now"), lines
    print("check_perf: self-test passed")
    return 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", metavar="REV", help="the commit to compare with (default: where "
                        "this branch left origin/main)")
    parser.add_argument("--filter", metavar="REGEX", default="", help="only these benchmarks")
    parser.add_argument("--program", metavar="NAME", action="append",
                        help="only this program of bench/, such as linear_bench; may be repeated")
    parser.add_argument("--rounds", metavar="N", type=int, default=9,
                        help=f"at least {LEAST_ROUNDS} (default: %(default)s)")
    parser.add_argument("--seconds", metavar="S", type=float, default=0.2,
                        help="minimum time per benchmark in a round (default: %(default)s)")
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count(),
                        help="parallel compiler jobs (default: %(default)s)")
    flags = parser.parse_args(arguments)
    if flags.rounds < LEAST_ROUNDS:
        parser.error(f"--rounds is {flags.rounds}; at least {LEAST_ROUNDS} are needed")
    known = sorted(path.stem for path in (ROOT / "bench").glob("*_bench.cpp"))
    programs = flags.program or known
    if unknown := set(programs) - set(known):
        parser.error(f"no program {', '.join(sorted(unknown))} in bench; there are {', '.join(known)}")
    base = check_out(flags.base or answer("git", "merge-base", "HEAD", "origin/main") or "HEAD")
    programs = [name for name in programs if (base / "bench" / (name + ".cpp")).exists()]
    if not programs:
        sys.exit("check_perf: the base has none of these programs")
    before = build(base, programs, flags.jobs)
    now = build(ROOT, programs, flags.jobs)
    print(f"{'':54} {'base':>9} {'now':>9} {'ratio':>7}  medians of {flags.rounds} rounds")
    for name in programs:
        print(name)
        times = measure(before / name, now / name, flags.filter, flags.rounds, flags.seconds)
        for line in table(times, flags.rounds) or ["  no benchmark matches"]:
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
