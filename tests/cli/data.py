#!/usr/bin/env python3
"""sau data, with a server on this machine.

The checksums are those of the real files, so most tests need the mushroom data set and are skipped
without it (tests/support/shared_data.py).
"""

import sys

sys.dont_write_bytecode = True

import gzip
import hashlib
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import threading
import unittest
import zipfile

from _support import DEADLINE, SauTestCase, file_size_limit

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import shared_data

SHARED = shared_data.FOLDER
NAME = "mushroom/agaricus-lepiota.data"
PACKED = SHARED / (NAME + ".gz")
PLAIN = gzip.decompress(PACKED.read_bytes()) if PACKED.exists() else b""


class Server:
    """Serves `files`; its attributes can make it a bad server."""

    def __init__(self, files):
        self.files = dict(files)
        self.cuts = []  # after how many bytes of the body each of the next connections ends
        self.ranges = True
        self.tag = True
        self.tag_of_parts = None
        self.redirect = {}
        self.hold = None  # an event to wait for in the middle of a body
        self.seen = []  # (path, Range)
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.answer(self)

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        if self.hold is not None:
            self.hold.set()
        self.server.shutdown()
        self.server.server_close()

    def answer(self, request):
        path, wanted = request.path[1:], request.headers.get("Range")
        self.seen.append((path, wanted))
        if path in self.redirect:
            request.send_response(302)
            request.send_header("Location", self.redirect[path])
            request.end_headers()
            return
        if path not in self.files:
            request.send_error(404)
            return
        body = self.files[path]
        tag = '"' + hashlib.md5(body).hexdigest() + '"'
        start = 0
        if self.ranges and wanted and request.headers.get("If-Range") in (tag, self.tag_of_parts):
            start = int(wanted[len("bytes="):-1])
        request.send_response(206 if start else 200)
        if start:
            request.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        if self.tag:
            request.send_header("ETag", self.tag_of_parts or tag)
        request.send_header("Content-Length", str(len(body) - start))
        request.end_headers()
        end = start + self.cuts.pop(0) if self.cuts else len(body)
        if self.hold is not None:
            request.wfile.write(body[start:start + 50000])
            request.wfile.flush()
            start += 50000
            self.hold.wait(DEADLINE)
        try:
            request.wfile.write(body[start:end])
        except OSError:
            pass  # the program went away
        request.close_connection = True


class DataTestCase(SauTestCase):
    def setUp(self):
        super().setUp()
        self.data = self.path("data")
        self.environment = {**os.environ, "SAU_DATA_DIR": self.data}
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            self.environment.pop(name, None)
            self.environment.pop(name.upper(), None)

    def sau(self, *args, **options):
        return super().sau(*args, env=self.environment, **options)

    def serve(self, files=None):
        server = Server({NAME: PLAIN} if files is None else files)
        self.addCleanup(server.close)
        return server

    def get(self, server):
        return ("data", "get", "mushroom", "--mirror", server.url)

    def has_it(self):
        self.assertEqual(self.files("data"), {NAME: PLAIN})


