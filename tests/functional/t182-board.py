# SPDX-License-Identifier: Apache-2.0
"""Recording on a camera board: libstrobe-board.so in front of the test double of the runtime."""

import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import time
import unittest

import tap
from svp_board import LAYERS, LIBRARY, OPENERS, PROGRAM, BoardTest


class RecordingTest(BoardTest):
    # ---- recording ----

    def test_run(self):
        self.configure()
        output, errors = self.run_program("load", "execute", 2)
        self.assertEqual(output, "failed 0\n")
        job = self.job()
        self.assertRegex(job.name, r"^JOB[A-Z]{29}$")
        self.assertEqual(self.data(), ["AAcore.0.a.b-c.1.1.1.1.0", "AclModule.0.a.b-c.1.1"])
        for name in self.data():
            mark = (job / "data" / (name + ".done")).read_text()
            self.assertIn("filesize:%d\n" % (job / "data" / name).stat().st_size, mark)
        self.assertEqual(os.stat(job).st_mode & 0o777, 0o750)
        info = self.info()
        self.assertEqual((info["format"], info["state"], info["mode"], info["simulated"]),
                         ("SVPR", "complete", "acl_json", True))
        self.assertIn(job.name, errors)
        shown = json.loads(self.strobe("svp", "show", "-dir", job, "--json").stdout)
        self.assertEqual([(row["Layer Name"], row["Mac Busy Ratio"], row["Memory Bound"])
                          for row in shown["aa_core_metric"]],
                         [("conv1", 80.0, 0.3), ("pool1", 0.0, 1.167), ("detect", "N/A", "N/A"),
                          ("conv2+relu2", 50.0, 1.2), ("-", 52.857, 0.665)])
        self.assertEqual(self.calls(), {
            "svp_acl_init": 1, "svp_acl_mdl_set_config_opt": 1, "svp_acl_mdl_load_with_config": 1,
            "svp_acl_mdl_execute": 2, "svp_acl_finalize": 1})

    def test_on_one_clock(self):
        """A captured inference lies within its call, on the board's monotonic clock."""
        before = int(open("/proc/uptime").read().split(".")[0])
        self.configure()
        self.run_program("load", "execute", 1)
        self.strobe("svp", "export", "timeline", "-dir", self.job())
        read = lambda kind: json.loads(
            next((self.job() / "timeline").glob(kind + "_*")).read_text())
        execute = next(event for event in read("acl") if event["name"] == "svp_acl_mdl_execute")
        for event in read("task_time"):
            if event["ph"] == "X" and not event["name"].startswith("capture"):
                self.assertGreaterEqual(event["ts"], execute["ts"] - 1)
                self.assertLessEqual(event["ts"] + event["dur"],
                                     execute["ts"] + execute["dur"] + 1)
        self.assertLess(abs(execute["ts"] / 1e6 - before), 3600)

    def test_interval(self):
        self.configure(double="batch 100\n" + LAYERS, interval="2")
        self.run_program("load", "execute", 10)
        self.assertEqual([name for name in self.data() if name.startswith("AAcore")], [
            "AAcore.0.a.b-c.1.1.100.100.%d" % (200 * number) for number in range(5)])
        self.assertEqual(self.info()["counters"]["captures"], 5)

    def test_every(self):
        self.configure(strobe_interval_zero="every")
        self.run_program("load", "execute", 5)
        self.assertEqual(len(self.data()), 6)

    def test_unit_of_the_runtime(self):
        self.configure(double="unit us\n" + LAYERS)
        self.run_program("load", "execute", 1)
        shown = json.loads(self.strobe("svp", "show", "-dir", self.job(), "--json").stdout)
        self.assertEqual([row["Time(us)"] for row in shown["aa_core_metric"]],
                         [400, 200, 300, 100, 1000])

    def test_switches(self):
        self.configure(aacpu="off", aac_metrics="None", acl_api="off")
        self.run_program("load", "execute", 1)
        self.assertEqual(self.data(), ["AAcore.0.a.b-c.1.1.1.1.0"])
        shown = json.loads(self.strobe("svp", "show", "-dir", self.job(), "--json").stdout)
        self.assertEqual([row["OP Name"] for row in shown["op_statistic"]],
                         ["conv1", "pool1", "conv2+relu2"])
        self.assertEqual((shown["aa_core_metric"], shown["acl_statistic"]), ([], []))

    def test_threads(self):
        """16 threads with 10,000 calls each: all calls are recorded."""
        self.configure(double=LAYERS)
        output, errors = self.run_program("load", "execute", 1, "threads", 16, 10000)
        self.assertEqual(output, "failed 0\n")
        lost = self.info()["counters"]["lost_records"]
        shown = json.loads(self.strobe("svp", "show", "-dir", self.job(), "--json").stdout)
        count = sum(row["Count"] for row in shown["acl_statistic"]
                    if row["Name"] in ("svp_acl_rt_malloc", "svp_acl_rt_free"))
        self.assertEqual(count + lost, 160000)

    def test_two_devices(self):
        self.configure(double="devices 2\n" + LAYERS, interval="1")
        self.run_program("load", "execute", 1, "device", 1, "execute", 1)
        infos = sorted(path.name for path in self.jobs.glob("JOB*/info.json.*"))
        self.assertEqual(infos, ["info.json.0", "info.json.1"])
        (second,) = [path.parent for path in self.jobs.glob("JOB*/info.json.1")]
        self.assertEqual([path.name for path in (second / "data").glob("AAcore*")
                          if path.suffix != ".done"], ["AAcore.1.a.b-c.1.1.1.1.1"])

    def test_calls_before_the_first_inference(self):
        """From the first inference on the JOB is kept, with the calls before it."""
        self.configure()
        self.run_program("threads", 1, 20, "load", "execute", 1)
        calls = self.calls()
        self.assertEqual((calls["svp_acl_init"], calls["svp_acl_rt_malloc"],
                          calls["svp_acl_rt_free"]), (1, 10, 10))

    def test_errors_pass(self):
        """The program gets the values that the runtime returns."""
        self.configure(double="error svp_acl_rt_malloc 200000\n" + LAYERS)
        output, _ = self.run_program("load", "execute", 1, "threads", 1, 20)
        self.assertEqual(output, "failed 10\n")

    # ---- acl.json ----

    def test_copy(self):
        """The runtime gets a copy of acl.json in which profiling is off; the rest is unchanged."""
        self.configure(other={"switch": "on"})
        self.run_program("load", "execute", 1)
        given = json.loads(self.given.read_text())
        self.assertEqual(given["profiler"]["switch"], "off")
        self.assertEqual(given["profiler"]["other"], {"switch": "on"})
        self.assertEqual(given["profiler"]["output"], str(self.jobs))

    def test_off(self):
        self.configure(switch="off")
        self.run_program("load", "execute", 1)
        self.assertEqual(self.given.read_text(), self.config.read_text())
        for text in "{}", "", "{", "[]", '{"profiler": 1}', '{"profiler": {"switch": "ON"}}':
            self.config.write_text(text)
            output, _ = self.run_program("load", "execute", 1)
            self.assertEqual(output, "failed 0\n")
        self.run_program("load", "execute", 1, config="")
        self.run_program("load", "execute", 1, config="/no/such")
        self.assertEqual(list(self.jobs.iterdir()), [])
        self.assertEqual(list(self.work.glob("JOB*")), [])

    def test_dump(self):
        self.configure(dump={"dump_path": "x"})
        _, errors = self.run_program("load", "execute", 1)
        self.assertIn("dump and profiler.switch are both on", errors)
        self.assertEqual(list(self.jobs.iterdir()), [])

    def test_output(self):
        """The output path is relative to the program's current folder."""
        self.configure(output="jobs")
        self.run_program("load", "execute", 1)
        self.assertEqual(len(self.data()), 2)

    def test_warnings(self):
        self.configure(interval="-1", wrong="x")
        _, errors = self.run_program("load", "execute", 1)
        self.assertIn("profiler.interval: not a whole number", errors)
        self.assertIn("profiler.wrong: unknown key", errors)
        self.assertEqual(len(self.data()), 2)

    def test_run_by_command(self):
        """`strobe run -c acl.json`: this file is used, whatever the program names."""
        self.configure(output="jobs")
        other = self.work / "own.json"
        other.write_text('{"profiler": {"switch": "on", "output": "/nowhere"}}')
        self.environment.update(SVP_DOUBLE=str(self.double), SVP_DOUBLE_CONFIG=str(self.given))
        done = self.strobe("run", "-c", self.config, "--", PROGRAM, other, "m.om", "load",
                           "execute", 1, "exit", 7, code=7, cwd=self.work)
        self.assertIn("JOB", done.stderr)
        self.assertEqual(self.data(), ["AAcore.0.m.1.1.1.0", "AclModule.0.m.1"])
        self.assertEqual(json.loads(self.given.read_text())["profiler"]["switch"], "off")

    def test_refused_by_command(self):
        """On the desk a fault is an error before the program runs."""
        for keys, *named in (
                ({"interval": "x"}, "profiler.interval", "not a whole number"),
                ({"acl_api": "maybe"}, "profiler.acl_api"),
                ({"output": str(self.work / "a b")}, "profiler.output", "0x20", "not allowed"),
                ({"intervall": "1"}, "intervall", 'did you mean "interval"'),
                ({"task_time": "on", "ascendcl": "on"}, "task_time, ascendcl", "a board's are"),
                ({"dump": {"dump_path": "x"}}, "dump", "both on")):
            self.configure(**keys)
            done = self.strobe("run", "-c", self.config, "--", "touch", "ran", code=3,
                               cwd=self.work)
            for text in (str(self.config), *named):
                self.assertIn(text, done.stderr)
            self.assertFalse((self.work / "ran").exists())

    def test_damaged_files(self):
        """The program runs unprofiled; the command fails before it starts the program."""
        self.configure()
        whole = self.config.read_bytes()
        for text, on_board, on_desk in (
                (whole[:-5], "not JSON at byte", "no valid JSON, line 1"),
                (b"\xff\xfe" + whole, "not JSON at byte 0", "no valid JSON, line 1"),
                (whole + b" " * (1 << 20), "over 1 MiB", "more than the 1048576 bytes allowed"),
                (None, "cannot be read: Is a directory", "Is a directory")):
            self.config.unlink()
            if text is None:
                self.config.mkdir()
            else:
                self.config.write_bytes(text)
            output, errors = self.run_program("load", "execute", 1)
            self.assertEqual(output, "failed 0\n")
            done = self.strobe("run", "-c", self.config, "--", "touch", "ran", code=3,
                               cwd=self.work)
            for found, words in ((errors, on_board), (done.stderr, on_desk)):
                self.assertIn(str(self.config), found)
                self.assertIn(words, found)
            self.assertEqual(list(self.jobs.iterdir()), [])
            self.assertFalse((self.work / "ran").exists())

    def test_byte_order_mark(self):
        """Editors write a byte order mark before the text: it is skipped."""
        self.configure()
        self.config.write_bytes(b"\xef\xbb\xbf" + self.config.read_bytes())
        self.run_program("load", "execute", 1)
        self.assertEqual(json.loads(self.given.read_text(encoding="utf-8-sig"))["profiler"]["switch"],
                         "off")
        self.assertEqual(len(self.data()), 2)

    # ---- profiling by calls ----

    def test_by_calls(self):
        """The files are the same as with acl.json; the order of the calls is checked."""
        self.configure(switch="off")
        output, _ = self.run_program(
            "prof-start", "prof-stop", "prof-finalize", "prof-init", "relative",
            "prof-init", self.jobs, "prof-init", self.jobs, "load", "prof-start", "prof-start",
            "execute", 3, "prof-stop", "prof-stop", "prof-finalize")
        self.assertEqual(output, "100043 100043 100043 100000 0 100042 0 100042 0 100043 0 failed 0\n")
        self.assertEqual(self.data(), ["AAcore.0.a.b-c.1.1.1.1.0", "AclModule.0.a.b-c.1.1"])
        self.assertEqual((self.info()["mode"], self.info()["state"]), ("acl_api", "complete"))
        self.assertEqual(self.calls()["svp_acl_mdl_execute"], 3)

    def test_by_calls_while_the_file_has_it_on(self):
        self.configure()
        output, _ = self.run_program("prof-init", self.jobs, "prof-start", "load", "execute", 1)
        self.assertEqual(output, "100042 100042 failed 0\n")

    def test_by_calls_twice(self):
        """Two rounds give two JOBs."""
        self.configure(switch="off")
        self.run_program("load", *["prof-init", self.jobs, "prof-start", "execute", 1, "prof-stop",
                                   "prof-finalize"] * 2)
        self.assertEqual(len(list(self.jobs.glob("JOB*/data/AAcore.0.a.b-c.1.1.1.1.0"))), 2)

    # ---- ends ----

    def test_nothing_executed(self):
        self.configure()
        _, errors = self.run_program("load")
        self.assertIn("no model was executed", errors)
        self.assertEqual(list(self.jobs.iterdir()), [])

    def test_exit(self):
        """The program ends without calling finalize."""
        self.configure()
        self.run_program("load", "execute", 1, "exit", 3, code=3)
        self.assertEqual(self.info()["state"], "incomplete_exit")
        self.assertEqual(len(self.data()), 2)

    def test_kill(self):
        """No call that had returned is lost, and no capture; the pool is removed."""
        before = set(pathlib.Path("/dev/shm").iterdir())
        for n_calls in 2, 40, 1000, 6000:
            self.configure()
            process = self.begin("load", "execute", 1, "threads", 1, n_calls, "wait")
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.kill()
            process.communicate()
            self.assertEqual(self.info()["state"], "collecting")
            self.assertEqual(self.data(), ["AAcore.0.a.b-c.1.1.1.1.0", "AclModule.0.a.b-c.1.1"])
            calls = self.calls()
            self.assertEqual((calls["svp_acl_rt_malloc"], calls["svp_acl_rt_free"],
                              calls["svp_acl_mdl_execute"]), (n_calls // 2, n_calls // 2, 1))
            shutil.rmtree(self.job())
        self.assertEqual([path.name for path in set(pathlib.Path("/dev/shm").iterdir()) - before
                          if path.name.startswith("strobe-") and
                          str(process.pid) in path.name], [])

    def kill_often(self, times):
        """Kills at any moment: every call that had returned is recorded."""
        chance, returned = random.Random(times), self.work / "returned"
        for _ in range(times):
            self.configure()
            returned.unlink(missing_ok=True)
            process = self.begin("load", "execute", 1, "steady", returned)
            while not returned.exists() or not returned.stat().st_size:
                time.sleep(0.01)
            time.sleep(chance.random())
            process.kill()
            process.communicate()
            (count,) = struct.unpack_from("<Q", returned.read_bytes())
            calls = self.calls()
            shown = json.loads(self.strobe("svp", "show", "-dir", self.job(), "--json").stdout)
            self.assertEqual(shown["lost"], 0)  # the loss report agrees
            found = calls.get("svp_acl_rt_malloc", 0) + calls.get("svp_acl_rt_free", 0)
            self.assertLessEqual(count, found)
            self.assertLessEqual(found, count + 2)
            shutil.rmtree(self.job())

    def test_kill_at_random_times(self):
        self.kill_often(4)

    @tap.long_test
    def test_kill_at_any_moment(self):
        self.kill_often(50)

    def test_full_disk(self):
        """Nothing can be written: the program continues normally."""
        self.configure(strobe_interval_zero="every")
        process = subprocess.run(
            ["sh", "-c", "trap '' XFSZ; ulimit -f 1; exec %s %s m.om load execute 3"
             % (PROGRAM, self.config)], text=True, capture_output=True,
            env={**self.environment, "LD_PRELOAD": str(LIBRARY), "SVP_DOUBLE": str(self.double)})
        self.assertEqual((process.returncode, process.stdout), (0, "failed 0\n"), process.stderr)
        self.assertRegex(process.stderr, "could not be written|profiling is off|lost")

    # ---- the library ----

    def test_libraries(self):
        needed = subprocess.run(["readelf", "-d", LIBRARY], capture_output=True, text=True).stdout
        names = re.findall(r"NEEDED.*\[(.*)\]", needed)
        self.assertIn("libc.so.6", names)
        self.assertEqual([name for name in names  # all of these libraries belong to the C library
                          if not re.match(r"lib(c|pthread|dl)\.so|ld-linux", name)], [])
        missing = subprocess.run(["ldd", "-r", LIBRARY], capture_output=True, text=True)
        self.assertNotIn("undefined symbol", missing.stdout + missing.stderr)

    def test_symbols(self):
        """The library exports the runtime's functions, functions that open files, and nothing
        else."""
        text = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True,
                              text=True).stdout
        names = [line.split()[2] for line in text.splitlines()]
        self.assertEqual({name for name in names if not name.startswith("svp_acl_")}, OPENERS)
        self.assertGreater(len(names), 40)


if __name__ == "__main__":
    unittest.main()
