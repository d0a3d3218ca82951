"""The build backend of the Python package (PEP 517 and 660). It downloads nothing.

It lets CMake build the extension from the C++ sources of the repository, and packs it with the
files in src/sau. It uses the repository's build folder if that was configured for this Python.

``pip install --config-settings build-dir=DIR ./python`` names another build folder.
``pip wheel --config-settings carry=libraries ./python`` makes a wheel that carries the libraries
that it links, for machines that do not have them (carry.py).

A build folder that was configured for another machine gives a wheel for that machine
(tools/wheel_aarch64.sh).
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent
# A source distribution has the repository beside its pyproject.toml, in core/.
ROOT = HERE.parent if (HERE.parent / "CMakeLists.txt").exists() else HERE / "core"
PACKAGE = ROOT / "python" / "src" / "sau"

Settings = dict[str, Any] | None


# The hooks that pip calls


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    return []


get_requires_for_build_editable = get_requires_for_build_wheel
get_requires_for_build_sdist = get_requires_for_build_wheel


def prepare_metadata_for_build_wheel(
    metadata_directory: str, config_settings: Settings = None
) -> str:
    """Without this, pip would build everything just to learn the name and version."""
    built = _configured(config_settings)
    information = _information(_pybind11_version(built), _platform(built))
    folder = Path(metadata_directory) / f"sau-{_version()}.dist-info"
    folder.mkdir()
    for name, content in information.items():
        (folder / name).write_bytes(content)
    return folder.name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    built = _build(config_settings)
    if (config_settings or {}).get("carry") == "libraries":
        import carry

        sysroot = _cache_of(built).get("SAU_SYSROOT")
        files, platform = carry.with_libraries(
            _wheel_files(built), _suffix(built), _platform(built), Path(sysroot) if sysroot else None)
    else:
        files, platform = _wheel_files(built), _platform(built)
    return _write_wheel(Path(wheel_directory), files, _pybind11_version(built), platform)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    built = _build(config_settings)
    files = {"sau.pth": f"{built / 'python'}\n".encode()}
    return _write_wheel(Path(wheel_directory), files, _pybind11_version(built), _platform(built))


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    stem = f"sau-{_version()}"
    name = f"{stem}.tar.gz"
    with tarfile.open(Path(sdist_directory) / name, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in _sources():
            archive.add(path, f"{stem}/core/{path.relative_to(ROOT)}", recursive=False)
        for top in ("pyproject.toml", "README.md", "backend/sau_build.py", "backend/carry.py"):
            archive.add(ROOT / "python" / top, f"{stem}/{top}", recursive=False)
        with tempfile.TemporaryDirectory() as temporary:
            information = Path(temporary) / "PKG-INFO"
            information.write_text(_metadata(None))
            archive.add(information, f"{stem}/PKG-INFO")
    return name


# The build


def _build(settings: Settings) -> Path:
    """The folder in which CMake has built the extension for this Python."""
    folder = _configured(settings)
    _run(["cmake", "--build", str(folder), "--target", "sau_python", "--parallel",
          str(os.cpu_count() or 1)])
    return folder


def _configured(settings: Settings) -> Path:
    """A build folder for this Python."""
    folder = _build_folder(settings)
    cache = _cache_of(folder)
    if cache.get("SAU_BUILD_PYTHON") != "ON" or not _same_python(cache):
        configure = ["cmake", "-S", str(ROOT), "-B", str(folder), "-D", "SAU_BUILD_PYTHON=ON",
                     "-D", f"Python3_EXECUTABLE={_interpreter()}"]
        if not cache:
            configure += ["-D", "CMAKE_BUILD_TYPE=Release", "-D", "CMAKE_UNITY_BUILD=ON"]
            # The program's web pages would need packages from the network.
            parts = ("TESTS", "BENCH", "EXAMPLES", "PROGRAM")
            configure += [f"-DSAU_BUILD_{part}=OFF" for part in parts]
            configure += ["-G", "Ninja"] if shutil.which("ninja") else []
        _run(configure)
    return folder


def _build_folder(settings: Settings) -> Path:
    """The repository's build folder if it fits, so that nothing is compiled twice."""
    if settings and "build-dir" in settings:
        return Path(settings["build-dir"]).resolve()
    shared = ROOT / "build"
    cache = _cache_of(shared)
    free = cache.get("SAU_BUILD_PYTHON") != "ON" or _same_python(cache)
    built = (shared / "libsau_lab.a").exists()
    if built and free and cache.get("CMAKE_BUILD_TYPE") == "Release":
        return shared
    own = shared / f"wheel-{sys.implementation.cache_tag}"
    try:
        own.mkdir(parents=True, exist_ok=True)
    except OSError:  # the source tree is read-only
        return Path(tempfile.mkdtemp(prefix="sau-build-"))
    return own


def _interpreter() -> str:
    """The base interpreter: a virtual environment may be gone tomorrow."""
    return str(getattr(sys, "_base_executable", None) or sys.executable)


def _same_python(cache: dict[str, str]) -> bool:
    """Whether the extension of this build works with the interpreter that runs now.

    If the build is for another machine: whether it works with the same version of Python there.
    """
    if "SAU_PYTHON_SOABI" in cache:
        return cache["SAU_PYTHON_SOABI"].startswith(f"{sys.implementation.cache_tag}-")
    executable = cache.get("Python3_EXECUTABLE", "")
    if not executable or not Path(executable).exists():
        return False
    ask = "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"
    done = subprocess.run([executable, "-c", ask], capture_output=True, text=True)
    return done.returncode == 0 and done.stdout.strip() == _suffix()


