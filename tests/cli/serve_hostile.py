#!/usr/bin/env python3
"""sau serve and requests that are wrong by mistake or on purpose: each is refused with the right
status and an error in JSON; the server keeps serving; and no such request is logged."""

import sys

sys.dont_write_bytecode = True

import json
import random
import select
import socket
import time
import unittest

from _serve import ACTIONS, BASE, ServeTestCase, answers_in, received, request_bytes

RANK = BASE + "/rank"
MEBIBYTE = 1 << 20
TWO = b'"actions":[{"id":"a"},{"id":"b"}]'
SMUGGLED = json.dumps({"eventId": "smuggled", "actions": ACTIONS}).encode()


def with_actions(text):
    return b'{"eventId":"bad",' + TWO + b"," + text + b"}"


def with_context(text):
    return with_actions(b'"contextFeatures":[{"x":' + text + b"}]")


class Hostile(ServeTestCase):
    """Ranks one event before the test and one after it; the test must add no other."""

    # Far more than a request takes on a busy machine, where it may come in pieces.
    args = ("--request-seconds", "300")

    def setUp(self):
        super().setUp()
        self.server = self.serve(*self.args)
        self.good_events = {"before", "after"}
        self.assertEqual(self.server.rank(eventId="before").status, 201)

    def tearDown(self):
        self.assertEqual(self.server.call("GET", "/healthz").status, 200)
        self.assertEqual(self.server.rank(eventId="after").status, 201)
        self.server.stop()
        self.assertEqual(set(self.exported()), self.good_events)
        self.assertNotIn("failed", self.server.log())
        super().tearDown()

    def closed_with(self, status, *parts, says="", end=False):
        """Expects one error, and then the end of the connection."""
        answers = answers_in(self.server.raw(*parts, end=end))
        self.assertEqual(len(answers), 1, parts)
        code = {401: "Unauthorized", 413: "PayloadSizeExceeded",
                501: "InternalServerError", 505: "InternalServerError"}
        self.refusal(answers[0], status, code.get(status, "BadRequest"), says=says)
        self.assertEqual(answers[0].headers["Connection"], "close")


