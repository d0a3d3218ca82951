#!/usr/bin/env python3
"""Help, version, and errors for wrong commands, flags, names and settings."""

import sys

sys.dont_write_bytecode = True

import unittest

from _support import SauTestCase

COMMANDS = ("run", "paper", "table", "report", "list", "inspect", "data", "completion")
RUN = ("run", "--problem", "bernoulli", "--agent", "ts")


class Help(SauTestCase):
    def test_of_every_command_has_an_example(self):
        for command in COMMANDS:
            reply = self.good(command, "--help")
            self.assertEqual(reply.err, "")
            self.assertIn("Example", reply.out)
            self.assertIn(f"  sau {command}", reply.out)
            self.assertIn(f"Usage: sau {command}", reply.out)
            self.assertEqual(self.good(command, "-h").out, reply.out)

    def test_of_the_program_names_every_command(self):
        reply = self.good("--help")
        for command in COMMANDS:
            self.assertIn(f"\n  {command} ", reply.out)
        self.assertIn("sau run --problem", reply.out)
        self.assertEqual(reply.err, "")

    def test_fits_a_terminal(self):
        for args in ([], *([command] for command in COMMANDS)):
            for line in self.good(*args, "--help").out.splitlines():
                self.assertLessEqual(len(line), 120, line)

    def test_of_paper_names_the_parts(self):
        self.assertIn("multi-armed", self.good("paper", "--help").out)

    def test_without_arguments_help_is_printed_as_an_error(self):
        reply = self.sau()
        self.assertEqual(reply.code, 2)
        self.assertEqual(reply.out, "")
        self.assertEqual(reply.err, self.good("--help").out)

    def test_version(self):
        reply = self.good("--version")
        self.assertRegex(reply.out, r"\Asau \d+\.\d+\.\d+ \(commit \S+, .+\)\n\Z")
        self.assertEqual(reply.err, "")


class NotUtf8(SauTestCase):
    def test_a_spec(self):
        for args in ((b"csv(file=\xff.csv)", "ts"), ("bernoulli", b"ts(\xff=1)")):
            self.refused(2, "run", "--problem", args[0], "--agent", args[1], says=("is not UTF-8",))


