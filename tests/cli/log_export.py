#!/usr/bin/env python3
"""sau log export: both formats, to standard output, to a file and to a pipe."""

import sys

sys.dont_write_bytecode = True

import json
import os
import stat
import threading
import unittest

from _serve import ServeTestCase


class Export(ServeTestCase):
    def make_log(self):
        server = self.serve()
        caller = server.caller()
        for i in range(600):  # several batches
            caller.rank(eventId=f"e{i}", contextFeatures=[{"x": i, "word": 'é "quoted"\n'}],
                        excludedActions=["b"] if i % 5 == 0 else None)
            if i % 3 > 0:
                caller.reward(f"e{i}", i % 2)
        server.stop()

    def test_lines_are_in_order_and_complete(self):
        self.make_log()
        lines = self.good("log", "export", "data").out.splitlines()
        events = [json.loads(line) for line in lines]
        self.assertEqual([event["eventId"] for event in events], [f"e{i}" for i in range(600)])
        for i, event in enumerate(events):
            self.assertEqual(event["reward"], i % 2 if i % 3 > 0 else None)
            self.assertEqual([each["excluded"] for each in event["actions"]], [False, i % 5 == 0])
            self.assertEqual(event["request"]["contextFeatures"],
                             [{"x": i, "word": 'é "quoted"\n'}])
        done = self.good("log", "export", "data", "--format", "dsjson")
        self.assertIn("400 events; 200 without an outcome left out", done.err)
        decisions = [json.loads(line) for line in done.out.splitlines()]
        self.assertEqual([each["EventId"] for each in decisions],
                         [f"e{i}" for i in range(600) if i % 3 > 0])
        self.assertEqual(decisions[0]["c"], {
            "shared": [{"x": 1, "word": 'é "quoted"\n'}],
            "_multi": [{"_tag": "a", "action": {"id": "a"}, "features": [{"size": 1}]},
                       {"_tag": "b", "action": {"id": "b"}, "features": [{"size": 2}]}]})

    def test_a_file_is_replaced_and_a_pipe_is_written_to(self):
        self.make_log()
        expected = self.good("log", "export", "data").out
        self.write("events.jsonl", b"from before")
        self.good("log", "export", "data", "-o", "events.jsonl")
        with open(self.path("events.jsonl"), encoding="utf-8") as file:
            self.assertEqual(file.read(), expected)
        pipe = self.path("pipe")
        os.mkfifo(pipe)
        # Opened for reading and writing, so that neither side waits for the other to open it.
        end = os.open(pipe, os.O_RDWR)
        received = bytearray()

        def receive():
            while len(received) < len(expected.encode()):
                received.extend(os.read(end, 65536))

        reader = threading.Thread(target=receive, daemon=True)
        reader.start()
        self.good("log", "export", "data", "-o", "pipe")
        self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode))
        reader.join(30)
        os.close(end)
        self.assertEqual(received.decode(), expected)
        self.assertFalse(os.path.exists(pipe + ".part"))


if __name__ == "__main__":
    unittest.main()
