"""Shared by the scripts about clusters: NATS servers, nodes and trainers on loopback addresses, and
callers that remember what was acknowledged."""

import collections
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import threading
import time

from _serve import BASE, Caller, ServeTestCase
from _support import DEADLINE, stop
from ports import free_port, free_ports

LOST = (ConnectionError, http.client.HTTPException, TimeoutError, OSError)
NATS = shutil.which("nats-server") or "/usr/sbin/nats-server"
AGENT = "hashed_linear+sau_sampling"


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


class NatsServers:
    """One NATS server with JetStream, or three that are a cluster."""

    def __init__(self, case, count=1, extra=""):
        self.case, self.count = case, count
        ports = free_ports(2 * count)
        self.ports, self.routes = ports[:count], ports[count:]
        self.processes = [None] * count
        for i in range(count):
            routes = ", ".join(f'"nats://127.0.0.1:{port}"' for port in self.routes)
            cluster = (f'cluster {{ name: sau, listen: "127.0.0.1:{self.routes[i]}", '
                       f"routes: [{routes}] }}\n") if count > 1 else ""
            case.write(f"nats{i}.conf", (
                f'server_name: n{i}\nlisten: "127.0.0.1:{self.ports[i]}"\n'
                f'jetstream {{ store_dir: "{case.path(f"nats{i}")}" }}\n{cluster}{extra}').encode())
        for i in range(count):
            self.start(i)

    @property
    def url(self):
        return ",".join(f"nats://127.0.0.1:{port}" for port in self.ports)

    def start(self, i):
        with open(self.case.path(f"nats{i}.log"), "ab") as log:
            self.processes[i] = subprocess.Popen(
                [NATS, "-c", self.case.path(f"nats{i}.conf")], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, cwd=self.case.folder)
        self.case.addCleanup(stop, self.processes[i])

    def wait(self):
        """Returns when all servers take connections."""
        for port in self.ports:
            self.case.until(lambda port=port: listens(port), lambda: "NATS listens")

    def kill(self, i):
        self.processes[i].kill()
        self.processes[i].wait(timeout=DEADLINE)

    def wipe(self):
        """Kills all servers and removes everything that JetStream has stored."""
        for i in range(self.count):
            self.kill(i)
            shutil.rmtree(self.case.path(f"nats{i}"), ignore_errors=True)
        for i in range(self.count):
            self.start(i)


class Member:
    """A node or a trainer. It keeps its port when it is started again."""

    def __init__(self, case, command, folder, url, *args, wait=True, **options):
        self.case, self.command, self.folder, self.url = case, command, folder, url
        self.args, self.options, self.tls = args, options, None
        self.port = free_port()
        self.log_file = case.path(folder + ".log")
        self.start(wait)

    def start(self, wait=True):
        with open(self.log_file, "ab") as log:
            self.process = self.case.start(
                self.command, self.folder, "--join", self.url, "--port", str(self.port), *self.args,
                stderr=log, **self.options)
        if wait:
            line = self.process.stdout.readline()
            if not line.startswith(("serving ", "training ")):
                self.process.wait(timeout=DEADLINE)
                self.case.fail(f"{self.folder} did not start: {self.log()[-2000:]}")

    def log(self):
        with open(self.log_file, encoding="utf-8") as file:
            return file.read()

    def call(self, method, path, body=None):
        caller = Caller(self)
        try:
            return caller.call(method, path, body)
        finally:
            caller.close()

    def rank(self, **request):
        request.setdefault("actions", [{"id": "a"}, {"id": "b"}])
        return self.call("POST", BASE + "/rank", request)

    def reward(self, event, value):
        return self.call("POST", f"{BASE}/events/{event}/reward", {"value": value})

    def is_ready(self):
        try:
            return self.call("GET", "/readyz").status == 200
        except LOST:
            return False

    def metric(self, name):
        """The value of a metric; None if the member cannot be asked."""
        try:
            text = self.call("GET", "/metrics").body.decode()
        except LOST:
            return None
        found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
        return float(found[1]) if found else None

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=DEADLINE)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=DEADLINE)
        self.case.assertEqual(code, 0, self.log()[-2000:])


class ClusterTestCase(ServeTestCase):
    def node(self, url, name="node", *args, **options):
        return Member(self, "serve", name, url, *args, **options)

    def trainer(self, url, name="trainer", *args, **options):
        return Member(self, "train", name, url, "--snapshot-seconds", "1", *args, **options)

    def until(self, condition, what):
        """Waits for a condition, and says what was waited for."""
        end = time.monotonic() + DEADLINE
        while not condition():
            self.assertLess(time.monotonic(), end, "waited too long until " + what())
            time.sleep(0.02)

    def wait_ready(self, *members):
        for each in members:
            self.until(each.is_ready, lambda each=each: f"{each.folder} is ready\n{each.log()[-2000:]}")

    def leader(self, trainers):
        for each in trainers:
            if each.metric("sau_trainer_leads") == 1.0:
                return each
        return None

    def wait_empty(self, *nodes):
        """Waits until the trainer has everything that the nodes have spooled."""
        for each in nodes:
            self.until(lambda each=each: each.metric("sau_spool_records") == 0.0,
                       lambda each=each: f"the spool of {each.folder} is empty: "
                       f"{each.metric('sau_spool_records')}\n{each.log()[-2000:]}")

    def checked(self, folder):
        """Checks that every record is good, and that a replay gives the same model."""
        self.assertIn("all good", self.good("log", "verify", folder).out)
        self.assertIn("the same, byte for byte", self.good("log", "replay", folder).out)
        return self.good("log", "export", folder).out


