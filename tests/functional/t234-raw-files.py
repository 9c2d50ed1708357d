# SPDX-License-Identifier: Apache-2.0
"""Exports a recording as raw files of torch_npu (exporter raw_files): an analysis of these files
has the same data as the recording."""

import collections
import csv
import json
import subprocess
import unittest

from support import BUILD, PYTHON, TIMEOUT, StrobeTest, has_torch, needs_python

OUTPUT = "ASCEND_PROFILER_OUTPUT"
SCRIPT = """
import gc
import torch
from strobe import profiler

model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with profiler.profile(
    activities=[profiler.ProfilerActivity.CPU], record_shapes=True, with_stack=True, with_modules=True,
    profile_memory=True, schedule=profiler.schedule(wait=0, warmup=0, active=2, repeat=1),
    on_trace_ready=profiler.tensorboard_trace_handler("out"),
    experimental_config=profiler._ExperimentalConfig(gc_detect_threshold=0),
) as prof:
    for _ in range(2):
        optimizer.zero_grad()
        model(torch.ones(3, 4)).sum().backward()
        optimizer.step()
        gc.collect()
        prof.step()
"""


@needs_python
@unittest.skipUnless(has_torch(), "no PyTorch")
class RawFilesTest(StrobeTest):
    def setUp(self):
        super().setUp()
        done = subprocess.run(
            [PYTHON, self.script("script.py", SCRIPT)], cwd=self.work, capture_output=True, text=True,
            timeout=TIMEOUT, env={**self.environment, "PYTHONPATH": str(BUILD / "python"), "OMP_NUM_THREADS": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.strobe("export", self.result(), "-o", self.work / "raw", "--export", "raw_files")
        (self.raw,) = (self.work / "raw").iterdir()
        for path in (self.raw / OUTPUT).iterdir():  # as the README describes
            path.rename(self.raw / path.name)
        (self.raw / OUTPUT).rmdir()

    def rows(self, folder):
        with open(folder / OUTPUT / "operator_details.csv", newline="") as file:
            return collections.Counter(tuple(row) for row in csv.reader(file))

    def events(self, folder, category):
        """The name, duration and stack of each event, with counts. In one of the two forms steps have a
        separate row. In a raw file a call returns at least a nanosecond after it began."""
        with open(folder / OUTPUT / "trace_view.json") as file:
            events = json.load(file)
        events = events if isinstance(events, list) else events["traceEvents"]
        return collections.Counter(
            (event["name"], max(event["dur"], 0.001), event["args"].get("Call stack"),
             None if event["name"].startswith("ProfilerStep#") else event["tid"])
            for event in events if event.get("cat") == category)

    def test_files(self):
        self.assertEqual(
            sorted(path.name for path in (self.raw / "FRAMEWORK").iterdir()),
            ["torch.gc_record", "torch.memory_usage", "torch.op_range", "torch.python_tracer_func",
             "torch.python_tracer_hash"])
        info = json.loads((self.raw / "profiler_info.json").read_text())
        self.assertEqual(info["config"]["common_config"]["activities"], ["ProfilerActivity.CPU"])

    def test_analysis(self):
        self.strobe("analyse", self.raw)
        found = self.rows(self.raw)
        self.assertGreater(len(found), 20)
        self.assertEqual(found, self.rows(self.result()))
        for category in ("cpu_op", "python_function", "GC"):
            found = self.events(self.raw, category)
            self.assertTrue(found, category)
            self.assertEqual(found, self.events(self.result(), category), category)
        steps = [name for name, *_ in self.events(self.raw, "cpu_op") if name.startswith("ProfilerStep#")]
        self.assertEqual(sorted(steps), ["ProfilerStep#0", "ProfilerStep#1"])

    def test_memory(self):
        """Every event has its size and the totals after it."""
        columns = "begin,size,total_allocated,address"

        def read(result):
            return sorted(tuple(row.values()) for row in self.json(
                "show", result, "--table", "memory_event", "--columns", columns, "--limit", "10000")[0]["rows"])

        self.strobe("import", self.raw, "-o", self.work / "imported", "--export", "csv")
        (imported,) = (self.work / "imported").glob("*_ascend_pt")
        self.assertEqual(read(imported), read(self.result()))

    def test_nothing_to_write(self):
        self.out = self.work / "other"
        self.record()
        self.strobe("export", self.result(), "-o", self.work / "none", "--export", "raw_files")
        self.assertEqual(list((self.work / "none").rglob("FRAMEWORK")), [])


if __name__ == "__main__":
    unittest.main()
