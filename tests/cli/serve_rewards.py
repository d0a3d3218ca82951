#!/usr/bin/env python3
"""Bounds of rewards as a caller of sau serve sees them."""

import sys

sys.dont_write_bytecode = True

import json
import os
import unittest

from _serve import BASE, ServeTestCase

PATH = BASE + "/configurations/service"


class Bounds(ServeTestCase):
    def values(self, server):
        lines = server.call("GET", "/metrics").body.decode().splitlines()
        return dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))

    def test_a_reward_out_of_range_is_refused(self):
        server = self.serve()
        server.rank(eventId="e")
        for value in (1e9, -1e9, 1.01, 1e300):
            answer = server.reward("e", value)
            self.refusal(answer, 400, "BadRequest", "value", "-1 to 1")
            self.assertIn("rewardMaximum", answer.error()["message"])
        self.assertIn("1000000000", server.reward("e", 1e9).error()["message"])
        self.assertEqual(server.reward("e", 1).status, 204)
        server.wait_learned(1)
        totals = server.call("GET", "/v1/status").json()["totals"]
        self.assertEqual((totals["refusedRewards"], totals["clippedRewards"]), (5, 0))
        name = 'sau_rewards_out_of_range_total{outcome="refused"}'
        self.assertEqual(self.values(server)[name], "5")
        server.stop()
        self.assertEqual(self.exported()["e"]["reward"], 1)

    def test_other_bounds_and_clipping(self):
        server = self.serve()
        server.configure(rewardMinimum=0, rewardMaximum=100, rewardOutOfRange="clip")
        for event, value, logged in (("e", 1e9, 100), ("f", -3, 0), ("g", 55.5, 55.5)):
            server.rank(eventId=event)
            self.assertEqual(server.reward(event, value).status, 204)
            decision = server.call("GET", f"/v1/decisions/{event}").json()
            self.assertEqual(decision["reward"], logged)
            self.assertEqual([each["value"] for each in decision["rewards"]], [logged])
        name = 'sau_rewards_out_of_range_total{outcome="clipped"}'
        self.assertEqual(self.values(server)[name], "2")
        server.stop()
        self.assertIn("same, byte for byte", self.good("log", "replay", "data").out)

    def test_bounds_and_default_reward_are_checked_together(self):
        server = self.serve()
        for wrong, target in (({"defaultReward": 2}, "defaultReward"),
                              ({"rewardMinimum": 0.5}, "rewardMinimum"),
                              ({"rewardMaximum": -0.5}, "rewardMaximum"),
                              ({"rewardMinimum": 2, "rewardMaximum": 1}, "rewardMinimum"),
                              ({"rewardMaximum": 1.1e9}, "rewardMaximum"),
                              ({"rewardOutOfRange": "Clip"}, "rewardOutOfRange")):
            self.refusal(server.call("PUT", PATH, wrong), 400, "InvalidServiceConfiguration",
                         target)
        answer = server.call("PUT", PATH, {"rewardMaximum": 5, "defaultReward": 2})
        self.assertEqual(answer.status, 200, answer.body)

    def test_an_old_folder_takes_any_reward_and_says_so(self):
        server = self.serve()
        self.assertNotIn("rewardMinimum", server.log())
        server.stop()
        file = os.path.join(self.folder, "data", "service.json")
        with open(file, encoding="utf-8") as settings:
            old = json.load(settings)
        del old["configuration"]
        self.write("data/service.json", json.dumps(old).encode())
        server = self.serve()
        self.assertEqual(server.log().count("PUT /personalizer/v1.0/configurations/service"), 1)
        server.rank(eventId="e")
        self.assertEqual(server.reward("e", 1000).status, 204)
        server.configure(rewardMinimum=-1, rewardMaximum=1)
        server.stop()
        server = self.serve()
        self.assertNotIn("rewardMinimum", server.log())
        self.refusal(server.reward("e", 1000), 400, "BadRequest", "value")


if __name__ == "__main__":
    unittest.main()