class ClusterLoad:
    """Threads that rank and reward at random nodes, and remember what was acknowledged."""

    def __init__(self, nodes, threads=2, seed=1, pause=0.0):
        self.nodes, self.seed, self.pause = nodes, seed, pause
        # Acknowledged: event id to the actions. There are several if a caller asked again, and the
        # nodes had different models: then the first one in the stream counts.
        self.decided = {}
        self.perhaps = set()  # sent, and not acknowledged
        self.rewarded = collections.defaultdict(list)  # acknowledged
        self.maybe_rewarded = collections.defaultdict(list)
        self.answers = collections.Counter()  # by status
        self.failures = []
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(i,), daemon=True)
                        for i in range(threads)]
        for each in self.threads:
            each.start()

    def finish(self):
        self.stopping.set()
        for each in self.threads:
            each.join(timeout=DEADLINE)

    def run(self, thread):
        try:
            self.call_until_stopped(thread)
        except Exception as error:  # pylint: disable=broad-except
            self.failures.append(repr(error))

    def call_until_stopped(self, thread):
        rng = random.Random(1000 * self.seed + thread)
        callers, recent, count = {}, collections.deque(maxlen=64), 0

        def call(method, path, body):
            node = rng.choice(self.nodes)
            try:
                if node not in callers:
                    callers[node] = Caller(node)
                    callers[node].connection.timeout = 15
                answer = callers[node].call(method, path, body)
            except LOST:
                if node in callers:
                    callers.pop(node).close()
                time.sleep(0.05)
                return None
            self.answers[answer.status] += 1
            if answer.status >= 500:
                time.sleep(0.02)
            return answer

        while not self.stopping.is_set():
            if self.pause:
                time.sleep(self.pause)
            count += 1
            event = f"{self.seed}-{thread}-{count}"
            body = {"eventId": event, "contextFeatures": [{"hour": rng.randrange(24)}],
                    "actions": [{"id": name, "features": [{"size": i}]}
                                for i, name in enumerate("abc")]}
            self.perhaps.add(event)
            answer = call("POST", BASE + "/rank", body)
            if answer is not None and answer.status == 201:
                self.decided[event] = {answer.json()["rewardActionId"]}
                self.perhaps.discard(event)
                recent.append(event)
                if rng.random() < 0.02:  # a caller that asks again, at any node
                    repeated = call("POST", BASE + "/rank", body)
                    if repeated is None or repeated.status != 201:
                        self.decided[event] |= set("abc")  # nobody knows
                    else:
                        self.decided[event].add(repeated.json()["rewardActionId"])
            if recent and rng.random() < 0.9:
                event = recent[-1] if rng.random() < 0.7 else rng.choice(recent)
                value = round(rng.random(), 6)
                answer = call("POST", f"{BASE}/events/{event}/reward", {"value": value})
                acknowledged = answer is not None and answer.status == 204
                (self.rewarded if acknowledged else self.maybe_rewarded)[event].append(value)
        for caller in callers.values():
            caller.close()

    def check(self, case, exported):
        """Everything acknowledged is in the exported log exactly once."""
        case.assertFalse(self.failures)
        events = [json.loads(line) for line in exported.splitlines()]
        found = {event["eventId"]: event for event in events}
        case.assertEqual(len(found), len(events), "an event is in the log twice")
        lost = [event for event in self.decided if event not in found]
        case.assertFalse(lost[:5], f"{len(lost)} of {len(self.decided)} decisions are lost")
        for event, actions in self.decided.items():
            case.assertIn(found[event]["rewardActionId"], actions, event)
        unknown = set(found) - set(self.decided) - self.perhaps
        case.assertFalse(unknown)
        for name, event in found.items():
            known = collections.Counter(reward["value"] for reward in event["rewards"])
            if len(event["rewards"]) >= 16:
                continue  # the log shows no more than these
            acknowledged = collections.Counter(self.rewarded.get(name, ()))
            case.assertFalse(acknowledged - known, f"a reward of {name} is lost")
            sent = acknowledged + collections.Counter(self.maybe_rewarded.get(name, ()))
            case.assertFalse(known - sent, f"a reward of {name} is there twice")
        return len(events), sum(len(each) for each in self.rewarded.values())
