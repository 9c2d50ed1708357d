# SPDX-License-Identifier: Apache-2.0
"""Common functions of the tests of npu_task: programs that play scripts into the test double of
MSPTI."""

import csv
import json
import random

from support import BUILD, StrobeTest, program

PROGRAM = program("npu-program")
HOME = BUILD / "tests" / "mspti-double"
TYPES = {
    "KERNEL_AICORE": "AI_CORE", "KERNEL_AIVEC": "AI_VECTOR_CORE", "KERNEL_AICPU": "AI_CPU",
    "KERNEL_MIX_AIC": "MIX_AIC", "KERNEL_MIX_AIV": "MIX_AIV", "KERNEL_FUSION": "N/A", "-": "N/A",
}
MARK = "simulated "
# The script waits for this time at its end, so that all its times are in the past.
MOMENT = 1000


# For a Python program: waits until kernels are recorded.
AWAIT_KERNELS = """
def await_kernels(mspti):
    mspti.mspti_double.restype = ctypes.POINTER(ctypes.c_uint64)
    while not mspti.mspti_double()[5] >> 2 & 1: # MsptiDoubleState.enabled
        time.sleep(.001)
    time.sleep(.3) # from there to the window's begin
"""


class Script:
    """The work of a program. Each launch has calls of AscendCL, of the node level and of the
    runtime, each inside the previous one, a kernel on one of two devices, and sometimes a
    collective operation."""

    def __init__(self, n, seed=1):
        self.random = random.Random(seed)
        self.kernels, self.comms, self.calls = [], [], []
        self.at = 1000
        self.free = {}
        for i in range(n):
            self.launch(i + 1)

    def place(self, device, stream, begin, duration):
        begin = max(begin, self.free.get((device, stream), 0))
        self.free[device, stream] = begin + duration
        return begin

    def launch(self, number):
        pick = self.random
        thread = 70001 + number % 2
        begin, self.at = self.at, self.at + pick.randrange(4000, 9000)
        self.calls += [
            (12, thread, number, "rtKernelLaunch", begin + 900, 700),
            (11, thread, number, "launch", begin + 500, 1500),
            (10, thread, number, "aclnnOp%d" % (number % 5), begin, 3000),
            (10, thread, number, "aclrtQueryStream", begin + 3100, 200),
        ]
        device, stream = number % 2, 3 + number % 3
        duration = pick.randrange(500, 30000)
        if number % 17 == 0:
            start = self.place(device, 90, begin + 5000, duration)
            self.comms.append((device, 90, number, "hcom_allReduce__%d" % number, "group%d" % device,
                               "RING", 4, 1024 * number, start, duration))
            return
        start = self.place(device, stream, begin + 4000, duration)
        kind = pick.choice(sorted(TYPES))
        self.kernels.append(
            (device, stream, number, kind, "op_%d" % (number % 9), start, duration)
        )

    @property
    def end(self):
        return max(self.free.values()) + self.at + MOMENT

    def lines(self):
        # after this time all reported events have happened
        yield "sleep %d" % (self.end // 1000000 + 2)
        for call in self.calls:
            yield "api %d %d %d %s %d %d" % call
        for kernel in self.kernels:
            yield "kernel %d %d %d %s %s %d %d" % kernel
        for comm in self.comms:
            yield "comm %d %d %d %s %s %s %d %d %d %d" % comm


class NpuTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.environment["ASCEND_HOME_PATH"] = str(HOME)

    def play(self, lines, options="", wrong="", collect=(), flags=(), code=0):
        """Runs the program under strobe. Returns the process and the moment from which the script's
        times count."""
        script = self.script("script", "\n".join(lines) + "\n")
        if wrong:
            self.environment["MSPTI_DOUBLE"] = wrong
        done = self.record(PROGRAM, script, collect=["npu_task" + options, *collect], flags=flags,
                           code=code)
        self.assertTrue(done.stdout.endswith("done\n"), done.stdout)
        self.assertNotIn("cannot play", done.stderr)
        return done, int(done.stdout.split()[1])

    def rows(self, table, result=None):
        shown = self.json("show", result or self.result(), "--table", table, "--limit", "100000")
        return shown[0]["rows"]

    def log(self):
        return "".join(path.read_text() for path in self.result().glob("logs/*"))

    def csv(self, name):
        path = self.result() / "ASCEND_PROFILER_OUTPUT" / (name + ".csv")
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def trace(self):
        return json.loads(
            (self.result() / "ASCEND_PROFILER_OUTPUT" / "trace_view.json").read_text()
        )
