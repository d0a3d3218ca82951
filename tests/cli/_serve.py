"""Shared by the scripts about sau serve: a server in the background, and its callers."""

import http.client
import json
import signal
import socket
import ssl
import time

from _support import DEADLINE, SauTestCase

BASE = "/personalizer/v1.0"
ACTIONS = [{"id": "a", "features": [{"size": 1}]}, {"id": "b", "features": [{"size": 2}]}]


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body.decode("utf-8"))

    def error(self):
        return self.json()["error"]


class Caller:
    """One connection that is kept open."""

    def __init__(self, server, key=None):
        self.key = key
        if server.tls is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)
        else:
            self.connection = http.client.HTTPSConnection("127.0.0.1", server.port, timeout=DEADLINE,
                                                          context=server.tls)

    def call(self, method, path, body=None, **headers):
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        if self.key is not None:
            headers.setdefault("Ocp-Apim-Subscription-Key", self.key)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.connection.request(method, path, body=body, headers=headers)
        reply = self.connection.getresponse()
        return Answer(reply.status, reply.headers, reply.read())

    def rank(self, **request):
        request.setdefault("actions", ACTIONS)
        return self.call("POST", BASE + "/rank", request)

    def reward(self, event, value):
        return self.call("POST", f"{BASE}/events/{event}/reward", {"value": value})

    def activate(self, event):
        return self.call("POST", f"{BASE}/events/{event}/activate")

    def close(self):
        self.connection.close()


class Server:
    """A sau serve in the background, on any free port."""

    count = 0

    def __init__(self, case, *args, folder="data", tls=None, key=None, **options):
        Server.count += 1
        self.case, self.tls, self.key = case, tls, key
        self.log_file = case.path(f"log-{Server.count}")
        with open(self.log_file, "wb") as log:
            self.process = case.start("serve", folder, "--port", "0", *args, stderr=log,
                                      **options)
        line = self.process.stdout.readline()
        if not line.startswith("serving "):
            self.process.wait(timeout=DEADLINE)
            case.fail(f"the server did not start: {self.process.returncode} {self.log()}")
        self.address = line.split()[-1]
        self.port = int(self.address.rstrip("/").rpartition(":")[2])

    def log(self):
        with open(self.log_file, encoding="utf-8") as file:
            return file.read()

    def caller(self, key=None):
        caller = Caller(self, key or self.key)
        self.case.addCleanup(caller.close)
        return caller

    def call(self, method, path, body=None, **headers):
        """Calls on a new connection."""
        caller = Caller(self, self.key)
        try:
            return caller.call(method, path, body, **headers)
        finally:
            caller.close()

    def rank(self, **request):
        request.setdefault("actions", ACTIONS)
        return self.call("POST", BASE + "/rank", request)

    def reward(self, event, value):
        return self.call("POST", f"{BASE}/events/{event}/reward", {"value": value})

    def configure(self, **settings):
        answer = self.call("PUT", BASE + "/configurations/service", settings)
        self.case.assertEqual(answer.status, 200, answer.body)

    def learned(self):
        """How many events the model in use has learned from."""
        return self.call("GET", "/v1/status").json()["model"]["eventsLearned"]

    def wait_learned(self, count):
        self.case.wait_for(lambda: self.learned() == count, self.process)

    def connect(self, source="127.0.0.1"):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=DEADLINE,
                                              source_address=(source, 0))
        self.case.addCleanup(connection.close)
        return connection

    def raw(self, *parts, end=False):
        """Sends these bytes, and returns everything that comes back until the server closes."""
        with self.connect() as connection:
            try:
                for part in parts:
                    connection.sendall(part)
                if end:
                    connection.shutdown(socket.SHUT_WR)
            except (BrokenPipeError, ConnectionResetError):
                pass  # refused before everything was sent
            return received(connection)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=DEADLINE)
        self.case.assertEqual(code, 0, self.log())

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=DEADLINE)


class ServeTestCase(SauTestCase):
    def serve(self, *args, **options):
        return Server(self, *args, **options)

    def exported(self, folder="data"):
        """The events of the log, by id."""
        lines = self.good("log", "export", folder).out.splitlines()
        events = [json.loads(line) for line in lines]
        found = {event["eventId"]: event for event in events}
        self.assertEqual(len(found), len(events), "an event is exported twice")
        return found

    def refusal(self, answer, status, code, target=None, says=""):
        """Checks an error in the form that clients know."""
        self.assertEqual(answer.status, status, answer.body)
        self.assertEqual(answer.headers["Content-Type"], "application/json; charset=utf-8")
        self.assertEqual(set(answer.json()), {"error"})
        error = answer.error()
        self.assertEqual(error["code"], code, error)
        self.assertEqual(error.get("target"), target, error)
        self.assertGreater(len(error["message"]), 5, error)
        self.assertIn(says, error["message"])


def received(connection):
    data = b""
    try:
        while chunk := connection.recv(65536):
            data += chunk
    except ConnectionResetError:
        pass
    return data


def answers_in(data):
    """The answers in the bytes of a connection; fails when they are not whole."""
    answers = []
    while data:
        head, blank, data = data.partition(b"\r\n\r\n")
        assert blank, head
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split()[1])
        headers = http.client.HTTPMessage()
        for line in lines[1:]:
            name, _, value = line.partition(": ")
            headers[name] = value
        size = int(headers.get("Content-Length", 0))
        assert len(data) >= size, data
        answers.append(Answer(status, headers, data[:size]))
        data = data[size:]
    return answers


def request_bytes(method, path, body=b"", *headers):
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def trusting(certificate):
    """TLS that trusts only this certificate."""
    context = ssl.create_default_context(cafile=certificate)
    context.check_hostname = True
    return context


def eventually(condition, seconds):
    """Whether the condition becomes true within this time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
