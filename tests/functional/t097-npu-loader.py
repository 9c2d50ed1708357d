# SPDX-License-Identifier: Apache-2.0
"""npu_task finds the program's own CANN in the process and elsewhere, and torch_npu when it is
loaded late; and no window waits for a thread that is loading a library."""

import shutil
import subprocess
import unittest

from npu import NpuTest
import tap
from support import BUILD, PROGRAMS, PYTHON, TIMEOUT, needs_python

# Two windows with a pause; PAUSE is replaced by the code that runs in the pause.
SCRIPT = """
import ctypes, json, os, sys, threading, time
home, out = sys.argv[1] + "/lib64/", sys.argv[2]
ctypes.CDLL(home + "libascendcl.so", mode=ctypes.RTLD_GLOBAL)
from strobe import _strobe
session = _strobe.Session(json.dumps({
    "collectors": {"npu_task": {"activities": ["kernel"], "required": True}}, "exporters": {},
    "output": {"directory": out}, "schedule": {"wait": 1, "active": 1, "repeat": 2}}), "test")
session.start()
def window(end):
    mspti = ctypes.CDLL(home + "libmspti.so", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
    line = b"kernel 0 3 %d KERNEL_AICORE mm 1000 500" % time.monotonic_ns()
    assert mspti.mspti_double_play(line, ctypes.c_uint64(time.time_ns())) == 0
    time.sleep(.01)
    end()
session.step()
window(session.step)
PAUSE
begin = time.monotonic()
session.step()
print(time.monotonic() - begin)
window(session.stop)
session.close()
"""
# A thread loads a library whose constructor waits for a file, with the loader's lock held.
HOLDER = r"""
#include <dlfcn.h>
#include <pthread.h>
static void *load(void *path) { return dlopen(path, RTLD_NOW); }
int hold(char *path)
{
    pthread_t thread;
    return pthread_create(&thread, 0, load, path);
}
"""
HELD = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void wait_here(void)
{
    close(open(getenv("HELD_IN"), O_CREAT | O_WRONLY, 0600));
    for (int i = 0; i < 2000 && access(getenv("HELD_OUT"), F_OK) != 0; i++)
        usleep(10000);
}
"""
HOLD = """
held = ctypes.create_string_buffer(os.environ["HELD"].encode())
assert ctypes.CDLL(os.environ["HOLDER"]).hold(held) == 0
while not os.path.exists(os.environ["HELD_IN"]):
    time.sleep(.01)
release = threading.Timer(5, lambda: open(os.environ["HELD_OUT"], "w").close())
release.start()
"""


@needs_python
class LoaderTest(NpuTest):
    def run_script(self, pause="", **variables):
        home = self.environment["ASCEND_HOME_PATH"]
        environment = dict(self.environment, PYTHONPATH=str(BUILD / "python"),
                           STROBE_PLUGIN_PATH=str(BUILD / "plugins"), **variables)
        environment = {name: value for name, value in environment.items() if value is not None}
        script = self.script("script.py", SCRIPT.replace("PAUSE", pause))
        self.out.mkdir()
        done = subprocess.run([PYTHON, script, home, self.out], env=environment,
                              capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stderr)
        first, second = sorted(self.results())
        for result in first, second:
            self.assertEqual(self.records_of(result, "device_task"), 1)
        logs = ["".join(path.read_text() for path in result.glob("logs/*"))
                for result in (first, second)]
        return float(done.stdout), logs

    def test_cann_is_where_the_program_has_it(self):
        """No variable names CANN's folder, or the program sets the variable too late."""
        self.run_script(ASCEND_HOME_PATH=None, LD_LIBRARY_PATH=None)

    def test_torch_npu_comes_late(self):
        pause = 'ctypes.CDLL(os.environ["TORCH_NPU"])'
        _, (first, second) = self.run_script(
            pause, TORCH_NPU=str(PROGRAMS / "libtorch_npu.so"), TORCH_NPU_DOUBLE="runs")
        told = "This window may have no NPU tasks: the profiler of torch_npu runs"
        self.assertNotIn(told, first)
        self.assertIn(told, second)

    @unittest.skipUnless(shutil.which("cc"), "needs a compiler")
    @tap.long_test
    def test_no_window_waits_for_the_loader(self):
        """The thread that holds the loader's lock may wait for the session."""
        for name, text in (("holder", HOLDER), ("held", HELD)):
            source = self.script(name + ".c", text)
            subprocess.run(["cc", "-shared", "-fPIC", "-o", self.work / (name + ".so"), source],
                           check=True)
        took, _ = self.run_script(
            HOLD, HELD=str(self.work / "held.so"), HOLDER=str(self.work / "holder.so"),
            HELD_IN=str(self.work / "in"), HELD_OUT=str(self.work / "out.now"))
        self.assertLess(took, 4)


if __name__ == "__main__":
    unittest.main()
