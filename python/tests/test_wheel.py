"""pip builds a wheel and installs it, without downloads, in an environment that has only NumPy."""

import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).resolve().parent.parent

SMOKE = """
import importlib.util, sys
for name in ("pandas", "matplotlib", "sklearn", "scipy", "pytest"):
    assert importlib.util.find_spec(name) is None, name
import numpy as np, sau
assert sau.__file__.startswith(sys.prefix), sau.__file__
agent = sau.Agent("neural-sau-s", context_dim=9, n_actions=7, seed=1)
for _ in range(100):
    agent.learn(agent.choose(np.ones(9)), 1.0)
result = sau.run("linear", ["sau_ucb", "ts"], trials=2, steps=100)
print(result.summary())
try:
    result.to_pandas()
except ImportError:
    print("no pandas, no frame")
print(result.regret.tolist())
"""

ALL_KINDS = """
import numpy as np, sau
for name in ("neural-sau-s", "neural_linear+thompson", "linear+sau_ucb", "ts"):
    agent = sau.Agent(name, context_dim=9, n_actions=3)
    for n in range(25):
        agent.learn(agent.choose(np.sin(n + np.arange(9.0)), probability=True), 1.0)
    assert agent.fault is None
print(sau.build_info()["kernel"])
"""


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    """The Python of a new environment that sees only NumPy from the system."""
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    (site,) = (folder / "lib").glob("python*/site-packages")
    numpy = Path(np.__file__).parent
    (site / "numpy").symlink_to(numpy)
    for information in numpy.parent.glob("numpy-*info"):
        (site / information.name).symlink_to(information)
    return python


def run(*command, **keywords):
    foreign = ("PYTHONPATH", "PIP_")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
    environment |= {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1",
                    "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    environment |= keywords.pop("environment", {})
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment,
                          **keywords)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(clean, tmp_path_factory):
    """Built by pip with build isolation, in the build folder of these tests."""
    folder = tmp_path_factory.mktemp("wheel")
    settings = f"--config-settings=build-dir={os.environ['SAU_BUILD_DIR']}"
    run(clean, "-m", "pip", "wheel", HERE, "--no-deps", "-w", folder, settings)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(clean, wheel):
    """The clean Python with the wheel in it."""
    run(clean, "-m", "pip", "install", wheel)
    return clean


def test_a_wheel_has_the_right_files(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(n for n in names if n.endswith("METADATA"))).decode()
    assert {"sau/__init__.py", "sau/_core.pyi", "sau/py.typed"} <= set(names)
    assert sum(name.endswith(".so") for name in names) == 1
    assert not any("test" in name or "__pycache__" in name for name in names)
    assert "Requires-Dist: numpy>=1.22" in metadata and "Name: sau\n" in metadata


def test_a_wheel_needs_few_system_libraries(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (one for one in archive.namelist() if one.endswith(".so"))
        archive.extract(name, tmp_path)
    needed = run("ldd", tmp_path / name)
    for library in ("libcurl", "libssl", "libcrypto", "libsau", "libfmt", "libpython"):
        assert library not in needed


def test_a_wheel_runs_with_numpy_alone(installed):
    run(installed, "-m", "pip", "check")
    assert "no pandas, no frame" in run(installed, "-c", SMOKE, cwd="/")


@pytest.mark.parametrize("processor, kernel", [("Westmere", "portable"), ("Haswell", "avx2")])
def test_a_wheel_runs_on_processors_without_newer_instructions(installed, processor, kernel):
    # The emulator stops at any instruction that this processor does not have.
    emulator = shutil.which("qemu-x86_64")
    if emulator is None or platform.machine() != "x86_64":
        pytest.skip("no qemu-x86_64 to stand for another processor")
    printed = run(emulator, "-cpu", processor, installed, "-c", ALL_KINDS, cwd="/")
    assert printed == f"{kernel}\n"


def test_a_wheel_that_carries_its_libraries_needs_only_the_c_library(clean, tmp_path):
    if shutil.which("patchelf") is None:
        pytest.skip("no patchelf")
    settings = [f"--config-settings=build-dir={os.environ['SAU_BUILD_DIR']}",
                "--config-settings=carry=libraries"]
    run(clean, "-m", "pip", "wheel", HERE, "--no-deps", "-w", tmp_path, *settings)
    (wheel,) = tmp_path.glob("*.whl")
    assert re.search(r"-manylinux_2_\d+_(x86_64|aarch64)\.whl$", wheel.name)
    place = tmp_path / "place"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
    (extension,) = (place / "sau").glob("*.so")
    own = place / "sau.libs"
    assert any(own.glob("libstdc++-*.so.6*"))
    for line in run("ldd", extension).splitlines():
        name, _, path = line.strip().partition(" => ")
        if path and not name.startswith(("libc.", "libm.", "libdl.", "libpthread.", "librt.")):
            assert Path(path.split(" (")[0]).resolve().parent == own.resolve(), line
    run(clean, "-m", "pip", "install", "--no-deps", "--target", tmp_path / "site", wheel)
    code = f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r}); import sau; " \
        "r = sau.run('bernoulli', ['sau_ucb', 'ts'], trials=2, steps=50); " \
        f"r.report({str(tmp_path / 'figures')!r}, 'pdf'); print(sau.__file__)"
    assert run(clean, "-c", code, cwd="/").startswith(str(tmp_path))
    assert any((tmp_path / "figures").glob("*.pdf"))


def test_an_editable_install_follows_the_sources(clean):
    settings = f"--config-settings=build-dir={os.environ['SAU_BUILD_DIR']}"
    run(clean, "-m", "pip", "install", "-e", HERE, settings)
    found = run(clean, "-c", "import sau._run; print(sau._run.__file__)", cwd="/").strip()
    assert Path(found).resolve() == (HERE / "src" / "sau" / "_run.py").resolve()
    run(clean, "-m", "pip", "uninstall", "-y", "sau")


def test_a_source_distribution_is_complete(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(HERE / "backend"))
    import sau_build

    name = sau_build.build_sdist(str(tmp_path))
    with tarfile.open(tmp_path / name) as archive:
        names = {member.name.partition("/")[2] for member in archive}
    assert {"pyproject.toml", "PKG-INFO", "backend/sau_build.py", "backend/carry.py", "core/CMakeLists.txt",
            "core/src/catalog/catalog.cpp", "core/python/core/module.cpp"} <= names
    assert not any(one.startswith("core/build") for one in names)
    assert sys.version_info >= (3, 11)
