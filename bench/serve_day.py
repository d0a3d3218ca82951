#!/usr/bin/env python3
"""A day of sau serve in a short time: ranks and rewards as fast as the server answers, events that expire,
exports, backups, status requests and kills, all at the same time. At the end everything that was
acknowledged must be in the log and learned exactly once. Prints the measurements; the exit code is 1 if
something was lost. With --judge it is also 1 if one second was bad or memory grew: for a quiet machine.

    bench/serve_day.py build/sau build/bench/serve_load --events 1000000 --kill-every 60
"""

import argparse
import glob
import http.client
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

BASE = "/personalizer/v1.0"
SLOW = ("0.1", "0.3", "1")  # seconds


class Server:
    def __init__(self, program, folder, log, agent):
        self.log = open(log, "ab")
        self.process = subprocess.Popen([program, "serve", folder, "--port", "0", "--snapshot-seconds", "5",
                                         "--agent", agent],
                                        stdout=subprocess.PIPE, stderr=self.log, encoding="utf-8")
        line = self.process.stdout.readline()
        if not line.startswith("serving "):
            raise SystemExit(f"the server did not start: {open(log, encoding='utf-8').read()[-2000:]}")
        self.port = int(line.split()[-1].rstrip("/").rpartition(":")[2])

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            connection.request(method, path, None if body is None else json.dumps(body))
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def totals(self):
        return json.loads(self.call("GET", "/v1/status")[1])["totals"]

    def memory(self):
        """Resident bytes of anonymous memory, without pages of files."""
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
            return 1024 * int(re.search(r"RssAnon:\s+(\d+) kB", file.read())[1])

    def end(self, how):
        self.process.send_signal(how)
        code = self.process.wait(timeout=600)
        self.process.stdout.close()
        self.log.close()
        return code


def slow_writes(metrics):
    """How many batches took longer than each of SLOW to write, with their sync."""
    until = dict(re.findall(r'sau_log_write_seconds_bucket{le="([^"]+)"} (\d+)', metrics))
    return [int(until["+Inf"]) - int(until[limit]) for limit in SLOW]


def log_memory(metrics):
    """What RocksDB has in memory: its write buffers and its cache."""
    parts = dict(re.findall(r'sau_log_memory_bytes{part="(\w+)"} (\d+)', metrics))
    return int(parts["write_buffers"]), int(parts["cache"])


