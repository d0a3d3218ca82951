"""Accounts of NATS for tests, as nsc makes them: an operator, an account and a user, each with a key
and a signed description; and certificates for TLS. openssl makes and uses the keys."""

import base64
import binascii
import json
import os
import subprocess

OPERATOR, ACCOUNT, USER, SEED = 14 << 3, 0, 20 << 3, 18 << 3


def openssl(*args, data=b""):
    return subprocess.run(["openssl", *args], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=True, timeout=120).stdout


def encoded(data):
    """Base 32 with a checksum (CRC-16, XMODEM) at the end."""
    checksum = binascii.crc_hqx(data, 0)
    return base64.b32encode(data + checksum.to_bytes(2, "little")).decode().rstrip("=")


class Key:
    def __init__(self, folder, kind, name):
        self.kind, self.file = kind, os.path.join(folder, name + ".key")
        openssl("genpkey", "-algorithm", "ed25519", "-out", self.file)
        # The last 32 bytes of either form are the key itself.
        self.private = openssl("pkey", "-in", self.file, "-outform", "DER")[-32:]
        self.public = encoded(bytes([kind]) + openssl("pkey", "-in", self.file, "-pubout", "-outform",
                                                      "DER")[-32:])

    def seed(self):
        return encoded(bytes([SEED | self.kind >> 5, (self.kind & 31) << 3]) + self.private)

    def describes(self, subject, name, claims):
        """A signed token that says this about another key."""
        def part(value):
            return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")

        text = part({"typ": "JWT", "alg": "ed25519-nkey"}) + b"." + part(
            {"jti": name, "iat": 1_700_000_000, "iss": self.public, "name": name, "sub": subject.public,
             "nats": {**claims, "version": 2}})
        with open(self.file + ".text", "wb") as file:
            file.write(text)
        signature = openssl("pkeyutl", "-sign", "-inkey", self.file, "-rawin", "-in", file.name)
        return (text + b"." + base64.urlsafe_b64encode(signature).rstrip(b"=")).decode()


class Accounts:
    """`configuration` is for nats-server; credentials() makes a file for --nats-credentials."""

    def __init__(self, folder):
        self.folder = folder
        self.operator, self.account = Key(folder, OPERATOR, "operator"), Key(folder, ACCOUNT, "account")
        system = Key(folder, ACCOUNT, "system")  # without one there is no JetStream
        everything = {name: -1 for name in ("subs", "data", "payload", "imports", "exports", "conn", "leaf")}
        stored = {name: -1 for name in ("mem_storage", "disk_storage", "streams", "consumer")}

        def account(key, name, limits):
            return f"{key.public}: " + self.operator.describes(key, name, {
                "type": "account", "limits": {**limits, "wildcards": True},
                "default_permissions": {"pub": {}, "sub": {}}})

        self.configuration = (
            f"operator: {self.operator.describes(self.operator, 'operator', {'type': 'operator'})}\n"
            f"system_account: {system.public}\nresolver: MEMORY\nresolver_preload: {{\n"
            f"{account(system, 'system', everything)}\n"
            f"{account(self.account, 'account', {**everything, **stored})}\n}}\n")

    def credentials(self, name, account=None):
        """The credentials of a new user; of another account, if one is given."""
        user = Key(self.folder, USER, name)
        token = (account or self.account).describes(user, name, {
            "type": "user", "pub": {}, "sub": {}, "subs": -1, "data": -1, "payload": -1})
        path = os.path.join(self.folder, name + ".creds")
        with open(path, "w", encoding="ascii") as file:
            file.write(f"-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n"
                       f"-----BEGIN USER NKEY SEED-----\n{user.seed()}\n------END USER NKEY SEED------\n")
        return path


class Certificates:
    """An authority, and certificates that it has signed."""

    def __init__(self, folder, name="ca"):
        self.folder, self.name = folder, name
        self.ca = self.path(name + ".pem")
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
                "-subj", f"/CN=test {name}", "-keyout", self.path(name + ".key"), "-out", self.ca)

    def path(self, name):
        return os.path.join(self.folder, name)

    def make(self, name, hosts="DNS:localhost,IP:127.0.0.1"):
        """Returns the files of a certificate and its key."""
        certificate, key, request = (self.path(name + end) for end in (".crt", ".pem.key", ".csr"))
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
                "-keyout", key, "-out", request)
        with open(self.path(name + ".ext"), "w", encoding="ascii") as file:
            file.write(f"subjectAltName = {hosts}\n")
        openssl("x509", "-req", "-in", request, "-CA", self.ca, "-CAkey", self.path(self.name + ".key"),
                "-CAcreateserial", "-days", "30", "-extfile", file.name, "-out", certificate)
        return certificate, key
