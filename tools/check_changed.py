#!/usr/bin/env python3
"""Builds and runs the fast tests for the files that have changed.

A file has changed if it differs from the commit where this branch left origin/main (from HEAD if there
is no origin/main); uncommitted and untracked files count, too. A change in a folder runs the tests of
that folder and of all folders that may include it, by the table in check_layers.py, and the scripts of
the commands that use the folder. Scripts that run clusters take minutes, so they run only for changes in
the cluster itself. This is a quick check, not a replacement for `make test`.

usage: check_changed.py [--base REV] [--jobs N] [--list] | --self-test
  --list    only print what would be run
"""

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
import check_layers

ROOT = Path(__file__).resolve().parent.parent
EVERYTHING = "everything"


def used_by(*folders):
    """The folders and all that they include, directly or indirectly."""
    found = set(folders)
    while more := set().union(*(check_layers.USES[folder] for folder in found)) - found:
        found |= more
    return found


# Tests that do not belong to one source folder, and the folders whose changes run them. The web pages,
# the Python package, the examples and clusters use more folders, but other tests nearly always notice a
# change there, too.
RUN_FOR = {
    "cli": set(check_layers.USES),
    # The scripts of tests/cli that run clusters; that run the service or read its log. "cli" are the
    # others.
    "clusters": {"cluster"},
    "service": used_by("serve_http"),
    "python": used_by("run", "evaluate", "calibration"),
    "examples": used_by("run", "evaluate"),
    "web": {"report"},
}
# Groups of scripts of tests/cli, and how their names begin; "cli": like no other.
SCRIPTS = {"cli": "", "clusters": "cluster", "service": ("log_", "serve")}
# Other files: the longest matching prefix of the path says which tests to run.
RUN_FOR_PATH = {
    "apps/": ["cli", "service"],
    "apps/sau/serve": ["cli", "service", "clusters"],
    "bench/": [],
    "docs/": [],
    "examples/": ["examples"],
    "examples/clients/": ["service"],
    "experiments/": ["run", "report", "cli"],
    "experiments/papers/": ["report", "cli"],
    "python/": ["python"],
    "tests/support/": [EVERYTHING],
    "tests/support/shared_data.py": ["problem", "cli", "service", "python"],
    "tests/cli/": ["cli"],
    "tests/cli/_": ["cli", "service"],
    "tests/cli/_cluster": ["clusters"],
    "tests/cli/_nats": ["clusters"],
    "tests/cli/cluster": ["clusters"],
    "tests/cli/log_": ["service"],
    "tests/cli/serve": ["service"],
    "tests/data/argmax_probabilities.csv": ["core"],
    "tests/consumer/": [],
    "tests/fuzz/": [],
    "tools/": ["tools"],
    "tests/check_": ["tools"],
    "web/": ["web"],
    "cmake/": [EVERYTHING],
    "CMake": [EVERYTHING],
    "tests/CMakeLists.txt": [EVERYTHING],
}


def users_of(folder):
    """The folder and all folders that may include it, directly or indirectly."""
    found = {folder}
    while more := {f for f, used in check_layers.USES.items() if used & found} - found:
        found |= more
    return found


def tests_of(path, test_folders):
    """The groups of tests that a change of this file runs."""
    parts = Path(path).parts
    if parts[0] == "src" or parts[:2] == ("include", "sau"):
        folder = check_layers.folder_of_file(Path(path))
        if folder not in check_layers.USES:
            return {EVERYTHING}
        return (users_of(folder) & test_folders) | {
            group for group, folders in RUN_FOR.items() if folder in folders
        }
    rules = [rule for rule in RUN_FOR_PATH if path.startswith(rule)]
    if rules:
        return set(RUN_FOR_PATH[max(rules, key=len)])
    if parts[0] == "tests" and len(parts) > 2:
        return {parts[1]}
    return set()


def groups_of(paths, test_folders):
    """All groups for these files; {EVERYTHING} if that is every group."""
    groups = set().union(*(tests_of(path, test_folders) for path in paths))
    everything = test_folders | set(RUN_FOR)
    return {EVERYTHING} if EVERYTHING in groups or everything <= groups else groups


