#!/usr/bin/env python3
"""Measures how fast a cluster on this machine decides and learns.

How many more decisions do two nodes answer than one, if each gets only a fixed share of a core? And how
long does it take from a reward until every node has a model that learned from it? A node is held to its
share by stopping and continuing it (SIGSTOP, SIGCONT) in periods of 20 ms, which needs no root rights.

usage: cluster_load.py PROGRAM [--seconds 10] [--share 0.1] [--rewards 200]
"""

import argparse
import os
import signal
import sys
import threading
import time

sys.dont_write_bytecode = True
arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
arguments.add_argument("program")
arguments.add_argument("--seconds", type=float, default=10.0)
arguments.add_argument("--share", type=float, default=0.1)
arguments.add_argument("--rewards", type=int, default=200)
given = arguments.parse_args()
sys.argv = [sys.argv[0], given.program]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "cli"))

from _cluster import AGENT, ClusterLoad, ClusterTestCase, NatsServers  # noqa: E402

PERIOD = 0.02


class Share:
    """Lets a process run for a share of each period."""

    def __init__(self, process, share):
        self.process, self.share, self.stopping = process, share, threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.stopping.is_set():
            self.process.send_signal(signal.SIGCONT)
            time.sleep(PERIOD * self.share)
            self.process.send_signal(signal.SIGSTOP)
            time.sleep(PERIOD * (1 - self.share))
        self.process.send_signal(signal.SIGCONT)

    def end(self):
        self.stopping.set()
        self.thread.join()


class Measure(ClusterTestCase):
    def runTest(self):
        nats = NatsServers(self, 3)
        trainer = self.trainer(nats.url, "trainer", "--agent", AGENT)
        nodes = [self.node(nats.url, f"node{i}") for i in range(2)]
        self.wait_ready(trainer, *nodes)

        delays = []
        for i in range(given.rewards):
            self.assertEqual(nodes[0].rank(eventId=f"d{i}").status, 201)
            begin = time.monotonic()
            self.assertEqual(nodes[1].reward(f"d{i}", 1).status, 204)
            for node in nodes:
                while node.metric("sau_model_events") < i + 1:
                    pass
            delays.append(time.monotonic() - begin)
        delays.sort()
        print(f"from a reward to a model that has it at both nodes, {len(delays)} times: median "
              f"{1000 * delays[len(delays) // 2]:.0f} ms, p99 "
              f"{1000 * delays[int(0.99 * len(delays))]:.0f} ms")

        rates = {}
        for count in (1, 2, 1, 2):
            shares = [Share(node.process, given.share) for node in nodes]
            load = ClusterLoad(nodes[:count], threads=4 * count, seed=time.monotonic_ns())
            time.sleep(given.seconds)
            load.finish()
            for share in shares:
                share.end()
            rates.setdefault(count, []).append(len(load.decided) / given.seconds)
            self.wait_empty(*nodes)
        best = {count: max(each) for count, each in rates.items()}
        print(f"decisions a second, each with a reward, each node held to {given.share} of a core: one "
              f"node {best[1]:.0f}, two nodes {best[2]:.0f}, ratio {best[2] / best[1]:.2f} "
              f"(all: {rates})")


if __name__ == "__main__":
    import unittest
    result = unittest.TextTestRunner().run(Measure())
    sys.exit(not result.wasSuccessful())
