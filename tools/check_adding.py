#!/usr/bin/env python3
"""Builds and runs the recipes of docs/adding.md.

A paragraph that ends with `path`: and the fenced block below it are one
step of a recipe:
  - a diff block changes that file: its lines that begin with a space or - must occur in the file
    exactly once, as one piece, and are replaced by the lines that begin with a space or +;
  - any other block is a file to be created.
All steps of the page are applied to a copy of the tree, which is then built in the same way as
BUILD. The `$ ...` lines of the page's console blocks run in one shell, in an empty folder in which
`build` is the build folder of the copy. Each must exit with 0, or with N if it ends in `# exit N`.

To save time, the copy is kept in BUILD/adding, the web pages are taken from BUILD, and files that the
recipes change are not optimised. The rest is compiled with the same commands as in BUILD, so that a
compiler cache has it. Only the tests of the catalogue, of papers and of the page are built.

usage: check_adding.py BUILD
"""

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

import check_docs

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "adding.md"
CONSOLE_TIMEOUT = 600
# Tests that run over every component of the catalogue, and those that read every paper.
TESTS = ("tests/catalog/conformance_test.cpp", "tests/catalog/every_offer_agent_test.cpp",
         "tests/catalog/problem_conformance_test.cpp", "tests/report/paper_test.cpp",
         "tests/report/table_test.cpp")
SAME_AS_IN_BUILD = ("CMAKE_BUILD_TYPE", "CMAKE_CXX_COMPILER", "CMAKE_CXX_COMPILER_LAUNCHER",
                    "CMAKE_CXX_FLAGS", "CMAKE_CXX_FLAGS_RELEASE", "CMAKE_MAKE_PROGRAM",
                    "CMAKE_PREFIX_PATH", "CMAKE_UNITY_BUILD", "Python3_EXECUTABLE",
                    "SAU_BUILD_PYTHON", "SAU_WERROR")


def steps():
    """(line, path, language, lines) of every block below a paragraph that ends with `path`:"""
    text = PAGE.read_text().splitlines()
    found = []
    for language, start, lines in check_docs.blocks(PAGE):
        above = start - 3  # the last line above the fence, which is line start - 1
        while above >= 0 and not text[above].strip():
            above -= 1
        path = re.search(r"`([\w./-]+/[\w.-]+)`:$", text[above]) if above >= 0 else None
        if path and not language.startswith("console"):
            found.append((start, path.group(1), language, lines))
    return found


def hunks(lines):
    """(before, after) of each part of a diff; parts are separated by lines that begin with @@."""
    parts = [([], [])]
    for line in lines:
        if line.startswith("@@"):
            parts.append(([], []))
            continue
        before, after = parts[-1]
        if not line.startswith("+"):
            before.append(line[1:])
        if not line.startswith("-"):
            after.append(line[1:])
    return [part for part in parts if part[0] or part[1]]


def changed(text, lines):
    """The text after the diff, or None if a part does not match exactly once."""
    content = text.split("\n")
    for before, after in hunks(lines):
        places = [i for i in range(len(content) - len(before) + 1)
                  if content[i:i + len(before)] == before]
        if not before or len(places) != 1:
            return None
        content[places[0]:places[0] + len(before)] = after
    return "\n".join(content)


def tracked():
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=ROOT, capture_output=True, check=True).stdout
    return [name for name in listed.decode().split("\0") if name and (ROOT / name).is_file()]


def apply(files):
    """Applies the page to {path: content}; returns the paths of the files it creates."""
    created = []
    for line, path, language, lines in steps():
        if language == "diff":
            if path not in files:
                check_docs.complain(PAGE, line, f"{path} does not exist")
                continue
            result = changed(files[path].decode(), lines)
            if result is None:
                check_docs.complain(PAGE, line, f"these lines are not in {path} exactly once")
            else:
                files[path] = result.encode()
        elif path in files:
            check_docs.complain(PAGE, line, f"{path} exists already")
        else:
            created.append(path)
            files[path] = ("\n".join(lines) + "\n").encode()
    if not created:
        check_docs.complain(PAGE, 1, "no recipe found")
    return created


def quick_batches(files, changes, build):
    """The unity batches that contain or include files that the recipes change."""
    names = {re.sub(r"^(src|include|apps/sau)/", "", path) for path in changes}
    found = []
    for batch in sorted(build.glob("CMakeFiles/*/Unity/*.cxx")):
        for source in re.findall(r'#include "(.*)"', batch.read_text()):
            path = os.path.relpath(source, ROOT)
            included = re.findall(r'#include "(.*)"', files.get(path, b"").decode())
            if path in changes or names & set(included):
                found.append("${PROJECT_BINARY_DIR}/" + str(batch.relative_to(build)))
                break
    return found