class Wrong(SauTestCase):
    def tearDown(self):
        self.assertEqual(self.files("."), {}, "a refused request wrote something")

    def test_unknown_names_suggest_the_nearest(self):
        for args, wrong, right in (
                (("rnu",), "rnu", "run"),
                (("inspekt", "x"), "inspekt", "inspect"),
                (("--verison",), "--verison", "--version"),
                (("run", "--problm", "bernoulli"), "--problm", "--problem"),
                (("run", "--trails=3"), "--trails", "--trials"),
                (("list", "--jsn"), "--jsn", "--json"),
                (("run", "--problem", "bernouli", "--agent", "ts"), "bernouli", "bernoulli"),
                (("run", "--problem", "bernoulli-10-0.2", "--agent", "ts"), "bernoulli-10-0.2",
                 "bernoulli-10-0.1"),
                (("run", "--problem", "bernoulli", "--agent", "sau_ucp"), "sau_ucp", "sau_ucb"),
                (("run", "--problem", "bernoulli", "--agent", "SAU-Samplign"), "SAU-Samplign",
                 "sau-sampling"),
                (("run", "--problem", "bernoulli", "--agent", "sampl_mean+ucb1"), "sampl_mean",
                 "sample_mean"),
                (("run", "--problem", "bernoulli", "--agent", "sau_ucb(alpah=1)"), "alpah",
                 "alpha"),
                (("run", "--problem", "bernoulli(action=3)", "--agent", "ts"), "action",
                 "actions"),
                (("paper", "--only", "multiarmed"), "multiarmed", "multi-armed"),
                (("completion", "bsh"), "bsh", "bash")):
            self.refused(2, *args, says=(f"'{wrong}'", f"did you mean '{right}'?"))

    def test_if_no_name_is_near_the_known_names_are_listed(self):
        reply = self.refused(2, "run", "--problem", "bernoulli", "--agent", "qqqqqqqqqqq",
                             says=("'qqqqqqqqqqq'", "sau_ucb", "thompson"))
        self.assertNotIn("did you mean", reply.err)

    def test_known_names_are_listed_once(self):
        for args in (("run", "--problem", "bernoulli", "--agent", "x"),
                     ("run", "--problem", "x", "--agent", "ts"), ("paper", "--only", "x")):
            known = self.refused(2, *args).err.split("known: ")[1].strip().split(", ")
            self.assertEqual(len(known), len(set(known)), known)

    def test_a_suggestion_is_never_what_was_written(self):
        reply = self.refused(2, "--trials", "3", "run", says=("--trials",))
        self.assertNotIn("did you mean '--trials'", reply.err)

    def test_an_alias_takes_no_settings(self):
        self.refused(2, "run", "--problem", "bernoulli", "--agent", "linear-sau-ucb(alpha=2)",
                     says=("linear(lambda=20,intercept=true)+sau_ucb", "takes no settings"))
        self.refused(2, "run", "--problem", "wheel-0.70(delta=0.2)", "--agent", "ts",
                     says=("wheel(delta=0.7,best=0)", "takes no settings"))

    def test_one_command_at_a_time(self):
        self.assertEqual(self.sau("run", "list").code, 2)

    def test_settings_out_of_range(self):
        for problem, agent, says in (
                ("bernoulli(gap=2)", "ts", ("gap=2", "from 0 to 1")),
                ("bernoulli(gap=nan)", "ts", ("gap=nan",)),
                ("bernoulli(gap=inf)", "ts", ("gap=inf",)),
                ("bernoulli(gap=abc)", "ts", ("gap=abc", "number")),
                ("bernoulli(actions=0)", "ts", ("actions=0",)),
                ("bernoulli(actions=2.5)", "ts", ("actions=2.5", "whole number")),
                ("bernoulli(rewards=gaussian)", "ts", ("gaussian", "bernoulli or uniform")),
                ("bernoulli(gap=0.1,gap=0.2)", "ts", ("gap", "twice")),
                ("bernoulli", "epsilon_greedy(epsilon=-0.1)", ("epsilon=-0.1", "from 0 to 1")),
                ("bernoulli", "sau_ucb(alpha=NaN)", ("alpha=NaN",)),
                ("bernoulli", "sau_ucb(alpha=1", ("sau_ucb(alpha=1",)),
                ("bernoulli", "", ("''",)),
                ("", "ts", ("''",)),
                ("bernoulli", "sample_mean+thompson", ("thompson", "sample_mean")),
                ("bernoulli", "beta_bernoulli", ("beta_bernoulli",))):
            self.refused(2, "run", "--problem", problem, "--agent", agent, says=says)

    def test_wrong_numbers_of_flags(self):
        for flag in ("--trials", "--steps", "--threads", "--seed"):
            for value in ("-1", "abc", "1.5", "nan", "", "1x", "99999999999999999999"):
                with self.subTest(flag=flag, value=value):
                    self.refused(2, *RUN, flag, value, says=(flag,))
        self.refused(2, *RUN, "--trials", "0", says=("--trials", "at least 1"))
        self.refused(2, *RUN, "--threads", "100000", says=("--threads", "4096"))
        self.refused(2, "paper", "--trials", "-1", says=("--trials",))

    def test_missing_arguments(self):
        self.refused(2, "run", says=("--problem", "missing"))
        self.refused(2, "run", "--agent", "ts", says=("--problem", "missing"))
        self.refused(2, *RUN, "--trials", says=("--trials",))
        self.refused(2, "run", "--problem", "bernoulli", "--agent", says=("--agent",))
        self.refused(2, "inspect", says=("path",))
        self.refused(2, "completion", says=("shell",))

    def test_too_many_arguments(self):
        self.refused(2, "list", "extra", says=("'extra'",))
        self.refused(2, *RUN, "ucb1", says=("'ucb1'",))
        self.refused(2, *RUN, "--trials", "1", "--trials", "2", says=("--trials",))

    def test_messages_name_the_program_once(self):
        reply = self.refused(2, *RUN, "--trials", "-1")
        self.assertNotIn("sau: sau", reply.err)


if __name__ == "__main__":
    unittest.main()
