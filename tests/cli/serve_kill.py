#!/usr/bin/env python3
"""sau serve is killed under load, has its log torn, and runs out of disk: everything acknowledged
is there, and is learned from once and in the same order."""

import sys

sys.dont_write_bytecode = True

import glob
import os
import random
import re
import resource
import shutil
import subprocess
import threading
import time
import unittest

from _load import Load
from _serve import BASE, ServeTestCase, eventually
from _support import DEADLINE

KILLS = 52
DEEP_KILLS = 8
TORN_EVERY = 8
SNAPSHOT_EVERY = 6
PATIENCE = 240.0  # seconds; opening a log takes some twenty syncs, which a busy disk makes slow
SERVE = ("--snapshot-seconds", "1")


def own_memory(process):
    """Bytes of memory in use that are not pages of files."""
    with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
        return 1024 * int(re.search(r"RssAnon:\s+(\d+) kB", file.read())[1])


def size_of(file):
    """Its bytes; 0 if a running server has just removed it."""
    try:
        return os.path.getsize(file)
    except FileNotFoundError:
        return 0


class Memory(ServeTestCase):
    def test_a_start_with_a_long_write_ahead_log_keeps_no_memory(self):
        server = self.serve()
        empty = own_memory(server.process)
        caller, noise = server.caller(), random.Random(7)
        for i in range(2000):
            feature = noise.randbytes(10_000).hex()
            answer = caller.rank(eventId=f"e{i}", contextFeatures=[{"large": feature}])
            self.assertEqual(answer.status, 201, answer.body)
        server.kill()
        server = self.serve()
        # The log was read into write buffers twice: to check it, and to open it for writing.
        self.assertLess(own_memory(server.process) - empty, 16e6)
        server.stop()


class LogTestCase(ServeTestCase):
    def folder_checks(self, folder):
        """Checks that every record is good, and that a replay gives the same model. Returns the
        numbers of decisions and of rewards learned."""
        verified = self.good("log", "verify", folder).out
        self.assertIn("all good", verified)
        replayed = self.good("log", "replay", folder).out
        self.assertIn("the same, byte for byte", replayed)
        return (int(re.search(r"(\d+) decisions", verified)[1]),
                int(re.search(r"(\d+) rewards learned", replayed)[1]))

    def whole_checks(self, load, folder="data"):
        """Checks that everything acknowledged is in the log, and that every event was learned from
        once."""
        decisions, learned = self.folder_checks(folder)
        exported = self.exported(folder)
        self.assertEqual(decisions, len(exported))
        load.check_all(exported)
        completed = sum(event["reward"] is not None for event in exported.values())
        self.assertEqual(learned, completed)
        return exported

    def wait_settled(self, server):
        """Waits until the last event has expired and is learned. Returns how many were learned."""
        def settled():
            totals = server.call("GET", "/v1/status").json()["totals"]
            return totals["waiting"] == 0 and totals["learnerLag"] == 0

        self.wait_for(settled, server.process)
        # The status is that of the model that decides, which may be a moment older.
        return server.call("GET", BASE + "/model/properties").json()["eventsLearned"]

    def last_log(self, folder):
        files = [file for file in sorted(glob.glob(self.path(folder, "log", "*.log")))
                 if size_of(file) > 0]
        return files[-1] if files else None