class Bodies(Hostile):
    def test_rank_requests_that_are_wrong(self):
        deep = b"[" * 3 + b"]" * 3
        deepest = b"[" * 100_000 + b"]" * 100_000
        action = b'{"id":"a"}'
        numbers = {b"NaN": None, b"Infinity": None, b"-Infinity": None, b"1e400": None,
                   b"-1e999999999": None, b"1e39": "contextFeatures", b"0x10": None, b"01": None,
                   b"1.": None, b".5": None, b"+1": None, b"1e": None, b"9" * 400: None,
                   b"9" * 25: None, b"[1e39]": "contextFeatures"}
        cases = [
            (b"", None), (b" ", None), (b"{", None), (b"[]", None), (b"null", None), (b"7", None),
            (b'"text"', None), (b"\x00", None), (b"{}{}", None), (b"{'actions':[]}", None),
            (b"<rank/>", None), (b"{}", "actions"), (b'{"actions":null}', "actions"),
            (b'{"actions":{}}', "actions"), (b'{"actions":[]}', "actions"),
            (b'{"actions":[1]}', "actions[0]"), (b'{"actions":[{}]}', "actions[0].id"),
            (b'{"actions":[' + action + b',{"id":7}]}', "actions[1].id"),
            (b'{"actions":[{"id":""}]}', "actions[0].id"),
            (b'{"actions":[{"id":null}]}', "actions[0].id"),
            (b'{"actions":[{"id":"' + b"x" * 257 + b'"}]}', "actions[0].id"),
            (b'{"actions":[' + action + b"," + action + b"]}", "actions[1].id"),
            (b'{"actions":[{"id":"a","features":{}}]}', "actions[0].features"),
            (b'{"actions":[{"id":"a","features":["x"]}]}', "actions[0].features"),
            (b'{"actions":[{"id":"a","features":[{"x":' + deep + b"}]}]}", "actions[0].features"),
            (b'{"eventId":"",' + TWO + b"}", "eventId"),
            (b'{"eventId":7,' + TWO + b"}", "eventId"),
            (b'{"eventId":["a"],' + TWO + b"}", "eventId"),
            (b'{"eventId":"' + b"x" * 257 + b'",' + TWO + b"}", "eventId"),
            (with_actions(b'"deferActivation":"yes"'), "deferActivation"),
            (with_actions(b'"deferActivation":1'), "deferActivation"),
            (with_actions(b'"contextFeatures":{"x":1}'), "contextFeatures"),
            (with_actions(b'"contextFeatures":[[]]'), "contextFeatures"),
            (with_actions(b'"excludedActions":"a"'), "excludedActions"),
            (with_actions(b'"excludedActions":[1]'), "excludedActions"),
            (with_actions(b'"excludedActions":["a","b"]'), "excludedActions"),
            (with_context(deep), "contextFeatures"), (with_context(deepest), None),
            (with_context(b'{"a":{"b":{"c":1}}}'), "contextFeatures"), (deepest, None),
            (b'{"a":' * 50_000, None), (with_context(b'"\xff"'), None),
            (with_context(b'"\xc0\xaf"'), None), (with_context(b'"\xed\xa0\x80"'), None),
            (with_context(b'"\xf5\x80\x80\x80"'), None), (with_context(b'"\xe2\x82"'), None),
            (with_context(b'"\\ud800"'), None), (with_context(b'"\\udc00"'), None),
            (with_context(b'"\\ud800\\u0041"'), None), (with_context(b'"\\x41"'), None),
            (with_context(b'"\n"'), None), (with_context(b'"\x00"'), None),
            *[(with_context(number), target) for number, target in numbers.items()],
        ]
        caller = self.server.caller()
        for body, target in cases:
            with self.subTest(body[:80]):
                self.refusal(caller.call("POST", RANK, body), 400, "BadRequest", target)

    def test_rank_requests_of_too_much(self):
        caller = self.server.caller()

        def actions(count):
            return [{"id": f"a{i}", "features": [{"x": 1}]} for i in range(count)]

        too_many = json.dumps({"eventId": "bad", "actions": actions(1001)})
        self.refusal(caller.call("POST", RANK, too_many), 400, "BadRequest", "actions", "1000")
        pairs = {"eventId": "bad", "contextFeatures": [{"v": [1] * 1001}], "actions": actions(1000)}
        self.refusal(caller.call("POST", RANK, pairs), 400, "BadRequest", "actions", "pairs")
        features = with_context(b"[" + b",".join([b"1"] * 100_001) + b"]")
        self.refusal(caller.call("POST", RANK, features), 400, "BadRequest", "contextFeatures",
                     "100000")
        # As many actions as allowed are fine.
        self.good_events.add("large")
        answer = caller.rank(eventId="large", actions=actions(1000))
        self.assertEqual(answer.status, 201)
        self.assertAlmostEqual(sum(each["probability"] for each in answer.json()["ranking"]), 1.0)

    def test_bodies_that_are_too_large(self):
        for size in (MEBIBYTE + 1, 10**12, 2**63):
            head = request_bytes("POST", RANK, b"", f"Content-Length: {size}")
            self.closed_with(413, head)
            self.closed_with(413, head, b" " * 200_000)
        chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
        head = request_bytes("POST", RANK, b"", "Transfer-Encoding: chunked")
        self.closed_with(413, head, chunk * 17)
        self.closed_with(413, head, b"fffffff\r\n")
        self.closed_with(413, request_bytes("PUT", BASE + "/model", b"",
                                            f"Content-Length: {2**40}"))
        # Exactly as large as allowed.
        self.good_events.add("padded")
        body = b'{"eventId":"padded",' + TWO + b"}"
        answer = self.server.call("POST", RANK, body.ljust(MEBIBYTE))
        self.assertEqual(answer.status, 201, answer.body)

    def test_rewards_that_are_wrong(self):
        caller = self.server.caller()
        path = BASE + "/events/before/reward"
        for body, target in ((b"", None), (b"1", None), (b"{}", "value"), (b"[1]", None),
                             (b'{"value":null}', "value"), (b'{"value":"1"}', "value"),
                             (b'{"value":true}', "value"), (b'{"value":[1]}', "value"),
                             (b'{"Value":1}', "value"), (b'{"value":NaN}', None),
                             (b'{"value":1e309}', None), (b'{"value":1e308}', "value"),
                             (b'{"value":-1.1e9}', "value"), (b'{"value":1', None),
                             (b'{"value":' + b"[" * 1000, None)):
            with self.subTest(body[:80]):
                self.refusal(caller.call("POST", path, body), 400, "BadRequest", target)
        decision = caller.call("GET", "/v1/decisions/before").json()
        self.assertEqual((decision["state"], decision["rewards"]), ("waiting", []))

    def test_event_ids_in_paths_that_are_wrong(self):
        caller = self.server.caller()
        for event in ("%", "%2", "%zz", "%+1", "%%", "a%", "% 1", "%-1"):
            if " " not in event:
                for method, path in (("POST", f"{BASE}/events/{event}/reward"),
                                     ("POST", f"{BASE}/events/{event}/activate"),
                                     ("GET", f"/v1/decisions/{event}")):
                    answer = caller.call(method, path, {"value": 1} if method == "POST" else None)
                    self.refusal(answer, 400, "BadRequest", "eventId")
        for event in ("%00", "%ff%fe", "%ED%A0%80", "..%2f..%2fetc%2fpasswd", "x" * 8000, "%22",
                      "%5C", "%0d%0aSet-Cookie:x", "before%00", "Before", "before%20"):
            self.refusal(caller.reward(event, 1), 404, "ResourceNotFound", "eventId")
            self.refusal(caller.activate(event), 404, "ResourceNotFound", "eventId")
            self.refusal(caller.call("GET", "/v1/decisions/" + event), 404, "ResourceNotFound",
                         "eventId")
        self.refusal(caller.call("GET", "/../../etc/passwd"), 404, "ResourceNotFound")

    def test_configurations_that_are_wrong(self):
        caller = self.server.caller()
        path = BASE + "/configurations/service"
        before = caller.call("GET", path).body
        long_text = "\u00e9" * 99 + "x"
        cases = [(b"", None), (b"[]", None), (b"null", None), (b"{", None),
                 (b"[" * 100_000, None), (b'{"x":' * 100_000, None),
                 (b'{"\xff":1}', None), (b'{"learningMode":"\xff"}', None),
                 (b'{"defaultReward":1e400}', None), (b'{"defaultReward":NaN}', None),
                 (b'{"defaultReward":1e300}', "defaultReward"),
                 (b'{"defaultReward":"1"}', "defaultReward"),
                 (b'{"explorationPercentage":-0.1}', "explorationPercentage"),
                 (b'{"logRetentionDays":0.5}', "logRetentionDays"),
                 (b'{"logRetentionDays":1e30}', "logRetentionDays"),
                 (b'{"rewardAggregation":"mean"}', "rewardAggregation")]
        for time_text in ("", "P", "PT", "P1", "10M", "PT-5M", "PT1e3S", "PT1M1H", "P1Y", "PTinfS",
                          "PTnanS", "P99999999D", "PT1S ", "PT" + "9" * 500 + "S"):
            cases.append((json.dumps({"rewardWaitTime": time_text}).encode(), "rewardWaitTime"))
        for shift in range(4):  # wherever a cut falls
            text = "x" * shift + long_text
            for name in ("learningMode", "rewardWaitTime"):
                cases.append((json.dumps({name: text}, ensure_ascii=False).encode(), name))
        for body, target in cases:
            with self.subTest(body[:80]):
                self.refusal(caller.call("PUT", path, body), 400,
                             "InvalidServiceConfiguration", target)
        for shift in range(4):
            answer = caller.call("PUT", path, {"x" * shift + long_text: 1})
            self.assertEqual(answer.status, 400)
            self.assertTrue(answer.error()["target"].startswith("x" * shift + "\u00e9"))
        self.assertEqual(caller.call("GET", path).body, before)

    def test_models_that_were_changed_on_their_way(self):
        caller = self.server.caller()
        self.assertEqual(caller.reward("before", 1).status, 204)
        self.server.wait_learned(1)
        model = caller.call("GET", BASE + "/model").body
        chance = random.Random(1)
        for _ in range(100):
            wrong = bytearray(model)
            kind = chance.randrange(3)
            place = chance.randrange(len(wrong))
            if kind == 0:
                wrong[place] ^= 1 << chance.randrange(8)
            elif kind == 1:
                del wrong[place:]
            else:
                wrong[place:place] = chance.randbytes(chance.randrange(1, 64))
            self.refusal(caller.call("PUT", BASE + "/model", bytes(wrong)), 400,
                         "InvalidModelImportFormat")
        self.assertEqual(caller.call("GET", BASE + "/model").body, model)


