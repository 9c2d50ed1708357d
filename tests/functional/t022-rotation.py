# SPDX-License-Identifier: Apache-2.0
"""Rotation of captures by size, time and steps, the number of kept segments, and the state after a
kill; full buffers and window ends that wait for the disk or do not wait; and configurations that
are refused before the command is started."""

import os
import random
import signal
import subprocess
import time

from numbered import NUMBERED, NumberedTest
from support import BUILD, PROGRAMS, PYTHON, TIMEOUT, StrobeTest, needs_python

COLLECT = ("--collect", "fake:records=0")
ROUNDS = int(os.environ.get("STROBE_TEST_KILLS", "2"))
SEED = int(os.environ.get("STROBE_TEST_SEED", "22"))
STEPS = """
import glob, strobe, time
for step in range(1, 21):
    strobe.step()
    while step in (5, 10, 15) and not glob.glob("out/*/FRAMEWORK/capture.%05d.strobe" % (step // 5)):
        time.sleep(0.01)
"""


class RotationTest(NumberedTest):
    def segments(self):
        return sorted(path.name for path in (self.result() / "FRAMEWORK").iterdir())

    def info(self, path):
        return self.json("info", path)[0]

    def run_steps(self, rotate, steps):
        self.strobe("run", "-o", self.out, *COLLECT, "--rotate", rotate, "--", NUMBERED, "-s", steps)

    # ---- when ----

    def test_size(self):
        flags = ("--rotate", "size=1MB", "--buffer", "policy=block")
        self.finish(self.start_numbered("-t", 2, "-n", 100000, "-u", 500, flags=flags))
        whole = self.info(self.result())
        self.assertGreaterEqual(whole["segments"], 4)
        self.assertEqual(sum(whole["lost"].values()), 0)
        alone = [self.info(self.result() / "FRAMEWORK" / name) for name in self.segments()]
        self.assertTrue(all(each["sealed"] and not each["damaged"] for each in alone))
        stored = sum(each["kinds"].get("marker", 0) - each["unfinished"] for each in alone)
        self.assertEqual((stored, whole["kinds"]["marker"]), (200001, 200001))
        found = self.numbers(self.result())
        self.assertEqual(found["open"], [-1])
        for name in ("t0", "t1"):
            self.assertEqual(len(found[name]), 100000)
            self.assertWithoutGap(found[name])

    def test_keep(self):
        flags = ("--rotate", "size=1MB,keep=3", "--buffer", "policy=block")
        self.finish(self.start_numbered("-t", 1, "-n", 250000, "-u", 300, flags=flags))
        names = self.segments()
        self.assertEqual(len(names), 3)
        self.assertEqual(names[-1], "capture.strobe")
        found = []
        for name in names:
            numbers = self.numbers(self.result() / "FRAMEWORK" / name)["t0"]
            self.assertWithoutGap(numbers, numbers[0])
            if found:
                self.assertEqual(numbers[0], found[-1] + 1)
            found += numbers
        self.assertGreater(found[0], 0)
        self.assertEqual(found[-1], 249999)
        self.assertEqual(self.numbers(self.result())["t0"], found)

    @needs_python
    def test_steps(self):
        """The program requests a segment, and the writer's thread begins it when it runs, so the
        program waits for it."""
        script = self.script("steps.py", STEPS)
        self.strobe("run", "-o", self.out, "--collect", "gc", "--rotate", "steps=5", "--", PYTHON, script)
        self.assertEqual(self.info(self.result())["kinds"]["step"], 20)
        counts = [self.records_of(self.result() / "FRAMEWORK" / name, "step") for name in self.segments()]
        self.assertEqual(counts, [5, 5, 5, 5] if len(counts) == 4 else [5, 5, 5, 5, 0])

    def test_time(self):
        begin = time.monotonic()
        process = self.start("run", "-o", self.out, *COLLECT, "--rotate", "time=200ms,keep=4", "--",
                             NUMBERED, "-s", "3000x20000")
        self.wait_until(lambda: any(self.out.glob("*/FRAMEWORK/capture.00006.strobe")),
                        "the sixth segment", process)
        process.send_signal(signal.SIGTERM)
        self.finish(process, -signal.SIGTERM)
        most = (time.monotonic() - begin) / 0.2 + 1
        self.assertEqual(len(self.segments()), 4)
        number = int(self.segments()[-2].split(".")[1])
        self.assertLessEqual(number, most)
        self.assertGreaterEqual(number, 6)
        rows = self.json("show", self.result(), "--table", "step", "--columns", "number", "--limit", "3000")
        steps = sorted(row["number"] for row in rows[0]["rows"])
        self.assertGreater(steps[0], 0)
        self.assertGreater(len(steps), 5)
        self.assertEqual(steps, list(range(steps[0], steps[0] + len(steps))))

    def test_whichever_comes_first(self):
        self.run_steps("steps=3,time=60min,size=1GB", "6x50000")
        self.assertIn("capture.00001.strobe", self.segments())

    # ---- kills ----

    def test_kill(self):
        """Kills at random moments under load; many of them happen while the writer begins a new
        segment."""
        instants = random.Random(SEED)
        n_segments = 0
        for number in range(ROUNDS):
            self.progress.unlink(missing_ok=True)
            self.out = self.work / ("out%d" % number)
            with self.subTest("seed %d, round %d" % (SEED, number)):
                rotate = ("size=1MB", "time=100ms")[number % 2]
                flags = ("--rotate", rotate, "--buffer", "policy=block,flush_interval=3ms")
                process = self.start_numbered("-t", 2, "-u", 40, flags=flags)
                time.sleep(instants.uniform(0.05, 0.6))
                self.kill_all(process)
                n_segments += self.check_killed()
        self.assertGreater(n_segments, ROUNDS)

    def check_killed(self):
        committed = self.committed(2)
        self.strobe("analyse", self.out)
        info = self.info(self.result())
        self.assertTrue(info["sealed"])
        self.assertEqual((info["damaged"], sum(info["lost"].values())), (0, 0))
        found = self.numbers(self.result())
        self.assertEqual(found["open"], [-1])
        for name, n in zip(("t0", "t1"), committed):
            self.assertWithoutGap(found[name])
            # The record after the last reported one may be there: committed, or still open.
            self.assertIn(len(found[name]), (n, n + 1, n + 2))
        self.assertFalse(any(name.endswith(".new") for name in self.segments()))
        before = {path: path.read_bytes() for path in (self.result() / "FRAMEWORK").iterdir()}
        self.strobe("analyse", self.out)
        after = {path: path.read_bytes() for path in (self.result() / "FRAMEWORK").iterdir()}
        self.assertEqual(before.keys(), after.keys())
        self.assertTrue(before == after)
        return info["segments"]

    def test_killed_command_is_finished_by_run(self):
        flags = ("--rotate", "size=1MB", "--buffer", "policy=block")
        process = self.start_numbered("-t", 1, "-u", 40, flags=flags)
        self.wait_until(lambda: self.committed(1)[0] > 100000, "some segments", process)
        os.kill(self.pid, signal.SIGKILL)
        self.finish(process, -signal.SIGKILL)
        self.assertTrue((self.result() / "ASCEND_PROFILER_OUTPUT" / "analyse.done").exists())
        self.assertWithoutGap(self.numbers(self.result())["t0"])


