#!/usr/bin/env python3
"""The machine's clock jumps while sau serve runs: nothing is removed, and events still expire."""

import sys

sys.dont_write_bytecode = True

import glob
import os
import time
import unittest

from _serve import ServeTestCase

LIBRARY = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")


class Jumps(ServeTestCase):
    def setUp(self):
        super().setUp()
        self.assertTrue(LIBRARY, "libfaketime is not installed: run tools/setup.sh test")
        self.set_clock("+0")
        self.settings = {"LD_PRELOAD": LIBRARY[0], "FAKETIME_TIMESTAMP_FILE": self.path("clock"),
                         "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}

    def set_clock(self, offset):
        self.write("clock.new", offset.encode())
        os.replace(self.path("clock.new"), self.path("clock"))

    def start_server(self):
        before = {name: os.environ.get(name) for name in self.settings}
        os.environ.update(self.settings)
        try:
            return self.serve("--snapshot-seconds", "1")
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value

    def events(self, server, name, count):
        caller = server.caller()
        for i in range(count):
            self.assertEqual(caller.rank(eventId=f"{name}{i}").status, 201)
            if i % 2 == 0:
                self.assertEqual(caller.reward(f"{name}{i}", 1).status, 204)

    def wait_expired(self, server, count):
        """Waits until no event waits. At least `count` got no reward; on a busy machine some reward may
        come too late, too."""
        def totals():
            return server.call("GET", "/v1/status").json()["totals"]

        self.wait_for(lambda: totals()["waiting"] == 0, server.process)
        self.assertGreaterEqual(totals()["missingRewards"], count)

    def jump(self, offset):
        server = self.start_server()
        server.configure(rewardWaitTime="PT0.5S", logRetentionDays=30)
        self.events(server, "before", 40)
        self.wait_expired(server, 20)
        self.set_clock(offset)
        self.events(server, "meanwhile", 40)
        time.sleep(4)  # long enough to write a model and to look for old events
        self.set_clock("+0")
        self.events(server, "after", 40)
        # Default rewards are still given.
        self.wait_expired(server, 60)
        self.assertIn("the clock ", server.log())
        server.stop()
        # And after a restart.
        server = self.start_server()
        self.events(server, "restarted", 2)
        self.wait_expired(server, 1)
        server.stop()
        self.assertNotIn("removed records", server.log())
        self.assertEqual(len(self.exported()), 122)
        self.assertIn("records 1 to ", self.good("log", "verify", "data").out)

    def test_four_hundred_days_ahead(self):
        self.jump("+400d")

    def test_a_day_back(self):
        self.jump("-1d")

    def test_a_jump_that_stays_and_a_stop_cut_no_wait_short(self):
        server = self.start_server()
        server.configure(rewardWaitTime="PT10M")
        for i in range(4):
            self.assertEqual(server.rank(eventId=f"waits{i}").status, 201)
        for i, offset in enumerate(("+30m", "+50m", "+3d")):
            self.set_clock(offset)
            self.assertEqual(server.rank(eventId=f"after{i}").status, 201)
            self.assertEqual(server.reward(f"waits{i}", 1).status, 204)
            server.stop()
            server = self.start_server()
        self.assertEqual(server.reward("waits3", 1).status, 204)
        server.stop()
        states = {name: event["state"] for name, event in self.exported().items()}
        self.assertEqual(states, {**{f"waits{i}": "learned" for i in range(4)},
                                  **{f"after{i}": "waiting" for i in range(3)}})

    def test_started_with_a_wrong_clock(self):
        server = self.start_server()
        server.configure(logRetentionDays=1)
        self.events(server, "before", 20)
        server.stop()
        self.set_clock("+400d")
        server = self.start_server()
        self.assertIn("days ahead of the log", server.log())
        self.events(server, "wrong", 20)
        time.sleep(3)
        server.stop()
        self.set_clock("+0")
        server = self.start_server()
        self.events(server, "right", 20)
        server.stop()
        self.assertEqual(len(self.exported()), 60)


if __name__ == "__main__":
    unittest.main()
