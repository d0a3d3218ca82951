#!/usr/bin/env python3
"""sau table and --dry-run, on small real runs."""

import sys

sys.dont_write_bytecode = True

import csv
import io
import json
import unittest

from _support import SauTestCase

COLUMNS = ["table", "problem", "algorithm", "trials", "mean", "sem", "paper_mean", "paper_sem", "z",
           "best", "failed", "stuck", "two_groups"]
WHEEL = ("run", "--problem", "wheel-0.90", "--agent", "Linear-SAU-UCB", "--quiet")


class Tables(SauTestCase):
    def rows(self, *args):
        rows = list(csv.DictReader(io.StringIO(self.good("table", *args, "--format", "csv").out)))
        self.assertEqual(list(rows[0]), COLUMNS)
        return {(row["table"], row["problem"], row["algorithm"]): row for row in rows}

    def test_every_table_in_every_format(self):
        self.good(*WHEEL, "--agent", "Uniform", "--trials", "3", "--out", "r")
        rows = self.rows("r")
        self.assertEqual(len(rows), 6)
        regret = rows["regret", "wheel-0.90", "Linear-SAU-UCB"]
        cells = json.loads(self.good("inspect", "r", "--json").out)["cells"]
        self.assertEqual(float(regret["mean"]), cells[0]["regret"]["mean"])
        self.assertEqual((regret["paper_mean"], regret["paper_sem"]), ("11962.9", "751.8"))
        norm = rows["normalised", "wheel-0.90", "Linear-SAU-UCB"]
        self.assertAlmostEqual(float(norm["mean"]),
                               100 * cells[0]["regret"]["mean"] / cells[1]["regret"]["mean"])
        self.assertGreater(float(rows["time", "wheel-0.90", "Uniform"]["mean"]), 0)
        for form, says in (("text", "paper"), ("markdown", "| | paper |"), ("latex", "\\toprule")):
            self.assertIn(says, self.good("table", "r", "--format", form, "--table", "regret").out)
        self.assertNotIn("11963", self.good("table", "r", "--no-paper").out)

    def test_output_goes_to_a_file(self):
        self.good(*WHEEL, "--trials", "1", "--out", "r")
        text = self.good("table", "r").out
        self.assertIn("Not normalised", text)
        self.assertEqual(self.good("table", "r", "-o", "t.txt").out, "")
        self.assertEqual(self.files(".")["t.txt"].decode(), text)
        self.refused(1, "table", "r", "-o", "no/such/t.txt", says=("no/such/t.txt",))

    def test_several_folders(self):
        self.good(*WHEEL, "--trials", "2", "--out", "a")
        self.good(*WHEEL, "--agent", "Uniform", "--trials", "4", "--out", "b")
        self.good(*WHEEL, "--trials", "2", "--seed", "2", "--out", "seed")
        self.good(*WHEEL, "--trials", "2", "--steps", "50", "--out", "short")
        for folders in (("a", "b"), ("b", "a"), ("a", "a", "b")):
            rows = self.rows(*folders)
            self.assertEqual(rows["regret", "wheel-0.90", "Linear-SAU-UCB"]["trials"], "4")
            self.assertIn(("normalised", "wheel-0.90", "Uniform"), rows)
        self.refused(1, "table", "a", "seed", says=("a and seed both hold wheel-0.90",
                                                    "seeds 1 and 2"))
        self.refused(1, "table", "a", "short", says=("steps 2000 and 50",))
        self.assertIn("50 steps here, 2000 in the paper", self.good("table", "short").out)

    def test_folders_and_options_that_are_refused(self):
        self.write("other/file", b"")
        self.good(*WHEEL, "--trials", "2", "--out", "r")
        self.write("broken/run.json", b"{")
        self.refused(2, "table", says=("run is missing",))
        self.refused(1, "table", "nowhere", says=("nowhere does not exist",))
        self.refused(1, "table", "r", "other", says=("other is not a sau result folder",))
        self.refused(1, "table", "broken", says=("broken/run.json",))
        self.refused(2, "table", "r", "--table", "regrets", says=("did you mean 'regret'?",))
        self.refused(2, "table", "r", "--format", "tex", says=("'tex'", "latex"))

    def test_sau_paper_prints_and_keeps_the_tables(self):
        reply = self.good("paper", "--only", "wheel", "--trials", "2", "--quiet", "--out", "r")
        self.assertIn("\n\nCumulative regret: wheel, 2000 steps, 2 trials\n", reply.out)
        self.assertIn("82053", reply.out)
        files = self.files("r")
        for name, says in (("tables.txt", "Uniform = 100"), ("tables.md", "### Cumulative"),
                           ("tables.csv", "normalised,wheel-0.50"), ("tables.tex", "\\toprule")):
            self.assertIn(says, files[name].decode())
        # They have no measured times, so the bytes are the same on any machine.
        self.good("paper", "--only", "wheel", "--trials", "2", "--quiet", "--out", "s",
                  "--threads", "1")
        self.assertEqual(self.results("r"), self.results("s"))


class DryRun(SauTestCase):
    def test_writes_nothing_and_counts(self):
        reply = self.good("paper", "--only", "wheel", "--dry-run", "--trials", "2")
        self.assertIn("results/paper", reply.out)
        self.assertRegex(reply.out, r"(?m)^  wheel +\d+ +\d+ +0 +\d+ ")
        self.assertRegex(reply.out, r"About .* on \d+ threads?\. Basis: the first steps of \d+ cells")
        self.assertEqual(self.files("."), {})

    def test_knows_the_existing_trials_and_their_time(self):
        run = ("run", "--problem", "bernoulli", "--agent", "ts", "--steps", "1000", "--out", "r")
        self.good(*run, "--trials", "3")
        before = self.files("r")
        plan = json.loads(self.good(*run, "--trials", "10", "--dry-run", "--json").out)
        part = plan["together"]
        self.assertEqual((part["trials"], part["present"], part["missing"]), (10, 3, 7))
        mean = json.loads(self.good("inspect", "r", "--json").out)["cells"][0]["seconds"]
        self.assertAlmostEqual(part["seconds"], 7 * mean)
        self.assertIn("All trials are present", self.good(*run, "--trials", "3", "--dry-run").out)
        self.assertEqual(self.files("r"), before)

    def test_refuses_what_the_run_would_refuse(self):
        run = ("run", "--problem", "bernoulli", "--agent", "ts", "--steps", "10", "--trials", "1")
        self.good(*run, "--out", "r")
        self.write("other/file", b"")
        for more in (("--out", "r", "--seed", "2"), ("--out", "other"), ("--out", "other/file")):
            reply = self.sau(*run, *more, "--dry-run")
            self.assertEqual((reply.code, reply.out), (1, ""))
            self.one_line(reply.err)


if __name__ == "__main__":
    unittest.main()
