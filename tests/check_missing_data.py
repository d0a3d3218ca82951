#!/usr/bin/env python3
"""Tests that need data sets are skipped and listed without them, and fail if the data are required.

usage: check_missing_data.py TEST_PROGRAM_OF_PROBLEM SAU_PROGRAM
"""

import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOOL = HERE.parent / "tools" / "skipped_tests.py"


def run(command, environment, expected):
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8",
                          timeout=600, check=False)
    assert done.returncode == expected, (command, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def main(problem_test, program):
    one_in_cpp = [problem_test, "--gtest_filter=Dataset.MushroomIsOneHotAndPaysByItsClass"]
    two_in_python = [sys.executable, HERE / "cli" / "data.py", program, "Mushroom.test_add",
                     "Mushroom.test_check"]
    with tempfile.TemporaryDirectory() as folder:
        listed = pathlib.Path(folder, "skipped.txt")
        absent = {**os.environ, "SAU_SHARED_DIR": folder, "SAU_SKIPPED_TESTS": str(listed)}
        absent.pop("SAU_REQUIRE_DATA", None)
        required = {**absent, "SAU_REQUIRE_DATA": "1"}

        assert run([TOOL], absent, 0) == ""
        run([TOOL], required, 0)
        # If the data are required, the tests fail instead of being skipped.
        for command in (one_in_cpp, two_in_python):
            assert "the data sets are not in " + folder in run(command, required, 1)
        assert not listed.exists()
        # A second run, as with sanitizers, counts nothing twice.
        for command in (one_in_cpp, one_in_cpp, two_in_python):
            assert "the data sets are not in" in run(command, absent, 0) or command == two_in_python
        text = run([TOOL], absent, 0)
        assert "!! 3 tests were SKIPPED" in text, text
        assert "Dataset.MushroomIsOneHotAndPaysByItsClass" in text, text
        assert "Mushroom.test_add" in text, text
        run([TOOL], required, 1)
    print("missing data: tests are skipped and counted, or fail")


if __name__ == "__main__":
    main(*sys.argv[1:])
