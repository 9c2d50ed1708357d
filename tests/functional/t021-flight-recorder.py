# SPDX-License-Identifier: Apache-2.0
"""The content of a flight recorder is dumped while it records, written at the end, and found after
a kill."""

import os
import platform
import signal
import subprocess
import unittest

from numbered import NUMBERED, NumberedTest
from support import BUILD, PYTHON, needs_python

# Records in its own session, and creates the file "ready".
OWN = """
import ctypes, json, os, signal, struct, sys, time
import strobe
from strobe import _strobe
session = _strobe.Session(json.dumps({
    "collectors": {}, "output": {"directory": sys.argv[1]}, "dump": {"signal": "SIGUSR2"},
    "buffer": {"policy": "ring", "size": "8MB"}}), "test")
session.start()
strobe.mark("before")
"""
KILLED = OWN + """
assert strobe.dump()
time.sleep(.001)
os.kill(os.getpid(), signal.SIGKILL)
"""
# Under this filter, opening files, making processes and using futexes end a program.
FILTERED = OWN + """
calls = (2, 56, 57, 58, 82, 83, 202, 257, 258, 264, 316, 435)
code = [(0x20, 0, 0, 0)] + [(0x15, len(calls) - i, 0, nr) for i, nr in enumerate(calls)]
code += [(0x06, 0, 0, 0x7fff0000), (0x06, 0, 0, 0x80000000)]
text = b"".join(struct.pack("HBBI", *each) for each in code)
buffer = ctypes.create_string_buffer(text, len(text))
program = struct.pack("HxxxxxxQ", len(code), ctypes.addressof(buffer))
libc = ctypes.CDLL(None)
open(sys.argv[2], "w").close()
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0
while True:
    time.sleep(.01)
"""
COLLECT = ("--collect", "fake:records=0")
ROUNDS = int(os.environ.get("STROBE_TEST_KILLS", "3"))


