"""Makes a wheel that runs on machines without the libraries that the extension links.

Everything but the C library is copied into ``sau.libs`` beside the package. A copy gets a name with
a part of its checksum, so that it is never mistaken for another package's copy, and everything
refers to the copies by these names. The wheel's tag says how new the C library must be.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import tempfile
from pathlib import Path

#: Parts of the C library. Every machine has them, and no process may load them twice.
C_LIBRARY = re.compile(
    r"^(ld-linux.*|linux-vdso.*|lib(c|m|dl|pthread|rt|util|resolv|anl|mvec|nsl|crypt))\.so"
)


def with_libraries(
    files: dict[str, bytes], suffix: str, platform: str, sysroot: Path | None
) -> tuple[dict[str, bytes], str]:
    """Adds the libraries to the files of a wheel. Returns all files and the platform for its tag.

    `suffix` is how the name of the extension ends, and `platform` what it was compiled for. If that
    is another machine, the libraries come from `sysroot`, otherwise from this system.
    """
    (extension,) = (name for name in files if name.endswith(suffix))
    with tempfile.TemporaryDirectory(prefix="sau-wheel-") as temporary:
        folder = Path(temporary)
        core = folder / "core"
        core.write_bytes(files[extension])
        found = _libraries_in(sysroot, core) if sysroot else _libraries_of(core)
        names = {name: _unique_name(path) for name, path in found.items()}
        copies = {}
        for name, path in found.items():
            copies[name] = folder / names[name]
            copies[name].write_bytes(path.read_bytes())
            copies[name].chmod(0o755)
            _patch(copies[name], "--set-soname", names[name])
        for path, place in [*((copy, "$ORIGIN") for copy in copies.values()),
                            (core, "$ORIGIN/../sau.libs")]:
            for name in _needed(path):
                if name in names:
                    _patch(path, "--replace-needed", name, names[name])
            _patch(path, "--set-rpath", place)
        all_files = [core, *copies.values()]
        result = {**files, extension: core.read_bytes()}
        for name, path in copies.items():
            result[f"sau.libs/{names[name]}"] = path.read_bytes()
        newest = max(_c_library_version(path) for path in all_files)
    return result, f"manylinux_{newest[0]}_{newest[1]}_{platform.removeprefix('linux_')}"


def _libraries_of(path: Path) -> dict[str, Path]:
    """All libraries that this file loads, directly or not, without the C library."""
    found = {}
    for line in _output("ldd", path).splitlines():
        name, arrow, rest = line.strip().partition(" => ")
        if not arrow or C_LIBRARY.match(name):
            continue
        if rest.startswith("not found"):
            raise SystemExit(f"sau: {name}, which the extension links, is not installed")
        found[name] = Path(rest.split(" (")[0])
    return found


def _libraries_in(sysroot: Path, path: Path) -> dict[str, Path]:
    """The same for a file of another machine, whose loader cannot be asked here."""
    folders = [*sysroot.glob("usr/lib/*-linux-gnu"), sysroot / "usr/lib"]
    found: dict[str, Path] = {}
    waiting = [path]
    while waiting:
        for name in _needed(waiting.pop()):
            if name in found or C_LIBRARY.match(name):
                continue
            places = [folder / name for folder in folders if (folder / name).exists()]
            if not places:
                raise SystemExit(f"sau: {name}, which the extension links, is not in {sysroot}")
            found[name] = places[0].resolve()
            waiting.append(found[name])
    return found


def _unique_name(path: Path) -> str:
    stem, _, version = path.name.partition(".so")
    return f"{stem}-{hashlib.sha256(path.read_bytes()).hexdigest()[:8]}.so{version}"


def _needed(path: Path) -> list[str]:
    return _output("patchelf", "--print-needed", path).split()


def _c_library_version(path: Path) -> tuple[int, int]:
    """The version of the C library that this file needs."""
    versions = re.findall(r"Name: GLIBC_(\d+)\.(\d+)", _output("readelf", "--version-info", path))
    return max(((int(major), int(minor)) for major, minor in versions), default=(2, 17))


def _patch(path: Path, *arguments: str) -> None:
    _output("patchelf", *arguments, path)


def _output(*command: str | Path) -> str:
    try:
        return subprocess.run(
            [str(part) for part in command], check=True, capture_output=True, text=True
        ).stdout
    except FileNotFoundError:
        raise SystemExit(
            f"sau: {command[0]} was not found; 'tools/setup.sh python' installs what wheels need"
        ) from None
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"sau: {command[0]} failed: {error.stderr.strip()}") from None
