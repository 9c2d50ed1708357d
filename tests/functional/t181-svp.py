# SPDX-License-Identifier: Apache-2.0
"""`strobe svp`: the vendor's commands, on JOB directories of camera boards."""

import csv
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import unittest

import made_job
import svp_expected
from support import STROBE, StrobeTest

USAGE, CONFIG, INPUT, WRITE = 2, 3, 5, 6
SUMMARY = "op_summary_0.resnet50.1.1.1.0.3_25.1000.csv"


class SvpTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.jobs = self.work / "jobs"

    def svp(self, *words, code=0, **options):
        return self.strobe("svp", *words, code=code, **options)

    @staticmethod
    def tree(job):
        return sorted(str(path.relative_to(job)) for path in job.rglob("*"))

    # ---- what is made ----

    def test_timeline(self):
        job = made_job.make_example(self.jobs)
        done = self.svp("export", "timeline", "-dir", job)
        self.assertEqual(done.stdout.splitlines(), [
            "%s/timeline/%s" % (job, name)
            for name in ("acl_0.resnet50.1.1.json", "task_time_0.resnet50.1.1.json")])
        self.assertEqual(self.tree(job / "timeline"),
                         ["acl_0.resnet50.1.1.json", "task_time_0.resnet50.1.1.json"])
        self.assertEqual(os.stat(job / "timeline").st_mode & 0o777, 0o750)
        self.assertEqual(os.stat(job / "timeline" / "acl_0.resnet50.1.1.json").st_mode & 0o777,
                         0o640)

    def test_summary(self):
        job = made_job.make_example(self.jobs)
        self.svp("export", "summary", "-dir", job)
        text = (job / "summary" / SUMMARY).read_bytes().decode()
        self.assertEqual(text.count("\r\n"), text.count("\n"))
        titles, *rows = csv.reader(io.StringIO(text))
        self.assertEqual(rows, list(svp_expected.op_summary(made_job.LAYERS)))
        self.svp("export", "summary", "-dir", job, "--format=json")
        objects = json.loads((job / "summary" / SUMMARY.replace(".csv", ".json")).read_text())
        self.assertEqual([list(row) for row in objects], [titles] * 5)
        for row, cells in zip(objects, rows):
            for value, cell in zip(row.values(), cells):
                self.assertEqual(value, cell if isinstance(value, str) else float(cell))

    def test_worked_examples(self):
        """Each file of both examples, in each form, byte for byte; a second run writes the same
        bytes."""
        for make, files in ((made_job.make_example, svp_expected.example()),
                            (made_job.make_captures, svp_expected.captures())):
            job = make(self.jobs)
            for _ in range(2):
                found = {}
                for words in ("timeline",), ("summary",), ("summary", "--format", "json"):
                    self.svp("export", *words, "-dir", job)
                    found.update({str(path.relative_to(job)): path.read_bytes().decode()
                                  for path in (job / words[0]).iterdir()})
                self.assertEqual(sorted(found), sorted(files))
                for name, text in files.items():
                    self.assertEqual(found[name], text, name)
            self.check_shown(job, files)
            shutil.rmtree(job)

    def check_shown(self, job, files):
        """`show` has the cells of the tables, in their order, and makes the same timelines."""
        text = self.svp("show", "-dir", job).stdout
        lines = [re.split(r"  +", line.strip()) for line in text.splitlines()]
        shown = "200" if "after 200 pictures" in text else "0"
        for name, table in files.items():
            if name.endswith(".csv") and (".1.%s." % shown in name or "_1_%s_" % shown in name
                                          or "/acl_" in name):
                cells = [row for row in csv.reader(io.StringIO(table))]
                at = lines.index(cells[0])
                self.assertEqual(lines[at + 2:at + 1 + len(cells)], cells[1:], name)
            elif name.startswith("timeline"):
                self.assertEqual((job / name).read_bytes().decode(), table)

    def test_json_numbers(self):
        job = made_job.make_example(self.jobs)
        self.svp("export", "summary", "-dir", job, "--format", "json", "--per-iter")
        (calls,) = (job / "summary").glob("acl_statistic_0_1_*")
        self.assertEqual(json.loads(calls.read_text())[0]["Total Time(us)"], 37489.0)

    def test_replaced(self):
        """Files of an earlier export are removed, other files stay, and the same bytes are written
        again."""
        job = made_job.make_example(self.jobs)
        for name in "timeline/task_time_9.old.1.1.json", "timeline/mine.json", "summary/my.csv":
            (job / name).parent.mkdir(exist_ok=True)
            (job / name).write_text("x")
        (job / "timeline" / "sub").mkdir()
        contents = []
        for _ in range(2):
            self.svp("export", "timeline", "-dir", job)
            self.svp("export", "summary", "-dir", job)
            contents.append({name: (job / name).read_bytes() for name in self.tree(job)
                             if (job / name).is_file() and not name.startswith("log")})
        self.assertEqual(*contents)
        self.assertNotIn("timeline/task_time_9.old.1.1.json", contents[0])
        self.assertIn("timeline/mine.json", contents[0])
        self.assertIn("summary/my.csv", contents[0])

    def test_import(self):
        job = made_job.make_captures(self.jobs)
        (job / "sqlite").mkdir()
        (job / "sqlite" / "svp_profile.db").write_text("broken")
        self.svp("import", "-dir", job)
        with sqlite3.connect(job / "sqlite" / "svp_profile.db") as database:
            ask = lambda text: database.execute(text).fetchall()
            self.assertEqual(ask("PRAGMA user_version"), [(1,)])
            self.assertEqual(ask("SELECT iter_id, current_pic_count, first_capture, complete "
                                 "FROM capture ORDER BY iter_id"),
                             [(number, (number - 1) * 200, number == 1, number < 5)
                              for number in range(1, 6)])
            self.assertEqual(ask("SELECT count(*) FROM task"), [(19,)])  # one row is cut off
            self.assertEqual(ask("SELECT count(*) FROM acl_call"), [(10,)])
            self.assertEqual(ask("SELECT count(*) FROM source_file WHERE done = 0"), [(6,)])
        log = (job / "log" / ("collection_%s.log" % job.name)).read_text()
        self.assertIn("records: 69", log)
        self.assertIn("damaged: AAcore.0.a.b-c.1.1.100.1.800", log)

    def test_db_elsewhere(self):
        """The JOB may be on a medium that is read-only."""
        job = made_job.make_example(self.jobs)
        before = self.tree(job)
        self.svp("import", "-dir", job, "--db", self.work / "there.db")
        self.assertEqual(self.tree(job), before)
        with sqlite3.connect(self.work / "there.db") as database:
            self.assertEqual(database.execute("SELECT count(*) FROM task").fetchone(), (4,))
        self.assertFalse(list(self.work.glob(".there*")))

    def test_forms_of_the_option(self):
        job = made_job.make_example(self.jobs)
        link = self.work / "msprof"
        for words in (("-dir=%s" % job,), ("--collection-dir", "%s/" % job),
                      ("--collection-dir=%s" % job,), ("-dir", os.path.relpath(job, self.work)),
                      ("-dir", "~/" + os.path.relpath(job, self.work))):
            shutil.rmtree(job / "timeline", ignore_errors=True)
            self.svp("export", "timeline", *words, cwd=self.work)
            self.assertEqual(len(self.tree(job / "timeline")), 2, words)
        for name in "msprof", "msprof.pyc":
            link = self.work / name
            link.symlink_to(STROBE)
            shutil.rmtree(job / "timeline")
            subprocess.run([link, "export", "timeline", "-dir", job], check=True, cwd="/",
                           env=self.environment, capture_output=True)
            self.assertEqual(len(self.tree(job / "timeline")), 2)

    def test_each_of_a_folder(self):
        """Several JOBs: a bad one does not prevent the files of the others."""
        jobs = [make(self.jobs, name=name) for make, name in (
            (made_job.make_example, "JOBA"), (made_job.make_job, "JOBB"),
            (made_job.make_captures, "JOBC"))]
        (self.jobs / "other").mkdir()
        done = self.svp("export", "summary", "-dir", self.jobs, "--each", code=INPUT)
        self.assertIn("%s: its folder data is empty" % jobs[1], done.stderr)
        self.assertEqual([len(list(job.glob("summary/*"))) for job in jobs], [3, 0, 11])
        shutil.rmtree(jobs[1])
        shown = self.svp("show", "-dir", self.jobs, "--each", "--json").stdout
        first, end = json.JSONDecoder().raw_decode(shown)
        self.assertEqual((first["capture"], json.loads(shown[end:])["capture"]), (1, 2))
        text = self.svp("show", "-dir", self.jobs, "--each").stdout
        self.assertEqual([line for line in text.splitlines() if line.startswith(str(self.jobs))],
                         [str(jobs[0]), str(jobs[2])])
        self.check(INPUT, ("show", "-dir", self.jobs), "begins with JOB")
        self.check(INPUT, ("show", "-dir", self.jobs / "other", "--each"), "no JOB directory in it")
        self.check(INPUT, ("show", "-dir", self.jobs / "none", "--each"), "No such file")
        self.check(USAGE, ("import", "-dir", self.jobs, "--each", "--db", "x"), "--db is for one")

    # ---- show ----

    def test_show(self):
        job = made_job.make_example(self.jobs)
        done = self.svp("show", "-dir", job, "--advice")
        heads = [line for line in done.stdout.splitlines()
                 if line in ("AA Core metric", "Op statistic", "Acl statistic", "Frequency")]
        self.assertEqual(heads, ["AA Core metric", "Op statistic", "Acl statistic", "Frequency"])
        self.assertIn("the first one of its model", done.stdout)
        self.assertIn("Records: 19 stored, 0 lost; complete", done.stdout)
        self.assertIn("conv2+relu2: memory limits it", done.stdout)
        self.assertNotIn("\x1b", done.stdout)
        for name in "sqlite", "log", "timeline":
            self.assertTrue((job / name).is_dir())
        self.assertFalse((job / "summary").exists())
        found = json.loads(self.svp("show", "-dir", job, "--json").stdout)
        self.assertEqual(found["frequency"], [
            {"Device ID": 0, "Core": 0, "Frequency(MHz)": 1000, "Min": 1000, "Max": 1000,
             "Samples": 1}])
        self.assertEqual(found["aa_core_metric"][0]["Mac Busy Ratio"], 80.0)

    def test_show_of_captures(self):
        job = made_job.make_captures(self.jobs)
        self.assertIn("Capture 2 of 5, after 200 pictures\n", self.svp("show", "-dir", job).stdout)
        shown = self.svp("show", "-dir", job, "--iter", 5).stdout
        self.assertIn("Capture 5 of 5", shown)
        self.assertIn("incomplete", shown)
        self.assertIn("no capture 6", self.svp("show", "-dir", job, "--iter=6", code=USAGE).stderr)

    def test_show_without_kinds(self):
        job = made_job.make_job(self.jobs)
        made_job.calls_file("m").write(job / "data" / "AclModule.0.m.1")
        text = self.svp("show", "-dir", job).stdout
        self.assertEqual(text.count("no data collected"), 3)

    # ---- what is refused ----

    def check(self, code, words, *named, job=None):
        before = self.tree(job) if job else None
        done = self.svp(*words, code=code)
        for text in named:
            self.assertIn(str(text), done.stderr, words)
        if job:
            self.assertEqual(self.tree(job), before, words)

    def test_usage(self):
        job = made_job.make_example(self.jobs)
        for command in (("import",), ("export", "timeline"), ("export", "summary"), ("show",)):
            self.check(USAGE, command, "-dir")
            self.check(USAGE, (*command, "-dir", job, "-dir", job), "more than once", job=job)
            self.check(USAGE, (*command, "-dir", job, "word"), "word", job=job)
            self.check(USAGE, (*command, "-dir", job, "--wrong"), "--wrong", job=job)
            self.check(USAGE, (*command, "-dir", ""), "empty")
            self.check(USAGE, (*command, "-dir"), "collection-dir")
            self.assertIn("--collection-dir", self.svp(*command, "-h").stdout)
        self.check(USAGE, ("export", "summary", "-dir", job, "--format", "xml"), "xml",
                   "csv or json", job=job)
        self.check(USAGE, ("export", "pictures", "-dir", job), "pictures", "timeline or summary")
        self.check(USAGE, ("nonsense",), "nonsense")
        self.check(USAGE, (), "import, export or show")
        self.assertIn("export timeline", self.svp("--help").stdout)

    def test_no_job(self):
        job = made_job.make_example(self.jobs)
        other = self.jobs / "OTHER"
        shutil.copytree(job, other)
        self.check(INPUT, ("import", "-dir", self.jobs / "JOBNONE"), "JOBNONE", "No such file")
        self.check(INPUT, ("import", "-dir", job / "info.json.0"), "Not a directory")
        self.check(INPUT, ("import", "-dir", other), "begins with JOB", job=other)
        (job / "info.json.0").rename(job / "info.json.1")  # for device 1, which is equally good
        self.svp("export", "timeline", "-dir", job)
        made_job.write_info(job)
        self.check(INPUT, ("import", "-dir", job), "several files info.json", job=job)
        for device in 0, 1:
            (job / ("info.json.%d" % device)).unlink()
        self.check(INPUT, ("import", "-dir", job), "info.json.<device>", job=job)

    def test_no_data(self):
        job = made_job.make_job(self.jobs)
        causes = "online_model_type=2", "loading and unloading", "collection succeed"
        self.check(INPUT, ("export", "timeline", "-dir", job), "empty", *causes, job=job)
        (job / "data").rmdir()
        self.check(INPUT, ("export", "timeline", "-dir", job), "no folder data", *causes, job=job)

    def test_external(self):
        job = made_job.make_job(self.jobs)
        (job / "data" / "AAcore.0.m.1.1.1.0").write_bytes(bytes(range(16)))
        self.check(INPUT, ("show", "-dir", job), "AAcore.0.m.1.1.1.0", "00 01 02 03", job=job)

    def test_path_rules(self):
        for name in "JOB a", "JOB;x", "JOBä", "JOB'":
            job = made_job.make_example(self.jobs, name=name)
            self.check(CONFIG, ("import", "-dir", job), "0x", "not allowed", job=job)
        job = made_job.make_example(self.jobs, name="JOB-1")
        self.assertIn("unusual", self.svp("import", "-dir", job).stderr)
        shutil.rmtree(job / "sqlite")
        self.check(CONFIG, ("import", "-dir", job, "--strict-path"), '"-" is unusual', job=job)

    def test_only_what_was_collected(self):
        job = made_job.make_job(self.jobs)
        clock = made_job.DataFile()
        clock.add("svp.frequency", clock.track(made_job.STREAM, 0, 0), None, 5, frequency=1.0,
                  device=0, core=0)
        clock.write(job / "data" / "Freq.0")
        done = self.svp("export", "summary", "-dir", job)
        self.assertIn("no data were collected for summary", done.stderr)
        self.assertFalse((job / "summary").exists())

    def test_full_disk(self):
        """Files above the limit cannot be written: no incomplete file is left."""
        job = made_job.make_example(self.jobs)
        before = self.tree(job)
        for command in "import", "export timeline", "export summary", "show":
            done = subprocess.run(
                ["sh", "-c", "ulimit -f 0; exec %s svp %s -dir %s" % (STROBE, command, job)],
                env=self.environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, WRITE, done.stderr)
            self.assertIn("annot", done.stderr)
            self.assertEqual(self.tree(job), before, command)

    def test_links_out_of_the_job(self):
        """Nothing is written through a folder that is a link to another place."""
        job = made_job.make_example(self.jobs)
        outside = self.work / "outside"
        outside.mkdir()
        (job / "timeline").symlink_to(outside)
        self.check(WRITE, ("export", "timeline", "-dir", job), "timeline")
        self.assertEqual(self.tree(outside), [])


if __name__ == "__main__":
    unittest.main()
