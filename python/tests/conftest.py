"""Fixtures that the tests share."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "support"))
import shared_data  # noqa: E402


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    """Keeps the cache in the test's own folder."""
    monkeypatch.setenv("SAU_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def rng():
    return np.random.default_rng(12345)


@pytest.fixture
def program():
    """The command-line program, to compare with."""
    path = os.environ.get("SAU_PROGRAM")
    if not path or not Path(path).exists():
        pytest.skip("SAU_PROGRAM does not name the program")
    return path


@pytest.fixture
def data_folder(request, monkeypatch):
    """The folder of shared data sets; skips the test if there is none."""
    folder = shared_data.need(request.node.nodeid, pytest.skip)
    monkeypatch.setenv("SAU_DATA_DIR", str(folder))
    return folder


@pytest.fixture
def figures():
    """matplotlib, drawing into memory."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")

