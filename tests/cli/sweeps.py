#!/usr/bin/env python3
"""Shards, sau merge and sau-mpi: the same bytes as one process, also after a kill. The examples of docs/sweeps.md."""

import sys

sys.dont_write_bytecode = True

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import unittest

from _support import DEADLINE, PROGRAM, SMALL, Reply, SauTestCase, stop

BUILD = os.path.dirname(PROGRAM)
SAU_MPI = os.path.join(BUILD, "sau-mpi")
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "sweeps.md"
# Open MPI refuses root and more ranks than cores unless it is told otherwise.
MPI = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
       "PATH": BUILD + os.pathsep + os.environ["PATH"]}
# Some seconds of work on one core: a busy machine must leave time to kill it in the middle.
LONG = ("run", "--problem", "bernoulli", "--agent", "ts", "--agent", "ucb1", "--steps", "100000",
        "--trials", "90")
PAPER = ("paper", "--only", "wheel", "--trials", "1")


def has_mpi():
    return shutil.which("mpirun") is not None and "libmpi" in subprocess.run(
        ["ldd", SAU_MPI], capture_output=True, encoding="utf-8", check=True).stdout


class Shards(SauTestCase):
    def play(self, command, count):
        folders = [f"shard-{i}" for i in range(1, count + 1)]
        for i, folder in enumerate(folders, 1):
            self.good(*command, "--shard", f"{i}/{count}", "--out", folder, "--quiet")
        return folders

    def test_merged_shards_are_one_run(self):
        folders = self.play(PAPER, 4)
        reply = self.good("merge", "all", *folders)
        self.assertIn("45 trials of 45 cells, from 4 folders", reply.out)
        self.good(*PAPER, "--out", "whole", "--quiet")
        self.assertIn("tables.txt", self.results("whole"))
        self.assertEqual(self.results("all"), self.results("whole"))
        self.good("inspect", "all")

    def test_what_is_not_a_trial_is_done_by_the_first_shard(self):
        command = ("paper", "--only", "theory", "--trials", "1")
        folders = self.play(command, 2)
        self.assertNotIn("theory.json", self.files(folders[1]))
        self.good("merge", "all", *folders)
        self.good(*command, "--out", "whole")
        self.assertEqual(self.results("all"), self.results("whole"))

    def test_a_shard_says_what_it_has(self):
        reply = self.good(*SMALL, "--shard", "2/2")
        self.assertIn("shard 2/2: 4 of its 4 trials", reply.out)
        folder = re.search(r"results/run-[0-9a-f]{8}-2of2", reply.out)[0]
        self.assertEqual(self.rows(folder), 4)
        told = json.loads(self.good(*SMALL, "--shard", "2/2", "--json").out)
        self.assertEqual(told, {"shard": "2/2", "folder": folder, "trials": 4, "wanted": 4,
                                "new_trials": 0})
        plan = json.loads(self.good(*SMALL, "--shard", "1/2", "--dry-run", "--json").out)
        self.assertEqual(plan["together"]["missing"], 4)
        self.refused(1, "report", folder, says=("shard 2/2", "sau merge"))

    def test_a_killed_merge_leaves_nothing_half_written(self):
        folders = self.play(SMALL, 2)
        self.good(*SMALL, "--out", "whole")
        for files in range(8):
            process = self.start("merge", "all", *folders)
            self.wait_for(lambda: len(self.files("all.merging")) >= files  # pylint: disable=W0640
                          or process.poll() is not None)  # pylint: disable=W0640
            process.kill()
            process.wait()
            if not os.path.exists(self.path("all")):
                self.good("merge", "all", *folders)
            self.assertEqual(self.results("all"), self.results("whole"))
            self.assertFalse(os.path.exists(self.path("all.merging")))
            shutil.rmtree(self.path("all"))

    def test_bad_shards(self):
        for shard in ("0/4", "5/4", "x/y", "4", "1/0"):
            self.refused(2, *SMALL, "--shard", shard, says=("--shard is", f"'{shard}'", "2/4"))
        self.refused(2, *SMALL, "--shard", "1/2", "--log", "log", says=("--log", "--shard"))
        self.assertEqual(self.files("."), {})

    def test_bad_merges(self):
        folders = self.play(SMALL, 2)
        self.good(*SMALL, "--seed", "2", "--shard", "2/2", "--out", "seed")
        self.good(*SMALL, "--agent", "ucb1", "--shard", "2/2", "--out", "spec")
        data = self.path("d.csv")
        outs = []
        for i, rows in enumerate(("1,a\n2,b\n3,a\n", "1,a\n2,b\n4,b\n"), 1):
            with open(data, "w", encoding="utf-8") as file:
                file.write("x,label\n" + rows)
            outs.append(f"data-{i}")
            self.good("run", "--problem", "csv(file=d.csv,label=label)", "--agent", "uniform", "--steps", "3",
                      "--trials", "4", "--shard", f"{i}/2", "--out", outs[-1])
        self.refused(2, "merge", says=("out",))
        self.refused(2, "merge", "all", says=("folders",))
        self.refused(1, "merge", "all", folders[0], "nowhere", says=("nowhere",))
        self.refused(1, "merge", "all", folders[0], "seed", says=("seed", "seed 2, not 1"))
        self.refused(1, "merge", "all", folders[0], "spec", says=("spec", "ucb1"))
        self.refused(1, "merge", "all", *outs, says=("data-2", "data"))
        self.refused(1, "merge", "all", folders[0], says=("4 trials are missing", "shard 2/2"))
        self.refused(1, "merge", folders[1], *folders, says=(folders[1], "exists already"))
        self.assertFalse(os.path.exists(self.path("all")))
        partial = self.good("merge", "all", folders[0], "--partial")
        self.assertIn("sau: 4 trials missing", partial.err)


