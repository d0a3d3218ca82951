#!/usr/bin/env python3
"""The clients of examples/clients against a running sau serve."""

import sys

sys.dont_write_bytecode = True

import json
import os
import re
import shutil
import signal
import subprocess
import unittest
import urllib.request

from _support import DEADLINE, PROGRAM, SauTestCase

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
CPP_CLIENT = os.path.join(os.path.dirname(PROGRAM), "examples", "cpp_client")
JAVASCRIPT_CLIENT = os.path.join(EXAMPLES, "clients", "javascript", "client.mjs")
VISITS = 200


class Clients(SauTestCase):
    def setUp(self):
        super().setUp()
        with open(self.path("keys"), "w") as file:
            file.write("# of the examples\n" + 2 * "0123456789abcdef" + "\n")
        self.server = self.start("serve", "folder", "--port", "0", "--key-file", "keys")
        self.endpoint = re.search(r"http://\S+(?=/)", self.server.stdout.readline()).group(0)

    def client(self, *command, key=2 * "0123456789abcdef"):
        return subprocess.run([*command, self.endpoint, str(VISITS)], capture_output=True, text=True,
                              timeout=DEADLINE, check=False, env={**os.environ, "SAU_KEY": key})

    def status(self):
        request = urllib.request.Request(self.endpoint + "/v1/status", headers={
            "Ocp-Apim-Subscription-Key": 2 * "0123456789abcdef"})
        with urllib.request.urlopen(request, timeout=DEADLINE) as reply:
            return json.load(reply)

    def check(self, *command):
        done = self.client(*command)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # The service learns at the lowest priority. Once it has learned, it serves better.
        self.wait_for(lambda: self.status()["totals"]["learnerLag"] == 0, self.server)
        self.wait_for(lambda: self.status()["model"]["eventsLearned"] == VISITS, self.server)
        done = self.client(*command)
        clicks = int(re.search(rf"(\d+) of {VISITS} clicked", done.stdout).group(1))
        # By chance alone, as if no reward arrived, it would be 100 with a deviation of 7.
        self.assertGreater(clicks, 130)
        totals = self.status()["totals"]
        self.assertEqual((totals["ranks"], totals["rewards"], totals["waiting"]),
                         (2 * VISITS, 2 * VISITS, 0))
        self.server.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.wait(DEADLINE), 0)
        self.assertIn("all good", self.good("log", "verify", "folder").out)
        self.assertIn("the same, byte for byte", self.good("log", "replay", "folder").out)

    @unittest.skipUnless(os.path.exists(CPP_CLIENT), "examples are not built")
    def test_cpp(self):
        self.check(CPP_CLIENT)
        self.assertEqual(subprocess.run([CPP_CLIENT], capture_output=True, check=False).returncode, 2)

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_javascript(self):
        self.check("node", JAVASCRIPT_CLIENT)

    @unittest.skipUnless(os.path.exists(CPP_CLIENT), "examples are not built")
    def test_without_the_key(self):
        done = self.client(CPP_CLIENT, key="wrong")
        self.assertEqual(done.returncode, 1)
        self.assertIn("status 401", done.stderr)


if __name__ == "__main__":
    unittest.main()
