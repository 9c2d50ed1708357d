# SPDX-License-Identifier: Apache-2.0
"""The views of modules and of memory for a model that was really trained, by the rules of
TensorBoard's plugin."""

import subprocess
import unittest

import tensorboard
from support import BUILD, PYTHON, StrobeTest, has_torch, needs_python

SCRIPT = """
import sys, threading, torch
from strobe import profiler

torch.set_num_threads(1)

class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())

    def forward(self, x):
        with torch.profiler.record_function("in the block"):
            return self.inner(x) + x

model = torch.nn.Sequential(Block(), Block(), torch.nn.Linear(4, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
other = torch.nn.Softmax(0)

with profiler.profile(
    schedule=profiler.schedule(wait=0, warmup=1, active=2, repeat=1),
    on_trace_ready=profiler.tensorboard_trace_handler(sys.argv[1]),
    record_shapes=True, profile_memory=True, with_stack=True, with_modules=True,
) as prof:
    for _ in range(3):
        thread = threading.Thread(target=other, args=(torch.ones(2, 3),))
        thread.start()
        thread.join()
        optimizer.zero_grad(set_to_none=True)
        model(torch.ones(500, 4)).sum().backward()
        optimizer.step()
        prof.step()
"""


@needs_python
@unittest.skipUnless(has_torch(), "no PyTorch for %s" % PYTHON)
class ModelViewsTest(StrobeTest):
    def setUp(self):
        super().setUp()
        environment = dict(self.environment, PYTHONPATH=str(BUILD / "python"), OMP_NUM_THREADS="1")
        done = subprocess.run([PYTHON, self.script("train.py", SCRIPT), str(self.out)],
                              env=environment, capture_output=True, text=True)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        self.strobe("analyse", self.result(), "--also", "tensorboard:worker=w")
        path, = self.result().rglob("w.*.pt.trace.json")
        self.trace = tensorboard.load(path)

    def without_numbers(self, name):
        return name and name[len("nn.Module: ") :].rpartition("_")[0]

    def test_views(self):
        trace = self.trace
        self.assertEqual(trace.views(), {"Overview", "Operator", "Trace", "Module", "Memory"})
        self.assertEqual([name for name, _, _ in trace.steps], ["1", "2"])
        self.check_modules(trace)
        self.check_memory(trace)

    def check_modules(self, trace):
        found = trace.module_hierarchy()
        names = sorted((self.without_numbers(name), self.without_numbers(outer) or "")
                       for name, outer in found.items())  # fmt: skip
        self.assertEqual(
            names,
            [("Block", "Sequential")] * 2
            + [("Linear", "Sequential")] * 3
            + [("ReLU", "Sequential")] * 2
            + [("Sequential", "")]
            + [("Sequential", "Block")] * 2
            + [("Softmax", "")],
        )
        self.assertEqual(trace.crossing_modules(), [])

    def check_memory(self, trace):
        found = trace.memory()
        self.assertEqual({device for _, device in found}, {"CPU"})
        taken = {name: sizes[0] for (name, _), sizes in found.items()}
        # two blocks in each of two steps
        self.assertEqual(taken["aten::clamp_min"], 2 * 2 * 500 * 4 * 4)
        self.assertGreaterEqual(taken["aten::addmm"], 2 * 500 * (4 + 4 + 2) * 4)
        self.assertLess(sum(given for _, given in found.values()), -2 * 2 * 500 * 4 * 4)


if __name__ == "__main__":
    unittest.main()
