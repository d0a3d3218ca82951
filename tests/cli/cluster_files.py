#!/usr/bin/env python3
"""The files in contrib/ that run a cluster: the systemd units and the compose file. Everything in them is
started here, with other addresses and folders."""

import sys

sys.dont_write_bytecode = True

import os
import re
import shlex
import shutil
import subprocess
import unittest

from _cluster import AGENT, NATS, ClusterTestCase, Member, NatsServers
from _nats_accounts import Accounts
from _support import DEADLINE, PROGRAM, stop
from ports import free_ports

CONTRIB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../contrib")


def contents(name):
    with open(os.path.join(CONTRIB, name), encoding="utf-8") as file:
        return file.read()


def settings(unit):
    """What the comment of a unit proposes for its EnvironmentFile."""
    return dict(re.findall(r"^#   (SAU_[A-Z_]+)=(.*)$", unit, re.MULTILINE))


@unittest.skipUnless(os.path.exists(NATS), "nats-server is not installed")
class Files(ClusterTestCase):
    def started(self, words, url, **options):
        """Starts a member with the words of a unit or of the compose file."""
        command, folder, join, named, *rest = words
        self.assertIn(command, ("serve", "train"))
        self.assertEqual(join, "--join")
        self.assertTrue(named.startswith("nats://"))
        if "--port" in rest:  # Member has one of its own
            del rest[rest.index("--port"):rest.index("--port") + 2]
        return Member(self, command, folder, url, *rest, **options)

    def test_the_units(self):
        accounts = Accounts(self.folder)
        nats = NatsServers(self, extra=accounts.configuration)
        nats.wait()
        members = []
        for name in ("sau-trainer.service", "sau-node.service"):
            unit = contents(name)
            given = settings(unit)
            self.assertEqual(set(given), {"SAU_JOIN", "SAU_CLUSTER_OPTIONS"}, name)
            files = re.findall(r"^EnvironmentFile=-?(\S+)$", unit, re.MULTILINE)
            self.assertIn("/etc/sau/cluster.conf", files)
            line = re.search(r"^ExecStart=sau (.*)$", unit, re.MULTILINE)[1]
            line = line.replace("${SAU_JOIN}", given["SAU_JOIN"])
            line = line.replace("$SAU_CLUSTER_OPTIONS", given["SAU_CLUSTER_OPTIONS"])
            line = line.replace("$SAU_OPTIONS", "--agent " + AGENT if "trainer" in name else "")
            state = re.search(r"^StateDirectory=(.*)$", unit, re.MULTILINE)[1]
            self.assertIn(f"%S/{state} ", line)
            words = shlex.split(line.replace("%S/", ""))
            self.assertNotIn("$", " ".join(words))
            words[words.index("/etc/sau/nats.creds")] = accounts.credentials(name)
            members.append(self.started(words, nats.url))
        self.wait_ready(*members)
        for each in reversed(members):
            each.stop()

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd is not installed")
    def test_systemd_takes_the_units(self):
        for name in ("sau-trainer.service", "sau-node.service"):
            # The program need not be installed.
            self.write(name, contents(name).replace("ExecStart=sau ", f"ExecStart={PROGRAM} ").encode())
            done = subprocess.run(["systemd-analyze", "verify", self.path(name)], check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=DEADLINE)
            said = [line for line in done.stdout.decode().splitlines() if name in line]
            self.assertEqual((done.returncode, said), (0, []), done.stdout)

    def test_the_compose_file(self):
        text = contents("cluster-compose.yml")
        services = text[text.index("\nservices:\n"):text.index("\nnetworks:\n")]
        commands = dict(re.findall(r"^  (\w+):\n(?:    .*\n)*?    command: (.*)$", services, re.MULTILINE))
        self.assertEqual(set(commands), {"nats0", "nats1", "nats2", "trainer0", "trainer1", "node0", "node1"})
        volumes = set(re.findall(r"^  (\w+):$", text[text.index("\nvolumes:\n"):], re.MULTILINE))
        self.assertEqual(volumes, set(commands))
        for name, volume in re.findall(r"volumes: \[(\w+):(/[\w/]+)", services):
            # What a container keeps is on its volume.
            self.assertIn(f" {volume}", commands[name])

        servers = [name for name in commands if name.startswith("nats")]
        numbers = free_ports(2 * len(servers))
        client, routes = numbers[:len(servers)], numbers[len(servers):]
        processes = []
        for i, name in enumerate(servers):
            line = commands[name].replace("0.0.0.0:6222", f"127.0.0.1:{routes[i]}")
            line = line.replace("/data", self.path(name))
            for other, port in zip(servers, routes):
                line = line.replace(f"{other}:6222", f"127.0.0.1:{port}")
            with open(self.path(name + ".log"), "wb") as log:
                processes.append(subprocess.Popen([NATS, *shlex.split(line), "--addr", "127.0.0.1", "--port",
                                                   str(client[i])], stdout=log, stderr=log))
            self.addCleanup(stop, processes[-1])
        url = ",".join(f"nats://127.0.0.1:{port}" for port in client)
        key = "0123456789abcdef0123456789abcdef"
        self.write("keys", (key + "\n").encode())
        os.chmod(self.path("keys"), 0o600)
        members = []
        for name, command in commands.items():
            if name in servers:
                continue
            words = shlex.split(command)
            words[1] = name
            if "--listen" in words:
                words[words.index("--listen") + 1] = "127.0.0.1"
                words[words.index("--key-file") + 1] = self.path("keys")
            members.append(self.started(words, url))
        self.wait_ready(*members)
        for each in reversed(members):
            each.stop()
        self.assertEqual([each.poll() for each in processes], [None] * 3)


if __name__ == "__main__":
    unittest.main()
