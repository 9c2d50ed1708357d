# SPDX-License-Identifier: Apache-2.0
"""The bridge to PyTorch that Strobe builds by itself: when it is built, where it is stored, and
that the build disturbs nothing.

Instead of PyTorch there is a package with a small library of the same name, and instead of the
compiler a script that copies a library.
"""

import os
import re
import shutil
import signal
import subprocess
import unittest

from support import BUILD, PYTHON, StrobeTest, needs_python

TORCH = """
import ctypes, os
ctypes.CDLL(os.path.join(os.path.dirname(__file__), "lib", "libtorch_cpu.so"))
"""

# Logs its call; if there is a file "hold", waits for the file "go"; makes its output.
COMPILER = """#!/bin/sh
echo call >>"$STROBE_TEST_WORK/calls"
echo "$@" >"$STROBE_TEST_WORK/words"
while [ -e "$STROBE_TEST_WORK/hold" ] && [ ! -e "$STROBE_TEST_WORK/go" ]; do sleep 0.05; done
while [ "$1" != -o ]; do shift; done
cp "$STROBE_TEST_LIBRARY" "$2"
"""

BROKEN = """#!/bin/sh
echo "in file included from here" >&2
echo "x.h:1: fatal error: no such header" >&2
exit 1
"""

# The effects of a child process that a program can notice: a signal, and a process to wait for.
WATCHFUL = """
import os, signal
seen = []
signal.signal(signal.SIGCHLD, lambda number, frame: seen.append(number))
import torch
try:
    left = os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    left = None
open("seen", "w").write("%s %s" % (seen, left))
"""


class BridgeTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.library = BUILD / "core" / "libstrobe.so.0"
        self.packages = self.work / "packages"
        self.torch = self.packages / "torch"
        (self.torch / "lib").mkdir(parents=True)
        (self.torch / "__init__.py").write_text(TORCH)
        (self.torch / "version.py").write_text("__version__ = '9.8.7+cpu'\n")
        self.double("libtorch_cpu", self.torch / "lib" / "libtorch_cpu.so")
        self.compiler(COMPILER)
        self.environment.update(
            PYTHONPATH=str(self.packages),
            PYTHONDONTWRITEBYTECODE="1",
            STROBE_TEST_WORK=str(self.work),
            STROBE_TEST_LIBRARY=str(self.library),
        )
        self.cache = self.work / ".cache" / "strobe"

    def double(self, name, path):
        """A library with its own build-id."""
        source = self.script(name + ".c", "int strobe_test_%s(void) { return 0; }\n" % name)
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-Wl,--build-id", "-o", path, source], check=True
        )

    def compiler(self, text):
        path = self.script("compiler", text)
        path.chmod(0o755)
        self.environment["CXX"] = str(path)

    def calls(self):
        path = self.work / "calls"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def bridges(self):
        return sorted(self.cache.iterdir()) if self.cache.exists() else []

    def build(self, *flags, **options):
        return self.strobe("torch", "build", "--torch", self.torch, *flags, **options)

    def start_held(self, *flags):
        """Starts a build whose compiler waits for go()."""
        (self.work / "hold").touch()
        calls = self.calls()
        process = self.start("torch", "build", "--torch", self.torch, *flags)
        self.wait_until(lambda: self.calls() > calls, "a call of the compiler", process)
        return process

    def go(self):
        (self.work / "go").touch()

    def run_python(self, *command, flags=()):
        return self.strobe("run", "-o", self.out, "--collect", "cpu_op", *flags, "--", *command)


