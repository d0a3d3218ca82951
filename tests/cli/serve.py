#!/usr/bin/env python3
"""sau serve as a caller sees it: every call over HTTP, starting, stopping, restart."""

import sys

sys.dont_write_bytecode = True

import json
import socket
import threading
import unittest

from _serve import ACTIONS, BASE, ServeTestCase, answers_in, request_bytes
from _support import DEADLINE


class Calls(ServeTestCase):
    def test_rank_reward_and_decision(self):
        server = self.serve()
        answer = server.rank(eventId="e/1", contextFeatures=[{"hour": 9}], excludedActions=["b"])
        self.assertEqual(answer.status, 201, answer.body)
        self.assertEqual(answer.json(), {
            "ranking": [{"id": "a", "probability": 1.0}, {"id": "b", "probability": 0.0}],
            "eventId": "e/1", "rewardActionId": "a"})
        decision = server.call("GET", "/v1/decisions/e%2F1").json()
        self.assertEqual((decision["state"], decision["reward"]), ("waiting", None))
        answer = server.reward("e%2F1", 0.25)
        self.assertEqual((answer.status, answer.body), (204, b""))
        decision = server.call("GET", "/v1/decisions/e%2F1").json()
        self.assertEqual((decision["state"], decision["reward"]), ("learned", 0.25))
        self.assertEqual([action["excluded"] for action in decision["actions"]], [False, True])
        server.wait_learned(1)
        # Without an id the service makes a new one each time.
        first, second = server.rank().json(), server.rank().json()
        self.assertNotEqual(first["eventId"], second["eventId"])
        self.assertAlmostEqual(sum(each["probability"] for each in first["ranking"]), 1.0)
        self.assertIn(first["rewardActionId"], ("a", "b"))
        again = server.reward("e%2F1", 1)  # kept, not learned from
        self.assertEqual(again.status, 204)
        decision = server.call("GET", "/v1/decisions/e%2F1").json()
        self.assertEqual(decision["reward"], 0.25)
        self.assertEqual([each["late"] for each in decision["rewards"]], [False, True])
        self.refusal(server.reward("unknown", 1), 404, "ResourceNotFound", "eventId", "unknown")
        self.refusal(server.call("GET", "/v1/decisions/unknown"), 404, "ResourceNotFound",
                     "eventId")

    def test_a_retry_is_one_event_and_another_request_a_conflict(self):
        server = self.serve()
        first = server.rank(eventId="e", contextFeatures=[{"x": 1}])
        server.reward("e", 1)
        server.wait_learned(1)
        # The same answer, whatever was learned since and however the request is spelled.
        spelled = json.dumps({"actions": ACTIONS, "contextFeatures": [{"x": 1.0}], "eventId": "e"},
                             indent=2)
        again = server.call("POST", BASE + "/rank", spelled)
        self.assertEqual((again.status, again.body), (201, first.body))
        for other in ({"contextFeatures": [{"x": 2}]}, {"contextFeatures": []},
                      {"contextFeatures": [{"x": 1}], "deferActivation": True}):
            self.refusal(server.rank(eventId="e", **other), 409, "BadRequest", "eventId")
        server.stop()
        self.assertEqual(set(self.exported()), {"e"})

    def test_a_deferred_event_counts_once_it_is_activated(self):
        server = self.serve()
        server.rank(eventId="d", deferActivation=True)
        self.assertEqual(server.reward("d", 1).status, 204)
        decision = server.call("GET", "/v1/decisions/d").json()
        self.assertEqual((decision["state"], decision["active"]), ("inactive", False))
        for _ in range(2):
            answer = server.call("POST", BASE + "/events/d/activate")
            self.assertEqual((answer.status, answer.body), (204, b""))
            decision = server.call("GET", "/v1/decisions/d").json()
            self.assertEqual((decision["state"], decision["reward"]), ("learned", 1.0))
        server.wait_learned(1)
        self.refusal(server.call("POST", BASE + "/events/x/activate"), 404, "ResourceNotFound",
                     "eventId")

    def test_the_configuration_is_changed_by_field_and_kept(self):
        server = self.serve()
        path = BASE + "/configurations/service"
        before = server.call("GET", path).json()
        self.assertEqual(before["rewardWaitTime"], "PT10M")
        # With a field that clients of the retired service send along.
        answer = server.call("PUT", path, {"rewardWaitTime": "PT0.2S", "defaultReward": 0.5,
                                           "logMirrorEnabled": False})
        self.assertEqual(answer.status, 200, answer.body)
        expected = before | {"rewardWaitTime": "PT0.2S", "defaultReward": 0.5}
        self.assertEqual(answer.json(), expected)
        for wrong, target in (({"rewardWaitTime": "10 minutes"}, "rewardWaitTime"),
                              ({"learningMode": "Fast"}, "learningMode"),
                              ({"explorationPercentage": 1.5}, "explorationPercentage"),
                              ({"probabilityFloor": -0.1}, "probabilityFloor"),
                              ({"defaultReward": 1, "speed": 3}, "speed")):
            self.refusal(server.call("PUT", path, wrong), 400, "InvalidServiceConfiguration",
                         target)
        server.rank(eventId="never")
        server.wait_learned(1)
        decision = server.call("GET", "/v1/decisions/never").json()
        self.assertEqual((decision["state"], decision["reward"]), ("missing", 0.5))
        self.assertEqual(server.reward("never", 1).status, 204)
        server.stop()
        self.assertEqual(self.serve().call("GET", path).json(), expected)

    def test_the_model_is_downloaded_loaded_and_reset(self):
        server = self.serve()
        server.configure(rewardMaximum=4)
        for i in range(5):
            server.rank(eventId=f"e{i}")
            server.reward(f"e{i}", i)
        server.wait_learned(5)
        properties = server.call("GET", BASE + "/model/properties").json()
        model = server.call("GET", BASE + "/model")
        self.assertEqual(model.headers["Content-Type"], "application/octet-stream")
        self.assertEqual(server.call("DELETE", BASE + "/model").status, 204)
        server.wait_learned(0)
        self.assertEqual(server.call("PUT", BASE + "/model", model.body).status, 204)
        server.wait_learned(5)
        loaded = server.call("GET", BASE + "/model/properties").json()
        self.assertGreater(loaded["version"], properties["version"])
        broken = bytearray(model.body)
        broken[len(broken) // 2] ^= 1
        for wrong in (bytes(broken), model.body[:-1], b"", b"not a model"):
            self.refusal(server.call("PUT", BASE + "/model", wrong), 400,
                         "InvalidModelImportFormat")
        self.assertEqual(server.learned(), 5)
        other = self.serve("--seed", "2", folder="other")
        self.refusal(other.call("PUT", BASE + "/model", model.body), 400,
                     "InvalidModelImportFormat")
        server.stop()
        self.assertIn("same, byte for byte", self.good("log", "replay", "data").out)

    def test_health_page_status_and_metrics(self):
        server = self.serve()
        server.rank(eventId="e")
        server.reward("e", 1)
        server.wait_learned(1)
        for path, body in (("/healthz", b"ok\n"), ("/readyz", b"ready\n")):
            answer = server.call("GET", path)
            self.assertEqual((answer.status, answer.body), (200, body))
        page = server.call("GET", "/")
        self.assertEqual(page.headers["Content-Type"], "text/html; charset=utf-8")
        self.assertIn(b"<html", page.body)
        status = server.call("GET", "/v1/status").json()
        self.assertEqual(status["totals"]["ranks"], 1)
        self.assertEqual(status["model"]["eventsLearned"], 1)
        metrics = server.call("GET", "/metrics")
        self.assertTrue(metrics.headers["Content-Type"].startswith("text/plain; version=0.0.4"))
        values = dict(line.rsplit(" ", 1) for line in metrics.body.decode().splitlines()
                      if not line.startswith("#"))
        for name in ("sau_ranks_total", "sau_learned_total", "sau_log_writable",
                     'sau_requests_total{request="rank",status="201"}',
                     'sau_requests_total{request="reward",status="204"}',
                     'sau_rewards_total{outcome="in_time"}'):
            self.assertEqual(values.get(name), "1", name)
        head = server.call("HEAD", "/healthz")
        self.assertEqual((head.status, head.body, head.headers["Content-Length"]), (200, b"", "3"))

    def test_wrong_methods_and_paths(self):
        server = self.serve()
        for method, path, allowed in (("GET", BASE + "/rank", "POST"),
                                      ("PUT", BASE + "/events/e/reward", "POST"),
                                      ("DELETE", BASE + "/events/e/activate", "POST"),
                                      ("POST", BASE + "/configurations/service", "GET, PUT"),
                                      ("POST", BASE + "/model", "GET, PUT, DELETE"),
                                      ("PUT", BASE + "/model/properties", "GET"),
                                      ("POST", "/v1/decisions/e", "GET"),
                                      ("POST", "/v1/status", "GET"), ("BREW", "/metrics", "GET"),
                                      ("DELETE", "/", "GET")):
            answer = server.call(method, path)
            self.refusal(answer, 405, "BadRequest")
            self.assertEqual(answer.headers["Allow"], allowed)
        for path in ("/nothing", BASE, BASE + "/", BASE + "/rank/", BASE + "/events//reward",
                     BASE + "/events/a/b/reward", "/v1/decisions/", "/personalizer/v1.1/rank"):
            self.refusal(server.call("GET", path), 404, "ResourceNotFound")


class Connections(ServeTestCase):
    def test_many_requests_on_one_connection(self):
        server = self.serve()
        caller = server.caller()
        for i in range(50):
            self.assertEqual(caller.rank(eventId=f"k{i}").status, 201)
            self.assertEqual(caller.reward(f"k{i}", 1).status, 204)
        server.stop()
        self.assertEqual(len(self.exported()), 50)

    def test_pipelined_requests_are_answered_in_order(self):
        server = self.serve()
        parts = []
        for i in range(20):
            body = json.dumps({"eventId": f"p{i}", "actions": ACTIONS}).encode()
            parts.append(request_bytes("POST", BASE + "/rank", body))
            parts.append(request_bytes("POST", f"{BASE}/events/p{i}/reward", b'{"value": 1}'))
        parts.append(request_bytes("GET", "/healthz", b"", "Connection: close"))
        answers = answers_in(server.raw(b"".join(parts)))
        self.assertEqual([answer.status for answer in answers], [201, 204] * 20 + [200])
        self.assertEqual([answer.json()["eventId"] for answer in answers[0:40:2]],
                         [f"p{i}" for i in range(20)])
        # A request may come byte by byte.
        body = json.dumps({"eventId": "bytes", "actions": ACTIONS}).encode()
        request = request_bytes("POST", BASE + "/rank", body, "Connection: close")
        connection = server.connect()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for i in range(len(request)):
            connection.sendall(request[i:i + 1])
        status = connection.recv(12)
        self.assertEqual(status, b"HTTP/1.1 201")

    def test_bodies_in_chunks_and_on_request(self):
        server = self.serve()
        body = json.dumps({"eventId": "c", "actions": ACTIONS}).encode()
        chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part)
                          for part in (body[:7], body[7:60], body[60:])) + b"0\r\n\r\n"
        head = request_bytes("POST", BASE + "/rank", b"", "Transfer-Encoding: chunked",
                             "Expect: 100-continue", "Connection: close")
        connection = server.connect()
        connection.sendall(head)
        self.assertTrue(connection.recv(65536).startswith(b"HTTP/1.1 100"))
        connection.sendall(chunks)
        self.assertTrue(connection.recv(65536).startswith(b"HTTP/1.1 201"))


