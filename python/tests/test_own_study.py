"""examples/own_study: its page, run as it is written."""

import os
import pathlib
import shutil
import subprocess
import sys

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "own_study"


def commands():
    inside = False
    for line in (EXAMPLE / "README.md").read_text().splitlines():
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            yield line[2:]


def test_the_page_makes_a_figure_and_a_table(tmp_path):
    for file in EXAMPLE.iterdir():
        shutil.copy(file, tmp_path)
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "sau").symlink_to(os.environ["SAU_PROGRAM"])
    (tools / "python3").symlink_to(sys.executable)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}",
                   "SAU_CACHE_DIR": str(tmp_path / "cache")}
    said = []
    for command in commands():
        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment,
                              capture_output=True, text=True, timeout=1200)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        said.append(done.stdout)
    assert len(said) == 8
    assert "centroids" in said[3] and "of 3 alternatives" in said[4]
    assert (tmp_path / "figures" / "pets-curves.pdf").read_bytes().startswith(b"%PDF")
    table = (tmp_path / "table.tex").read_text()
    assert r"\toprule" in table
    names = ["committee", "ridge(lambda=0.1)", "ridge (tuned)", "ridge(lambda=10)", "LinUCB",
             "no contexts", "chance", "centroids"]
    for name in names:
        assert f"    {name} & $" in table, name
    page = (tmp_path / "study.html").read_text()
    assert "ridge" in page and "centroids" in page
