# SPDX-License-Identifier: Apache-2.0
"""Data that CANN's profiling recorded into a result goes from msprof's database to all output
files. It equals an import of that database, is joined with the host's data, and is reported if it
is missing."""

import fcntl
import os
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest

import tap
from aclprof import OPERATORS, PROGRAM, AclprofTest
from databases import Database
from support import PYTHON, STROBE, TIMEOUT, TOP, has_torch

FILES = ["kernel_details.csv", "op_statistic.csv", "npu_module_mem.csv", "communication.json",
         "communication_matrix.json"]
TABLES = ["TASK", "COMPUTE_TASK_INFO", "TASK_PMU_INFO", "COMMUNICATION_OP",
          "COMMUNICATION_TASK_INFO", "CANN_API", "NPU_MODULE_MEM", "HBM", "NIC", "ROCE", "HCCS", "PCIE",
          "NPU_INFO"]
FRAMEWORK = ["PYTORCH_API", "CONNECTION_IDS", "PYTORCH_CALLCHAINS", "STEP_TIME", "MEMORY_RECORD",
             "OP_MEMORY", "GC_RECORD"]
EXPORTS = ["--export", "csv", "--export", "comm_json", "--export", "db", "--export",
           "chrome_trace"]


@tap.once_test
class EqualTest(AclprofTest):
    def exported(self, path):
        """The same files from an import of the database alone."""
        elsewhere = self.work / "imported"
        self.strobe("import", "-o", elsewhere, *EXPORTS, path)
        result, = elsewhere.glob("*_ascend_pt")
        return result

    def test_as_an_import(self):
        """Every cell of devices, communication, metrics and memory."""
        self.install_msprof()
        made = (TOP / "tests" / "functional" / "made-database.sql").read_text()
        # CANN's own database has no tables of the framework.
        drop = "".join("DROP TABLE %s;\n" % table for table in FRAMEWORK if
                       "CREATE TABLE %s " % table in made)
        script = self.script("made.sql", made + drop)
        self.environment["MSPROF_DOUBLE"] = "sql=%s" % script
        self.play(wrong="noclock", flags=EXPORTS)
        imported = self.exported(next(self.folder().glob("msprof_*.db")))
        for name in FILES:
            with self.subTest(name=name):
                ours = self.result() / "ASCEND_PROFILER_OUTPUT" / name
                theirs = imported / "ASCEND_PROFILER_OUTPUT" / name
                self.assertEqual(ours.read_text(), theirs.read_text())
        self.check_databases(imported)

    def check_databases(self, imported):
        one, two = (Database(next(result.glob("ASCEND_PROFILER_OUTPUT/ascend_pytorch_*.db")))
                    for result in (self.result(), imported))
        self.addCleanup(one.close)
        self.addCleanup(two.close)
        for table in TABLES:
            with self.subTest(table=table):
                self.assertIn(table, one.tables)
                self.assertEqual(one.columns(table), two.columns(table))
                self.assertEqual(sorted(map(repr, one.rows(table))),
                                 sorted(map(repr, two.rows(table))))

    def test_what_msprof_adds(self):
        """Shapes, block counts, task ids, metrics, memory of modules."""
        self.install_msprof()
        self.play(launches=5)
        rows = self.csv("kernel_details")
        self.assertEqual([(row["Task ID"], row["Block Num"], row["Type"], row["Name"],
                           row["aicore_time(us)"], row["aic_mac_ratio"]) for row in rows],
                         [(str(100 + i), "24", "MatMul", "simulated mm", str(i), "0.25")
                          for i in range(1, 6)])
        self.assertTrue(all("400,400;400,400" in row["Input Shapes"] for row in rows))
        self.assertEqual(self.csv("npu_module_mem")[0]["Total Reserved(MB)"], "0.00390625")