class Life(ServeTestCase):
    def test_it_continues_where_it_was(self):
        server = self.serve()
        answers = {}
        for i in range(20):
            answers[f"e{i}"] = server.rank(eventId=f"e{i}", contextFeatures=[{"x": i}]).json()
            if i % 2 == 0:
                server.reward(f"e{i}", 1)
        server.wait_learned(10)
        before = server.call("GET", BASE + "/model/properties").json()
        server.stop()
        self.assertIn("stopping", server.log())
        self.assertIn("all good", self.good("log", "verify", "data").out)
        server = self.serve()
        after = server.call("GET", BASE + "/model/properties").json()
        for name in ("version", "eventsLearned", "checksum"):
            self.assertEqual(after[name], before[name], name)
        for i, (event, answer) in enumerate(answers.items()):
            again = server.rank(eventId=event, contextFeatures=[{"x": i}])
            self.assertEqual(again.json(), answer)
        self.assertEqual(server.reward("e1", 1).status, 204)
        server.wait_learned(11)

    def test_old_events_are_removed_and_it_continues(self):
        # All events are logged before the first removal.
        server = self.serve()
        for i in range(3):
            server.rank(eventId=f"e{i}")
            server.reward(f"e{i}", 1)
        server.wait_learned(3)
        server.stop()
        server = self.serve("--snapshot-seconds", "1")
        server.configure(logRetentionDays=0)
        self.wait_for(lambda: server.call("GET", "/v1/decisions/e2").status == 404, server.process)
        server.kill()
        server = self.serve("--snapshot-seconds", "1")
        self.assertEqual(server.learned(), 3)
        self.assertEqual(server.rank(eventId="e0").status, 201)
        server.reward("e0", 1)
        server.wait_learned(4)
        server.stop()
        self.good("log", "verify", "data")
        self.assertIn("same, byte for byte", self.good("log", "replay", "data").out)

    def test_stopping_answers_requests_that_have_begun(self):
        server = self.serve()
        body = json.dumps({"eventId": "last", "actions": ACTIONS}).encode()
        request = request_bytes("POST", BASE + "/rank", body, "Expect: 100-continue")
        idle = server.connect()
        idle.sendall(request_bytes("GET", "/healthz"))
        self.assertEqual(answers_in(idle.recv(65536))[0].status, 200)
        begun = server.connect()
        begun.sendall(request[:-5])
        self.assertTrue(begun.recv(65536).startswith(b"HTTP/1.1 100"))  # it has been read
        stopper = threading.Thread(target=server.stop)
        stopper.start()
        self.assertEqual(idle.recv(1), b"")
        begun.sendall(request[-5:])
        answer = answers_in(begun.recv(65536))[0]
        self.assertEqual(answer.status, 201)
        self.assertEqual(answer.headers["Connection"], "close")
        stopper.join(DEADLINE)
        self.assertEqual(server.process.poll(), 0)
        self.assertEqual(set(self.exported()), {"last"})

    def test_a_folder_has_one_server_and_one_agent(self):
        server = self.serve()
        server.rank(eventId="e")
        self.refused(1, "serve", "data", "--port", "0", says=("data",))
        self.refused(1, "serve", "other", "--port", str(server.port), says=(str(server.port),))
        server.stop()
        self.refused(2, "serve", "data", "--agent", "hashed_mlp+sau_sampling",
                     says=("committee+sau_sampling", "hashed_mlp+sau_sampling"))
        self.refused(2, "serve", "data", "--seed", "7", says=("seed 1", "seed 7"))
        self.write("full/file", b"something else")
        self.refused(2, "serve", "full", says=("full",))
        self.refused(2, "serve", "new", "--agent", "hashed_linear+thompson", says=("posterior",))
        self.refused(2, "serve", "new", "--agent", "sau_ucp", says=("sau_ucp", "sau_ucb"))
        self.assertEqual(set(self.exported()), {"e"})

    def test_folders_without_a_log_are_refused(self):
        for command in ("export", "verify", "replay"):
            self.refused(2, "log", command, "nowhere", says=("nowhere",))
        self.write("full/file", b"something else")
        self.refused(2, "log", "verify", "full", says=("full", "service.json"))

    def test_its_help_names_every_flag_and_an_example(self):
        text = self.good("serve", "--help").out
        for word in ("--agent", "--listen", "--port", "--key-file", "--tls-certificate",
                     "--tls-key", "--threads", "--snapshot-seconds", "--request-seconds",
                     "--max-actions", "sau serve data"):
            self.assertIn(word, text)
        text = self.good("log", "--help").out
        for word in ("export", "verify", "replay"):
            self.assertIn(word, text)


if __name__ == "__main__":
    unittest.main()