class SlowDiskTest(NumberedTest):
    """The program records more than the disk can store."""

    def record_slowly(self, policy):
        self.preload(PROGRAMS / "slow-disk.so")
        self.environment["SLOW_DISK_US"] = "10000"
        flags = ("--buffer", "size=8MB,policy=" + policy)
        process = self.start_numbered("-t", 3, "-n", 200000, flags=flags)
        self.finish(process)
        self.preload()
        return self.json("info", self.result())[0]

    def test_block_loses_nothing(self):
        info = self.record_slowly("block")
        self.assertEqual(sum(info["lost"].values()), 0)
        self.assertEqual(info["kinds"]["marker"], 600001)
        found = self.numbers(self.result())
        for name in ("t0", "t1", "t2"):
            self.assertEqual(len(found[name]), 200000)
            self.assertWithoutGap(found[name])

    def test_drop_loses_and_counts(self):
        """On the same disk, records are lost and counted."""
        info = self.record_slowly("drop")
        self.assertGreater(info["lost"]["pool_empty"], 0)
        lost, stored = sum(info["lost"].values()), info["kinds"]
        self.assertEqual(stored["marker"] + stored["collector_call"] + lost, info["offered"])
        self.assertEqual(info["offered"], 600001 + 5)  # calls of the collector may be lost too


