#!/usr/bin/env python3
"""A full disk, folders that cannot be written, and damaged or foreign files."""

import sys

sys.dont_write_bytecode = True

import json
import os
import shutil
import unittest

from _support import SMALL, SauTestCase, file_size_limit

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
TS = "r/cells/bernoulli-10-0.1--TS.csv"
MANY = ("run", "--problem", "bernoulli-10-0.1", "--agent", "sau_ucb", "--agent", "ts", "--trials", "30",
        "--steps", "200", "--out")


class FullDisk(SauTestCase):
    def test_while_writing_rows(self):
        self.refused(1, *MANY, "r", says=("cannot write r/cells/", "File too large"),
                     preexec_fn=file_size_limit(8000))
        self.good(*MANY, "whole")
        whole, part = self.results("whole"), self.results("r")
        self.assertEqual(part.keys(), whole.keys())
        for name, data in part.items():
            self.assertTrue(whole[name].startswith(data), name)
            self.assertTrue(data.endswith(b"\n"), name)
        self.assertGreater(self.rows("r"), 2)
        self.assertLess(self.rows("r"), 60)
        self.good("inspect", "r")
        self.good(*MANY, "r")
        self.assertEqual(self.results("r"), whole)

    def test_before_anything_is_written(self):
        self.refused(1, *MANY, "r", says=("r/run.json", "File too large"),
                     preexec_fn=file_size_limit(10))
        self.assertEqual(self.files("."), {})
        self.good(*MANY, "r")

    def test_no_part_of_a_first_row_is_left(self):
        # The settings fit on the disk, the header of a cell does not.
        self.refused(1, *MANY, "r", says=("cannot write r/cells/",),
                     preexec_fn=file_size_limit(800))
        self.assertEqual(list(self.files("r")), ["run.json"])
        self.good(*MANY, "r")

    def test_old_results_survive(self):
        self.good(*SMALL, "--out", "r")
        before = self.files("r")
        self.refused(1, *MANY, "r", says=("r/run.json",), preexec_fn=file_size_limit(10))
        self.assertEqual(self.files("r"), before)

    def test_standard_output(self):
        self.good(*SMALL, "--out", "r")
        for args in (["list"], ["list", "--json"], ["--help"], ["run", "--help"], ["--version"],
                     ["completion", "bash"], ["completion", "zsh"], ["completion", "fish"],
                     ["inspect", "r"], ["inspect", "r", "--json"], [*SMALL, "--out", "r"],
                     [*SMALL, "--out", "r", "--json"]):
            with self.subTest(args=args), open("/dev/full", "w") as full:
                self.refused(1, *args, stdout=full, says=("cannot write", "standard output"))

    def test_standard_output_of_a_new_run_keeps_the_rows(self):
        with open("/dev/full", "w") as full:
            self.refused(1, *SMALL, "--out", "r", stdout=full, says=("standard output",))
        self.assertIn("(0 new trials)", self.good(*SMALL, "--out", "r").out)


