#!/usr/bin/env python3
"""The completion scripts. The one for bash is tested by completing words."""

import sys

sys.dont_write_bytecode = True

import json
import shutil
import subprocess
import unittest

from _support import SauTestCase

BASH = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_sau
printf '%s\\n' "${COMPREPLY[@]}"
"""


NEED_REWARDS_FROM_0_TO_1 = ("exp3", "kl_ucb")
NEED_A_FILE = ("dataset", "csv", "libsvm", "rewards", "events")


class Bash(SauTestCase):
    def setUp(self):
        super().setUp()
        self.script = self.path("sau.bash")
        with open(self.script, "w") as file:
            file.write(self.good("completion", "bash").out)

    def complete(self, *words):
        """The completions offered for the last word."""
        done = subprocess.run(["bash", "--norc", "-c", BASH, "bash", self.script, "sau", *words],
                              cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return [word for word in done.stdout.split("\n") if word]

    def test_commands(self):
        self.assertEqual(set(self.complete("")), {"run", "paper", "merge", "table", "report", "watch",
                                                  "serve", "train", "log", "evaluate", "list", "inspect", "data",
                                                  "completion", "man", "--help", "--version"})
        self.assertEqual(self.complete("pa"), ["paper"])

    def test_flags_match_the_help(self):
        for command in ("run", "paper", "list", "inspect"):
            flags = self.complete(command, "--")
            self.assertIn("--json", flags)
            text = self.good(command, "--help").out
            for flag in flags:
                self.assertIn(flag, text)
            self.assertEqual(len(flags), sum(line.startswith("  -") for line in text.split("\n")))
        self.assertEqual(self.complete("run", "--tri"), ["--trials"])
        self.assertEqual(self.complete("run", "--json", "--qu"), ["--quiet"])

    def test_agents_and_problems_match_the_list(self):
        known = json.loads(self.good("list", "--json").out)
        agents = self.complete("run", "--agent", "")
        for entry in known["strategies"]:
            self.assertIn(entry["name"], agents)
        for entry in known["agent_aliases"]:
            self.assertIn(entry["name"].lower(), agents)
        self.assertEqual(len(agents), len(set(agents)), agents)
        problems = self.complete("run", "--agent", "ts", "--problem", "")
        for entry in known["problems"] + known["problem_aliases"]:
            self.assertIn(entry["name"], problems)
        self.assertEqual(self.complete("run", "--agent", "sau_s"), ["sau_sampling"])

    def test_everything_offered_is_accepted(self):
        args = ["run", "--trials", "1", "--steps", "5"]
        for agent in self.complete("run", "--agent", ""):
            if agent in NEED_REWARDS_FROM_0_TO_1:
                self.good(*args, "--problem", "bernoulli", "--agent", agent)
            else:
                args += ["--agent", agent]
        specs = {entry["name"]: entry["spec"]
                 for entry in json.loads(self.good("list", "--json").out)["problem_aliases"]}
        for problem in self.complete("run", "--problem", ""):
            if specs.get(problem, problem).partition("(")[0] not in NEED_A_FILE:
                args += ["--problem", problem]
        self.good(*args)

    def test_parts_and_shells(self):
        self.assertEqual(self.complete("paper", "--only", "mul"), ["multi-armed"])
        self.assertIn("serve", self.complete("man", ""))
        self.assertEqual(set(self.complete("completion", "")) & {"bash", "zsh", "fish"},
                         {"bash", "zsh", "fish"})

    def test_subcommands(self):
        self.assertEqual(set(self.complete("data", "")), {"list", "get", "add", "check", "path",
                                                          "--help"})
        self.assertEqual(self.complete("data", "ge"), ["get"])
        self.assertEqual(self.complete("data", "get", "mush"), ["mushroom"])
        self.assertEqual(set(self.complete("data", "get", "--")), {"--help", "--data", "--mirror"})
        self.assertEqual(self.complete("data", "list", "--js"), ["--json"])
        self.write("mine.zip", b"")
        self.assertEqual(self.complete("data", "add", "mushroom", "mi"), ["mine.zip"])
        self.assertEqual(self.complete("data", "get", "mushroom", "--mirror", "mi"), [])

    def test_the_service(self):
        agents = self.complete("serve", "--agent", "")
        known = json.loads(self.good("list", "--json").out)
        pairs = [f"{model}+{entry['name']}" for entry in known["strategies"]
                 for model in entry["models"]]
        self.assertIn("hashed_linear+sau_sampling", pairs)
        self.assertIn("neural_linear+thompson", pairs)
        self.assertEqual(set(agents), {*pairs, *(alias["name"].lower()
                                                 for alias in known["agent_aliases"])})
        self.assertEqual(self.complete("serve", "--ke"), ["--key-file"])
        self.assertEqual(self.complete("serve", "--port", ""), [])
        self.assertEqual(self.complete("serve", "--log-format", ""), ["text", "json"])
        self.assertEqual(set(self.complete("log", "")), {"export", "verify", "replay", "backup", "restore",
                                                   "upgrade", "accept", "strike", "erase",
                                                   "versions", "rollback", "import", "--help"})
        self.assertEqual(self.complete("log", "export", "--format", ""), ["jsonl", "dsjson"])
        self.assertIn("constant", self.complete("evaluate", "--policy", ""))
        self.assertIn("sndr", self.complete("evaluate", "--estimator", ""))
        self.assertIn("dsjson", self.complete("evaluate", "--format", ""))
        self.assertEqual(self.complete("log", "export", "mush"), [])
        self.write("service/service.json", b"{}")
        self.write("secret", b"")
        self.assertEqual(self.complete("serve", "ser"), ["service"])
        self.assertEqual(self.complete("log", "verify", "ser"), ["service"])
        self.assertEqual(self.complete("serve", "service", "--key-file", "sec"), ["secret"])

    def test_paths(self):
        self.write("results/one/run.json", b"{}")
        self.write("file", b"")
        self.assertEqual(self.complete("run", "--out", "res"), ["results"])
        self.assertEqual(self.complete("run", "--out", "fi"), [])
        self.assertEqual(self.complete("inspect", "fi"), ["file"])
        self.assertEqual(self.complete("table", "re"), ["results"])
        self.assertEqual(self.complete("table", "--format", "l"), ["latex"])
        self.assertEqual(self.complete("table", "--output", "fi"), ["file"])
        self.assertEqual(self.complete("report", "re"), ["results"])
        self.assertEqual(self.complete("report", "results", "--format", "t"), ["tex"])
        self.assertEqual(self.complete("report", "results", "--only", "o"), ["overview"])
        sections = self.complete("report", "results", "--only", "")
        for section in ("multi-armed", "tables", "csv", "piecewise", "theory"):
            self.assertIn(section, sections)
        self.assertEqual(self.complete("report", "results", "--format", ""),
                         ["html", "json", "md", "tex", "csv", "svg", "png", "pdf"])
        self.assertEqual(self.complete("table", "--table", ""), ["regret", "normalised", "time", "all"])

    def test_numbers_have_no_completions(self):
        self.assertEqual(self.complete("run", "--trials", ""), [])

    def test_registers_itself(self):
        done = subprocess.run(["bash", "--norc", "-c", 'source "$1"; complete -p sau', "bash",
                               self.script], capture_output=True, text=True, check=True)
        self.assertIn("_sau", done.stdout)


class Others(SauTestCase):
    def test_zsh(self):
        text = self.good("completion", "zsh").out
        self.assertTrue(text.startswith("#compdef sau\n"))
        self.assertIn("multi-armed", text)
        self.parse("zsh", text)

    def test_fish(self):
        text = self.good("completion", "fish").out
        for word in ("run", "-l agent", "sau_sampling", "multi-armed"):
            self.assertIn(word, text)
        self.assertTrue(all(line.startswith("complete -c sau") for line in text.splitlines()))
        self.parse("fish", text)

    def parse(self, shell, text):
        if shutil.which(shell) is None:
            self.skipTest(f"{shell} is not installed")
        self.write("script", text.encode())
        subprocess.run([shell, "-n", self.path("script")], check=True)


if __name__ == "__main__":
    unittest.main()
