#!/usr/bin/env python3
"""What sau inspect says an agent knows; progress in narrow terminals; too little memory."""

import sys

sys.dont_write_bytecode = True

import fcntl
import json
import os
import pty
import resource
import shutil
import struct
import subprocess
import termios
import unittest

from _support import DEADLINE, PROGRAM, SauTestCase

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")


def event(number, action, cost):
    """A line of dsjson with two actions, of which one was chosen."""
    return json.dumps({
        "_label_cost": cost, "_label_probability": 0.5, "_label_Action": action, "_labelIndex": action - 1,
        "EventId": f"e{number}", "Timestamp": f"2026-01-01T00:00:{number:02}.0000000Z", "a": [action, 3 - action],
        "p": [0.5, 0.5], "c": {"User": {"age": "young"},
                               "_multi": [{"i": {"id": "first"}}, {"i": {"id": "second"}}]},
        "VWState": {"m": "x"}}) + "\n"


class Inspect(SauTestCase):
    def test_an_agent_file(self):
        shutil.copy(os.path.join(DATA, "version_1.agent"), self.path("my.agent"))
        out = self.good("inspect", "my.agent").out
        for part in ("evidence on the actions", "action  count", "S2", "spread", "mean",
                     "sqrt(S2) / n, the uncertainty of the mean", "learned numbers", "norm"):
            self.assertIn(part, out)
        shown = json.loads(self.good("inspect", "my.agent", "--json").out)
        evidence = shown["evidence"]
        self.assertEqual(list(evidence), ["count", "S2", "spread", "mean"])
        self.assertEqual(shown["action_ids"], ["0", "1"])
        for count, squares, spread in zip(evidence["count"], evidence["S2"], evidence["spread"]):
            self.assertAlmostEqual(spread, squares**0.5 / count)
        self.assertEqual({array["name"] for array in shown["arrays"]},
                         {"mean", "pulls", "square"})

    def test_the_folder_of_a_service(self):
        self.write("log.json", "".join(event(n, 1 + n % 2, -float(n % 2)) for n in range(20)).encode())
        self.good("log", "import", "shop", "log.json", "--agent", "hashed_linear+sau_ucb")
        out = self.good("inspect", "shop").out
        for part in ("shop/model.sau: model file", "learned   20 rewards", "most used first", "weights"):
            self.assertIn(part, out)
        shown = json.loads(self.good("inspect", "shop/model.sau", "--json").out)
        self.assertEqual(sorted(shown["action_ids"]), ["first", "second"])
        self.assertEqual(shown["evidence"]["count"], [10.0, 10.0])
        self.assertEqual(sorted(shown["evidence"]["mean"]), [0.0, 1.0])
        os.remove(self.path("shop", "model.sau"))
        self.refused(1, "inspect", "shop", says=("shop", "there is no model yet"))

    def test_a_damaged_model(self):
        self.write("log.json", event(1, 1, -1.0).encode())
        self.good("log", "import", "shop", "log.json")
        with open(self.path("shop", "model.sau"), "r+b") as file:
            file.seek(-9, os.SEEK_END)
            file.write(b"\xff")
        self.refused(1, "inspect", "shop", says=("model.sau", "damaged"))


class Progress(SauTestCase):
    def test_lines_fit_the_terminal(self):
        for columns in (16, 40, 200):
            lines = self.progress(columns)
            self.assertTrue(lines)
            self.assertLess(max(map(len, lines)), columns)
            self.assertTrue(all("%" in line for line in lines), lines)
        self.assertIn("of 2 trials", lines[-1])

    def progress(self, columns):
        """What a run prints on a terminal that is so wide."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        run = subprocess.Popen([PROGRAM, "run", "--problem", "bernoulli", "--agent", "sau_ucb", "--trials",
                                "2", "--steps", "1000", "--out", f"r{columns}"], cwd=self.folder,
                               stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 4096):
                text += part
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        self.assertEqual(run.wait(timeout=DEADLINE), 0)
        return [line for line in text.decode().replace("\r\n", "\n").split("\r\x1b[K") if line.strip()]


class Memory(SauTestCase):
    def test_an_agent_that_there_is_no_room_for(self):
        # Half a matrix of 4000 x 4000 numbers for each of 20 actions: 1.3 GB.
        huge = ("run", "--problem", "linear(dim=4000,actions=20)", "--agent", "linear+sau_ucb", "--trials",
                "1", "--steps", "1")
        little = 300_000_000

        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (little, little))

        for more in ((), ("--dry-run",)):
            self.refused(1, *huge, *more, says=("not enough memory", "linear+sau_ucb"), preexec_fn=limit)
        self.assertEqual(self.files("."), {})


if __name__ == "__main__":
    unittest.main()