class Day:
    def __init__(self, options):
        self.options = options
        self.work = tempfile.mkdtemp(prefix="sau-day-", dir=options.work)
        self.folder = os.path.join(self.work, "data")
        self.rates, self.memories, self.failures = [], [], []
        self.slow_writes = {}  # by life: batches that took longer than each of SLOW to write
        self.counts = {"exports": 0, "backups": 0, "verifications": 0, "read-outs": 0, "kills": 0}
        self.stopping = threading.Event()
        self.server = None

    def path(self, name):
        return os.path.join(self.work, name)

    def run(self, *args, **more):
        return subprocess.run([self.options.program, *args], capture_output=True, encoding="utf-8",
                              check=False, timeout=1800, **more)

    def tools(self):
        """Repeats what an operator does while the server runs."""
        turn = 0
        while not self.stopping.wait(self.options.pause):
            turn += 1
            if turn % 3 == 0:
                shutil.rmtree(self.path("backup"), ignore_errors=True)
                done, what = self.run("log", "backup", self.folder, self.path("backup")), "backups"
            elif turn % 3 == 1:
                done, what = self.run("log", "export", self.folder, "-o", self.path("part.jsonl")), "exports"
            else:
                done, what = self.run("log", "verify", self.folder), "verifications"
            if done.returncode == 0:
                self.counts[what] += 1
            else:
                self.failures.append(f"{what}: {done.stderr.strip()}")

    def read_outs(self):
        while not self.stopping.wait(0.5):
            try:
                server = self.server
                of_log = (0, 0)
                for path in ("/metrics", BASE + "/model/properties", "/v1/status"):
                    status, body = server.call("GET", path)
                    if status != 200:
                        continue
                    self.counts["read-outs"] += 1
                    if path == "/metrics":
                        self.slow_writes[self.counts["kills"]] = slow_writes(body.decode())
                        of_log = log_memory(body.decode())
                self.memories.append((self.counts["kills"], server.memory(), server.totals()["waiting"],
                                      *of_log))
            except (OSError, http.client.HTTPException, AttributeError, json.JSONDecodeError, TypeError):
                pass  # the server was killed at that moment

    def load(self, name, seconds):
        """Sends load until the time is up or the server is gone; returns the ranks in each second."""
        done = subprocess.run([self.options.load, "--port", str(self.server.port), "--path", "rank+reward",
                               "--rewarded", "0.3", "--connections", str(self.options.connections),
                               "--seconds", str(seconds), "--warmup", "0", "--each-second",
                               "--acknowledged", self.path(name)],
                              capture_output=True, encoding="utf-8", check=False)
        found = re.search(r"ranks in each second(.*)", done.stdout)
        if not found:
            self.failures.append(f"the load: {done.stderr.strip()}")
            return []
        return [int(number) for number in found[1].split()]

    def play(self):
        ranks = rounds = 0
        workers = [threading.Thread(target=self.tools), threading.Thread(target=self.read_outs)]
        self.server = Server(self.options.program, self.folder, self.path("log.txt"), self.options.agent)
        self.server.call("PUT", BASE + "/configurations/service",
                         {"rewardWaitTime": self.options.wait, "defaultReward": 0.0})
        for worker in workers:
            worker.start()
        while ranks < self.options.events and not self.failures:
            rounds += 1
            killer = threading.Timer(self.options.kill_every,
                                     lambda server=self.server: server.process.kill())
            killer.start()
            # The load ends by itself when the server is killed.
            seconds = self.load(f"acknowledged-{rounds}.txt", self.options.kill_every + 30)
            killer.join()
            ranks += sum(seconds)
            self.rates += seconds[:-1]  # the last second was cut short
            self.server.end(signal.SIGKILL)
            self.counts["kills"] += 1
            self.server = Server(self.options.program, self.folder, self.path("log.txt"), self.options.agent)
        self.stopping.set()
        for worker in workers:
            worker.join()
        end = time.monotonic() + 600
        while time.monotonic() < end:
            totals = self.server.totals()
            if totals["waiting"] == 0 and totals["learnerLag"] == 0:
                break
            time.sleep(0.2)
        else:
            self.failures.append(f"events are still waiting after 10 minutes: {totals}")
        if self.server.end(signal.SIGTERM) != 0:
            self.failures.append("the server did not exit with code 0")

    def check(self):
        verified, replayed = self.run("log", "verify", self.folder), self.run("log", "replay", self.folder)
        for done, says in ((verified, "all good"), (replayed, "byte for byte")):
            if says not in done.stdout:
                self.failures.append(done.stdout + done.stderr)
        exported = self.run("log", "export", self.folder, "-o", self.path("all.jsonl"))
        if exported.returncode != 0:
            self.failures.append(exported.stderr)
            return 0, 0
        events = {}
        completed = 0
        with open(self.path("all.jsonl"), encoding="utf-8") as file:
            for line in file:
                name = line[12:line.index('"', 12)]  # {"eventId":"..."
                if name in events:
                    self.failures.append(f"{name} is in the log twice")
                rewards = re.search(r'"rewards":\[(.*?)\]', line)[1]
                events[name] = rewards.count('"value"')
                completed += '"state":"learned"' in line or '"state":"missing"' in line
        learned = int(re.search(r"(\d+) rewards learned", replayed.stdout)[1])
        if learned != completed or completed != len(events):
            self.failures.append(f"{len(events)} events, {completed} completed, {learned} learned from")
        ranks = rewards = 0
        for file in glob.glob(self.path("acknowledged-*.txt")):
            with open(file, encoding="utf-8") as lines:
                for line in lines:
                    kind, name = line.split()
                    ranks += kind == "rank"
                    rewards += kind == "reward"
                    if name not in events or (kind == "reward" and events[name] == 0):
                        self.failures.append(f"lost: {line.strip()}")
        return ranks, rewards

    def write_samples(self):
        with open(self.options.samples, "w", encoding="utf-8") as file:
            file.write("life,memory,waiting,write_buffers,cache\n")
            file.writelines(",".join(map(str, sample)) + "\n" for sample in self.memories)

    def report_memory(self):
        """The peak between two kills, and how many events waited then: it must not grow with the log."""
        peaks = {}
        for life, *measured in self.memories:
            peaks[life] = max(peaks.get(life, [0, 0, 0, 0]), measured)
        # After the last kill there was no load.
        lives = [peaks[life] for life in sorted(peaks) if life < self.counts["kills"]]
        if not lives:
            return
        print("memory, peak between kills: "
              + ", ".join(f"{memory / 1e6:.0f} MB with {waiting} waiting (write buffers {buffers / 1e6:.0f} MB, "
                          f"cache {cache / 1e6:.0f} MB)" for memory, waiting, buffers, cache in lives))
        (first, waited, *_), (last, waits, *_) = lives[0], lives[-1]
        allowed = 32 * max(0, waits - waited) + 10e6  # bytes; the rest is what an allocator keeps
        if self.options.judge and last - first > allowed:
            self.failures.append(f"memory grew by {(last - first) / 1e6:.0f} MB")

    def report(self, ranks, rewards):
        rates = sorted(self.rates)
        print(f"{ranks} decisions and {rewards} rewards acknowledged; "
              + ", ".join(f"{count} {name}" for name, count in self.counts.items()))
        if rates:
            print(f"ranks per second: median {statistics.median(rates):.0f}, least {rates[0]}, "
                  f"most {rates[-1]}; least over median {rates[0] / statistics.median(rates):.2f}")
            if self.options.judge and rates[0] < statistics.median(rates) / 3:
                self.failures.append("a second was below a third of the median rate")
        slow = [sum(counts) for counts in zip(*self.slow_writes.values())]
        print("batches of the log that took longer to write than: "
              + ", ".join(f"{limit} s {count}" for limit, count in zip(SLOW, slow)))
        self.report_memory()
        if self.options.samples:
            self.write_samples()
        for failure in self.failures[:20]:
            print("FAILED:", failure)
        print("nothing lost" if not self.failures else f"{len(self.failures)} failures")
        return 1 if self.failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath, help="sau")
    parser.add_argument("load", type=os.path.abspath, help="serve_load, built with the benchmarks")
    parser.add_argument("--events", type=int, default=1_000_000, help="smallest number of decisions [1000000]")
    parser.add_argument("--kill-every", type=float, default=60.0, help="seconds between kills [60]")
    parser.add_argument("--wait", default="PT20S", help="rewardWaitTime [PT20S]")
    parser.add_argument("--pause", type=float, default=5.0, help="seconds between two exports or backups [5]")
    parser.add_argument("--connections", type=int, default=64, help="connections of the load [64]")
    parser.add_argument("--agent", default="hashed_linear+sau_sampling",
                        help="agent of the service; the default is the quickest [hashed_linear+sau_sampling]")
    parser.add_argument("--judge", action="store_true",
                        help="also fail if a second is below a third of the median, or if memory grows")
    parser.add_argument("--samples", metavar="FILE", help="write the samples of memory there, as CSV")
    parser.add_argument("--work", help="folder for the files [the folder of temporary files]")
    day = Day(parser.parse_args())
    try:
        day.play()
        return day.report(*day.check())
    finally:
        if day.server is not None and day.server.process.poll() is None:
            day.server.process.kill()
        shutil.rmtree(day.work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
