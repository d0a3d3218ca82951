#!/usr/bin/env python3
"""Nodes, trainers and NATS servers are killed at random under load, and NATS loses its whole store:
everything acknowledged is in the trainer's log exactly once, and both trainers have the same log
and the same model, byte for byte.

With SAU_CLUSTER_KILLS=50 SAU_CLUSTER_WIPES=3 it takes some minutes, and prints what it measured.
"""

import sys

sys.dont_write_bytecode = True

import os
import random
import time
import unittest

from _cluster import AGENT, NATS, ClusterLoad, ClusterTestCase, NatsServers

KILLS = int(os.environ.get("SAU_CLUSTER_KILLS", "6"))
WIPES = int(os.environ.get("SAU_CLUSTER_WIPES", "1"))


@unittest.skipUnless(os.path.exists(NATS), "nats-server is not installed")
class Kill(ClusterTestCase):
    def nothing_waits(self, trainer):
        if trainer is None:
            return False
        totals = trainer.call("GET", "/v1/status").json()["totals"]
        return (totals["waiting"] == 0 and totals["learnerLag"] == 0 and
                trainer.metric("sau_early_rewards") == 0)

    def test_nothing_acknowledged_is_lost_or_repeated(self):
        rng = random.Random(23)
        nats = NatsServers(self, 3)
        trainers = [self.trainer(nats.url, f"trainer{i}", "--agent", AGENT) for i in range(2)]
        nodes = [self.node(nats.url, f"node{i}") for i in range(2)]
        self.wait_ready(*trainers, *nodes)
        answer = nodes[0].call("PUT", "/personalizer/v1.0/configurations/service",
                               {"rewardWaitTime": "PT5S"})
        self.assertEqual(answer.status, 200, answer.body)
        load = ClusterLoad(nodes, threads=2, seed=23, pause=0.005)
        steps = ["kill"] * KILLS + ["wipe"] * WIPES
        rng.shuffle(steps)
        takeovers, killed = [], {"node": 0, "leader": 0, "standby": 0, "nats": 0}
        for step in steps:
            before = len(load.decided)
            self.until(lambda before=before: len(load.decided) > before + 30 or load.failures,
                       lambda: f"decisions are made: {dict(load.answers)}")
            if step == "wipe":
                nats.wipe()
                continue
            kind = rng.choice(["node", "trainer", "nats"])
            if kind == "nats":
                i = rng.randrange(3)
                nats.kill(i)
                time.sleep(rng.random())
                nats.start(i)
                killed["nats"] += 1
            elif kind == "node":
                node = rng.choice(nodes)
                node.kill()
                node.start()
                killed["node"] += 1
            else:
                self.until(lambda: self.leader(trainers) is not None, lambda: "somebody leads")
                leader = self.leader(trainers)
                victim = leader if leader is not None and rng.random() < 0.7 else rng.choice(trainers)
                victim.kill()
                if victim is leader and rng.random() < 0.5:
                    begin = time.monotonic()
                    other = next(each for each in trainers if each is not victim)
                    while other.metric("sau_trainer_leads") != 1.0:
                        if time.monotonic() > begin + 30:
                            break  # it waits for the other: the stream was lost with it
                        time.sleep(0.05)
                    else:
                        takeovers.append(time.monotonic() - begin)
                victim.start()
                killed["leader" if victim is leader else "standby"] += 1
        load.finish()
        self.assertFalse(load.failures)
        self.wait_empty(*nodes)
        self.until(lambda: self.leader(trainers) is not None, lambda: "somebody leads")
        # Events wait for five seconds; afterwards nothing moves any more.
        self.until(lambda: self.nothing_waits(self.leader(trainers)),
                   lambda: "nothing waits\n" + "\n".join(
                       str(each.call("GET", "/v1/status").body[:600]) for each in trainers))
        self.until(lambda: trainers[0].metric("sau_stream_messages_total") ==
                   trainers[1].metric("sau_stream_messages_total"),
                   lambda: "the standby has everything\n" + "\n".join(
                       each.log()[-1500:] for each in trainers))
        for each in trainers:
            # Learned and not only logged, or a stop would come before the end of the log.
            self.until(lambda each=each: self.nothing_waits(each), lambda: "everything is learned")
        for each in trainers:
            self.assertEqual(each.metric("sau_models_different_total"), 0, each.log()[-2000:])
            self.assertEqual(each.metric("sau_trainer_fault"), 0, each.log()[-2000:])
        for each in nodes + trainers:
            each.stop()
        logs = [self.checked(each.folder) for each in trainers]
        self.assertEqual(logs[0], logs[1])
        models = []
        for each in trainers:
            with open(self.path(each.folder, "model.sau"), "rb") as file:
                models.append(file.read())
        self.assertEqual(models[0], models[1])
        decisions, rewards = load.check(self, logs[0])
        self.assertGreater(rewards, 0)
        if KILLS > 6:
            print(f"{KILLS} kills {killed}, {WIPES} wipes: {decisions} decisions, {rewards} rewards "
                  f"acknowledged, answers {dict(load.answers)}; takeovers "
                  f"{sorted(round(each, 1) for each in takeovers)} s")


if __name__ == "__main__":
    unittest.main()
