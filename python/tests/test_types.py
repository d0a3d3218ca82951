"""The package is typed, and the stubs match the extension."""

import subprocess
import sys
from pathlib import Path

import pytest

import sau

HERE = Path(__file__).resolve().parent
CONFIGURATION = HERE.parent / "pyproject.toml"


def run(*command, **keywords):
    done = subprocess.run([sys.executable, "-m", *map(str, command)], capture_output=True,
                          text=True, **keywords)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def test_the_package_is_typed(cache):
    pytest.importorskip("mypy")
    run("mypy", "--config-file", CONFIGURATION, "--cache-dir", cache, HERE.parent / "src" / "sau")


def test_the_types_of_a_users_script_are_inferred(tmp_path, cache):
    pytest.importorskip("mypy")
    script = tmp_path / "user.py"
    script.write_text(
        "import numpy as np\n"
        "import sau\n"
        "agent = sau.Agent('sau_ucb', n_actions=3, context_dim=2, alpha=0.5)\n"
        "choice = agent.choose(np.zeros(2))\n"
        "agent.learn(choice, 1.0)\n"
        "reveal_type(choice.action)\n"
        "reveal_type(agent.probabilities([0.0, 0.0]))\n"
        "reveal_type(sau.run('bernoulli', ['ts']).regret)\n"
        "offers = sau.Agent('hashed_linear+sau_sampling')\n"
        "chosen = offers.choose({'device': 'mobile'}, [{'id': 'a', 'price': 2.5}, 'b'])\n"
        "chosen = offers.choose(context={'age': 3}, actions=['a', 'b'], excluded=['a'])\n"
        "reveal_type(chosen.id)\n"
        "offers.learn(chosen, 1.0)\n"
        "offers.probabilities({'age': 3}, ['a', 'b'])\n"
        "agent.learn(choice)\n"
    )
    package = Path(sau.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(CONFIGURATION), "--cache-dir",
         str(cache), str(script)],
        capture_output=True, text=True, env={"MYPYPATH": str(package)},
    )
    assert 'Revealed type is "builtins.int"' in done.stdout
    assert 'Revealed type is "builtins.str"' in done.stdout
    assert done.stdout.count("numpy.ndarray") == 2
    assert 'Missing positional argument "reward"' in done.stdout
    assert "Found 1 error" in done.stdout


def test_the_stubs_match_the_extension(tmp_path):
    pytest.importorskip("mypy")
    allowed = tmp_path / "allowed"
    # pybind11 adds these to every class.
    allowed.write_text(
        "sau._core.Agent\nsau._core.Problem\nsau._core.TableProblem\n"
        "sau._core.TableProblem.__init__\n"
    )
    package = str(Path(sau.__file__).parent.parent)
    run("mypy.stubtest", "--mypy-config-file", CONFIGURATION, "--allowlist", allowed, "sau._core",
        env={"MYPYPATH": package, "PYTHONPATH": package, "PATH": "/usr/bin"}, cwd=tmp_path)
