# SPDX-License-Identifier: Apache-2.0
"""Libraries that a program loads after the session has begun, or while there is no session yet:
collectors that wait for them record from the program's next call of the loader or the session on,
in every kind of program."""

import shutil
import subprocess
import time
import unittest

import tap
from aclprof import HOME as ACLPROF_HOME, AclprofTest
from npu import AWAIT_KERNELS, NpuTest
from support import BUILD, PYTHON, StrobeTest, has_torch, needs_python

# Loads the test double of CANN as `import torch_npu` does, and plays kernels into MSPTI once it is
# loaded.
PLAY = AWAIT_KERNELS + """
import ctypes, os, time
home = os.environ["ASCEND_HOME_PATH"] + "/lib64/"
def load_cann():
    ctypes.CDLL(home + "libascendcl.so", mode=ctypes.RTLD_GLOBAL)
def play():
    for _ in range(5000):
        try:
            mspti = ctypes.CDLL(home + "libmspti.so", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
            break
        except OSError:
            time.sleep(0.01)
    else:
        raise SystemExit("npu_task was never opened")
    await_kernels(mspti)
    for i in range(5):
        line = b"kernel 0 3 %d KERNEL_AICORE mm %d 100" % (i + 1, i * 1000)
        assert mspti.mspti_double_play(line, ctypes.c_uint64(time.time_ns() - 10000000)) == 0
    time.sleep(0.1)
"""
AFTER_TORCH = PLAY + """
import torch
load_cann()
play()
"""
WITHOUT_TORCH = PLAY + """
load_cann()
play()
"""
PROFILE = PLAY + """
import torch
from strobe import profiler
config = profiler._ExperimentalConfig(profiler_level="Level1", aic_metrics="ACL_AICORE_NONE")
with profiler.profile(
    activities=[profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.NPU],
    on_trace_ready=profiler.tensorboard_trace_handler("out", analyse_flag=False),
    experimental_config=config,
    schedule=profiler.schedule(wait=0, warmup=0, active=2),
) as prof:
    load_cann()
    prof.step()
    play()
"""
PROGRAM = r"""
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static void *load(const char *name, int flags)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/lib64/%s", getenv("ASCEND_HOME_PATH"), name);
    return dlopen(path, flags);
}
int main(void)
{
    void *mspti = NULL;
    usleep(100000);
    if (!load("libascendcl.so", RTLD_NOW | RTLD_GLOBAL))
        return 1;
    for (int i = 0; i < 5000 && !mspti; i++) {
        usleep(10000);
        mspti = load("libmspti.so", RTLD_NOW | RTLD_NOLOAD);
    }
    if (!mspti)
        return 2;
    void *(*state)(void) = (void *(*)(void))dlsym(mspti, "mspti_double");
    for (int i = 0; i < 5000 && !(((volatile uint64_t *)state())[5] >> 2 & 1); i++)
        usleep(10000); /* MsptiDoubleState.enabled */
    usleep(300000);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t base = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec - 10000000u;
    int (*play)(const char *, uint64_t) = (int (*)(const char *, uint64_t))dlsym(mspti, "mspti_double_play");
    for (int i = 0; i < 5; i++) {
        char line[64];
        snprintf(line, sizeof line, "kernel 0 3 %d KERNEL_AICORE mm %d 100", i + 1, i * 1000);
        if (play(line, base) != 0)
            return 3;
    }
    usleep(100000);
    return 0;
}
"""
# As in torch_npu: importing it loads CANN, and using a device initialises CANN.
ACL = """
import ctypes, os, time
home = os.environ["ASCEND_HOME_PATH"] + "/lib64/"
acl = ctypes.CDLL(home + "libascendcl.so", mode=ctypes.RTLD_GLOBAL)
time.sleep(0.3)
acl.aclInit(None)
log = os.environ["ACLPROF_DOUBLE_LOG"]
for _ in range(5000): # npu_task asks again, every 20 ms
    if os.path.exists(log) and "start" in open(log).read():
        break
    time.sleep(0.01)
"""


