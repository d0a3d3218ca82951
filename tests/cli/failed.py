#!/usr/bin/env python3
"""Failed trials: what sau run and inspect say about them, and the exit codes."""

import sys

sys.dont_write_bytecode = True

import json
import unittest
import zlib

from _support import SMALL, SauTestCase

TS = "r/cells/bernoulli-10-0.1--TS.csv"
REASON = "the loss of update 12 is not finite; a smaller lr may help, or \"more\" data"


class Failed(SauTestCase):
    def setUp(self):
        super().setUp()
        self.good(*SMALL, "--out", "r")

    def break_down(self, *trials):
        """Turns rows of the second cell into failed trials."""
        lines = self.files(".")[TS].decode().splitlines()
        for trial in trials:
            body = f'{trial},"{REASON.replace(chr(34), 2 * chr(34))}"'
            body += "," * (lines[0].count(",") - 2)
            lines[trial + 1] = f"{body},{zlib.crc32(body.encode()):08x}"
        self.write(TS, "".join(line + "\n" for line in lines).encode())

    def test_some_trials(self):
        self.break_down(1, 3)
        before = self.results("r")
        reply = self.good(*SMALL, "--out", "r")
        self.assertIn("(0 new trials)", reply.out)
        self.assertEqual(self.results("r"), before)
        self.assertRegex(reply.out, r"agent +trials +failed +regret ")
        self.assertRegex(reply.out, r"  SAU-UCB +4 +0 +[\d.]+ ± [\d.]+ ")
        self.assertRegex(reply.out, r"  TS +4 +2 +[\d.]+ ± [\d.]+ ")
        line = f"TS on bernoulli-10-0.1: 2 of 4 trials failed; first: trial 1: {REASON}\n"
        self.assertEqual(reply.err, "sau: " + line)
        shown = self.good("inspect", "r")
        self.assertIn("8 of 8 trials", shown.out)
        self.assertTrue(shown.out.endswith("\n\n" + line), shown.out)

    def test_some_trials_as_json(self):
        good = json.loads(self.good(*SMALL, "--out", "r", "--json").out)["cells"]
        self.break_down(1, 3)
        for args in ((*SMALL, "--out", "r", "--json", "--quiet"), ("inspect", "r", "--json")):
            first, second = json.loads(self.good(*args).out)["cells"]
            self.assertEqual(first, good[0])
            self.assertEqual((second["trials"], second["failed"]), (4, 2))
            self.assertEqual(second["failures"], [{"trial": 1, "reason": REASON},
                                                  {"trial": 3, "reason": REASON}])
            self.assertNotEqual(second["regret"], good[1]["regret"])

    def test_if_every_trial_of_a_cell_failed_the_exit_code_is_1(self):
        self.break_down(0, 1, 2, 3)
        reply = self.sau(*SMALL, "--out", "r")
        self.assertEqual(reply.code, 1)
        self.assertIn("TS on bernoulli-10-0.1: 4 of 4 trials failed", reply.err)
        self.assertRegex(reply.out, r"  SAU-UCB +4 +0 +[\d.]+ ± ")
        self.assertRegex(reply.out, r"  TS +4 +4 +- +- +- ")
        reply = self.sau(*SMALL, "--out", "r", "--json")
        self.assertEqual(reply.code, 1)
        self.assertIsNone(json.loads(reply.out)["cells"][1]["regret"])
        self.good("inspect", "r")  # inspecting is not an error

    def test_a_network_that_diverges_does_not_stop_the_others(self):
        rows = "".join(f"{i % 3},{1e38 if i % 2 else 0},{i % 5}\n" for i in range(60))
        self.write("huge.csv", ("x,a,b\n" + rows).encode())
        run = ("run", "--problem", "rewards(file=huge.csv,context=x,actions=a..b,intercept=false)", "--agent",
               "mlp+greedy", "--agent", "uniform", "--trials", "3", "--out", "deep", "--quiet")
        reply = self.sau(*run)
        self.assertEqual(reply.code, 1)
        self.assertRegex(reply.err, r"mlp\+greedy on .*: 3 of 3 trials failed; first: trial 0: "
                                    r"diverged: .* after mini-batch \d+; try a smaller lr")
        self.assertRegex(reply.out, r"  Uniform +3 +0 +")
        again = self.sau(*run)
        self.assertIn("(0 new trials)", again.out)  # not tried again


if __name__ == "__main__":
    unittest.main()
