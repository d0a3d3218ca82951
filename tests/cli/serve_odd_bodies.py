#!/usr/bin/env python3
"""sau serve and odd bodies: every call that takes one gets it with each of its fields missing, doubled, and of
every wrong kind. No answer is an error of the server, each refusal says what is wrong, and nothing is lost."""

import sys

sys.dont_write_bytecode = True

import copy
import json
import unittest
import urllib.parse

from _serve import ServeTestCase

BASES = ("/personalizer/v1.0", "/personalizer/v1.1-preview.3")
SMALL = "hashed_linear(bits=10)+sau_sampling"
LONG_AGO = {"startTime": "2000-01-01T00:00:00Z", "endTime": "2000-02-01T00:00:00Z"}
ACTIONS = [{"id": "a", "features": [{"topic": "x", "price": 2.5}]}, {"id": "b", "features": []}]
CONTEXT = [{"user": {"age": 7, "tags": ["x", "y"]}}]

# A right body for each call. What is asked for is such that a right one can be sent again and again.
CALLS = [
    ("POST", "/rank", {"eventId": "odd", "contextFeatures": CONTEXT, "actions": ACTIONS,
                       "excludedActions": ["b"], "deferActivation": False}),
    ("POST", "/events/kept/reward", {"value": 0.5}),
    ("POST", "/events/kept/activate", {}),
    ("POST", "/multislot/rank",
     {"eventId": "odd-slots", "contextFeatures": CONTEXT, "actions": ACTIONS, "deferActivation": True,
      "slots": [{"id": "top", "features": [{"size": "large"}], "excludedActions": ["b"],
                 "baselineAction": "a"}, {"id": "side", "baselineAction": "b"}]}),
    ("POST", "/multislot/events/slots/reward", {"reward": [{"slotId": "top", "value": 1},
                                                           {"slotId": "side", "value": 0}]}),
    ("POST", "/multislot/events/slots/activate", {}),
    ("PUT", "/configurations/service",
     {"rewardWaitTime": "PT10M", "defaultReward": 0.0, "rewardAggregation": "earliest",
      "explorationPercentage": 0.2, "modelExportFrequency": "PT0S", "logMirrorEnabled": True,
      "logMirrorSasUri": "https://example.org/",
      "lastConfigurationEditDate": "2019-01-19T00:00:00Z", "learningMode": "Online",
      "isAutoOptimizationEnabled": False, "autoOptimizationFrequency": "P7D",
      "autoOptimizationStartDate": "2019-01-19T00:00:00Z", "probabilityFloor": 0.02,
      "rewardMinimum": -1, "rewardMaximum": 1, "rewardOutOfRange": "refuse"}),
    ("PUT", "/configurations/policy", {"name": "mine", "arguments": SMALL}),
    ("POST", "/evaluations", {"name": "try", **LONG_AGO, "enableOfflineExperimentation": False,
                              "policies": [{"name": "calm", "arguments": SMALL}]}),
    ("POST", "/configurations/applyFromEvaluation", {"evaluationId": "none", "policyName": "calm"}),
]
OURS = [
    ("PUT", "/v1/gate", {"name": "calm", "arguments": SMALL, "margin": 0.01, "alpha": 0.05,
                         "automatic": False}),
    ("POST", "/v1/erase", {"events": ["nobody"], "users": [{"user": "nobody"}]}),
]

# Text of JSON, valid or not, that takes the place of each value.
ODD = ["null", "true", "0", "-1", "1e308", "1e400", "-0.0", "NaN", "Infinity", "01", "18446744073709551616",
       '""', '"x"', '"' + "x" * 300 + '"', '"' + "y" * 70_000 + '"', '"\\u0000\\n\\"\\u00e9\\ud83d\\ude00"',
       '"\\ud800"', '"\xff"', "[]", "{}", "[null]", "[[]]", "[{}]", "[1,2]", '["a","a"]', "[" * 40 + "]" * 40,
       '{"a":' * 40 + "1" + "}" * 40, "[" * 5000, "'x'", "undefined", ""]
WHOLE = [*ODD, "{", "[" * 100_000 + "]" * 100_000, '{"a":' * 50_000, "{}{}", "\x00", "\xef\xbb\xbf{}", "<rank/>"]
PLACE = "here is the odd value"


def places(json_value, path=()):
    """The paths of everything within a value."""
    items = (json_value.items() if isinstance(json_value, dict) else
             enumerate(json_value) if isinstance(json_value, list) else ())
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def changed(body, path, change):
    body = copy.deepcopy(body)
    inside = body
    for key in path[:-1]:
        inside = inside[key]
    change(inside, path[-1])
    return body


