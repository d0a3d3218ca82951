#!/usr/bin/env python3
"""Clusters whose NATS servers want TLS, passwords, certificates or credential files; and how each member
of a cluster says what is wrong with them."""

import sys

sys.dont_write_bytecode = True

import os
import unittest

from _cluster import AGENT, NATS, ClusterTestCase, NatsServers
from _nats_accounts import ACCOUNT, Accounts, Certificates, Key


@unittest.skipUnless(os.path.exists(NATS), "nats-server is not installed")
class Access(ClusterTestCase):
    def works(self, nats, url, *args):
        """A trainer and a node get in, and learn from an event. The NATS server may have come later, and
        may be started again."""
        trainer = self.trainer(url, "trainer", "--agent", AGENT, *args)
        node = self.node(url, "node", *args)
        self.wait_ready(trainer, node)
        nats.kill(0)
        self.assertEqual(node.rank(eventId="e1").status, 201)
        nats.start(0)
        self.assertEqual(node.reward("e1", 1).status, 204)
        self.wait_empty(node)
        self.until(lambda: node.metric("sau_model_events") == 1, lambda: "the node has the model")
        for each in (node, trainer):
            each.stop()

    def wrong(self, url, *args, says):
        self.refused(1, "train", "refused", "--join", url, *args, says=says)
        self.refused(1, "serve", "refused-node", "--join", url, *args, says=says)

    def test_tls_with_a_password(self):
        certificates = Certificates(self.folder)
        certificate, key = certificates.make("server")
        nats = NatsServers(self, extra=f'tls {{ cert_file: "{certificate}", key_file: "{key}" }}\n'
                           'authorization { user: "sau", password: "secret" }\n')
        nats.wait()
        address = f"localhost:{nats.ports[0]}"
        right = f"nats://sau:secret@{address}"
        ca = ("--nats-ca", certificates.ca)
        self.works(nats, right, *ca)
        nats.wait()
        self.wrong(f"nats://sau:wrong@{address}", *ca, says=[address, "the server refuses the credentials"])
        self.wrong(f"nats://{address}", *ca, says=["the server refuses the credentials"])
        self.wrong(right, says=["TLS", "--nats-ca"])
        other = Certificates(self.folder, "other")
        said = self.refused(1, "train", "refused", "--join", right, "--nats-ca", other.ca,
                            says=[address, "TLS", "issuer certificate"])
        self.assertNotIn("secret", said.err)
        self.wrong(right, "--nats-ca", "nowhere.pem", says=["nowhere.pem"])
        # A certificate for another machine.
        nats.kill(0)
        certificates.make("server", "DNS:elsewhere")
        nats.start(0)
        nats.wait()
        self.wrong(right, *ca, says=[address, "TLS"])

    def test_tls_with_a_certificate_of_the_member(self):
        certificates = Certificates(self.folder)
        certificate, key = certificates.make("server")
        nats = NatsServers(self, extra=f'tls {{ cert_file: "{certificate}", key_file: "{key}", '
                           f'ca_file: "{certificates.ca}", verify: true }}\n')
        nats.wait()
        url = f"tls://localhost:{nats.ports[0]}"
        own, own_key = certificates.make("member")
        ca = ("--nats-ca", certificates.ca)
        self.works(nats, url, *ca, "--nats-certificate", own, "--nats-key", own_key)
        nats.wait()
        self.wrong(url, *ca, "--nats-certificate", own, "--nats-key", key, says=["member.crt"])
        self.wrong(url, *ca, "--nats-certificate", "nowhere.crt", "--nats-key", own_key, says=["nowhere.crt"])

    def test_a_server_without_tls(self):
        certificates = Certificates(self.folder)
        nats = NatsServers(self)
        nats.wait()
        self.wrong(nats.url, "--nats-ca", certificates.ca, says=["the server has no TLS"])

    def test_files_with_credentials(self):
        accounts = Accounts(self.folder)
        nats = NatsServers(self, extra=accounts.configuration)
        nats.wait()
        self.works(nats, nats.url, "--nats-credentials", accounts.credentials("member"))
        nats.wait()
        self.wrong(nats.url, says=["the server refuses the credentials"])
        stranger = accounts.credentials("stranger", Key(self.folder, ACCOUNT, "strangers"))
        self.wrong(nats.url, "--nats-credentials", stranger, says=["the server refuses the credentials"])
        self.wrong(nats.url, "--nats-credentials", "nowhere.creds", says=["nowhere.creds"])
        self.write("empty.creds", b"\n")
        self.wrong(nats.url, "--nats-credentials", "empty.creds", says=["empty.creds"])

    def test_credentials_that_are_refused_later(self):
        nats = NatsServers(self, extra='authorization { user: "sau", password: "secret" }\n')
        nats.wait()
        right = nats.url.replace("//", "//sau:secret@")
        trainer = self.trainer(right, "trainer", "--agent", AGENT)
        node = self.node(right, "node")
        self.wait_ready(trainer, node)
        # Somebody changes the password.
        nats.kill(0)
        with open(self.path("nats0.conf"), encoding="utf-8") as file:
            changed = file.read().replace("secret", "changed")
        self.write("nats0.conf", changed.encode())
        nats.start(0)
        for each in (trainer, node):
            self.until(lambda each=each: "refuse this connection" in each.log(),
                       lambda each=each: each.log()[-2000:])
        self.assertFalse(trainer.is_ready())
        # The node goes on, and nothing is lost.
        self.assertEqual(node.rank(eventId="e1").status, 201)
        self.assertEqual(node.metric("sau_nats_connected"), 0)
        for each in (trainer, node):
            each.stop()
            each.url = nats.url.replace("//", "//sau:changed@")
            each.start()
        self.wait_ready(trainer, node)
        self.wait_empty(node)
        for each in (node, trainer):
            each.stop()
        self.assertEqual(set(self.exported("trainer")), {"e1"})


if __name__ == "__main__":
    unittest.main()
