"""Shared by the scripts in this folder. Their first argument is the program under test."""

import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))

PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "sau"
DEADLINE = 300.0  # seconds; far more than anything here takes on a slow and busy machine


class Reply:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


class SauTestCase(unittest.TestCase):
    """Runs the program in a temporary folder."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sau-cli-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        cache = tempfile.mkdtemp(prefix="sau-cache-")
        self.addCleanup(shutil.rmtree, cache, ignore_errors=True)
        os.environ["SAU_CACHE_DIR"] = cache

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def sau(self, *args, **options):
        options.setdefault("stdout", subprocess.PIPE)
        done = subprocess.run([PROGRAM, *args], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, encoding="utf-8", timeout=DEADLINE,
                              check=False, **options)
        return Reply(done.returncode, done.stdout, done.stderr)

    def good(self, *args, **options):
        reply = self.sau(*args, **options)
        self.assertEqual(reply.code, 0, f"sau {args}: {reply.err}")
        return reply

    def refused(self, code, *args, says=(), **options):
        """Expects this exit code, no standard output, and one error line with these words."""
        reply = self.sau(*args, **options)
        self.assertEqual(reply.code, code, f"sau {args}: {reply.out} {reply.err}")
        self.assertFalse(reply.out, f"sau {args}")
        self.one_line(reply.err, says)
        return reply

    def one_line(self, text, says=()):
        self.assertTrue(text.startswith("sau: "), text)
        self.assertEqual(text.count("\n"), 1, text)
        self.assertTrue(text.endswith("\n"), text)
        for word in says:
            self.assertIn(word, text)

    def start(self, *args, limits=None, closed=(), **options):
        """`limits` are limits of the process, for example {resource.RLIMIT_NOFILE: 64}; `closed` are
        file descriptors that it does not get, for example 2."""
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)

        def prepare():
            # If a shell runs us in the background, we inherit an ignored SIGINT.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            for kind, most in (limits or {}).items():
                resource.setrlimit(kind, (most, most))
            for descriptor in closed:
                os.close(descriptor)

        process = subprocess.Popen([PROGRAM, *args], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   encoding="utf-8", preexec_fn=prepare, **options)
        self.addCleanup(stop, process)
        return process

    def wait_for(self, condition, process=None):
        end = time.monotonic() + DEADLINE
        while not condition():
            self.assertLess(time.monotonic(), end, "waited too long")
            if process is not None and process.poll() is not None:
                self.fail(f"the program ended too early: {process.returncode}")
            time.sleep(0.005)

    def rows(self, folder):
        """The number of complete rows of all cells, without the headers."""
        count = 0
        for name, data in self.results(folder).items():
            if name.startswith("cells"):
                count += max(0, data.count(b"\n") - 1)
        return count

    def results(self, folder):
        """The files that must not depend on how a run went, as name: bytes."""
        files = self.files(folder)
        for name in ("timing.csv", "sessions.jsonl"):
            files.pop(name, None)
        return files

    def files(self, folder):
        found = {}
        for place, _, names in os.walk(self.path(folder)):
            for name in names:
                path = os.path.join(place, name)
                try:
                    with open(path, "rb") as file:
                        found[os.path.relpath(path, self.path(folder))] = file.read()
                except FileNotFoundError:
                    pass  # a temporary file of a running program
        return found

    def write(self, name, data):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(data)


def stop(process):
    if process.poll() is None:
        process.kill()
    process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def file_size_limit(size):
    """For preexec_fn: no file can grow beyond this, as on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


SMALL = ("run", "--problem", "bernoulli-10-0.1", "--agent", "sau_ucb", "--agent", "ts", "--trials", "4",
         "--steps", "200")


def make_package(case):
    """The Debian package of the program, in a folder of the test."""
    packages = case.path("packages")
    build = os.path.dirname(os.path.abspath(PROGRAM))
    made = subprocess.run(["cpack", "--config", os.path.join(build, "CPackConfig.cmake"), "-B", packages],
                          capture_output=True, encoding="utf-8", check=False)
    case.assertEqual(made.returncode, 0, made.stdout + made.stderr)
    package = [name for name in os.listdir(packages) if name.startswith("sau_") and name.endswith(".deb")]
    case.assertEqual(len(package), 1)
    return os.path.join(packages, package[0])
