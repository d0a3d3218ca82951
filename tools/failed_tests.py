#!/usr/bin/env python3
"""Prints the output of the failed tests of the last ctest run again, after everything else.

usage: failed_tests.py BUILD_FOLDER [LINES]    at most the last LINES lines of each (default 60)
"""

import pathlib
import re
import sys


def main(folder, lines=60):
    place = pathlib.Path(folder, "Testing", "Temporary")
    try:
        listed = (place / "LastTestsFailed.log").read_text(encoding="utf-8").splitlines()
        text = (place / "LastTest.log").read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return  # no test was run
    failed = {line.partition(":")[2] for line in listed}
    for part in re.split(r"^\d+/\d+ Testing: ", text, flags=re.MULTILINE)[1:]:
        name, _, rest = part.partition("\n")
        if name in failed:
            printed = rest.partition("\n<end of output>\n")[0].splitlines()
            print(f"\n== failed: {name}", *printed[-lines:], sep="\n")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], *map(int, sys.argv[2:]))
