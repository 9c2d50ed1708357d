# SPDX-License-Identifier: Apache-2.0
"""Common functions of the tests of the command: separate folders, a clean environment,
processes."""

import signal
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("STROBE_BUILD") or TOP / "build").resolve()
STROBE = str(BUILD / "tools" / "strobe")
PROGRAMS = BUILD / "tests" / "functional"
# The interpreter of the profiled programs; tests/with-torch2.py sets another one.
SYSTEM_PYTHON = "/usr/bin/python3"
PYTHON = os.environ.get("STROBE_TEST_PYTHON", SYSTEM_PYTHON)
SCHEDULE = "wait=1,warmup=1,active=2,repeat=1"
# The libraries of the sanitizers with which Strobe was built. Programs that were built without the
# sanitizers must load these libraries first.
SANITIZERS = os.environ.get("STROBE_TEST_SANITIZERS", "").split()
without_sanitizer = unittest.skipIf(SANITIZERS, "a sanitizer has memory, calls and libraries of its own")
TIMEOUT = float(os.environ.get("STROBE_TEST_TIMEOUT", "60"))
# The virtual environment with PyTorch 2.x and the programs that read Strobe's files.
VENV = pathlib.Path(os.environ.get("STROBE_TEST_VENV") or BUILD / "venv-torch")
VENV_PYTHON = str(VENV / "bin" / "python")
# The Python files of torch_npu, see tests/make-torch-npu.py.
TORCH_NPU = BUILD / "torch-npu" / "torch_npu"
# Real results to compare with, which are not committed: STROBE_DATA or ../shared/data.
DATA = pathlib.Path(os.environ.get("STROBE_DATA") or TOP.parent / "shared" / "data")

sys.path.append(str(TOP / "plugins" / "fixture"))
import torch_library  # noqa: E402

# The end of the name of an analysis log. The name begins with the time and a process id.
ANALYSIS_LOG = "_Analyse.log"

# Columns of `strobe show --json` that count from base_ns.
INSTANTS = {"begin", "end", "to_begin", "host_begin", "release_time", "active_release_time"}


needs_symbols = unittest.skipUnless(
    (BUILD / "core" / "strobe-symbols").exists(), "built without libdw"
)
# In a container (a pid namespace other than the machine's first) the pool lies in the output folder.
needs_pool_in_memory = unittest.skipUnless(
    os.stat("/proc/self/ns/pid").st_ino == 0xEFFFFFFC, "the pool lies in the output folder here"
)
needs_python = unittest.skipUnless(
    (BUILD / "python" / "strobe").is_dir(), "built without the Python package"
)


def needs_torch2(test):
    """Skips a test if the virtual environment is missing; fails if STROBE_REQUIRE names torch2."""
    if "torch2" in os.environ.get("STROBE_REQUIRE", "").split(","):
        return test
    return unittest.skipUnless(os.access(VENV_PYTHON, os.X_OK), "no %s" % VENV_PYTHON)(test)


def needs_torch_npu(test):
    """Skips a test without torch_npu's files; fails where STROBE_REQUIRE names torch2."""
    if "torch2" in os.environ.get("STROBE_REQUIRE", "").split(","):
        return test
    return unittest.skipUnless(TORCH_NPU.is_dir(), "no %s" % TORCH_NPU)(test)


def program(name):
    """The path of a program that meson built for these tests."""
    return str(PROGRAMS / name)


def bad_plugin(name):
    """The path of a plugin with one fault; see tests/plugins-bad."""
    return str(BUILD / "tests" / "plugins-bad" / (name + ".so"))


def find_account():
    """The test double of a device's allocator for the PyTorch of PYTHON."""
    return pathlib.Path(torch_library.find_account(BUILD / "plugins"))


def find_torch_device():
    """A library that runs PyTorch's operators on an OpenCL device, for the PyTorch of PYTHON."""
    source = TOP / "tests" / "functional" / "opencl" / "torch-device.cpp"
    return torch_library.find_library(program("torch-device.so"), source, PROGRAMS, "-lOpenCL")


def find_group_double():
    """A process group of any backend, for the PyTorch of PYTHON."""
    source = TOP / "tests" / "functional" / "group-double.cpp"
    return torch_library.find_library(program("group-double.so"), source, PROGRAMS)


def has_torch():
    return subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode == 0


