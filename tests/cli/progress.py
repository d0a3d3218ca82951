#!/usr/bin/env python3
"""Progress on a terminal and elsewhere."""

import sys

sys.dont_write_bytecode = True

import json
import os
import pty
import signal
import unittest

from _support import DEADLINE, SauTestCase

# About a second of work on one core.
RUN = ("run", "--problem", "bernoulli", "--agent", "ts", "--steps", "100000", "--trials", "25",
       "--threads", "1", "--out")


class OnATerminal(SauTestCase):
    def watch(self, *args):
        """The exit code, standard output, and what went to a terminal on standard error."""
        master, slave = pty.openpty()
        process = self.start(*args, stderr=slave)
        os.close(slave)
        seen = b""
        while True:
            try:
                block = os.read(master, 4096)
            except OSError:  # the program closed its end
                break
            if not block:
                break
            seen += block
        os.close(master)
        out = process.communicate(timeout=DEADLINE)[0]
        return process.returncode, out, seen.decode()

    def test_one_line_is_rewritten_with_rate_and_time_left(self):
        code, out, seen = self.watch(*RUN, "r", "--json")
        self.assertEqual(code, 0)
        self.assertEqual(json.loads(out)["cells"][0]["trials"], 25)
        self.assertRegex(seen, r"\r\x1b\[K\d+ of 25 trials, \d+ %, [\d.]+[kM] steps/s, \d+ s left")
        self.assertGreater(seen.count("\r"), 2)
        self.assertNotIn("\n", seen)
        self.assertTrue(seen.endswith("\r\x1b[K"), "the line is still there at the end")

    def test_quiet(self):
        code, out, seen = self.watch(*RUN, "r", "--quiet")
        self.assertEqual((code, seen), (0, ""))
        self.assertIn("(25 new trials)", out)

    def test_nothing_to_do_shows_nothing(self):
        self.good(*RUN, "r")
        self.assertEqual(self.watch(*RUN, "r")[2], "")

    def test_an_error_starts_on_an_empty_line(self):
        self.write("file", b"")
        code, _, seen = self.watch(*RUN, "file")
        self.assertEqual(code, 1)
        self.assertRegex(seen, r"\Asau: [^\n]*file[^\n]*\n\Z")


class Elsewhere(SauTestCase):
    def test_a_short_run_prints_nothing(self):
        short = [*RUN, "r"]
        short[short.index("25")] = "1"
        self.assertEqual(self.good(*short).err, "")

    def test_plain_lines(self):
        # One line about every ten seconds, so this test is slow.
        process = self.start("run", "--problem", "bernoulli", "--agent", "ts", "--trials", "1e6",
                             "--steps", "1e5", "--threads", "1", "--out", "r")
        line = process.stderr.readline()
        self.assertRegex(line, r"\A\d+ of 1000000 trials, 0 %, [\d.]+[kM] steps/s, \S+ h left\n\Z")
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=DEADLINE)[1].splitlines()
        self.assertIn("stopped", said[-1])
        for more in said[:-1]:  # if the signal took ten seconds to arrive
            self.assertIn("trials, ", more)
        self.assertEqual(process.returncode, 130)


if __name__ == "__main__":
    unittest.main()
