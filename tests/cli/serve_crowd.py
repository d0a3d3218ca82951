#!/usr/bin/env python3
"""sau serve with too many connections and large bodies, too few files, too little memory; and when
nobody reads its output. It keeps running, reports what it has refused, and serves new callers."""

import sys

sys.dont_write_bytecode = True

import fcntl
import http.client
import os
import resource
import signal
import socket
import subprocess
import threading
import time
import unittest

from _serve import BASE, ServeTestCase, answers_in, eventually, received, request_bytes
from _support import DEADLINE
from ports import free_port

MEBIBYTE = 1 << 20
CROWD = 1100  # more than the server allows
SLOW = request_bytes("POST", BASE + "/rank", b"", "Content-Length: 100", "Expect: 100-continue")


class CrowdTestCase(ServeTestCase):
    def setUp(self):
        super().setUp()
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4000, hard), hard))

    def metric(self, server, name):
        """The value of a metric, as it is written in /metrics."""
        text = server.call("GET", "/metrics").body.decode()
        for line in text.splitlines():
            if line.startswith(name + " "):
                return float(line.split()[-1])
        self.fail(f"there is no {name} in {text}")

    def dropped(self, server, reason):
        return self.metric(server, f'sau_connections_dropped_total{{reason="{reason}"}}')

    def serves(self, server, event):
        self.assertEqual(server.call("GET", "/healthz").status, 200)
        self.assertEqual(server.rank(eventId=event).status, 201)


class Connections(CrowdTestCase):
    def hold(self, server, count, sends=b"", sources=("127.0.0.2",)):
        crowd = []
        for i in range(count):
            connection = server.connect(sources[i % len(sources)])
            if sends:
                connection.sendall(sends)
                connection.recv(100)  # 100 Continue, so the server has read it
            crowd.append(connection)
        return crowd

    def test_idle_ones_make_room(self):
        server = self.serve()
        mine = server.caller()
        self.assertEqual(mine.rank(eventId="before").status, 201)
        begin = time.monotonic()
        crowd = self.hold(server, CROWD)
        for i in range(3):
            self.serves(server, f"e{i}")
        # Connections of the crowd's address were dropped, not ours, which had been idle longer.
        self.assertEqual(mine.rank(eventId="after").status, 201)
        self.assertGreaterEqual(self.dropped(server, "idle"), CROWD - 1000)
        self.assertEqual(self.dropped(server, "full"), 0)
        self.assertGreaterEqual(self.metric(server, "sau_connections"), 900)
        self.assertLessEqual(self.metric(server, "sau_connections"), 1016)
        self.wait_for(lambda: "connections were dropped to make room" in server.log())
        # A crowd that takes long to come is noted again, but not within ten seconds.
        noted = server.log().count("connections were dropped to make room")
        self.assertLessEqual(noted, 1 + (time.monotonic() - begin) / 10)
        for connection in crowd:
            connection.close()
        server.stop()

    def test_slow_ones_make_room(self):
        server = self.serve("--request-seconds", "300")
        crowd = self.hold(server, CROWD, SLOW, ("127.0.0.2", "127.0.0.3", "127.0.0.4"))
        for i in range(3):
            self.serves(server, f"e{i}")
        self.assertGreater(self.dropped(server, "slow"), 0)
        self.assertEqual(self.dropped(server, "full"), 0)
        for connection in crowd:
            connection.close()
        server.stop()

    def test_an_address_may_have_a_limit(self):
        server = self.serve("--connections-per-address", "5")
        crowd = self.hold(server, 20)
        self.serves(server, "e")
        self.assertEqual(self.dropped(server, "address"), 15)
        self.assertTrue(all(connection.recv(1) == b"" for connection in crowd[:15]))
        crowd[-1].sendall(request_bytes("GET", "/healthz"))
        self.assertIn(b"200 OK", crowd[-1].recv(65536))
        server.stop()

    def test_health_port_answers_whatever_happens_on_the_other(self):
        key = "a-key-of-some-length"
        self.write("keys", key.encode())
        server = self.serve("--health-port", "0", "--key-file", "keys", "--threads", "1", key=key)
        port = int(server.process.stdout.readline().rstrip("/\n").rpartition(":")[2])
        self.assertNotEqual(port, server.port)
        crowd = self.hold(server, CROWD)

        def ask(path, method="GET", **headers):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
            try:
                connection.request(method, path, headers=headers)
                reply = connection.getresponse()
                return reply.status, reply.read().decode()
            finally:
                connection.close()

        allowed = {"Ocp-Apim-Subscription-Key": key}
        self.assertEqual(ask("/healthz"), (200, "ok\n"))
        self.assertEqual(ask("/readyz")[0], 200)
        self.assertEqual(ask("/metrics")[0], 401)
        self.assertEqual(ask("/metrics", **allowed)[0], 200)
        # The server accepts the last ones of the crowd while we ask.
        self.wait_for(lambda: "\nsau_connections 10" in ask("/metrics", **allowed)[1])
        self.wait_for(lambda: 'dropped_total{reason="idle"} 100\n' in ask("/metrics", **allowed)[1])
        self.assertEqual(ask("/v1/status", **allowed)[0], 404)
        self.assertEqual(ask("/", **allowed)[0], 404)
        self.assertEqual(ask(BASE + "/rank", method="POST", **allowed)[0], 404)
        with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) as connection:
            connection.sendall(request_bytes("PUT", BASE + "/model", b"",
                                             f"Ocp-Apim-Subscription-Key: {key}",
                                             f"Content-Length: {100 * MEBIBYTE}"))
            self.assertEqual(answers_in(received(connection))[0].status, 413)
        # With too many connections, the health port has the same rules.
        many = [socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) for _ in range(40)]
        self.assertEqual(ask("/healthz")[0], 200)
        for connection in crowd + many:
            connection.close()
        server.stop()