class Build(BridgeTest):
    def test_file(self):
        done = self.build()
        self.assertEqual(len(self.bridges()), 1, self.bridges())
        path = self.bridges()[0]
        self.assertRegex(path.name, r"^cpu_op_torch-9\.8\.7-[0-9a-f]{16}-[0-9a-f]{8}\.so$")
        self.assertEqual(self.cache.stat().st_mode & 0o777, 0o700)
        self.assertEqual(path.stat().st_mode & 0o022, 0)
        self.assertRegex(
            done.stderr,
            r"(?s)^strobe: Building the bridge to PyTorch 9\.8\.7, once for this PyTorch\n"
            r"strobe: Built the bridge to PyTorch 9\.8\.7 in [\d.]+ \w+: %s\n$" % re.escape(str(path)),
        )

    def test_is_built_as_the_rest_is(self):
        self.build()
        words = (self.work / "words").read_text().split()
        for word in ("-fstack-protector-strong", "-D_FORTIFY_SOURCE=2", "-Wl,-z,relro,-z,now"):
            self.assertIn(word, words)

    def test_cache_of_the_environment(self):
        self.environment["XDG_CACHE_HOME"] = str(self.work / "own")
        self.build()
        self.assertEqual(len(list((self.work / "own" / "strobe").iterdir())), 1)
        self.assertEqual(self.bridges(), [])
        self.build("--if-missing")
        self.assertEqual(self.calls(), 1)

    def test_library_without_an_identity(self):
        library = self.torch / "lib" / "libtorch_cpu.so"
        library.write_bytes(b"no library" * 100)
        self.build()
        self.assertIn("-size%012x-" % 1000, self.bridges()[0].name)

    def test_if_missing(self):
        self.build("--if-missing")
        self.assertEqual(self.build("--if-missing").stderr, "")
        self.assertEqual(self.calls(), 1)
        self.build()
        self.assertEqual(self.calls(), 2)

    def test_if_missing_in_a_folder(self):
        """A bridge in another folder does not count."""
        self.build()
        for _ in range(2):
            self.build("--if-missing", "-o", self.work / "folder")
        self.assertEqual(self.calls(), 2)
        self.assertEqual(len(list((self.work / "folder").iterdir())), 1)

    def test_bridge_of_another_strobe_is_none(self):
        """The bridge's name contains a hash of its source and the library's build-id."""
        self.build()
        path = self.bridges()[0]
        path.rename(path.with_name(path.name[:-11] + "00000000.so"))
        self.build("--if-missing")
        self.assertEqual(self.calls(), 2)
        self.assertTrue(path.exists())

    def test_bridge_to_another_torch_is_none(self):
        self.build()
        self.double("other", self.torch / "lib" / "libtorch_cpu.so")
        self.build("--if-missing")
        self.assertEqual(self.calls(), 2)
        self.assertEqual(len(self.bridges()), 2)

    def test_torch_of_an_interpreter(self):
        self.strobe("torch", "build", "--python", PYTHON)
        self.assertIn("-9.8.7-", self.bridges()[0].name)

    def test_source_of_the_bridge_is_what_is_compiled(self):
        self.compiler(COMPILER.replace("echo call", 'echo "$@"'))
        self.build()
        words = (self.work / "calls").read_text().split()
        source = next(word for word in words if word.endswith(".cpp"))
        self.assertTrue(os.path.exists(source), source)
        headers = next(word[2:] for word in words if word.startswith("-I"))
        self.assertTrue(os.path.exists(os.path.join(headers, "strobe", "plugin.h")), headers)
        self.assertIn("-isystem%s" % (self.torch / "include"), words)

    def test_progress_on_a_terminal(self):
        """The message counts the seconds, until the last line replaces it."""
        (self.work / "hold").touch()
        master, slave = os.openpty()
        self.addCleanup(os.close, master)
        self.start("torch", "build", "--torch", self.torch, stderr=slave)
        os.close(slave)
        said = b""
        counts = re.compile(rb"\x1b\[KBuilding the bridge to PyTorch 9\.8\.7: (\d+) s")
        while b".so" not in said:
            said += os.read(master, 1024)
            # Where the builder is preempted for a second, it leaves out a number.
            if len(set(counts.findall(said))) > 1:
                self.go()
        seconds = list(map(int, counts.findall(said)))
        self.assertEqual(seconds, sorted(seconds))
        self.assertGreater(seconds[-1], seconds[0])
        self.assertNotIn(b"once for this", said)
        self.assertIn(b"\r\x1b[Kstrobe: Built the bridge", said)

    def test_no_compiler(self):
        self.environment["CXX"] = "no-such-compiler -x"
        done = self.build(code=1)
        self.assertIn('there is no C++ compiler "no-such-compiler"; install one', done.stderr)
        self.assertEqual(self.bridges(), [])

    def test_compiler_that_fails(self):
        self.compiler(BROKEN)
        done = self.build("--if-missing", code=1)
        self.assertIn("failed: x.h:1: fatal error: no such header", done.stderr)
        self.assertNotIn("included from", done.stderr)
        self.assertEqual(self.bridges(), [])
        self.assertIn("included from", self.build(code=1).stderr)


