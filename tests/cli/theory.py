#!/usr/bin/env python3
"""sau paper --only theory: what it prints and writes."""

import sys

sys.dont_write_bytecode = True

import csv
import io
import json
import os
import signal
import unittest

from _support import DEADLINE, SauTestCase

FEW = ("paper", "--only", "theory", "--trials", "1")
KEYS = ["id", "where", "statement", "statistic", "value", "relation", "expected", "tolerance",
        "reason", "verdict", "note"]


class Theory(SauTestCase):
    def test_prints_one_block_per_check(self):
        reply = self.good(*FEW)
        self.assertEqual(reply.err, "")
        self.assertRegex(reply.out, r"^Theory: 36 checks: 31 hold, 5 hold when corrected, 0 fail\n")
        self.assertRegex(reply.out, r"(?m)^prop1\.before\.order +holds$")
        self.assertRegex(reply.out, r"(?m)^prop3\.statement +holds, corrected$")
        self.assertEqual(reply.out.count("\n  expected "), 36)
        self.assertTrue(reply.out.endswith("\nresults: results/paper (0 new trials)\n"))
        self.assertLessEqual(max(map(len, reply.out.splitlines())), 110)

    def test_json_has_both_keys(self):
        reply = self.good(*FEW, "--json")
        result = json.loads(reply.out)
        self.assertEqual(list(result), ["cells", "theory"])
        self.assertEqual(result["cells"], [])
        self.assertEqual(len(result["theory"]), 36)
        for check in result["theory"]:
            self.assertEqual(list(check), KEYS)
            self.assertIn(check["verdict"], ("holds", "holds, corrected"))
            self.assertIsInstance(check["value"], (int, float))

    def test_files(self):
        printed = json.loads(self.good(*FEW, "--json", "--out", "r").out)["theory"]
        files = self.files("r")
        self.assertEqual(sorted(files), ["run.json", "theory.csv", "theory.json"])
        kept = json.loads(files["theory.json"])
        self.assertEqual(list(kept), ["format", "version", "sau", "seed", "trials", "checks"])
        self.assertEqual((kept["format"], kept["seed"], kept["trials"]), ("sau-theory", 1, 1))
        self.assertEqual(kept["checks"], printed)
        rows = list(csv.DictReader(io.StringIO(files["theory.csv"].decode())))
        self.assertEqual(list(rows[0]), KEYS)
        for row, check in zip(rows, printed, strict=True):
            self.assertEqual(float(row["value"]), check["value"])
            self.assertEqual((row["id"], row["verdict"], row["note"]),
                             (check["id"], check["verdict"], check["note"]))

    def test_the_seed_changes_the_files_and_threads_do_not(self):
        for name, more in (("a", ("--threads", "1")), ("b", ("--threads", "7")),
                           ("c", ("--seed", "2"))):
            self.good(*FEW, "--quiet", "--out", name, *more)
        self.assertEqual(self.files("a"), self.files("b"))
        self.assertNotEqual(self.files("a")["theory.csv"], self.files("c")["theory.csv"])

    def test_a_folder_without_cells_can_be_inspected_and_added_to(self):
        self.good(*FEW, "--out", "r")
        self.assertIn("seed 1, 0 of 0 trials", self.good("inspect", "r").out)
        self.assertEqual(json.loads(self.good("inspect", "r", "--json").out), {"cells": []})
        before = self.files("r")["theory.json"]
        self.good("run", "--problem", "bernoulli", "--agent", "ts", "--trials", "2", "--steps",
                  "50", "--out", "r")
        self.assertEqual(self.files("r")["theory.json"], before)
        self.assertIn("2 of 2 trials", self.good("inspect", "r").out)

    def test_together_with_cells(self):
        reply = self.good(*FEW, "--only", "wheel", "--quiet")
        self.assertIn("results: results/paper (45 new trials)", reply.out)
        self.assertLess(reply.out.index("wheel"), reply.out.index("\n\nTheory: "))
        result = json.loads(self.good(*FEW, "--only", "wheel", "--json", "--quiet").out)
        self.assertEqual((len(result["cells"]), len(result["theory"])), (45, 36))

    def test_a_part_without_its_data(self):
        nowhere = dict(os.environ, SAU_DATA_DIR=self.path("nowhere"))
        reply = self.sau("paper", "--only", "tables", env=nowhere)
        self.assertEqual((reply.code, reply.out), (1, ""))
        for line in reply.err.splitlines()[:-1]:
            self.assertRegex(line, r"^sau: left out: [a-z-]+: .* is missing; ")
        self.assertEqual(len(reply.err.splitlines()), 9)
        self.assertIn("the part tables cannot be run: none of its data are there", reply.err)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_wrong_folder_is_refused_first(self):
        self.good(*FEW, "--out", "r")
        self.refused(1, *FEW, "--seed", "2", "--out", "r", says=("r ", "seed 1"))

    def test_a_check_that_fails_gives_exit_code_1(self):
        # The only trial of SAU-UCB gets stuck on a wrong action here, far above theorem 2's bound.
        reply = self.sau(*FEW, "--seed", "115", "--json", "--out", "r")
        self.assertEqual((reply.code, reply.err), (1, ""))
        failed = [check["id"] for check in json.loads(reply.out)["theory"]
                  if check["verdict"] == "fails"]
        self.assertEqual(failed, ["theorem2.adaptive"])
        self.assertIn("theory.json", self.files("r"))

    def test_the_part_is_listed(self):
        self.assertIn("theory", json.loads(self.good("list", "--json").out)["paper"])
        self.assertRegex(self.good("paper", "--help").out, r"(?m)^ *theory +Theory: ")
        self.assertRegex(self.good("completion", "bash").out, r'--only"\) words="[^"]*\btheory\b')
        self.refused(2, "paper", "--only", "theorie", says=("did you mean 'theory'?",))

    def test_ctrl_c_leaves_a_valid_folder(self):
        process = self.start("paper", "--only", "theory", "--trials", "1e6", "--out", "r")
        self.wait_for(lambda: "run.json" in self.files("r"), process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=DEADLINE)
        self.assertEqual((process.returncode, out), (130, ""))
        self.one_line(err, ("stopped", "run the same command again"))
        self.assertEqual(sorted(self.files("r")), ["run.json"])
        self.assertIn("0 of 0 trials", self.good("inspect", "r").out)


if __name__ == "__main__":
    unittest.main()
