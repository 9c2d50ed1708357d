# SPDX-License-Identifier: Apache-2.0
"""A program finds the same state of its own process as without Strobe: no additional thread,
descriptor or child."""

import json
import os
import subprocess
import unittest

from support import BUILD, PYTHON, StrobeTest, needs_python

N_CALLS = 2000

# Prints the state of its own process after it has recorded.
METADATA = """
import json, os, re, resource, signal, sys
children = []
signal.signal(signal.SIGCHLD, lambda number, frame: children.append(number))
def work(): pass
for _ in range(%d): work()
status = open("/proc/self/status").read()
keys = ("Sig|Shd|Cap|Seccomp|NoNewPrivs|Groups|Uid|Gid|Umask|Threads|Cpus_allowed|TracerPid")
facts = {line.split(":")[0]: line.split(":")[1].split() for line in status.splitlines()
         if re.match(keys, line)}
facts.pop("SigQ")
facts["descriptors"] = sorted(os.readlink("/proc/self/fd/" + name)
                              for name in os.listdir("/proc/self/fd")
                              if os.path.exists("/proc/self/fd/" + name))
facts["descriptors"] = [re.sub("[0-9]+", "N", name) for name in facts["descriptors"]]
facts["limits"] = [resource.getrlimit(k) for k in range(16)]
facts["folder"] = os.getcwd()
facts["group"] = os.getpgid(0) == os.getpgid(os.getppid())
facts["environment"] = sorted(name for name in os.environ if not name.startswith("STROBE_")
                              and name not in ("LD_PRELOAD", "PYTHONPATH"))
try:
    facts["child"] = os.waitpid(-1, 0)
except ChildProcessError:
    facts["child"] = None
facts["children"] = children
json.dump(facts, open(sys.argv[1], "w"))
""" % N_CALLS

CALLS = """
import ctypes, os, resource, sys
def work(): pass
def call(n=%d):
    for _ in range(n): work()
""" % N_CALLS


@needs_python
class LeftAloneTest(StrobeTest):
    def run_program(self, text, *flags):
        script = self.script("program.py", text)
        process = self.start("run", "-o", self.out, "--collect", "python_call", *flags, "--", PYTHON,
                             script, self.work / "facts.json")
        output, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, errors)
        return output

    def assertWhole(self, calls):
        """The capture is sealed by any process, nothing is lost, and nothing is left behind."""
        info = self.json("info", self.result())[0]
        self.assertTrue(info["sealed"], info)
        self.assertEqual(sum(info["lost"].values()), 0)
        rows = self.json("show", self.result(), "--table", "python_call", "--limit", "100000")[0]
        found = sum(row["name"].endswith("work") for row in rows["rows"])
        self.assertEqual(found, calls)
        self.assertNothingLeft()

    def test_metadata(self):
        self.run_program(METADATA)
        found = json.loads((self.work / "facts.json").read_text())
        script = self.work / "program.py"
        subprocess.run([PYTHON, script, self.work / "plain.json"], check=True, timeout=60,
                       stdin=subprocess.DEVNULL, capture_output=True, cwd=self.work,
                       env=self.environment)
        plain = json.loads((self.work / "plain.json").read_text())
        self.maxDiff = None
        # data that both programs got from the process that started them
        for metadata in found, plain:
            metadata["descriptors"] = [name for name in metadata["descriptors"]
                                    if not name.startswith(("pipe:", "/dev/null", "socket:"))]
        self.assertEqual(found, plain)

    def test_no_thread_waits_for_a_library(self):
        """The collectors' libraries are not loaded yet; the collectors are opened in calls of the
        program."""
        self.run_program(CALLS + """
call()
names = [open("/proc/self/task/%s/comm" % task).read() for task in os.listdir("/proc/self/task")]
open(sys.argv[1], "w").write("".join(names))
""", "--collect", "npu_task", "--collect", "opencl")
        names = (self.work / "facts.json").read_text().split()
        self.assertNotIn("strobe-watch", names)
        self.assertNotIn("strobe-look", names)

    def test_no_thread_waits_for_dumps(self):
        self.run_program(CALLS + """
import strobe
call()
assert strobe.dump()
names = [open("/proc/self/task/%s/comm" % task).read() for task in os.listdir("/proc/self/task")]
open(sys.argv[1], "w").write("".join(names))
""", "--buffer", "policy=ring,size=8MB")
        self.assertNotIn("strobe-dump", (self.work / "facts.json").read_text().split())

    def test_descriptors_are_closed(self):
        """The program can use all descriptor numbers, and its writes reach only its own files."""
        self.run_program(CALLS + """
call()
os.closerange(3, 1024)
files = [open("own-%d" % k, "w") for k in range(8)]
call()
for file in files:
    file.write("mine")
    file.close()
""")
        for k in range(8):
            self.assertEqual((self.work / ("own-%d" % k)).read_text(), "mine")
        self.assertWhole(2 * N_CALLS)

    def test_few_descriptors(self):
        self.run_program(CALLS + """
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
held = []
try:
    while True:
        held.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
call()
for descriptor in held:
    os.close(descriptor)
""")
        self.assertWhole(N_CALLS)

    @unittest.skipUnless(os.geteuid() == 0, "changes ids")
    def test_keeps_capabilities_and_changes_ids(self):
        """glibc changes the ids of every thread, and ends a program if a thread has other
        capabilities."""
        os.chmod(self.work, 0o777)
        self.run_program(CALLS + """
libc = ctypes.CDLL(None, use_errno=True)
call()
assert libc.prctl(8, 1, 0, 0, 0) == 0 # PR_SET_KEEPCAPS
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
call()
os._exit(0)
""")
        self.assertWhole(2 * N_CALLS)

    def test_new_user_namespace(self):
        """The kernel refuses this to a process that has threads."""
        self.run_program(CALLS + """
libc = ctypes.CDLL(None, use_errno=True)
call()
if libc.unshare(0x10000000) != 0: # CLONE_NEWUSER
    assert ctypes.get_errno() == 1, ctypes.get_errno() # EPERM: not on this machine
call()
""")
        self.assertWhole(2 * N_CALLS)

    def test_pipe_ends_with_the_program(self):
        """Strobe's writer does not keep any of the program's pipes open."""
        script = self.script("own.py", """
import os
from strobe import profiler
profiler.profile().start()
os.write(1, b"out")
os._exit(0)
""")
        environment = dict(self.environment, PYTHONPATH=str(BUILD / "python"))
        done = subprocess.run([PYTHON, script], capture_output=True, cwd=self.work, timeout=60,
                              env=environment, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, b"out"), done.stderr)


