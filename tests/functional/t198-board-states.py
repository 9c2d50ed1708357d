# SPDX-License-Identifier: Apache-2.0
"""A JOB from its first inference to its end, of any kind: full disks, kills, crashes, other orders
of calls."""

import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import time
import unittest

import tap
from support import PROGRAMS, STROBE, needs_pool_in_memory, without_sanitizer
from svp_board import LAYERS, LIBRARY, PROGRAM, BoardTest

# A test double of functions of the C library; environment variables switch its effects on.
DOUBLES = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static void note(const char *variable)
{
    const char *path = getenv(variable);
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;

    if (fd >= 0) {
        if (write(fd, ".", 1) != 1)
            _exit(9);
        close(fd);
    }
}

/* The same letters once too often, then others. */
ssize_t getrandom(void *out, size_t n, unsigned flags)
{
    static int turn;
    const char *equal = getenv("EQUAL_LETTERS");

    (void)flags;
    if (!equal)
        return getentropy(out, n) ? -1 : (ssize_t)n;
    memset(out, turn++ < atoi(equal) ? 0 : 1, n);
    return (ssize_t)n;
}

int fdatasync(int fd)
{
    static int (*next)(int);

    note("SYNCS");
    if (getenv("SLOW")) /* microseconds */
        usleep((unsigned)atoi(getenv("SLOW")));
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "fdatasync");
    return next(fd);
}

