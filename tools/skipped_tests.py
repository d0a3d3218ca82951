#!/usr/bin/env python3
"""Lists the tests that were skipped because data sets are missing.

Reads the file $SAU_SKIPPED_TESTS, to which every such test adds its name. A test that ran in several
builds counts once. Exit code 1 if there are any and SAU_REQUIRE_DATA is set, as in CI.

usage: skipped_tests.py
"""

import os
import pathlib
import sys


def main():
    file = pathlib.Path(os.environ.get("SAU_SKIPPED_TESTS") or "build/skipped_tests.txt")
    names = sorted(set(file.read_text(encoding="utf-8").split("\n")) - {""}) if file.exists() else []
    if not names:
        return 0
    print(f"\n!! {len(names)} tests were SKIPPED because data sets are missing:")
    print(*(f"!!   {name}" for name in names), sep="\n")
    print("!! Put the data sets into $SAU_SHARED_DIR/data, or into")
    print("!! ../shared/data beside the repository (docs/hacking.md).")
    return 1 if os.environ.get("SAU_REQUIRE_DATA") else 0


if __name__ == "__main__":
    sys.exit(main() if len(sys.argv) == 1 else __doc__)
