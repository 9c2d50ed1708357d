# SPDX-License-Identifier: Apache-2.0
"""Runs training scripts with the watch of dynamic profiling, with Strobe installed or under `strobe
run`."""

import os
import pathlib
import shutil
import subprocess

from support import BUILD, PYTHON, STROBE, TIMEOUT, TOP, StrobeTest

PROGRAM = pathlib.Path(__file__).with_name("trained_program.py")
PTH = TOP / "python" / "strobe" / "bootstrap" / "strobe.pth"


class TrainingTest(StrobeTest):
    # ---- an environment that Strobe is installed in ----

    def install(self):
        """Makes a new environment with Strobe's package and strobe.pth, and with the packages of
        PYTHON. Returns its interpreter."""
        home = self.work / "env"
        made = subprocess.run([PYTHON, "-m", "venv", "--without-pip", "--system-site-packages", home],
                              capture_output=True, text=True)
        if made.returncode:
            self.skipTest("no environments for %s: %s" % (PYTHON, made.stdout))
        (self.packages,) = home.glob("lib/python3*/site-packages")
        others = subprocess.run(
            [PYTHON, "-c", "import site; print(*site.getsitepackages(), sep='\\n')"],
            capture_output=True, text=True, check=True).stdout
        (self.packages / "others.pth").write_text(others)
        (self.packages / "strobe").symlink_to(BUILD / "python" / "strobe")
        shutil.copy(PTH, self.packages)
        self.environment["PATH"] += os.pathsep + os.path.dirname(STROBE)
        return str(home / "bin" / "python3")

    def run_python(self, python, text):
        done = subprocess.run([python, "-c", text], env=self.environment, cwd=self.work,
                              capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    # ---- a script that trains ----

    def train(self, *words):
        """Starts the script, which waits before its first iteration."""
        self.errors = open(self.work / "errors", "w+")
        self.addCleanup(self.errors.close)
        self.process = subprocess.Popen(
            [str(word) for word in words], env=self.environment, cwd=self.work, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)
        self.addCleanup(self.end, self.process)
        self.await_answer("ready\n")

    def read_errors(self):
        self.errors.seek(0)
        return self.errors.read()

    def await_answer(self, line):
        if self.process.stdout.readline() != line:
            self.fail("the script ended: " + self.read_errors()[-2000:])

    def iterate(self, n):
        for _ in range(n):
            self.process.stdin.write("go\n")
            self.await_answer("go\n")

    def finish(self):
        self.process.communicate(timeout=TIMEOUT)
        self.assertEqual(self.process.returncode, 0, self.read_errors())

    def operators(self, result):
        (table,) = self.json("show", result, "--table", "operator_average", "--limit", "1000")
        return {row["name"]: row["calls"] for row in table["rows"]}

    def assertProfiled(self, n_steps, n_optimizers=1):
        """There is one result with this number of steps, and with all that a training script does
        in them."""
        operators = self.operators(self.result())
        self.assertEqual(operators["Optimizer.step#SGD.step"], n_steps * n_optimizers)
        self.assertEqual(operators["aten::addmm"], n_steps * n_optimizers)