class Mpi(SauTestCase):
    def setUp(self):
        super().setUp()
        if not has_mpi():
            self.skipTest("sau-mpi was built without MPI, or mpirun is missing")

    def mpirun(self, ranks, *args):
        done = subprocess.run(["mpirun", "-n", str(ranks), SAU_MPI, *args], cwd=self.folder, env=MPI,
                              stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                              timeout=DEADLINE, check=False)
        return Reply(done.returncode, done.stdout, done.stderr)

    def test_three_ranks_give_the_bytes_of_one_process(self):
        reply = self.mpirun(3, *PAPER, "--out", "r")
        self.assertEqual(reply.code, 0, reply.err)
        self.good(*PAPER, "--out", "whole")
        self.assertIn("(45 new trials)", reply.out)
        self.assertEqual(self.results("r"), self.results("whole"))
        self.assertEqual(json.loads(self.files("r")["sessions.jsonl"])["threads"], 2)

    def test_a_killed_rank_ends_the_run_and_the_command_goes_on(self):
        process = subprocess.Popen(["mpirun", "-n", "3", SAU_MPI, *LONG, "--out", "r"], cwd=self.folder,
                                   env=MPI, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, encoding="utf-8")
        self.addCleanup(stop, process)
        self.wait_for(lambda: self.rows("r") >= 6, process)
        os.kill(rank_of(process.pid, 2), signal.SIGKILL)
        process.communicate(timeout=DEADLINE)
        self.assertNotEqual(process.returncode, 0)
        done = self.rows("r")
        self.assertGreaterEqual(done, 6)
        self.assertLess(done, 180)
        reply = self.mpirun(3, *LONG, "--out", "r")
        self.assertEqual(reply.code, 0, reply.err)
        self.assertIn(f"({180 - done} new trials)", reply.out)
        self.good(*LONG, "--out", "whole")
        self.assertEqual(self.results("r"), self.results("whole"))

    def test_it_ends_well(self):
        reply = self.mpirun(3, "run", "--problem", "bernoulli", "--agent", "nobody")
        self.assertEqual(reply.code, 2)
        self.assertEqual(reply.err.count("unknown agent 'nobody'"), 1)
        reply = self.mpirun(3, *SMALL, "--threads", "2")
        self.assertEqual(reply.code, 2)
        self.assertIn("mpirun", reply.err)
        alone = subprocess.run([SAU_MPI, *SMALL, "--out", "alone"], cwd=self.folder, env=MPI,
                               capture_output=True, check=False)
        self.assertEqual(alone.returncode, 0, alone.stderr)
        self.assertEqual(self.rows("alone"), 8)
        # Tuning and the run itself are two runs of the same players.
        tuned = ("run", "--problem", "wheel", "--agent", "lin_ucb(alpha=0.1|1)", "--agent", "uniform",
                 "--tune", "--steps", "50", "--trials", "3")
        self.assertEqual(self.mpirun(3, *tuned, "--out", "r").code, 0)
        self.good(*tuned, "--out", "whole")
        self.assertEqual(self.results("r"), self.results("whole"))
        self.assertEqual(self.results("r-tuning"), self.results("whole-tuning"))


def rank_of(mpirun, rank):
    """The process id of a rank."""
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                words = file.read().split(b"\0")
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == mpirun and f"OMPI_COMM_WORLD_RANK={rank}".encode() in words:
            return int(name)
    raise AssertionError(f"there is no rank {rank}")


class Page(SauTestCase):
    def blocks(self, language):
        return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"),
                          re.MULTILINE | re.DOTALL)

    def shell(self, script, **more):
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=self.folder,
                              env={**MPI, **more}, stdin=subprocess.DEVNULL, capture_output=True,
                              encoding="utf-8", timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_job_array(self):
        """As Slurm would run it: the script once per task, then the line below it."""
        script, join = self.blocks("sh array.sh")[0], self.blocks("sh join.sh")[0]
        first, last = re.search(r"--array=(\d+)-(\d+)", script).groups()
        for task in range(int(first), int(last) + 1):
            self.shell(script, SLURM_ARRAY_TASK_ID=str(task), SLURM_CPUS_PER_TASK="1")
        self.shell(join)
        whole = re.search(r"^(sau run .*?) --shard", script.replace("\\\n", ""), re.MULTILINE)[1]
        self.shell(f"{whole} --out whole")
        self.assertEqual(self.results("study"), self.results("whole"))

    def test_mpirun(self):
        if not has_mpi():
            self.skipTest("sau-mpi was built without MPI, or mpirun is missing")
        script = self.blocks("sh mpi.sh")[0]
        self.shell(script)
        whole = re.search(r"sau-mpi (run .*?) --out", script.replace("\\\n", ""))[1]
        self.shell(f"sau {whole} --out whole")
        self.assertEqual(self.results("study"), self.results("whole"))


if __name__ == "__main__":
    unittest.main()
