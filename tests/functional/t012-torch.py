# SPDX-License-Identifier: Apache-2.0
"""An unchanged PyTorch script under `strobe run`."""

import json
import unittest

import tap
from support import PYTHON, StrobeTest, has_torch, needs_python

TRAINING = """
import sys, torch
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(int(sys.argv[1])):
    with torch.profiler.record_function("step %d" % step):
        model(torch.ones(3, 4)).sum().backward()
        optimizer.step()
"""


@needs_python
@unittest.skipUnless(has_torch(), "no PyTorch for %s" % PYTHON)
class TorchTest(StrobeTest):
    def train(self, steps, *flags, **options):
        script = self.script("train.py", TRAINING)
        return self.strobe(
            "run", "-o", self.out, *flags, "--", PYTHON, script, steps, **options
        )

    def operators(self, path):
        rows = self.json("show", path, "--table", "operator_average", "--limit", "1000")
        return {row["name"]: row["calls"] for row in rows[0]["rows"]}

    def test_whole_run(self):
        self.train(4)
        operators = self.operators(self.result())
        self.assertEqual(operators["aten::linear"], 4)
        self.assertEqual(operators["step 3"], 1)

    def test_only_the_active_steps(self):
        self.train(8, "--schedule", "wait=1,warmup=1,active=3,repeat=1")
        operators = self.operators(self.result())
        self.assertEqual(operators["aten::linear"], 3)
        self.assertNotIn("step 1", operators)
        self.assertEqual([operators["step %d" % i] for i in (2, 3, 4)], [1, 1, 1])
        self.assertNotIn("step 5", operators)
        self.assertEqual(self.records_of(self.result(), "step"), 3)
        trace = (self.result() / "ASCEND_PROFILER_OUTPUT" / "trace_view.json").read_text()
        self.assertIn("aten::linear", trace)
        json.loads(trace)

    @tap.once_test
    def test_manual_steps_only(self):
        done = self.train(
            8, "--step-on", "manual", "--schedule", "wait=1,warmup=1,active=3,repeat=1"
        )
        self.assertEqual(self.results(), [])
        self.assertIn("no step", done.stderr)

    @tap.once_test
    def test_class_that_never_steps(self):
        """A message says so, also without a schedule, and suggests the name that was probably
        meant."""
        done = self.train(3, "--step-on", "SDG")
        self.assertIn('No step ended: no optimizer "SDG" stepped, did you mean "SGD"?', done.stderr)
        self.assertIn("those that did: SGD", done.stderr)
        self.assertEqual(self.records_of(self.result(), "step"), 0)

    @tap.once_test
    def test_class_that_never_steps_with_a_schedule(self):
        done = self.train(3, "--step-on", "Adam", "--schedule", "wait=1,active=1")
        self.assertEqual(self.results(), [])
        self.assertIn('no optimizer "Adam" stepped', done.stderr)
        self.assertIn("those that did: SGD", done.stderr)

    @tap.once_test
    def test_class_that_steps(self):
        done = self.train(3, "--step-on", "SGD")
        self.assertNotIn("No step ended", done.stderr)

    @tap.once_test
    def test_self_times_are_printed_largest_first(self):
        self.train(4)
        rows = self.json("show", self.out, "--limit", "1000")[0]["rows"]
        own = [row["host_self"] for row in rows]
        self.assertEqual(own, sorted(own, reverse=True))