@tap.once_test
class ClockTest(AclprofTest):
    def begins(self):
        path = next(self.folder().glob("msprof_*.db"))
        with sqlite3.connect(path) as database:
            told = [row[0] for row in database.execute("SELECT startNs FROM TASK ORDER BY 1")]
        return told, sorted(row["begin"] for row in self.rows("device_task"))

    def test_moved_onto_the_hosts_clock(self):
        """The times are shifted by the difference of both sides' offsets from CLOCK_MONOTONIC_RAW,
        to the ns."""
        self.install_msprof()
        self.play(wrong="shift=5000")
        entry, = self.external()
        self.assertLess(abs(entry["shift_ns"] + 5000000), 1000000)
        told, shown = self.begins()
        self.assertEqual([begin + entry["shift_ns"] for begin in told], shown)

    def test_clocks_that_contradict(self):
        self.install_msprof()
        self.play(wrong="shift=60000000")
        told, shown = self.begins()
        self.assertEqual(told, shown)
        self.assertIn("over 10 s apart", str(self.rows("diagnostic")))


class HostTest(AclprofTest):
    @unittest.skipUnless(has_torch(), "needs PyTorch")
    def test_kernels_are_their_operators(self):
        self.install_msprof()
        script = self.script("operators.py", OPERATORS)
        self.record(PYTHON, script, collect=["npu_task:backend=aclprof", "cpu_op"], flags=EXPORTS)
        told = [float(row["Device Self Duration(us)"]) for row in self.csv("operator_details")
                if row["Name"] == "launching::sleep"]
        self.assertEqual(told, [0, 1, 2, 3, 4, 5])
        self.check_one_thread()
        with sqlite3.connect(next(self.result().glob(
                "ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler*.db"))) as database:
            linked, = database.execute(
                "SELECT count(*) FROM PYTORCH_API p JOIN CONNECTION_IDS c ON c.id = p.connectionId "
                "JOIN TASK t ON t.connectionId = c.connectionId").fetchone()
        self.assertEqual(linked, 5)

    def check_one_thread(self):
        """Operators and the calls that CANN recorded are on one row of the host."""
        info = self.json("info", self.result())[0]
        rows = [track for track in info["tracks"] if track["name"].startswith("thread ")
                and track["records"]]
        self.assertEqual(len({track["name"].split()[1] for track in rows}), len(rows))
        counted = next(row for row in self.rows("correlation") if row["name"] == "api_to_task")
        self.assertEqual((counted["linked"], counted["orphan_effect"], counted["violations"]),
                         (5, 0, 0))

    @tap.once_test
    def test_beside_other_collectors(self):
        """The join changes no other record."""
        self.install_msprof()
        self.play(collect=["fake:threads=2,records=100"])
        before = self.json("info", self.result() / "FRAMEWORK" / "capture.strobe")[0]
        (self.result() / "FRAMEWORK" / "capture.external.strobe").rename(self.work / "external")
        without = self.json("info", self.result())[0]
        for kind, n in without["kinds"].items():
            self.assertEqual(before["kinds"][kind], n, kind)
        self.assertEqual(before["records"] - without["records"],
                         sum(entry["records"] for entry in before["metadata"]["external"]))
        for key in ("begin_ns", "end_ns", "sealed", "damaged", "lost"):
            self.assertEqual(before[key], without[key], key)


