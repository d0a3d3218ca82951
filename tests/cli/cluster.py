#!/usr/bin/env python3
"""A cluster: what its members answer, what they refuse, and what happens when one is missing."""

import sys

sys.dont_write_bytecode = True

import glob
import json
import os
import resource
import socket
import subprocess
import unittest

from _cluster import AGENT, BASE, NATS, ClusterTestCase, NatsServers
from _support import DEADLINE, PROGRAM
from ports import free_ports

NOWHERE = "nats://127.0.0.1:1"
FAKETIME = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")


@unittest.skipUnless(os.path.exists(NATS), "nats-server is not installed")
class Cluster(ClusterTestCase):
    def test_decisions_at_one_node_and_rewards_at_another(self):
        nats = NatsServers(self)
        trainer = self.trainer(nats.url, "trainer", "--agent", AGENT)
        nodes = [self.node(nats.url, f"node{i}") for i in range(2)]
        self.wait_ready(trainer, *nodes)

        answer = nodes[0].rank(eventId="e1")
        self.assertEqual(answer.status, 201, answer.body)
        self.assertEqual(nodes[0].rank(eventId="e1").body, answer.body)  # a retry
        other = nodes[0].rank(eventId="e1", actions=[{"id": "x"}])
        self.assertEqual(other.status, 409, other.body)
        self.assertEqual(nodes[1].rank(eventId="e1").json(), answer.json())  # the same model
        self.assertEqual(nodes[1].reward("e1", 1).status, 204)
        self.assertEqual(nodes[1].reward("ghost", 1).status, 204)
        self.wait_empty(*nodes)
        decision = trainer.call("GET", "/v1/decisions/e1").json()
        self.assertEqual(decision["rewardActionId"], answer.json()["rewardActionId"])
        self.assertEqual([reward["value"] for reward in decision["rewards"]], [1.0])
        self.assertEqual(trainer.metric("sau_repeated_decisions_total"), 1)
        self.assertEqual(trainer.metric("sau_contradicting_decisions_total"), 0)
        self.assertEqual(trainer.metric("sau_early_rewards"), 1)  # that of the ghost

        # The model with that reward comes to both nodes, and a new configuration does, too.
        for node in nodes:
            self.until(lambda node=node: node.metric("sau_model_events") == 1,
                       lambda: "the nodes have the model")
        answer = nodes[1].call("PUT", BASE + "/configurations/service", {"rewardMaximum": 0.5})
        self.assertEqual(answer.status, 200, answer.body)
        self.until(lambda: nodes[0].reward("e1", 0.9).status == 400,
                   lambda: "the configuration is at the other node")

        # What belongs elsewhere is refused.
        refused = trainer.rank(eventId="e2")
        self.assertEqual(refused.status, 409, refused.body)
        self.assertIn("node", refused.error()["message"])
        refused = nodes[0].call("GET", "/v1/decisions/e1")
        self.assertEqual(refused.status, 409, refused.body)
        refused = nodes[0].call("PUT", BASE + "/configurations/policy",
                                {"name": "other", "arguments": AGENT})
        self.assertEqual(refused.status, 409, refused.body)
        for path in ("/", "/v1/status", "/metrics", BASE + "/model/properties", BASE + "/model"):
            self.assertEqual(nodes[0].call("GET", path).status, 200, path)

        # Without NATS and trainer nodes go on, and nothing is lost.
        trainer.kill()
        nats.wipe()
        for i in range(10):
            self.assertEqual(nodes[i % 2].rank(eventId=f"later{i}").status, 201)
            self.assertEqual(nodes[(i + 1) % 2].reward(f"later{i}", 0.25).status, 204)
        nodes[0].kill()
        nodes[0].start()
        trainer.start()
        self.wait_ready(trainer, *nodes)
        self.wait_empty(*nodes)
        for node in nodes:
            node.stop()
        trainer.stop()
        events = self.exported("trainer")
        self.checked("trainer")
        self.assertEqual(len(events), 11)
        for i in range(10):
            self.assertEqual([reward["value"] for reward in events[f"later{i}"]["rewards"]], [0.25])

        # The folders know what they are for.
        self.refused(2, "train", "node0", "--join", NOWHERE, says=["folder of a node"])
        self.refused(2, "serve", "trainer", "--join", NOWHERE, says=["one of its own"])
        self.refused(2, "serve", "node0", "--join", NOWHERE, "--application", "other",
                     says=["node of the application 'sau'", "'other'"])
        self.refused(2, "train", "trainer", "--join", NOWHERE, "--seed", "7",
                     says=["seed 1", "seed 7"])
        self.refused(2, "train", "trainer", "--join", NOWHERE, "--agent", "hashed_mlp+sau_ucb",
                     says=[AGENT.split("+", maxsplit=1)[0]])

    def test_a_standby_of_another_agent_is_refused_and_a_node_of_another_seed_waits(self):
        nats = NatsServers(self)
        trainer = self.trainer(nats.url, "trainer", "--agent", AGENT)
        self.wait_ready(trainer)
        other = self.trainer(nats.url, "other", "--agent", AGENT, "--seed", "2")
        node = self.node(nats.url, "node", "--seed", "3")
        self.until(lambda: "the leader is for" in other.log(), lambda: other.log())
        self.until(lambda: "this node has seed 3" in node.log(), lambda: node.log())
        self.assertFalse(other.is_ready())
        self.assertFalse(node.is_ready())
        answer = node.rank(eventId="e1")
        self.assertEqual(answer.status, 503, answer.body)

    def test_a_full_spool_disk_is_503_and_loses_nothing(self):
        nats = NatsServers(self)
        trainer = self.trainer(nats.url, "trainer", "--agent", AGENT)
        # Files of this node cannot grow beyond 200 kB; the model is smaller than that.
        node = self.node(nats.url, "node", limits={resource.RLIMIT_FSIZE: 200_000})
        self.wait_ready(trainer, node)
        nats.kill(0)  # nothing leaves the spool
        padding = "x" * 20_000
        acknowledged, refused = [], 0
        for i in range(20):
            answer = node.rank(eventId=f"e{i}", contextFeatures=[{"padding": f"{i}{padding}"}],
                               actions=[{"id": f"a{i}-{j}-" + os.urandom(100).hex()}
                                        for j in range(60)])
            if answer.status == 201:
                acknowledged.append(f"e{i}")
            else:
                self.assertEqual(answer.status, 503, answer.body)
                refused += 1
        self.assertTrue(acknowledged)
        self.assertTrue(refused)
        self.assertFalse(node.is_ready())
        nats.start(0)
        self.wait_empty(node)
        # There is room again, and the node finds out by itself: nobody calls one that is not ready.
        self.wait_ready(node)
        self.assertEqual(node.rank(eventId="after").status, 201)
        acknowledged.append("after")
        self.wait_empty(node)
        node.kill()
        trainer.stop()
        self.assertEqual(set(self.exported("trainer")), set(acknowledged))

    def test_wrong_credentials_and_the_stream_of_another_program(self):
        nats = NatsServers(self, extra='authorization { user: "sau", password: "secret" }\n')
        wrong = nats.url.replace("//", "//sau:wrong@")
        right = nats.url.replace("//", "//sau:secret@")
        nats.wait()
        self.refused(1, "train", "denied", "--join", wrong, says=["refuses the credentials"])
        self.refused(1, "serve", "node", "--join", wrong, says=["refuses the credentials"])
        trainer = self.trainer(right, "trainer", "--agent", AGENT)
        self.wait_ready(trainer)
        # A stream that has the name of ours, and other subjects.
        foreign = {"name": "sau_other", "subjects": ["orders"], "storage": "file",
                   "retention": "limits", "max_consumers": -1, "num_replicas": 1}
        with socket.create_connection(("127.0.0.1", nats.ports[0]), timeout=DEADLINE) as connection:
            body = json.dumps(foreign)
            connection.sendall((
                'CONNECT {"user":"sau","pass":"secret","verbose":false}\r\nSUB answer 1\r\n'
                f"PUB $JS.API.STREAM.CREATE.sau_other answer {len(body)}\r\n{body}\r\n").encode())
            answer = b""
            while b"stream_create_response" not in answer:
                answer += connection.recv(65536)
        self.refused(1, "train", "other", "--join", right, "--application", "other",
                     says=["sau_other is not of this application"])

    def test_confirmed_by_the_stream_and_a_clock_that_is_wrong(self):
        self.assertTrue(FAKETIME, "libfaketime is not installed: run tools/setup.sh test")
        nats = NatsServers(self)
        trainer = self.trainer(nats.url, "trainer", "--agent", AGENT)
        node = self.node(nats.url, "node", "--confirm", "stream")
        skewed = self.node(nats.url, "skewed", env=dict(os.environ, LD_PRELOAD=FAKETIME[0],
                                                        FAKETIME="-3h",
                                                        FAKETIME_DONT_FAKE_MONOTONIC="1"))
        self.wait_ready(trainer, node, skewed)
        # The reward comes three hours before its decision, by the clocks of the nodes.
        # The stream has five seconds to confirm it.
        self.until(lambda: node.rank(eventId="e1").status == 201, lambda: "e1 is confirmed")
        self.assertEqual(node.metric("sau_spool_unshipped"), 0)
        self.assertEqual(skewed.reward("e1", 1).status, 204)
        self.assertEqual(skewed.rank(eventId="e2").status, 201)
        self.assertEqual(node.reward("e2", 1).status, 204)
        self.wait_empty(node, skewed)
        nats.kill(0)
        answer = node.rank(eventId="e3")
        self.assertEqual(answer.status, 503, answer.body)
        self.assertIn("not confirmed", answer.error()["message"])
        self.assertFalse(node.is_ready())
        self.assertEqual(skewed.rank(eventId="e4").status, 201)
        nats.start(0)
        self.wait_empty(node, skewed)
        for each in (node, skewed, trainer):
            each.stop()
        events = self.exported("trainer")
        self.assertEqual(set(events), {"e1", "e2", "e3", "e4"})
        times = [events[name]["time"] for name in ("e1", "e2", "e4")]
        self.assertEqual(times, sorted(times))
        for name in ("e1", "e2"):
            self.assertEqual([reward["late"] for reward in events[name]["rewards"]], [False])

    def test_a_cluster_in_one_command(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/cluster.sh")
        apart = [port - 4222 for port in (4223, 4224, 6222, 6223, 6224, 8080, 8081, 8090, 8091)]
        environment = dict(os.environ, SAU=PROGRAM, SAU_PORTS=str(free_ports(1, apart)[0] - 4222))

        def cluster(what):
            done = subprocess.run([script, what], cwd=self.folder, env=environment, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=DEADLINE)
            return done.returncode, done.stdout.decode()

        code, said = cluster("up")
        try:
            self.assertEqual(code, 0, said)
            self.assertIn("trainers: http://127.0.0.1:", said)
            self.assertEqual(cluster("up")[0], 1)
            self.assertIn("sau_trainer_leads 1", cluster("status")[1])
        finally:
            self.assertEqual(cluster("down")[0], 0)
        self.assertEqual(cluster("sideways")[0], 2)

    def test_wrong_flags(self):
        self.refused(2, "train", "t", says=["--join"])
        self.refused(2, "serve", "n", "--confirm", "stream", says=["--join"])
        self.refused(2, "serve", "n", "--join", NOWHERE, "--confirm", "disk", says=["spool or stream"])
        self.refused(2, "serve", "n", "--join", NOWHERE, "--app", "a=b", says=["--application"])
        self.refused(2, "serve", "n", "--join", NOWHERE, "--application", "a.b", says=["letters"])
        self.refused(2, "serve", "n", "--join", NOWHERE, "--nats-key", "k", says=["go together"])


if __name__ == "__main__":
    unittest.main()
