# SPDX-License-Identifier: Apache-2.0
"""Another client of MSPTI in the process, like torch_npu's bridge to Kineto: it takes the callbacks
over, frees buffers that are not its own, and disables kinds at its end."""

import subprocess
import unittest

from npu import NpuTest
from support import BUILD, PROGRAMS, PYTHON, TIMEOUT, needs_python


def task(number, at):
    return ["launch 70001 0 3 KERNEL_AICORE k%d %d 400" % (number, at + 2000),
            "call 11 70001 k%d %d 1000" % (number, at)]


# The bridge is loaded and unloaded in the first of two windows, or stays.
WINDOWS = """
import ctypes, json, os, sys, time
home = os.environ["ASCEND_HOME_PATH"] + "/lib64/"
ctypes.CDLL(home + "libascendcl.so", mode=ctypes.RTLD_GLOBAL)
from strobe import _strobe
session = _strobe.Session(json.dumps({
    "collectors": {"npu_task": {"flush_interval": "10ms"}}, "exporters": {},
    "output": {"directory": sys.argv[1]}, "schedule": {"active": 1, "repeat": 2}}), "test")
session.start()
mspti = ctypes.CDLL(home + "libmspti.so", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
REQUEST = ctypes.CFUNCTYPE(None, *[ctypes.POINTER(ctypes.c_size_t)] * 3)
COMPLETE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
def request(buffer, size, n):
    size[0], n[0] = 1 << 20, 0
    buffer[0] = libc.malloc(ctypes.c_size_t(1 << 20))
def complete(buffer, size, valid):
    libc.free(ctypes.c_void_p(buffer))
callbacks = REQUEST(request), COMPLETE(complete)
KINDS = (2, 8, 9, 10)
def launch(number):
    base = ctypes.c_uint64(time.time_ns())
    time.sleep(20e-6)
    for line in ("launch 7 0 3 KERNEL_AICORE k%d 5000 400" % number,
                 "call 11 7 k%d 500 2000" % number):
        assert mspti.mspti_double_play(line.encode(), base) == 0
launch(1)
mspti.msptiActivityRegisterCallbacks(*callbacks)
for kind in KINDS:
    mspti.msptiActivityEnable(kind)
launch(2)
if sys.argv[2] == "leaves":
    mspti.msptiActivityFlushAll(1)
    for kind in KINDS:
        mspti.msptiActivityDisable(kind)
launch(3)
session.step()
launch(4)
launch(5)
session.stop()
session.close()
"""


class ClientTest(NpuTest):
    def test_a_client_that_comes_and_goes(self):
        """Nothing crashes, and the result names the client that took the buffers, and counts
        them."""
        lines = ["sleep 3", *task(1, 100000), "bridge start", *task(2, 200000), "bridge stop",
                 *task(3, 300000), "sleep 20"]
        self.preload(PROGRAMS / "libtorch_npu.so")
        self.environment["TORCH_NPU_DOUBLE"] = "idle"
        done, _ = self.play(lines, ":flush_interval=60s")
        self.assertIn("bridged 1", done.stdout)
        self.assertIn("1 buffers went to another client of MSPTI in this process, torch_npu's "
                      "profiler, which has replaced Strobe's callbacks", self.log())
        self.assertIn("Another client of MSPTI in this process, torch_npu's profiler, has disabled "
                      "kernel, communication, acl_api", self.log())
        info = self.json("info", self.result())[0]
        self.assertEqual(info["lost"].get("collector_dropped"), 1, info["lost"])

    @needs_python
    def windows(self, how):
        self.out.mkdir()
        environment = dict(self.environment, PYTHONPATH=str(BUILD / "python"),
                           STROBE_PLUGIN_PATH=str(BUILD / "plugins"))
        done = subprocess.run([PYTHON, self.script("windows.py", WINDOWS), self.out, how],
                              env=environment, capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stderr)
        results = self.results()
        self.assertEqual(len(results), 2)
        self.assertEqual(self.records_of(results[1], "device_task"), 2)
        info = self.json("info", results[1])[0]
        self.assertEqual(sum(info["lost"].values()), 0, info["lost"])
        return "".join(path.read_text() for path in results[1].glob("logs/*"))

    def test_the_next_window_is_whole(self):
        self.assertIn("has disabled kernel", self.windows("leaves"))

    def test_the_next_window_takes_the_callbacks_back(self):
        self.windows("stays")


if __name__ == "__main__":
    unittest.main()
