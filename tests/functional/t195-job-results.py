# SPDX-License-Identifier: Apache-2.0
"""`strobe info` and `strobe show` read JOB directories; the commands of docs/board.md run."""

import re
import shutil
import sqlite3
import unittest

import made_job
from support import TOP
from svp_board import PROGRAM, BoardTest

INPUT = 5
PAGE = TOP / "docs" / "board.md"
CONV = "layer conv Convolution AA_CORE 9000\n"
MISH = CONV + "".join("layer mish/%s %s AA_CORE %d\n" % (name, name, us)
                      for name, us in (("Softplus", 5000), ("Tanh", 6000), ("Mul", 3299)))
RELU = CONV + "layer leakyrelu LeakyRelu AA_CORE 5190\n"


class JobResultsTest(BoardTest):
    def show(self, job, *words):
        (shown,) = self.json("show", job, *words)
        return shown

    def files(self, job):
        return {path: path.read_bytes() for path in job.rglob("*") if path.is_file()}

    def refuse(self, job, *texts):
        for command in "info", "show":
            done = self.strobe(command, job, code=INPUT)
            for text in texts:
                self.assertIn(text, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_show(self):
        job = made_job.make_example(self.jobs)
        shown = self.show(job, "--table", "device_task")
        self.assertEqual(shown["directory"], str(job))
        self.assertEqual({row["name"]: row["duration"] for row in shown["rows"]},
                         {layer[1]: layer[4] * 1000 for layer in made_job.LAYERS})
        self.assertIn("Pooling", self.strobe("show", job).stdout)
        self.assertIn("svp.layer", self.strobe("show", job, "--list").stdout)

    def test_info(self):
        job = made_job.make_example(self.jobs)
        (found,) = self.json("info", job)
        self.assertEqual([found["directory"], found["capture"]], [str(job)] * 2)
        self.assertEqual(found["kinds"]["device_task"], len(made_job.LAYERS))
        self.assertEqual(found["kinds"]["api_call"], len(made_job.CALLS))
        self.assertIn(str(job), self.strobe("info", job).stdout)

    def test_nothing_is_left(self):
        """Nothing is written into the JOB, and the temporary capture goes."""
        job = made_job.make_example(self.jobs)
        before = self.files(job)
        temporary = self.work / "temporary"
        temporary.mkdir()
        for command in "info", "show":
            self.strobe(command, job, "--tmp-dir", temporary)
            self.assertEqual(list(temporary.iterdir()), [], command)
        self.assertEqual(self.files(job), before)

    def test_several(self):
        """A JOB beside others, one of which is bad."""
        good = made_job.make_example(self.jobs / "a")
        bad = made_job.make_job(self.jobs / "b")
        done = self.strobe("info", bad, good, code=INPUT)
        self.assertIn("device_task", done.stdout)
        self.assertIn(str(bad), done.stderr)

    def test_torn(self):
        job = made_job.make_captures(self.jobs)
        for command in "info", "show":
            self.assertIn("AAcore.0.a.b-c.1.1.100.1.800: it was not finished",
                          self.strobe(command, job).stderr)

    def test_damaged(self):
        job = made_job.make_job(self.jobs)
        self.refuse(job, str(job), "online_model_type=2")
        (job / "data" / "aicore.0.kws.31.1.1.0").write_bytes(b"\x5a\x5a\x00\x01" * 100)
        self.refuse(job, "aicore.0.kws.31.1.1.0", "5a 5a 00 01", "vendor")
        shutil.rmtree(job / "data")
        self.refuse(job, str(job), "online_model_type=2")

    def test_version(self):
        job = made_job.make_example(self.jobs)
        made_job.write_info(job, version={"major": 2, "minor": 0})
        self.refuse(job, "info.json.0", "version 2", "version 1")

    def test_no_job(self):
        """A folder that only has the name of one."""
        folder = self.jobs / "JOBS"
        folder.mkdir()
        self.refuse(folder, "no result directory")


@unittest.skipUnless(PROGRAM.exists(), "built without the runtime's double")
class PageTest(BoardTest):
    """The page's commands, on what the double of the runtime records."""

    def record(self, layers, name):
        self.configure(layers)
        self.run_program("load", "execute", 1)
        return self.job().rename(self.work / name)

    def fill(self, words):
        """A command of the page, with what stands in its words for something."""
        given = {"JOBABC": "JOB_BEFORE", "JOB": "JOB_BEFORE", "FILE": "view.db", "N": "1",
                 "results": str(self.out)}
        return [str(self.work / given.get(word, word)) if word.startswith("JOB") or word == "FILE"
                else given.get(word, word) for word in words]

    def variants(self, line):
        """Without what is in brackets, and with each of the alternatives."""
        bare = re.sub(r"\s*\[[^]]*\]", "", line)
        for options in re.findall(r"\[([^]]*)\]", line):
            name, _, values = options.partition(" ")
            for value in values.replace("\\", "").split("|") if values else [""]:
                yield (bare + " " + name + " " + value).split()
        yield bare.split()

    def commands(self):
        text = PAGE.read_text()
        return re.findall(r"^strobe (.*)$", text, re.M) + re.findall(
            r"^\| `strobe (svp [^`]*)` \|", text, re.M)

    def test_commands(self):
        self.record(MISH, "JOB_BEFORE")
        self.record(RELU, "JOB_AFTER")
        commands = self.commands()
        self.assertGreater(len(commands), 6, commands)
        for line in commands:
            for words in self.variants(line):
                self.strobe(*self.fill(words))
        self.assertTrue((self.work / "JOB_BEFORE" / "sqlite" / "svp_profile.db").exists())

    def test_names_of_the_view(self):
        """The tables that the page compares with those of CANN are in the view."""
        text = PAGE.read_text()
        table = text[text.index("| `svp_profile.db` | CANN |"):].split("\n\n")[0]
        names = [line.split("`")[1] for line in table.splitlines()[2:] if line.startswith("| `")]
        self.assertEqual(names, ["acl_call", "task", "task_counter", "freq"])
        job = made_job.make_example(self.jobs)
        self.strobe("svp", "import", "-dir", job)
        with sqlite3.connect(job / "sqlite" / "svp_profile.db") as view:
            for name in names:
                (n,) = view.execute("SELECT count(*) FROM " + name).fetchone()
                self.assertGreater(n, 0, name)
            view.execute("SELECT mono_ns FROM freq")

    def test_run(self):
        """`strobe run -c acl.json -- ./main`"""
        self.assertIn("`strobe run -c acl.json -- ./main`", PAGE.read_text())
        self.configure(MISH)
        self.environment["SVP_DOUBLE"] = str(self.double)
        self.strobe("run", "-c", self.config, "--", PROGRAM, self.config, "/models/net.om", "load",
                    "execute", 1)
        self.assertEqual(self.json("info", self.job())[0]["kinds"]["svp.capture"], 1)

    def test_activation(self):
        """The page's case: times and names as it has them, found by its command."""
        text = PAGE.read_text()
        demo = text[text.index("## Another activation"):]
        slow, fast, table = re.findall(r"```text\n(.*?)```", demo, re.S)[:3]
        before, after = self.record(slow, "JOB_BEFORE"), self.record(fast, "JOB_AFTER")
        totals = [sum(row["duration"] for row in self.tasks(job)) for job in (before, after)]
        self.assertEqual(totals, [23299000, 14190000])
        self.assertIn("(sum of all 5 rows)", table)
        self.assertIn(table, self.strobe("diff", before, after, "--by", "kernel").stdout)

    def tasks(self, job):
        return self.json("show", job, "--table", "device_task")[0]["rows"]


if __name__ == "__main__":
    unittest.main()
