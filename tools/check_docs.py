#!/usr/bin/env python3
"""Checks the documentation against the program and the source tree.

Fails, with file:line, when
  - a component, setting, default or bound of `PROGRAM list --json` is not in docs/algorithms.md;
  - a header of include/sau/{model,explore,problem} has no row there;
  - a relative link, or its #heading, leads nowhere;
  - a `$ sau ...` line of a console block, also after NAME=value, does not exit with 0, or with N if
    it ends in `# exit N`;
  - a command of a `console session` block does not exit with the expected code;
  - a python block that needs only the standard library fails.
A block `python NAME.py` is not run but saved under that name, for the commands of the page.
The commands of docs/adding.md are left to check_adding.py. Those of any other page run in order, in a
temporary folder per page. The `console session` blocks of a page run in one shell, since they use a
server in the background; there curl fails if the server answers with an error, and port 8080 is
replaced by a free port.

usage: check_docs.py PROGRAM [PAGE...]    with pages, such as docs/tour.md: only their commands
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests" / "support"))
from ports import free_port  # noqa: E402

ALGORITHMS = ROOT / "docs" / "algorithms.md"
CHAPTERS = {"Problems": "problems", "Models": "models", "Strategies": "strategies",
            "Actions by id": "ids"}
# Its commands need the code that it adds; tools/check_adding.py builds that and runs them.
RUN_ELSEWHERE = ROOT / "docs" / "adding.md"
TIMEOUT = 600  # for what takes a few seconds on an idle machine
NOT_STANDARD = re.compile(r"^\s*(?:import|from)\s+(?:pandas|numpy|sau)\b", re.M)

problems = []


def complain(path, line, text):
    problems.append(f"{path.relative_to(ROOT)}:{line}: {text}")


def pages():
    top = [ROOT / name for name in ("README.md", "CHANGELOG.md") if (ROOT / name).exists()]
    return top + sorted((ROOT / "docs").rglob("*.md"))


def blocks(path):
    """Yields (language, line of the first content line, lines) of the fenced blocks."""
    language, start, content = None, 0, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.lstrip().startswith("```"):
            if language is None:
                language, start, content = line.strip()[3:].strip(), number + 1, []
            else:
                yield language, start, content
                language = None
        elif language is not None:
            content.append(line)
    if language is not None:
        complain(path, start - 1, "the block is not closed")


def prose(path):
    """(line number, line) of everything outside fenced blocks."""
    fenced = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors(path):
    """The #names that GitHub gives to the headings of a page."""
    names = set()
    for _, line in prose(path):
        heading = re.match(r"#+\s+(.*)", line)
        if heading:
            text = re.sub(r"[^\w\- ]", "", heading.group(1).strip().lower())
            base = name = text.replace(" ", "-")
            again = 0
            while name in names:  # the second heading with the same name gets -1
                again += 1
                name = f"{base}-{again}"
            names.add(name)
    return names


def check_links():
    count = 0
    for path in pages():
        for number, line in prose(path):
            for target in re.findall(r"\]\(([^)\s]+)\)", line):
                if re.match(r"[a-z]+:", target):
                    continue
                count += 1
                name, _, anchor = target.partition("#")
                file = (path.parent / name).resolve() if name else path
                if not file.exists():
                    complain(path, number, f"dead link {target}")
                elif anchor and file.suffix == ".md" and anchor not in anchors(file):
                    complain(path, number, f"no heading for {target}")
    return count


def cells(row):
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def sections():
    """(kind, name) -> (line, {setting: (line, default)}) from docs/algorithms.md.

    The kind comes from the chapter, because a model and a problem may have the same name.
    """
    found, settings, kind = {}, None, None
    for number, line in prose(ALGORITHMS):
        heading = re.match(r"(#+)\s+(.*)", line)
        if heading:
            level, text = heading.group(1), heading.group(2).strip()
            name = re.fullmatch(r"`(\w+)`", text)
            settings = None
            if level == "##":
                kind = CHAPTERS.get(text)
            elif level == "###" and name and kind:
                settings = {}
                found[kind, name.group(1)] = (number, settings)
        elif settings is not None and line.startswith("| `"):
            row = cells(line)
            settings[row[0].strip("`")] = (number, row[1].strip("`") if len(row) > 1 else "",
                                           row[2] if len(row) > 2 else "")
    return found


def numbers(text):
    found = re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w])", text)
    return {float(number) for number in found}


def wrong_bounds(setting, allowed):
    """What the documentation of a setting says wrong about its range, or None.

    A bound may depend on another setting, which is then named in backticks: "0 to `mean`".
    """
    said, bounds = numbers(re.sub(r"`[^`]*`", "", allowed)), numbers(setting["range"])
    if not said <= bounds:
        return f"the program has no bound {sorted(said - bounds)}"
    if bounds - said and not (setting["choices"] or "`" in allowed):
        return f"the program has the bounds {sorted(bounds)}"
    missing = [choice for choice in setting["choices"] if f"`{choice}`" not in allowed]
    return f"the choice {missing[0]} is missing" if missing else None