class Others(BridgeTest):
    """Several processes that build at the same time, or end during a build; and users who may write
    to a bridge."""

    def test_two_at_once(self):
        first = self.start_held("--if-missing")
        second = self.start("torch", "build", "--torch", self.torch, "--if-missing")
        self.assertIn("Waiting for another process", second.stderr.readline())
        self.go()
        self.assertIn("Built the bridge", first.communicate(timeout=60)[1])
        self.assertEqual(second.communicate(timeout=60)[1], "")
        self.assertEqual((first.returncode, second.returncode), (0, 0))
        self.assertEqual(self.calls(), 1)
        self.assertEqual(len(self.bridges()), 1)

    def test_killed(self):
        process = self.start_held()
        process.kill()
        process.wait()
        self.go()
        self.assertEqual([path for path in self.bridges() if path.suffix == ".so"], [])
        self.build("--if-missing")
        self.assertEqual(self.calls(), 2)
        self.assertEqual(len(self.bridges()), 1, self.bridges())

    def test_terminated(self):
        process = self.start_held()
        process.terminate()
        process.wait()
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assertEqual(self.bridges(), [])

    def test_cache_that_others_may_write_to(self):
        self.cache.mkdir(parents=True)
        self.cache.chmod(0o777)
        self.build()
        self.assertEqual(self.cache.stat().st_mode & 0o777, 0o700)

    def test_bridge_that_others_may_write_to(self):
        self.build()
        self.bridges()[0].chmod(0o666)
        self.build("--if-missing")
        self.assertEqual(self.calls(), 2)
        self.assertEqual(self.bridges()[0].stat().st_mode & 0o022, 0)

    def test_no_place_for_it(self):
        (self.work / ".cache").write_text("a file")
        done = self.build(code=6)
        self.assertIn("Cannot build the bridge to PyTorch 9.8.7: Cannot make", done.stderr)


@needs_python
class Run(BridgeTest):
    def setUp(self):
        super().setUp()
        self.program = self.script("train.py", "import torch\nopen('ran', 'w').close()\n")

    def assertBuiltBefore(self, *command):
        """`strobe run` builds the bridge, for a program that does not import PyTorch at all."""
        self.program.write_text("open('ran', 'w').close()\n")
        done = self.run_python(*command)
        self.assertEqual(done.stderr.count("Built the bridge"), 1, done.stderr)
        self.assertTrue((self.work / "ran").exists())
        self.assertEqual(self.calls(), 1)

    def test_python(self):
        self.assertBuiltBefore(PYTHON, self.program)
        self.assertNotIn("bridge", self.run_python(PYTHON, "-c", "pass").stderr)

    def test_script(self):
        script = self.script("trainer", "#!%s\nopen('ran', 'w').close()\n" % PYTHON)
        script.chmod(0o755)
        self.assertBuiltBefore(script)

    def test_script_of_env(self):
        shutil.copy(PYTHON, self.work / "python3")
        self.environment["PATH"] = "%s:%s" % (self.work, self.environment["PATH"])
        script = self.script("trainer", "#!/usr/bin/env -S python3 -u\nopen('ran', 'w').close()\n")
        script.chmod(0o755)
        self.assertBuiltBefore("env", "NAME=value", script)

    def test_program_that_is_no_python(self):
        """Strobe does not ask it for its PyTorch, because that would run the program."""
        program = self.script("python-server", "#!/bin/sh\necho run >>runs\n")
        program.chmod(0o755)
        for command in ("true", program):
            self.assertNotIn("bridge", self.run_python(command).stderr)
        self.assertEqual((self.work / "runs").read_text(), "run\n")
        self.assertEqual(self.calls(), 0)

    def test_no_collector_of_torch(self):
        config = self.script("config.json", '{"collectors": {"gc": {}}}')
        self.strobe("run", "-o", self.out, "-c", config, "--", PYTHON, self.program)
        self.assertEqual(self.calls(), 0)

    def test_found_only_in_the_process(self):
        """The program does not see the process that builds."""
        self.program.write_text(WATCHFUL)
        done = self.run_python("sh", "-c", "%s %s" % (PYTHON, self.program))
        self.assertEqual(done.stderr.count("Built the bridge"), 1, done.stderr)
        self.assertEqual((self.work / "seen").read_text(), "[] None")
        self.assertEqual(self.calls(), 1)
        self.assertNotIn("there is no bridge", done.stderr)

    def test_library_is_there_long_before_the_import_is_over(self):
        """A running session itself looks for the library. The test double of the bridge lacks a
        symbol that cpu_op needs; the message about it shows that the double was loaded."""
        (self.torch / "__init__.py").write_text(TORCH + "import time; time.sleep(1)\n")
        done = self.run_python("sh", "-c", "%s %s" % (PYTHON, self.program), flags=["--collect", "gc"])
        self.assertEqual(done.stderr.count("Built the bridge"), 1, done.stderr)
        self.assertNotIn("there is no bridge", done.stderr)
        self.assertIn('expected symbol "strobe_torch_backend', done.stderr)

    def test_never(self):
        self.environment["STROBE_TORCH_BUILD"] = "never"
        for command in ((PYTHON, self.program), ("sh", "-c", "%s %s" % (PYTHON, self.program))):
            done = self.run_python(*command)
            self.assertEqual(done.stderr.count("STROBE_TORCH_BUILD=never forbids to build it"), 1,
                             done.stderr)
            (self.work / "ran").unlink()
        self.assertEqual(self.calls(), 0)

    def test_no_compiler(self):
        self.environment["CXX"] = "no-such-compiler"
        done = self.run_python(PYTHON, self.program)
        self.assertIn("strobe: PyTorch's operators are not recorded. Cannot build the bridge to "
                      'PyTorch 9.8.7: there is no C++ compiler "no-such-compiler"; install one '
                      "(Debian: apt install g++) or name it in CXX\n", done.stderr)
        self.assertEqual(done.stderr.count("no-such-compiler"), 1, done.stderr)
        self.assertTrue((self.work / "ran").exists())

    def test_background(self):
        """The program ends before the compiler."""
        self.environment["STROBE_TORCH_BUILD"] = "background"
        (self.work / "hold").touch()
        done = self.run_python(PYTHON, self.program)
        self.assertEqual(done.stderr.count("in the background"), 1, done.stderr)
        self.assertTrue((self.work / "ran").exists())
        self.assertEqual([path for path in self.bridges() if path.suffix == ".so"], [])
        self.go()
        self.wait_until(lambda: [path.suffix for path in self.bridges()] == [".so"], "the bridge")

    def test_word_that_is_none(self):
        self.environment["STROBE_TORCH_BUILD"] = "later"
        done = self.run_python(PYTHON, self.program)
        self.assertIn("STROBE_TORCH_BUILD=later: expected wait, background or never", done.stderr)
        self.assertEqual(self.calls(), 1)


