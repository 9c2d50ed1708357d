# SPDX-License-Identifier: Apache-2.0
"""`strobe run -- COMMAND` without options: the first table is right for any program."""

import os
import shutil
import subprocess
import unittest

from support import PYTHON, STROBE, StrobeTest, has_torch, needs_python, program

PROGRAM = program("cpu-program")
STATIC = program("cpu-static")


def may_sample():
    done = subprocess.run([STROBE, "plugins", "cpu_sample"], capture_output=True, text=True)
    return "works here: yes" in done.stdout


@unittest.skipUnless(may_sample(), "perf_event_open is not permitted here")
class AnyProgramTest(StrobeTest):
    def run_alone(self, *command):
        """Runs `strobe run -- COMMAND` and then `strobe show`. Returns the rows of its table."""
        self.done = self.record(*command, collect=())
        table, = self.json("show", "--limit", 100000, self.result())
        self.table = table["table"]
        return table["rows"]

    def samples(self):
        return self.records_of(self.result(), "cpu_sample")

    def test_program_in_c(self):
        rows = self.run_alone(PROGRAM, "plain", 0.6)
        self.assertEqual(self.table, "function")
        shares = {row["name"]: row["self_share"] for row in rows}
        large, small = shares["work_large (cpu-program)"], shares["work_small (cpu-program)"]
        self.assertAlmostEqual(large / (large + small), 0.75, delta=0.1)  # six times the spread of 600 samples
        self.assertGreater(large + small, 85)
        self.assertEqual(self.done.stderr.count("\n"), 1, self.done.stderr)

    def test_shell_with_a_helper(self):
        """Records of a Python helper must not replace the samples of the whole command."""
        script = "%s -c 'print(1)'; %s plain 0.4; exit 0" % (PYTHON, PROGRAM)
        rows = self.run_alone("sh", "-c", script)
        self.assertTrue([row for row in rows if row["name"].startswith("work_large")])

    @needs_python
    def test_python(self):
        rows = self.run_alone(PYTHON, "-c", "sum(i * i for i in range(3000000))")
        self.assertTrue([row for row in rows if "_PyEval_EvalFrame" in row["name"]])
        self.assertEqual(self.done.stderr.count("\n"), 1, self.done.stderr)

    @unittest.skipUnless(os.path.exists(STATIC), "no static C library")
    def test_static_program(self):
        """The program is sampled from outside, with its children; it gets its arguments, and strobe
        returns its exit code."""
        rows = self.run_alone(STATIC, "fork", 0.6)
        self.assertEqual(self.table, "function")
        shares = {row["name"]: row["self_share"] for row in rows}
        self.assertAlmostEqual(shares["work_large (cpu-static)"], 75, delta=7)
        self.assertAlmostEqual(shares["work_small (cpu-static)"], 25, delta=7)
        self.assertIn("linked statically", self.done.stderr)
        self.assertIn("%s fork" % STATIC, self.command_of(self.result()))
        self.strobe("run", "-o", self.out, "--", STATIC, code=2)
        self.assertNothingLeft()

    @unittest.skipUnless(os.path.exists(STATIC), "no static C library")
    def test_static_program_with_named_collectors(self):
        """None of the named collectors can work outside of the program, so there is no session."""
        done = self.record(STATIC, "plain", 0.1, collect=("gc",))
        self.assertEqual(self.results(), [])
        self.assertRegex(done.stderr, "Nothing was recorded: .*linked statically")

    @needs_python
    def test_isolated_python(self):
        rows = self.run_alone(PYTHON, "-I", "-c", "sum(i * i for i in range(3000000))")
        self.assertTrue([row for row in rows if "_PyEval_EvalFrame" in row["name"]])

    def test_named_set_alone(self):
        self.record(PROGRAM, "plain", 0.1, flags=("--no-default-collectors",))
        self.assertEqual(self.samples(), 0)

    @needs_python
    @unittest.skipUnless(has_torch(), "no PyTorch for %s" % PYTHON)
    def test_operators_end_the_samples(self):
        """Operators end the samples, unless the user requested samples."""
        script = self.script(
            "train.py",
            "import time, torch\n"
            "x = torch.randn(64, 64)\n"
            "begin = time.monotonic()\n"
            "while time.monotonic() - begin < 1.5: x = torch.tanh(x @ x)\n",
        )
        rows = self.run_alone(PYTHON, script)
        self.assertEqual(self.table, "operator_average")
        self.assertIn("aten::tanh", [row["name"] for row in rows])
        self.assertTimeOfSamples(True)
        shutil.rmtree(self.out)
        self.record(PYTHON, script, collect=("cpu_op", "cpu_sample"))
        self.assertTimeOfSamples(False)

    def assertTimeOfSamples(self, ended):
        """Do the samples end before the operators, which go on for 1.5 s? The writer ends them, which may
        be late on a busy machine."""
        result = self.result()
        last = {}
        for kind in "cpu_sample", "cpu_op":
            table, = self.json("show", "--table", kind, "--limit", 10, "--sort", "begin:desc", result)
            last[kind] = table["rows"][0]["begin"]
        self.assertEqual(last["cpu_sample"] + 0.5e9 < last["cpu_op"], ended, last)


if __name__ == "__main__":
    unittest.main()