class Everywhere(DataTestCase):
    def test_list(self):
        text = self.good("data", "list").out
        listed = json.loads(self.good("data", "list", "--json").out)
        self.assertEqual(listed["folder"], self.data)
        names = [entry["name"] for entry in listed["data_sets"]]
        self.assertEqual(names, sorted(names))
        for entry in listed["data_sets"]:
            self.assertIn(f"  {entry['name']} ", text)
            self.assertIn(entry["licence"], text)
            self.assertEqual(entry["state"], "missing")
            for file in entry["files"]:
                self.assertTrue(file["url"].startswith("https://") or entry["note"], file)
                self.assertRegex(file["sha256"] or "0" * 64, r"\A[0-9a-f]{64}\Z")

    def test_path(self):
        self.assertEqual(self.good("data", "path").out, self.data + "\n")
        self.assertEqual(self.good("data", "path", "--data", "x").out, "x\n")
        self.environment["SAU_DATA_DIR"] = ""
        self.environment["XDG_DATA_HOME"] = "/xdg"
        self.assertEqual(self.good("data", "path").out, "/xdg/sau/data\n")
        self.environment.update(XDG_DATA_HOME="", HOME="/home/x")
        self.assertEqual(self.good("data", "path").out, "/home/x/.local/share/sau/data\n")
        self.refused(1, "data", "path", "adult", says=("adult/adult.data is missing",))

    def test_check_of_nothing(self):
        reply = self.sau("data", "check")
        self.assertEqual(reply.code, 1)
        self.assertIn("missing  " + self.path("data", NAME), reply.out)
        self.one_line(reply.err, ("0 damaged",))

    def test_wrong_usage(self):
        self.refused(2, "data", says=("list, get, add, check or path",))
        self.refused(2, "data", "lst", says=("'lst'", "did you mean 'list'?", "sau data --help"))
        self.refused(2, "data", "get", says=("no data set is named",))
        self.refused(2, "data", "get", "mushrom", says=("'mushrom'", "did you mean 'mushroom'?"))
        self.refused(2, "data", "get", "mushroom", "--miror", "x", says=("'--mirror'",))
        self.refused(2, "data", "get", "mushroom", "--mirror", "nowhere", says=("neither",))
        self.refused(2, "data", "get", "mushroom", "--mirror", "ftp://x", says=("ftp://x",))
        self.refused(2, "data", "add", says=("name is missing",))
        self.refused(2, "data", "add", "mushroom", says=("file is missing",))
        self.refused(2, "data", "list", "extra", says=("'extra'", "sau data list"))
        self.assertEqual(self.files("."), {})

    def test_not_published(self):
        for name in ("jester", "census_synthetic", "census-synthetic"):
            self.refused(1, "data", "get", name, says=("sau data add", self.data))

    def test_unreachable(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))  # bound but not listening, so nobody else gets the port
            url = f"http://127.0.0.1:{closed.getsockname()[1]}"
            self.refused(1, "data", "get", "mushroom", "--mirror", url, says=(url, "connect"))
            self.environment["https_proxy"] = url
            self.refused(1, "data", "get", "mushroom",
                         says=("https://archive.ics.uci.edu/", "sau data add mushroom FILE",
                               self.path("data", NAME)))
        self.assertEqual(self.files("data"), {})

    def test_a_mirror_without_the_file(self):
        server = self.serve({})
        self.refused(1, *self.get(server), says=(NAME, ".xz"))
        os.mkdir(self.path("empty"))
        self.refused(1, "data", "get", "mushroom", "--mirror", "empty", says=(NAME,))
        self.assertEqual(self.files("data"), {})

    def test_a_wrong_file_is_refused(self):
        for body, says in ((b"wrong", "SHA-256"), (b"<html>gone</html>", "web page"),
                           (gzip.compress(b"x" * 999)[:-9], "cut short")):
            self.refused(1, *self.get(self.serve({NAME: body})), says=(says,))
            self.write("wrong", body)
            self.refused(1, "data", "add", "mushroom", "wrong", says=("mushroom", says))
        self.assertEqual(self.files("data"), {})

    def test_census_is_recognised_by_its_header_and_lines(self):
        header = b"caseid,dAge,dAncstry1,dAncstry2,iAvail,iCitizen,iClass,dDepart\n"
        self.write("short", header)
        self.refused(1, "data", "add", "census", "short", says=("1 lines, expected 2458286",))
        self.write("whole.gz", gzip.compress(header + 2458285 * b"1\n", 1))
        self.good("data", "add", "census", "whole.gz")
        self.assertIn("checksum not known", self.good("data", "check", "census").out)

    def test_a_folder_that_cannot_be_made(self):
        self.write("file", b"")
        server = self.serve({NAME: b"x"})
        self.refused(1, *self.get(server), "--data", "file/data", says=("cannot make the folder",))
        self.refused(1, *self.get(server), "--data", "/proc/x", says=("/proc/x",))