def check_components(program):
    listed = json.loads(subprocess.run([program, "list", "--json"], capture_output=True, text=True,
                                       check=True, timeout=TIMEOUT).stdout)
    documented = sections()
    count = 0
    known = set()
    for kind in CHAPTERS.values():
        components = listed[kind] if isinstance(listed[kind], list) else [listed[kind]]
        for component in components:
            name = component["name"]
            known.add((kind, name))
            if (kind, name) not in documented:
                complain(ALGORITHMS, 1, f"no section '### `{name}`' ({kind})")
                continue
            line, settings = documented[kind, name]
            for setting in component["settings"]:
                count += 1
                key, default = setting["name"], setting["default"]
                if key not in settings:
                    complain(ALGORITHMS, line, f"{name}: no row for the setting '{key}'")
                elif settings[key][1] != default:
                    complain(ALGORITHMS, settings[key][0],
                             f"{name}: default of '{key}' is {default}, not {settings[key][1]}")
                elif wrong := wrong_bounds(setting, settings[key][2]):
                    complain(ALGORITHMS, settings[key][0], f"{name}: '{key}': {wrong}")
            for key in settings.keys() - {setting["name"] for setting in component["settings"]}:
                complain(ALGORITHMS, settings[key][0], f"{name} has no setting '{key}'")
    for kind, name in sorted(documented.keys() - known):
        complain(ALGORITHMS, documented[kind, name][0], f"'{name}' is not among the {kind}")
    return count


def check_headers():
    rows = [line for _, line in prose(ALGORITHMS) if line.startswith("|")]
    for folder in ("model", "explore", "problem"):
        for header in sorted((ROOT / "include" / "sau" / folder).glob("*.hpp")):
            name = f"`{folder}/{header.name}`"
            if not any(name in row for row in rows):
                complain(ALGORITHMS, 1, f"no row for {name}")


def run(path, line, command, folder, environment, shown, expected):
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True,
                              timeout=TIMEOUT, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        complain(path, line, f"took more than {TIMEOUT} s: {shown}")
        return
    if done.returncode != expected:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        complain(path, line, f"exit {done.returncode}, expected {expected}: {shown}: {last}")


def expected_code(line):
    code = re.search(r"#\s*exit\s+(\d+)\s*$", line)
    return int(code.group(1)) if code else 0


def session_commands(start, lines):
    """(line, command) of a `console session` block; lines that begin with > continue a command."""
    commands = []
    for number, line in enumerate(lines, start):
        if line.startswith("$ "):
            commands.append((number, line[2:]))
        elif commands and line.startswith("> "):
            commands[-1] = (commands[-1][0], commands[-1][1] + "\n" + line[2:])
    return commands


def session_script(commands):
    """A script for bash that runs all commands, and ends with 1 at the first that fails."""
    script = "set -o pipefail\ncurl() { command curl --fail-with-body \"$@\"; }\n"
    for number, command in commands:
        expected = expected_code(command)
        script += (f"{command}\n[ $? -eq {expected} ] || "
                   f"{{ echo {number} >failed; exit 1; }}\n")
    return script.replace("8080", str(free_port()))


def run_session(path, commands, folder, environment, timeout=TIMEOUT):
    """Runs all commands in one shell, then kills it with its background processes."""
    script = session_script(commands)
    with open(folder / "session.out", "w", encoding="utf-8") as out:
        shell = subprocess.Popen(["bash", "-c", script], cwd=folder, env=environment, stdout=out,
                                 stderr=out, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        shell.wait(timeout)
    except subprocess.TimeoutExpired:
        complain(path, commands[0][0], f"the session took more than {timeout} s")
    finally:
        try:
            os.killpg(shell.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        shell.wait()
    if (folder / "failed").exists():
        line = int((folder / "failed").read_text())
        last = ((folder / "session.out").read_text().strip().splitlines() or ["no message"])[-1]
        complain(path, line, f"{dict(commands)[line]}: {last}")


def check_commands(program, chosen):
    count = 0
    for path in chosen:
        if path == RUN_ELSEWHERE:
            continue
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            (folder / "build").mkdir()
            (folder / "build" / "sau").symlink_to(program)
            environment = {**os.environ, "PATH": f"{folder / 'build'}:{os.environ['PATH']}",
                           "SAU_CACHE_DIR": str(folder / "cache")}
            session = []
            for language, start, lines in blocks(path):
                if language == "console session":
                    session += session_commands(start, lines)
                elif language == "console":
                    for number, line in enumerate(lines, start):
                        if not re.match(r"\$ (\w+=\S* )*(build/)?sau(\s|$)", line):
                            continue
                        command = ["bash", "-o", "pipefail", "-c", line[2:]]
                        run(path, number, command, folder, environment, line[2:],
                            expected_code(line))
                        count += 1
                elif re.fullmatch(r"python \w+\.py", language):
                    (folder / language.split()[1]).write_text("\n".join(lines) + "\n")
                elif (language == "python" and not lines[0].startswith(">>> ")  # python/docs runs it
                      and not NOT_STANDARD.search("\n".join(lines))):
                    command = [sys.executable, "-c", "\n".join(lines)]
                    run(path, start, command, folder, environment, "python block", 0)
                    count += 1
            if session:
                run_session(path, session, folder, environment)
                count += len(session)
    return count


def main():
    if len(sys.argv) < 2:
        print("usage: check_docs.py PROGRAM [PAGE...]", file=sys.stderr)
        return 2
    program = str(Path(sys.argv[1]).resolve())
    chosen = [Path(name).resolve() for name in sys.argv[2:]] or pages()
    for path in chosen:
        if path not in pages():
            print(f"check_docs: '{path}' is not a page of the documentation", file=sys.stderr)
            return 2
    settings = check_components(program)
    check_headers()
    links = check_links()
    commands = check_commands(program, chosen)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        return 1
    print(f"docs: {commands} commands, {links} links, {settings} settings checked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
