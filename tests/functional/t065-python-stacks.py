# SPDX-License-Identifier: Apache-2.0
"""Python stacks of operators at their limits."""

import collections
import csv
import unittest

import tap
from support import PYTHON, StrobeTest, has_torch, needs_python
from trace_file import trace_events

TREE = """
import torch
torch.set_num_threads(1)
operator = torch.ones(1).neg_
def left(depth):
    operator() if depth == 0 else (left(depth - 1), right(depth - 1))
def right(depth):
    operator() if depth == 0 else (left(depth - 1), right(depth - 1))
left(17)
"""

DEEP = """
import sys, torch
sys.setrecursionlimit(6000)
x = torch.ones(1)
def deep(n):
    return deep(n - 1) if n else (x.add(1), x.mul(2))
deep(5000)
"""

PLACES = """
import torch
torch.set_num_threads(1)
operator = torch.ones(1).neg_
for n in range(70000):
    exec(compile("operator()", "made_%d.py" % n, "exec"))
"""

LINES = """
import torch
torch.set_num_threads(1)
operator = torch.ones(1).neg_
for n in range(100):  # from Python 3.12 on a line of long code is found slowly
    exec(compile("\\n".join(["operator()"] * 1000), "lines%d.py" % n, "exec"))
"""

SHORT = """
import torch
x = torch.ones(1)
def inner():
    return x + 1
def outer():
    inner()
    inner()
for _ in range(100): outer()
"""


@needs_python
@unittest.skipUnless(has_torch(), "no PyTorch for %s" % PYTHON)
class PythonStacksTest(StrobeTest):
    def run_script(self, text, *flags, collect=("python_call", "cpu_op:stack=true")):
        script = self.script("stacks.py", text)
        words = [word for name in collect for word in ("--collect", name)]
        return self.strobe("run", "-o", self.out, *words, *flags, "--", PYTHON, script)

    def output(self, name):
        return self.result() / "ASCEND_PROFILER_OUTPUT" / name

    def folded(self):
        totals = collections.Counter()
        for line in self.output("stacks.log").read_text().splitlines():
            stack, _, value = line.rpartition(" ")
            totals[stack] += int(value)
        return totals

    def details(self):
        with open(self.output("operator_details.csv"), newline="") as file:
            return list(csv.DictReader(file))

    @tap.long_test
    def test_131072_different_stacks(self):
        """There are more stacks than places in the session's table of texts: no stack is lost, and
        all are different."""
        csv.field_size_limit(1 << 24)
        done = self.run_script(TREE, "--export", "csv", "--buffer", "size=256MB",
                               collect=("python_call:calls=false", "cpu_op:stack=true"))
        self.assertNotIn("warning", done.stderr)
        self.assertEqual(sum(self.json("info", self.result())[0]["lost"].values()), 0)
        stacks = collections.Counter(
            row["Call Stack"] for row in self.details() if row["Name"] == "aten::neg_")
        self.assertEqual(sum(stacks.values()), 1 << 17)
        self.assertEqual(len(stacks), 1 << 17)
        self.assertEqual({stack.count(": left") + stack.count(": right") for stack in stacks}, {18})

    @tap.long_test
    def test_100000_stacks_in_as_many_places(self):
        """With the default size of the buffer, each stack is stored."""
        done = self.run_script(LINES, "--export", "csv",
                               collect=("python_call:calls=false", "cpu_op:stack=true"))
        self.assertNotIn("warning", done.stderr)
        stacks = {row["Call Stack"].split(";")[0] for row in self.details()
                  if row["Name"] == "aten::neg_"}
        self.assertEqual(stacks, {"lines%d.py(%d): <module>" % (n, line)
                                  for n in range(100) for line in range(1, 1001)})

    def test_more_places_than_the_table_holds(self):
        """Operators at places for which there is no room have no stack; a message gives their
        number."""
        csv.field_size_limit(1 << 24)
        done = self.run_script(PLACES, "--export", "csv", "--buffer", "size=8MB,policy=block",
                               collect=("python_call:calls=false", "cpu_op:stack=true"))
        rows = [row for row in self.details() if row["Name"] == "aten::neg_"]
        self.assertEqual(len(rows), 70000)
        without = sum(not row["Call Stack"] for row in rows)
        self.assertGreater(without, 0)
        self.assertLess(without, 60000)
        self.assertEqual(self.json("info", self.result())[0]["lost"]["string_cut"], without)
        self.assertIn("%d texts cut or left out: string_cut" % without, done.stderr)
        self.assertNotIn("records lost", done.stderr)
        info = self.strobe("info", self.result()).stdout
        self.assertIn("\nLost: nothing\n", info)
        self.assertIn("\nTexts cut or left out: %d string_cut" % without, info)
        for number, row in enumerate(rows[:15000]):
            self.assertTrue(row["Call Stack"].startswith("made_%d.py(1): <module>" % number))

    @tap.long_test
    def test_5000_frames(self):
        self.run_script(DEEP, "--export", "chrome_trace")
        trace = trace_events(self.output("trace_view.json").read_text())
        stacks = [e["args"]["Call stack"] for e in trace if e["name"] in ("aten::add", "aten::mul")]
        self.assertEqual(len(stacks), 2)
        for stack in stacks:
            self.assertEqual(stack.count("stacks.py(6): deep"), 5001)
        calls = [e for e in trace if e.get("cat") == "python_function" and ": deep" in e["name"]]
        self.assertEqual(len(calls), 5001)

    def test_self_times_sum_to_the_total(self):
        self.run_script(SHORT, "--export", "csv", "--export", "stacks")
        expected = collections.Counter()
        for row in self.details():
            stack = row["Call Stack"].split(";\r\n") if row["Call Stack"] else [row["Name"]]
            expected[";".join(reversed(stack))] += round(float(row["Host Self Duration(us)"]) * 1000)
        found = self.folded()
        self.assertEqual(sum(found.values()), sum(expected.values()) // 1000)
        self.assertEqual([s for s in expected if abs(found[s] - expected[s] / 1000) > 1], [])
        inner = [s for s in self.folded() if s.endswith("stacks.py(5): inner")]
        self.assertEqual(len(inner), 2, "one for each line of outer")

    def test_without_python_call(self):
        done = self.run_script(SHORT, "--export", "csv", collect=("cpu_op:stack=true",))
        self.assertIn("they come from the collector python_call", done.stderr)
        self.assertEqual({row["Call Stack"] for row in self.details()}, {""})


if __name__ == "__main__":
    unittest.main()