class Files(CrowdTestCase):
    def test_with_too_few_files_the_start_is_refused(self):
        process = self.start("serve", "data", "--port", "0", limits={resource.RLIMIT_NOFILE: 40})
        out, err = process.communicate(timeout=DEADLINE)
        self.assertEqual((process.returncode, out), (1, ""), err)
        self.one_line(err, ("40 files", "ulimit -n", "needs"))
        self.assertFalse(os.path.exists(self.path("data")))

    def test_with_few_files_there_are_fewer_connections(self):
        for few in (64, 80):
            self.few(few)

    def few(self, few):
        server = self.serve(limits={resource.RLIMIT_NOFILE: few}, folder=f"data-{few}")
        self.assertIn(f"only {few} files may be open", server.log())
        caller = server.caller()
        for i in range(50):
            self.assertEqual(caller.rank(eventId=f"before-{i}").status, 201)
        crowd = [server.connect() for _ in range(60)]
        for i in range(20):
            self.serves(server, f"after-{i}")
        self.assertIsNone(server.process.poll())
        open_files = len(os.listdir(f"/proc/{server.process.pid}/fd"))
        self.assertLess(open_files, few)
        self.assertGreater(self.dropped(server, "idle"), 0)
        for connection in crowd:
            connection.close()
        server.stop()
        self.assertNotIn("cannot", server.log())

    def test_when_no_file_is_left_connections_are_dropped(self):
        server = self.serve()
        crowd = [server.connect() for _ in range(50)]
        self.serves(server, "before")
        # Lowering the limit of a running service takes away files that it counted on.
        used = len(os.listdir(f"/proc/{server.process.pid}/fd"))
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (used, used))
        more = [server.connect() for _ in range(20)]
        more[-1].sendall(request_bytes("GET", "/healthz"))
        self.assertIn(b"200 OK", more[-1].recv(65536))
        self.assertIsNone(server.process.poll())
        for connection in crowd + more:
            connection.close()
        server.kill()