def odd_bodies(body):
    """As bytes; texts are Latin-1, so that some are not UTF-8."""
    yield from (text.encode("latin-1") for text in WHOLE)
    for path in places(body):
        def put(inside, key):
            inside[key] = PLACE
        before, after = json.dumps(changed(body, path, put)).split(json.dumps(PLACE))
        for text in ODD:
            yield (before + text + after).encode("latin-1")
        yield json.dumps(changed(body, path, lambda inside, key: inside.pop(key))).encode()
        if isinstance(path[-1], int):  # twice in a list
            yield json.dumps(changed(body, path,
                                     lambda inside, key: inside.append(inside[key]))).encode()
        else:  # twice in an object
            name = json.dumps(path[-1]) + ": "
            text = json.dumps(body)
            at = text.index(name)
            yield (text[:at] + name + "[7], " + text[at:]).encode()


class OddBodies(ServeTestCase):
    def setUp(self):
        super().setUp()
        self.server = self.serve("--agent", SMALL)
        self.caller = self.server.caller()
        slots = {**CALLS[3][2], "eventId": "slots"}
        self.call("POST", BASES[0] + "/rank", json.dumps({"eventId": "kept", "actions": ACTIONS}), 201)
        self.call("POST", BASES[0] + "/events/kept/reward", '{"value": 1}', 204)
        self.call("POST", BASES[0] + "/multislot/rank", json.dumps(slots), 201)
        self.asked = 0

    def call(self, method, path, body, *allowed):
        answer = self.caller.call(method, path, body)
        self.assertIn(answer.status, allowed, (method, path, body[:200], answer.body))
        return answer

    def odd(self, method, path, body):
        answer = self.caller.call(method, path, body)
        self.asked += 1
        what = (method, path, body[:200], len(body), answer.status, answer.body[:300])
        self.assertLess(answer.status, 500, what)
        if answer.status >= 400:
            error = answer.error()
            self.assertEqual(set(answer.json()), {"error"}, what)
            self.assertLessEqual(set(error), {"code", "message", "target"}, what)
            self.assertGreater(len(error["message"]), 5, what)
            self.assertLess(len(answer.body), 2000, what)
        return answer.status

    def nothing_lost(self):
        kept = self.server.call("GET", "/v1/decisions/kept").json()
        self.assertEqual((kept["state"], kept["rewards"][0]["value"]), ("learned", 1))
        self.assertEqual(self.server.call("GET", "/v1/decisions/slots%2Fside").status, 200)
        self.assertNotIn("failed", self.server.log())
        self.server.stop()
        self.good("log", "verify", "data")
        self.assertIn("byte for byte", self.good("log", "replay", "data").out)

    def test_every_field_of_every_call(self):
        for method, path, body in CALLS:
            for odd in odd_bodies(body):
                # Otherwise most of them would be in conflict with the first.
                self.odd(method, BASES[0] + path, odd.replace(b'"odd', b'"odd%d' % self.asked))
            for odd in WHOLE:
                self.odd(method, BASES[1] + path, odd.encode("latin-1"))
            self.odd(method, BASES[1] + path, json.dumps(body))
        self.assertGreater(self.asked, 2000)
        self.nothing_lost()

    def test_every_field_of_our_own_calls(self):
        for method, path, body in OURS:
            for odd in odd_bodies(body):
                if self.odd(method, path, odd) == 204:
                    self.call("DELETE", path, "", 204)
        self.nothing_lost()

    def test_models_that_are_none(self):
        model = self.server.call("GET", BASES[0] + "/model").body
        for size in (0, 1, 8, len(model) // 2, len(model) - 1):
            self.assertEqual(self.odd("PUT", BASES[0] + "/model", model[:size]), 400)
        for place in range(0, len(model), len(model) // 97):
            wrong = bytearray(model)
            wrong[place] ^= 0x10
            self.assertEqual(self.odd("PUT", BASES[1] + "/model", bytes(wrong)), 400, place)
        self.nothing_lost()

    def test_ids_in_paths(self):
        ids = ("", "x", "%", "%zz", "%00", "%ff", "%2e%2e", "..", "-1", "0", "1e9", "99999999999999999999",
               "x" * 300, "x" * 5000, "kept%20", urllib.parse.quote("\u00e9\U0001f600"), "a%2fb", "erased:1")
        paths = [(method, base + path) for base in BASES
                 for method, path in (("POST", "/events/{}/reward"), ("POST", "/events/{}/activate"),
                                      ("POST", "/multislot/events/{}/reward"),
                                      ("POST", "/multislot/events/{}/activate"),
                                      ("GET", "/evaluations/{}"), ("DELETE", "/evaluations/{}"))]
        paths += [("GET", "/v1/decisions/{}"), ("GET", "/v1/history/{}"),
                  ("POST", "/v1/models/{}/rollback"), ("GET", "/apps/{}/v1/status")]
        for method, path in paths:
            for each in ids:
                body = {"value": 1, "reward": [{"slotId": "top", "value": 1}]} if method == "POST" else {}
                self.assertGreaterEqual(self.odd(method, path.format(each), json.dumps(body)), 400)
        self.nothing_lost()


if __name__ == "__main__":
    unittest.main()