class LateTest(NpuTest):
    def check(self, *command, collect=("npu_task",), flags=()):
        self.record(*command, collect=collect, flags=flags)
        self.assertEqual(self.records_of(self.result(), "device_task"), 5)

    @needs_python
    @unittest.skipUnless(has_torch(), "needs PyTorch")
    def test_after_torch(self):
        script = self.script("after.py", AFTER_TORCH)
        for others in tap.chosen(((), ("cpu_op",), ("cpu_op", "marker")), ((), ("cpu_op", "marker"))):
            with self.subTest(others=others):
                shutil.rmtree(self.out, ignore_errors=True)
                self.check(PYTHON, script, collect=("npu_task", *others))
                self.assertNotIn("was not loaded", self.log())

    @tap.once_test
    @needs_python
    def test_python_without_torch(self):
        self.check(PYTHON, self.script("without.py", WITHOUT_TORCH))

    @tap.once_test
    @needs_python
    def test_beside_a_collector_that_records_already(self):
        """MSPTI's clock has as many pairs as in a window that began with it."""
        script = self.script("without.py", WITHOUT_TORCH.replace("0.1)", "2.2)"))
        self.check(PYTHON, script, collect=("npu_task", "gc"))
        self.assertGreaterEqual(self.records_of(self.result(), "clock_sync"), 4)

    @needs_python
    @unittest.skipUnless(has_torch(), "needs PyTorch")
    def test_profile(self):
        environment = dict(self.environment, PYTHONPATH=str(BUILD / "python"))
        done = subprocess.run([PYTHON, self.script("profile.py", PROFILE)], env=environment,
                              cwd=self.work, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        result, = (self.work / "out").glob("*_ascend_pt")
        self.assertEqual(self.records_of(result, "device_task"), 5)

    def compiled(self):
        source = self.script("late.c", PROGRAM)
        program = self.work / "late"
        subprocess.run(["cc", "-o", program, source, "-ldl"], check=True)
        return program

    @tap.once_test
    @unittest.skipUnless(shutil.which("cc"), "needs a compiler")
    def test_native(self):
        program = self.compiled()
        for others in ((), ("marker",)):
            with self.subTest(others=others):
                shutil.rmtree(self.out, ignore_errors=True)
                self.check(program, collect=("npu_task", *others))

    @tap.once_test
    @unittest.skipUnless(shutil.which("cc"), "needs a compiler")
    def test_native_child(self):
        """The shell that starts the program has no reason to record, and does not claim the run."""
        self.check("sh", "-c", "%s; exit $?" % self.compiled())

    @tap.once_test
    @unittest.skipUnless(shutil.which("cc"), "needs a compiler")
    def test_no_thread_looks(self):
        program = self.work / "threads"
        source = self.script("threads.c", "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
                             "int main(void) { usleep(50000); return system(\"ls /proc/$PPID/task | "
                             "wc -l\"); }\n")
        subprocess.run(["cc", "-o", program, source], check=True)
        for collect, n in (("gc", "1"), ("npu_task", "1")):
            done = self.strobe("run", "-o", self.out, "--collect", collect, "--", program)
            self.assertEqual(done.stdout.split()[0], n, collect)


@tap.once_test
class LateAclprofTest(AclprofTest):
    @needs_python
    def test_initialised_late(self):
        """The collector is opened while the window is running, and tries again until AscendCL is
        initialised."""
        for other in ("gc", "marker"):
            with self.subTest(other=other):
                shutil.rmtree(self.out, ignore_errors=True)
                self.calls_file.unlink(missing_ok=True)
                self.record(PYTHON, self.script("acl.py", ACL),
                            collect=["npu_task:backend=aclprof", other])
                calls = self.calls_file.read_text().splitlines()
                self.assertIn("start same", calls)
                self.assertEqual(calls[-1], "finalize")
                self.assertNotIn("has not initialised AscendCL", self.log())


if __name__ == "__main__":
    unittest.main()
