#!/usr/bin/env python3
"""sau report on small real runs: every format, and what it refuses."""

import sys

sys.dont_write_bytecode = True

import csv
import io
import json
import os
import re
import unittest

from _support import SauTestCase

OWN = ("run", "--problem", "bernoulli(actions=3)", "--agent", "sau_ucb", "--agent",
       "epsilon_greedy(epsilon=0.05)", "--steps", "200", "--trials", "6", "--quiet")
WHEEL = ("run", "--problem", "wheel-0.90", "--agent", "Linear-SAU-UCB", "--agent", "Uniform",
         "--trials", "4", "--quiet")


class Reports(SauTestCase):
    def report(self, *args):
        self.good("report", *args, "--format", "json", "-o", "out.json")
        return json.loads(self.files(".")["out.json"])

    def test_the_page_is_one_file_with_its_data(self):
        self.good(*OWN, "--out", "r")
        reply = self.good("report", "r")
        self.assertRegex(reply.out, r"^report\.html: \d+ kB\n$")
        self.assertIn("sau: note: No normalised table", reply.err)
        page = self.files(".")["report.html"].decode()
        data = re.search(r'<script type="application/json" id="report-data">(.*?)</script>', page,
                         re.S).group(1)
        self.assertEqual(json.loads(data)["title"], "2 algorithms on bernoulli(actions=3)")
        self.assertNotIn("<", data)
        # The page loads nothing: the only addresses in it are names of formats.
        self.assertFalse(re.search(r'(src|href)="https?:', page))

    def test_numbers_match_the_results(self):
        self.good(*OWN, "--out", "r")
        report = self.report("r", "--title", "A <title>")
        self.assertEqual(report["title"], "A <title>")
        figure = report["sections"][0]["problems"][0]
        with open(self.path("r", "cells", os.listdir(self.path("r", "cells"))[0]),
                  encoding="utf-8") as file:
            header = file.readline().split(",")
        self.assertEqual(len(figure["points"]), sum(name.startswith("regret@") for name in header))
        cells = json.loads(self.good("inspect", "r", "--json").out)["cells"]
        for series, cell in zip(figure["series"], cells):
            self.assertEqual(series["agent_spec"], cell["agent_spec"])
            self.assertAlmostEqual(series["final_mean"]["value"] / cell["regret"]["mean"], 1, 5)
            self.assertEqual(series["mean"][-1], series["final_mean"]["value"])
        self.assertEqual(figure["comparison"]["pairs"][0]["trials"], 6)

    def test_the_papers_numbers_are_shown_where_it_has_them(self):
        self.good(*WHEEL, "--out", "r")
        report = self.report("r")
        self.assertTrue(report["paper"])
        cell = report["sections"][0]["tables"][0]["cells"][0]
        self.assertEqual(cell["paper"], {"mean": 11962.9, "sem": 751.8})
        self.assertIn(cell["differs"][0], [d["id"] for d in report["differences"]])
        self.assertFalse(self.report("r", "--no-paper")["paper"])
        self.assertEqual([s["id"] for s in self.report("r", "--only", "wheel")["sections"]],
                         ["wheel"])

    def test_documents_and_numbers(self):
        self.good(*OWN, "--out", "r")
        self.good("report", "r", "-o", "r.md")
        self.good("report", "r", "-o", "r.tex")
        reply = self.good("report", "r", "--format", "csv", "-o", "numbers")
        self.assertRegex(reply.out, r"^numbers: 7 files, \d+ kB\n$")
        files = self.files(".")
        self.assertIn("paired differences", files["r.md"].decode())
        self.assertIn("\\end{document}", files["r.tex"].decode())
        curves = list(csv.DictReader(io.StringIO(files["numbers/curves.csv"].decode())))
        self.assertEqual({row["algorithm"] for row in curves},
                         {"SAU-UCB", "sample_mean+epsilon_greedy(epsilon=0.05)"})
        final = list(csv.DictReader(io.StringIO(files["numbers/final.csv"].decode())))
        self.assertEqual(final[0]["mean"], curves[len(curves) // 2 - 1]["mean"])

    def test_output_paths(self):
        self.good(*OWN, "--out", "r")
        os.mkdir(self.path("folder"))
        self.assertIn("folder/report.html", self.good("report", "r", "-o", "folder").out)
        self.good("report", "r", "-o", "r/report.html")
        self.good("report", "r", "-o", "r/report.html")
        self.assertIn("report.md", self.good("report", "r", "--format", "md").out)
        self.refused(2, "report", "r", "-o", "r.pdf", says=("--format pdf -o FOLDER",))
        self.refused(2, "report", "r", "-o", "r.doc", says=("r.doc", "--format"))
        self.refused(2, "report", "r", "--format", "pfd", says=("did you mean 'pdf'?",))
        self.refused(2, "report", "r", "--dark", says=("--dark is for svg",))
        self.refused(2, "report", "r", "--only", "wheels", says=("unknown section 'wheels'",))
        self.refused(1, "report", "r", "--format", "csv", "-o", "r", says=("is a result folder",))
        self.refused(1, "report", "r", "-o", "no/such/r.html", says=("no/such/r.html",))

    def test_sizes_of_pictures_are_checked(self):
        self.good(*OWN, "--out", "r")
        pictures = ("report", "r", "--format", "svg", "-o", "pictures")
        self.refused(2, *pictures, "--width", "3.3in",
                     says=("--width=3.3in is not allowed; expected a number",))
        for width in ("0", "-2", "1000"):
            self.refused(2, *pictures, "--width", width, says=(f"is {width}; expected 1 to 40",))
        self.refused(2, *pictures, "--font-size", "8", says=("--font-size needs --width",))
        self.refused(2, *pictures, "--width", "3.3", "--font-size", "0", says=("expected 4 to 24",))
        self.assertFalse(os.path.exists(self.path("pictures")))

    def test_bad_folders_write_nothing(self):
        self.good(*OWN, "--out", "r")
        self.good(*OWN, "--seed", "2", "--out", "seed")
        self.write("other/file", b"")
        self.write("broken/run.json", b"{")
        cell = os.path.join("r", "cells", os.listdir(self.path("r", "cells"))[0])
        before = set(self.files("."))
        for folders, says in ((("nowhere",), "nowhere does not exist"),
                              (("r", "other"), "other is not a sau result folder"),
                              (("broken",), "broken/run.json"), (("r", "seed"), "seeds 1 and 2")):
            self.refused(1, "report", *folders, says=(says,))
        data = self.files(".")[cell]
        self.write(cell, data.replace(b"\n1,", b"\n7,"))
        self.refused(1, "report", "r", says=(cell + ", line 3",))
        self.write(cell, data)
        self.refused(2, "report", says=("run is missing",))
        self.assertEqual(set(self.files(".")), before)

    def test_an_unfinished_run(self):
        self.good(*OWN, "--out", "r")
        cell = os.path.join("r", "cells", sorted(os.listdir(self.path("r", "cells")))[0])
        self.write(cell, self.files(".")[cell][:-10])  # the last row is being written
        reply = self.good("report", "r")
        self.assertIn("(5 of 6)", reply.err)


if __name__ == "__main__":
    unittest.main()
