"""Callers of sau serve that remember what was acknowledged, and check that it is still there."""

import collections
import http.client
import random
import threading

from _serve import BASE, Caller
from _support import DEADLINE

LOST = (ConnectionError, http.client.HTTPException, TimeoutError, OSError)


class Event:
    """What the caller knows about an event."""

    def __init__(self, answer, active):
        self.answer, self.active = answer, active
        self.rewards = []   # acknowledged
        self.perhaps = []   # sent, and not answered
        self.activated = active

    def check(self, case, decision, rewards=None):
        """Checks that the server knows the same; `rewards` are those acknowledged before the server
        was asked, if they are not all."""
        name = decision["eventId"]
        rewards = self.rewards if rewards is None else rewards
        case.assertEqual(decision["rewardActionId"], self.answer["rewardActionId"], name)
        case.assertEqual([{"id": action["id"], "probability": action["probability"]}
                          for action in decision["actions"]], self.answer["ranking"], name)
        known = collections.Counter(reward["value"] for reward in decision["rewards"])
        case.assertFalse(collections.Counter(rewards) - known, name)
        # In this order: a caller moves a reward from one list to the other when it is acknowledged.
        sent = self.perhaps + self.rewards
        case.assertFalse(known - collections.Counter(sent), name)
        if decision["state"] == "learned":
            case.assertEqual(decision["reward"], decision["rewards"][0]["value"], name)
        if not self.activated:
            case.assertEqual(decision["state"], "inactive", name)


class Load:
    """Threads that rank and reward as fast as they are answered, on one server after another."""

    def __init__(self, case, threads, seed):
        self.case, self.seed, self.threads = case, seed, threads
        self.events = {}
        self.recent = collections.deque(maxlen=16)
        self.failures = []
        self.unavailable = 0  # answers of status 503
        self.unanswered = {}  # by thread: the rank request that got no answer
        self.nameless = 0  # requests without an event id that got no answer
        self.round = 0

    def start(self, server):
        self.round += 1
        self.stopping = threading.Event()
        self.running = [threading.Thread(target=self.run, args=(server, i), daemon=True)
                        for i in range(self.threads)]
        for thread in self.running:
            thread.start()

    def finish(self):
        self.stopping.set()
        for thread in self.running:
            thread.join(DEADLINE)
            self.case.assertFalse(thread.is_alive())
        self.case.assertEqual(self.failures, [])

    def run(self, server, number):
        chance = random.Random(f"{self.seed}/{self.round}/{number}")
        caller = Caller(server)
        count = 0
        try:
            while not self.stopping.is_set():
                count += 1
                self.one(caller, chance, number, f"r{self.round}-t{number}-{count}")
        except LOST:
            pass  # the server is gone
        except AssertionError as error:
            self.failures.append(str(error))
        finally:
            caller.close()

    def acknowledged(self, answer, status):
        """Whether a request was acknowledged; any status but this one and 503 is a failure."""
        if answer.status == 503:
            assert answer.headers["Retry-After"] == "1", answer.body
            self.unavailable += 1
            return False
        assert answer.status == status, (answer.status, answer.body)
        return True

    def one(self, caller, chance, number, name):
        request = self.unanswered.get(number)
        if request is not None and "eventId" not in request:
            self.nameless += 1  # if sent again, it would be another event
            request = None
        if request is None:
            request = {"eventId": name, "deferActivation": chance.random() < 0.2,
                       "contextFeatures": [{"hour": chance.randrange(24), "who": name[-1]}],
                       "actions": [{"id": f"a{i}", "features": [{"size": i}]}
                                   for i in range(chance.randint(1, 5))]}
            if chance.random() < 0.1:
                del request["eventId"]
            self.unanswered[number] = request
        # A request that got no answer is sent again.
        answer = caller.call("POST", BASE + "/rank", request)
        if not self.acknowledged(answer, 201):
            return
        del self.unanswered[number]
        event = Event(answer.json(), not request["deferActivation"])
        name = event.answer["eventId"]
        assert name == request.get("eventId", name), name
        self.events[name] = event
        self.recent.append(name)
        if not event.active and chance.random() < 0.7:
            event.activated = True
            self.acknowledged(caller.activate(name), 204)
        for _ in range(chance.choice((0, 1, 1, 1, 2))):
            value = round(chance.random(), 3)
            event.perhaps.append(value)
            if self.acknowledged(caller.reward(name, value), 204):
                event.rewards.append(value)
                event.perhaps.remove(value)

    def check_some(self, server, count, chance):
        """Checks the events acknowledged last, and a sample of all."""
        names = sorted(list(self.events))
        names = set(self.recent.copy()) | set(chance.sample(names, min(count, len(names))))
        caller = server.caller()
        for name in names:
            event = self.events[name]
            rewards = list(event.rewards)
            answer = caller.call("GET", "/v1/decisions/" + name)
            self.case.assertEqual(answer.status, 200, answer.body)
            event.check(self.case, answer.json(), rewards)
        caller.close()

    def check_all(self, exported):
        for name, event in self.events.items():
            self.case.assertIn(name, exported)
            event.check(self.case, exported[name])
        unknown = set(exported) - set(self.events)
        waiting = {request["eventId"] for request in self.unanswered.values()
                   if "eventId" in request}
        self.case.assertLessEqual(len(unknown - waiting), self.nameless + len(self.unanswered))
