# SPDX-License-Identifier: Apache-2.0
"""`strobe info` and `strobe show` read JOB directories, and the commands of docs/board.md run."""

import re
import shutil
import sqlite3
import unittest

import made_job
import tap
from support import TOP
from svp_board import LAYERS, PROGRAM, BoardTest

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
        """Nothing is written into the JOB, and the temporary capture is removed."""
        job = made_job.make_example(self.jobs)
        before = self.files(job)
        temporary = self.work / "temporary"
        temporary.mkdir()
        for command in "info", "show":
            self.strobe(command, job, "--tmp-dir", temporary)
            self.assertEqual(list(temporary.iterdir()), [], command)
        self.assertEqual(self.files(job), before)

    def test_several(self):
        """A JOB in a folder with others, one of which is bad."""
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
        """A folder that only has the name of a JOB."""
        folder = self.jobs / "JOBS"
        folder.mkdir()
        self.refuse(folder, "no result directory")


TOOL_PLACE = "toolkit/tools/profiler/profiler_tool/analysis/msprof/msprof.pyc"
# Replaces the vendor's tool for a JOB that only this tool can read: it copies tables from a folder.
TOOL = """#!/bin/sh
echo "$*" | sed "s# -dir .*/# -dir #" >>"$TOOL_LOG"
for copy; do :; done
test -f "$copy/data/AAcore.0.resnet50.1.1.1.0" -a -f "$copy/info.json.0" || exit 8
[ "$1" != import ] || mkdir "$copy/sqlite"
[ "$1" != export ] || cp -r "$TOOL_TABLES/$2" "$copy"
"""


class VendorToolTest(BoardTest):
    """The vendor's tool makes tables of data that only it can read."""

    def setUp(self):
        super().setUp()
        self.vendor = made_job.make_example(self.jobs)
        for words in ("timeline",), ("summary",):
            self.strobe("svp", "export", *words, "-dir", self.vendor)
        self.tables = self.work / "tables"
        self.tables.mkdir()
        for name in "timeline", "summary":
            (self.vendor / name).rename(self.tables / name)
        shutil.rmtree(self.vendor / "log")
        for path in (self.vendor / "data").iterdir():
            path.write_bytes(bytes(range(32)))
        self.before = sorted(self.vendor.rglob("*"))
        self.log, self.temporary = self.work / "log.txt", self.work / "temporary"
        self.temporary.mkdir()
        self.environment.update(TOOL_LOG=str(self.log), TOOL_TABLES=str(self.tables))
        self.environment.pop("ASCEND_HOME_PATH", None)

    def make_tool(self, path, text=TOOL):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def import_job(self, *words, code=0):
        done = self.strobe("import", "-o", self.out, "--tmp-dir", self.temporary, "--export",
                           "svp_summary", *words, self.vendor, code=code)
        self.assertEqual(sorted(self.vendor.rglob("*")), self.before)
        self.assertEqual(list(self.temporary.iterdir()), [])
        return done.stderr

    def check_tables(self):
        self.assertEqual(self.log.read_text().splitlines(), [
            "import -dir JOBCOPY", "export timeline -dir JOBCOPY", "export summary -dir JOBCOPY"])
        (made,) = self.out.rglob("ASCEND_PROFILER_OUTPUT/op_statistic_0_1_0_1.csv")
        self.assertEqual(made.read_bytes(),
                         (self.tables / "summary" / "op_statistic_0_1_0_1.csv").read_bytes())

    def test_program(self):
        tool = self.make_tool(self.work / "msprof")
        self.import_job("--format", "svp_job:msprof=%s" % tool)
        self.check_tables()

    def test_by_default(self):
        """By default the tool of an installed toolkit is used, with the Python for which it is
        made."""
        home = self.work / "toolkit"
        self.make_tool(home / TOOL_PLACE)
        self.make_tool(self.work / "bin" / "python3.7", '#!/bin/sh\nexec sh "$@"\n')
        self.environment.update(ASCEND_HOME_PATH=str(home), PATH="/usr/bin:/bin")
        self.assertIn("needs python3.7, which is not on PATH", self.import_job(code=INPUT))
        self.environment["PATH"] = "%s:/usr/bin:/bin" % (self.work / "bin")
        self.import_job()
        self.check_tables()
        shutil.rmtree(self.out)
        (home / TOOL_PLACE).chmod(0o777)  # another user may have changed it
        self.assertIn("may be written by others", self.import_job(code=INPUT))

    def test_refused(self):
        """Each message names the file and its first bytes, and says why no tool could help."""
        bad = self.make_tool(self.work / "bad", "#!/bin/sh\necho no licence\nexit 3\n")
        idle = self.make_tool(self.work / "idle", "#!/bin/sh\n")
        for words, why in (((), "there is no " + TOOL_PLACE + " in ASCEND_HOME_PATH"),
                           (("--format", "svp_job:msprof=msprof"), "is a relative path"),
                           (("--format", "svp_job:msprof=%s" % (self.work / "none")),
                            "import: No such file or directory"),
                           (("--format", "svp_job:msprof=%s" % bad), "import: failed: no licence"),
                           (("--format", "svp_job:msprof=%s" % idle), "but made no tables")):
            errors = self.import_job(*words, code=INPUT)
            for text in ("data/AAcore.0.resnet50.1.1.1.0", "00 01 02 03", why):
                self.assertIn(text, errors)


