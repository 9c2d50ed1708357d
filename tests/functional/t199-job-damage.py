# SPDX-License-Identifier: Apache-2.0
"""JOB directories that are damaged, too large, made by the vendor's tool, or on full or read-only
disks: there is never a wrong row, the exit code is the one in docs/board.md, and no file is
incomplete."""

import csv
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import unicodedata
import unittest

import made_job
import tap
from support import ANALYSIS_LOG, PROGRAMS, STROBE, needs_pool_in_memory, without_sanitizer
from svp_board import BoardTest

USAGE, INPUT, WRITE = 2, 5, 6
EXPORTS = ("--export", "svp_timeline", "--export", "svp_summary")
SUMMARY = "op_summary_0.resnet50.1.1.1.0.%s.1000.csv"
WRITERS = (("import",), ("export", "timeline"), ("export", "summary"), ("show",),
           ("export", "summary", "--format", "json", "--per-iter"))
root_only = unittest.skipUnless(os.geteuid() == 0, "mounts a file system")


class DamageTest(BoardTest):
    @staticmethod
    def tree(job):
        return {str(path.relative_to(job)): path.read_bytes() if path.is_file() else None
                for path in job.rglob("*")}

    def import_job(self, job, code=0):
        shutil.rmtree(self.out, ignore_errors=True)
        return self.strobe("import", "-o", self.out, *EXPORTS, job, code=code)

    def output(self, name):
        (result,) = self.out.iterdir()
        return result / "ASCEND_PROFILER_OUTPUT" / name

    def rows(self, job, table="device_task"):
        return self.json("show", job, "--table", table)[0]["rows"]

    # ---- tables of the vendor's tool ----

    def make_vendor(self, parts=("timeline", "summary")):
        """Makes a JOB with data that only the vendor's tool reads, and with the tables that this
        tool made."""
        job = made_job.make_example(self.jobs)
        self.strobe("svp", "export", "timeline", "-dir", job)
        self.strobe("svp", "export", "summary", "-dir", job)
        self.made = self.tree(job)
        for path in (job / "data").iterdir():
            path.write_bytes(bytes(range(32)))
        for folder in {"timeline", "summary"} - set(parts):
            shutil.rmtree(job / folder)
        return job

    def edit_summary(self, job, old, new):
        path = job / "summary" / (SUMMARY % "3_25")
        text = path.read_bytes().decode()
        self.assertIn(old, text)
        path.write_bytes(text.replace(old, new).encode())

    def test_summary_and_timeline(self):
        """Tables that are made from both equal those of the tool, except for the cache misses."""
        job = self.make_vendor()
        done = self.import_job(job)
        self.assertIn("summary/%s" % (SUMMARY % "3_25"), done.stderr)
        for old, new in ((SUMMARY % "3_25", SUMMARY % "NA"), *[[name] * 2 for name in (
                "op_statistic_0_1_0_1.csv", "acl_statistic_0_1_1.csv")]):
            self.assertEqual(self.output(new).read_bytes(), self.made["summary/" + old])
        self.assertEqual([row["op_type"] for row in self.rows(job)],
                         [layer[2] for layer in made_job.LAYERS])
        self.assertEqual([row["ori_name"] for row in self.rows(job, "svp.layer")],
                         [layer[0] for layer in made_job.LAYERS])
        (info,) = self.json("info", job)
        self.assertIn("0.001 us", info["metadata"]["svp.rounded"])
        self.assertTrue(list(self.out.rglob("acl_statistic_0_1_1.csv")))

    def test_summary_alone(self):
        """The layers have the durations of the summary; their begins are reported as unknown."""
        job = self.make_vendor(parts=("summary",))
        done = self.import_job(job)
        self.assertIn("no timeline has its layers: each layer begins at the end of the one before, "
                      "from 0 on", done.stderr)
        self.assertEqual(self.output(SUMMARY % "NA").read_bytes(),
                         self.made["summary/" + SUMMARY % "3_25"])
        self.assertEqual([(row["name"], row["duration"]) for row in self.rows(job)],
                         [(layer[1], layer[4] * 1000) for layer in made_job.LAYERS])
        other = made_job.make_job(self.jobs / "other")
        layers = [(*layer[:4], layer[4] + 100 * (layer[1] == "pool1"), None)
                  for layer in made_job.LAYERS]
        made_job.core_file("resnet50", 1, 10 ** 9, layers=layers).write(
            other / "data" / "AAcore.0.resnet50.1.1.1.0")
        found = self.json("diff", job, other, "--by", "kernel")
        self.assertEqual([(row["path"][-1], row["a"]["value"], row["b"]["value"])
                          for row in found["rows"]], [("pool1", 200000, 300000)])

    def test_captures_in_order(self):
        """The tables of a model belong to its captured inferences in the order of their
        pictures."""
        job = made_job.make_captures(self.jobs)
        self.strobe("svp", "export", "timeline", "-dir", job)
        self.strobe("svp", "export", "summary", "-dir", job)
        kept = {path.name: path.read_bytes() for path in (job / "summary").glob("op_summary*")}
        for path in (job / "data").iterdir():
            path.write_bytes(bytes(range(32)))
        self.import_job(job)
        for name, text in kept.items():
            head, _, mhz = name[:-4].rsplit(".", 2)
            self.assertEqual(self.output("%s.NA.%s.csv" % (head, mhz)).read_bytes(), text, name)

    def test_summary_that_does_not_fit(self):
        job = self.make_vendor()
        self.edit_summary(job, "pool1,pool1,Pooling,200.000", "pool1,pool1,Pooling,200.001")
        done = self.import_job(job)
        self.assertIn("its rows do not match the tasks of the timeline", done.stderr)
        self.assertEqual([row["name"] for row in self.rows(job)],
                         [layer[1] for layer in made_job.LAYERS])
        self.assertEqual(len(self.rows(job, "svp.layer")), 1)

    def test_bad_cells(self):
        """The row is left out and named; the other rows stay."""
        for old, new in ((",200.000,20.000", ",x,20.000"), ("0.000,0.000,90.000", "-1,0.000,90.000"),
                         ("1,pool1,pool1", "one,pool1,pool1"), ("409600", "4096.5"),
                         ("1,pool1,pool1", "1,pool1,")):
            job = self.make_vendor(parts=("summary",))
            self.edit_summary(job, old, new)
            done = self.import_job(job)
            self.assertIn("%s: row 3: a cell does not have the form that its title requires" % (SUMMARY % "3_25"),
                          done.stderr)
            self.assertEqual([row["name"] for row in self.rows(job)],
                             ["conv1", "detect", "conv2+relu2"], new)
            shutil.rmtree(job)

    def test_damaged_tables(self):
        job = self.make_vendor(parts=("summary",))
        self.edit_summary(job, "Layer Name,", "Name,")
        done = self.import_job(job, code=INPUT)
        self.assertIn('%s: no columns "Layer Name" and "Time(us)": nothing of it is read'
                      % (SUMMARY % "3_25"), done.stderr)
        path = job / "summary" / (SUMMARY % "3_25")
        whole = self.made["summary/" + SUMMARY % "3_25"]
        names = [layer[1] for layer in made_job.LAYERS]
        for length in range(0, len(whole), 37):  # for a part of the file rows may be missing
            path.write_bytes(whole[:length])
            n_rows = min(max(whole[:length].count(b"\r\n") - 1, 0), 4)
            self.import_job(job, code=0 if n_rows else INPUT)
            if n_rows:
                self.assertEqual([row["name"] for row in self.rows(job)], names[:n_rows], length)
        path.rename(path.with_name("op_summary_of_mine.csv"))
        self.assertIn("does not have a name that the tool gives", self.import_job(job, code=INPUT).stderr)

    def test_summary_without_frequency(self):
        """Shares of unknown cycles are not invented; the bytes are known."""
        job = self.make_vendor(parts=("summary",))
        made_job.write_info(job, frequency_mhz=None)
        path = job / "summary" / (SUMMARY % "3_25")
        path.rename(path.with_name("op_summary_0.resnet50.1.1.1.0.NA.NA.csv"))
        done = self.import_job(job)
        self.assertIn("the file's name has no frequency", done.stderr)
        with self.output("op_summary_0.resnet50.1.1.1.0.NA.NA.csv").open(newline="") as text:
            rows = list(csv.DictReader(text))
        self.assertEqual({row["Mac Busy Ratio"] for row in rows}, {"N/A"})
        self.assertEqual([row["DDR Total(byte)"] for row in rows],
                         ["1572864", "512000", "N/A", "256000", "2340864"])

    def test_calls_of_an_older_runtime(self):
        job = made_job.make_job(self.jobs)
        call = lambda mode, begin, end, name, mark=0x5a5a: struct.pack(
            "<HHIQQII64s32x", mark, 0, mode, begin, end, 7, 8, name)
        (job / "data" / "AclModule.acl.0.slice_0").write_bytes(b"".join((
            call(2, 1000, 5000, b"aclmdlExecute"), bytes(range(128)), call(3, 6000, 7000, b"aclrtMalloc"),
            call(3, 9000, 8000, b"backwards"), call(9, 1, 2, b"mode"), call(1, 1, 2, b"mark", 1),
            call(4, 8000, 8000, b"aclInit"), b"rest")))
        done = self.import_job(job)
        self.assertIn("records that are not calls (4)", done.stderr)
        self.assertIn("ends within a record", done.stderr)
        self.assertEqual([(row["name"], row["mode"], row["duration"])
                          for row in self.rows(job, "api_call")],
                         [("aclmdlExecute", "model", 4000), ("aclrtMalloc", "runtime", 1000),
                          ("aclInit", "others", 0)])

    # ---- limits ----

    def test_huge_file(self):
        """A file of a size that no board makes is named, and not read completely."""
        job = made_job.make_example(self.jobs)
        with (job / "data" / "AAcore.0.m.2.1.1.0").open("wb") as file:
            file.write(b"StrobeB1")
            file.truncate((64 << 30) + 1)
        self.assertIn("AAcore.0.m.2.1.1.0: over 64 GiB: not read", self.import_job(job).stderr)
        self.assertEqual(len(self.rows(job)), 4)

    def test_many_files(self):
        """Each of the files is found, whatever the order in which the folder lists them."""
        job = made_job.make_example(self.jobs)
        for number in range(12000):
            (job / "data" / ("%d.done" % number)).touch()
        names = ["AAcore.0.m.%d.1.1.0" % number for number in range(2, 12)]
        whole = (job / "data" / "AAcore.0.resnet50.1.1.1.0").read_bytes()
        for name in names:
            (job / "data" / name).write_bytes(whole)
        (info,) = self.json("info", job)
        self.assertEqual(info["kinds"]["device_task"], 4 * 11)

    @without_sanitizer
    def test_memory(self):
        """The tables of a JOB with 320,000 calls are made in bounded memory."""
        self.configure(interval="1")
        self.run_program("load", "execute", 20, "threads", 16, 20000)
        for words in WRITERS:
            process = subprocess.Popen([STROBE, "svp", *words, "-dir", self.job()],
                                       env=self.environment, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0, words)
            self.assertLess(usage.ru_maxrss, 256 << 10, words)

    # ---- bad input, each command ----

    def damaged_jobs(self):
        """Returns a damaged JOB and the texts that the messages must contain."""
        job = made_job.make_job(self.jobs / "empty")
        yield job, ("online_model_type=2",)
        job = made_job.make_job(self.jobs / "none")
        (job / "data").rmdir()
        yield job, ("online_model_type=2",)
        job = made_job.make_job(self.jobs / "external")
        (job / "data" / "aicore.0.kws.31.1.1.0").write_bytes(b"\x5a\x5a\x00\x01" * 100)
        yield job, ("aicore.0.kws.31.1.1.0", "5a 5a 00 01", "vendor")
        job = made_job.make_example(self.jobs / "newer")
        made_job.write_info(job, version={"major": 2, "minor": 0})
        yield job, ("info.json.0", "version 2", "version 1")
        job = made_job.make_example(self.jobs / "two")
        made_job.write_info(job, device=1)
        yield job, ("info.json",)

    def test_refused(self):
        for job, texts in self.damaged_jobs():
            before = self.tree(job)
            commands = [("svp", *words, "-dir", job) for words in WRITERS] + [
                ("info", job), ("show", job), ("import", "-o", self.out, job),
                ("svp", "import", "-dir", job, "--db", self.work / "there.db")]
            for words in commands:
                done = self.strobe(*words, code=INPUT)
                for text in (str(job), *texts):
                    self.assertIn(text, done.stderr, words)
                self.assertEqual(done.stdout, "", words)
            self.assertEqual(self.tree(job), before)
            self.assertFalse((self.work / "there.db").exists())
            self.assertFalse(self.out.exists() and list(self.out.iterdir()))

    def test_torn(self):
        """The file is cut anywhere: the calls are the first ones of the original; a sealed file
        with only its head has none."""
        job = made_job.make_example(self.jobs)
        path = job / "data" / "AclModule.0.resnet50.1"
        whole = path.read_bytes()
        calls = [call[0] for call in made_job.CALLS]
        for length in range(200, len(whole), len(whole) // 12):
            path.write_bytes(whole[:length])
            self.strobe("svp", "export", "timeline", "-dir", job)
            found = [event["name"] for file in (job / "timeline").glob("acl_*")
                     for event in json.loads(file.read_text()) if event["ph"] == "X"]
            self.assertEqual(found, calls[:len(found)], length)

    def flip(self, name, read, step):
        """Changes every byte of a file, one at a time: rows may be missing, but none may change."""
        job = made_job.make_example(self.jobs)
        path = job / "data" / name
        whole = path.read_bytes()
        good = read(job)
        self.assertTrue(good)
        for at in range(0, len(whole), step):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1:])
            for row in read(job):  # an unknown cell is N/A
                self.assertTrue(any(all(cell in (value, "N/A") for cell, value in zip(row, whole_row))
                                    for whole_row in good), (at, row))

    def read_calls(self, job):
        self.strobe("svp", "export", "timeline", "-dir", job)
        return {(event["name"], event["ts"], event["dur"], *event["args"].values())
                for path in (job / "timeline").glob("acl_*")
                for event in json.loads(path.read_text()) if event["ph"] == "X"}

    def read_clock(self, job):
        shutil.rmtree(job / "sqlite", ignore_errors=True)
        self.strobe("svp", "import", "-dir", job)
        with sqlite3.connect(job / "sqlite" / "svp_profile.db") as database:
            return set(database.execute("SELECT device_id, core, mono_ns, mhz FROM freq"))

    def test_flipped_calls(self):
        self.flip("AclModule.0.resnet50.1", self.read_calls, 173)

    def test_flipped_clock(self):
        self.flip("Freq.0", self.read_clock, 97)

    @tap.long_test
    def test_each_byte_of_calls_flipped(self):
        self.flip("AclModule.0.resnet50.1", self.read_calls, 1)

    @tap.long_test
    def test_each_byte_of_clock_flipped(self):
        self.flip("Freq.0", self.read_clock, 1)

    # ---- disks ----

    def mounted(self, options, script, *words, code=None):
        """Runs a shell command with the JOBs on a separate file system."""
        kept = self.work / "kept"
        shutil.rmtree(kept, ignore_errors=True)
        text = ("cp -a {jobs} {copy} && mount -t tmpfs -o size={size} none {jobs} && "
                "cp -a {copy}/. {jobs}/ && {script}; code=$?; cp -a {jobs} {kept}; exit $code").format(
            jobs=self.jobs, copy=self.work / "copy", size=options, script=script, kept=kept)
        shutil.rmtree(self.work / "copy", ignore_errors=True)
        done = subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c", text,
                               "sh", *map(str, words)], env=self.environment, cwd=self.work, text=True,
                              capture_output=True, timeout=120)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stderr)
        return kept, done

    @root_only
    def test_read_only(self):
        """Commands that write report an error; commands that read work."""
        job = made_job.make_example(self.jobs)
        before = self.tree(self.jobs)
        only = "mount -o remount,ro {0} && ".format(self.jobs)
        for words in WRITERS:
            kept, done = self.mounted("4m", only + '"$@"', STROBE, "svp", *words, "-dir", job,
                                      code=WRITE)
            self.assertIn("Read-only file system", done.stderr)
            self.assertIn(str(job), done.stderr)
            self.assertEqual(self.tree(kept), before)
        self.mounted("4m", only + '"$@"', STROBE, "svp", "import", "-dir", job, "--db",
                     self.work / "there.db", code=0)
        with sqlite3.connect(self.work / "there.db") as database:
            self.assertEqual(database.execute("SELECT count(*) FROM task").fetchone(), (4,))
        _, done = self.mounted("4m", only + '"$@"', STROBE, "show", job, "--table", "device_task",
                               code=0)
        self.assertIn("conv2+relu2", done.stdout)

    @needs_pool_in_memory
    @root_only
    def test_killed_and_read_only(self):
        """The pool stays until the JOB can be written."""
        self.configure(strobe_flush_ms="60000")
        process = self.begin("load", "execute", 1, "threads", 1, 100, "wait")
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.kill()
        process.communicate()
        job = self.job()
        _, done = self.mounted("4m", 'mount -o remount,ro %s && "$@"' % self.jobs, STROBE, "info", job,
                               code=0)
        self.assertIn("from the pool of its program, which is kept: Read-only file system", done.stderr)
        self.assertEqual(self.calls(job)["svp_acl_rt_malloc"], 50)

    @root_only
    def test_full_file_system(self):
        """With room from nothing to everything: there is the complete output or none."""
        job = made_job.make_example(self.jobs)
        before = self.tree(job)
        full = {words: set() for words in WRITERS}
        for words in WRITERS:
            for size in *["%dk" % n for n in range(20, 64, 8)], "96k", "1m", "16m":
                kept, done = self.mounted(size, '"$@"', STROBE, "svp", *words, "-dir", job)
                if done.returncode == 1:
                    continue  # cp failed: the JOB itself does not fit
                after = self.tree(kept / job.name)
                full[words].add(done.returncode)
                if done.returncode:
                    self.assertEqual(done.returncode, WRITE, (words, size, done.stderr))
                    self.assertRegex(done.stderr, "No space left on device|disk is full")
                    self.assertEqual(self.named(after), self.named(before), (words, size))
                self.assertFalse([name for name in after if "/." in "/" + name], (words, size))
        self.assertEqual(full, {words: {0, WRITE} for words in WRITERS})

    @root_only
    def test_results_on_full_disk(self):
        """`strobe import`: each file is complete or missing; the same for the view in another
        folder."""
        job = made_job.make_example(self.jobs)
        other = self.work / "source"
        shutil.copytree(self.jobs, other)
        source = other / job.name
        shutil.rmtree(job)
        (self.jobs / "room").touch()
        words = ("import", "-o", self.jobs / "out", *EXPORTS, "--export", "svp_db", "--tmp-dir",
                 self.work, source)
        view = ("svp", "import", "-dir", source, "--db", self.jobs / "there.db")
        for command in words, view:
            kept, _ = self.mounted("16m", '"$@"', STROBE, *command, code=0)
            good, codes = self.contents(kept), set()
            for size in *["%dk" % n for n in range(8, 64, 8)], "100k", "2m":
                kept, done = self.mounted(size, '"$@"', STROBE, *command)
                codes.add(done.returncode)
                if done.returncode:
                    self.assertRegex(done.stderr, "No space left on device|disk is full")
                for name, text in self.contents(kept).items():
                    self.assertNotIn("/.", "/" + name, size)
                    if not name.endswith((".db", "capture.strobe", "analyse.done")):
                        self.assertEqual(text, good[name], (size, name))
            self.assertEqual(codes, {0, WRITE})

    def contents(self, folder):
        """The contents, without the name of the result, which contains the time of its import."""
        return {re.sub(r"[^/]*_ascend_pt", "result", name): text
                for name, text in self.tree(folder).items()
                if text is not None and not name.endswith(ANALYSIS_LOG)}

    @staticmethod
    def named(tree):
        """The files, except the log, which a failed command may have written."""
        return {name: text for name, text in tree.items()
                if text is not None and not name.startswith("log")}

    def fail_each(self, numbers):
        """The nth system call fails in each command that writes: there is a complete output or
        none."""
        job = made_job.make_example(self.jobs)
        before = self.named(self.tree(job))
        for words in WRITERS:
            self.strobe("svp", *words, "-dir", job)
            good = {name: text for name, text in self.tree(job).items()
                    if text is not None and not name.startswith("log")}
            for number in numbers:
                for folder in "timeline", "summary", "sqlite", "log":
                    shutil.rmtree(job / folder, ignore_errors=True)
                log = self.work / "failed"
                log.unlink(missing_ok=True)
                environment = {**self.environment, "LD_PRELOAD": str(PROGRAMS / "failing-calls.so"),
                               "FAIL_AT": str(number), "FAIL_WITH": "28", "FAIL_LOG": str(log)}
                done = subprocess.run([STROBE, "svp", *words, "-dir", job], env=environment,
                                      capture_output=True, text=True, timeout=120)
                found = self.named(self.tree(job))
                place = (words, number, log.read_text() if log.exists() else "", done.stderr)
                self.assertIn(done.returncode, (0, 4, INPUT, WRITE), place)
                for name, text in found.items():
                    # The temporary folder stays hidden if it cannot be removed.
                    if name.startswith(("log", ".strobe-svp.")):
                        continue
                    self.assertFalse(pathlib.Path(name).name.startswith("."), place)
                    # If a file of the JOB cannot be read, rows may be missing, and a message says
                    # so.
                    if "db" not in name and "damaged: " not in done.stderr:
                        self.assertEqual(text, good.get(name), place)
                if done.returncode:
                    self.assertTrue(done.stderr, place)
                if not log.exists():
                    break
            for path in job.glob(".strobe-svp.*"):
                shutil.rmtree(path)
            for folder in "timeline", "summary", "sqlite", "log":
                shutil.rmtree(job / folder, ignore_errors=True)
            self.assertEqual(self.named(self.tree(job)), before)

    def test_calls_of_the_system_fail(self):
        chance = random.Random(7)
        self.fail_each(sorted(chance.sample(range(1, 300), 12)))

    @tap.long_test
    def test_each_call_of_the_system_fails(self):
        self.fail_each(range(1, 1000))

    # ---- how commands behave ----

    def test_at_once(self):
        """Two imports of one JOB at the same time: both succeed, and the view is right."""
        job = made_job.make_captures(self.jobs)
        processes = [self.start("svp", "import", "-dir", job) for _ in range(4)]
        for process in processes:
            _, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, errors)
        with sqlite3.connect(job / "sqlite" / "svp_profile.db") as database:
            self.assertEqual(database.execute("SELECT count(*) FROM task").fetchone(), (19,))
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))
        self.assertEqual([path.name for path in (job / "sqlite").iterdir()], ["svp_profile.db"])
        self.assertEqual([path.name for path in job.iterdir() if path.name.startswith(".")], [])

    @staticmethod
    def is_unfinished(job):
        """A command writes a file, and none is in place."""
        names = os.listdir(job)
        return any(name.startswith(".") for name in names) and {"timeline", "summary", "sqlite"}.isdisjoint(names)

    def test_interrupted(self):
        """Interrupted by a signal: the exit code is 128 plus its number, and no file of the command
        is left."""
        self.configure(interval="1")
        self.run_program("load", "execute", 5, "threads", 16, 20000)
        job = self.job()
        before, n_in_time = self.named(self.tree(job)), 0
        for number in signal.SIGINT, signal.SIGTERM:
            for words in WRITERS:
                process = self.start("svp", *words, "-dir", job)
                if self.stop_when(process, lambda: self.is_unfinished(job)):
                    process.send_signal(number)
                    process.send_signal(signal.SIGCONT)
                    process.communicate(timeout=60)
                    self.assertIn(process.returncode, (-number, 128 + number), words)
                    self.assertEqual(self.named(self.tree(job)), before, words)
                    n_in_time += 1
                for folder in "timeline", "summary", "sqlite", "log":
                    shutil.rmtree(job / folder, ignore_errors=True)
        self.assertGreater(n_in_time, 0)

    def test_streams(self):
        """Results go to stdout, everything else to stderr."""
        job = made_job.make_captures(self.jobs)
        for words in WRITERS[:3]:
            done = self.strobe("svp", *words, "-dir", job)
            for line in done.stdout.splitlines():
                self.assertTrue(pathlib.Path(line).is_file(), line)
            self.assertIn("it was not finished", done.stderr)
        done = self.strobe("svp", "show", "-dir", job)
        self.assertTrue(done.stdout.startswith("Capture 2 of 5"), done.stdout)
        self.assertIn("found: ", done.stderr)

    def test_locale(self):
        """Titles and numbers are the same in a language with commas."""
        job = made_job.make_example(self.jobs)
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", self.work / "de_DE.UTF-8"],
                              capture_output=True)
        if made.returncode or not (self.work / "de_DE.UTF-8").exists():
            self.skipTest("no locales can be made")
        self.strobe("svp", "export", "summary", "-dir", job)
        before = self.tree(job / "summary")
        self.environment.update(LOCPATH=str(self.work), LC_ALL="de_DE.UTF-8", LANGUAGE="de")
        self.assertEqual(subprocess.run(
            ["locale", "decimal_point"], env=self.environment, capture_output=True,
            text=True).stdout, ",\n")
        self.strobe("svp", "export", "summary", "-dir", job)
        self.assertEqual(self.tree(job / "summary"), before)
        self.assertIn("80.000", before[SUMMARY % "3_25"].decode())

    def make_calls(self, *calls):
        job = made_job.make_job(self.jobs)
        made_job.calls_file("m", calls).write(job / "data" / "AclModule.0.m.1")
        return job

    def test_calls_in_calls(self):
        """Each of the nested calls counts with all of its time."""
        job = self.make_calls(("outer", "model", 1, 1000, 10000), ("inner", "runtime", 1, 2000, 3000),
                              ("inner", "runtime", 1, 6000, 4000))
        shown = json.loads(self.strobe("svp", "show", "-dir", job, "--json").stdout)
        self.assertEqual([(row["Name"], row["Count"], row["Total Time(us)"],
                           row["Total Time Ratio(%)"]) for row in shown["acl_statistic"]],
                         [("outer", 1, 10.0, 58.824), ("inner", 2, 7.0, 41.176)])
        self.assertNotIn("end behind it", self.strobe("svp", "export", "timeline", "-dir", job).stderr)

    def test_calls_that_cross(self):
        """Calls that cross each other are kept, and counted."""
        job = self.make_calls(("a", "model", 1, 1000, 5000), ("b", "model", 1, 2000, 5000),
                              ("c", "model", 1, 8000, 10), ("d", "model", 1, 8000, 20))
        done = self.strobe("svp", "export", "timeline", "-dir", job)
        self.assertIn("1 calls begin in another call of their thread and end after it", done.stderr)
        self.assertEqual({call[0] for call in self.read_calls(job)}, set("abcd"))

    def test_widths(self):
        """Columns are straight with wide characters, and the same in a file and in a narrow
        terminal."""
        job = made_job.make_job(self.jobs)
        layers = [("卷积", "卷积层", "Convolution", "AA_CORE", 5, None),
                  ("conv", "conv", "Convolution", "AA_CORE", 12345, None)]
        made_job.core_file("m", 1, 10 ** 9, layers=layers).write(job / "data" / "AAcore.0.m.1.1.1.0")
        self.environment["COLUMNS"] = "20"
        text = self.strobe("svp", "show", "-dir", job).stdout
        self.assertNotIn("\x1b", text)
        lines = text.splitlines()
        at = lines.index("Op statistic")
        width = lambda line: sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in line)
        rows = [line for line in lines[at:] if "卷积层" in line or "conv" in line][:2]
        self.assertEqual(len(rows), 2, text)
        ends = [width(row[:row.index(cell) + len(cell)])
                for row, cell in zip(rows, ("5.000", "12345.000"))]
        self.assertEqual(ends[0], ends[1], text)


if __name__ == "__main__":
    unittest.main()
