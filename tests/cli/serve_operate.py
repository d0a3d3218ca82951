#!/usr/bin/env python3
"""sau serve as an operator runs it: applications, limits, lines as JSON, and a restart under load
that refuses no connection."""

import sys

sys.dont_write_bytecode = True

import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import threading
import unittest

from _serve import ACTIONS, BASE, ServeTestCase, Server
from _support import DEADLINE, PROGRAM

SMALL = "hashed_linear(bits=10)+sau_sampling"
HAND_OVER = 'export LISTEN_PID=$$ LISTEN_FDS=1; exec "$@"'
ALICE, BOB = "Xk3vQz9wJt", "Hq8LmZ4cWe"  # without repetitions, so that no compression changes them


class ListeningServer(Server):
    """A server that is started with a socket, as by systemd."""

    def __init__(self, case, listener, *args, tls=None):
        Server.count += 1
        self.case, self.tls, self.key = case, tls, None
        self.port = listener.getsockname()[1]
        self.log_file = case.path(f"log-{Server.count}")
        # The socket must be file 3, and the number of the process is known only to itself.
        command = f'{HAND_OVER} 3<&{listener.fileno()}'
        with open(self.log_file, "wb") as log:
            self.process = subprocess.Popen(
                ["bash", "-c", command, "bash", PROGRAM, "serve", "main", *args], cwd=case.folder,
                stdout=subprocess.PIPE, stderr=log, encoding="utf-8",
                pass_fds=[listener.fileno()])
        case.addCleanup(self.process.stdout.close)
        case.addCleanup(self.process.wait)
        case.addCleanup(self.process.kill)
        line = self.process.stdout.readline()
        case.assertTrue(line.startswith("serving main"), line + self.log())
        case.assertIn(f":{self.port}/", line)


class Applications(ServeTestCase):
    def test_each_has_its_own_folder(self):
        server = self.serve("--agent", SMALL, "--app", "shop=a", "--app", "news=b")
        for app, event in (("", "e"), ("/apps/shop", "e"), ("/apps/news", "e")):
            answer = server.call("POST", f"{app}{BASE}/rank", {"eventId": event,
                                                               "actions": ACTIONS})
            self.assertEqual(answer.status, 201, answer.body)
        self.assertEqual(server.call("POST", f"/apps/shop{BASE}/events/e/reward",
                                     {"value": 1}).status, 204)
        self.assertEqual(server.call("GET", "/apps/shop/v1/decisions/e").json()["rewards"][0]
                         ["value"], 1)
        self.assertEqual(server.call("GET", "/apps/news/v1/decisions/e").json()["rewards"], [])
        for path in ("/apps/shop/", "/apps/shop/metrics", "/apps/news/readyz", "/readyz"):
            self.assertEqual(server.call("GET", path).status, 200, path)
        for path in ("/apps", "/apps/", "/apps/other/metrics", "/apps/shop", "/apps/shop/apps/news/",
                     "/apps/%73hop/metrics"):
            self.assertEqual(server.call("GET", path).status, 404, path)
        self.assertIn('sau_requests_total{request="rank",status="201"} 1',
                      server.call("GET", "/apps/news/metrics").body.decode())
        server.stop()
        for folder in ("data", "a", "b"):
            self.assertEqual(set(self.exported(folder)), {"e"})

    def test_names_and_folders_that_cannot_be_used(self):
        for given, says in ((["shop"], "NAME=FOLDER"), (["=x"], "NAME=FOLDER"),
                            (["a/b=x"], "NAME=FOLDER"), (["shop="], "NAME=FOLDER"),
                            (["..=x"], "NAME=FOLDER"), (["a=x", "a=y"], "two applications"),
                            (["a=x", "b=./x"], "served already"), (["a=data"], "served already")):
            flags = [word for each in given for word in ("--app", each)]
            self.refused(2, "serve", "data", *flags, says=(says, given[-1]))
        self.write("keys", b"a-key-of-some-length app=shop\n")
        os.chmod(self.path("keys"), 0o600)
        self.refused(1, "serve", "data", "--agent", SMALL, "--app", "shopp=x", "--key-file", "keys",
                     says=("unknown application 'shop'", "shopp"))