class Memory(CrowdTestCase):
    def put_zeros(self, server, size):
        """Sends a model of zeros and returns the answers; none if the connection ends without."""
        head = request_bytes("PUT", BASE + "/model", b"", f"Content-Length: {size}")
        return answers_in(server.raw(head, *[bytes(MEBIBYTE)] * (size // MEBIBYTE)))

    def test_a_body_that_does_not_fit_is_refused(self):
        server = self.serve("--max-model-bytes", str(1 << 30),
                            limits={resource.RLIMIT_AS: 900 * MEBIBYTE})
        for i in range(2):
            answers = self.put_zeros(server, 1 << 30)
            self.assertIn([answer.status for answer in answers], ([503], []))
            self.assertIsNone(server.process.poll(), server.log())
            self.serves(server, f"e{i}")
        server.stop()

    def test_a_model_may_be_as_large_as_the_flag_says(self):
        server = self.serve("--max-model-bytes", str(5 * MEBIBYTE))
        self.assertEqual(self.put_zeros(server, 6 * MEBIBYTE)[0].status, 413)
        self.assertEqual(server.call("PUT", BASE + "/model", bytes(5 * MEBIBYTE)).status, 400)
        # Ten at the same time: there is room for only two bodies, and these two keep it.
        head = request_bytes("PUT", BASE + "/model", b"", f"Content-Length: {5 * MEBIBYTE}",
                             "Expect: 100-continue")
        waiting = []
        for _ in range(10):
            connection = server.connect()
            connection.sendall(head)
            waiting.append(connection.recv(65536).split()[1])
        self.assertEqual(waiting, [b"100"] * 2 + [b"503"] * 8)
        server.stop()
        self.assertEqual(server.log().count("failed"), 0)

    def test_models_of_a_gigabyte_are_refused_by_default(self):
        server = self.serve()
        head = request_bytes("PUT", BASE + "/model", b"", f"Content-Length: {1 << 30}")
        self.assertEqual(answers_in(server.raw(head))[0].status, 413)
        server.stop()


class Models(CrowdTestCase):
    def test_many_may_load_the_same_file_at_the_same_time(self):
        server = self.serve()
        self.assertEqual(server.rank(eventId="e").status, 201)
        self.assertEqual(server.reward("e", 1).status, 204)
        server.wait_learned(1)
        model = server.call("GET", BASE + "/model").body
        before = server.call("GET", BASE + "/model/properties").json()["checksum"]
        statuses = []

        def load():
            for _ in range(5):
                statuses.append(server.call("PUT", BASE + "/model", model).status)

        threads = [threading.Thread(target=load) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(statuses, [204] * 40)
        self.assertEqual(server.call("GET", BASE + "/model/properties").json()["checksum"], before)
        server.stop()


class Signals(CrowdTestCase):
    def test_a_hangup_is_noted_and_nothing_else(self):
        server = self.serve()
        for _ in range(2):
            server.process.send_signal(signal.SIGHUP)
            self.assertEqual(server.rank().status, 201)
        self.wait_for(lambda: "SIGHUP: there are no keys" in server.log(), server.process)
        self.serves(server, "e")
        server.stop()

    def test_output_that_nobody_reads_any_more(self):
        process = self.start("serve", "data", "--port", "0")
        port = port_in(process.stdout.readline())
        process.stderr.close()
        process.stdout.close()
        for _ in range(3):
            process.send_signal(signal.SIGHUP)  # writes a line to standard error
            self.assertFalse(eventually(lambda: process.poll() is not None, 0.1))
        self.assertTrue(is_healthy(port))
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=DEADLINE), 0)

    def test_files_of_the_log_do_not_take_the_place_of_closed_output(self):
        port = free_port()
        process = self.start("serve", "data", "--port", str(port), closed=(0, 1, 2))
        self.wait_for(lambda: is_healthy(port), process)
        for descriptor in (0, 1, 2):
            self.assertEqual(os.readlink(f"/proc/{process.pid}/fd/{descriptor}"), "/dev/null")
        process.send_signal(signal.SIGHUP)  # writes a line to standard error
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=DEADLINE), 0)
        self.assertIn("all good", self.good("log", "verify", "data").out)

    def test_output_that_is_full_because_nobody_reads_it(self):
        reading, writing = os.pipe()
        try:
            os.set_blocking(writing, False)
            with self.assertRaises(BlockingIOError):
                while True:
                    os.write(writing, bytes(4096))
            os.set_blocking(writing, True)
            # Its first line is about the limit on files.
            process = self.start("serve", "data", "--port", "0", stderr=writing,
                                 limits={resource.RLIMIT_NOFILE: 80})
            self.assertTrue(is_healthy(port_in(process.stdout.readline())))
            # Somebody reads again.
            full = fcntl.fcntl(writing, fcntl.F_GETPIPE_SZ)
            while full > 0:
                full -= len(os.read(reading, full))
            process.send_signal(signal.SIGHUP)
            said = ""
            while "SIGHUP" not in said:  # the lines may come one by one
                said += os.read(reading, 65536).decode()
            self.assertIn("lines left out here, because nobody read the earlier ones: 1\n", said)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(timeout=DEADLINE), 0)
        finally:
            os.close(reading)
            os.close(writing)

    def test_nobody_reads_that_it_has_started(self):
        port = free_port()
        reading, writing = os.pipe()
        os.close(reading)
        try:
            process = self.start("serve", "data", "--port", str(port), stdout=writing,
                                 stderr=subprocess.DEVNULL)
        finally:
            os.close(writing)
        self.wait_for(lambda: is_healthy(port), process)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=DEADLINE), 0)


def port_in(line):
    """The port in the first line that a server prints."""
    assert line.startswith("serving "), line
    return int(line.rstrip("/\n").rpartition(":")[2])


def is_healthy(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except ConnectionRefusedError:
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    unittest.main()