class Killed(LogTestCase):
    def test_at_any_moment_under_load(self):
        chance = random.Random(20)
        load = Load(self, threads=4, seed=20)
        torn = damaged = snapshots = 0
        model = self.path("data", "model.sau")
        seen = None
        server = self.serve(*SERVE)
        server.configure(rewardWaitTime="PT0.4S", defaultReward=0.125)
        for kill in range(KILLS):
            load.start(server)
            # Some events, whatever the machine is doing, and then at any moment.
            more = 40 if kill % TORN_EVERY == 0 else chance.choice((2, 15, 40, 80))
            self.wait_acknowledged(load, server, more)
            time.sleep(0.1 * chance.random())
            if kill % SNAPSHOT_EVERY == 3:  # long enough for a snapshot
                self.wait_for(lambda: os.path.exists(model) and os.path.getmtime(model) != seen,
                              server.process)
            server.kill()
            load.finish()
            now = os.path.getmtime(model) if os.path.exists(model) else None
            snapshots += now != seen
            seen = now
            if kill % TORN_EVERY == 0:
                torn += self.torn_copy(chance, kill // TORN_EVERY % 3)
                damaged += self.damaged_copy(chance)
            server = self.serve(*SERVE)
            load.check_some(server, 20, chance)
        completed = self.wait_settled(server)
        server.stop()
        exported = self.whole_checks(load)
        states = [event["state"] for event in exported.values()]
        self.assertEqual(completed, states.count("learned") + states.count("missing"))
        for state in ("learned", "missing", "inactive"):
            self.assertGreater(states.count(state), 10, state)
        self.assertGreater(len(load.events), 10 * KILLS)
        self.assertGreaterEqual(min(torn, damaged), 4)
        self.assertGreaterEqual(snapshots, 5)
        rewards = sum(len(event.rewards) for event in load.events.values())
        print(f"{KILLS} kills: {len(load.events)} decisions and {rewards} rewards acknowledged, "
              f"{completed} learned from; {snapshots} snapshots, {torn} torn and {damaged} damaged logs")

    def test_a_dense_deep_agent_learns_the_same_again(self):
        deep = ("--agent", "mlp(hidden=16x16,every=5,start=10,updates=2)+sau_sampling",
                "--snapshot-seconds", "1")
        chance = random.Random(21)
        load = Load(self, threads=4, seed=21)
        server = self.serve(*deep)
        server.configure(rewardWaitTime="PT0.4S", defaultReward=0.125)
        for kill in range(DEEP_KILLS):
            load.start(server)
            self.wait_acknowledged(load, server, 20)
            time.sleep(0.3 * chance.random() + (1.2 if kill % 3 == 1 else 0.0))
            server.kill()
            load.finish()
            server = self.serve(*deep)
            load.check_some(server, 20, chance)
        completed = self.wait_settled(server)
        server.stop()
        self.whole_checks(load)
        self.assertGreater(completed, 10 * DEEP_KILLS)

    def wait_acknowledged(self, load, server, more):
        before = len(load.events)
        self.wait_for(lambda: len(load.events) >= before + more or load.failures, server.process)

    def copy(self):
        shutil.rmtree(self.path("copy"), ignore_errors=True)
        shutil.copytree(self.path("data"), self.path("copy"))
        return self.last_log("copy")

    def torn_copy(self, chance, kind):
        """At the start, a torn record that was never acknowledged is cut off, and all records before
        it are kept. If it was acknowledged, the start is refused."""
        log = self.copy()
        if log is None:
            return 0
        with open(log, "rb") as file:
            data = bytearray(file.read())
        if kind == 0:  # only begun
            data += chance.randbytes(chance.randrange(1, 300))
        elif kind == 1:
            del data[-chance.randrange(1, 30):]
        else:
            data[-chance.randrange(1, 30)] ^= 1 << chance.randrange(8)
        with open(log, "wb") as file:
            file.write(data)
        before = self.files("copy/log")
        if kind != 0:
            # If the kill came after the last record was written and before it was acknowledged,
            # nothing acknowledged is missing.
            reply = self.sau("log", "verify", "copy")
            if reply.code != 0:
                self.refused(1, "serve", "copy", "--port", "0", says=("acknowledged",))
                after = self.files("copy/log")
                for files in (before, after):
                    files.pop("LOCK", None)
                self.assertEqual(after, before)
                return 1
        server = self.serve(*SERVE, folder="copy")
        self.assertIn(f"{os.path.basename(log)}: cut at offset", server.log())
        self.assertEqual(server.rank(eventId="after").status, 201)
        server.stop()
        self.folder_checks("copy")
        left = self.exported("copy")
        del left["after"]
        before = self.exported("data")
        # A prefix: no event is there without all those before it.
        sequence = [event["sequence"] for event in before.values()]
        kept = [event["sequence"] for event in left.values()]
        self.assertEqual(sequence[:len(kept)], kept)
        if kind == 0:
            self.assertEqual(len(kept), len(sequence))
        return 1

    def damaged_copy(self, chance):
        """A damaged record in the middle is not cut off: the start is refused, and no file changes."""
        log = self.copy()
        if log is None or os.path.getsize(log) < 4000:
            return 0
        with open(log, "r+b") as file:
            place = os.path.getsize(log) // 4 + chance.randrange(1000)
            file.seek(place)
            byte = file.read(1)[0]
            file.seek(place)
            file.write(bytes([byte ^ 1 << chance.randrange(8)]))
        before = self.files("copy/log")
        reply = self.refused(1, "serve", "copy", "--port", "0",
                             says=(os.path.basename(log), "damaged at offset"))
        offset = int(re.search(r"damaged at offset (\d+)", reply.err)[1])
        self.assertLessEqual(offset, place)
        self.assertEqual(self.files("copy/log"), before)
        return 1


class Full(LogTestCase):
    def setUp(self):
        super().setUp()
        self.server = self.serve(*SERVE)
        self.server.configure(rewardWaitTime="PT0.5S")
        self.load = Load(self, threads=3, seed=30)
        self.slowest = 0.0

    def limit(self, size):
        _, hard = resource.prlimit(self.server.process.pid, resource.RLIMIT_FSIZE)
        size = resource.RLIM_INFINITY if size is None else size
        resource.prlimit(self.server.process.pid, resource.RLIMIT_FSIZE, (size, hard))

    def unwritable(self):
        answer = self.server.rank(eventId="unwritable")
        if answer.status == 201:
            return False
        self.refusal(answer, 503, "InternalServerError")
        self.assertEqual(answer.headers["Retry-After"], "1")
        return True

    def recovered(self):
        return self.server.call("GET", "/readyz").status == 200 and not self.unwritable()

    def recover(self):
        """Waits until the server recovers, which it does by itself."""
        begin = time.monotonic()
        self.assertTrue(eventually(self.recovered, PATIENCE), self.server.log())
        self.slowest = max(self.slowest, time.monotonic() - begin)

    def test_files_that_cannot_grow(self):
        self.load.start(self.server)
        for _ in range(4):
            time.sleep(0.3)
            log = self.last_log("data")
            self.limit(size_of(log) // 2 if log else 4096)
            time.sleep(0.3)
            self.limit(0)  # nothing at all
            self.assertTrue(eventually(self.unwritable, PATIENCE))
            self.assertTrue(eventually(
                lambda: self.server.call("GET", "/readyz").status == 503, PATIENCE))
            self.assertEqual(self.server.call("GET", "/healthz").status, 200)
            refused = self.load.unavailable
            self.assertTrue(eventually(lambda: self.load.unavailable > refused + 5, PATIENCE))
            self.limit(None)
            self.recover()
            self.load.check_some(self.server, 50, random.Random(1))
        self.load.finish()
        self.assertIn("the log cannot be written", self.server.log())
        self.assertIn("the log can be written again", self.server.log())
        self.end()

    def test_stopping_on_a_full_disk(self):
        self.load.start(self.server)
        time.sleep(0.3)
        self.limit(0)
        self.assertTrue(eventually(self.unwritable, PATIENCE))
        stopper = threading.Thread(target=self.server.stop)
        stopper.start()
        stopper.join(DEADLINE)
        self.load.finish()
        self.server = self.serve(*SERVE)
        self.end()

    def test_a_small_disk(self):
        disk = self.path("disk")
        os.mkdir(disk)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "none", disk],
                                 capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("a small disk cannot be made here: " + mounted.stderr.strip())
        self.addCleanup(subprocess.run, ["umount", "--lazy", disk], check=False)
        self.server.stop()
        self.server = self.serve(*SERVE, folder="disk/data")
        self.server.configure(rewardWaitTime="PT0.5S")
        self.load.start(self.server)
        for _ in range(2):
            time.sleep(0.3)
            try:
                with open(os.path.join(disk, "filler"), "wb", buffering=0) as filler:
                    while True:
                        filler.write(bytes(4096))
            except OSError:
                pass
            self.assertTrue(eventually(self.unwritable, PATIENCE), self.server.log())
            os.remove(os.path.join(disk, "filler"))
            self.recover()
            self.load.check_some(self.server, 50, random.Random(2))
        self.load.finish()
        self.end("disk/data")

    def end(self, folder="data"):
        self.recover()
        self.wait_settled(self.server)
        self.server.stop()
        self.load.events.pop("unwritable", None)
        decisions, learned = self.folder_checks(folder)
        exported = self.exported(folder)
        self.assertEqual(decisions, len(exported))
        self.assertEqual(learned, sum(event["reward"] is not None for event in exported.values()))
        del exported["unwritable"]
        self.load.check_all(exported)
        print(f"{folder}: {len(self.load.events)} decisions acknowledged, "
              f"{self.load.unavailable} answers 503, at most {self.slowest:.1f} s to recover")


if __name__ == "__main__":
    unittest.main()
