# SPDX-License-Identifier: Apache-2.0
"""Under `strobe run` the writer is a process that `strobe` starts, also if the program cannot start
processes."""

import os
import signal
import subprocess
import unittest

from support import PYTHON, StrobeTest, needs_pool_in_memory, needs_python, program

N_CALLS = 2000
NOBODY = 65534

CALLS = """
import os, signal, sys, time
def work(): pass
def call(n=%d):
    for _ in range(n): work()
def await_file(name):
    while not os.path.exists(name): time.sleep(0.01)
""" % N_CALLS

# Exits with 1 if it has a child.
CHILDLESS = CALLS + """
call()
try:
    print(os.waitpid(-1, os.WNOHANG | 0x40000000)) # __WALL
    os._exit(1)
except ChildProcessError:
    pass
"""

# Executes the program, and has no part in the run itself.
SUBREAPER = "import ctypes, os, sys; ctypes.CDLL(None).prctl(36, 1, 0, 0, 0); os.execv(sys.argv[1], sys.argv[1:])"
# If memory is too small for the pool, the pool is a file next to the capture.
LITTLE_MEMORY = "mount -t tmpfs -o size=64k tmpfs /dev/shm && exec \"$@\""
OWN_MEMORY = "mount -t tmpfs -o size=512m tmpfs /dev/shm && exec \"$@\""


def is_allowed(*words):
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


needs_namespaces = unittest.skipUnless(
    is_allowed("unshare", "--pid", "--fork", "--mount", "--mount-proc", "true"), "no namespaces here")


