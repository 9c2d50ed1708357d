# SPDX-License-Identifier: Apache-2.0
"""The script of torch.profiler's TensorBoard tutorial, with a changed import and a smaller network:
the plugin shows its result."""

import subprocess
import unittest

import tensorboard
from support import BUILD, PYTHON, StrobeTest, has_torch, needs_python

SCRIPT = """
import sys
import torch
import torch.nn
import torch.optim
from strobe import profiler

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
criterion = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
model.train()


def train(data):
    inputs, labels = data
    outputs = model(inputs)
    loss = criterion(outputs, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


with profiler.profile(
        schedule=profiler.schedule(wait=1, warmup=1, active=3, repeat=2),
        on_trace_ready=profiler.tensorboard_trace_handler('./log/resnet18', %s),
        record_shapes=True,
) as prof:
    for step in range(12):
        prof.step()
        if step >= 1 + 1 + 3 + 20:
            break
        train((torch.ones(4, 8), torch.zeros(4, dtype=torch.long)))
"""


@needs_python
@unittest.skipUnless(has_torch(), "no PyTorch")
class TutorialTest(StrobeTest):
    def run_script(self, arguments):
        path = self.script("tutorial.py", SCRIPT % arguments)
        environment = dict(self.environment, PYTHONPATH=str(BUILD / "python"), OMP_NUM_THREADS="1")
        done = subprocess.run([PYTHON, str(path)], cwd=self.work, env=environment, text=True,
                              capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return tensorboard.runs(self.work / "log")

    def check(self, folder, names):
        self.assertEqual(len(names), 2)
        for name in names:
            trace = tensorboard.load(folder / name)
            self.assertEqual(trace.views(), {"Overview", "Operator", "Trace"})
            self.assertEqual(len(trace.steps), 3)
            self.assertEqual(trace.trees()[1], 0)
            operators = trace.operators()
            self.assertEqual(operators["aten::linear"][0], 6)
            self.assertGreater(operators["aten::linear"][2], operators["aten::linear"][1])
            for times in trace.overview().values():
                self.assertGreater(times["CPU Exec"], 0)
            linear = next(event for _, event in trace.spans if event["name"] == "aten::addmm")
            self.assertEqual(linear["args"]["Input Dims"][1], [4, 8])

    def test_spans_of_one_worker(self):
        ((folder, workers),) = self.run_script("worker_name='worker0'").items()
        self.assertEqual(folder, self.work / "log" / "resnet18")
        self.assertEqual(list(workers), ["worker0"])
        self.check(folder, workers["worker0"])

    def test_gzip(self):
        ((folder, workers),) = self.run_script("use_gzip=True").items()
        ((worker, names),) = workers.items()
        self.assertRegex(worker, r"^.+_\d+$")
        self.assertTrue(all(name.endswith(".json.gz") for name in names))
        self.check(folder, names)


if __name__ == "__main__":
    unittest.main()