@tap.once_test
class ExportTest(AclprofTest):
    def missing(self):
        """The data that the result reports as missing, also after a later analysis."""
        entry, = self.external()
        self.assertIn(entry["problem"], " ".join(row["text"] for row in self.rows("diagnostic")))
        self.assertEqual(self.json("info", self.result())[0]["kinds"].get("device_task", 0), 0)
        return entry["problem"]

    def test_without_msprof(self):
        """The raw data is kept, and a message says so; where CANN is installed, it is read
        later."""
        self.environment["PATH"] = "/usr/bin:/bin"
        done, _ = self.play()
        self.assertIn("there is no msprof on PATH", done.stderr)
        self.assertIn("there is no msprof on PATH", self.missing())
        self.assertTrue((self.folder() / "host" / "data" / "simulated.launches").exists())
        shown = self.strobe("info", self.result()).stdout
        self.assertIn(self.folder().name, shown)
        self.assertIn("there is no msprof on PATH", shown)
        self.install_msprof()
        self.environment["PATH"] = str(self.bin) + ":/usr/bin:/bin"
        self.strobe("analyse", self.result())
        self.assertEqual(len(self.rows("device_task")), 3)
        self.assertNotIn("problem", self.external()[0])
        self.assertEqual(len(self.csv("kernel_details")), 3)

    def test_raw_data_fills_in(self):
        """Data that the database lacks is read from the raw files; data that the database has is
        not."""
        self.environment["PATH"] = "/usr/bin:/bin"
        self.play()
        lines = "".join("%d: %d %d\n" % (1000000000 * i, 1000 * i, 2000 * i) for i in range(1, 4))
        (self.folder() / "device_0" / "data" / "hccs.data.slice_0").write_text(lines)
        self.strobe("analyse", self.result())
        self.assertEqual(len(self.rows("hccs")), 2)
        self.install_msprof()
        self.environment["PATH"] = str(self.bin) + ":/usr/bin:/bin"
        self.strobe("analyse", self.result())
        self.assertEqual((len(self.rows("hccs")), len(self.rows("device_task"))), (2, 3))
        with sqlite3.connect(next(self.folder().glob("msprof_*.db"))) as database:
            database.execute("CREATE TABLE HCCS (deviceId INTEGER,timestampNs INTEGER,"
                             "txThroughput NUMERIC,rxThroughput NUMERIC)")
            database.execute("INSERT INTO HCCS VALUES(0,1000000000,1.25,2)")
        self.strobe("analyse", self.result())
        self.assertEqual(len(self.rows("hccs")), 1)

    def test_its_output_is_kept(self):
        self.install_msprof()
        self.play()
        log, = self.result().glob("logs/profiler_*_msprof.log")
        self.assertIn("simulated msprof --export=on --type=db --output=%s" % self.folder(),
                      log.read_text())

    def test_it_is_as_nice_as_the_analysis(self):
        """msprof has the priority of the analysis, as with async_mode of the Python handler."""
        self.play(flags=[])
        self.install_msprof()
        done = subprocess.run(["nice", "-n", "10", STROBE, "analyse", self.result()],
                              env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        log, = self.result().glob("logs/profiler_*_msprof.log")
        niceness = min(os.nice(0) + 10, 19)
        self.assertIn("nice %d\n" % niceness, log.read_text())

    def test_of_a_relative_path(self):
        """msprof runs in another folder than the analysis."""
        self.play(flags=[])
        self.install_msprof()
        done = subprocess.run([STROBE, "analyse", self.result().name], cwd=self.result().parent,
                              env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.rows("device_task")), 3)

    def test_older_ones_know_no_type(self):
        self.install_msprof()
        self.environment["MSPROF_DOUBLE"] = "old"
        self.play()
        log, = self.result().glob("logs/profiler_*_msprof.log")
        self.assertIn("simulated msprof --export=on --output=", log.read_text())
        self.assertEqual(self.external()[0]["importer"], "ascend_text")
        self.assertEqual([row["duration"] for row in self.rows("device_task")],
                         [1000, 2000, 3000])
        told, shown = self.external()[0]["shift_ns"], self.rows("device_task")[0]["begin"]
        launch = (self.folder() / "host" / "data" / "simulated.launches").read_text().split()
        self.assertEqual(shown, int(launch[3]) + told)

    def test_it_fails(self):
        for mode, text in (("fail", "ended with code 3"), ("nothing", "made no msprof_*.db"),
                           ("garbage", "importer")):
            with self.subTest(mode=mode):
                shutil.rmtree(self.out, ignore_errors=True)
                self.install_msprof()
                self.environment["MSPROF_DOUBLE"] = mode
                self.play(collect=["gc"])
                self.assertIn(text, self.missing())

    def test_it_hangs(self):
        self.play(flags=[])
        self.install_msprof()
        self.environment["MSPROF_DOUBLE"] = "hang"
        self.strobe("analyse", "--import", "prof_raw:export_limit=300ms", self.result())
        self.assertIn("took longer than export_limit", self.missing())

    def test_hostile_places(self):
        """Strobe runs no program from the current folder, or from a folder to which other users may
        write."""
        tool = self.install_msprof()
        shutil.copy(tool, self.work / "msprof")
        os.chmod(tool, 0o777)
        self.environment["PATH"] = "%s::.:relative:/usr/bin:/bin" % self.bin
        self.play()
        problem = self.missing()
        self.assertIn("there is no msprof on PATH", problem)
        self.assertIn("%s may be written by others" % tool, problem)
        os.chmod(tool, 0o755)
        os.chmod(self.bin, 0o777)
        self.strobe("analyse", self.result())
        self.assertIn("%s may be written by others" % self.bin, self.missing())

    def test_a_relative_tool(self):
        self.play(flags=[])
        self.install_msprof()
        self.strobe("analyse", "--import", "prof_raw:msprof=bin/msprof", self.result())
        self.assertIn('msprof="bin/msprof" is a relative path', self.missing())

    def test_a_tool_behind_a_link(self):
        """The file that was checked is the one that is run."""
        self.play(flags=[])
        link = self.install_msprof()
        tool = self.bin / "tools" / "msprof"
        tool.parent.mkdir(mode=0o755)
        link.rename(tool)
        link.symlink_to(tool)
        tool.write_text("#!/bin/sh\necho \"I am $0\"\n")
        self.strobe("analyse", self.result())
        log, = self.result().glob("logs/profiler_*_msprof.log")
        self.assertIn("I am %s\n" % tool, log.read_text())

    def test_it_can_be_interrupted(self):
        """msprof blocks none of the signals that the analysis blocks, and runs in a separate
        process group."""
        self.play(flags=[])
        tool = self.install_msprof()
        tool.write_text("#!/bin/sh\ngrep '^SigBlk' /proc/self/status\n"
                        "cut -d' ' -f1,5 /proc/$$/stat\n")
        self.strobe("analyse", self.result())
        log, = self.result().glob("logs/profiler_*_msprof.log")
        text = log.read_text()
        self.assertRegex(text, r"SigBlk:\s0+\n")
        pid, group = text.splitlines()[1].split()
        self.assertEqual(pid, group)

    def test_it_ends_with_the_analysis(self):
        """If msprof reaches its time limit, the processes that it has started end too."""
        self.play(flags=[])
        tool = self.install_msprof()
        # It sleeps for longer than the test waits for its end.
        tool.write_text("#!/bin/sh\necho $$ > %s/pid\nsleep 600 &\necho $! > %s/sleeper\nwait\n"
                        % (self.work, self.work))

        def has_started_a_process():
            self.strobe("analyse", "--import", "prof_raw:export_limit=300ms", self.result())
            return (self.work / "sleeper").exists()
        # On a busy machine the limit may be over before the tool has come so far.
        self.wait_until(has_started_a_process, "a process of the tool")
        self.wait_for(lambda: self.is_gone("pid") and self.is_gone("sleeper"))
        (self.work / "sleeper").unlink()
        for how in signal.SIGTERM, signal.SIGKILL:
            process = self.start("analyse", self.result())
            self.wait_for(lambda: not self.is_gone("sleeper"))
            process.send_signal(how)
            process.communicate()
            self.wait_for(lambda: self.is_gone("pid") and self.is_gone("sleeper"))
            (self.work / "sleeper").unlink()

    def wait_for(self, is_so):
        end = time.monotonic() + TIMEOUT
        while not is_so():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def is_gone(self, name):
        """A zombie whose parent is elsewhere counts as gone."""
        try:
            with open("/proc/%s/status" % (self.work / name).read_text().strip()) as file:
                return "State:\tZ" in file.read()
        except OSError:
            return True

    def test_children_are_ignored(self):
        """The caller ignores SIGCHLD; the analysis still notices the end of its own children."""
        self.play(flags=[])
        self.install_msprof()
        self.environment["MSPROF_DOUBLE"] = "fail"
        done = subprocess.run([PYTHON, "-c", "import os, signal, sys\n"
                               "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
                               "os.execv(sys.argv[1], sys.argv[1:])",
                               STROBE, "analyse", self.result()],
                              env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ended with code 3", self.missing())

    def test_options_that_are_wrong(self):
        self.play()
        for text in ("prof_row:export_limit=1s", "prof_raw:limit=1s", "prof_raw:export_limit=soon"):
            done = self.start("analyse", "--import", text, self.result())
            _, errors = done.communicate()
            self.assertNotEqual(errors, "")
            self.assertRegex(errors, "prof_raw|export_limit")


@tap.once_test
class HostileTest(AclprofTest):
    def setUp(self):
        super().setUp()
        self.install_msprof()
        self.play()
        self.file = self.result() / "FRAMEWORK" / "capture.external.strobe"

    def shown(self):
        return self.json("info", self.result())[0]

    def test_of_another_window(self):
        """A file that does not belong to the capture next to it is left out, and a message says
        so."""
        kept = self.file.read_bytes()
        shutil.rmtree(self.out)
        self.play()
        self.file = self.result() / "FRAMEWORK" / "capture.external.strobe"
        self.file.write_bytes(kept)
        info = self.shown()
        self.assertEqual(info["kinds"].get("device_task", 0), 0)
        self.assertIn("it is not of this window", str(info["damage"]))

    def test_torn(self):
        data = self.file.read_bytes()
        for length in range(0, len(data), len(data) // 25):
            self.file.write_bytes(data[:length])
            self.assertGreater(self.shown()["records"], 0)

    def test_bytes_that_changed(self):
        data = bytearray(self.file.read_bytes())
        for at in range(100, len(data), len(data) // 25):
            changed = bytearray(data)
            changed[at] ^= 0x5A
            self.file.write_bytes(changed)
            self.assertGreater(self.shown()["records"], 0)

    def test_a_link_in_its_place(self):
        """A folder that a capture names cannot lead out of the result."""
        folder = self.folder()
        folder.rename(self.work / folder.name)
        folder.symlink_to(self.work / folder.name)
        self.file.unlink()
        self.strobe("analyse", self.result())
        self.assertEqual(self.shown()["kinds"].get("device_task", 0), 0)
        self.assertIn("the folder is not there", self.external()[0]["problem"])

    def test_gone(self):
        """The folder was removed: the data that was already read stays."""
        shutil.rmtree(self.folder())
        self.strobe("analyse", self.result())
        self.assertEqual(len(self.rows("device_task")), 3)

    def test_read_once(self):
        """The folder is read again only when it has changed."""
        first = self.file.stat()
        self.strobe("analyse", self.result())
        self.assertEqual(self.file.stat().st_mtime_ns, first.st_mtime_ns)
        next(self.folder().glob("msprof_*.db")).touch()
        self.strobe("analyse", self.result())
        self.assertGreater(self.file.stat().st_mtime_ns, first.st_mtime_ns)

    def test_less_than_before(self):
        """A good join is not replaced by a worse one; remains of killed analyses are removed."""
        # A living process with this id proves nothing, because the id may be from another
        # container.
        leaving = self.file.with_name(".external-%d.new" % os.getpid())
        leaving.write_text("half")
        locked = self.file.with_name(".external-1.new")
        lock = locked.open("w")
        self.addCleanup(lock.close)
        fcntl.flock(lock, fcntl.LOCK_EX)
        for path in self.folder().glob("msprof_*.db"):
            path.unlink()
        self.environment["MSPROF_DOUBLE"] = "fail"
        done = self.strobe("analyse", self.result())
        self.assertIn("stays as it was, because less can be read now", done.stderr)
        self.assertIn("ended with code 3", done.stderr)
        self.assertEqual(len(self.rows("device_task")), 3)
        self.environment.pop("MSPROF_DOUBLE")
        self.strobe("analyse", self.result())
        self.assertFalse(leaving.exists())
        self.assertTrue(locked.exists())  # another process is writing this file

    def test_killed(self):
        """A program that ends within a window leaves the data that CANN had written."""
        shutil.rmtree(self.out)
        self.record(
            "sh", "-c", "%s 0 2000 20000 & p=$!; until grep -q ' ' %s/*/PROF*/host/data/*; do sleep "
            "0.05; done 2> /dev/null; kill -9 $p; wait" % (PROGRAM, self.out),
            collect=["npu_task:backend=aclprof"], flags=["--export", "csv"])
        self.assertGreater(len(self.csv("kernel_details")), 0)

    def test_place_that_cannot_be_written(self):
        """All other data is analysed."""
        self.file.unlink()
        self.file.mkdir()
        done = self.strobe("analyse", self.result())
        self.assertIn("capture.external.strobe", done.stderr)


if __name__ == "__main__":
    unittest.main()