def simplify(files, created, build):
    """Makes the copy cheap to build, see above; returns the targets."""
    changes = {path for _, path, language, _ in steps() if language == "diff"}
    files["cmake/WebPage.cmake"] = f"""function(sau_web_packages)
endfunction()
function(sau_web_page variable name)
  set(${{variable}} {build}/web/${{name}}.html PARENT_SCOPE)
endfunction()
""".encode()
    sources = [path for path in created
               if path.endswith(".cpp") and not path.startswith("tests/")]
    tests = {}
    for path in [*TESTS, *created]:
        folder = re.fullmatch(r"tests/(\w+)/\w+_test\.cpp", path)
        if folder:
            tests.setdefault(f"{folder.group(1)}_test", []).append(path)
    lines = ["", "# Written by tools/check_adding.py.",
             "file(GLOB quick ${PROJECT_BINARY_DIR}/generated/catalog/*.cpp)",
             "set_source_files_properties(${quick} src/catalog/catalog.cpp " + " ".join(sources),
             "  PROPERTIES COMPILE_OPTIONS -O0 SKIP_UNITY_BUILD_INCLUSION ON)",
             *(f"set_source_files_properties({batch} PROPERTIES COMPILE_OPTIONS -O0)"
               for batch in quick_batches(files, changes, build))]
    for target, paths in tests.items():
        inside = " ".join("${PROJECT_SOURCE_DIR}/" + path for path in paths)
        lines += [f"set_target_properties({target} PROPERTIES SOURCES \"{inside.replace(' ', ';')}\" "
                  "UNITY_BUILD OFF)",
                  f"target_compile_options({target} PRIVATE -O0)"]
    files["CMakeLists.txt"] += ("\n".join(lines) + "\n").encode()
    return ["sau_program", *tests]


def write_tree(tree, files):
    """Writes only files that differ, so that a later build is short."""
    tree.mkdir(parents=True, exist_ok=True)
    for path in tree.rglob("*"):
        name = str(path.relative_to(tree))
        if name != "build" and not name.startswith("build/") and path.is_file() and name not in files:
            path.unlink()
    for name, content in files.items():
        path = tree / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if os.access(ROOT / name, os.X_OK):
            path.chmod(0o755)


def cache_of(build):
    entries = {}
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        entry = re.match(r"(\w+):\w+=(.*)", line)
        if entry:
            entries[entry.group(1)] = entry.group(2)
    return entries


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print(done.stdout[-8000:], file=sys.stderr)
        raise SystemExit(f"adding.md: {' '.join(command[:4])} ... failed, see above")


def make(tree, build, targets):
    cache = cache_of(build)
    python = cache.get("SAU_BUILD_PYTHON", "").upper() in ("ON", "1", "TRUE", "YES")
    if not (tree / "build" / "CMakeCache.txt").exists():
        settings = [f"-D{name}={cache[name]}" for name in SAME_AS_IN_BUILD if cache.get(name)]
        run(["cmake", "-S", str(tree), "-B", str(tree / "build"), "-G", cache["CMAKE_GENERATOR"],
             *settings, "-DSAU_MODELS_PER_SOURCE=7", "-DSAU_BUILD_TESTS=ON", "-DSAU_BUILD_BENCH=OFF",
             "-DSAU_BUILD_EXAMPLES=OFF"])
    jobs = os.environ.get("JOBS") or str(os.cpu_count() or 1)
    run(["cmake", "--build", str(tree / "build"), "-j", jobs, "--target", *targets,
         *(["sau_python"] if python else [])])
    return python


def play(tree, python):
    commands = []
    for language, start, lines in check_docs.blocks(PAGE):
        if language.startswith("console"):
            commands += check_docs.session_commands(start, lines)
    if not python:
        commands = [command for command in commands if "PYTHONPATH=" not in command[1]]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "build").symlink_to(tree / "build")
        environment = {**os.environ, "PATH": f"{tree / 'build'}:{os.environ['PATH']}",
                       "SAU_CACHE_DIR": str(folder / "cache"), "SAU_DATA_DIR": str(folder / "data")}
        check_docs.run_session(PAGE, commands, folder, environment, CONSOLE_TIMEOUT)
    return len(commands)


def main():
    if len(sys.argv) != 2:
        print("usage: check_adding.py BUILD", file=sys.stderr)
        return 2
    build = Path(sys.argv[1]).resolve()
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        print("adding.md: not checked, because this is not a git clone")
        return 77
    files = {name: (ROOT / name).read_bytes() for name in tracked()}
    created = apply(files)
    commands = 0
    if not check_docs.problems:
        tree = build / "adding" / "tree"
        targets = simplify(files, created, build)
        write_tree(tree, files)
        commands = play(tree, make(tree, build, targets))
    for problem in check_docs.problems:
        print(problem, file=sys.stderr)
    if check_docs.problems:
        return 1
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"adding.md: {len(created)} files and {len(steps()) - len(created)} edits built, "
          f"{commands} commands run, {used.ru_utime + used.ru_stime:.0f} s of CPU time")
    return 0


if __name__ == "__main__":
    sys.exit(main())
