#!/usr/bin/env python3
"""Every operation of Personalizer's published API, under both base paths, over HTTP.

docs/personalizer.md names the test of each operation. Paths, fields and codes are those of the
OpenAPI documents of v1.0 and v1.1-preview.3.
"""

import sys

sys.dont_write_bytecode = True

import unittest

from _serve import ACTIONS, ServeTestCase

BASES = ("/personalizer/v1.0", "/personalizer/v1.1-preview.3")
# Client libraries for v1.0 know three codes; the later document has more.
FIRST = BASES[0]
CALM = "hashed_linear+epsilon_greedy"
EVER = {"startTime": "2000-01-01T00:00:00Z", "endTime": "2100-01-01T00:00:00Z"}


class Operations(ServeTestCase):
    def each_base(self, *args):
        """A new server, called under each of the base paths."""
        server = self.serve(*args)
        for base in BASES:
            with self.subTest(base=base):
                yield base, lambda method, path, body=None: server.call(method, base + path, body)
        server.stop()

    def ok(self, answer, status):
        self.assertEqual(answer.status, status, answer.body)
        return answer.json() if answer.body else None

    def events(self, call, prefix, count=40):
        for i in range(count):
            event = f"{prefix}{i}"
            chosen = self.ok(call("POST", "/rank", {"actions": ACTIONS, "eventId": event}), 201)
            value = 1 if chosen["rewardActionId"] == "a" else 0.25
            self.ok(call("POST", f"/events/{event}/reward", {"value": value}), 204)

    def test_rank(self):
        for base, call in self.each_base():
            answer = self.ok(call("POST", "/rank", {"actions": ACTIONS, "eventId": base}), 201)
            self.assertEqual(set(answer), {"ranking", "eventId", "rewardActionId"})
            self.refusal(call("POST", "/rank", {"actions": []}), 400,
                         "BadRequest" if base == FIRST else "InvalidRankRequest", "actions")
            self.refusal(call("POST", "/rank", "x" * (1 << 21)), 413, "PayloadSizeExceeded")

    def test_reward(self):
        for base, call in self.each_base():
            event = self.ok(call("POST", "/rank", {"actions": ACTIONS}), 201)["eventId"]
            self.ok(call("POST", f"/events/{event}/reward", {"value": 0.5}), 204)
            self.refusal(call("POST", f"/events/{event}/reward", {"value": 7}), 400,
                         "BadRequest" if base == FIRST else "InvalidRewardRequest", "value")
            self.refusal(call("POST", "/events/none/reward", {"value": 1}), 404,
                         "ResourceNotFound", "eventId")

    def test_activate(self):
        for _, call in self.each_base():
            request = {"actions": ACTIONS, "deferActivation": True}
            event = self.ok(call("POST", "/rank", request), 201)["eventId"]
            self.ok(call("POST", f"/events/{event}/activate"), 204)
            self.refusal(call("POST", "/events/none/activate"), 404, "ResourceNotFound", "eventId")

    def test_multislot(self):
        for base, call in self.each_base():
            event = "m" + base[-1]
            request = {"eventId": event, "deferActivation": True,
                       "contextFeatures": [{"device": "mobile"}],
                       "actions": [{"id": name, "features": [{"kind": name}]} for name in "abcd"],
                       "slots": [{"id": "top", "features": [{"size": "large"}],
                                  "excludedActions": ["c"], "baselineAction": "a"},
                                 {"id": "side", "features": [{"size": "small"}],
                                  "baselineAction": "c"}]}
            answer = self.ok(call("POST", "/multislot/rank", request), 201)
            self.assertEqual(answer["eventId"], event)
            self.assertEqual([slot["id"] for slot in answer["slots"]], ["top", "side"])
            first, second = (slot["rewardActionId"] for slot in answer["slots"])
            self.assertNotEqual(first, second)
            self.assertNotEqual(first, "c")
            self.assertEqual(self.ok(call("POST", "/multislot/rank", request), 201), answer)
            path = f"/multislot/events/{event}"
            self.ok(call("POST", path + "/activate"), 204)
            rewards = {"reward": [{"slotId": "top", "value": 1}, {"slotId": "side", "value": 0}]}
            self.ok(call("POST", path + "/reward", rewards), 204)
            wrong = {**request, "slots": 2 * request["slots"][:1]}
            self.refusal(call("POST", "/multislot/rank", wrong), 400, "InvalidRankRequest",
                         "slots[1].id")
            self.refusal(call("POST", path + "/reward", {"reward": [{"slotId": "top"}]}), 400,
                         "InvalidRewardRequest", "reward[0].value")
            self.refusal(call("POST", "/multislot/events/none/activate"), 404,
                         "ResourceNotFound", "eventId")
            single = self.ok(call("POST", "/rank", {"actions": ACTIONS}), 201)["eventId"]
            self.refusal(call("POST", f"/multislot/events/{single}/activate"), 400,
                         "InvalidMultiSlotApiAccess", "eventId")
        self.good("log", "verify", "data")

    def test_service_configuration(self):
        for _, call in self.each_base():
            settings = self.ok(call("GET", "/configurations/service"), 200)
            settings["rewardWaitTime"] = "PT5M"
            changed = self.ok(call("PUT", "/configurations/service", settings), 200)
            self.assertEqual(changed["rewardWaitTime"], "PT5M")
            self.assertEqual(self.ok(call("GET", "/configurations/service"), 200), changed)
            self.refusal(call("PUT", "/configurations/service", {"rewardAggregation": "most"}),
                         400, "InvalidServiceConfiguration", "rewardAggregation")

    def test_policy(self):
        for _, call in self.each_base():
            first = self.ok(call("GET", "/configurations/policy"), 200)
            self.assertEqual(first["name"], "default")
            self.assertTrue(first["arguments"].startswith("committee+"))
            calm = {"name": "calm", "arguments": CALM}
            changed = self.ok(call("PUT", "/configurations/policy", calm), 200)
            self.assertEqual(changed["name"], "calm")
            self.assertEqual(self.ok(call("GET", "/configurations/policy"), 200), changed)
            vw = {"name": "vw", "arguments": "--cb_explore_adf --epsilon 0.2"}
            self.refusal(call("PUT", "/configurations/policy", vw), 400,
                         "InvalidPolicyConfiguration", "arguments", CALM)
            self.refusal(call("PUT", "/configurations/policy", {"arguments": CALM}), 400,
                         "InvalidPolicyContract", "name")
            self.assertEqual(self.ok(call("DELETE", "/configurations/policy"), 200), first)

    def test_evaluations(self):
        for base, call in self.each_base("--agent", "hashed_linear+sau_sampling"):
            self.events(call, base[-1])
            contract = {"name": "try", **EVER,
                        "policies": [{"name": "calm", "arguments": CALM}]}
            answer = call("POST", "/evaluations", contract)
            created = self.ok(answer, 201)
            self.assertEqual(answer.headers["Location"], f"{base}/evaluations/{created['id']}")
            path = f"/evaluations/{created['id']}"
            self.wait_for(lambda: call("GET", path).json()["status"] == "completed")
            done = self.ok(call("GET", path), 200)
            self.assertEqual([result["policySource"] for result in done["policyResults"]],
                             ["Online", "Baseline", "Random", "Custom"])
            self.assertEqual([each["id"] for each in self.ok(call("GET", "/evaluations"), 200)],
                             [created["id"]])
            self.ok(call("DELETE", path), 204)
            self.refusal(call("GET", path), 404, "EvaluationNotFound", "evaluationId")
            self.assertEqual(self.ok(call("GET", "/evaluations"), 200), [])
            self.refusal(call("POST", "/evaluations", {"name": "x"}), 400,
                         "InvalidEvaluationContract", "startTime")
            twice = {**contract, "policies": 2 * contract["policies"]}
            self.refusal(call("POST", "/evaluations", twice), 400, "DuplicateCustomPolicyNames",
                         "policies[1].name")
            old = {**contract, "endTime": "2000-02-01T00:00:00Z"}
            self.refusal(call("POST", "/evaluations", old), 400, "NoLogsExistInDateRange",
                         "startTime")

    def test_apply_from_evaluation(self):
        for base, call in self.each_base("--agent", "hashed_linear+sau_sampling"):
            self.events(call, base[-1])
            contract = {"name": "try", **EVER,
                        "policies": [{"name": base[-1], "arguments": CALM}]}
            created = self.ok(call("POST", "/evaluations", contract), 201)
            path = f"/evaluations/{created['id']}"
            self.wait_for(lambda: call("GET", path).json()["status"] == "completed")
            apply = {"evaluationId": created["id"], "policyName": base[-1]}
            self.ok(call("POST", "/configurations/applyFromEvaluation", apply), 204)
            self.assertEqual(self.ok(call("GET", "/configurations/policy"), 200)["name"], base[-1])
            self.refusal(call("POST", "/configurations/applyFromEvaluation",
                              {**apply, "policyName": "none"}), 404, "LearningSettingsNotFound",
                         "policyName")
            self.refusal(call("POST", "/configurations/applyFromEvaluation",
                              {**apply, "evaluationId": "none"}), 404, "EvaluationNotFound",
                         "evaluationId")
        self.good("log", "verify", "data")
        self.assertIn("same", self.good("log", "replay", "data").out)

    def test_logs(self):
        for base, call in self.each_base():
            self.wait_for(lambda: call("GET", "/logs/properties").status == 404)
            self.refusal(call("GET", "/logs/properties"), 404, "LogsPropertiesNotFound")
            self.events(call, base[-1], 5)
            dates = self.ok(call("GET", "/logs/properties"), 200)["dateRange"]
            self.assertEqual(set(dates), {"from", "to"})
            self.assertLessEqual(dates["from"], dates["to"])
            self.ok(call("DELETE", "/logs"), 204)
            self.wait_for(lambda: call("GET", "/logs/properties").status == 404)
        self.good("log", "verify", "data")

    def test_binary_logs(self):
        for _, call in self.each_base():
            for kind in ("interactions", "observations"):
                self.refusal(call("POST", f"/logs/{kind}", b"\0"), 403, "InvalidApiAccess",
                             says="sau log import")

    def test_model(self):
        for _, call in self.each_base("--agent", "hashed_linear+sau_sampling"):
            model = call("GET", "/model")
            self.assertEqual(model.status, 200)
            self.ok(call("PUT", "/model", model.body), 204)
            self.refusal(call("PUT", "/model", b"no model"), 400, "InvalidModelImportFormat")
            self.ok(call("DELETE", "/model"), 204)

    def test_model_properties(self):
        for _, call in self.each_base():
            properties = self.ok(call("GET", "/model/properties"), 200)
            self.assertIn("lastModifiedTime", properties)