class Mushroom(DataTestCase):
    def setUp(self):
        super().setUp()
        shared_data.need("cli/data." + self.id().removeprefix("__main__."), self.skipTest)

    def test_plain_and_compressed(self):
        for suffix, body in (("", PLAIN), (".gz", PACKED.read_bytes())):
            server = self.serve({NAME + suffix: body})
            reply = self.good(*self.get(server))
            self.assertIn("checksum good", reply.out)
            self.assertEqual(reply.err, "")
            self.has_it()
            self.assertIn("already here", self.good(*self.get(server)).out)
            shutil.rmtree(self.data)

    def test_redirect(self):
        server = self.serve({"elsewhere": PLAIN})
        server.redirect[NAME] = "/elsewhere"
        self.good(*self.get(server))
        self.has_it()

    def test_broken_connections_are_continued(self):
        server = self.serve()
        server.cuts = [100000, 100000]
        self.good(*self.get(server))
        self.has_it()
        self.assertEqual([wanted for path, wanted in server.seen if path == NAME],
                         [None, "bytes=100000-", "bytes=200000-"])

    def broken(self, server):
        """A first attempt that leaves a partial file."""
        server.cuts = [100000, 0]
        reply = self.refused(1, *self.get(server), says=("100000 bytes", "same command again"))
        self.assertEqual(set(self.files("data")), {NAME + ".part", NAME + ".part.from"})
        listed = json.loads(self.good("data", "list", "--json").out)["data_sets"]
        self.assertEqual([e["state"] for e in listed if e["name"] == "mushroom"], ["partly"])
        server.seen.clear()
        return reply

    def test_the_next_command_continues(self):
        server = self.serve()
        self.broken(server)
        self.good(*self.get(server))
        self.has_it()
        self.assertIn((NAME, "bytes=100000-"), server.seen)

    def test_a_server_without_ranges(self):
        server = self.serve()
        self.broken(server)
        server.ranges = False
        self.good(*self.get(server))
        self.has_it()

    def test_without_an_etag_the_download_starts_again(self):
        server = self.serve()
        server.tag = False
        server.cuts = [100000]
        self.good(*self.get(server))
        self.has_it()
        self.assertEqual({wanted for _, wanted in server.seen}, {None})

    def test_a_file_that_changed_starts_again(self):
        server = self.serve({NAME: b"old" + PLAIN})
        self.broken(server)
        server.files[NAME] = PLAIN
        self.good(*self.get(server))
        self.has_it()

    def test_a_file_that_changed_under_the_same_etag_starts_again(self):
        server = self.serve({NAME: b"old" + PLAIN})
        server.tag_of_parts = '"the same"'
        self.broken(server)
        server.files[NAME] = PLAIN
        self.good(*self.get(server))
        self.has_it()
        self.assertEqual([wanted for path, wanted in server.seen if path == NAME],
                         ["bytes=100000-", None])

    def test_a_wrong_file_over_broken_connections_starts_again_once(self):
        server = self.serve({NAME: b"old" + PLAIN})
        server.cuts = [100000, 10**9] * 5
        self.refused(1, *self.get(server), says=("SHA-256",))
        self.assertEqual([wanted for path, wanted in server.seen if path == NAME],
                         [None, "bytes=100000-"] * 2)

    def test_another_mirror_starts_again(self):
        self.broken(self.serve({NAME: b"other" + PLAIN}))
        self.good(*self.get(self.serve()))
        self.has_it()

    def test_ctrl_c_keeps_the_partial_file(self):
        server = self.serve()
        server.hold = threading.Event()
        process = self.start(*self.get(server), env=self.environment)
        part = self.path("data", NAME + ".part")
        self.wait_for(lambda: os.path.exists(part) and os.path.getsize(part) == 50000, process)
        self.refused(1, *self.get(server), says=("in use",))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, 130)
        self.one_line(err, ("stopped", "50000 bytes", "same command"))
        server.hold.set()
        self.good(*self.get(server))
        self.has_it()

    def test_full_disk(self):
        for files in ({NAME: PLAIN}, {NAME + ".gz": PACKED.read_bytes()}):
            server = self.serve(files)
            self.refused(1, *self.get(server), says=("cannot write", "File too large"),
                         preexec_fn=file_size_limit(100000))
            self.assertEqual(self.files("data"), {})
        self.good(*self.get(server))
        self.has_it()

    def test_a_folder_as_mirror(self):
        self.good("data", "get", "mushroom", "--mirror", str(SHARED))
        self.has_it()
        self.assertEqual(self.good("data", "path", "mushroom").out,
                         self.path("data", NAME) + "\n")

    def test_one_failing_data_set_does_not_stop_the_others(self):
        server = self.serve()
        reply = self.sau("data", "get", "statlog", "mushroom", "--mirror", server.url)
        self.assertEqual(reply.code, 1)
        self.one_line(reply.err, ("shuttle.trn",))
        self.has_it()

    def test_add(self):
        self.write("any name", PLAIN)
        self.good("data", "add", "mushroom", "any name")
        self.has_it()
        with zipfile.ZipFile(self.path("m.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("Index", "of it")
            archive.writestr("folder/agaricus-lepiota.data", PLAIN)
        self.good("data", "add", "mushroom", "m.zip", "--data", "other")
        self.assertEqual(self.files("other"), {NAME: PLAIN})
        self.refused(1, "data", "add", "statlog", "any name", says=("not a file of the data set",))

    def test_check(self):
        self.write("data/" + NAME + ".gz", PACKED.read_bytes())
        self.assertEqual(self.good("data", "check", "mushroom").out,
                         f"good     {self.path('data', NAME)}.gz\n")
        self.write("data/" + NAME, PLAIN[:-1])
        reply = self.sau("data", "check", "mushroom")
        self.assertEqual(reply.code, 1)
        self.assertIn(f"damaged  {self.path('data', NAME)}: its SHA-256", reply.out)
        self.good("data", "get", "mushroom", "--mirror", str(SHARED))
        self.good("data", "check", "mushroom")


if __name__ == "__main__":
    unittest.main()