def _suffix(folder: Path | None = None) -> str:
    """How the name of an extension ends: of the one in this build folder, or of one made here."""
    other = _cache_of(folder).get("SAU_PYTHON_SOABI") if folder else None
    return f".{other}.so" if other else str(sysconfig.get_config_var("EXT_SUFFIX"))


def _platform(folder: Path) -> str:
    """What the extension is compiled for, as in the name of a wheel: linux_x86_64."""
    other = _cache_of(folder).get("SAU_PYTHON_SOABI")  # such as cpython-311-aarch64-linux-gnu
    if other:
        return f"linux_{other.split('-')[2]}"
    return re.sub(r"[-.]", "_", sysconfig.get_platform())


def _cache_of(folder: Path) -> dict[str, str]:
    """The CMake cache of a build folder."""
    file = folder / "CMakeCache.txt"
    if not file.exists():
        return {}
    entries = re.findall(r"^(\w+):\w+=(.*)$", file.read_text(), re.M)
    return dict(entries)


def _pybind11_version(folder: Path) -> str | None:
    return _cache_of(folder).get("SAU_PYBIND11_VERSION")


def _extension_in(folder: Path) -> Path:
    extension = folder / "python" / "sau" / f"_core{_suffix(folder)}"
    if not extension.exists():
        raise SystemExit(f"sau: the build did not make {extension}")
    return extension


def _run(command: list[str]) -> None:
    print("+", " ".join(command), flush=True)
    try:
        subprocess.run(command, check=True)
    except FileNotFoundError:
        raise SystemExit(
            "sau: cmake was not found; 'tools/setup.sh python' installs what the build needs"
        ) from None
    except subprocess.CalledProcessError as error:
        raise SystemExit(
            f"sau: {command[0]} failed with exit code {error.returncode}, see above; "
            "'tools/setup.sh python' installs what the build needs"
        ) from None


# What goes into an archive


def _wheel_files(built: Path) -> dict[str, bytes]:
    """The files of the package, by their names in the wheel."""
    files = {f"sau/{path.name}": path.read_bytes() for path in _package_files()}
    extension = _extension_in(built)
    return {**files, f"sau/{extension.name}": extension.read_bytes()}


def _package_files() -> list[Path]:
    kinds = (".py", ".pyi", ".typed")
    return sorted(path for path in PACKAGE.iterdir() if path.suffix in kinds)


def _sources() -> list[Path]:
    """What the extension is built from."""
    top = ["CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md"]
    paths = [ROOT / name for name in top]
    for folder in ("cmake", "include", "src", "experiments", "apps", "web", "python"):
        paths += [path for path in (ROOT / folder).rglob("*") if path.is_file()]
    return sorted(path for path in paths if "__pycache__" not in path.parts)


def _version() -> str:
    found = re.search(r"VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text())
    if found is None:
        raise SystemExit("sau: CMakeLists.txt has no version")
    return found.group(1)


def _metadata(pybind11: str | None) -> str:
    project = tomllib.loads((ROOT / "python" / "pyproject.toml").read_text())["project"]
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {_version()}",
        f"Summary: {project['description']}",
        f"License: {project['license']['text']}",
        f"Keywords: {','.join(project['keywords'])}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Classifier: {one}" for one in project["classifiers"]),
    ]
    for requirement in project["dependencies"]:
        # An extension built with an older pybind11 misreads NumPy 2.
        old = pybind11 is not None and tuple(map(int, pybind11.split(".")[:2])) < (2, 12)
        limit = ",<2" if old and requirement.startswith("numpy") else ""
        lines.append(f"Requires-Dist: {requirement}{limit}")
    for extra, requirements in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {one}; extra == '{extra}'" for one in requirements]
    readme = (ROOT / "python" / project["readme"]).read_text()
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme])


def _tag(platform: str) -> str:
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}{sys.abiflags}-{platform}"


def _information(pybind11: str | None, platform: str) -> dict[str, bytes]:
    """The files of a wheel's dist-info, except RECORD."""
    wheel = "Wheel-Version: 1.0\nGenerator: sau_build\nRoot-Is-Purelib: false\n"
    wheel += f"Tag: {_tag(platform)}\n"
    return {
        "METADATA": _metadata(pybind11).encode(),
        "WHEEL": wheel.encode(),
        "LICENSE": (ROOT / "LICENSE").read_bytes(),
    }


def _write_wheel(
    folder: Path, files: dict[str, bytes], pybind11: str | None, platform: str
) -> str:
    version, tag = _version(), _tag(platform)
    information = f"sau-{version}.dist-info"
    for name, content in _information(pybind11, platform).items():
        files = {**files, f"{information}/{name}": content}
    record = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(content)}")
    record.append(f"{information}/RECORD,,")
    files[f"{information}/RECORD"] = ("\n".join(record) + "\n").encode()
    wheel = f"sau-{version}-{tag}.whl"
    with zipfile.ZipFile(folder / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)  # a fixed date, so the bytes are always the same
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return wheel
