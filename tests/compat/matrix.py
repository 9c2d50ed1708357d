# SPDX-License-Identifier: Apache-2.0
"""Runs a program without Strobe and with each set of collectors, and compares the results."""

import ctypes
import dataclasses
import json
import os
import re
import shutil
import signal
import subprocess
import time

from support import BUILD, PYTHON, STROBE, TIMEOUT, StrobeTest

PROGRAM = str(BUILD / "tests" / "compat" / "compat-program")
IS_LONG = bool(os.environ.get("STROBE_TEST_LONG"))

HOST = "host_sys:interval=10ms,items=cpu+mem+disk+network+pressure+throttle"
FAKE = "fake:threads=0,records=100"
# The collectors of `strobe run`, by the name of the set.
SETS = {
    "marks": [FAKE],
    "default": [],
    "host": [HOST, "osrt"],
    "heap": ["heap"],
    "python": ["python_call", "gc"],
    "all": [FAKE, HOST, "osrt", "heap:stacks=true,sampling=4KB", "python_call", "gc", "cpu_op", "memory", "metadata",
            "marker", "opencl", "sys_io"],
}
# The collectors of a session that the program opens itself.
OWN_SETS = {
    "own-marks": {"fake": {"threads": 0, "records": 100}},
    "own-host": {"host_sys": {"interval": "10ms"}},
}
NATIVE = ("marks", "default", "host", "heap", "all", "own-marks", "own-host")
ANY = ("marks", "host", "heap", "all")
SCRIPT = ("marks", "default", "host", "heap", "python", "all", "own-profile")


@dataclasses.dataclass
class Case:
    """A command that is run once without Strobe and once with each set of collectors."""

    command: list
    sets: tuple = ANY
    marks: int = None  # number of marks in its captures; None: any number
    calls: int = None  # number of calls of work() in its captures, if Python's calls are recorded
    environment: dict = dataclasses.field(default_factory=dict)
    quick: tuple = ()  # the sets that the suite quick runs
    skip: str = None  # the reason why it cannot run here
    is_recorded: bool = True  # None: a capture is possible, but not required
    says: str = None  # a pattern that Strobe's messages must match
    unstable: str = None  # a pattern for output that differs from run to run


def native(name, *words, marks=1000, quick=("marks",), sets=NATIVE, **options):
    """A case of compat-program."""
    return Case([PROGRAM, name, *words], sets, marks, quick=quick, **options)


def is_root():
    return os.geteuid() == 0


NEEDS_ROOT = None if is_root() else "needs root"