MARKS = 100000
PROFILE = """
import json, os, threading
import strobe
from strobe import profiler

prof = profiler.profile(%s)
prof.start()
open("held", "w").close()
def release():
    if os.path.exists("held"):
        os.unlink("held")
late = threading.Timer(40, release)
late.start()
for _ in range(%d):
    strobe.mark("x")
prof.%s()
print(os.path.exists("held"))
late.cancel()
threading.Timer(.1, release).start()
prof.export_chrome_trace("trace.json")
with open("trace.json") as file:
    print(sum(event["name"] == "x" for event in json.load(file)["traceEvents"]))
prof.stop()
"""


@needs_python
class EndTest(StrobeTest):
    """The window's end does not wait for a disk that hangs, but a reader of the window does."""

    def profile(self, schedule, end):
        script = self.script("script.py", PROFILE % (schedule, MARKS, end))
        self.preload(PROGRAMS / "slow-disk.so")
        self.environment.update(PYTHONPATH=str(BUILD / "python"), SLOW_DISK_WHILE="held")
        done = subprocess.run([PYTHON, script], capture_output=True, text=True, cwd=self.work,
                              env=self.environment, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.split(), ["True", str(MARKS)], done.stderr)

    def test_stop(self):
        self.profile("", "stop")

    def test_step(self):
        """The profile continues: strobe analyse waits until the program's writer has written the
        rest."""
        schedule = "schedule=profiler.schedule(wait=0, warmup=0, active=1, repeat=1)"
        self.profile(schedule, "step")


class RefusedTest(StrobeTest):
    """Exit code 3, a helpful message, and the command is not started."""

    def refuse(self, flags, *expected, config=None):
        if config:
            flags = ("-c", self.script("config.json", config), *flags)
        done = self.strobe("run", "-o", self.out, *flags, "--", "touch", self.work / "started", code=3)
        for text in expected:
            self.assertIn(text, done.stderr)
        self.assertFalse((self.work / "started").exists())
        self.assertFalse(self.out.exists() and list(self.out.iterdir()))

    def test_flags(self):
        for flags, *expected in (
            (("--buffer", "policy=rinf"), "--buffer", "policy", "drop", "block", "ring", "rinf"),
            (("--buffer", "polici=ring"), "--buffer", "polici", "policy"),
            (("--buffer", "policy=ring,keep=1us"), "buffer.keep", "1ms"),
            (("--buffer", "size=1MB"), "buffer.size", "8MB"),
            (("--rotate", "size=1KB"), "rotate.size", "1MB"),
            (("--rotate", "time=1ms"), "rotate.time", "100ms"),
            (("--rotate", "steps=0"), "rotate.steps", "from 1"),
            (("--rotate", "keep=3"), '"size", "time" or "steps"'),
            (("--rotate", "size"), "--rotate"),
            (("--rotate", "sizes=1GB"), "--rotate", "size"),
            (("--dump", "signal=SIGKILL"), "dump.signal", "SIGUSR2"),
            (("--dump", "signal=SIGUSR2"), "flight recorder", "policy"),
            (("--buffer", "policy=ring", "--dump", "slow_step=1"), "dump.slow_step", "1.01"),
            (("--buffer", "policy=ring", "--dump", "slow_step=fast"), "dump.slow_step", "fast"),
            (("--buffer", "policy=ring", "--dump", "max=-1"), "dump.max"),
            (("--buffer", "policy=ring", "--rotate", "size=1GB"), "flight recorder", "rotate"),
            (("--buffer", "policy=ring", "--schedule", "active=1"), "flight recorder", "schedule"),
            (("--buffer", "keep=30s"), "buffer.keep", "flight recorder"),
        ):
            with self.subTest(flags):
                self.refuse(flags, *expected)

    def test_file_and_flags_together(self):
        """The file and the flags are right, but not together."""
        self.refuse(("--rotate", "steps=3"), "rotate", config='{"buffer": {"policy": "ring"}}')
        self.refuse((), "config.json", "buffer.policy", config='{"buffer": {"policy": 2}}')
        self.refuse((), "config.json", "rotate.steps", config='{"rotate": {"steps": "3"}}')
        self.refuse((), "config.json", '"dumps"', "dump", config='{"dumps": {}}')
