#!/usr/bin/env python3
"""Finds types that are defined twice in the same namespace.

Two files of one program must not define different types of the same name (the one definition
rule). The compiler sees one file at a time and cannot tell; the linker silently keeps one of the
two. Reads every C++ file below the root (default: this repository) and prints both places of each
clash. Exit code 1 if there is any. Types in unnamed namespaces, in functions and in other types are
private and ignored, and so are template specialisations.

usage: check_names.py [root] | --self-test
"""

import re
import sys
import tempfile
from pathlib import Path

# Comments, strings and characters to ignore. Raw strings come first: they may contain the others.
QUIET = re.compile(
    r'R"([^(\s]*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
ATTRIBUTE = re.compile(r"\[\[.*?\]\]|\balignas\s*\([^()]*\)", re.DOTALL)
# A head is the text between the last ; { or } and an opening brace.
NAMESPACE = re.compile(r"(?:inline\s+)?namespace\s*([\w:]*)$")
TYPE = re.compile(
    r"\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(\w+)\s*(?:final\s*)?(?::[^:].*)?$",
    re.DOTALL,
)
PARENTHESIS = re.compile(r"^[^:]*\(", re.DOTALL)  # belongs to a function, not to a base class


def blank(match):
    """As many line ends as before, so that line numbers stay right."""
    return " " + "\n" * match.group().count("\n")


def types_of(text):
    """(qualified name, line) of every type that is defined at the level of a named namespace."""
    for pattern in (QUIET, DIRECTIVE, ATTRIBUTE):
        text = pattern.sub(blank, text)
    found = []
    scopes = []  # names of namespaces; None for an unnamed namespace or any other brace
    head = 0
    for match in re.finditer(r"[;{}]", text):
        sign = match.group()
        if sign == "{":
            before = text[head : match.start()].strip()
            namespace = NAMESPACE.search(before)
            kind = TYPE.search(before)
            if namespace:
                scopes.append(namespace.group(1) or None)
            else:
                if kind and None not in scopes and not PARENTHESIS.search(before[kind.start() :]):
                    line = text.count("\n", 0, match.start()) + 1
                    found.append(("::".join([*scopes, kind.group(1)]), line))
                scopes.append(None)
        elif sign == "}" and scopes:
            scopes.pop()
        head = match.end()
    return found


def program_of(path):
    """Files that may be linked into one program get the same name; "" may be in all programs."""
    if path.parts[0] == "tests" and path.parts[1] != "support":
        return "/".join(path.parts[:2])
    if path.parts[0] in ("bench", "examples") and path.suffix == ".cpp":
        return str(path)
    return path.parts[0] if path.parts[0] in ("apps", "python") else ""


def check(root):
    """All clashes below root as lines of text, and the number of types read."""
    places = {}
    tops = ("include", "src", "apps", "python", "tests", "bench", "examples")
    for path in sorted(path for top in tops for path in (root / top).rglob("*.[hc]pp")):
        path = path.relative_to(root)
        for name, line in types_of((root / path).read_text(encoding="utf-8")):
            places.setdefault(name, []).append((path, line))
    clashes = []
    for name, found in sorted(places.items()):
        for i, (path, line) in enumerate(found):
            for other, other_line in found[:i]:
                programs = {program_of(path), program_of(other)}
                if "" in programs or len(programs) == 1:
                    clashes.append(f"{path}:{line}: {name} is defined in {other}:{other_line} too")
    return clashes, sum(map(len, places.values()))


def self_test():
    # (file, text, the names that must be found in it)
    readings = [
        ("namespace a {\nstruct B {};\n}", ["a::B"]),
        ("namespace a::b { class C final : public D<int> { class E {}; }; }", ["a::b::C"]),
        ("namespace a { namespace { struct B {}; } enum class C : int { kOne }; }", ["a::C"]),
        ("struct B; enum class C; struct D* f() { struct E {}; return 0; }", []),
        ("template <class T>\nstruct B {};\ntemplate <>\nstruct B<int> {};", ["B"]),
        ("void f(struct B& b) { }\nauto g = [](class C c) { };", []),
        ("// struct B {\n/* struct C { */ const char* d = \"struct D {\";", []),
        ('auto r = R"x(struct B { ")x"; struct C {};', ["C"]),
        ("const int n = 1'000'000; const char c = '{'; struct D {};", ["D"]),
        ("#define B \\\n  struct C {\nstruct [[nodiscard]] D {};", ["D"]),
        ("struct alignas(64) B {};\nunion C {};", ["B", "C"]),
        ('extern "C" {\nint f();\n}\nstruct B {};', ["B"]),
    ]
    failures = 0
    for text, expected in readings:
        found = [name for name, _ in types_of(text)]
        if found != expected:
            print(f"{text!r}: expected {expected}, got {found}")
            failures += 1
    # Which files may be linked into one program.
    text = "namespace sau::detail {\nstruct Twice {};\n}\n"
    pairs = [
        ("src/data/a.hpp", "src/report/b.hpp", True),
        ("include/sau/core/a.hpp", "apps/sau/b.cpp", True),
        ("apps/sau/a.cpp", "python/core/b.cpp", False),
        ("tests/core/a_test.cpp", "tests/core/b_test.cpp", True),
        ("tests/core/a_test.cpp", "tests/run/b_test.cpp", False),
        ("tests/core/a_test.cpp", "tests/support/b.hpp", True),
        ("bench/a_bench.cpp", "bench/b_bench.cpp", False),
        ("bench/a_bench.cpp", "bench/b.hpp", True),
    ]
    for first, second, clash in pairs:
        with tempfile.TemporaryDirectory() as folder:
            for name in (first, second):
                (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / name).write_text(text, encoding="utf-8")
            found, _ = check(Path(folder))
        if bool(found) != clash or (found and ":2: sau::detail::Twice is defined" not in found[0]):
            print(f"{first} and {second}: expected a clash: {clash}, got {found}")
            failures += 1
    print(f"names: self-test, {len(readings) + len(pairs)} cases, {failures} failures")
    return 1 if failures else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    clashes, types = check(root)
    for line in clashes:
        print(line)
    print(f"names: {types} types, {len(clashes)} defined twice")
    return 1 if clashes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
