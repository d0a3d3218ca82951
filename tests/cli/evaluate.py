#!/usr/bin/env python3
"""sau evaluate: the folder of a service while it runs, its exports, and files of others."""

import sys

sys.dont_write_bytecode = True

import json
import random
import unittest

from _serve import ServeTestCase


class Evaluate(ServeTestCase):
    def make_log(self, server, count=400):
        """The same events every time: no decision depends on how fast the service learns."""
        caller, learned = server.caller(), 0
        draw = random.Random(3)
        for i in range(count):
            device = draw.choice(["phone", "desk"])
            answer = caller.rank(eventId=f"e{i}", contextFeatures=[{"device": device}]).json()
            liked = (answer["rewardActionId"] == "a") == (device == "phone")
            if i % 10 > 0:
                caller.reward(f"e{i}", int(draw.random() < (0.8 if liked else 0.2)))
                learned += 1
                server.wait_learned(learned)

    def result(self, *args):
        return json.loads(self.good("evaluate", *args, "--json", "--force", "--quiet").out)

    def test_the_folder_and_its_exports_say_the_same(self):
        server = self.serve()
        self.make_log(server)
        flags = ["--policy", "uniform", "--policy", "first", "--policy", "hashed_linear+greedy",
                 "--by", "device"]
        folder = self.result("data", *flags)
        self.assertEqual(folder["decisions"], 360)
        self.assertEqual(folder["leftOut"], {"no reward yet": 40})
        self.assertGreater(folder["chances"]["p"], 1e-4)
        self.good("log", "export", "data", "-o", "events.jsonl")
        self.good("log", "export", "data", "--format", "dsjson", "-o", "events.dsjson")
        server.stop()
        for name in ["events.jsonl", "events.dsjson"]:
            other = self.result(name, *flags)
            self.assertEqual(other["decisions"], 360)
            for a, b in zip(folder["policies"], other["policies"]):
                self.assertEqual(a["refused"], b["refused"])
                self.assertAlmostEqual(a["coverage"]["effectiveSampleSize"],
                                       b["coverage"]["effectiveSampleSize"], places=6)
                if name.endswith("dsjson") and a["policy"].startswith("hashed"):
                    continue  # its names of features differ
                for x, y in zip(a["estimates"], b["estimates"]):
                    if x["estimator"] in ("ips", "snips"):
                        self.assertAlmostEqual(x["value"], y["value"], places=9)
        usual = self.result("events.jsonl")
        self.assertEqual([each["policy"] for each in usual["policies"]], ["uniform", "first"])
        self.assertLess(usual["firstTime"], usual["lastTime"])
        self.assertEqual(usual["policies"][0]["course"][-1]["time"], usual["lastTime"])
        uniform = folder["policies"][0]
        self.assertEqual(sorted(each["segment"] for each in uniform["segments"]), ["desk", "phone"])
        dr = uniform["estimates"][0]
        self.assertEqual((dr["estimator"], dr["interval"]), ("dr", "anytime"))
        self.assertTrue(dr["ends"][0] < 0.5 < dr["ends"][1], dr)

    def test_without_chances_only_the_direct_method(self):
        rows = "".join(f"{'xy'[i % 2]},{i % 2}\n" for i in range(200))
        self.write("bare.csv", ("action,reward\n" + rows).encode())
        refused = self.sau("evaluate", "bare.csv", "--policy", "uniform", "--quiet")
        self.assertEqual(refused.code, 1)
        self.assertIn("bare.csv, line 2", refused.err)
        self.assertIn("--estimator dm", refused.err)
        done = self.good("evaluate", "bare.csv", "--policy", "uniform", "--estimator", "dm", "--quiet")
        self.assertIn("the log has no chances", done.out)
        result = self.result("bare.csv", "--policy", "uniform", "--estimator", "dm")
        # x pays 0 and y pays 1. The model starts at 0, so its mean is below a half.
        self.assertTrue(0.35 < result["policies"][0]["estimates"][0]["value"] < 0.5)
        lines = "".join(json.dumps({
            "eventId": str(i), "rewardActionId": "xy"[i % 2], "reward": i % 2,
            "actions": [{"id": "x"}, {"id": "y"}],
            "request": {"contextFeatures": [], "actions": [{"id": "x"}, {"id": "y"}]},
        }) + "\n" for i in range(100))
        self.write("bare.jsonl", lines.encode())
        again = self.result("bare.jsonl", "--policy", "uniform", "--estimator", "dm")
        self.assertTrue(0.3 < again["policies"][0]["estimates"][0]["value"] < 0.5)

    def test_threads_do_not_change_the_result(self):
        server = self.serve()
        self.make_log(server, 300)
        server.stop()
        flags = ["data", "--policy", "sau", "--policy", "uniform", "--quiet", "--force"]
        one = self.good("evaluate", *flags, "--threads", "1").out
        self.assertEqual(self.good("evaluate", *flags, "--threads", "5").out, one)

    def test_tuning_judges_on_the_other_half(self):
        server = self.serve()
        self.make_log(server, 800)
        server.stop()
        done = self.good("evaluate", "data", "--quiet", "--force", "--tune",
                         "hashed_linear(lr=0.1|1)+greedy")
        self.assertIn("chosen: hashed_linear(lr=", done.out)
        self.assertIn("which had no part in the choice", done.out)

    def test_what_the_log_cannot_tell_is_refused(self):
        rows = "".join(f"{a},{p},{r}\n" for a, p, r in [("x", 0.9, 1), ("y", 0.1, 0)] * 10)
        self.write("few.csv", ("action,chance,reward\n" + rows).encode())
        done = self.sau("evaluate", "few.csv", "--policy", "constant(action=y)")
        self.assertEqual(done.code, 1)
        self.assertIn("REFUSED: the effective sample size is 10.0", done.out)
        self.assertNotIn("snips", done.out)
        self.assertIn("NOT RELIABLE", self.good("evaluate", "few.csv", "--policy",
                                                "constant(action=y)", "--force").out)

    def test_the_actions_of_a_csv_file_have_no_order(self):
        self.write("log.csv", b"action,chance,reward\n" + b"x,0.5,1\ny,0.5,0\n" * 50)
        self.assertEqual([each["policy"] for each in self.result("log.csv")["policies"]], ["uniform"])

    def test_mistakes(self):
        self.write("log.csv", b"action,chance,reward\nx,0.5,1\ny,0.5,0\n")
        for code, args, text in [
            (1, ["nothing"], "does not exist"),
            (2, ["log.csv", "--policy", "best"],
             "A policy is an agent of sau list, or logged, uniform"),
            (2, ["log.csv", "--policy", "constant"], "constant: give the action's id"),
            (2, ["log.csv", "--estimator", "psi"], "unknown estimator 'psi'"),
            (2, ["log.csv", "--range", "1"], "--range is MIN..MAX"),
            (2, ["log.csv", "--range", "1..0"], "the range of rewards is empty"),
            (2, ["log.csv", "--by", "device"], "there is no column 'device' (--by)"),
            (2, ["log.csv", "--tune", "hashed_linear"], "--tune needs alternatives"),
            (2, ["log.csv", "--reward-model", "nonsense"], "nonsense"),
        ]:
            with self.subTest(args):
                self.refused(code, "evaluate", *args, says=[text])
        self.write("wide.csv", b"action,chance,reward\nx,0.5,5\ny,0.5,0\n")
        self.refused(1, "evaluate", "wide.csv",
                     says=["wide.csv, line 2: the reward 5 is outside 0 to 1; give the range"])


if __name__ == "__main__":
    unittest.main()
