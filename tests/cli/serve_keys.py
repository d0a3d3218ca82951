#!/usr/bin/env python3
"""Who may call sau serve: keys and their rights, TLS, other sites; and how that is changed."""

import sys

sys.dont_write_bytecode = True

import os
import signal
import ssl
import subprocess
import unittest
import warnings

from _serve import ACTIONS, BASE, ServeTestCase, request_bytes, trusting
from _support import DEADLINE

KEY = "a-key-of-some-length"
OTHER_KEY = "another-key-of-some-length"
SMALL = "hashed_linear(bits=10)+sau_sampling"

# A call for each right: method, path, body, and the status when it is let in.
CALLS = {
    "decide": ("POST", BASE + "/rank", {"eventId": "e", "actions": ACTIONS}, 201),
    "reward": ("POST", BASE + "/events/e/reward", {"value": 1}, 204),
    "read": ("GET", "/v1/status", None, 200),
    "admin": ("PUT", BASE + "/configurations/service", {"defaultReward": 0}, 200),
}


class Keys(ServeTestCase):
    def setUp(self):
        super().setUp()
        self.write("keys", f"# of the shop\n{KEY}\n\n  # of another\n{OTHER_KEY}\n".encode())

    def test_only_callers_with_a_key_are_served(self):
        server = self.serve("--key-file", "keys", "--listen", "0.0.0.0")
        for key in (KEY, OTHER_KEY):
            answer = server.call("GET", "/v1/status", Ocp_Apim_Subscription_Key=key)
            self.assertEqual(answer.status, 200)
            answer = server.call("GET", "/metrics", Authorization=f"Bearer {key}")
            self.assertEqual(answer.status, 200)
        body = {"eventId": "stranger", "actions": ACTIONS}
        for wrong in ({}, {"Ocp_Apim_Subscription_Key": ""},
                      {"Ocp_Apim_Subscription_Key": KEY[:-1]},
                      {"Ocp_Apim_Subscription_Key": KEY + "x"},
                      {"Ocp_Apim_Subscription_Key": KEY + KEY},
                      {"Ocp_Apim_Subscription_Key": KEY.upper()},
                      {"Ocp_Apim_Subscription_Key": "# of the shop"},
                      {"Authorization": "Bearer"}, {"Authorization": "Bearer wrong"},
                      {"Authorization": KEY}, {"Authorization": f"Basic {KEY}"}):
            for method, path in (("POST", "/rank"), ("DELETE", "/model"), ("GET", "/model"),
                                 ("PUT", "/configurations/service"), ("GET", "/nothing")):
                answer = server.call(method, BASE + path, body, **wrong)
                self.refusal(answer, 401, "Unauthorized")
                self.assertTrue(answer.headers["WWW-Authenticate"].startswith('Bearer realm="sau"'))
        for path in ("/v1/decisions/e", "/v1/status", "/metrics"):
            self.refusal(server.call("GET", path), 401, "Unauthorized")
        for path in ("/", "/healthz", "/readyz"):  # for people and machines that watch it
            self.assertEqual(server.call("GET", path).status, 200)
        server.stop()
        self.assertEqual(self.exported(), {})
        self.assertNotIn(KEY, server.log())

    def test_without_keys_other_machines_and_sites_are_refused(self):
        for address in ("0.0.0.0", "::", "192.0.2.1"):
            self.refused(2, "serve", "data", "--listen", address,
                         says=("--listen", address, "--key-file"))
        server = self.serve()
        answer = server.call("GET", "/v1/status", Origin="http://elsewhere.example")
        self.refusal(answer, 403, "BadRequest")
        origin = f"http://127.0.0.1:{server.port}"
        self.assertEqual(server.call("GET", "/v1/status", Origin=origin).status, 200)

    def test_without_keys_other_host_names_are_refused(self):
        server = self.serve()
        for name in ("evil.example", "127.evil.example", "evil.example:80"):
            answer = server.call("GET", "/v1/status", Host=name)
            self.assertEqual(answer.status, 421, name)
        for name in ("localhost", "LOCALHOST:1", "127.0.0.1:99", "[::1]:8080"):
            answer = server.call("GET", "/v1/status", Host=name)
            self.assertEqual(answer.status, 200, name)
        answer = server.call("GET", "/v1/status", Host="LocalHost:1", Origin="http://localhost:1")
        self.assertEqual(answer.status, 200)

    def test_localhost_is_an_address_in_any_case(self):
        self.assertEqual(self.serve("--listen", "LOCALHOST").call("GET", "/healthz").status, 200)

    def test_key_files_that_cannot_be_used(self):
        for text, says in ((b"", "no key"), (b"# nothing\n", "no key"), (b"short\n", "short:1"),
                           (b"with a blank in the middle\n", "short:1"),
                           (f"{KEY}\n{KEY} read\n".encode(), "short:2: this key is in"),
                           (f"{KEY} reed\n".encode(), "short:1: unknown right 'reed'; did you"),
                           (f"{KEY}\u00e9\n".encode(), "short:1: a key may have only")):
            self.write("short", text)
            said = self.refused(1, "serve", "data", "--key-file", "short", says=(says,)).err
            self.assertNotIn(KEY, said)
        self.refused(1, "serve", "data", "--key-file", "nowhere", says=("nowhere",))


    def test_a_key_has_the_rights_that_its_line_names(self):
        keys = {right: f"key-with-right-{right}" for right in CALLS}
        lines = [f"{key} {right}\n" for right, key in keys.items()]
        self.write("keys", "".join(lines + [f"{KEY}\treward  decide \n"]).encode())
        server = self.serve("--key-file", "keys", "--agent", SMALL)
        for right, key in keys.items():
            for needed, (method, path, body, status) in CALLS.items():
                answer = server.call(method, path, body, Ocp_Apim_Subscription_Key=key)
                if needed == right:
                    self.assertEqual(answer.status, status, (right, answer.body))
                    continue
                self.refusal(answer, 403, "Forbidden", says=f"'{needed}'")
                self.assertEqual(answer.headers["WWW-Authenticate"], 'Bearer realm="sau", '
                                 f'error="insufficient_scope", scope="{needed}"')
            # Whoever has a key may know that there is nothing.
            answer = server.call("GET", "/nothing", Ocp_Apim_Subscription_Key=key)
            self.assertEqual(answer.status, 404)
        for needed in CALLS:
            method, path, body, _ = CALLS[needed]
            answer = server.call(method, path, body, Ocp_Apim_Subscription_Key=KEY)
            self.assertEqual(answer.status == 403, needed in ("read", "admin"), needed)

    def test_bearer_by_the_book(self):
        server = self.serve("--key-file", "keys", "--agent", SMALL)
        for value in (f"Bearer {KEY}", f"bearer {KEY}", f"BEARER   {KEY}"):
            self.assertEqual(server.call("GET", "/v1/status", Authorization=value).status, 200)
        for value, said in ((f"Bearer{KEY}", ""), (f"Bear {KEY}", ""), ("Bearer ", ""),
                            ("Bearer nobody-knows-this", ', error="invalid_token"')):
            answer = server.call("GET", "/v1/status", Authorization=value)
            self.refusal(answer, 401, "Unauthorized")
            self.assertEqual(answer.headers["WWW-Authenticate"], 'Bearer realm="sau"' + said)

    def test_a_hangup_reads_the_keys_again_and_drops_no_connection(self):
        os.chmod(self.path("keys"), 0o600)
        server = self.serve("--key-file", "keys", "--agent", SMALL)
        old, new = server.caller(KEY), server.caller("a-new-key-of-some-length")
        self.assertEqual(old.call("GET", "/v1/status").status, 200)
        self.assertEqual(new.call("GET", "/v1/status").status, 401)
        self.hang_up(server, b"short\n", "the old keys and certificates stay: keys:1")
        self.assertEqual(old.call("GET", "/v1/status").status, 200)
        self.hang_up(server, b"a-new-key-of-some-length read\n", "read again: 1 keys of keys")
        # Both connections are those from before.
        self.assertEqual(old.call("GET", "/v1/status").status, 401)
        self.assertEqual(new.call("GET", "/v1/status").status, 200)
        self.assertEqual(new.call("DELETE", BASE + "/model").status, 403)
        self.assertNotIn("may read it", server.log())

    def hang_up(self, server, keys, says):
        with open(self.path("keys"), "wb") as file:  # keeps its mode
            file.write(keys)
        server.process.send_signal(signal.SIGHUP)
        self.wait_for(lambda: says in server.log(), server.process)

    def test_who_else_may_use_the_file_of_keys(self):
        os.chmod(self.path("keys"), 0o644)
        server = self.serve("--key-file", "keys", "--agent", SMALL)
        self.assertIn("keys: everybody on this machine may read it (mode 644)", server.log())
        os.chmod(self.path("keys"), 0o606)
        server.process.send_signal(signal.SIGHUP)
        self.wait_for(lambda: "stay: keys: everybody on this machine may write to it (mode 606)"
                      in server.log(), server.process)
        server.stop()
        self.refused(1, "serve", "data", "--key-file", "keys", says=("keys", "may write to it"))