def can_unshare(*flags):
    """None if `unshare` is allowed here; otherwise the reason why not."""
    done = subprocess.run(["unshare", *flags, "true"], capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else "no namespace: %s" % done.stderr.strip()


def needs_programs(*names):
    """None if all programs are installed; otherwise the names of the missing ones."""
    missing = [name for name in names if not shutil.which(name)]
    return "not installed: %s" % ", ".join(missing) if missing else None


# ---- the process of the tests ----

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWNS = 0x20000
MS_REC_PRIVATE = 1 << 14 | 1 << 18


def adopt_orphans():
    """Processes that lose their parent become children of this process."""
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def own_shared_memory():
    """Mounts a separate /dev/shm for this process, so that everything in it comes from its tests.
    Needs root."""
    return (
        LIBC.unshare(CLONE_NEWNS) == 0
        and LIBC.mount(None, b"/", None, MS_REC_PRIVATE, None) == 0
        and LIBC.mount(b"tmpfs", b"/dev/shm", b"tmpfs", 0, None) == 0
    )


adopt_orphans()
HAS_OWN_SHARED_MEMORY = is_root() and own_shared_memory()


@dataclasses.dataclass
class Outcome:
    """The visible results of a program."""

    stdout: str
    stderr: str
    code: int
    files: list


def without_strobe(text):
    """The part of stderr that the program itself has written."""
    return "".join(line for line in text.splitlines(True)
                   if not re.match(r"strobe\b|\[[^]]*\] \[[A-Z]+\] \[\d+\] profiler\.py: ", line))


class MatrixTest(StrobeTest):
    """Subclasses have a table of cases by name; see add_cases()."""

    def setUp(self):
        super().setUp()
        self.work.chmod(0o755)
        self.environment["PYTHONPATH"] = str(BUILD / "python")
        self.place = self.work / "place"
        self.n_runs = 0

    # ---- running ----

    def run_command(self, command, environment):
        """Runs the command in an empty folder, which always has the same name."""
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()
        self.place.chmod(0o777)
        process = subprocess.Popen(
            command, cwd=self.place, env=environment, stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        try:
            output, errors = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            self.end_all(process)
            self.fail("%s takes more than %g s" % (command, TIMEOUT))
        self.assertNothingRuns(command)
        files = sorted(str(path.relative_to(self.place)) for path in self.place.rglob("*"))
        return Outcome(output, errors, process.returncode, files)

    def end_all(self, process):
        """Ends the descendants, which may hold the program's output open; they become children of
        this process."""
        process.kill()
        process.wait()
        for pid in self.descendants():
            os.kill(pid, signal.SIGKILL)
        process.communicate()

    @staticmethod
    def descendants():
        found = set()
        parents = {}
        for name in os.listdir("/proc"):
            try:
                with open("/proc/%s/stat" % int(name), encoding="utf-8", errors="replace") as file:
                    parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
            except (ValueError, OSError):
                continue
        for pid in parents:
            at = pid
            while at in parents and at != os.getpid():
                at = parents[at]
            if at == os.getpid() and pid != at:
                found.add(pid)
        return found

    def make_output_folder(self):
        self.n_runs += 1
        self.out = self.work / ("out-%d" % self.n_runs)
        self.out.mkdir()
        self.out.chmod(0o777)

    def run_words(self, name):
        """The words of `strobe run` with a set of collectors, before the command."""
        words = [STROBE, "run", "-o", str(self.out), "--export", "chrome_trace"]
        if SETS[name]:
            words.append("--no-default-collectors")
        for text in SETS[name]:
            words += ["--collect", text]
        return [*words, "--"]

    def run_profiled(self, case, name):
        """Runs the command with a set of collectors, under `strobe run` or in a session of the
        program's own."""
        self.make_output_folder()
        environment = dict(self.environment, **case.environment)
        if name == "own-profile":
            environment["COMPAT_PROFILE"] = str(self.out)
            return self.run_command(case.command, environment)
        if name in OWN_SETS:
            config = {"collectors": OWN_SETS[name], "output": {"directory": str(self.out)}}
            environment["COMPAT_SESSION"] = json.dumps(config)
            return self.run_command(case.command, environment)
        return self.run_command([*self.run_words(name), *case.command], environment)

    # ---- checks ----

    def assertNothingRuns(self, command):
        """This process has no descendants left; waits for those that are about to end."""
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    time.sleep(0.01)
            except ChildProcessError:
                return
        left = self.descendants()
        names = [open("/proc/%d/cmdline" % pid, encoding="utf-8").read() for pid in left]
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        self.fail("%s leaves processes behind: %s" % (command, names))

    def assertNoPool(self):
        if HAS_OWN_SHARED_MEMORY:
            left = os.listdir("/dev/shm")
            for name in left:
                os.unlink("/dev/shm/" + name)
            self.assertEqual(left, [])

    def assertCaptures(self, case):
        """Each capture is sealed, and accounts for every offered record."""
        if case.is_recorded is not None:
            self.assertEqual(bool(self.results()), case.is_recorded)
        n_marks = 0
        for result in self.results():
            info = self.json("info", result)[0]
            self.assertTrue(info["sealed"], info)
            self.assertEqual(info["offered"], info["stored"] + sum(info["lost"].values()), info)
            self.assertEqual(info["damaged"], 0)
            n_marks += info["kinds"].get("marker_instant", 0)
            if case.calls is not None and "python_call" in info["kinds"]:
                self.assertEqual(self.count_calls(result), case.calls)
        if case.marks is not None:
            self.assertEqual(n_marks, case.marks)

    def count_calls(self, result):
        rows = self.json("show", result, "--table", "python_call", "--limit", "100000")[0]["rows"]
        return sum(row["name"].endswith(" work") or row["name"].endswith(": work") for row in rows)

    def assertSame(self, plain, profiled, unstable):
        def stable(text):
            return re.sub(unstable, "", text) if unstable else text

        self.assertEqual(stable(profiled.stdout), stable(plain.stdout), profiled.stderr)
        self.assertEqual(stable(without_strobe(profiled.stderr)), stable(plain.stderr))
        self.assertEqual(profiled.code, plain.code, profiled.stderr)
        self.assertEqual(profiled.files, plain.files)

    def compare(self, case, name, plain):
        profiled = self.run_profiled(case, name)
        self.assertSame(plain, profiled, case.unstable)
        if case.says:
            self.assertRegex(profiled.stderr, case.says)
        self.assertCaptures(case)
        self.assertNoPool()
        self.assertNothingLeft()

    def run_case(self, case):
        if case.skip:
            self.skipTest(case.skip)
        sets = case.sets if IS_LONG else case.quick
        if not sets:
            self.skipTest("runs in the suite long")
        plain = self.run_command(case.command, dict(self.environment, **case.environment))
        for name in sets:
            with self.subTest(collectors=name):
                self.compare(case, name, plain)


def add_cases(test, cases):
    """Adds a test method for each case."""
    for name, case in cases.items():
        def method(self, case=case):
            self.run_case(case)

        setattr(test, "test_" + re.sub(r"\W", "_", name), method)