class DeepAgent(Hostile):
    """Its network computes in single precision."""

    args = ("--agent", "mlp(hidden=32x32,batch=8,every=5,start=10)+sau_sampling")

    def test_huge_features_do_not_spoil_what_was_learned(self):
        caller = self.server.caller()

        def rank(event, size):
            self.good_events.add(event)
            answer = caller.rank(eventId=event, contextFeatures=[{"x": [size] * 60}])
            self.assertEqual(answer.status, 201)
            return answer.json()

        def learn(event, size):
            chosen = rank(event, size)["rewardActionId"]
            self.assertEqual(caller.reward(event, 1 if chosen == "b" else 0).status, 204)

        for i in range(40):
            learn(f"e{i}", 0.1 * i)
        self.server.wait_learned(40)
        before = rank("usual", 1)["ranking"]
        for i, size in enumerate((1e10, 1e20, 3.4e38, -3.4e38)):
            chances = [each["probability"] for each in rank(f"huge{i}", size)["ranking"]]
            self.assertAlmostEqual(sum(chances), 1.0)
        self.assertEqual(rank("again", 1)["ranking"], before)
        learn("huge", 3.4e38)
        for i in range(40, 80):
            learn(f"e{i}", 0.1 * (i - 40))
        self.server.wait_learned(81)
        self.assertIsNone(caller.call("GET", "/v1/status").json()["fault"])
        chances = {each["id"]: each["probability"] for each in rank("end", 1)["ranking"]}
        self.assertGreater(chances["b"], chances["a"])


