"""Runs every example in the docstrings, in docs/python.md and in docs/tour.md."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest

import sau

MODULES = ["sau", "sau._core", *(f"sau.{one.name}" for one in pkgutil.iter_modules(sau.__path__)
                                 if one.name != "_core")]
ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "python.md"


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


def test_methods_of_the_extension_have_examples_that_are_run():
    found = {test.name for test in doctest.DocTestFinder().find(sau._core) if test.examples}
    assert {"sau._core.Agent.choose", "sau._core.Agent.learn"} <= found


@pytest.mark.parametrize("kind", [sau.Choice, sau.OfferChoice])
def test_the_docstring_of_choices(kind):
    # Their module is "sau", so testmod(sau._core) skips them.
    found = doctest.DocTestFinder().find(kind, module=False)
    (test,) = [one for one in found if one.examples]
    assert doctest.DocTestRunner().run(test).failed == 0


def test_the_guide(tmp_path, monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text()
    blocks = re.findall(r"^```pycon\n(.*?)^```", text, re.M | re.S)
    assert len(blocks) > 8
    # One session for the whole page, with the page's line numbers.
    parser = doctest.DocTestParser()
    runner = doctest.DocTestRunner()
    names = {}
    for block in blocks:
        line = text[: text.index(block)].count("\n")
        test = parser.get_doctest(block, names, "docs/python.md", str(PAGE), line)
        runner.run(test, clear_globs=False)
        names = test.globs
    assert runner.failures == 0 and runner.tries > 30


def test_the_tour(tmp_path, monkeypatch, capsys):
    # tools/check_docs.py runs its shell commands and visitors.py.
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "tour.md").read_text()
    (make,) = re.findall(r"^```python make_visits\.py\n(.*?)^```", text, re.M | re.S)
    exec(compile(make, "make_visits.py", "exec"), {})
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert len(blocks) == 2
    names = {}
    for block in blocks:
        exec(compile(block, "docs/tour.md", "exec"), names)
    said = capsys.readouterr().out.splitlines()
    # The page shows the same numbers.
    assert "\n".join(said[-2:]) in text
    assert names["result"].cells


@pytest.mark.parametrize("page", ["README.md", "python/README.md"])
def test_the_example_in_the_readme(page, figures):
    (block,) = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    shorter = block.replace("trials=20", "trials=2, steps=100")
    assert shorter != block
    names = {"x": np.ones(9), "reward": 1.0}
    exec(compile(shorter, page, "exec"), names)
    assert names["result"].regret.shape == (2, 2, 2)


def test_everything_public_has_a_docstring():
    for name in sau.__all__:
        thing = getattr(sau, name)
        assert thing.__doc__, name
        for key, value in vars(thing).items() if isinstance(thing, type) else ():
            if not key.startswith("_") and (callable(value) or isinstance(value, property)):
                assert value.__doc__, f"{name}.{key}"