class Gate(ServeTestCase):
    """A candidate beside the policy, and a server that is killed in the middle."""

    def test_a_trial_survives_kill_and_ends_in_a_promotion(self):
        server = self.serve("--agent", "hashed_linear+uniform")
        self.assertEqual(server.call("GET", "/v1/gate").json(), None)
        self.refusal(server.call("POST", "/v1/gate/promote"), 404, "ResourceNotFound", "gate")
        count = 0

        def play(events):
            nonlocal count
            caller = server.caller()
            for _ in range(events):
                count += 1
                chosen = caller.rank(eventId=f"e{count}").json()["rewardActionId"]
                caller.reward(f"e{count}", 1 if chosen == "a" else 0)

        play(50)
        candidate = {"name": "greedy", "arguments": "hashed_linear+greedy"}
        self.assertEqual(server.call("PUT", "/v1/gate", candidate).status, 204)
        self.refusal(server.call("PUT", "/v1/gate", candidate), 409, "BadRequest", "gate")
        play(10)
        # The learner may not have read the beginning of the trial yet.
        self.wait_for(lambda: (server.call("GET", "/v1/gate").json() or {}).get("decisions") == 10)
        before = server.call("GET", "/v1/gate").json()
        server.kill()
        server = self.serve()
        # The learner reads the end of the log again.
        self.wait_for(lambda: server.call("GET", "/v1/gate").json() == before)
        while server.call("GET", "/v1/gate").json()["outcome"] is None:
            self.assertLess(count, 3000)
            play(20)
            # On a busy machine the learner, which judges, would fall far behind.
            self.wait_for(lambda: server.call("GET", "/v1/status").json()["totals"]["learnerLag"] == 0,
                          server.process)
        gate = server.call("GET", "/v1/gate").json()
        self.assertEqual((gate["outcome"], gate["name"]), ("promoted", "greedy"))
        self.assertGreater(gate["gainLow"], 0)
        policy = server.call("GET", "/personalizer/v1.0/configurations/policy").json()
        self.assertEqual(policy, {"name": "greedy", "arguments": "hashed_linear+greedy"})
        self.assertEqual(server.call("GET", "/v1/status").json()["agent"], policy["arguments"])
        server.kill()
        server = self.serve()
        self.wait_for(lambda: server.call("GET", "/v1/gate").json() == gate)
        server.stop()
        self.good("log", "verify", "data")
        self.good("log", "replay", "data")


if __name__ == "__main__":
    unittest.main()
