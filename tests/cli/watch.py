#!/usr/bin/env python3
"""sau watch: the page and the terminal before, during and after a run."""

import sys

sys.dont_write_bytecode = True

import http.client
import json
import os
import pty
import shutil
import signal
import threading
import unittest

from _support import DEADLINE, SMALL, SauTestCase

# About two seconds of work on one core.
LONG = ("run", "--problem", "bernoulli-10-0.1", "--agent", "ts", "--agent", "ucb1", "--steps", "100000",
        "--trials", "60", "--threads", "1", "--quiet", "--out")


class Watching:
    """A sau watch in the background, and a simple HTTP client."""

    def __init__(self, case, *args):
        self.process = case.start("watch", *args)
        self.lines = []
        self.case = case
        reader = threading.Thread(target=self.read, daemon=True)
        reader.start()
        case.addCleanup(reader.join)
        case.addCleanup(self.process.kill)
        case.wait_for(lambda: self.line("page: ") is not None, self.process)
        self.port = int(self.line("page: ").rstrip("/").rpartition(":")[2])

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def line(self, start):
        return next((line for line in list(self.lines) if line.startswith(start)), None)

    def ask(self, method, target, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        try:
            connection.request(method, target, headers=headers)
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read()
        finally:
            connection.close()

    def report(self):
        status, headers, body = self.ask("GET", "/report.json")
        self.case.assertEqual(status, 200)
        self.case.assertEqual(headers["Content-Type"], "application/json")
        return json.loads(body)

    def trials(self):
        return sum(run["trials"] for run in self.report()["runs"])

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        self.case.assertEqual(self.process.wait(timeout=DEADLINE), 128 + number)
        self.case.assertEqual(self.process.stderr.read(), "")


class Watch(SauTestCase):
    def test_a_run_from_its_middle_to_its_end(self):
        run = self.start(*LONG, "r")
        self.wait_for(lambda: self.rows("r") > 2, run)
        watch = Watching(self, "r")
        status, headers, page = watch.ask("GET", "/")
        self.assertEqual(status, 200)
        self.assertEqual(headers["Content-Type"], "text/html; charset=utf-8")
        self.assertIn(b'id="report-data" data-live="report.json">{', page)
        report = watch.report()
        self.assertEqual([run["asked"] for run in report["runs"]], [120])
        self.wait_for(lambda: watch.trials() == 120, watch.process)
        run.wait(timeout=DEADLINE)
        self.wait_for(lambda: watch.line("complete, 120 trials"), watch.process)
        self.assertEqual(watch.lines[0], "watching r")
        series = watch.report()["sections"][0]["problems"][0]["series"]
        self.assertEqual(sorted(one["trials"] for one in series), [60, 60])
        self.assertIsNone(watch.process.poll())  # it is still serving
        watch.end()

    def test_a_report_that_has_not_changed_is_not_sent_again(self):
        self.good(*SMALL, "--out", "r")
        watch = Watching(self, "r", "--no-terminal")
        status, headers, body = watch.ask("GET", "/report.json")
        tag = headers["ETag"]
        self.assertRegex(tag, '^"[0-9a-f]+"$')
        for given in (tag, 'W/' + tag, '"other", ' + tag, "*"):
            status, headers, empty = watch.ask("GET", "/report.json", **{"If-None-Match": given})
            self.assertEqual((status, headers["ETag"], empty), (304, tag, b""))
        status, _, again = watch.ask("GET", "/report.json", **{"If-None-Match": '"other"'})
        self.assertEqual((status, again), (200, body))
        more = [*SMALL, "--out", "r"]
        more[more.index("4")] = "6"
        self.good(*more)
        changed = lambda: watch.ask("GET", "/report.json", **{"If-None-Match": tag})[0] == 200
        self.wait_for(lambda: watch.trials() == 12, watch.process)
        self.assertTrue(changed())
        watch.end(signal.SIGTERM)

    def test_a_run_that_begins_later(self):
        watch = Watching(self, "r")
        self.wait_for(lambda: watch.line("waiting: r has no run yet"), watch.process)
        report = watch.report()
        self.assertEqual(report["sections"], [])
        self.assertIn("r has no run yet", report["notes"][0])
        self.good(*SMALL, "--out", "r")
        self.wait_for(lambda: watch.trials() == 8, watch.process)
        self.assertFalse([note for note in watch.report()["notes"] if "no run yet" in note])
        self.wait_for(lambda: watch.line("complete, 8 trials"), watch.process)
        watch.end()

    def test_a_broken_folder_is_tried_again(self):
        self.good(*SMALL, "--out", "good")
        self.write("r/run.json", b"{}")
        watch = Watching(self, "r")
        self.wait_for(lambda: watch.line("cannot be read, trying again: "), watch.process)
        self.assertIn("run.json", watch.line("cannot be read"))
        self.assertIn("run.json", watch.report()["notes"][0])
        self.assertEqual(watch.ask("GET", "/")[0], 200)
        shutil.rmtree(self.path("r"))
        shutil.copytree(self.path("good"), self.path("r"))
        self.wait_for(lambda: watch.trials() == 8, watch.process)
        self.wait_for(lambda: watch.line("complete, 8 trials"), watch.process)
        watch.end()

    def test_only_local_hosts_and_known_paths_are_answered(self):
        self.good(*SMALL, "--out", "r")
        watch = Watching(self, "r", "--no-terminal")
        for host in ("localhost", "LOCALHOST:1", "127.0.0.1:80", "[::1]:8080"):
            self.assertEqual(watch.ask("GET", "/healthz", Host=host)[0], 200, host)
        for host in ("evil.example", "localhost.evil.example", "192.168.1.1", "evil:localhost", ""):
            for target in ("/", "/report.json", "/healthz"):
                self.assertEqual(watch.ask("GET", target, Host=host)[0], 421, host)
        self.assertEqual(watch.ask("GET", "/healthz")[2], b"ok\n")
        self.assertEqual(watch.ask("GET", "/etc/passwd")[0], 404)
        self.assertEqual(watch.ask("GET", "/../run.json")[0], 404)
        status, headers, _ = watch.ask("POST", "/report.json")
        self.assertEqual((status, headers["Allow"]), (405, "GET, HEAD"))
        status, headers, body = watch.ask("HEAD", "/report.json")
        self.assertEqual((status, body), (200, b""))
        self.assertGreater(int(headers["Content-Length"]), 100)
        watch.end()

    def test_all_addresses(self):
        self.good(*SMALL, "--out", "r")
        watch = Watching(self, "r", "--listen", "0.0.0.0", "--no-terminal")
        self.assertRegex(watch.line("page: "), "^page: http://localhost:[0-9]+/$")
        self.assertEqual(watch.ask("GET", "/healthz", Host="192.168.1.1")[0], 200)
        self.assertEqual(watch.ask("GET", "/healthz", Host="evil.example")[0], 421)
        watch.end()

    def test_once(self):
        self.good(*SMALL, "--out", "r")
        reply = self.good("watch", "r", "--once")
        self.assertEqual(reply.err, "")
        self.assertTrue(reply.out.startswith("r\ncomplete, 8 trials\n\n"), reply.out)
        row = reply.out.splitlines()[-1]
        self.assertRegex(row, r"^  bernoulli-10-0.1 +8/8 +(SAU-UCB|TS) [0-9.]+ ± [0-9.]+ \(4\)  ")
        run = json.loads(self.files("r")["run.json"])
        for cell in run["cells"]:
            cell["trials"] = 10
        self.write("r/run.json", json.dumps(run).encode())
        self.assertIn("8 of 20 trials, 40 %", self.good("watch", "r", "--once").out)
        self.refused(1, "watch", "nowhere", "--once", says=("nowhere has no run yet",))
        self.write("r/run.json", b"nonsense")
        self.refused(1, "watch", "r", "--once", says=("run.json",))

    def test_wrong_usage(self):
        self.refused(2, "watch", says=("run is missing",))
        self.refused(2, "watch", "r", "--no-page", "--no-terminal", says=("nothing to show",))
        self.refused(2, "watch", "r", "--listen", "example.org", says=("example.org", "IP address"))
        self.refused(2, "watch", "r", "--port", "70000", says=("--port", "65535"))
        watch = Watching(self, "r", "--no-terminal")
        self.refused(1, "watch", "r", "--port", str(watch.port), says=("in use",))
        watch.end()

    def test_on_a_terminal_the_view_is_redrawn_and_its_last_state_stays(self):
        self.good(*SMALL, "--out", "r")
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        process = self.start("watch", "r", "--no-page", stdout=theirs,
                             env={**os.environ, "TERM": "xterm"})
        os.close(theirs)
        seen = b""
        while seen.count(b"complete, 8 trials") < 2:
            seen += os.read(ours, 4096)
        process.send_signal(signal.SIGINT)
        try:
            while True:
                piece = os.read(ours, 4096)
                if not piece:
                    break
                seen += piece
        except OSError:
            pass  # Linux reports a closed pty this way
        self.assertEqual(process.wait(timeout=DEADLINE), 130)
        text = seen.decode()
        self.assertTrue(text.startswith("\x1b[?1049h"), text[:20])
        screen, _, after = text.rpartition("\x1b[?1049l")
        self.assertIn("█" * 40, screen)
        self.assertIn("Ctrl-C ends watching", screen)
        self.assertTrue(after.startswith("r\r\ncomplete, 8 trials\r\n"), after)
        self.assertNotIn("\x1b", after)


if __name__ == "__main__":
    unittest.main()
