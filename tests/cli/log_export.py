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
from _support import DEADLINE
from _vw_reader import VwError, read_line

# Names and values that Vowpal Wabbit would misread, and the features that it should see instead, by
# namespace and name; a number in an array has its place as name.
ODD = {
    "plain": "red car", "size": 1.5, "half": 0.5, "zero": 0, "none": None, "big": 3e38, "tiny": 1e-30,
    "tags": ["a", "b c"], "on": True, "off": False, "row": [1, 2.5], "mixed": [None, 4, "x", True],
    "deep": [[1, 2], ["y"]], "space": {"in": {"er": "z"}, "list": ["p", "q"], "n": 7},
    "things": [{"k": "1"}, {"k": "2"}], "empty": {}, "nothing": [],
    "_multi": "m", "_label_cost": -9, "_labelIndex": 0, "_label_probability": 0.001, "_text": "t u",
    "_tag": "tag", "_slots": [1], "__aid": 3, "_p": [1], "_a": ["w"], "_": {"_x": 1}, "%": 1,
    "été": "été", "日本": {"é": [1, "ü"]}, 'q"\\\n': "r\t|:", "": 2,
}
SEEN = {
    ("plainred_car", 1), ("size", 1.5), ("half", 0.5), ("big", 3e38), ("tiny", 1e-30), ("tagsa", 1),
    ("tagsb_c", 1), ("ontrue", 1), ("offfalse", 1), ("mixedx", 1), ("mixedtrue", 1), ("deepy", 1),
    ("%5Fmultim", 1), ("%5Flabel_cost", -9), ("%5Flabel_probability", 0.001), ("%5Ftextt_u", 1),
    ("%5Ftagtag", 1), ("%5F_aid", 3), ("%5Faw", 1), ("%25", 1), ("étéété", 1),
    ('q"\\\nr___', 1), ("", 2),
}
SEEN_INSIDE = {
    ("row", 0, 1), ("row", 1, 2.5), ("mixed", 1, 4), ("deep", 0, 1), ("deep", 1, 2), ("space", "n", 7),
    ("in", "erz", 1), ("space", "listp", 1), ("space", "listq", 1), ("things", "k1", 1), ("things", "k2", 1),
    ("%5Fslots", 0, 1), ("%5Fp", 0, 1), ("%5F", "%5Fx", 1),
    ("%E6%97%A5%E6%9C%AC", "éü", 1), ("%C3%A9", 0, 1),
}


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
        for i, (line, each) in enumerate(zip(done.out.splitlines(), decisions)):
            read = read_line(line)
            self.assertEqual(read.labels(), [(each["_labelIndex"], {
                "cost": each["_label_cost"], "action": each["_label_Action"],
                "probability": read.probabilities[0]})])
            self.assertEqual((len(read.examples), read.actions), (3, each["a"]), i)
            self.assertEqual((read.pdrop, read.baseline, read.used()),
                             (0.0, [2 if each["EventId"] == "nobody" else 1], True))
            self.assertEqual(read.original_label_cost, each["_label_cost"])

    def test_vowpal_wabbit_reads_any_features(self):
        server = self.serve()
        caller = server.caller()
        server.configure(probabilityFloor=0.5)
        actions = [{"id": "_multi", "features": [ODD]}, {"id": "été \"2\"", "features": [ODD, {"z": 1}]},
                   {"id": "c"}]
        for i in range(30):
            answer = caller.rank(eventId=f"e{i}", contextFeatures=[ODD], actions=actions,
                                 excludedActions=["_multi"] if i % 2 else [])
            self.assertEqual(answer.status, 201, answer.body)
            caller.reward(f"e{i}", -0.25 if i % 3 else 1)
        server.configure(learningMode="LoggingOnly")
        caller.rank(eventId="e30", contextFeatures=[ODD], actions=actions)
        caller.reward("e30", 0.5)
        answers = self.exported()
        server.stop()
        lines = self.good("log", "export", "data", "--format", "dsjson").out.splitlines()
        self.assertEqual(len(lines), 31)
        for i, line in enumerate(lines):
            read = read_line(line)
            event = answers[f"e{i}"]
            ids = [each["id"] for each in event["actions"]]
            (place, label), = read.labels()
            self.assertEqual(ids[place], event["rewardActionId"])
            self.assertEqual(-label["cost"], event["reward"])
            chances = {ids[a - 1]: p for a, p in zip(read.actions, read.probabilities)}
            for each in event["actions"]:
                self.assertAlmostEqual(chances[each["id"]], each["probability"], places=6)
            self.assertAlmostEqual(label["probability"], chances[ids[place]])
            self.assertEqual(read.used(), i < 30)
            self.assertEqual(read.baseline, [2 if i % 2 else 1])
            self.assertEqual(read.event_id, f"e{i}")
            self.assertEqual([each.tag for each in read.examples], ["", *ids])
            for example, outer in ((read.examples[0], "shared"), (read.examples[1], "features")):
                own = {(outer, name, value) for name, value in SEEN} | SEEN_INSIDE
                if outer == "features":
                    own.add(("action", "id_multi", 1))
                found = {(space, name, float(f"{value:.6g}"))
                         for space, name, value in example.features}
                self.assertEqual(len(found), len(example.features))
                self.assertEqual(found, own)
            self.assertIn(("features", "z", 1.0), read.examples[2].features)
            self.assertEqual(read.examples[3].features, [("action", "idc", 1.0)])

    def test_the_checker_refuses_what_vowpal_wabbit_refuses(self):
        def line(features):
            return ('{"_label_cost":-1,"_label_probability":0.5,"_labelIndex":0,"a":[1,2],"c":{"shared":['
                    + features + '],"_multi":[{},{}]},"p":[0.5,0.5]}')
        for wrong in ('{"t":["a"]}', '{"t":[true]}', '{"t":[[1]]}', '{"_multi":"m"}', '{"_slots":1}',
                      '{"_tag":1}', '{"_text":["a"]}', '{"_labelled":1}', '{"_\\u0061b":1}',
                      '{"_x" :1}', '{"é":{"x":1}}', '{"é":[1]}', '{"x":1e39}', '{"_label_x":1}',
                      '{"_a":["w"]}', '{"x":1'):
            with self.assertRaises(VwError, msg=wrong):
                read_line(line(wrong))
        # A feature can take the place of the label.
        self.assertEqual(read_line(line('{"_label_cost":7}')).labels()[0][1]["cost"], 7)
        self.assertEqual(read_line(line('{"_labelIndex":1}')).labels()[0][0], 1)
        quiet = read_line(line('{"off":false,"none":null,"_x":"y","e":{},"l":[]}'))
        self.assertEqual(quiet.shared.features, [])
        with self.assertRaises(VwError):
            read_line("not an event")

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
        reader.join(DEADLINE)
        os.close(end)
        self.assertEqual(received.decode(), expected)
        self.assertFalse(os.path.exists(pipe + ".part"))


if __name__ == "__main__":
    unittest.main()