class Protocol(Hostile):
    def test_what_is_not_http(self):
        chance = random.Random(2)
        for line in (b"PRI * HTTP/2.0\r\n\r\nSM", b"GET / HTTP/3.0\r\nHost: x",
                     b"GET / http/1.1\r\nHost: x", b"GET / HTTP/1.1 \r\nHost: x",
                     b"GET / HTTP/1.1\nHost: x\n"):
            self.closed_with(505, line + b"\r\n\r\n")
        for data in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64) + b"\r\n\r\n",
                     b"GET /\r\n\r\n", b"GET  / HTTP/1.1\r\nHost: x\r\n\r\n", b"\r\r\n\n\r\n",
                     b"G@T / HTTP/1.1\r\nHost: x\r\n\r\n", b"GET / HTTP/1.1\r\nHost x\r\n\r\n",
                     b"GET /\x00 HTTP/1.1\r\nHost: x\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: x\r\nA: \x00\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: x\r\nA\x01: b\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: x\r\nHost : y\r\n\r\n",
                     b"GET / HTTP/1.1\r\n: x\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
                     *[chance.randbytes(200) + b"\r\n\r\n" for _ in range(20)]):
            with self.subTest(data[:60]):
                self.closed_with(400, data)

    def test_headers_that_are_too_large(self):
        host = b"GET / HTTP/1.1\r\nHost: x\r\n"
        self.closed_with(431, host + b"A: " + b"x" * 20_000 + b"\r\n\r\n")
        self.closed_with(431, host + b"A" * 20_000 + b": x\r\n\r\n")
        self.closed_with(431, host + b"".join(b"A%d: x\r\n" % i for i in range(5000)) + b"\r\n")
        self.closed_with(431, host, *[b"A: x\r\n" * 100 for _ in range(100)])
        self.closed_with(431, b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n")
        self.closed_with(431, host + b"A: " + b"x" * 5_000_000)

    def test_bodies_whose_end_is_in_doubt(self):
        hidden = request_bytes("POST", RANK, SMUGGLED)
        lengths = (("Content-Length: 5", "Transfer-Encoding: chunked"),
                   ("Transfer-Encoding: chunked", "Content-Length: 5"),
                   ("Content-Length: 5", "Content-Length: 6"), ("Content-Length: 5, 6",),
                   ("Content-Length: +5",), ("Content-Length: -5",), ("Content-Length: 0x5",),
                   ("Content-Length: 5 5",), ("Content-Length: ",), ("Content-Length: five",),
                   ("Content-Length: 99999999999999999999999",),
                   ("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
                   ("Content-Length : 5",), ("Transfer-Encoding : chunked",),
                   ("Content-Length: 0\rTransfer-Encoding: chunked",),
                   ("X: y\nContent-Length: 5",))
        for headers in lengths:
            with self.subTest(headers):
                head = request_bytes("POST", RANK, b"", *headers)
                self.closed_with(400, head + b"0\r\n\r\n" + hidden)
        for headers in (("Transfer-Encoding: xchunked",), ("Transfer-Encoding: gzip, chunked",),
                        ("Transfer-Encoding: chunked, identity",),
                        ("Transfer-Encoding: identity",), ("Transfer-Encoding: gzip",)):
            with self.subTest(headers):
                head = request_bytes("POST", RANK, b"", *headers)
                self.closed_with(501, head + b"0\r\n\r\n" + hidden)
        self.closed_with(417, request_bytes("POST", RANK, b"{}", "Expect: a-miracle"))

    def test_chunks_that_are_wrong(self):
        head = request_bytes("POST", RANK, b"", "Transfer-Encoding: chunked")
        for chunks in (b"zz\r\n{}\r\n0\r\n\r\n", b"-2\r\n{}\r\n0\r\n\r\n", b"2\r\n{}x\r\n0\r\n\r\n",
                       b"\r\n{}\r\n0\r\n\r\n", b"0x2\r\n{}\r\n0\r\n\r\n",
                       b"2\n{}\n0\n\n", b"10000000000000002\r\n{}\r\n0\r\n\r\n"):
            with self.subTest(chunks):
                self.closed_with(400, head + chunks + request_bytes("POST", RANK, SMUGGLED))
        self.closed_with(413, head + b"ffffffffffffffff\r\n{}\r\n0\r\n\r\n")
        self.closed_with(431, head + b"2;" + b"x" * 100_000 + b"\r\n{}\r\n0\r\n\r\n")

    def test_requests_that_end_too_early(self):
        whole = request_bytes("POST", RANK, SMUGGLED)
        for size in range(1, len(whole), 7):
            self.closed_with(400, whole[:size], says="ends too early", end=True)
        chunked = request_bytes("POST", RANK, b"", "Transfer-Encoding: chunked")
        self.closed_with(400, chunked + b"10\r\n{", says="ends too early", end=True)
        # Clients that disconnect without waiting for an answer.
        for _ in range(100):
            with self.server.connect() as connection:
                connection.sendall(whole[:60])
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                      b"\x01\x00\x00\x00\x00\x00\x00\x00")


class Slow(Hostile):
    args = ("--request-seconds", "5")

    def test_slow_requests_are_refused_and_block_nobody(self):
        whole = request_bytes("POST", RANK, SMUGGLED)
        head = whole[:-len(SMUGGLED)]
        slow = []
        for start in (b"G", head[:30], head, head + SMUGGLED[:-1],
                      request_bytes("POST", RANK, b"", "Transfer-Encoding: chunked") + b"2\r\n{"):
            for _ in range(10):
                connection = self.server.connect()
                connection.sendall(start)
                slow.append(connection)
        caller = self.server.caller()
        begin = time.monotonic()
        asked = 0
        dripped = 0
        # Until the first of them is refused, others are answered.
        while not select.select([slow[0]], [], [], 0)[0]:
            self.assertEqual(caller.call("GET", "/healthz").status, 200)
            asked += 1
            if time.monotonic() > begin + 0.3 * dripped and dripped < 3:
                dripped += 1
                try:
                    slow[5].sendall(b"E" if dripped == 1 else b"T")  # a byte is no progress
                    slow[15].sendall(b"x")
                except (BrokenPipeError, ConnectionResetError):
                    pass  # refused meanwhile
        self.assertGreater(asked, 5)  # thousands on an idle machine
        for connection in slow:
            answers = answers_in(received(connection))
            self.assertEqual(len(answers), 1)
            self.refusal(answers[0], 408, "BadRequest")
            self.assertEqual(answers[0].headers["Connection"], "close")


class WrongKeys(Hostile):
    args = ("--key-file", "keys", "--request-seconds", "300")

    def setUp(self):
        self.key = "a-key-of-some-length"
        super().setUp()

    def serve(self, *args, **options):
        self.write("keys", self.key.encode() + b"\n")
        return super().serve(*args, key=self.key, **options)

    def test_no_body_is_read_without_a_key(self):
        begun = request_bytes("POST", RANK, b"", "Content-Length: 1000000")
        self.closed_with(401, begun)
        self.closed_with(401, request_bytes("PUT", BASE + "/model", b"",
                                            "Transfer-Encoding: chunked"))
        wrong = "Ocp-Apim-Subscription-Key: " + "x" * 10_000
        self.closed_with(401, request_bytes("POST", RANK, b"", wrong, "Content-Length: 9"))
        # After a refused request without a body, the next one is checked on its own.
        right = f"Ocp-Apim-Subscription-Key: {self.key}"
        answers = answers_in(self.server.raw(
            request_bytes("GET", BASE + "/model")
            + request_bytes("GET", "/v1/status", b"", right)
            + request_bytes("DELETE", BASE + "/model", b"", "Connection: close")))
        self.assertEqual([answer.status for answer in answers], [401, 200, 401])


if __name__ == "__main__":
    unittest.main()