class Folders(ServeTestCase):
    @unittest.skipUnless(os.geteuid() == 0, "only root may mount")
    def test_a_folder_that_cannot_be_written_is_not_in_use(self):
        self.serve("--agent", SMALL).stop()
        said = subprocess.run(
            ["unshare", "--mount", "sh", "-c",
             'mount --bind data data && mount -o remount,ro,bind data && exec "$1" serve data', "sh",
             PROGRAM], cwd=self.folder, capture_output=True, encoding="utf-8", timeout=DEADLINE,
            check=False)
        if "mount:" in said.stderr or "unshare:" in said.stderr:
            self.skipTest(said.stderr.strip())
        self.assertEqual(said.returncode, 1)
        self.one_line(said.stderr, ("data/log", "Read-only file system"))


    @unittest.skipUnless(os.geteuid() == 0, "only root may become another user")
    def test_a_folder_of_somebody_else_is_named(self):
        self.serve("--agent", SMALL).stop()
        os.chmod(self.folder, 0o755)
        os.mkdir(self.path("closed"), 0o700)
        for mode, folder, says in ((0o700, "data", "data: Permission denied"),
                                   (0o755, "data", "data/log: cannot write to this folder: Permission"),
                                   (0o755, "closed/new", "closed/new: Permission denied")):
            os.chmod(self.path("data"), mode)
            said = subprocess.run(
                ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", PROGRAM, "serve",
                 folder, "--port", "0"], cwd=self.folder, capture_output=True, encoding="utf-8",
                timeout=DEADLINE, check=False)
            if "failed to execute" in said.stderr:
                self.skipTest(said.stderr.strip())  # the build folder is closed, too
            self.assertEqual(said.returncode, 1)
            self.one_line(said.stderr, (says,))
            self.assertNotIn("trainer", said.stderr)


class Limits(ServeTestCase):
    def test_too_many_requests_are_answered_429_and_counted(self):
        server = self.serve("--agent", SMALL, "--address-rate-limit", "1", "--health-port", "0")
        statuses = [server.call("GET", "/v1/status").status for _ in range(20)]
        self.assertEqual(statuses[0], 200)
        self.assertIn(429, statuses)
        for _ in range(5):
            self.assertEqual(server.call("GET", "/healthz").status, 200)
        self.refused(2, "serve", "data", "--rate-limit", "0", says=("--rate-limit",))


