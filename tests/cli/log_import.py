#!/usr/bin/env python3
"""sau log import: a service that begins with the logs of Personalizer or Vowpal Wabbit."""

import sys

sys.dont_write_bytecode = True

import gzip
import json
import os
import unittest

from _serve import ServeTestCase
from _vw_reader import read_line


def event(number, chosen, reward, **more):
    """A line as Personalizer writes it: the second of two drinks was right in the evening."""
    hour = "evening" if number % 2 else "morning"
    line = {"_label_cost": -reward, "_label_probability": 0.5, "_label_Action": chosen + 1,
            "_labelIndex": chosen, "o": [{"v": reward, "EventId": f"v{number}"}],
            "Timestamp": "2021-02-04T16:31:29.2460000Z", "Version": "1", "EventId": f"v{number}",
            "a": [chosen + 1, 2 - chosen],
            "c": {"FromUrl": [{"hour": hour}],
                  "_multi": [{"_tag": name, "i": {"constant": 1, "id": name}, "j": [{"kind": name}]}
                             for name in ("coffee", "tea")]},
            "p": [0.5, 0.5], "VWState": {"m": "x/y"}, **more}
    return json.dumps(line) + "\n"


def log(first, count):
    lines = []
    for number in range(first, first + count):
        chosen = number // 2 % 2
        lines.append(event(number, chosen, 1 if chosen == number % 2 else 0))
    return "".join(lines)


class Import(ServeTestCase):
    def test_a_service_begins_warm(self):
        self.write("monday.json", log(0, 150).encode())
        with gzip.open(self.path("tuesday.json.gz"), "wt", encoding="utf-8") as file:
            file.write("# a comment\n" + log(150, 150) + '{"RewardValue":1,"EventId":"x"}\n' +
                       event(300, 0, 1)[:80])
        done = self.good("log", "import", "shop", "monday.json", "tuesday.json.gz")
        self.assertIn("shop: 300 events with a mean reward of 0.5; committee+sau_sampling(", done.out)
        self.assertIn("has learned from 300", done.out)
        self.assertEqual(done.err.strip(), "tuesday.json.gz: left out: 1 reward apart from its "
                         "decision, 1 line without a decision, 1 torn line at the end")
        self.assertIn("300 decisions and 302 entries", self.good("log", "verify", "shop").out)
        self.assertIn("the same, byte for byte", self.good("log", "replay", "shop").out)
        server = self.serve(folder="shop")
        self.assertEqual(server.learned(), 300)
        # The calls that a client of Personalizer goes on making.
        for hour, right in (("evening", "tea"), ("morning", "coffee")):
            answer = server.rank(contextFeatures=[{"hour": hour}],
                                 actions=[{"id": name, "features": [{"kind": name}]}
                                          for name in ("coffee", "tea")]).json()
            chances = {each["id"]: each["probability"] for each in answer["ranking"]}
            self.assertGreater(chances[right], 0.8, answer)
            server.reward(answer["eventId"], 1)
        server.wait_learned(302)
        server.stop()
        self.assertIn("the same, byte for byte", self.good("log", "replay", "shop").out)
        events = self.exported("shop")
        self.assertEqual(len(events), 302)
        self.assertEqual(events["v7"]["reward"], 1 if 7 // 2 % 2 == 1 else 0)
        self.assertEqual(events["v7"]["time"], "2021-02-04T16:31:29.246Z")
        self.assertEqual(events["v7"]["actions"][0]["probability"], 0.5)
        # A backup has the import too.
        self.good("log", "backup", "shop", "copy")
        self.assertIn("302 decisions", self.good("log", "verify", "copy").out)

    def test_an_agent_of_ones_own(self):
        self.write("log.json", log(0, 20).encode())
        self.good("log", "import", "shop", "log.json", "--agent", "linear+sau_ucb", "--seed", "7")
        with open(self.path("shop", "service.json"), encoding="utf-8") as file:
            settings = json.load(file)
        self.assertEqual((settings["agent"], settings["seed"]), ("linear+sau_ucb", 7))
        self.refused(2, "serve", "shop", "--seed", "8", says=["linear+sau_ucb with seed 7"])

    def test_what_cannot_be_imported(self):
        good, bad = log(0, 3), event(3, 0, 1, p=[1.5, 0.5])
        self.write("bad.json", (good + bad + log(4, 2)).encode())
        self.refused(1, "log", "import", "shop", "bad.json",
                     says=["bad.json, line 4: p: 1.5 is not a probability"])
        self.assertEqual(os.listdir(self.folder), ["bad.json"])
        done = self.good("log", "import", "shop", "bad.json", "--skip-faulty")
        self.assertIn("shop: 5 events", done.out)
        self.assertIn("left out: 1 faulty line", done.err)
        self.assertIn("bad.json, line 4: p: 1.5", done.err)
        self.refused(2, "log", "import", "shop", "bad.json", says=["already a folder of sau serve"])
        self.refused(1, "log", "import", "new", "missing.json", says=["missing.json"])
        self.write("empty.json", b"")
        self.refused(1, "log", "import", "new", "empty.json", says=["there is no event"])
        self.write("cut.json.gz", gzip.compress(good.encode())[:-20])
        self.refused(1, "log", "import", "new", "cut.json.gz", says=["cannot be read to its end"])
        self.refused(2, "log", "import", "new", "bad.json", "--agent", "nonsense",
                     says=["nonsense"])
        os.mkdir(self.path("mine"))
        self.write("mine/file", b"x")
        self.refused(2, "log", "import", "mine", "bad.json", says=["not empty"])
        self.refused(2, "log", "import", "new", says=["files"])
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["bad.json", "cut.json.gz", "empty.json", "mine", "shop"])

    def test_an_export_is_imported(self):
        server = self.serve()
        caller = server.caller()
        odd = [{"tags": ["a", "b"], "_multi": 1, "on": False, "été": {"x": [1, "y"]}}]
        for i in range(40):
            caller.rank(eventId=f"e{i}", contextFeatures=odd,
                        actions=[{"id": "a", "features": odd}, {"id": "b"}])
            caller.reward(f"e{i}", i % 2)
            server.wait_learned(i + 1)
        server.stop()
        first = self.good("log", "export", "data", "--format", "dsjson", "-o", "one.dsjson")
        self.assertIn("40 events", first.err)
        self.good("log", "import", "copy", "one.dsjson")
        self.good("log", "export", "copy", "--format", "dsjson", "-o", "two.dsjson")
        one, two = self.read_lines("one.dsjson"), self.read_lines("two.dsjson")
        self.assertEqual(len(one), 40)
        for a, b in zip(one, two):
            self.assertEqual((a.event_id, a.timestamp, a.labels(), a.actions, a.probabilities),
                             (b.event_id, b.timestamp, b.labels(), b.actions, b.probabilities))
            for x, y in zip(a.examples, b.examples):
                self.assertEqual(sorted(x.features, key=str), sorted(y.features, key=str))

    def read_lines(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return [read_line(line) for line in file]


if __name__ == "__main__":
    unittest.main()
