#!/usr/bin/env python3
"""Ctrl-C and kill in the middle of a run, and two runs on one folder."""

import sys

sys.dont_write_bytecode = True

import json
import signal
import subprocess
import unittest

from _support import DEADLINE, PROGRAM, SauTestCase

# Some seconds of work on one core: a busy machine must leave time to stop it in the middle.
LONG = ("run", "--problem", "bernoulli", "--agent", "ts", "--agent", "ucb1", "--steps", "100000",
        "--trials", "80", "--out")
ENDLESS = ("run", "--problem", "bernoulli", "--agent", "ts", "--steps", "100000", "--trials",
           "1000000", "--out")


class Interrupted(SauTestCase):
    whole = {}  # what an uninterrupted run writes, made once

    def start_and_wait(self, args, rows, *more):
        process = self.start(*args, "r", "--threads", "1", *more)
        self.wait_for(lambda: self.rows("r") >= rows, process)
        return process

    def finish_and_compare(self):
        """Finishes the folder r with another thread count; it must be as if never stopped."""
        done = self.rows("r")
        self.assertGreater(done, 0)
        self.assertLess(done, 160)
        self.assertIn(f"{done} of 160 trials", self.good("inspect", "r").out)
        reply = self.good(*LONG, "r", "--threads", "2")
        self.assertIn(f"({160 - done} new trials)", reply.out)
        if not self.whole:
            self.good(*LONG, "whole")
            self.whole.update(self.results("whole"))
        self.assertEqual(self.results("r"), self.whole)

    def test_ctrl_c(self):
        process = self.start_and_wait(LONG, 6)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, 130)
        self.one_line(err, ("stopped", "are in r;", "same command"))
        self.assertIn("±", out)  # the results so far
        self.finish_and_compare()

    def test_sigterm(self):
        process = self.start_and_wait(LONG, 3)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=DEADLINE)
        self.assertNotEqual(process.returncode, 0)
        self.one_line(err, ("stopped",))
        self.finish_and_compare()

    def test_kill(self):
        process = self.start_and_wait(LONG, 6)
        process.kill()
        process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.finish_and_compare()
        self.assertFalse([name for name in self.files("r") if ".tmp" in name])

    def test_ctrl_c_ends_a_long_run_quickly_with_valid_json(self):
        process = self.start_and_wait(ENDLESS, 3, "--json")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(json.loads(out)["cells"][0]["trials"], self.rows("r"))
        self.one_line(err, ("stopped",))

    def test_a_folder_in_use_is_refused(self):
        process = self.start_and_wait(ENDLESS, 1)
        self.refused(1, *ENDLESS, "r", says=("r is in use",))
        self.assertIn("of 1000000 trials", self.good("inspect", "r").out)  # reading is allowed
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=DEADLINE)

    def test_a_closed_pipe_is_not_an_error(self):
        # As in: sau list | head -1
        with subprocess.Popen([PROGRAM, "list"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            process.stdout.close()
            self.assertEqual(process.stderr.read(), b"")


if __name__ == "__main__":
    unittest.main()