uid_t geteuid(void)
{
    const char *user = getenv("FAKE_USER");
    static uid_t (*next)(void);

    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "geteuid");
    return user ? (uid_t)atoi(user) : next();
}
"""


class StatesTest(BoardTest):
    def begin(self, *words, libraries=(LIBRARY,), program=PROGRAM, **options):
        environment = {**self.environment, "SVP_DOUBLE": str(self.double),
                       "LD_PRELOAD": " ".join(map(str, libraries))}
        config = options.pop("config", self.config)
        return subprocess.Popen(
            [program, config, "/models/a.b-c.1.om", *map(str, words)], env=environment, text=True,
            cwd=self.work, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            **options)

    def begin_and_wait(self, *words, **options):
        process = self.begin(*words, **options)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def go_on(self, process, code=0):
        output, errors = process.communicate("x", timeout=60)
        self.assertEqual((process.returncode, output), (code, "failed 0\n"), errors)
        return errors

    def make_double(self):
        source, library = self.work / "double.c", self.work / "double.so"
        source.write_text(DOUBLES)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        return library

    def names(self):
        """Without the pool, which lies here in a container."""
        return sorted(path.name for path in self.jobs.iterdir() if path.suffix != ".pool")

    def count_calls(self, job):
        """The number of calls of all threads."""
        shown = json.loads(self.strobe("svp", "show", "-dir", job, "--json").stdout)
        return sum(row["Count"] for row in shown["acl_statistic"])

    # ---- the first inference makes the JOB ----

    def test_first_inference(self):
        """Until the first inference there is only a hidden file; the JOB also has the calls before
        it."""
        self.configure()
        process = self.begin_and_wait("threads", 1, 20, "load", "wait", "execute", 1)
        self.assertEqual(self.names(), [".strobe-calls-%d" % process.pid])
        errors = self.go_on(process)
        self.assertEqual(self.names(), [self.job().name])
        calls = self.calls()
        self.assertEqual((calls["svp_acl_init"], calls["svp_acl_rt_malloc"],
                          calls["svp_acl_mdl_execute"]), (1, 10, 1))
        for path in ["info.json.0", *("data/" + path.name for path in (self.job() / "data").iterdir()
                                      if path.suffix != ".done")]:
            self.assertIn("%s/%s: created\n" % (self.job(), path), errors)

    def test_no_inference(self):
        """An exit or a kill before the first inference leaves nothing; the next recording removes
        the rest."""
        self.configure()
        self.go_on(self.begin_and_wait("load", "wait"))
        self.assertEqual(self.names(), [])
        process = self.begin_and_wait("load", "wait")
        (pool,) = self.pools_of(process.pid)
        process.kill()
        process.wait()
        self.assertEqual(self.names(), [".strobe-calls-%d" % process.pid])
        self.assertTrue(pool.exists())
        self.go_on(self.begin_and_wait("load", "execute", 1, "wait"))
        self.assertEqual(self.names(), [self.job().name])
        self.assertFalse(pool.exists())

    def test_device_of_the_first_inference(self):
        self.configure(double="devices 2\n" + LAYERS)
        self.run_program("device", 1, "load", "execute", 1)
        self.assertEqual(self.info(1)["device_id"], 1)
        self.assertEqual(self.data(), ["AAcore.1.a.b-c.1.1.1.1.0", "AclModule.1.a.b-c.1.1"])

    def test_output_that_went(self):
        """The program continues normally, unprofiled."""
        self.configure()
        process = self.begin_and_wait("load", "wait", "execute", 2)
        shutil.rmtree(self.jobs)
        errors = self.go_on(process)
        self.assertIn("error: profiling is off: %s: No such file" % self.jobs, errors)
        self.jobs.mkdir()
        self.run_program("load", "execute", 1)
        self.assertEqual(len(self.data()), 2)

    def test_name_that_is_taken(self):
        self.configure()
        double = self.make_double()
        taken = self.jobs / ("JOB" + "A" * 29)
        taken.mkdir()
        for equal, n in ("3", 2), ("100", 2):
            self.environment["EQUAL_LETTERS"] = equal
            process = self.begin("load", "execute", 1, libraries=(double, LIBRARY))
            output, errors = process.communicate(timeout=60)
            self.assertEqual(output, "failed 0\n", errors)
            self.assertEqual(len(self.names()), n, errors)
        self.assertIn("profiling is off: %s: File exists" % self.jobs, errors)
        self.assertEqual(list(taken.iterdir()), [])

    # ---- info.json ----

    def test_info(self):
        self.configure(double="batch 100\n" + LAYERS, interval="2")
        _, errors = self.run_program("load", "execute", 3)
        info, data = self.info(), self.job() / "data"
        self.assertEqual(info["models"], [
            {"name": "a.b-c.1", "model_id": 1, "batch_num": 100, "input_pic_num": 100}])
        marks = {path.name[:-5]: dict(line.split(":") for line in path.read_text().split())
                 for path in data.glob("*.done")}
        self.assertEqual(sorted(marks), self.data())
        (imported,) = self.json("import", "-o", self.out, self.job())
        found = {part["part"]: part["count"] for part in imported["found"] if part["part"] in marks}
        self.assertEqual({name: int(mark["records"]) for name, mark in marks.items()}, found)
        counters = info["counters"]
        self.assertEqual(counters["records"], sum(found.values()))
        self.assertEqual((counters["captures"], counters["lost_captures"],
                          counters["lost_records"]), (2, 0, 0))
        self.assertEqual(counters["bytes"], sum(path.stat().st_size for path in data.iterdir()))
        self.assertFalse(info["begun_late"])
        tree = pathlib.Path("/proc/device-tree/compatible")
        self.assertEqual(info["soc"], tree.read_text().split("\0")[0] if tree.exists() else "")
        self.assertEqual(set(info), {
            "format", "version", "producer", "job", "state", "mode", "device_id", "soc", "pid",
            "process", "hostname", "clock", "sync", "config", "models", "counters", "begun_late",
            "simulated"})
        self.assertEqual(info["config"], {
            "switch": "on", "output": str(self.jobs), "aacpu": "on",
            "aac_metrics": "ArithmeticUtilization", "acl_api": "on", "acl_api_limit": 0,
            "interval": 2,
            "strobe_interval_zero": "once", "strobe_slice_mb": 64, "strobe_flush_ms": 500, "strobe_sync": "on"})
        self.assertRegex(errors, "%s: [0-9]+ bytes; [0-9]+ MB are free" % self.job())

    def test_files_of_a_model(self):
        """A model's .info files are right; an export of its captured inferences does not need them."""
        self.configure(double="batch 100\n" + LAYERS, interval="1")
        self.run_program("load", "execute", 2)
        data = self.job() / "data"
        net, layers = data / "a.b-c.1.1.net.info", data / "a.b-c.1.1.layer.info"
        self.assertEqual(json.loads(net.read_text()), {
            "format": "SVPR", "version": 1, "model": "a.b-c.1", "model_id": 1, "batch_num": 100,
            "input_pic_num": 100, "net_count": 4})
        rows = [json.loads(line) for line in layers.read_text().splitlines()]
        self.assertEqual([(row["layer_id"], row["name"], row["type"], row["task_type"])
                          for row in rows],
                         [(number, *line.split()[1:4]) for number, line in
                          enumerate(LAYERS.splitlines())])
        export = lambda: (self.strobe("svp", "export", "summary", "-dir", self.job()), {
            path.name: path.read_bytes() for path in (self.job() / "summary").iterdir()})[1]
        whole = export()
        for damage in (lambda: net.write_text(net.read_text()[:60]),
                       lambda: layers.write_text(layers.read_text()[:100]),
                       net.unlink, layers.unlink):
            damage()
            self.assertEqual(export(), whole)

    def test_earlier_jobs_stay(self):
        self.configure()
        for n in 1, 2:
            self.run_program("load", "execute", 1)
            self.assertEqual(len(self.names()), n)

    def test_precedence(self):
        """The command's file takes precedence, then the program's file, then the program's
        calls."""
        self.configure(interval="3", aacpu="off")
        own = self.work / "own.json"
        own.write_text(json.dumps({"profiler": {"switch": "on", "output": str(self.work),
                                                "interval": "2", "aacpu": "on"}}))
        self.environment["SVP_DOUBLE"] = str(self.double)
        words = [PROGRAM, own, "m.om", "prof-init", self.out, "prof-start", "load", "execute", "4"]
        done = self.strobe("run", "-c", self.config, "--", *words)
        self.assertEqual(done.stdout, "100042 100042 failed 0\n")
        info = self.info()
        self.assertEqual((info["mode"], info["config"]["interval"], info["config"]["aacpu"],
                          info["counters"]["captures"]), ("acl_json", 3, "off", 2))
        shutil.rmtree(self.job())
        self.run_program("prof-init", self.out, "prof-start", "load", "execute", 4, config=own)
        (job,) = self.work.glob("JOB*")
        info = json.loads((job / "info.json.0").read_text())
        self.assertEqual((info["config"]["interval"], info["config"]["aacpu"]), (2, "on"))

    def test_output(self):
        """If the output cannot be written, the program's current folder is used; if that cannot be
        written either, the program runs unprofiled."""
        home = self.work / "program"
        home.mkdir()
        program = shutil.copy(PROGRAM, home)
        self.environment["LD_LIBRARY_PATH"] = str(PROGRAM.parent)
        file = self.work / "file"
        file.write_text("")
        (self.work / "a b").mkdir()  # a blank is not allowed in such paths
        for output in None, "", str(self.work / "none"), str(file), str(self.work / "a b"):
            self.configure(output=output)
            process = self.begin("load", "execute", 1, program=program)
            text, errors = process.communicate(timeout=60)
            self.assertEqual(text, "failed 0\n", errors)
            (job,) = home.glob("JOB*")
            self.assertTrue((job / "info.json.0").exists())
            if output:
                self.assertIn('output "%s" is not a writable folder: "%s" is used'
                              % (output, home), errors)
            self.assertEqual("0x20 is not allowed" in errors, output == str(self.work / "a b"))
            shutil.rmtree(job)
        self.assertEqual(list((self.work / "a b").iterdir()), [])
        self.assertFalse((self.work / "none").exists())
        if os.geteuid():  # root may write everywhere
            home.chmod(0o500)
            self.addCleanup(home.chmod, 0o700)
            text, errors = self.begin("load", "execute", 1, program=program).communicate(timeout=60)
            self.assertEqual(text, "failed 0\n")
            self.assertIn("cannot be written either: profiling is off", errors)

    # ---- the disk ----

    def test_sync(self):
        """Calls are forced to the disk after each strobe_flush_ms; with strobe_sync off they never
        are."""
        double, syncs = self.make_double(), self.work / "syncs"
        self.environment["SYNCS"] = str(syncs)
        self.configure(strobe_flush_ms="20")
        process = self.begin("load", "execute", 1, "steady", self.work / "returned",
                             libraries=(double, LIBRARY))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        until = time.monotonic() + 60
        while time.monotonic() < until and (not syncs.exists() or syncs.stat().st_size < 20):
            time.sleep(0.01)
        self.assertGreaterEqual(syncs.stat().st_size, 20)
        process.kill()
        process.wait()
        shutil.rmtree(self.job())
        syncs.unlink()
        self.configure(strobe_sync="off")
        process = self.begin("load", "execute", 3, "threads", 4, 4000, libraries=(double, LIBRARY))
        output, errors = process.communicate(timeout=60)
        self.assertEqual(output, "failed 0\n", errors)
        self.assertFalse(syncs.exists())
        self.assertEqual(self.count_calls(self.job()), 16007)
        self.configure(strobe_flush_ms="0")
        _, errors = self.run_program("load")
        self.assertIn("profiler.strobe_flush_ms: not a whole number from 1 to 60000", errors)

    def test_slow_storage(self):
        """Each inference and each call is recorded or counted as lost."""
        self.environment["SLOW"] = "3000"
        self.configure(interval="1")
        process = self.begin("load", "execute", 200, libraries=(self.make_double(), LIBRARY))
        output, errors = process.communicate(timeout=120)
        self.assertEqual(output, "failed 0\n", errors)
        counters = self.info()["counters"]
        self.assertEqual(counters["captures"] + counters["lost_captures"], 200)
        self.assertEqual(len([name for name in self.data() if name.startswith("AAcore")]),
                         counters["captures"])
        self.assertEqual(self.calls()["svp_acl_mdl_execute"] + counters["lost_records"], 200)

    def test_storage_that_hangs(self):
        """Threads wait for the storage for a second; after that calls are lost and counted."""
        self.environment["SLOW"] = "6000000"
        self.configure(strobe_flush_ms="1")
        process = self.begin("load", "execute", 1, "threads", 4, 40000,
                             libraries=(self.make_double(), LIBRARY))
        output, errors = process.communicate(timeout=120)
        self.assertEqual(output, "failed 0\n", errors)
        lost = self.info()["counters"]["lost_records"]
        self.assertGreater(lost, 0)
        self.assertEqual(self.count_calls(self.job()) + lost, 160005)

    def mount(self, size, *words):
        """Runs the program with a separate file system for the output. Returns a copy of its
        content."""
        kept = self.work / "kept"
        shutil.rmtree(kept, ignore_errors=True)
        script = ("mount -t tmpfs -o size=%s none %s && \"$@\"; code=$?; cp -a %s %s && exit $code"
                  % (size, self.jobs, self.jobs, kept))
        environment = {**self.environment, "SVP_DOUBLE": str(self.double)}
        done = subprocess.run(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", "env",
             "LD_PRELOAD=%s" % LIBRARY, PROGRAM, self.config, "m.om", *map(str, words)],
            env=environment, cwd=self.work, text=True, capture_output=True, timeout=120)
        self.assertEqual((done.returncode, done.stdout), (0, "failed 0\n"), done.stderr)
        return kept, done.stderr

    @needs_pool_in_memory
    @unittest.skipUnless(os.geteuid() == 0, "mounts a file system")
    def test_full_disk(self):
        """With room from nothing to everything: the program continues, no file is incomplete, all
        missing data is counted, and the state gives the reason."""
        self.configure(interval="1")
        seen = set()
        for size in tap.chosen(("4k", "48k", "96k", "160k", "400k", "1m"), ("4k", "160k")):
            kept, errors = self.mount(size, "load", "execute", 60, "threads", 4, 20000)
            jobs = list(kept.glob("JOB*"))
            if not jobs:
                self.assertIn("error: profiling is off: %s: No space left" % self.jobs, errors, size)
                self.assertEqual([path.name for path in kept.iterdir()], [], size)
                seen.add("nothing")
                continue
            (job,) = jobs
            self.assertEqual([path.name for path in kept.rglob(".*")], [], size)
            self.assertEqual([path.name for path in kept.rglob("*.tmp")], [], size)
            info = json.loads((job / "info.json.0").read_text())
            self.assertEqual(info["state"], "disk_full", size)
            counters = info["counters"]
            captures = [path for path in (job / "data").glob("AAcore*") if path.suffix != ".done"]
            self.assertEqual(len(captures), counters["captures"], size)
            self.assertEqual(counters["captures"] + counters["lost_captures"], 60, size)
            self.assertIn("error: lost: %d captures, %d records" % (
                counters["lost_captures"], counters["lost_records"]), errors)
            for path in captures:
                self.assertTrue(path.with_name(path.name + ".done").exists(), path)
            self.assertEqual(self.count_calls(job) + counters["lost_records"], 80064, size)
            seen.add("something")
        self.assertEqual(seen, {"nothing", "something"})

    def fail_each(self, numbers):
        """The nth system call fails: there is a complete JOB, or a message."""
        self.configure()
        failing, log = PROGRAMS / "failing-calls.so", self.work / "failed"
        self.environment.update(FAIL_LOG=str(log), FAIL_WITH="28")
        failed = set()
        for number in numbers:
            log.unlink(missing_ok=True)
            self.environment["FAIL_AT"] = str(number)
            process = self.begin("load", "execute", 1, libraries=(LIBRARY, failing))
            output, errors = process.communicate(timeout=60)
            self.assertEqual((process.returncode, output), (0, "failed 0\n"), (number, errors))
            if not log.exists():
                break
            failed.add(log.read_text())
            self.check_job(number, errors)
        self.assertTrue({"write", "openat"} & failed or {"write", "open"} & failed, failed)

    @without_sanitizer
    def test_write_fails(self):
        self.fail_each(range(1, 500, 11))

    @tap.long_test
    def test_each_write_fails(self):
        self.fail_each(range(1, 500))

    def check_job(self, number, errors):
        jobs = list(self.jobs.glob("JOB*"))
        self.assertEqual([path.name for path in self.jobs.rglob("*.tmp")], [], (number, errors))
        if not jobs:
            self.assertIn("error: ", errors, number)
        for job in jobs:
            if (job / "info.json.0").exists() and list((job / "data").iterdir()):
                done = self.start("svp", "export", "summary", "-dir", job)
                _, said = done.communicate(timeout=60)
                self.assertIn(done.returncode, (0, 5), (number, said))
            shutil.rmtree(job)
        for path in self.jobs.iterdir():
            path.unlink()

    # ---- crashes ----

    def test_crash(self):
        """A fatal signal: Strobe has no handler for it, and the records are read."""
        self.configure()
        process = self.begin("load", "execute", 1, "threads", 1, 100, "crash")
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGSEGV)
        self.assertEqual(self.calls()["svp_acl_rt_malloc"], 50)

    def test_crash_of_two_devices(self):
        """The JOB of each device names its device."""
        self.configure(double="devices 2\n" + LAYERS, interval="1")
        process = self.begin("load", "execute", 1, "device", 1, "execute", 1, "abort")
        process.communicate(timeout=60)
        infos = {path.name: json.loads(path.read_text())["state"]
                 for path in self.jobs.glob("JOB*/info.json.*")}
        self.assertEqual(infos, {"info.json.0": "collecting", "info.json.1": "collecting"})

    def test_recovered_by_each_command(self):
        """The calls that were only in the pool are read by the first command, whichever it is."""
        for command in (("info",), ("show", "--table", "api_call"), ("import", "-o", self.out),
                        ("svp", "export", "timeline", "-dir")):
            self.configure(strobe_flush_ms="60000")
            process = self.begin_and_wait("load", "execute", 1, "threads", 1, 100, "wait")
            live = self.strobe(*command, self.job()).stderr
            self.assertIn("its program still runs: the records written so far are read", live, command)
            (pool,) = self.pools_of(process.pid)
            process.kill()
            process.wait()
            self.strobe(*command, self.job())
            self.assertFalse(pool.exists(), command)
            self.assertEqual(self.calls()["svp_acl_rt_malloc"], 50, command)
            shutil.rmtree(self.job())

    def kill_with_pool(self, times):
        """The program and its writer die at the same moment, and the pool with them, as on a board
        that loses its power: only calls of the last second may be missing."""
        chance, returned = random.Random(times), self.work / "returned"
        for _ in range(times):
            self.configure()
            returned.unlink(missing_ok=True)
            process = self.begin("load", "execute", 1, "steady", returned)
            while not returned.exists() or not returned.stat().st_size:
                time.sleep(0.01)
            time.sleep(0.7 + chance.random())
            (pool,) = self.pools_of(process.pid)
            killed = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            process.kill()
            process.communicate()
            pool.unlink()
            (count,) = struct.unpack_from("<Q", returned.read_bytes())
            self.check_loss(count, killed)
            shutil.rmtree(self.job())

    def check_loss(self, count, killed):
        done = self.strobe("svp", "export", "timeline", "-dir", self.job())
        self.assertIn("AclModule.0.a.b-c.1.1: it was not finished", done.stderr)
        (path,) = (self.job() / "timeline").glob("acl_*")
        calls = [event for event in json.loads(path.read_text())
                 if event["name"] in ("svp_acl_rt_malloc", "svp_acl_rt_free")]
        self.assertEqual([event["name"] for event in calls],
                         (["svp_acl_rt_malloc", "svp_acl_rt_free"] * len(calls))[:len(calls)])
        last = max(round((event["ts"] + event["dur"]) * 1000) for event in calls)
        size = (self.job() / "data" / "AclModule.0.a.b-c.1.1").stat().st_size
        if count > len(calls):  # otherwise the program made no calls for that long, and none is missing
            self.assertLess(killed - last, 1200000000)  # a second, and the time of the writer's delay
        self.assertLessEqual((count - len(calls)) * size / len(calls), 2 << 20)

    def test_kill_with_pool(self):
        self.kill_with_pool(1)

    @tap.long_test
    def test_kill_with_pool_at_any_moment(self):
        self.kill_with_pool(50)

    # ---- profiling by calls ----

    def by_calls(self, *words):
        self.configure(switch="off", interval="1")
        return self.run_program(*words)[0]

    def test_other_thread(self):
        """A subscription that one thread begins holds for all threads."""
        self.by_calls("prof-init", self.jobs, "load", "prof-start", "elsewhere", 2, "prof-stop",
                      "prof-finalize")
        self.assertEqual(self.calls()["svp_acl_mdl_execute"], 2)

    def test_order_of_calls(self):
        long = "/" + "x" * 4096
        self.assertEqual(self.by_calls("prof-init", long, "prof-init", "", "prof-start"),
                         "100000 100000 100043 failed 0\n")
        program = self.work / "early.c"
        program.write_text("int svp_acl_prof_init(const char *, unsigned long);\n"
                           "int main(void) { return svp_acl_prof_init(\"/tmp\", 4) != 100001; }")
        subprocess.run(["cc", "-o", self.work / "early", program, LIBRARY], check=True)
        subprocess.run([self.work / "early"], env=self.environment, check=True)

    def test_late_start(self):
        """If recording begins after the model was loaded, a message says so."""
        self.by_calls("load", "execute", 1, "prof-init", self.jobs, "prof-start", "execute", 1,
                      "prof-stop", "prof-finalize")
        self.assertTrue(self.info()["begun_late"])
        self.assertEqual(self.calls()["svp_acl_mdl_execute"], 1)

    def test_other_config(self):
        self.assertEqual(
            self.by_calls("prof-init", self.jobs, "load", "prof-start", "execute", 1,
                          "prof-stop-other", "prof-stop", "prof-finalize"),
            "0 0 100000 0 0 failed 0\n")

    def test_masks(self):
        self.configure(switch="off")
        output, errors = self.run_program("prof-config", 15, "prof-config", 1, "prof-config", 16,
                                          "prof-config", 31)
        self.assertEqual(output, "1 1 0 0 failed 0\n")
        self.assertIn("svp_acl_prof_create_config: 200007", errors)

    def test_long_names(self):
        """Names of the maximal length of the interface; a truncated name ends in dots."""
        name, kind = "n" * 300, "t" * 70
        self.configure(double="layer %s %s AA_CORE 5\n" % (name, kind))
        self.run_program("load", "execute", 1)
        (table,) = self.json("show", self.job(), "--table", "device_task")
        (row,) = table["rows"]
        self.assertEqual((row["name"], row["op_type"]), ("n" * 253 + "...", "t" * 61 + "..."))

    # ---- the commands' surroundings ----

    def test_root(self):
        self.configure()
        self.run_program("load", "execute", 1)
        self.preload(self.make_double())
        job = self.job()
        options = {}
        if os.geteuid() == 0:  # an ordinary user, to whom the folder belongs
            options["user"] = 65534
            for path in (self.work, *self.work.rglob("*")):
                os.chown(path, 65534, 65534)
        self.assertNotIn("run as root", self.strobe("svp", "export", "timeline", "-dir", job,
                                                    **options).stderr)
        self.environment["FAKE_USER"] = "0"
        done = self.start("svp", "export", "timeline", "-dir", job)
        self.assertIn("run as root", done.communicate(timeout=60)[1])

    def test_without_python(self):
        self.configure()
        self.run_program("load", "execute", 1)
        self.environment.update(PATH="/nowhere", PYTHONHOME="/nowhere")
        self.strobe("svp", "export", "summary", "-dir", self.job())
        self.strobe("svp", "show", "-dir", self.job())
        needed = subprocess.run(["readelf", "-d", STROBE], capture_output=True, text=True).stdout
        self.assertNotIn("python", needed)


if __name__ == "__main__":
    unittest.main()