class StrobeTest(unittest.TestCase):
    """Each test works in a separate folder, which is also its home and its current folder."""

    maxDiff = None

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="strobe-test-"))
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        self.out = self.work / "out"
        self.runtime = self.work / "runtime"
        self.runtime.mkdir(mode=0o700)
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("STROBE_", "PYTHON", "LD_"))
            and name not in ("RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID")
        }
        self.environment.update(
            HOME=str(self.work), XDG_RUNTIME_DIR=str(self.runtime), LC_ALL="C.UTF-8"
        )
        self.command = STROBE
        self.preload()

    def use_writer(self, program, **environment):
        """From now on `strobe run` starts this program as its writer, with these variables."""
        tree = self.work / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        for name in "", "core", "tools":  # a copy of the build folder, except for two files
            (tree / name).mkdir()
            for path in (BUILD / name).iterdir():
                if path.name not in ("core", "tools", "strobe", "strobe-writer"):
                    (tree / name / path.name).symlink_to(path)
        self.command = shutil.copy(STROBE, tree / "tools" / "strobe")
        values = ["%s=%s" % item for item in environment.items()]
        writer = tree / "core" / "strobe-writer"
        writer.write_text("#!/bin/sh\nexec env %s \"$@\"\n" % shlex.join([*values, str(program)]))
        writer.chmod(0o755)

    def preload(self, *libraries):
        """From now on LD_PRELOAD names only these libraries."""
        self.environment.pop("LD_PRELOAD", None)
        names = [*SANITIZERS, *map(str, libraries)]
        if names:
            self.environment["LD_PRELOAD"] = " ".join(names)

    # ---- processes ----

    @staticmethod
    def without_defaults(words):
        """If a test names collectors, only these run."""
        words = list(map(str, words))
        flags = words[:words.index("--")] if "--" in words else words
        if words[:1] == ["run"] and {"--collect", "-c"} & set(flags):
            words.insert(1, "--no-default-collectors")
        return words

    def start(self, *words, **options):
        options.setdefault("cwd", self.work)
        options.setdefault("env", self.environment)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        options.setdefault("stdin", subprocess.DEVNULL)
        process = subprocess.Popen([self.command, *self.without_defaults(words)], text=True, **options)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        """Ends a process. Processes that it has started may still hold its output open."""
        if process.poll() is None:
            process.kill()
        try:
            return process.communicate(timeout=10)
        except subprocess.TimeoutExpired as error:
            return error.stdout or "", error.stderr or ""

    def strobe(self, *words, code=0, **options):
        """Runs strobe to its end and checks its exit code. A negative code means the signal that
        ended it."""
        given, timeout = options.pop("input", None), options.pop("timeout", TIMEOUT)
        if given is not None:
            options["stdin"] = subprocess.PIPE
        process = self.start(*words, **options)
        try:
            output, errors = process.communicate(given, timeout=timeout)
        except subprocess.TimeoutExpired:
            _, errors = self.end(process)
            self.fail("%s takes more than %g s\n%s" % (words, timeout, errors))
        self.assertEqual(
            process.returncode, code, "strobe %s\n%s\n%s" % (" ".join(map(str, words)), output, errors)
        )
        return subprocess.CompletedProcess(words, process.returncode, output, errors)

    def json(self, *words, **options):
        """The output of a subcommand with --json. Times of records are converted to times since the
        epoch, as in files."""
        found = json.loads(self.strobe(*words, "--json", **options).stdout)
        for table in found if words[0] == "show" else ():
            for row in table.get("rows", ()):
                for name in INSTANTS & row.keys():
                    if isinstance(row[name], int):
                        row[name] += int(table["base_ns"])
        return found

    # ---- recordings ----

    def record(self, *command, collect=("fake:threads=0,records=100",), flags=(), **options):
        """Runs `strobe run` with self.out as output. Returns the completed process."""
        words = ["run", "-o", self.out]
        for text in collect:
            words += ["--collect", text]
        return self.strobe(*words, *flags, "--", *(command or ("true",)), **options)

    def results(self):
        return sorted(self.out.glob("*_ascend_pt")) if self.out.exists() else []

    def result(self):
        """The only result directory."""
        results = self.results()
        self.assertEqual(len(results), 1, results)
        return results[0]

    def records_of(self, path, kind):
        """The number of records of a kind in the capture."""
        return self.json("info", path)[0]["kinds"].get(kind, 0)

    def records_so_far(self, kind):
        """The number of records so far while the recording continues; 0 while the capture does not
        exist yet."""
        process = self.start("info", self.out, "--json")
        output, _ = process.communicate(timeout=TIMEOUT)
        return json.loads(output)[0]["kinds"].get(kind, 0) if process.returncode == 0 else 0

    def command_of(self, result):
        """The command of the recorded process."""
        return self.json("info", result)[0]["metadata"]["command"]

    # ---- waiting ----

    def writer_of(self, pid):
        """The process that writes the records of the program with this process id; None if there is
        none."""
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if os.path.basename(words[0]) == b"strobe-writer" and b"/strobe-%d-" % pid in words[1]:
                return int(folder.name)
        return None

    def pools_of(self, pid):
        """The pools that a live process maps. A file's name alone would not do: process ids repeat,
        and tests that kill programs leave pools."""
        with open("/proc/%d/maps" % pid, encoding="utf-8") as maps:
            return sorted({pathlib.Path(line.split(None, 5)[5].rstrip("\n")) for line in maps
                           if "/strobe-%d-" % pid in line})

    def kill_writer(self, pid):
        """Kills the writer, so that only an analysis finishes the capture of this program."""
        writer = self.writer_of(pid)
        os.kill(writer, signal.SIGKILL)
        self.wait_until(lambda: self.writer_of(pid) is None, "the end of the writer")

    def wait_until(self, condition, what, process=None):
        """Waits until the condition holds. Fails at once if the process ends before."""
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            is_over = process is not None and process.poll() is not None
            value = condition()
            if value:
                return value
            if is_over:
                self.fail("ended before %s: %s" % (what, process.communicate()[1]))
            time.sleep(0.01)
        self.fail("waited in vain for %s" % what)

    def stop_when(self, process, condition):
        """Stops a process at a moment at which the condition holds, so that the moment lasts until SIGCONT. Returns
        false if the process has ended well: this test may have been preempted during the moment."""
        while process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            if process.poll() is None and condition():
                return True
            process.send_signal(signal.SIGCONT)
            time.sleep(0.001)
        self.assertEqual(process.returncode, 0, process.communicate()[1])
        return False

    def wait_for_file(self, path, process=None):
        self.wait_until(path.exists, path, process)
        return path

    def assertNothingLeft(self):
        """No private folder of a run is left behind."""
        self.assertEqual(list(self.runtime.iterdir()), [])

    def script(self, name, text):
        """Writes a file into the test's folder."""
        path = self.work / name
        path.write_text(text)
        return path
