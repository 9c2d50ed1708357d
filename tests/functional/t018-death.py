# SPDX-License-Identifier: Apache-2.0
"""Kills whole process groups and analyses: no record is lost, and nothing is left behind.

STROBE_TEST_DEATHS sets how often each is tried; the long suite sets a larger number.
"""

import mmap
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import time
import unittest

from support import PYTHON, STROBE, StrobeTest, needs_python

ROUNDS = int(os.environ.get("STROBE_TEST_DEATHS", "3"))
OUTPUT = "ASCEND_PROFILER_OUTPUT"

# A parent and two forked children. Each prints the number of complete ranges after each range, and
# has one range open all the time.
FAMILY = """
import mmap, os, struct, sys, time
import strobe

def work(slot, shared):
    name = "work %d" % slot
    strobe.range_begin("open %d" % slot)
    number = 0
    while True:
        strobe.range_end(strobe.range_begin(name, number))
        number += 1
        struct.pack_into("<Q", shared, 8 * slot, number)
        if number % 50 == 0:
            time.sleep(0.002)

with open(sys.argv[1], "r+b") as file:
    shared = mmap.mmap(file.fileno(), 4096)
for slot in (1, 2):
    if os.fork() == 0:
        work(slot, shared)
work(0, shared)
"""

# Leaves a result whose analysis continues in the background; waits for a line of input before it
# ends.
DETACHED = """
import sys, time
from strobe import profiler

profile = profiler.profile(
    on_trace_ready=profiler.tensorboard_trace_handler(sys.argv[1], async_mode=True))
profile.start()
import strobe
for number in range(60000):
    with strobe.range("range", number):
        pass
profile.stop()
print("stopped", flush=True)
sys.stdin.readline()
"""


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def hidden(folder):
    return [path for path in folder.iterdir() if path.name.startswith(".")]


def is_gone(pid):
    try:
        state = pathlib.Path("/proc/%d/stat" % pid).read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return True
    return state == "Z"


def members(group):
    """The living processes of a process group."""
    found = []
    for path in pathlib.Path("/proc").iterdir():
        if path.name.isdigit() and not is_gone(int(path.name)):
            try:
                if os.getpgid(int(path.name)) == group:
                    found.append(int(path.name))
            except OSError:
                pass
    return found


@needs_python
class GroupTest(StrobeTest):
    def kill_once(self, after):
        """Sends SIGKILL to strobe run, the command and its children at the same time, as the kernel
        does when memory is exhausted."""
        told = self.work / "told"
        told.write_bytes(bytes(4096))
        script = self.script("family.py", FAMILY)
        config = self.script("config.json", '{"buffer": {"size": "16MB"}}')
        process = self.start(
            "run", "--follow", "-o", self.out, "-c", config, "--collect",
            "fake:threads=0,records=0", "--", PYTHON, script, told, start_new_session=True,
        )
        with open(told, "r+b") as file, mmap.mmap(file.fileno(), 4096) as shared:
            numbers = lambda: struct.unpack_from("<3Q", shared)
            self.wait_until(lambda: min(numbers()) > 0, "all three record", process)
            time.sleep(after)
            os.killpg(process.pid, signal.SIGKILL)
            self.wait_until(lambda: not members(process.pid), "the end of the group")
            return numbers()

    def check(self, told):
        self.assertEqual(len(self.results()), 3)
        for result in self.results():
            info = self.json("info", result)[0]
            self.assertTrue(info["sealed"])
            self.assertEqual((info["damaged"], info["outside"]), (0, 0))
            self.assertIn(info["unfinished"], (1, 2))
            shown = self.json("show", result, "--table", "marker", "--columns", "name,argument",
                              "--limit", "100000")[0]
            found = {}
            for row in shown["rows"]:
                found.setdefault(row["name"], []).append(row.get("argument"))
            (slot,) = [int(name[5:]) for name in found if name.startswith("open ")]
            done = found["work %d" % slot]
            self.assertEqual(len(found), 2)
            # The program was killed between the record and its report, or inside of the record.
            self.assertLessEqual(info["lost"]["pool_empty"], len(done))
            if info["lost"]["pool_empty"] == 0:
                self.assertEqual(done, list(range(len(done))))
                self.assertIn(len(done) - told[slot], (0, 1))
            told = told[:slot] + (None,) + told[slot + 1 :]
        self.assertEqual(told, (None, None, None))

    def pools(self):
        return [info["metadata"]["pool"] for info in self.json("info", self.out)]

    def test_group(self):
        for _ in range(ROUNDS):
            told = self.kill_once(random.uniform(0, 0.4))
            pools = self.pools()
            self.strobe("analyse", self.out, "--export", "csv")
            self.check(told)
            self.assertEqual([path for path in pools if os.path.exists(path)], [])
            shutil.rmtree(self.out)

    def test_group_and_then_its_analysis(self):
        for _ in range(ROUNDS):
            told = self.kill_once(random.uniform(0, 0.4))
            for _ in range(4):
                analysis = self.start("analyse", self.out, "--export", "csv")
                time.sleep(random.uniform(0, 0.1))
                analysis.kill()
                analysis.communicate()
            self.strobe("analyse", self.out, "--export", "csv")
            self.check(told)
            shutil.rmtree(self.out)


class AnalysisTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.record(collect=["fake:threads=2,records=30000"])
        self.output = self.result() / OUTPUT
        self.undisturbed = contents(self.output)

    def time_of_analysis(self):
        began = time.monotonic()
        self.strobe("analyse", self.out)
        return time.monotonic() - began

    def test_killed_at_any_moment(self):
        whole = self.time_of_analysis()
        for _ in range(4 * ROUNDS):
            analysis = self.start("analyse", self.out)
            time.sleep(random.uniform(0, whole))
            analysis.kill()
            analysis.communicate()
            # There are the old files or the new ones, complete and consistent.
            self.assertEqual(contents(self.output), self.undisturbed)
            self.assertEqual(len(self.json("info", self.out)), 1)
        self.strobe("analyse", self.out)
        self.assertEqual(contents(self.output), self.undisturbed)

    def test_leavings_are_no_results_and_go(self):
        deadline = time.monotonic() + 60
        shutil.rmtree(self.output)
        while not hidden(self.result()):
            self.assertLess(time.monotonic(), deadline)
            analysis = self.start("analyse", self.out)
            self.wait_until(
                lambda: hidden(self.result()) or analysis.poll() is not None, "its folder")
            analysis.kill()
            analysis.communicate()
        self.assertEqual(len(self.json("info", self.out)), 1)
        self.strobe("analyse", self.out)
        self.assertEqual(hidden(self.result()), [])
        self.assertEqual(contents(self.output), self.undisturbed)

    def test_two_at_once(self):
        first, second = self.start("analyse", self.out), self.start("analyse", self.out)
        for process in (first, second):
            errors = process.communicate(timeout=60)[1]
            self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(contents(self.output), self.undisturbed)
        self.assertEqual(hidden(self.result()), [])


@needs_python
class DetachedTest(StrobeTest):
    def analysis_of(self, process):
        """The process id of the analysis that the script has started."""
        for path in pathlib.Path("/proc/%d/task" % process.pid).glob("*/children"):
            for pid in path.read_text().split():
                try:
                    words = pathlib.Path("/proc/%s/cmdline" % pid).read_bytes()
                except OSError:  # this child has ended
                    continue
                if b"analyse" in words:
                    return int(pid)
        return None

    def is_analysed(self):
        return any(self.out.glob("*/%s/analyse.done" % OUTPUT))

    @unittest.skipUnless(
        pathlib.Path("/proc/self/task/%d/children" % os.getpid()).exists(), "no list of children"
    )
    def test_killed_while_the_program_goes_on(self):
        script = self.script("detached.py", DETACHED)
        environment = dict(self.environment)
        environment["PYTHONPATH"] = str(pathlib.Path(STROBE).parents[1] / "python")
        for _ in range(ROUNDS):
            process = subprocess.Popen(
                [PYTHON, script, self.out], cwd=self.work, env=environment, text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )
            self.addCleanup(self.end, process)
            # An analysis that was over before the test looked has no command line any more.
            pid = self.wait_until(lambda: self.analysis_of(process) or self.is_analysed(), "the analysis", process)
            time.sleep(random.uniform(0, 0.2))
            if pid is not True:
                os.kill(pid, signal.SIGKILL)
            errors = process.communicate("\n", timeout=60)[1]
            self.assertEqual(process.returncode, 0, errors)
            self.strobe("analyse", self.out)
            output = self.result() / OUTPUT
            self.assertIn("analyse.done", contents(output))
            once = contents(output)
            self.strobe("analyse", self.out)
            self.assertEqual(contents(output), once)
            self.assertEqual(self.records_of(self.result(), "marker"), 60000)
            shutil.rmtree(self.out)
