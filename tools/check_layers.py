#!/usr/bin/env python3
"""Checks which folder includes which, and that public headers include no private ones.

Reads every include in include/sau, src and apps below the root (default: this repository) and
prints file:line of each one that is not allowed. Exit code 1 if there is any.

usage: check_layers.py [root] | --self-test
"""

import os.path
import re
import sys
import tempfile
from pathlib import Path

# What a folder may include besides itself. include/sau/<folder> and src/<folder> count as one.
USES = {
    "core": "",
    "kernel": "core",
    "model": "core kernel",
    "explore": "core kernel model",
    "data": "core",
    "fetch": "core data",
    "problem": "core model data",
    "agent": "core model explore data problem",
    "catalog": "core model explore data problem agent",
    "stats": "core",
    "evaluate": "core model agent catalog data stats",
    "run": "core kernel model explore problem agent catalog data stats",
    "calibration": "core agent catalog problem evaluate run",
    "theory": "core model explore agent problem catalog run",
    "report": "core catalog calibration evaluate run stats theory",
    "draw": "core calibration evaluate report run",
    "http": "core",
    "store": "core",
    "serve": "core model agent catalog evaluate store",
    "cluster": "core model agent catalog store serve",
    "logs": "core model evaluate store serve",
    "evaluations": "core model agent catalog evaluate store serve logs",
    "serve_http": "core store serve evaluations http",
}
USES = {folder: {folder, *others.split()} for folder, others in USES.items()}

STANDARD = set(
    """
    algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono
    cinttypes climits clocale cmath codecvt compare complex concepts condition_variable coroutine
    csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque
    exception execution filesystem format forward_list fstream functional future initializer_list
    iomanip ios iosfwd iostream istream iterator latch limits list locale map memory memory_resource
    mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator
    semaphore set shared_mutex source_location span sstream stack stdexcept stop_token streambuf
    string string_view strstream syncstream system_error thread tuple type_traits typeindex typeinfo
    unordered_map unordered_set utility valarray variant vector version
    """.split()
)

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def folder_of_file(path):
    """The folder of a file (path from the root); "" for include/sau/*.hpp, None for apps."""
    parts = path.parts
    if parts[0] == "apps":
        return None
    inner = parts[2:] if parts[0] == "include" else parts[1:]
    return inner[0] if len(inner) > 1 else ""


def folder_of_include(root, path, name):
    """(folder, private) of an include in quotes; None if it is not one of ours."""
    if name.startswith("sau/"):
        inner = Path(name).parts[1:]
        return (inner[0] if len(inner) > 1 else ""), False
    beside = Path(os.path.normpath(path.parent / name))
    if (root / beside).is_file():
        return folder_of_file(beside), beside.parts[0] != "include"
    inner = Path(name).parts
    if len(inner) > 1 and (inner[0] in USES or (root / "src" / inner[0]).is_dir()):
        return inner[0], True
    return None


def problem_of(root, path, bracket, name):
    """What is wrong with one include, or None."""
    public = path.parts[0] == "include"
    folder = folder_of_file(path)
    if bracket == "<":
        if name.startswith("sau/"):
            return f'write "{name}", not <{name}>'
        if public and name not in STANDARD:
            return f"<{name}> is not a standard header; public headers hide other libraries"
        return None

    target = folder_of_include(root, path, name)
    if target is None:
        return f'"{name}" is not a header of sau' if public else None
    other, private = target
    if public and private:
        return f'private header "{name}" in a public header'
    if public and not name.startswith("sau/"):
        return f'write "sau/{folder}/{name}"'
    if folder is None:  # apps may include everything
        return None
    if other is None:
        return f'"{name}" is part of a program'
    if folder == "":  # a header that only includes others
        return None
    if folder not in USES:
        return f"folder {folder} has no place in the order; give it one in tools/check_layers.py"
    if other not in USES[folder]:
        allowed = " ".join(sorted(USES[folder] - {folder})) or "nothing else"
        other = other or "the gathering header"
        return f'{folder} may not include {other} ("{name}"); it may use: {allowed}'
    return None