# The content of a JOB without the numbers of rows, which change if a row is missing.
VIEW = {
    "model": "SELECT device_id, model_id, name, batch_num, input_pic_num FROM model",
    "capture": "SELECT device_id, model_id, batch_num, input_pic_num, current_pic_count, iter_id, "
               "begin_ns, end_ns, first_capture FROM capture",
    "layer": "SELECT * FROM layer",
    "task": "SELECT current_pic_count, task_id, layer_id, stream_id, name, task_type, task.begin_ns, "
            "task.end_ns, task_counter.* FROM task LEFT JOIN capture ON capture.id = capture_id "
            "LEFT JOIN task_counter ON task_pk = task.id",
    # a call without a model counts for the first model of another call of its process
    "acl_call": "SELECT acl_call.device_id, name, type, acl_call.begin_ns, acl_call.end_ns, "
                "pid, tid, ret, current_pic_count FROM acl_call "
                "LEFT JOIN capture ON capture.id = capture_id",
    "freq": "SELECT * FROM freq",
}


@unittest.skipUnless(PROGRAM.exists(), "built without the runtime's double")
class FlippedTest(BoardTest):
    """A recorded JOB, in which each byte of each file in `data` is changed once."""

    def read_view(self, job):
        path = self.work / "flipped.db"
        path.unlink(missing_ok=True)
        done = self.start("svp", "import", "-dir", job, "--db", path)
        _, errors = done.communicate(timeout=60)
        self.assertIn(done.returncode, (0, INPUT), errors)
        if done.returncode:
            self.assertFalse(path.exists())
            return {name: [] for name in VIEW}
        with sqlite3.connect(path) as view:
            found = {name: [list(row) for row in view.execute(text)] for name, text in VIEW.items()}
        for row in found["task"]:  # the number of a row
            row[8] = None
        return found

    def check_rows(self, name, rows, good, place):
        """Each row is one of the JOB's; an unknown cell is NULL."""
        for row in rows:
            self.assertTrue(any(all(cell in (None, right) for cell, right in zip(row, whole))
                                for whole in good), (place, name, row))

    def flip(self, step, mask):
        self.configure(double="batch 100\n" + LAYERS, interval="1")
        self.run_program("load", "execute", 2, "threads", 1, 6)
        job = self.job()
        made_job.make_example(self.work / "made")  # has a clock, which the double lacks
        shutil.copy(self.work / "made" / made_job.JOB / "data" / "Freq.0", job / "data")
        good = self.read_view(job)
        self.assertTrue(all(good.values()), good)
        for path in sorted((job / "data").iterdir()):
            whole = path.read_bytes()
            for at in range(len(whole) % step, len(whole), step):
                path.write_bytes(whole[:at] + bytes([whole[at] ^ mask]) + whole[at + 1:])
                for name, rows in self.read_view(job).items():
                    self.check_rows(name, rows, good[name], (path.name, at))
            path.write_bytes(whole)

    def test_some_bytes(self):
        self.flip(701, 0x41)

    def test_some_digits(self):
        """Changes digits in the JSON files and marks to other digits."""
        self.flip(997, 0x01)

    @tap.long_test
    def test_every_byte(self):
        self.flip(1, 0x01)


@unittest.skipUnless(PROGRAM.exists(), "built without the runtime's double")
class PageTest(BoardTest):
    """The page's commands, with data that the runtime's double records."""

    def record(self, layers, name):
        self.configure(layers)
        self.run_program("load", "execute", 1)
        return self.job().rename(self.work / name)

    def fill(self, words):
        """A command of the page, in which each placeholder is replaced by a real value."""
        given = {"JOBABC": "JOB_BEFORE", "JOB": "JOB_BEFORE", "FILE": "view.db", "N": "1",
                 "results": str(self.out)}
        return [str(self.work / given.get(word, word)) if word.startswith("JOB") or word == "FILE"
                else given.get(word, word) for word in words]

    def variants(self, line):
        """The command without the parts in brackets, and with each of the alternatives."""
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
        commands = [line for line in self.commands() if " --on " not in line]  # t217 has a board
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
        """The page's case: the times and names are those of the page, found with its command."""
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