@needs_python
class Profile(BridgeTest):
    """In a script, profile() waits for the bridge."""

    def profile(self, before="import torch", code=0):
        script = self.script(
            "profile.py",
            WATCHFUL.replace("import torch", before)
            .replace("try:", "from strobe import profiler\nwith profiler.profile():\n    import torch\ntry:"),
        )
        environment = {**self.environment}
        environment["PYTHONPATH"] = "%s:%s" % (BUILD / "python", self.packages)
        done = subprocess.run([PYTHON, script], cwd=self.work, env=environment, text=True,
                              capture_output=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual((self.work / "seen").read_text(), "[] None")
        return done.stderr

    def test_wait(self):
        self.assertEqual(self.profile().count("Built the bridge"), 1)
        self.assertEqual(self.profile().count("bridge to PyTorch 9.8.7"), 0)
        self.assertEqual(self.calls(), 1)

    def test_import_in_the_profile(self):
        self.assertEqual(self.profile("pass").count("Built the bridge"), 1)

    def test_never(self):
        self.environment["STROBE_TORCH_BUILD"] = "never"
        self.assertEqual(self.profile().count("never forbids"), 1)
        self.assertEqual(self.calls(), 0)

    def test_no_compiler(self):
        self.environment["CXX"] = "no-such-compiler"
        self.assertEqual(self.profile().count('there is no C++ compiler "no-such-compiler"'), 1)

    def test_background(self):
        self.environment["STROBE_TORCH_BUILD"] = "background"
        (self.work / "hold").touch()
        self.assertEqual(self.profile().count("in the background"), 1)
        self.go()
        self.wait_until(lambda: [path.suffix for path in self.bridges()] == [".so"], "the bridge")


@needs_python
class Doctor(BridgeTest):
    def lines(self):
        done = self.start("doctor", "--python", PYTHON).communicate(timeout=60)[0]
        return [line for line in done.splitlines() if line.startswith("bridge to PyTorch")]

    def test_where_it_is(self):
        self.build()
        self.assertIn(str(self.bridges()[0]), self.lines()[0])

    def test_where_it_will_be(self):
        self.assertIn("the first run builds it, in %s" % self.cache, self.lines()[0])

    def test_no_compiler(self):
        self.environment["CXX"] = "no-such-compiler"
        self.assertIn('there is no C++ compiler "no-such-compiler"', self.lines()[0], self.lines())