class Refused(SauTestCase):
    def test_an_out_below_a_file(self):
        self.write("file", b"mine")
        for out in ("file", "file/r", "/dev/null/r"):
            self.refused(1, *SMALL, "--out", out, says=(out,))
        self.assertEqual(self.files("."), {"file": b"mine"})

    @unittest.skipIf(os.geteuid() == 0, "root writes everywhere")
    def test_an_out_without_permission(self):
        os.mkdir(self.path("locked"), 0o555)
        self.refused(1, *SMALL, "--out", "locked", says=("locked", "Permission denied"))
        self.refused(1, *SMALL, "--out", "locked/r", says=("locked/r", "Permission denied"))
        os.mkdir(self.path("dark"), 0o000)
        self.refused(1, *SMALL, "--out", "dark", says=("dark", "Permission denied"))
        self.refused(1, "inspect", "dark", says=("dark", "Permission denied"))

    def test_a_foreign_folder(self):
        self.write("photos/cat.jpg", b"meow")
        self.refused(1, *SMALL, "--out", "photos", says=("photos", "not a sau result folder"))
        self.refused(1, "inspect", "photos", says=("photos", "not a sau result folder"))
        self.assertEqual(self.files("."), {"photos/cat.jpg": b"meow"})

    def test_damage(self):
        self.good(*SMALL, "--out", "r")
        good = self.files(".")
        settings, rows = good["r/run.json"], good[TS]
        lines = rows.split(b"\n")
        middle = len(lines[0]) + len(lines[1]) + 10
        for name, data, says in (
                (TS, rows[:middle] + b"#" + rows[middle + 1:], (TS, "line 3", "checksum")),
                (TS, b"\n".join(lines[:2] + lines[3:]), (TS, "line 3", "trial 1")),
                (TS, rows.replace(b"regret,reward", b"reward,regret"), (TS, "line 1", "header")),
                (TS, b"a,b\n1,2\n", (TS, "line 1", "header")),
                ("r/run.json", b"hello", ("r/run.json", "not JSON")),
                ("r/run.json", settings[:100], ("r/run.json", "not JSON")),
                ("r/run.json", b'"\xff\xfe"', ("r/run.json",)),
                ("r/run.json", settings.replace(b"sau-run", b"cat-run"), ("r/run.json", "cat-run")),
                ("r/run.json", settings.replace(b'"version": 3', b'"version": 9'),
                 ("r/run.json", "version 9")),
                ("r/run.json", settings.replace(b'"steps": 200', b'"steps": "x"'),
                 ("r/run.json", "steps"))):
            with self.subTest(says=says):
                self.write(name, data)
                before = self.files(".")
                self.refused(1, *SMALL, "--out", "r", says=says)
                self.refused(1, "inspect", "r", says=says)
                self.assertEqual(self.files("."), before)
            self.write(name, good[name])
        self.assertIn("(0 new trials)", self.good(*SMALL, "--out", "r").out)

    def test_a_cell_file_outside_the_folder_is_refused(self):
        self.good(*SMALL, "--out", "r")
        self.write("precious.txt", b"no line end")
        settings = json.loads(self.files(".")["r/run.json"])
        settings["cells"][0]["file"] = "../precious.txt"
        self.write("r/run.json", json.dumps(settings).encode())
        self.refused(1, *SMALL, "--out", "r", says=("run.json", "precious.txt"))
        self.assertEqual(self.files(".")["precious.txt"], b"no line end")

    def test_foreign_files_are_not_taken_for_temporary_files(self):
        os.mkdir(self.path("r"))
        for name in ("run.json.tmpl", "notes.txt", "run.json.tmp12"):
            with open(self.path("r", name), "w") as file:
                file.write("precious")
        before = self.files("r")
        self.refused(1, *SMALL, "--out", "r", says=("r is not a sau result folder",))
        self.assertEqual(self.files("r"), before)

    def test_two_cells_with_the_same_file_are_refused(self):
        self.good(*MANY, "r")
        with open(self.path("r/run.json")) as file:
            settings = json.load(file)
        settings["cells"][0]["file"] = settings["cells"][1]["file"]
        with open(self.path("r/run.json"), "w") as file:
            json.dump(settings, file)
        for args in (("inspect", "r"), (*MANY, "r")):
            self.refused(1, *args, says=("r/run.json", "two cells have the file"))

    def test_inspect_of_a_device(self):
        self.refused(1, "inspect", "/dev/zero", says=("neither a folder nor a regular file",))

    def test_results_of_another_version(self):
        self.good(*SMALL, "--out", "r")
        settings = json.loads(self.files("r")["run.json"])
        settings["sau"] = "77.0.0"
        self.write("r/run.json", json.dumps(settings).encode())
        self.refused(1, *SMALL, "--out", "r", says=("r ", "77.0.0"))

    def test_inspect_of_an_agent_file(self):
        """Agent files of version 1 can still be read."""
        shutil.copy(os.path.join(DATA, "version_1.agent"), self.path("old.agent"))
        out = self.good("inspect", "old.agent").out
        for part in ("agent file, format version 1, checksum good", "sample_mean+sau_ucb", "square"):
            self.assertIn(part, out)
        shown = json.loads(self.good("inspect", "old.agent", "--json").out)
        self.assertEqual([shown[key] for key in ("kind", "format_version", "actions", "state_bytes")],
                         ["agent", 1, 2, 235])
        self.assertEqual(shown["arrays"][0]["name"], "mean")

    def test_inspect_of_missing_and_foreign_files(self):
        self.refused(1, "inspect", "nowhere", says=("nowhere", "does not exist"))
        self.write("letter.txt", b"Dear sau,\n")
        self.refused(1, "inspect", "letter.txt", says=("letter.txt", "is not a sau file"))
        self.write("empty", b"")
        self.refused(1, "inspect", "empty", says=("empty",))
        self.write("torn.agent", b"sau-file")
        self.refused(1, "inspect", "torn.agent", says=("torn.agent", "cut short"))
        os.mkdir(self.path("void"))
        self.refused(1, "inspect", "void", says=("void", "run.json"))


if __name__ == "__main__":
    unittest.main()
