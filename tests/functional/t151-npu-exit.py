# SPDX-License-Identifier: Apache-2.0
"""Programs that end in many ways while MSPTI still has their records. MSPTI's objects are destroyed
at exit, and a later call would crash. No program crashes; each launch is recorded and linked
correctly."""

import shutil
import subprocess
import unittest

import tap
from npu import AWAIT_KERNELS, MARK, NpuTest
from support import BUILD, PYTHON, TIMEOUT, has_torch, needs_python, program

N = 20
# Launches N kernels and operations as npu-shapes does, with `step` after each.
LAUNCHES = AWAIT_KERNELS + """
import ctypes, os, threading, time
home = os.environ["ASCEND_HOME_PATH"] + "/lib64/"
ctypes.CDLL(home + "libascendcl.so", mode=ctypes.RTLD_GLOBAL)
LINES = ("launch %d 0 3 KERNEL_AICORE k{0} 5000 400", "call 12 %d rtKernelLaunch 1000 1000",
         "call 11 %d k{0} 500 2000", "call 10 %d aclnnOp 0 3000",
         "collective %d 0 4 c{0} group 6000 9000 400")
def await_session():
    import strobe
    while True:
        try:
            mspti = ctypes.CDLL(home + "libmspti.so", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
            if strobe.enabled():
                return await_kernels(mspti)
        except OSError:
            pass
        time.sleep(.001)
def launch(number):
    mspti = ctypes.CDLL(home + "libmspti.so", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
    base = ctypes.c_uint64(time.time_ns())
    time.sleep(20e-6)
    for line in LINES:
        line = (line % threading.get_native_id()).format(number).encode()
        assert mspti.mspti_double_play(line, base) == 0
"""
PLAIN = LAUNCHES + "await_session()\nfor i in range(%d): launch(i)\n" % N
TORCH = LAUNCHES + """
import torch
await_session()
a = torch.ones(8, 8)
for i in range(%d):
    a = torch.mm(a, a)
    launch(i)
""" % N
# The program opens its own session without a preloaded library. The last window ends with the
# program.
SCHEDULE = LAUNCHES + """
import sys
from strobe import profiler
level = getattr(profiler.ProfilerLevel, sys.argv[2])
profile = profiler.profile(
    activities=[profiler.ProfilerActivity.NPU],
    schedule=profiler.schedule(wait=1, warmup=1, active=2, repeat=2),
    on_trace_ready=profiler.tensorboard_trace_handler(sys.argv[1], analyse_flag=False),
    experimental_config=profiler._ExperimentalConfig(
        profiler_level=level, aic_metrics=profiler.AiCMetrics.AiCoreNone))
profile.start()
for i in range(7):
    if i % 4 > 1:
        launch(i)
    profile.step()
launch(7)
"""


class ExitTest(NpuTest):
    def check_result(self, result, names):
        """Each task has the id of its own call of the node level, and of no other call."""
        calls = {}
        for row in self.rows("api_call", result):
            if row["level"] == "node" and row["connection"] not in (None, ""):
                calls.setdefault(row["connection"], []).append(row["name"])
        tasks = self.rows("device_task", result) + self.rows("comm_op", result)
        self.assertEqual(sorted(row["name"] for row in tasks), sorted(MARK + name for name in names))
        for row in tasks:
            self.assertEqual(calls[row["connection"]], [row["name"]])

    def check_whole(self, result, names):
        self.check_result(result, names)
        info = self.json("info", result)[0]
        self.assertEqual(sum(info["lost"].values()), 0, info["lost"])
        self.assertEqual((info["sealed"], info["recovered"]), (True, False))

    def names(self, numbers):
        return ["%s%d" % (kind, i) for i in numbers for kind in "kc"]

    def run_shape(self, number, *command, flags=(), collect=(), options="", wrong=""):
        """One run; its number selects the level."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.environment["MSPTI_DOUBLE"] = wrong
        interval = ("60s", "1s", "10ms")[number // 3 % 3]
        options = options or ",flush_interval=" + interval
        collect = ["npu_task:profiler_level=Level%d%s" % (number % 3, options), *collect]
        self.record(*command, collect=collect, flags=flags)

    def repeat(self, shape, number):
        """Repeats a run: the given number, different numbers for different shapes, or a hundred
        runs."""
        for number in tap.chosen(range(100), (number,)):
            with self.subTest(number=number):
                shape(number)

    def run_c(self, number, shape, wrong=""):
        self.run_shape(number, program("npu-shapes"), shape, N, wrong=wrong)
        self.check_whole(self.result(), self.names(range(N)))

    # ---- shapes ----

    def test_ends_at_once(self):
        self.repeat(lambda number: self.run_c(number, ("return", "exit")[number % 2]), 0)

    def test_work_in_flight(self):
        """The device reports after the program has called exit."""
        self.repeat(lambda number: self.run_c(number, "exit", "lag=%d" % (100 + number)), 4)

    def test_threads(self):
        self.repeat(lambda number: self.run_c(number, "threads"), 8)

    def test_fork(self):
        self.repeat(lambda number: self.run_c(number, "fork"), 1)

    def test_under_a_schedule(self):
        def shape(number):
            self.run_shape(number, program("npu-shapes-with-steps"), "steps", 35,
                           flags=["--schedule", "wait=1,active=1,repeat=2"])
            results = self.results()
            self.assertEqual(len(results), 2)
            self.check_whole(results[0], self.names(range(10, 20)))
            self.check_whole(results[1], self.names(range(30, 35)))

        self.repeat(shape, 5)

    @needs_python
    def test_schedule_of_python(self):
        environment = dict(self.environment, PYTHONPATH=str(BUILD / "python"),
                           STROBE_PLUGIN_PATH=str(BUILD / "plugins"))
        script = self.script("schedule.py", SCHEDULE)

        def shape(number):
            shutil.rmtree(self.out, ignore_errors=True)
            done = subprocess.run([PYTHON, script, self.out, "Level%d" % (number % 3)],
                                  env=environment, capture_output=True, text=True, timeout=TIMEOUT)
            self.assertEqual(done.returncode, 0, done.stderr)
            results = self.results()
            self.assertEqual(len(results), 2)
            self.check_whole(results[0], self.names((2, 3)))
            self.check_whole(results[1], self.names((6, 7)))

        if has_torch():
            self.repeat(shape, 2)

    @needs_python
    def test_python(self):
        script = self.script("plain.py", PLAIN)

        def shape(number):
            self.run_shape(number, PYTHON, script)
            self.check_whole(self.result(), self.names(range(N)))

        self.repeat(shape, 6)

    @needs_python
    @unittest.skipUnless(has_torch(), "needs PyTorch")
    def test_python_with_torch(self):
        script = self.script("products.py", TORCH)

        def shape(number):
            self.run_shape(number, PYTHON, script, collect=["cpu_op"])
            self.check_whole(self.result(), self.names(range(N)))

        self.repeat(shape, 7)

    def test_without_an_exit(self):
        """_exit runs no handlers: the records that were delivered by then are kept."""
        def shape(number):
            self.run_shape(number, program("npu-shapes"), "_exit", N,
                           options=",flush_interval=10ms")
            self.check_result(self.result(), self.names(range(N)))
            info = self.json("info", self.result())[0]
            self.assertEqual((info["sealed"], info["recovered"]), (True, False))

        self.repeat(shape, 5)


if __name__ == "__main__":
    unittest.main()