def check(root):
    """All violations below root as lines of text, and the number of files read."""
    violations = []
    files = sorted(
        path.relative_to(root)
        for top in ("include/sau", "src", "apps")
        for suffix in ("hpp", "cpp", "h", "inc")
        for path in (root / top).rglob(f"*.{suffix}")
    )
    for path in files:
        text = (root / path).read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), start=1):
            if match := INCLUDE.match(line):
                if problem := problem_of(root, path, *match.groups()):
                    violations.append(f"{path}:{number}: {problem}")
    return violations, len(files)


def self_test():
    # (file, its include, a part of the complaint, or None if the include is allowed)
    cases = [
        ("include/sau/model/a.hpp", '"sau/core/types.hpp"', None),
        ("include/sau/model/b.hpp", "<vector>", None),
        ("include/sau/model/c.hpp", '"sau/explore/x.hpp"', "model may not include explore"),
        ("include/sau/core/d.hpp", '"sau/model/x.hpp"', "core may not include model"),
        ("include/sau/explore/e.hpp", '"sau/model/x.hpp"', None),
        ("include/sau/explore/f.hpp", '"sau/problem/x.hpp"', "explore may not include problem"),
        ("include/sau/problem/g.hpp", '"sau/explore/x.hpp"', "problem may not include explore"),
        ("include/sau/agent/h.hpp", '"sau/problem/x.hpp"', None),
        ("include/sau/core/i.hpp", '"core/secret.hpp"', "private header"),
        ("include/sau/core/j.hpp", '"../../../src/core/secret.hpp"', "private header"),
        ("include/sau/core/k.hpp", "<fmt/format.h>", "not a standard header"),
        ("include/sau/core/l.hpp", '"fmt/format.h"', "not a header of sau"),
        ("include/sau/core/m.hpp", "<sau/core/types.hpp>", "write"),
        ("include/sau/everything.hpp", '"sau/report/x.hpp"', None),
        ("include/sau/core/n.hpp", '"sau/everything.hpp"', "gathering header"),
        ("include/sau/strange/o.hpp", '"sau/core/types.hpp"', "no place in the order"),
        ("src/core/secret.hpp", "<fmt/format.h>", None),
        ("src/core/p.cpp", '"secret.hpp"', None),
        ("src/run/q.cpp", '"core/secret.hpp"', None),
        ("src/run/r.cpp", '"data/x.hpp"', None),
        ("src/run/s.cpp", '"report/x.hpp"', "run may not include report"),
        ("src/stats/s.cpp", '"sau/run/x.hpp"', "stats may not include run"),
        ("src/theory/s.cpp", '"sau/report/x.hpp"', "theory may not include report"),
        ("src/report/s.cpp", '"sau/draw/x.hpp"', "report may not include draw"),
        ("src/draw/s.cpp", '"sau/report/x.hpp"', None),
        ("src/data/t.cpp", '"run/x.hpp"', "data may not include run"),
        ("src/data/u.cpp", '"sau/problem/x.hpp"', "data may not include problem"),
        ("src/problem/u.cpp", '"data/x.hpp"', None),
        ("src/catalog/u.cpp", '"sau/run/x.hpp"', "catalog may not include run"),
        ("src/store/v.cpp", '"sau/agent/x.hpp"', "store may not include agent"),
        ("src/http/w.cpp", '"sau/serve/x.hpp"', "http may not include serve"),
        ("src/serve/w.cpp", '"sau/http/x.hpp"', "serve may not include http"),
        ("src/serve_http/w.cpp", '"sau/http/x.hpp"', None),
        ("src/core/x.cpp", '"../../apps/sau/main.cpp"', "part of a program"),
        ("apps/sau/main.cpp", '"sau/report/x.hpp"', None),
        ("apps/sau/y.cpp", "<CLI/CLI.hpp>", None),
    ]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, include, _ in cases:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(f"#pragma once\n#include {include}\n", encoding="utf-8")
        found = dict(line.split(":2: ", 1) for line in check(root)[0])
    failures = 0
    for name, include, expected in cases:
        complaint = found.get(name)
        if (complaint is None) != (expected is None) or (expected and expected not in complaint):
            print(f"{name} includes {include}: expected {expected!r}, got {complaint!r}")
            failures += 1
    print(f"layers: self-test, {len(cases)} cases, {failures} failures")
    return 1 if failures else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    violations, files = check(root)
    for line in violations:
        print(line)
    print(f"layers: {files} files, {len(violations)} wrong includes")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
