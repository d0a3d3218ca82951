"""An agent in Python and a service learn the same from the same events."""

import http.client
import json
import subprocess
import time

import numpy as np
import pytest

import sau

BASE = "/personalizer/v1.0"


class Service:
    """A `sau serve` in the background."""

    def __init__(self, program, folder, agent):
        self.process = subprocess.Popen(
            [program, "serve", str(folder), "--port", "0", "--agent", agent, "--seed", "7"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("serving "), line
        port = int(line.split()[-1].rstrip("/").rpartition(":")[2])
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)

    def call(self, method, path, body=None):
        self.connection.request(method, path, body=None if body is None else json.dumps(body))
        reply = self.connection.getresponse()
        text = reply.read()
        assert reply.status < 300, text
        return text

    def rank(self, event, context, actions, excluded=()):
        """Sends the request as the service expects it: features in a list, apart from the id."""
        listed = []
        for action in actions:
            action = {"id": action} if isinstance(action, str) else dict(action)
            listed.append({"id": action.pop("id"), "features": [action]})
        request = {"eventId": event, "contextFeatures": [context], "actions": listed,
                   "excludedActions": list(excluded)}
        return json.loads(self.call("POST", BASE + "/rank", request))

    def wait_learned(self, count):
        for _ in range(30_000):  # the service learns at the lowest priority
            if json.loads(self.call("GET", "/v1/status"))["model"]["eventsLearned"] == count:
                return
            time.sleep(0.01)
        raise AssertionError("the service has not learned")

    def stop(self):
        """Stops it and returns its exit code."""
        self.connection.close()
        self.process.terminate()
        self.process.stdout.close()
        return self.process.wait(timeout=300)


@pytest.fixture
def serve(program, tmp_path):
    """Starts a service in tmp_path/served, and ends it after the test."""
    started = []

    def start(agent):
        started.append(Service(program, tmp_path / "served", agent))
        return started[-1]

    yield start
    for service in started:
        service.stop()


def event(n, rng):
    """A context and actions with features of every kind."""
    context = {
        "device": ["mobile", "desktop", "Gerät \"é\"\n"][n % 3],
        "age": int(rng.integers(-5, 60)),
        "score": float(rng.normal()),
        "tiny": 1e-60,
        "large": 2**63 + 5,
        "nothing": None,
        "member": bool(n % 2),
        "vector": rng.normal(size=4).tolist(),
        "tags": ["x", "y", None, True, 2, [3, "z"], {"deep": 1}],
        "user": {"city": {"name": "Bern", "size": 3}, "age": 31},
        "": "empty name",
    }
    actions = [{"id": f"a{i}", "topic": f"t{i % 2}", "price": i / 3, "image": {"kind": [i, "wide"]}}
               for i in range(int(rng.integers(2, 5)))]
    return context, [*actions, "plain"]


AGENTS = ["hashed_linear+sau_sampling", "hashed_mlp(hidden=16)+sau_ucb", "linear+sau_ucb"]


@pytest.mark.parametrize("spec", AGENTS)
def test_an_agent_learns_from_the_log_what_the_service_learned(spec, serve, program, tmp_path):
    rng = np.random.default_rng(1)
    folder = tmp_path / "served"
    service = serve(spec)
    # By default the service adds uniform choices.
    service.call("PUT", BASE + "/configurations/service", {"explorationPercentage": 0, "probabilityFloor": 0})
    events = {}
    for n in range(60):
        context, actions = events[f"e{n}"] = event(n, rng)
        service.rank(f"e{n}", context, actions, ["a0"] if n % 4 == 0 else [])
        service.call("POST", f"{BASE}/events/e{n}/reward", {"value": float(rng.uniform(-1, 1))})
    service.wait_learned(60)

    agent = sau.Agent(spec, seed=7)
    as_logged = sau.Agent(spec, seed=7)  # learns the same from the log alone
    log = subprocess.run([program, "log", "export", str(folder)], check=True, capture_output=True,
                         text=True).stdout
    for line in log.splitlines():
        logged = json.loads(line)
        context, actions = events[logged["eventId"]]
        ids = [each["id"] for each in logged["actions"]]
        chosen = ids.index(logged["rewardActionId"])
        forecast = logged["actions"][chosen]
        choice = sau.OfferChoice(actions[chosen], forecast["value"], context)
        assert choice.id == logged["rewardActionId"]
        agent.learn(choice, logged["reward"])
        request = logged["request"]
        as_logged.learn(
            sau.OfferChoice(request["actions"][chosen], forecast["value"],
                            request["contextFeatures"]), logged["reward"])
    assert agent._state() == as_logged._state()

    # Both decide the same next, and the service's file holds the same state.
    for n in range(5):
        context, actions = event(n, rng)
        answer = service.rank(f"next-{n}", context, actions, ["plain"])
        chances = agent.probabilities(context, actions, excluded=["plain"])
        assert [each["probability"] for each in answer["ranking"]] == chances.tolist()
    assert service.stop() == 0
    state = agent._state()
    learned = state[state.index((7).to_bytes(8, "little") + b"learned"):]
    assert len(learned) > 100
    assert learned in (folder / "model.sau").read_bytes()