@needs_python
class RunWriterTest(StrobeTest):
    def start_program(self, text, *launcher, flags=(), **options):
        script = self.script("program.py", text)
        return self.start("run", "-o", self.out, "--collect", "python_call", *flags, "--", *launcher,
                          PYTHON, script, **options)

    def run_program(self, text, *launcher, **options):
        process = self.start_program(text, *launcher, **options)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, output + errors)

    def check(self, result, calls, writer="process"):
        info = self.json("info", result)[0]
        self.assertEqual(info["metadata"]["writer"], writer)
        self.assertTrue(info["sealed"], info)
        self.assertEqual(sum(info["lost"].values()), 0)
        rows = self.json("show", result, "--table", "python_call", "--limit", "100000")[0]["rows"]
        self.assertEqual(sum(row["name"].endswith("work") for row in rows), calls)
        return info

    def assertWhole(self, calls, writer="process"):
        info = self.check(self.result(), calls, writer)
        self.assertFalse(os.path.exists(info["metadata"]["pool"]))
        self.assertNothingLeft()
        return info

    def ready(self, process):
        """The process id of the program, when it has recorded."""
        path = self.work / "ready"
        self.wait_until(lambda: path.exists() and path.read_text(), path, process)
        return int(path.read_text())

    def test_plain(self):
        self.run_program(CHILDLESS)
        self.assertWhole(N_CALLS)

    def test_subreaper(self):
        self.run_program(CHILDLESS, PYTHON, "-I", "-c", SUBREAPER)
        self.assertWhole(N_CALLS)

    def test_seccomp(self):
        self.run_program(CHILDLESS + """
try:
    os.fork()
    os._exit(1)
except PermissionError:
    pass
""", program("without-processes"))
        self.assertWhole(N_CALLS)

    @unittest.skipUnless(os.geteuid() == 0, "changes ids")
    def test_no_more_processes(self):
        for folder in self.work, self.runtime:
            os.chown(folder, NOBODY, NOBODY)
        os.chmod(self.work, 0o755)
        text = CHILDLESS + """
try:
    os.fork()
    os._exit(1)
except BlockingIOError:
    pass
"""
        try:
            self.run_program(text, "prlimit", "--nproc=0", user=NOBODY, group=NOBODY, extra_groups=[])
        except PermissionError:
            self.skipTest("another user cannot run strobe here")
        self.assertWhole(N_CALLS)

    @needs_namespaces
    def test_first_process(self):
        for number, flags in enumerate(((), ("--mount", "--mount-proc"))):
            with self.subTest(flags=flags):
                self.out = self.work / ("out-%d" % number)
                self.run_program(CHILDLESS + "assert os.getpid() == 1\n", "unshare", "--pid", "--fork", *flags)
                self.assertWhole(N_CALLS)

    @needs_namespaces
    def test_first_process_killed(self):
        """Its writer notices the end from outside, also if the pool is not a file in memory."""
        self.start_program(CALLS + """
call()
open("ready", "w").write(os.readlink("/proc/self"))
time.sleep(600)
""", "unshare", "--pid", "--fork", "--mount", "sh", "-c", LITTLE_MEMORY, "sh")
        os.kill(self.ready(None), signal.SIGKILL)
        self.wait_until(lambda: self.json("info", self.out)[0]["sealed"], "the seal")
        self.check(self.result(), N_CALLS)
        self.assertFalse(self.json("info", self.out)[0]["metadata"]["pool"].startswith("/dev/shm"))

    @needs_namespaces
    @needs_pool_in_memory
    def test_pool_out_of_reach(self):
        """`strobe` cannot open the pool, and neither can its writer, which ends; `strobe` notes
        that, and the program starts a writer itself, without waiting for the other one."""
        self.run_program(CHILDLESS + """
begun_with = dict(word.split("=", 1) for word in open("/proc/self/environ").read().split("\\0") if word)
assert any(name.startswith("refused.") for name in os.listdir(begun_with["STROBE_RUN_DIR"]))
""", "unshare", "--mount", "sh", "-c", OWN_MEMORY, "sh")
        self.assertWhole(N_CALLS)

    def test_daemon(self):
        """The daemon outlives `strobe run`, and so does its writer."""
        text = CALLS + """
call()
open("new", "w").write(str(os.getpid()))
os.rename("new", "ready")
await_file("go")
call()
"""
        script = self.script("program.py", text)
        process = self.start("run", "-o", self.out, "--collect", "python_call", "--", "sh", "-c",
                             '"$@" < /dev/null > /dev/null 2>&1 & while ! [ -e ready ]; do sleep 0.01; done',
                             "sh", PYTHON, script)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        pid = self.ready(None)
        self.assertIsNotNone(self.writer_of(pid))
        (self.work / "go").touch()
        self.wait_until(lambda: self.writer_of(pid) is None, "the end of the writer")
        self.assertWhole(2 * N_CALLS)

    def test_run_killed(self):
        """The program continues, and programs that it starts later have separate writers."""
        process = self.start_program(CALLS + """
call()
if len(sys.argv) > 1:
    sys.exit()
open("new", "w").write(str(os.getpid()))
os.rename("new", "ready")
await_file("go")
call()
import subprocess
subprocess.run([sys.executable, sys.argv[0], "child"], check=True)
""", flags=["--follow"])
        pid = self.ready(process)
        writer = self.writer_of(pid)
        process.kill()
        process.wait()
        self.assertEqual(self.writer_of(pid), writer)
        (self.work / "go").touch()
        self.wait_until(lambda: not os.path.exists("/proc/%d" % pid), "the end of the program")
        results = self.results()
        self.assertEqual(len(results), 2)
        for result in results:
            self.wait_until(lambda: self.json("info", result)[0]["sealed"], "the seal")
            self.check(result, N_CALLS * (2 if "_%d_" % pid in result.name else 1))

    def test_interrupted(self):
        """Ctrl-C reaches the whole process group; the writer belongs to no such group."""
        process = self.start_program(CALLS + """
call()
try:
    open("new", "w").write(str(os.getpid()))
    os.rename("new", "ready")
    time.sleep(600)
except KeyboardInterrupt:
    call()
""", start_new_session=True)
        pid = self.ready(process)
        writer = self.writer_of(pid)
        self.assertEqual(os.getsid(writer), writer)
        for number in signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP:
            os.kill(writer, number)
        os.killpg(process.pid, signal.SIGINT)
        errors = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 0, errors)
        self.assertFalse(self.assertWhole(2 * N_CALLS)["recovered"])

    def test_follow(self):
        """Each recorded process has a writer; writers that have ended are no zombies."""
        self.run_program(CALLS + """
import subprocess
call()
if len(sys.argv) == 1:
    for _ in range(3):
        subprocess.run([sys.executable, sys.argv[0], "child"], check=True)
    run = os.getppid()
    while len(open("/proc/%d/task/%d/children" % (run, run)).read().split()) != 2: # and its writer
        time.sleep(0.01)
""", flags=["--follow"])
        self.assertEqual(len(self.results()), 4)
        for result in self.results():
            self.check(result, N_CALLS)
        self.assertNothingLeft()


if __name__ == "__main__":
    unittest.main()
