"""The data sets that some tests need; tests/support/data_folders.hpp is the same for C++.

They are in $SAU_SHARED_DIR/data, or in ../shared/data beside the repository. Without them such a
test is skipped and adds its name to the file $SAU_SKIPPED_TESTS, which `make test` counts. With
SAU_REQUIRE_DATA it fails instead.
"""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(os.environ.get("SAU_SHARED_DIR") or ROOT.parent / "shared") / "data"


def need(test, skip):
    """Returns the folder. Without it, the test of this name is skipped by skip(reason) or fails."""
    if FOLDER.is_dir():
        return FOLDER
    reason = f"the data sets are not in {FOLDER}"
    if os.environ.get("SAU_REQUIRE_DATA"):
        raise AssertionError(reason + ", and SAU_REQUIRE_DATA is set")
    if listed := os.environ.get("SAU_SKIPPED_TESTS"):
        with open(listed, "a", encoding="utf-8") as file:
            file.write(test + "\n")
    return skip(reason)
