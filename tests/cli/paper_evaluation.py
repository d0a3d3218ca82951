#!/usr/bin/env python3
"""sau paper --only evaluation: what it prints and writes."""

import sys

sys.dont_write_bytecode = True

import csv
import io
import json
import os
import unittest

from _support import SauTestCase

FEW = ("paper", "--only", "evaluation", "--trials", "1", "--quiet")


class PaperEvaluation(SauTestCase):
    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_without_data_the_wheel_is_left(self):
        os.environ["SAU_DATA_DIR"] = self.path("no-data")
        reply = self.good(*FEW)
        self.assertIn("sau: left out: statlog", reply.err)
        self.assertRegex(reply.out, r"(?m)^  wheel-0\.50 +epsilon-greedy +bad ")
        self.assertRegex(reply.out, r"at most 1\.1 times it on \d of 3\n")
        page = self.read("results/paper/evaluation.html")
        self.assertEqual(page.count(b"<img "), 4)
        saved = json.loads(self.read("results/paper/evaluation.json"))
        self.assertEqual((saved["format"], saved["version"], saved["seed"]), ("sau-calibration", 1, 1))
        policies = saved["results"]["policies"]
        self.assertEqual([(each["log"], each["policy"]) for each in policies],
                         [(log, policy) for log in ("uniform", "SAU-Sampling", "epsilon-greedy")
                          for policy in ("good", "bad")])
        for good, bad in zip(policies[::2], policies[1::2]):
            self.assertGreater(good["truth"], bad["truth"])
        rows = list(csv.DictReader(io.StringIO(self.read("results/paper/evaluation.csv").decode())))
        self.assertEqual(len(rows), 6 * (9 + 8))
        again = json.loads(self.good(*FEW, "--threads", "3", "--json", "--out", "other").out)
        self.assertEqual(again["evaluation"], saved["results"])

    def test_it_runs_only_if_named(self):
        self.assertNotIn("evaluation", self.good("paper", "--trials", "1", "--dry-run").out)


if __name__ == "__main__":
    unittest.main()
