#!/usr/bin/env python3
"""A cluster in which something is wrong: a copied folder, a stream that is lost together with a trainer,
a folder from a backup, a full disk, a process that stood still, clocks that differ."""

import sys

sys.dont_write_bytecode = True

import glob
import json
import os
import resource
import shutil
import signal
import unittest

from _cluster import AGENT, BASE, NATS, ClusterTestCase, NatsServers

FAKETIME = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")


@unittest.skipUnless(os.path.exists(NATS), "nats-server is not installed")
class Faults(ClusterTestCase):
    def pause(self, member):
        """The process stands still, as in a machine that swaps; it goes on at the end at the latest."""
        member.process.send_signal(signal.SIGSTOP)
        self.addCleanup(lambda: member.process.poll() is None and self.resume(member))

    def resume(self, member):
        member.process.send_signal(signal.SIGCONT)

    def leads(self, *members):
        for each in members:
            self.until(lambda each=each: each.metric("sau_trainer_leads") == 1.0,
                       lambda each=each: f"{each.folder} leads\n{each.log()[-2000:]}")

    def says(self, member, words):
        self.until(lambda: words in member.log(), lambda: f"it says '{words}': {member.log()[-2000:]}")

    def decide(self, node, names, reward=0.5):
        for name in names:
            answer = node.rank(eventId=name)
            self.assertEqual(answer.status, 201, answer.body)
            self.assertEqual(node.reward(name, reward).status, 204)

    def same(self, *members):
        """Waits until the trainers have taken the same messages."""
        self.until(lambda: len({each.metric("sau_stream_messages_total") for each in members}) == 1,
                   lambda: "\n".join(each.log()[-1500:] for each in members))

    def one_trainer(self):
        """NATS, a trainer and a node; the trainer has logged the decision e1."""
        nats = NatsServers(self)
        trainer = self.trainer(nats.url, "trainer", "--agent", AGENT)
        node = self.node(nats.url)
        self.wait_ready(trainer, node)
        self.decide(node, ["e1"])
        self.wait_empty(node)
        return nats, trainer, node

    def leader_and_standby(self, names):
        """NATS, a leader, its standby and a node; both trainers have logged the decisions."""
        nats = NatsServers(self)
        leader = self.trainer(nats.url, "leader", "--agent", AGENT)
        self.leads(leader)
        standby = self.trainer(nats.url, "standby", "--agent", AGENT)
        node = self.node(nats.url)
        self.wait_ready(leader, standby, node)
        self.decide(node, names)
        self.wait_empty(node)
        self.same(leader, standby)
        return nats, leader, standby, node

    def test_a_copy_of_a_folder_is_refused(self):
        nats, trainer, node = self.one_trainer()
        trainer.stop()
        node.stop()
        for folder in ("trainer", "node"):
            shutil.copytree(self.path(folder), self.path(folder + "-copy"))
        trainer.start()
        node.start()
        self.wait_ready(trainer, node)
        epoch = trainer.metric("sau_trainer_epoch")

        copy = self.trainer(nats.url, "trainer-copy")
        self.until(lambda: copy.metric("sau_trainer_fault") == 1.0, lambda: copy.log()[-2000:])
        status = copy.call("GET", "/v1/status").json()
        self.assertIn("another trainer has the same id", status["cluster"]["fault"])
        self.assertFalse(copy.is_ready())
        self.decide(node, ["e2"])
        self.wait_empty(node)
        # The original has led all the time, and the copy never has.
        self.assertEqual(trainer.metric("sau_trainer_epoch"), epoch)
        self.assertTrue(trainer.is_ready())
        self.assertNotIn("leads now", copy.log())
        # What the sentence says helps.
        copy.stop()
        os.remove(self.path("trainer-copy", "trainer.json"))
        copy.start()
        self.wait_ready(copy)
        self.same(trainer, copy)

        # Two nodes with one spool would ship different records under the same numbers.
        twin = self.node(nats.url, "node-copy")
        for each in (node, twin):
            self.says(each, "another node has the same id")
        self.says(twin, "the folder is an old copy")
        for each in (node, twin):
            self.until(lambda each=each: each.rank(eventId="e3").status == 503, lambda: "it is refused")
            self.assertFalse(each.is_ready())
        twin.kill()
        self.wait_ready(node)
        self.decide(node, ["e4"])
        self.wait_empty(node)
        for each in (node, trainer, copy):
            each.stop()
        self.assertEqual(self.checked("trainer"), self.checked("trainer-copy"))

    def test_the_stream_and_the_leader_are_lost_together(self):
        nats, leader, standby, node = self.leader_and_standby(["e1", "e2"])
        # The standby misses what comes now; the node drops it, since the leader has it.
        self.pause(standby)
        self.decide(node, ["e3", "e4"])
        self.wait_empty(node)
        leader.kill()
        nats.wipe()
        self.resume(standby)
        self.says(standby, "may have more of it: start that one, or lead with --lead")
        self.assertEqual(standby.metric("sau_trainer_leads"), 0)
        self.until(lambda: not standby.is_ready(), lambda: "a standby without a leader is not ready")
        self.assertEqual(node.rank(eventId="e5").status, 201)
        # With --lead it goes on without e3 and e4, and says how much that was.
        standby.stop()
        standby.args += ("--lead",)
        standby.start()
        self.leads(standby)
        self.wait_empty(node)
        self.wait_ready(standby, node)
        self.assertEqual(standby.metric("sau_given_up_records_total"), 4)
        self.assertIn("are given up", standby.log())
        # The other one has another log by now: it says so and does nothing.
        leader.start()
        self.says(leader, "this trainer's log is not the beginning of the leader's")
        self.assertFalse(leader.is_ready())
        for each in (node, standby):
            each.stop()
        leader.kill()
        self.assertEqual(set(self.exported("standby")), {"e1", "e2", "e5"})
        self.checked("standby")

    def test_the_leader_comes_back_after_the_stream_was_lost(self):
        nats, leader, standby, node = self.leader_and_standby(["e1"])
        leader.kill()
        nats.wipe()
        self.says(standby, "may have more of it: start that one, or lead with --lead")
        leader.start()
        self.wait_ready(leader, standby)
        self.decide(node, ["e2"])
        self.wait_empty(node)
        self.same(leader, standby)
        for each in (node, standby, leader):
            each.stop()
        self.assertEqual(self.checked("leader"), self.checked("standby"))
        self.assertEqual(set(self.exported("leader")), {"e1", "e2"})

    def test_a_trainer_from_a_backup(self):
        nats, trainer, node = self.one_trainer()
        self.good("log", "backup", "trainer", "backup")
        # The node has heard of later leaders than the restored folder knows.
        for _ in range(2):
            trainer.kill()
            trainer.start()
            self.leads(trainer)
        self.decide(node, ["e2", "e3"])
        self.wait_empty(node)
        trainer.kill()
        shutil.rmtree(self.path("trainer"))
        self.good("log", "restore", "trainer", "backup")
        trainer.start()
        self.wait_ready(trainer)
        self.decide(node, ["e4"])
        self.wait_empty(node)
        # The stream still had what came after the backup, and the node uses the new model.
        self.until(lambda: trainer.metric("sau_model_events") == 4, lambda: trainer.log()[-2000:])
        self.until(lambda: node.metric("sau_model_version") == trainer.metric("sau_model_version"),
                   lambda: "the node has the trainer's model")

        # Without the stream nobody has it: that is said, and not passed over.
        trainer.kill()
        nats.wipe()
        shutil.rmtree(self.path("trainer"))
        self.good("log", "restore", "trainer", "backup")
        trainer.start()
        self.says(trainer, "has dropped its records before")
        self.says(node, "the leading trainer lacks records 3 to")
        self.until(lambda: not trainer.is_ready(), lambda: "it is not ready")
        trainer.stop()
        trainer.args += ("--lead",)
        trainer.start()
        self.wait_ready(trainer)
        self.until(lambda: trainer.metric("sau_given_up_records_total") == 6,
                   lambda: trainer.log()[-2000:])
        self.decide(node, ["e5"])
        self.wait_empty(node)
        node.stop()
        trainer.stop()
        self.assertEqual(set(self.exported("trainer")), {"e1", "e5"})
        self.checked("trainer")

    def test_a_leader_with_a_full_disk_gives_up_the_lease(self):
        nats = NatsServers(self)
        # Its files cannot grow beyond 1 MB.
        full = self.trainer(nats.url, "full", "--agent", AGENT, limits={resource.RLIMIT_FSIZE: 1_000_000})
        self.leads(full)
        standby = self.trainer(nats.url, "standby", "--agent", AGENT)
        node = self.node(nats.url)
        self.wait_ready(full, standby, node)
        acknowledged = []

        def decide_more():
            name = f"e{len(acknowledged)}"
            answer = node.rank(eventId=name, actions=[{"id": f"{name}-{i}-" + os.urandom(100).hex()}
                                                      for i in range(200)])
            self.assertEqual(answer.status, 201, answer.body)
            acknowledged.append(name)
            return standby.metric("sau_trainer_leads") == 1.0

        self.until(decide_more, lambda: f"the standby leads\n{full.log()[-2000:]}")
        self.assertIn("gives up the lead", full.log())
        self.until(lambda: not full.is_ready(), lambda: "a trainer that cannot write is not ready")
        self.wait_empty(node)
        for each in (node, standby):
            each.stop()
        full.kill()
        self.assertEqual(set(self.exported("standby")), set(acknowledged))
        self.checked("standby")

    def test_a_leader_that_stood_still_and_clocks_that_differ(self):
        self.assertTrue(FAKETIME, "libfaketime is not installed: run tools/setup.sh test")

        def clock(shift):
            return dict(os.environ, LD_PRELOAD=FAKETIME[0], FAKETIME=shift, FAKETIME_DONT_FAKE_MONOTONIC="1")

        nats = NatsServers(self)
        trainers = [self.trainer(nats.url, "late", "--agent", AGENT, env=clock("-3h"))]
        self.leads(trainers[0])
        trainers.append(self.trainer(nats.url, "early", "--agent", AGENT, env=clock("+3h")))
        node = self.node(nats.url)
        self.wait_ready(*trainers, node)
        names = []
        for turn in range(2):
            self.assertEqual(node.rank(eventId=f"open{turn}").status, 201)
            old, new = trainers[turn], trainers[1 - turn]
            self.same(old, new)
            self.pause(old)
            self.leads(new)
            names += [f"e{turn}", f"f{turn}"]
            self.decide(node, names[-2:])
            # Its reward comes after the takeover, by a clock that differs by six hours.
            self.assertEqual(node.reward(f"open{turn}", 1).status, 204)
            self.resume(old)
            self.wait_empty(node)
            self.until(lambda old=old: old.metric("sau_trainer_leads") == 0.0, lambda: "it stands by")
            self.wait_ready(old)
            self.same(old, new)
        for each in (node, *trainers):
            each.stop()
        self.assertEqual(self.checked("late"), self.checked("early"))
        events = self.exported("late")
        self.assertEqual(set(events), {*names, "open0", "open1"})
        for name, event in events.items():
            self.assertEqual([reward["late"] for reward in event["rewards"]], [False], name)

    def test_the_first_decision_of_an_event(self):
        nats = NatsServers(self)
        trainer = self.trainer(nats.url, "trainer", "--agent", AGENT)
        first = self.node(nats.url, "first", "--confirm", "stream")
        second = self.node(nats.url, "second", "--confirm", "stream")
        other = self.node(nats.url, "other")
        self.wait_ready(trainer, first, second, other)
        # These two keep the model that has learned nothing: they have it on disk, and are started
        # again when there is no trainer.
        for each in (second, other):
            self.until(lambda each=each: os.path.exists(self.path(each.folder, "published.sau")),
                       lambda: "the model is on disk")
            each.kill()
        for i in range(40):
            answer = first.rank(eventId=f"lesson{i}").json()
            first.reward(f"lesson{i}", 1 if answer["rewardActionId"] == "a" else -1)
        self.until(lambda: first.metric("sau_model_events") == 40, lambda: "it has learned")
        trainer.kill()
        for each in (second, other):
            each.start()
            self.wait_ready(each)
        names = [f"e{i}" for i in range(20)]
        decided = {name: first.rank(eventId=name).json() for name in names}
        own = {name: other.rank(eventId=name).json() for name in names}
        self.assertNotEqual(decided, own, "the models are different")
        self.assertEqual({name: second.rank(eventId=name).json() for name in names}, decided)
        # Also when it asks again, and when it asks for something else.
        self.assertEqual(second.rank(eventId="e0").json(), decided["e0"])
        self.assertEqual(first.rank(eventId="e0").json(), decided["e0"])
        self.assertEqual(first.rank(eventId="new").status, 201)
        refused = second.rank(eventId="new", actions=[{"id": "x"}])
        self.assertEqual(refused.status, 409, refused.body)
        trainer.start()
        self.wait_ready(trainer)
        self.wait_empty(first, second, other)
        for each in (first, second, other, trainer):
            each.stop()
        events = self.exported("trainer")
        self.assertEqual({name: events[name]["rewardActionId"] for name in names},
                         {name: decided[name]["rewardActionId"] for name in names})

    def test_a_trainer_shows_all_members(self):
        nats = NatsServers(self)
        trainers = [self.trainer(nats.url, f"trainer{i}", "--agent", AGENT) for i in range(2)]
        nodes = [self.node(nats.url, f"node{i}") for i in range(2)]
        self.wait_ready(*trainers, *nodes)
        self.decide(nodes[0], ["e1"])
        self.wait_empty(*nodes)
        for each in trainers:
            def members(each=each):
                return each.call("GET", "/v1/status").json()["cluster"]

            self.until(lambda: len(members()["nodes"]) == 2 and len(members()["trainers"]) == 2 and
                       sum(node["ranks"] for node in members()["nodes"]) == 1 and
                       all(node["ready"] and node["lag"] == 0 for node in members()["nodes"]) and
                       [trainer["leads"] for trainer in members()["trainers"]].count(True) == 1,
                       lambda: json.dumps(members()))
            self.assertIsNone(members()["fault"])
            self.assertEqual([trainer["this"] for trainer in members()["trainers"]], [True, False])
        self.assertIsNone(nodes[0].call("GET", "/v1/status").json()["cluster"])
        self.assertEqual(trainers[0].call("GET", BASE + "/configurations/service").status, 200)


if __name__ == "__main__":
    unittest.main()
