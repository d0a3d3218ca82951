#!/usr/bin/env python3
"""A short day of sau serve (bench/serve_day.py has the long one): nothing is lost under mixed load."""

import sys

sys.dont_write_bytecode = True

import os
import subprocess
import unittest

from _support import DEADLINE, PROGRAM, SauTestCase

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LOAD = os.path.join(os.path.dirname(PROGRAM), "bench", "serve_load")


class Day(SauTestCase):
    def test_nothing_is_lost(self):
        self.assertTrue(os.path.exists(LOAD), "the benchmarks are not built")
        done = subprocess.run(
            [sys.executable, os.path.join(ROOT, "bench", "serve_day.py"), PROGRAM, LOAD, "--events",
             "30000", "--kill-every", "4", "--wait", "PT1S", "--pause", "0.5", "--connections", "16",
             "--work", self.folder], capture_output=True, encoding="utf-8", timeout=10 * DEADLINE,
            check=False)
        print(done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("nothing lost", done.stdout)


if __name__ == "__main__":
    unittest.main()