# Runs for some time after its actions, longer on a busy machine; it lists its threads at the end.
SAMPLED = """
import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def run(seconds=0.4):
    end, used = time.time() + seconds, time.process_time()
    while time.time() < end or time.process_time() - used < seconds / 2:
        sum(range(1000))
def tell():
    names = [open("/proc/self/task/%s/comm" % task).read().strip()
             for task in os.listdir("/proc/self/task")]
    print(" ".join(sorted(names)), flush=True)
run()
tell()
"""


@needs_python
class SampledTest(StrobeTest):
    """Collectors that sample run in another process."""

    def sample(self, text, *flags, code=0):
        script = self.script("program.py", SAMPLED + text)
        process = self.start("run", "-o", self.out, "--collect", "host_sys:interval=10ms,"
                             "items=cpu+mem+disk+network", "--collect", "sys_io:interval=10ms",
                             *flags, "--", PYTHON, script)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, errors)
        return output, errors

    def rows(self, table):
        return self.json("show", self.result(), "--table", table, "--limit", "100000")[0]["rows"]

    def assertSampled(self, begin=0.0, end=1.0):
        """Each collector has rows in this part of the window, and the record about sampling."""
        info = self.json("info", self.result())[0]
        self.assertTrue(info["sealed"], info)
        self.assertEqual(sum(info["lost"].values()), 0, info)
        self.assertEqual({row["name"] for row in self.rows("sampling")}, {"host_sys", "sys_io"})
        length = info["end_ns"] - info["begin_ns"]
        self.assertTrue(all(track["pid"] == info["metadata"]["pid"] for track in info["tracks"]))
        for table in "host_cpu", "host_thread", "host_mem", "host_disk", "host_net", "nic":
            places = [(row["begin"] - info["begin_ns"]) / length for row in self.rows(table)]
            inside = [place for place in places if begin <= place <= end]
            self.assertGreater(len(inside), 0, (table, places))
        self.assertNothingLeft()

    def test_no_thread(self):
        output, _ = self.sample("")
        self.assertEqual(output.split(), [os.path.basename(PYTHON)[:15]])
        self.assertSampled()
        threads = {row["name"] for row in self.rows("host_thread")}
        self.assertEqual(threads, {output.strip()}) # threads of the program, not of the writer

    @unittest.skipUnless(os.geteuid() == 0, "changes ids")
    def test_other_user(self):
        os.chmod(self.work, 0o777)
        self.sample("""
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
run()
""")
        self.assertSampled(0.7)

    @unittest.skipUnless(os.geteuid() == 0, "makes namespaces")
    def test_other_namespaces(self):
        output, _ = self.sample("""
print(libc.unshare(0x20000000 | 0x00020000)) # CLONE_NEWPID, CLONE_NEWNS
run()
""")
        if output.split()[-1] != "0":
            self.skipTest("no namespaces here")
        self.assertSampled(0.7)

    def test_killed(self):
        self.sample("os.kill(os.getpid(), 9)", code=-9)
        self.assertSampled(0.3)

    def test_failure_is_told(self):
        """The failure appears in the program's messages, its log and the capture."""
        _, errors = self.sample("", "--collect", "interconnect:sys_root=%s" % self.work)
        reason = "interconnect: open failed"
        self.assertIn(reason, errors)
        logs = list(self.result().glob("logs/*_Strobe.log"))
        self.assertIn(reason, logs[0].read_text())
        self.assertIn(reason, " ".join(row["text"] for row in self.rows("diagnostic")))
        self.assertSampled()

    def test_required(self):
        config = self.work / "config.json"
        config.write_text(json.dumps({"collectors": {"interconnect": {
            "sys_root": str(self.work), "required": True}}}))
        _, errors = self.sample("", "--config", config)
        self.assertIn("A required collector: collector interconnect: open failed", errors)


if __name__ == "__main__":
    unittest.main()