def targets_of(groups, root):
    """The targets to build for these groups."""
    if EVERYTHING in groups:
        return ["sau_fast_tests"]
    targets = set()
    for group in groups - {"tools"}:
        if group in ("web", "python", *SCRIPTS):
            targets.add("sau_program")
        if group in SCRIPTS:
            targets |= {"example_cpp_client", "sau_mpi"}
        elif group == "python":
            targets.add("sau_python")
        elif group == "examples":
            targets |= {"example_" + path.stem for path in (root / "examples").glob("*.cpp")}
        elif group != "web":
            targets.add(group + "_test")
    return sorted(targets)


def git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, encoding="utf-8",
                          check=False)
    return done.stdout.split("\0") if done.returncode == 0 else None


def changed_files(base):
    if base is None:
        left = git("merge-base", "HEAD", "origin/main")
        base = left[0].strip() if left else "HEAD"
    differ = git("diff", "--name-only", "-z", "--no-renames", base)
    if differ is None:
        sys.exit(f"check: there is no commit {base}")
    return sorted({*differ, *git("ls-files", "-z", "--others", "--exclude-standard")} - {""})


def test_folders_of(root):
    """Folders of tests/ that have a program with fast tests."""
    return {
        path.parent.name
        for path in (root / "tests").glob("*/*_test.cpp")
        if not path.name.endswith("_statistics_test.cpp")
    }


def scripts_of(group):
    """The names of the scripts of tests/cli in one of the groups of SCRIPTS."""
    names = {path.stem for path in (ROOT / "tests" / "cli").iterdir()
             if path.suffix in (".py", ".sh") and not path.stem.startswith("_")}
    found = {name: {script for script in names if script.startswith(begin)}
             for name, begin in SCRIPTS.items() if begin}
    return sorted(found.get(group, names - set().union(*found.values())))


def split(groups, test_folders):
    """The test programs to run, and ctest arguments that select the other tests ([] if none)."""
    if EVERYTHING in groups:
        return sorted(test_folders), ["-E", f"^({'|'.join(sorted(test_folders))})/"]
    others = [f"cli/({'|'.join(scripts_of(group))})$" if group in SCRIPTS else group + "/"
              for group in sorted(groups - test_folders)]
    return sorted(groups & test_folders), ["-R", f"^({'|'.join(others)})"] if others else []


def run(*command, **options):
    return subprocess.run(command, cwd=ROOT, check=False, **options).returncode == 0