class Lines(ServeTestCase):
    def test_lines_as_json(self):
        server = self.serve("--agent", SMALL, "--log-format", "json")
        server.process.send_signal(signal.SIGHUP)
        self.wait_for(lambda: "SIGHUP" in server.log(), server.process)
        server.stop()
        for line in server.log().splitlines():
            self.assertEqual(set(json.loads(line)), {"time", "message"})
        self.refused(2, "serve", "data", "--log-format", "xml", says=("--log-format", "json"))

    def test_notes_of_the_library_are_lines_like_all_others(self):
        # The second member diverges when it is first trained, and is left out.
        agent = ('committee(members="hashed_linear(bits=8)+hashed_mlp(bits=8,hidden=64x64x64x64,'
                 'lr=10,batch=4,every=5,start=5,updates=20)")+sau_sampling')
        server = self.serve("--agent", agent, "--log-format", "json")
        for i in range(10):
            server.rank(eventId=f"e{i}", actions=ACTIONS)
            server.reward(f"e{i}", 1 if i % 3 == 0 else -1)
        server.wait_learned(10)
        server.stop()
        lines = [json.loads(line)["message"] for line in server.log().splitlines()]
        self.assertTrue(any(line.startswith("committee: left out hashed_mlp") for line in lines),
                        lines)

    def test_metrics_of_the_process(self):
        text = self.serve("--agent", SMALL).call("GET", "/metrics").body.decode()
        values = dict(line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#")
        self.assertGreater(float(values["process_resident_memory_bytes"]), 1e6)
        self.assertGreater(float(values["process_open_fds"]), 3)
        self.assertGreater(float(values["process_max_fds"]), float(values["process_open_fds"]))
        self.assertGreater(float(values["process_start_time_seconds"]), 1.6e9)
        self.assertGreater(float(values["process_cpu_seconds_total"]), 0)
        self.assertTrue(any(name.startswith('sau_build_info{version="') for name in values))


class Load:
    """Callers that send requests, each on a new connection, until they are told to stop."""

    def __init__(self, port, tls, plan):
        self.port, self.tls, self.wrong, self.done = port, tls, [], 0
        self.ended = threading.Event()
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.run, args=(number, *each))
                        for number, each in enumerate(plan)]
        for thread in self.threads:
            thread.start()

    def run(self, number, app, key):
        event = 0
        while not self.ended.is_set():
            event += 1
            name = f"load-{number}-{event}"
            self.expect(201, key, f"{app}{BASE}/rank", {
                "eventId": name, "contextFeatures": [{"user": f"u{event % 7}"}],
                "actions": ACTIONS})
            self.expect(204, key, f"{app}{BASE}/events/{name}/reward", {"value": event % 2})

    def expect(self, status, key, path, body):
        try:
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=DEADLINE,
                                                     context=self.tls)
            connection.request("POST", path, body=json.dumps(body),
                               headers={"Authorization": f"bearer {key}"})
            found = connection.getresponse().status
            connection.close()
        except OSError as error:
            found = repr(error)
        with self.lock:
            self.done += 1
            if found != status:
                self.wrong.append((path, found))

    def more(self, case, count):
        """Waits until so many more requests are answered."""
        before = self.done
        case.wait_for(lambda: self.done >= before + count or self.wrong)

    def end(self):
        self.ended.set()
        for thread in self.threads:
            thread.join(DEADLINE)