class RecorderTest(NumberedTest):
    def start_ring(self, *flags, options=("-t", 2, "-u", 100)):
        return self.start_numbered(*options, flags=("--buffer", "policy=ring,size=8MB", *flags))

    def dumps(self):
        """The result directories that are dumps, and the one that is not. A dump that was
        interrupted by a kill left nothing that looks like a capture."""
        whole = [path for path in self.results() if (path / "FRAMEWORK/capture.strobe").exists()]
        reasons = {path: self.info(path)["metadata"].get("dump_reason") for path in whole}
        (own,) = [path for path, reason in reasons.items() if reason is None]
        return {path: reason for path, reason in reasons.items() if reason is not None}, own

    def info(self, path):
        return self.json("info", path)[0]

    # ---- dumps ----

    def test_signal(self):
        process = self.start_ring(
            "--dump", "signal=SIGUSR2,min_interval=0s", options=("-t", 2, "-u", 50, "-n", 120000)
        )
        for number in range(2):
            os.kill(self.pid, signal.SIGUSR2)
            self.wait_until(lambda: len(self.results()) > number + 1, "a dump", process)
            before = self.committed(2)
            self.wait_until(lambda: self.committed(2) > before, "recording to go on", process)
        self.finish(process)
        dumps, own = self.dumps()
        self.assertEqual(sorted(dumps.values()), ["signal", "signal"])
        for path in self.results():
            self.assertTrue((path / "ASCEND_PROFILER_OUTPUT" / "analyse.done").exists(), path)
            self.assertTrue((path / "profiler_info.json").exists(), path)
            found = self.numbers(path)
            self.assertEqual(len(found["open"]), 1)
            for name in ("t0", "t1"):
                self.assertWithoutGap(found[name], found[name][0])
        found = self.numbers(own)
        self.assertEqual([found["t0"][-1], found["t1"][-1]], [119999, 119999])

    def test_signal_and_end(self):
        """A dump that is made while the program ends is analysed too."""
        process = self.start_ring("--dump", "signal=SIGUSR2,min_interval=0s")
        self.wait_until(lambda: min(self.committed(2)) > 10000, "records", process)
        os.kill(self.pid, signal.SIGUSR2)
        self.wait_until(lambda: len(self.results()) > 1, "a dump", process)
        os.kill(self.pid, signal.SIGKILL)
        errors = self.finish(process, -signal.SIGKILL)
        for path in self.results():
            self.assertTrue((path / "ASCEND_PROFILER_OUTPUT" / "analyse.done").exists(), errors)

    def test_signal_to_strobe_run(self):
        """`strobe run` passes the signal on."""
        process = self.start_ring("--dump", "signal=USR2", options=("-t", 1, "-u", 50, "-n", 40000))
        process.send_signal(signal.SIGUSR2)
        self.wait_until(lambda: len(self.results()) > 1, "a dump", process)
        self.finish(process)
        self.assertEqual(list(self.dumps()[0].values()), ["signal"])

    def test_too_many_signals(self):
        process = self.start_ring("--dump", "signal=SIGUSR2,max=1,min_interval=0s")
        for _ in range(5):
            os.kill(self.pid, signal.SIGUSR2)
            self.wait_until(lambda: len(self.results()) > 1, "a dump", process)
        os.kill(self.pid, signal.SIGTERM)
        self.finish(process, -signal.SIGTERM)
        self.assertEqual(len(self.results()), 2)

    def run_steps(self, dump, *parts):
        """Runs (number, ms) of steps until a run has none that the machine delayed by 150 ms or more,
        because such a step is slow itself. Returns the same as dumps()."""
        planned = [ms for n, ms in parts for _ in range(n)]
        for number in range(10):
            self.out = self.work / ("out%d" % number)
            self.strobe(
                "run", "-o", self.out, *COLLECT, "--buffer", "policy=ring,size=8MB", "--dump", dump, "--",
                NUMBERED, "-s", ",".join("%dx%d" % (n, 1000 * ms) for n, ms in parts),
            )
            dumps, own = self.dumps()
            rows = self.json("show", own, "--table", "step", "--columns", "number,duration", "--limit", "1000")
            rows = sorted(rows[0]["rows"], key=lambda row: row["number"])
            self.assertEqual(len(rows), len(planned))
            if all(row["duration"] < 1000000 * (ms + 150) for row, ms in zip(rows, planned)):
                return dumps, own
        self.fail("a step was delayed in each of 10 runs")

    def test_slow_step(self):
        dumps, own = self.run_steps("slow_step=20,min_interval=0s", (20, 10), (1, 800), (5, 10), (1, 800), (20, 10))
        # The second dump may be requested while the first is being written: then one dump serves
        # both requests.
        self.assertIn(len(dumps), (1, 2))
        for reason in dumps.values():
            self.assertRegex(reason, r"^step (20|26) took [89]\d\d ms, [\d.]+ x the running median$")
        first = min(dumps)
        self.assertIn(self.records_of(first, "step"), range(21, 28))
        self.assertEqual(self.records_of(own, "step"), 47)
        logs = "".join(path.read_text() for path in own.glob("logs/*.log"))
        self.assertIn("Dumped (step 20 took", logs)

    def test_more_than_are_allowed(self):
        dumps, own = self.run_steps(
            "slow_step=20,max=1,min_interval=0s", (20, 10), (1, 800), (20, 10), (1, 800), (20, 10))
        self.assertEqual(len(dumps), 1)
        logs = "".join(path.read_text() for path in own.glob("logs/*.log"))
        self.assertIn("No dump for 1 requests: dump.max", logs)

    def test_quick_steps_only(self):
        self.run_steps("slow_step=100", (50, 10))
        self.assertEqual(len(self.results()), 1)

    @needs_python
    def test_dump_by_the_script(self):
        """The recorder belongs to the run, whichever process requests a dump."""
        script = self.script("script.py", (
            "import strobe\n"
            "from strobe import profiler\n"
            "with profiler.profile() as prof:\n"
            "    strobe.mark('x')\n"
            "    print(prof.dump('by the script'))\n"
            "    assert strobe.dump() is True\n"
        ))
        done = self.strobe("run", "-o", self.out, "--collect", "gc", "--buffer",
                           "policy=ring,size=8MB", "--", PYTHON, script)
        path = done.stdout.strip()
        self.assertEqual(self.info(path)["metadata"]["dump_reason"], "by the script")
        self.assertEqual(self.records_of(path, "marker_instant"), 1)
        self.assertTrue((self.out / path / "ASCEND_PROFILER_OUTPUT" / "analyse.done").exists())

    def start_own(self, text):
        script = self.script("own.py", text)
        environment = dict(self.environment, PYTHONPATH=str(BUILD / "python"))
        self.out.mkdir()
        return subprocess.Popen([PYTHON, script, self.out, self.work / "ready"], env=environment)

    def check_dump(self, reason):
        """There is one complete dump next to the program's own result."""
        self.wait_until(lambda: any((path / "logs").is_dir() and list(path.glob("logs/*.log"))
                                    and path != self.first for path in self.results()), "a dump")
        dumps, _ = self.dumps()
        self.assertEqual(list(dumps.values()), [reason])
        (path,) = dumps
        info = self.info(path)
        self.assertEqual((info["sealed"], info["recovered"]), (True, False))
        self.assertEqual(self.records_of(path, "marker_instant"), 1)
        for name in ("profiler_info.json", "profiler_metadata.json"):
            self.assertTrue((path / name).exists(), name)

    @needs_python
    def test_killed_after_a_request(self):
        process = self.start_own(KILLED)
        self.assertEqual(process.wait(60), -signal.SIGKILL)
        self.first = min(self.results())
        self.check_dump("call")

    @needs_python
    @unittest.skipUnless(platform.machine() == "x86_64", "numbers of system calls")
    def test_filtered(self):
        """The signal handler makes no system call."""
        process = self.start_own(FILTERED)
        try:
            self.wait_until((self.work / "ready").exists, "the filter", process)
            self.first = min(self.results())
            self.wait_until(lambda: self.is_filtered(process.pid), "the filter", process)
            os.kill(process.pid, signal.SIGUSR2)
            self.check_dump("signal")
            self.assertIsNone(process.poll())
        finally:
            process.kill()
            process.wait()

    @staticmethod
    def is_filtered(pid):
        with open("/proc/%d/status" % pid, encoding="ascii") as file:
            return "Seccomp:\t2" in file.read()

    # ---- what is left ----

    def test_keep(self):
        """At least the requested time at the end of a long run is kept, in whole blocks."""
        flags = ("--buffer", "policy=ring,size=64MB,keep=200ms")
        self.finish(self.start_numbered("-n", 1500000, flags=flags))
        info = self.info(self.result())
        self.assertEqual(info["offered"], info["stored"] + sum(info["lost"].values()))
        numbers = self.numbers(self.result())["t0"]
        self.assertWithoutGap(numbers, numbers[0])
        self.assertEqual(numbers[-1], 1499999)
        self.assertEqual(numbers[0], info["lost"]["overwritten"])

    def test_overwritten_is_no_completeness_report(self):
        process = self.start_ring(options=("-t", 2, "-n", 300000))
        self.finish(process)
        info = self.info(self.result())
        self.assertGreater(info["lost"]["overwritten"], 0)
        self.assertEqual(info["offered"], info["stored"] + sum(info["lost"].values()))
        self.assertEqual(info["kinds"]["marker"] + sum(info["lost"].values()), 600001)
        if sum(info["lost"].values()) == info["lost"]["overwritten"]:
            self.assertTrue(self.json("analyse", self.result())[0]["complete"])

    # ---- kills ----

    def test_kill(self):
        """The last records of each thread are found in the pool."""
        for number in range(ROUNDS):
            self.progress.unlink(missing_ok=True)
            with self.subTest(number):
                self.out = self.work / ("out%d" % number)
                pause = (20, 0)[number % 2]
                process = self.start_ring("--dump", "signal=SIGUSR2", options=("-t", 2, "-u", pause))
                least = (1000, 250000)[number % 2]
                self.wait_until(lambda: min(self.committed(2)) > least, "some records", process)
                if number % 3 == 2:
                    os.kill(self.pid, signal.SIGUSR2)  # while it writes a dump
                self.kill_all(process)
                self.check_killed(pause == 0)

    def check_killed(self, must_overwrite):
        committed = self.committed(2)
        self.strobe("analyse", self.out)
        _, own = self.dumps()
        info = self.info(own)
        self.assertTrue(info["sealed"])
        self.assertEqual(info["damaged"], 0)
        if must_overwrite:
            self.assertGreater(info["lost"]["overwritten"], 0)
        found = self.numbers(own)
        self.assertEqual(len(found["open"]), 1)
        n_lost, n_missing = info["lost"]["pool_empty"], 0
        for name, n in zip(("t0", "t1"), committed):
            numbers = found[name]
            # The record after the last reported one may be there: committed, or still open.
            self.assertLessEqual(numbers[-1], n + 1)
            n_missing += max(0, n - 1 - numbers[-1])
            if n_lost == 0:
                self.assertWithoutGap(numbers, numbers[0])
            self.assertEqual(numbers, sorted(set(numbers)))
        # While a dump is written, no block is reused, so the last records may find none free.
        self.assertLessEqual(n_missing, n_lost)
        self.assertFalse(os.path.exists(info["metadata"]["pool"]))
        once = (own / "FRAMEWORK" / "capture.strobe").read_bytes()
        self.strobe("analyse", self.out)
        self.assertEqual((own / "FRAMEWORK" / "capture.strobe").read_bytes(), once)


class HelpTest(NumberedTest):
    def test_help(self):
        text = self.strobe("run", "--help").stdout
        for expected in ("--buffer=TEXT", "policy=drop|block|ring", "--dump=TEXT", "signal=SIGUSR2",
                         "slow_step=2.5", "--rotate=TEXT", "size=1GB,time=10min,steps=100,keep=5"):
            self.assertIn(expected, text)
