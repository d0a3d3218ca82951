#!/usr/bin/env python3
"""Files of sau serve are cut, lost and damaged: everything acknowledged is there, or the start is
refused and nothing is changed. Also the ways to recover: accept, backup, restore, strike, upgrade.
"""

import sys

sys.dont_write_bytecode = True

import glob
import os
import resource
import shutil
import unittest

from _serve import ServeTestCase

EVENTS = 120
OLD_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data",
                          "service_v2")


def file_limit(soft, hard):
    """For preexec_fn: how many files may be open, and how far the program may raise that."""
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class Damaged(ServeTestCase):
    def setUp(self):
        super().setUp()
        # Three starts: each writes the log that the one before left to tables.
        for part in range(3):
            server = self.serve("--snapshot-seconds", "1")
            caller = server.caller()
            for i in range(EVENTS // 3):
                event = f"e{part}-{i}"
                self.assertEqual(caller.rank(eventId=event).status, 201)
                self.assertEqual(caller.reward(event, i % 2).status, 204)
            # On a busy machine the learner would otherwise stop before it has read the end.
            server.wait_learned((part + 1) * (EVENTS // 3))
            server.stop()
        self.records = 2 * EVENTS

    def copy(self):
        shutil.rmtree(self.path("copy"), ignore_errors=True)
        shutil.copytree(self.path("data"), self.path("copy"))

    def the(self, pattern):
        return sorted(glob.glob(self.path("copy", "log", pattern)))[-1]

    def cut(self, file, size):
        with open(file, "r+b") as opened:
            opened.truncate(size)

    def stays_refused(self, *says):
        """serve and verify refuse the folder, and leave it as it was."""
        before = self.files("copy")
        for command in (("serve", "copy", "--port", "0"), ("log", "verify", "copy")):
            self.refused(1, *command, says=says)
        after = self.files("copy")
        for files in (before, after):
            files.pop("log/LOCK", None)
        self.assertEqual(after, before)

    def test_a_manifest_that_is_cut(self):
        self.copy()
        whole = os.path.getsize(self.the("MANIFEST-*"))
        refused = started = 0
        for size in range(1, min(400, whole - 50), 19):
            self.copy()
            self.cut(self.the("MANIFEST-*"), whole - size)
            before = self.files("copy")
            reply = self.sau("log", "verify", "copy")
            if reply.code != 0:
                refused += 1
                self.refused(1, "serve", "copy", "--port", "0")
                after = self.files("copy")
                for files in (before, after):
                    files.pop("log/LOCK", None)
                self.assertEqual(after, before)
            else:  # the part that was cut off was not about records
                started += 1
                self.serve(folder="copy").stop()
                self.assertEqual(len(self.exported("copy")), EVENTS)
        self.assertGreater(refused, 3)

    def test_a_log_that_is_gone(self):
        self.copy()
        lost = [file for file in glob.glob(self.path("copy", "log", "*.log"))
                if os.path.getsize(file) > 0]
        for file in lost:
            os.remove(file)
        self.stays_refused(f"records {self.records * 2 // 3 + 1} to {self.records} are missing",
                           "sau log accept")
        # The operator decides.
        accepted = self.good("log", "accept", "copy").out
        self.assertIn(f"records {self.records * 2 // 3 + 1} to {self.records} are lost", accepted)
        self.assertIn("model.sau.lost", accepted)
        server = self.serve(folder="copy")
        self.assertEqual(server.rank(eventId="after").status, 201)
        server.stop()
        self.assertEqual(len(self.exported("copy")), EVENTS * 2 // 3 + 1)
        self.assertIn("byte for byte", self.good("log", "replay", "copy").out)

    def test_a_bit_of_the_last_record(self):
        self.copy()
        log = [file for file in sorted(glob.glob(self.path("copy", "log", "*.log")))
               if os.path.getsize(file) > 0][-1]
        with open(log, "r+b") as file:
            file.seek(-5, os.SEEK_END)
            byte = file.read(1)[0]
            file.seek(-5, os.SEEK_END)
            file.write(bytes([byte ^ 4]))
        self.stays_refused(f"record {self.records} is missing", "acknowledged")
        note = self.good("log", "accept", "copy").err
        self.assertIn("bytes of a damaged record that had been acknowledged are gone", note)

    def test_files_that_name_the_others(self):
        self.copy()
        os.remove(self.path("copy", "log", "CURRENT"))
        before = self.files("copy")
        self.refused(1, "serve", "copy", "--port", "0", says=("CURRENT", "missing"))
        self.assertEqual(self.files("copy"), before)
        self.copy()
        os.remove(self.path("copy", "log.mark"))
        self.stays_refused("log.mark", "sau log accept")
        self.good("log", "accept", "copy")
        self.assertIn("all good", self.good("log", "verify", "copy").out)

    def test_a_damaged_model_is_rebuilt(self):
        properties = "/personalizer/v1.0/model/properties"
        server = self.serve()
        server.wait_learned(EVENTS)
        before = server.call("GET", properties).json()["checksum"]
        server.stop()
        self.copy()
        for damage in (b"", b"SAUMODEL", b"sau-file", b"nonsense"):
            self.write("copy/model.sau", damage)
            server = self.serve(folder="copy")
            self.assertIn("rebuilt from the log", server.log())
            server.wait_learned(EVENTS)
            # It has learned from the last event a moment before it is published.
            self.wait_for(lambda: server.call("GET", properties).json()["checksum"] == before)
            server.stop()
            self.assertIn("byte for byte", self.good("log", "replay", "copy").out)

    def test_a_backup_while_the_server_runs(self):
        server = self.serve()
        caller = server.caller()
        for i in range(50):
            self.assertEqual(caller.rank(eventId=f"more{i}").status, 201)
        out = self.good("log", "backup", "data", "backup").out
        self.assertIn(f"{self.records + 50} records", out)
        self.refused(2, "log", "backup", "data", "backup", says=("already exists",))
        self.refused(1, "log", "strike", "data", "e0-1", says=("in use",))
        self.refused(1, "serve", "data", "--port", "0", says=("in use",))
        server.kill()
        shutil.rmtree(self.path("data"))
        self.good("log", "restore", "data", "backup")
        server = self.serve()
        self.assertEqual(server.call("GET", "/v1/decisions/more49").status, 200)
        server.stop()
        self.assertEqual(len(self.exported()), EVENTS + 50)
        self.refused(2, "log", "restore", "data", "backup", says=("already exists",))
        self.refused(2, "log", "backup", "nowhere", "other", says=("nowhere",))

    def test_a_low_limit_of_open_files(self):
        """The commands keep every table open, and ask for as many files as they are allowed."""
        self.assertGreater(len(glob.glob(self.path("data", "log", "*.sst"))), 8)
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        commands = (("verify", "data"), ("export", "data"), ("replay", "data"),
                    ("backup", "data", "copied"))
        for command in commands:
            self.good("log", *command, preexec_fn=file_limit(10, hard))
        shutil.rmtree(self.path("copied"))
        for command in commands:
            self.refused(1, "log", *command, preexec_fn=file_limit(10, 10), says=("ulimit -n",))
        self.assertFalse(os.path.exists(self.path("copied")))

    def test_an_event_is_struck(self):
        out = self.good("log", "strike", "data", "e0-1", "e2-3").out
        self.assertIn("2 events struck", out)
        server = self.serve()
        server.wait_learned(EVENTS - 2)
        self.assertEqual(server.call("GET", "/v1/decisions/e2-3").json()["state"], "struck")
        server.stop()
        self.assertIn("byte for byte", self.good("log", "replay", "data").out)
        self.assertIn("all good", self.good("log", "verify", "data").out)
        self.refused(1, "log", "strike", "data", "nobody", says=("nobody",))


    def test_a_wrong_version_in_the_settings(self):
        self.copy()
        settings = self.path("copy", "service.json")
        with open(settings, encoding="utf-8") as file:
            text = file.read()
        with open(settings, "w", encoding="utf-8") as file:
            file.write(text.replace('"version": 3', '"version": 2'))
        before = self.files("copy")
        for command in (("serve", "copy", "--port", "0"), ("log", "upgrade", "copy")):
            self.refused(1, *command, says=("version 2", "nothing was changed"))
        self.assertEqual(self.files("copy"), before)

    def test_model_files_are_checked_too(self):
        server = self.serve()
        server.wait_learned(EVENTS)
        model = server.call("GET", "/personalizer/v1.0/model").body
        self.assertEqual(server.call("PUT", "/personalizer/v1.0/model", model).status, 204)
        server.stop()
        self.copy()
        loaded = glob.glob(self.path("copy", "models", "*.sau"))[0]
        self.cut(loaded, 100)
        for command in (("log", "verify", "copy"), ("log", "backup", "copy", "other")):
            self.refused(1, *command, says=("models/", "cut short"))
        self.assertFalse(os.path.exists(self.path("other")))

    def test_backups_remove_nothing(self):
        self.write("somewhere/b.part/precious", b"mine")
        self.good("log", "backup", "data", "somewhere/b/")
        self.assertIn("all good", self.good("log", "verify", "somewhere/b").out)
        self.assertTrue(os.path.exists(self.path("somewhere", "b.part", "precious")))
        self.copy()
        os.remove(self.path("copy", "log.mark"))
        self.refused(1, "log", "backup", "copy", "other", says=("log.mark",))

    def test_striking_after_a_model_was_loaded(self):
        """Takes as long as a replay, however many events are struck."""
        server = self.serve()
        server.wait_learned(EVENTS)
        model = server.call("GET", "/personalizer/v1.0/model").body
        self.assertEqual(server.call("PUT", "/personalizer/v1.0/model", model).status, 204)
        caller = server.caller()
        for i in range(40):
            self.assertEqual(caller.rank(eventId=f"late{i}").status, 201)
            self.assertEqual(caller.reward(f"late{i}", 1).status, 204)
        server.stop()
        self.good("log", "strike", "data", *(f"late{i}" for i in range(40)))
        self.assertIn("byte for byte", self.good("log", "replay", "data").out)


class Older(ServeTestCase):
    """tests/data/service_v2 was written by sau serve when folders were of version 2. It has 36
    events: one got the reward 5, and five wait."""

    def setUp(self):
        super().setUp()
        shutil.copytree(OLD_FOLDER, self.path("data"))
        for place, folders, files in os.walk(self.path("data")):
            for name in folders + files:
                os.chmod(os.path.join(place, name), 0o755)

    def check(self, server):
        properties = server.call("GET", "/personalizer/v1.0/model/properties").json()
        self.assertEqual(properties["checksum"], "417bfed31980fe0e")
        totals = server.call("GET", "/v1/status").json()["totals"]
        self.assertEqual(totals["waiting"], 5)
        # A retry is still answered, a conflict is still one, and the bounds are as they were.
        answer = server.rank(eventId="e31")
        self.assertEqual(answer.status, 201)
        self.assertEqual(server.rank(eventId="e31", excludedActions=["a"]).status, 409)
        self.assertEqual(server.reward("e31", 5).status, 204)
        self.assertEqual(server.call("GET", "/v1/decisions/e6").json()["reward"], 5.0)

    def test_is_upgraded_at_a_start(self):
        self.assertIn("model file, format version 1", self.good("inspect", "data/model.sau").out)
        server = self.serve()
        self.assertIn("upgraded to version 3", server.log())
        self.check(server)
        self.wait_for(lambda: server.call("GET", "/v1/status").json()["totals"]["learnerLag"] == 0,
                      server.process)
        server.stop()
        self.assertIn("model file, format version 2", self.good("inspect", "data/model.sau").out)
        self.assertFalse(os.path.exists(self.path("data", "events")))
        self.assertIn("all good", self.good("log", "verify", "data").out)
        self.assertIn("byte for byte", self.good("log", "replay", "data").out)
        self.assertEqual(len(self.exported()), 36)

    def test_is_upgraded_by_a_command(self):
        self.refused(2, "log", "verify", "data", says=("version 2", "sau log upgrade"))
        os.makedirs(self.path("data", "log"))  # left by an upgrade that was interrupted
        self.write("data/log/CURRENT", b"MANIFEST-000001\n")
        self.assertIn("72 records", self.good("log", "upgrade", "data").err)
        self.assertIn("nothing to do", self.good("log", "upgrade", "data").out)
        server = self.serve()
        self.check(server)
        server.stop()

    def test_is_unchanged_if_it_cannot_be_upgraded(self):
        log = glob.glob(self.path("data", "events", "*.log"))[0]
        with open(log, "r+b") as file:
            file.seek(5000)
            file.write(b"damage")
        before = self.files("data")
        reply = self.sau("serve", "data", "--port", "0")
        self.assertEqual(reply.code, 1)
        self.assertIn("damaged at offset", reply.err)
        after = self.files("data")
        del after["events/LOCK"]  # created whenever the store is opened
        self.assertEqual(after, before)
        self.write("data/service.json", b'{"version": 1, "agent": "hashed_linear+sau_sampling", "seed": 1}')
        self.refused(1, "serve", "data", "--port", "0", says=("version 1", "sau log export"))


if __name__ == "__main__":
    unittest.main()