class Everything(ServeTestCase):
    def certify(self, name):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-days", "2", "-subj", f"/CN={name}", "-addext",
             "subjectAltName=IP:127.0.0.1", "-keyout", f"{name}.key", "-out", f"{name}.crt"],
            cwd=self.folder, check=True, capture_output=True, timeout=DEADLINE)

    def use_certificate(self, name):
        for end in ("key", "crt"):
            os.replace(self.path(f"{name}.{end}"), self.path(f"server.{end}"))

    def files_with(self, folder, text):
        found = []
        for place, _, names in os.walk(self.path(folder)):
            for name in names:
                try:
                    with open(os.path.join(place, name), "rb") as file:
                        if text.encode() in file.read():
                            found.append(name)
                except FileNotFoundError:  # a running service has just removed it
                    pass
        return found

    def test_all_of_it_under_load(self):
        """Two applications, three kinds of keys, a certificate replaced, a rollback, a user erased while
        it runs and one between, and a restart by socket hand-over: no request fails but those refused
        on purpose."""
        for name in ("first", "second"):
            self.certify(name)
        trust = ssl.create_default_context(cafile=self.path("first.crt"))
        trust.load_verify_locations(self.path("second.crt"))
        self.use_certificate("first")
        self.write("keys", b"key-of-the-shop-site decide reward app=shop\n"
                           b"key-of-the-news-site decide reward app=news\n"
                           b"key-of-the-accountant read\n"
                           b"key-of-the-operator1 admin read\n")
        for secret in ("keys", "server.key"):
            os.chmod(self.path(secret), 0o600)
        flags = ["--agent", SMALL, "--app", "shop=shop", "--app", "news=news", "--key-file", "keys",
                 "--tls-certificate", "server.crt", "--tls-key", "server.key",
                 "--version-seconds", "1000000"]
        listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.addCleanup(listener.close)
        server = ListeningServer(self, listener, *flags, tls=trust)

        def ask(method, path, key, body=None):
            return server.call(method, path, body, Authorization=f"Bearer {key}")

        alice, bob = ({"eventId": f"visit-of-{name}", "contextFeatures": [{"user": user}],
                       "actions": ACTIONS} for name, user in (("alice", ALICE), ("bob", BOB)))
        for visit in (alice, bob):
            self.assertEqual(ask("POST", f"/apps/shop{BASE}/rank", "key-of-the-shop-site",
                                 visit).status, 201)
        load = Load(server.port, trust, [("/apps/shop", "key-of-the-shop-site"),
                                         ("/apps/news", "key-of-the-news-site")])
        try:
            load.more(self, 10)
            # Refused on purpose.
            for key, path, status in (("key-of-the-shop-site", "/apps/news/v1/status", 403),
                                      ("key-of-the-shop-site", "/apps/shop/v1/status", 403),
                                      ("key-of-the-accountant", f"/apps/shop{BASE}/rank", 403),
                                      ("key-of-the-accountant", "/apps/shop/v1/erase", 403),
                                      ("key-that-nobody-knows", "/apps/shop/v1/status", 401)):
                method, body = ("GET", None) if path.endswith("status") else ("POST", alice)
                self.assertEqual(ask(method, path, key, body).status, status, path)

            self.use_certificate("second")
            server.process.send_signal(signal.SIGHUP)
            self.wait_for(lambda: "read again: 4 keys of keys, the certificate" in server.log(),
                          server.process)
            load.more(self, 10)

            # The model is reset by mistake, and comes back.
            operator = "key-of-the-operator1"
            self.assertEqual(ask("DELETE", f"/apps/shop{BASE}/model", operator).status, 204)
            self.wait_for(lambda: ask("GET", "/apps/shop/v1/models", operator).json(),
                          server.process)
            version = ask("GET", "/apps/shop/v1/models", operator).json()[0]["version"]
            self.assertEqual(ask("POST", f"/apps/shop/v1/models/{version}/rollback",
                                 operator).status, 204)
            load.more(self, 10)

            self.assertTrue(self.files_with("shop", BOB))
            answer = ask("POST", "/apps/shop/v1/erase", operator, {"users": [{"user": BOB}]})
            self.assertEqual((answer.status, answer.json()), (200, {"events": 1, "stillLearned": 0}))
            self.assertEqual(self.files_with("shop", BOB), [])
            load.more(self, 10)

            # Callers wait at the socket while nobody serves.
            server.stop()
            self.assertTrue(self.files_with("shop", ALICE))
            self.good("log", "erase", "shop", "--user", f"user={ALICE}")
            self.assertEqual(self.files_with("shop", ALICE), [])
            server = ListeningServer(self, listener, *flags, tls=trust)
            load.more(self, 10)
        finally:
            load.end()
        self.assertEqual(load.wrong, [])
        for visit in ("visit-of-alice", "visit-of-bob"):
            self.assertEqual(ask("GET", f"/apps/shop/v1/decisions/{visit}", operator).status, 404)
        server.stop()
        for folder in ("main", "shop", "news"):
            self.good("log", "verify", folder)
            self.assertIn("byte for byte", self.good("log", "replay", folder).out)


class Sockets(ServeTestCase):
    def test_what_is_not_a_listening_socket_is_refused(self):
        said = subprocess.run(
            ["bash", "-c", f"{HAND_OVER} 3</dev/null", "bash", PROGRAM, "serve", "data"], cwd=self.folder, capture_output=True, encoding="utf-8", timeout=DEADLINE,
            check=False)
        self.assertEqual(said.returncode, 2)
        self.one_line(said.stderr, ("LISTEN_FDS=1", "not a listening TCP socket"))
        # Meant for another process.
        server = self.serve("--agent", SMALL, env={**os.environ, "LISTEN_PID": "1",
                                                   "LISTEN_FDS": "1"})
        self.assertEqual(server.call("GET", "/healthz").status, 200)

    def test_a_socket_for_others_needs_keys(self):
        with socket.create_server(("0.0.0.0", 0)) as listener:
            said = subprocess.run(
                ["bash", "-c", f"{HAND_OVER} 3<&{listener.fileno()}", "bash", PROGRAM, "serve",
                 "data"], cwd=self.folder, capture_output=True, encoding="utf-8",
                timeout=DEADLINE, check=False, pass_fds=[listener.fileno()])
        self.assertEqual(said.returncode, 2)
        self.one_line(said.stderr, ("0.0.0.0", "--key-file"))


if __name__ == "__main__":
    unittest.main()
