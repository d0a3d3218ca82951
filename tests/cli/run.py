#!/usr/bin/env python3
"""What sau run, paper, list and inspect print and write without errors."""

import sys

sys.dont_write_bytecode = True

import json
import os
import re
import resource
import unittest

from _support import SMALL, SauTestCase

SUMMARY = ["mean", "sem", "median", "p10", "p90"]
CELL = ["problem", "agent", "problem_spec", "agent_spec", "trials", "steps", "failed",
        "failures", "regret", "reward", "stuck", "seconds"]


def without_seconds(text):
    cells = json.loads(text)["cells"]
    for cell in cells:
        del cell["seconds"]
    return cells


class Run(SauTestCase):
    def test_a_log_that_cannot_be_written_leaves_no_part(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

        args = ("run", "--problem", "bernoulli", "--agent", "ts", "--steps", "1000", "--trials", "1",
                "--out", "r", "--quiet", "--log", "log")
        reply = self.sau(*args, preexec_fn=limit)
        self.assertEqual(reply.code, 1, reply.err)
        self.one_line(reply.err, ("log/1-bernoulli", ".jsonl: cannot be written"))
        self.assertEqual(self.files("log"), {})
        self.good(*args)
        (log,) = self.files("log").values()
        self.assertEqual(log.count(b"\n"), 1000)

    def test_changed_data_are_detected(self):
        env = {**os.environ, "SAU_CACHE_DIR": self.path("cache")}
        args = ("run", "--problem", "csv(file=pets.csv)", "--agent", "uniform", "--out", "r",
                "--trials")
        self.write("./pets.csv", b"weight,kind\n1,cat\n2,dog\n3,cat\n")
        note = "note: pets.csv: 3 rows, header, label kind (2 classes), 1 number\n"
        self.assertEqual(self.good(*args, "2", env=env).err, note)
        self.assertIn("(1 new trial)", self.good(*args, "3", env=env).out)
        self.write("./pets.csv", b"weight,kind\n1,cat\n2,dog\n4,cat\n")
        for more in ((), ("--dry-run",)):
            reply = self.sau(*args, "4", *more, env=env)
            self.assertEqual(reply.code, 1)
            self.one_line(reply.err.removeprefix(note),
                          ("r: the data of csv(file=pets.csv) have changed since",))

    def test_prints_the_table_and_the_folder(self):
        reply = self.good(*SMALL)
        lines = reply.out.splitlines()
        self.assertRegex(lines[0], r"^bernoulli-10-0\.1 .*200 steps$")
        for title in ("agent", "trials", "regret", "median", "10-90 %", "stuck", "reward"):
            self.assertIn(title, lines[1])
        self.assertRegex(lines[2], r"^  SAU-UCB +4 +[\d.]+ ± [\d.]+ .* % ")
        self.assertRegex(lines[3], r"^  TS +4 +[\d.]+ ± [\d.]+ .* % ")
        self.assertEqual(len(lines[1]), len(lines[2]))
        self.assertEqual(len(lines[1]), len(lines[3]))
        found = re.search(r"^results: (\S+) \(8 new trials\)$", reply.out, re.MULTILINE)
        self.assertTrue(found, reply.out)
        self.assertEqual(sorted(os.listdir(self.path(found[1]))),
                         ["cells", "run.json", "sessions.jsonl", "timing.csv"])

    def test_without_an_agent_the_default_plays_against_uniform(self):
        reply = self.good("run", "--problem", "wheel-0.50", "--problem", "bernoulli-10-0.1", "--steps", "50",
                          "--trials", "1", "--json")
        self.assertEqual([(cell["problem"], cell["agent"]) for cell in json.loads(reply.out)["cells"]],
                         [("wheel-0.50", "sau"), ("wheel-0.50", "Uniform"),
                          ("bernoulli-10-0.1", "SAU-UCB"), ("bernoulli-10-0.1", "Uniform")])

    def test_again_runs_nothing_and_prints_the_same(self):
        first, again = self.good(*SMALL), self.good(*SMALL)
        self.assertIn("(0 new trials)", again.out)
        self.assertEqual(first.out.replace("8 new", "0 new"), again.out)
        self.assertEqual(without_seconds(self.good(*SMALL, "--json").out),
                         without_seconds(self.good(*SMALL, "--json", "--out", "other").out))

    def test_standard_output_is_only_the_json(self):
        reply = self.good(*SMALL, "--json", "--problem", "bernoulli(actions=3)", "--out", "r")
        result = json.loads(reply.out)
        self.assertEqual(reply.err, "")
        self.assertEqual(list(result), ["cells"])
        self.assertEqual([(cell["problem"], cell["agent"]) for cell in result["cells"]],
                         [("bernoulli-10-0.1", "SAU-UCB"), ("bernoulli-10-0.1", "TS"),
                          ("bernoulli(actions=3)", "SAU-UCB"), ("bernoulli(actions=3)", "TS")])
        for cell in result["cells"]:
            self.assertEqual(list(cell), CELL)
            self.assertEqual(list(cell["regret"]), SUMMARY)
            self.assertEqual(list(cell["reward"]), SUMMARY)
            self.assertEqual((cell["trials"], cell["steps"]), (4, 200))
            self.assertGreater(cell["seconds"], 0)
        self.assertEqual(result["cells"][0]["problem_spec"], "bernoulli(best=0)")
        self.assertEqual(result["cells"][0]["agent_spec"], "sample_mean+sau_ucb")
        self.assertEqual(result["cells"][1]["agent_spec"], "beta_bernoulli+thompson")

    def test_paper_names(self):
        args = ["run", "--trials", "1", "--steps", "10", "--json"]
        for problem in ("bernoulli(best=0)", "bernoulli(actions=50,best=0)", "BERNOULLI-10-0.02",
                        "bernoulli(gap=0.02,best=0,actions=50)",
                        "bernoulli(best=0,rewards=uniform)"):
            args += ["--problem", problem]
        for agent in ("sau_ucb", "sau-sampling", "UcB1", "thompson", "uniform"):
            args += ["--agent", agent]
        cells = json.loads(self.good(*args).out)["cells"]
        self.assertEqual(list(dict.fromkeys(cell["problem"] for cell in cells)),
                         ["bernoulli-10-0.1", "bernoulli-50-0.1", "bernoulli-10-0.02",
                          "bernoulli-50-0.02", "uniform-10-0.1"])
        self.assertEqual(list(dict.fromkeys(cell["agent"] for cell in cells)),
                         ["SAU-UCB", "SAU-Sampling", "UCB1", "TS", "Uniform"])

    def test_files_read_without_sau_give_the_same_numbers(self):
        cells = json.loads(self.good(*SMALL, "--json", "--out", "r").out)["cells"]
        settings = json.loads(self.files("r")["run.json"])
        for cell, entry in zip(cells, settings["cells"]):
            rows = self.files("r")[entry["file"]].decode().splitlines()
            column = rows[0].split(",").index("regret")
            values = [float(row.split(",")[column]) for row in rows[1:]]
            self.assertAlmostEqual(sum(values) / len(values), cell["regret"]["mean"], places=9)

    def test_the_spelling_of_a_path_changes_nothing(self):
        rows = "".join(f"{i % 7},{'uvw'[i % 3]},{i % 2}\n" for i in range(60))
        self.write("d/u.csv", ("a,b,y\n" + rows).encode())
        self.write("d/e.jsonl", b"".join(
            b'{"actions":[{"id":"a","reward":%d},{"id":"b","reward":0.5}]}\n' % (i % 2)
            for i in range(30)))
        spellings = {
            "csv": ("d/u.csv", "./d/u.csv", "d/../d/u.csv", self.path("d", "u.csv"),
                    "d/u.csv,label=y,header=yes,missing=category,intercept=true"),
            "events": ("d/e.jsonl", "./d/e.jsonl", self.path("d", "e.jsonl"),
                       "d/e.jsonl,order=random")}
        for problem, paths in spellings.items():
            found = set()
            for number, path in enumerate(paths):
                folder = f"{problem}-{number}"
                self.good("run", "--problem", f"{problem}(file={path})", "--agent", "sau_sampling",
                          "--agent", "uniform", "--trials", "3", "--steps", "100", "--quiet",
                          "--out", folder)
                cells = {name: data for name, data in self.results(folder).items()
                         if name.startswith("cells")}
                self.assertEqual(len(cells), 2)
                found.add(tuple(sorted(cells.values())))
            self.assertEqual(len(found), 1, problem)

    def test_a_dry_run_writes_nothing(self):
        self.write("d/u.csv", b"a,y\n" + b"1,u\n2,v\n" * 30)
        before = self.files(".")
        cache = os.environ["SAU_CACHE_DIR"]
        reply = self.good("run", "--problem", "csv(file=d/u.csv)", "--agent", "sau_ucb",
                          "--dry-run")
        self.assertIn("Nothing is run or written", reply.out)
        self.assertEqual(self.files("."), before)
        self.assertEqual(os.listdir(cache), [])

    def test_agents_that_never_explore_are_named(self):
        reply = self.good("run", "--problem", "bernoulli", "--agent", "greedy", "--agent", "ts",
                          "--trials", "3", "--steps", "50", "--quiet")
        self.assertIn("sau: note: sample_mean+greedy never explores", reply.err)
        self.assertEqual(reply.err.count("never explores"), 1)

    def test_an_experiment_file(self):
        flags = ("--problem", "arms=bernoulli(actions=3)", "--agent", "mine=sau_ucb(alpha=0.5|2)",
                 "--agent", "TS", "--steps", "50", "--trials", "3", "--seed", "4", "--quiet")
        self.good("run", *flags, "--save", "study.json", "--out", "r")
        study = json.loads(self.files(".")["study.json"])
        self.assertEqual(study["problems"], [{"name": "arms", "spec": "bernoulli(actions=3)"}])
        self.assertEqual((study["trials"], study["steps"], study["seed"]), (3, 50, 4))
        reply = self.good("run", "study.json", "--quiet", "--json")
        names = [(cell["problem"], cell["agent"]) for cell in json.loads(reply.out)["cells"]]
        self.assertEqual(names, [("arms", "mine(alpha=0.5)"), ("arms", "mine(alpha=2)"),
                                 ("arms", "TS")])
        self.assertEqual(self.results("r"), self.results("results/study"))
        more = self.good("run", "study.json", "--trials", "5", "--quiet")
        self.assertIn("(6 new trials)", more.out)
        self.refused(2, "run", "study.json", "--agent", "ts", says=("study.json says what to run",))
        self.refused(2, "run", "nothing.json", says=("no experiment file 'nothing.json'",))
        self.write("bad.json", b'{"problems": ["wheel"], "agent": ["ts"]}')
        self.refused(2, "run", "bad.json", says=("bad.json", "did you mean 'agents'"))
        self.write("quote.json", b'{"problems": ["bernoulli"], "steps": 20, "trials": 2, "agents":'
                                 b' [{"name": "a \\"b", "spec": "sau_ucb(alpha=1|2)"}]}')
        cells = json.loads(self.good("run", "quote.json", "--quiet", "--json").out)["cells"]
        self.assertEqual([cell["agent"] for cell in cells],
                         ['a "b(alpha=1)', 'a "b(alpha=2)'])
        self.refused(2, "run", *flags, "--save", "s.json", "--dry-run", says=("--dry-run",))

    def test_tuning_reports_trials_that_had_no_part_in_it(self):
        flags = ("run", "--problem", "bernoulli(actions=4,gap=0.4)", "--agent",
                 "epsilon_greedy(epsilon=0.05|1)", "--agent", "uniform", "--steps", "300",
                 "--trials", "5", "--quiet", "--out", "r")
        reply = self.good(*flags, "--tune")
        self.assertIn("epsilon_greedy (tuned) on bernoulli(actions=4,gap=0.4): "
                      "sample_mean+epsilon_greedy(epsilon=0.05), of 2 alternatives", reply.out)
        self.assertIn("the results above are from other trials", reply.out)
        seeds = [json.loads(self.files(folder)["run.json"])["seed"] for folder in ("r", "r-tuning")]
        self.assertNotEqual(seeds[0], seeds[1])
        tuned = json.loads(self.good(*flags, "--tune", "--json").out)
        self.assertEqual(tuned["tuning"]["seed"], seeds[1])
        self.assertEqual([cell["agent"] for cell in tuned["cells"]],
                         ["epsilon_greedy (tuned)", "Uniform"])
        for more in ((), ("--dry-run",)):
            self.refused(2, "run", "--problem", "bernoulli", "--agent", "ts", "--tune", *more,
                         says=("no agent has alternatives",))
        self.assertIn("r-tuning. The best are then played again", self.good(*flags, "--tune", "--dry-run").out)

    def test_threads_do_not_change_the_files(self):
        for threads in ("1", "2", "7"):
            self.good("run", "--problem", "bernoulli-10-0.1", "--agent", "sau_sampling", "--agent", "ts",
                      "--trials", "15", "--steps", "500", "--threads", threads, "--out", threads)
        self.assertEqual(len(self.results("1")), 3)
        self.assertEqual(self.results("1"), self.results("2"))
        self.assertEqual(self.results("1"), self.results("7"))

    def test_more_trials_and_agents_are_added_to_the_folder(self):
        args = ("run", "--problem", "bernoulli-10-0.1", "--steps", "200", "--out", "r", "--agent")
        self.assertIn("(3 new trials)", self.good(*args, "ts", "--trials", "3").out)
        self.assertIn("(2 new trials)", self.good(*args, "ts", "--trials", "5").out)
        reply = self.good(*args, "ts", "--agent", "ucb1", "--trials", "2")
        self.assertIn("(2 new trials)", reply.out)
        self.assertRegex(reply.out, r"TS +2 ")  # only what was asked for

    def test_seed(self):
        one = without_seconds(self.good(*SMALL, "--json").out)
        two = without_seconds(self.good(*SMALL, "--json", "--seed", "2").out)
        self.assertNotEqual(one[0]["regret"], two[0]["regret"])
        self.good(*SMALL, "--out", "r")
        self.refused(1, *SMALL, "--out", "r", "--seed", "2", says=("r ", "seed 1"))

    def test_whole_numbers_may_have_an_exponent(self):
        reply = self.good("run", "--problem", "bernoulli-10-0.1", "--agent", "ts", "--trials=1e0",
                          "--steps=1e2", "--json")
        self.assertEqual(json.loads(reply.out)["cells"][0]["steps"], 100)


class LateRewards(SauTestCase):
    ARGS = ("run", "--problem", "bernoulli-10-0.1", "--agent", "sau_ucb", "--steps", "300", "--trials", "3",
            "--out", "r")

    def test_a_delay_of_zero_does_not_change_the_files(self):
        self.good(*self.ARGS)
        before = self.results("r")
        reply = self.good(*self.ARGS, "--delay", "0", "--missing", "0")
        self.assertIn("(0 new trials)", reply.out)
        self.assertEqual(self.results("r"), before)

    def test_late_rewards_make_another_problem(self):
        self.good(*self.ARGS)
        plain = self.results("r")["cells/bernoulli-10-0.1--SAU-UCB.csv"]
        reply = self.good(*self.ARGS, "--delay", "10..50", "--missing", "0.2")
        self.assertIn("bernoulli-10-0.1+late(delay=10..50,missing=0.2)", reply.out)
        self.assertIn("(3 new trials)", reply.out)
        settings = json.loads(self.files("r")["run.json"])
        self.assertEqual([cell["problem_spec"] for cell in settings["cells"]],
                         ["bernoulli(best=0)", "bernoulli(best=0)+late(delay=10..50,missing=0.2)"])
        self.assertEqual(self.results("r")["cells/bernoulli-10-0.1--SAU-UCB.csv"], plain)
        # The same request, written in the problem's spec.
        again = self.good("run", "--problem", "bernoulli-10-0.1+late(delay=10..50,missing=0.2)", "--agent",
                          "sau_ucb", "--steps", "300", "--trials", "3", "--out", "r")
        self.assertIn("(0 new trials)", again.out)
        self.good("report", "r", "-o", "r.html")
        self.assertIn("complete, 6 trials", self.good("watch", "r", "--once").out)

    def test_another_delay_has_another_folder(self):
        args = ("run", "--problem", "bernoulli-10-0.1", "--agent", "ts", "--steps", "20", "--trials", "1")
        folders = {re.search(r"^results: (\S+)", self.good(*args, *more).out, re.MULTILINE)[1]
                   for more in ((), ("--delay", "5"), ("--delay", "6"), ("--missing", "0.5"))}
        self.assertEqual(len(folders), 4)

    def test_refusals(self):
        self.refused(2, *self.ARGS, "--delay", "9..3", says=("--delay", "10..200"))
        self.refused(2, *self.ARGS, "--missing", "1.5", says=("--missing", "from 0 to 1"))
        self.refused(2, *self.ARGS, "--problem", "wheel+late(delay=1)", "--delay", "3",
                     says=("wheel+late(delay=1)", "leave out --delay and --missing"))


class ActionsById(SauTestCase):
    def test_clicks(self):
        args = ["run", "--problem", "clicks", "--steps", "200", "--trials", "2", "--out", "r"]
        for agent in ("sau_sampling", "linear+sau_ucb", "TS", "uniform"):
            args += ["--agent", agent]
        cells = json.loads(self.good(*args, "--json").out)["cells"]
        self.assertEqual([cell["agent_spec"] for cell in cells],
                         ["hashed_linear+sau_sampling", "linear+sau_ucb",
                          "linear_posterior+thompson", "sample_mean+uniform"])
        self.assertIn("(0 new trials)", self.good(*args).out)
        self.good("report", "r", "-o", "r.html")
        self.assertIn("complete, 8 trials", self.good("watch", "r", "--once").out)
        self.assertIn("Nothing is run", self.good(*args[:-8], "--dry-run", "--agent", "ucb1").out)

    def test_events(self):
        line = '{"actions":[{"id":"a","features":[{"n":1}],"reward":1},{"id":"b","reward":0}]}\n'
        self.write("./log.jsonl", (line * 20).encode())
        args = ("run", "--problem", "events(file=log.jsonl)", "--agent", "sau_ucb", "--trials", "2",
                "--out", "r")
        cell = json.loads(self.good(*args, "--json").out)["cells"][0]
        self.assertEqual(cell["steps"], 20)
        self.assertEqual(cell["regret"]["mean"], 20 - cell["reward"]["mean"])
        self.write("./log.jsonl", (line * 19 + line.replace('"n":1', '"n":2')).encode())
        self.refused(1, *args, says=("the data of events(file=log.jsonl) have changed",))
        self.write("./log.jsonl", (line + '{"actions":[{"id":"a"}]}\n').encode())
        self.refused(1, *args[:-1], "other", says=("log.jsonl, line 2: actions[0].reward: is missing",))


class Paper(SauTestCase):
    def test_shortened(self):
        reply = self.good("paper", "--only", "multi-armed", "--trials", "1", "--json", "--quiet")
        self.assertEqual(reply.err, "")
        cells = json.loads(reply.out)["cells"]
        self.assertEqual(len(cells), 16)
        self.assertEqual({cell["steps"] for cell in cells}, {100000})
        self.assertIn("run.json", self.files("results/paper"))
        again = self.good("paper", "--only", "multi-armed", "--trials", "1")
        self.assertIn("results: results/paper (0 new trials)", again.out)
        shown = self.good("inspect", "results/paper").out
        self.assertIn("16 of 16 trials", shown)

    def test_a_part_named_twice_is_run_once(self):
        reply = self.good("paper", "--only", "multi-armed", "--only", "multi-armed", "--trials",
                          "1", "--json", "--threads", "7")
        self.assertEqual(len(json.loads(reply.out)["cells"]), 16)
        self.assertEqual(self.rows("results/paper"), 16)


class List(SauTestCase):
    def test_text_names_everything(self):
        text = self.good("list").out
        for name in ("bernoulli", "sample_mean", "beta_bernoulli", "uniform", "greedy",
                     "epsilon_greedy", "ucb1", "thompson", "sau_ucb", "sau_sampling", "alpha=1",
                     "SAU-UCB", "uniform-10-0.1", "multi-armed", "hashed_mlp", "by=outputs"):
            self.assertIn(name, text)

    def test_json(self):
        reply = self.good("list", "--json")
        self.assertEqual(reply.err, "")
        result = json.loads(reply.out)
        self.assertEqual(list(result), ["problems", "models", "strategies", "ids", "late",
                                        "problem_aliases", "agent_aliases", "paper"])
        self.assertEqual(result["ids"]["name"], "ids")
        self.assertEqual([setting["name"] for setting in result["ids"]["settings"]],
                         ["actions", "by", "dim", "outputs", "floor"])
        self.assertIn("hashed_linear", [entry["name"] for entry in result["models"]])
        strategies = {entry["name"]: entry for entry in result["strategies"]}
        self.assertEqual(strategies["thompson"]["models"],
                         ["beta_bernoulli", "linear_posterior", "neural_linear", "neural_gradient",
                          "bootstrap"])
        setting = strategies["sau_ucb"]["settings"][0]
        self.assertEqual((setting["name"], setting["default"], setting["range"]),
                         ("alpha", "1", "above 0"))
        self.assertIn("multi-armed", result["paper"])

    def test_everything_listed_can_be_run(self):
        result = json.loads(self.good("list", "--json").out)
        args = ["run", "--problem", "bernoulli-10-0.1", "--trials", "1", "--steps", "5", "--json"]
        count = 0
        for strategy in result["strategies"]:
            for model in strategy["models"]:
                args += ["--agent", f"{model}+{strategy['name']}"]
                count += 1
        for alias in result["agent_aliases"]:
            args += ["--agent", alias["name"]]
        cells = json.loads(self.good(*args).out)["cells"]
        specs = {cell["agent_spec"] for cell in cells}
        self.assertEqual(len(specs), len(cells))
        # The aliases with settings come in addition to the plain pairs.
        self.assertEqual(len([spec for spec in specs if "(" not in spec]), count)


class Inspect(SauTestCase):
    def test_a_folder(self):
        table = self.good(*SMALL, "--out", "r").out
        reply = self.good("inspect", "r")
        self.assertIn("r: a result folder, seed 1, 8 of 8 trials\n", reply.out)
        self.assertIn(table.split("\nresults:")[0].strip(), reply.out)
        self.assertEqual(without_seconds(self.good("inspect", "r", "--json").out),
                         without_seconds(self.good(*SMALL, "--out", "r", "--json").out))

    def test_changes_nothing(self):
        self.good(*SMALL, "--out", "r")
        name = "r/cells/bernoulli-10-0.1--TS.csv"
        self.write(name, self.files(".")[name][:-3])
        before = self.files("r")
        self.assertIn("7 of 8 trials", self.good("inspect", "r").out)
        self.assertEqual(self.files("r"), before)


if __name__ == "__main__":
    unittest.main()