class Tls(ServeTestCase):
    def setUp(self):
        super().setUp()
        self.certify()

    def certify(self):
        """Makes a certificate and its key, in place of those that are there."""
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
             "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem"],
            cwd=self.folder, check=True, capture_output=True, timeout=DEADLINE)

    def test_a_hangup_reads_the_certificate_again_and_drops_no_connection(self):
        server = self.serve("--tls-certificate", "cert.pem", "--tls-key", "key.pem",
                            "--agent", SMALL, tls=trusting(self.path("cert.pem")))
        old = server.caller()
        self.assertEqual(old.rank(eventId="before").status, 201)
        self.certify()
        server.process.send_signal(signal.SIGHUP)
        self.wait_for(lambda: "read again: the certificate cert.pem" in server.log(),
                      server.process)
        self.assertEqual(old.reward("before", 1).status, 204)
        with self.assertRaises(ssl.SSLCertVerificationError):  # whoever trusts only the old one
            server.call("GET", "/healthz")
        server.tls = trusting(self.path("cert.pem"))
        self.assertEqual(server.rank(eventId="after").status, 201)
        self.write("cert.pem", b"rubbish")
        server.process.send_signal(signal.SIGHUP)
        self.wait_for(lambda: "the old keys and certificates stay: cert.pem" in server.log(),
                      server.process)
        self.assertEqual(server.reward("after", 1).status, 204)
        self.assertEqual(old.call("GET", "/healthz").status, 200)
        server.stop()

    def test_a_hangup_reads_all_files_again_or_none(self):
        key = "a-key-of-some-length"
        self.write("keys", f"{key}\n".encode())
        for secret in ("keys", "key.pem"):
            os.chmod(self.path(secret), 0o600)
        server = self.serve("--tls-certificate", "cert.pem", "--tls-key", "key.pem", "--key-file",
                            "keys", "--agent", SMALL, tls=trusting(self.path("cert.pem")), key=key)
        self.assertEqual(server.call("GET", "/v1/status").status, 200)
        self.certify()
        for text in ("short\n", f"{key} app=nowhere\n"):
            with open(self.path("keys"), "w", encoding="ascii") as file:
                file.write(text)
            before = server.log().count("the old keys and certificates stay")
            server.process.send_signal(signal.SIGHUP)
            self.wait_for(lambda: server.log().count("the old keys and certificates stay") > before,
                          server.process)
            # Whoever trusts only the old certificate is still let in, with the old key.
            self.assertEqual(server.call("GET", "/v1/status").status, 200)

    def test_only_versions_with_forward_secrecy(self):
        server = self.serve("--tls-certificate", "cert.pem", "--tls-key", "key.pem",
                            "--agent", SMALL, tls=trusting(self.path("cert.pem")))

        def agreed(version, ciphers=None):
            """The cipher that both sides agree on; None if they do not."""
            context = trusting(self.path("cert.pem"))
            context.set_ciphers(f"{ciphers or 'ALL'}:@SECLEVEL=0")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of the old versions
                context.minimum_version = context.maximum_version = version
            try:
                with context.wrap_socket(server.connect(), server_hostname="127.0.0.1") as secure:
                    return secure.cipher()[0]
            except (ssl.SSLError, ConnectionResetError):
                return None

        version = ssl.TLSVersion
        self.assertIn("TLS_", agreed(version.TLSv1_3))
        self.assertIn("ECDHE", agreed(version.TLSv1_2))
        for ciphers in ("ECDHE+AESGCM", "ECDHE+CHACHA20"):
            self.assertIn("ECDHE", agreed(version.TLSv1_2, ciphers))
        for ciphers in ("kRSA", "kDHE", "AES128-SHA", "ECDHE+AES+SHA1", "ECDHE+SHA384:!AESGCM", "aNULL"):
            self.assertIsNone(agreed(version.TLSv1_2, ciphers), ciphers)
        for old in (version.TLSv1, version.TLSv1_1):
            self.assertIsNone(agreed(old))
        self.assertEqual(server.call("GET", "/healthz").status, 200)

    def test_rank_and_reward_over_tls(self):
        server = self.serve("--tls-certificate", "cert.pem", "--tls-key", "key.pem",
                            tls=trusting(self.path("cert.pem")))
        self.assertTrue(server.address.startswith("https://"), server.address)
        caller = server.caller()
        self.assertEqual(caller.rank(eventId="t").status, 201)
        self.assertEqual(caller.reward("t", 1).status, 204)
        # Plain HTTP gets no answer, and does not disturb the server.
        self.assertNotIn(b"ok", server.raw(request_bytes("GET", "/healthz")))
        self.assertEqual(caller.call("GET", "/healthz").status, 200)
        server.stop()

    def test_files_that_cannot_be_used(self):
        self.refused(2, "serve", "data", "--tls-key", "key.pem", says=("--tls-certificate",))
        self.refused(1, "serve", "data", "--tls-certificate", "nowhere", "--tls-key", "key.pem",
                     says=("nowhere",))
        self.refused(1, "serve", "data", "--tls-certificate", "cert.pem", "--tls-key", "cert.pem",
                     says=("cert.pem",))


if __name__ == "__main__":
    unittest.main()