def run_half(program, half):
    """(name, whether it passed, its output). Not with ctest, which starts a process per test."""
    done = subprocess.run(
        [ROOT / "build" / "tests" / (program + "_test"), "--gtest_brief=1"],
        cwd=ROOT / "build" / "tests",
        env={**os.environ, "GTEST_TOTAL_SHARDS": "2", "GTEST_SHARD_INDEX": str(half)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace",
        check=False,
    )
    return f"{program} {half + 1}/2", done.returncode == 0, done.stdout


def run_programs(programs, jobs):
    failed = []
    with ThreadPoolExecutor(jobs) as pool:
        halves = [(program, half) for program in programs for half in (0, 1)]
        for name, passed, text in pool.map(lambda half: run_half(*half), halves):
            print(f"{name:<14} {'passed' if passed else 'FAILED'}", flush=True)
            if not passed:
                failed.append(f"\n== failed: {name}\n{text}")
    print(*failed, sep="")
    return not failed


def self_test():
    folders = {"core", "model", "explore", "data", "problem", "agent", "catalog", "stats", "run", "cluster",
               "theory", "report", "draw", "fetch", "http", "store", "serve", "kernel"}
    # (changed files, groups)
    cases = [
        (["src/core/file.cpp"], folders | set(RUN_FOR) - {"clusters", "web"}),
        (["include/sau/core/types.hpp", "src/cluster/spool.cpp", "src/report/table.cpp", "docs/data.md"],
         {EVERYTHING}),
        (["src/report/table.cpp"], {"report", "draw", "cli", "web"}),
        (["src/draw/canvas.cpp"], {"draw", "cli"}),
        (["src/theory/tau.cpp"], {"theory", "report", "draw", "cli"}),
        (["experiments/papers/deep-bandits-show-off.csv"], {"report", "cli"}),
        (["include/sau/fetch/download.hpp"], {"fetch", "cli"}),
        (["src/http/worker.hpp"], {"http", "cli", "service"}),
        (["src/store/record.cpp"], {"store", "serve", "cluster", "cli", "service"}),
        (["src/run/runner.cpp"],
         {"run", "theory", "report", "draw", "cli", "python", "examples"}),
        (["src/stats/ranks.cpp"], {"stats", "run", "theory", "report", "draw", "serve", "cluster",
                                   "cli", "service", "python", "examples"}),
        (["src/strange/a.cpp"], {EVERYTHING}),
        (["apps/sau/main.cpp"], {"cli", "service"}),
        (["web/src/main.ts"], {"web"}),
        (["python/core/run.cpp"], {"python"}),
        (["tests/report/table_test.cpp", "tests/cli/run.py"], {"report", "cli"}),
        (["tests/support/errors.hpp"], {EVERYTHING}),
        (["examples/clients/cpp_client.cpp"], {"service"}),
        (["tests/cli/_support.py"], {"cli", "service"}),
        (["tests/cli/serve_clock.py"], {"service"}),
        (["src/cluster/spool.cpp"], {"cluster", "clusters", "cli"}),
        (["apps/sau/serve_flags.cpp"], {"cli", "clusters", "service"}),
        (["CMakeLists.txt"], {EVERYTHING}),
        (["tools/check_names.py", "tests/check_setup.sh"], {"tools"}),
        (["README.md", "docs/hacking.md", "bench/mlp_bench.cpp"], set()),
        ([], set()),
    ]
    failures = 0
    for paths, expected in cases:
        if (found := groups_of(paths, folders)) != expected:
            print(f"{paths}: expected {sorted(expected)}, got {sorted(found)}")
            failures += 1
    targets = targets_of({"report", "cli", "tools"}, ROOT)
    if targets != ["example_cpp_client", "report_test", "sau_mpi", "sau_program"]:
        print("wrong targets:", targets)
        failures += 1
    for groups, expected in (
        ({"report", "service", "web"},
         (["report"], ["-R", f"^(cli/({'|'.join(scripts_of('service'))})$|web/)"])),
        ({"report"}, (["report"], [])),
        ({"tools"}, ([], ["-R", "^(tools/)"])),
        ({"clusters"}, ([], ["-R", f"^(cli/({'|'.join(scripts_of('clusters'))})$)"])),
        ({EVERYTHING}, (["core", "report"], ["-E", "^(core|report)/"])),
    ):
        if split(groups, {"core", "report"}) != expected:
            print(f"{groups}: wrong split {split(groups, {'core', 'report'})}")
            failures += 1
    for script, group in (("serve_clock", "service"), ("cluster", "clusters"), ("report", "cli")):
        if [name for name in SCRIPTS if script in scripts_of(name)] == [group]:
            continue
        print(f"{script} is not in {group} alone")
        failures += 1
    # Every test group that the rules name exists.
    for group in {group for groups in RUN_FOR_PATH.values() for group in groups}:
        if group not in test_folders_of(ROOT) | {*RUN_FOR, "tools", EVERYTHING}:
            print(f"no tests called {group}")
            failures += 1
    print(f"check_changed: self-test, {len(cases)} cases, {failures} failures")
    return 1 if failures else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", metavar="REV")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true")
    flags = parser.parse_args(arguments)
    paths = changed_files(flags.base)
    folders = test_folders_of(ROOT)
    groups = groups_of(paths, folders)
    print(f"{len(paths)} files changed; fast tests to run: {' '.join(sorted(groups)) or 'none'}")
    if flags.list or not groups:
        return 0
    if not run("cmake", "--preset", "release", stdout=subprocess.DEVNULL):
        return 1
    targets = targets_of(groups, ROOT)
    if targets and not run("cmake", "--build", "build", "-j", str(flags.jobs), "--target", *targets):
        return 1
    programs, others = split(groups, folders)
    # One more than cores, because some tests wait for clocks and disks.
    at_once = flags.jobs + 1
    good = run_programs(programs, at_once)
    if others and not run("ctest", "--test-dir", "build", "-L", "fast", *others, "-j", str(at_once),
                          "--no-tests=error", "--output-on-failure"):
        run(sys.executable, "tools/failed_tests.py", "build")
        good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
