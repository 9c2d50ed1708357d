# SPDX-License-Identifier: Apache-2.0
"""TensorBoard with PyTorch's profiler plugin shows Strobe's traces in each of its views.

The case on real traces needs the data that support.DATA names, and is skipped without them.
"""

import json
import re
import subprocess
import time
import unittest

import chromium
import kineto
import tap
from support import BUILD, DATA, TIMEOUT, VENV_PYTHON, StrobeTest, needs_python, needs_torch2
from tensorboard_client import Page, Server

RECORDED = """
import sys
import torch
import torch.distributed
from strobe import profiler

rank, out, meeting = int(sys.argv[1]), sys.argv[2], sys.argv[3]

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(64, 32)
        self.second = torch.nn.Linear(32, 8)

    def forward(self, data):
        return self.second(torch.relu(self.first(data)))

torch.distributed.init_process_group("gloo", init_method="file://" + meeting, rank=rank, world_size=2)
net = torch.nn.parallel.DistributedDataParallel(Net())
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
samples = [(torch.randn(64), 1) for _ in range(20)]
with profiler.profile(
    schedule=profiler.schedule(wait=1, warmup=1, active=3, repeat=1),
    on_trace_ready=profiler.tensorboard_trace_handler(out, worker_name="host_%d" % rank),
    record_shapes=True, profile_memory=True, with_stack=True, with_modules=True,
) as profile:
    for data, target in torch.utils.data.DataLoader(samples, batch_size=4):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(net(data), target).backward()
        optimizer.step()
        profile.step()
torch.distributed.destroy_process_group()
"""


def is_row(found, expected):
    """Do the first cells have the expected values? None stands for any value except nothing and
    0."""
    return len(found) >= len(expected) and all(
        cell not in ("", "0") if want is None else cell == want
        for cell, want in zip(found, expected))


@needs_torch2
class TensorBoardTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.logs = self.work / "logs"

    def import_into(self, run, source, worker):
        """Exports a trace with Strobe as a worker of a run."""
        done = self.strobe("import", "--json", "-o", self.work / "imported", "--export",
                           "tensorboard:worker=" + worker, source)
        folder = self.work / json.loads(done.stdout)[0]["output"]
        (path,) = folder.glob("*.pt.trace.json")
        (self.logs / run).mkdir(parents=True, exist_ok=True)
        path.rename(self.logs / run / path.name)

    # ---- pages ----

    def record_training(self, run):
        """Records two ranks that train a network, with modules, stacks and memory."""
        (self.logs / run).mkdir(parents=True)
        script = self.script("train.py", RECORDED)
        environment = {**self.environment, "PYTHONPATH": str(BUILD / "python"),
                       "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
        ranks = [
            subprocess.Popen([VENV_PYTHON, script, str(rank), self.logs / run, self.work / "meeting"],
                             env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True) for rank in (0, 1)]
        for rank in ranks:
            self.addCleanup(self.end, rank)
        for rank in ranks:
            output, _ = rank.communicate(timeout=150)
            self.assertEqual(rank.returncode, 0, output)

    def check_rows(self, page, view, *expected):
        """The view has these rows."""
        page.choose("Views", view)
        page.text(*(row[0] for row in expected))

        def missing():
            found = page.rows()
            return [row for row in expected if not any(is_row(each, row) for each in found)]
        end = time.monotonic() + TIMEOUT
        while missing() and time.monotonic() < end:  # the page fetches a view's charts and tables one by one
            time.sleep(0.05)
        self.assertEqual(missing(), [], "%s: %s" % (view, page.rows()))

    def check_trace(self, page, rows, slices):
        page.choose("Views", "Trace")
        trace = page.trace()
        for row in rows:
            self.assertIn(row, trace["shown"])
        self.assertLessEqual(set(slices), set(trace["slices"]))

    def check_imported(self, page):
        """The view has the content of kineto.training, on a device for each rank."""
        page.choose("Runs", "imported")
        self.check_rows(page, "Overview", ["Average Step Time", "900", "100"], [
            "2", "252.25", "25", "0", "87.75", "0", "0", "80", "455.5"])
        self.assertIn("A device", page.text())
        self.check_rows(page, "Operator", ["aten::addmm", "4", "0", "0", "160", "160", "Yes"])
        self.check_rows(page, "Kernel", [
            "void gemm<float>(int)", "No", "8", "1011", "126", "150", "101", "0.5", "31"])
        self.check_trace(page, ["thread 200", "stream 7", "stream 20", "GPU 0 Utilization"],
                         ["aten::mm", "void gemm<float>(int)", "nn.Module: Linear_0"])
        self.check_rows(page, "Memory", ["aten::mm", "4", "16", "16", "4", "4", "16", "16"])
        self.check_rows(page, "Module", ["Net_0", "4", "4", "1580", "540"])
        page.expand()
        page.text("Linear_0")
        self.check_rows(page, "Distributed", ["host_0", "130", "122", "87", "560"],
                        ["host_1", "130", "122", "87", "560"],
                        ["nccl:all_reduce", "4", "16384", "4096", "840", "210"])

    def check_recorded(self, page):
        page.choose("Runs", "recorded")
        self.check_rows(page, "Overview", ["Communication", None, None], ["CPU Exec", None, None],
                        *([step, None] for step in "234"))
        self.check_rows(page, "Operator", ["aten::addmm", "6", None, None, "Yes"],
                        ["autograd::engine::evaluate_function: AddmmBackward0", "6"])
        self.check_trace(page, ["pt_gloo_runloop", "CPU"],
                         ["aten::addmm", "gloo:all_reduce", "nn.Module: Linear_0", "ProfilerStep#3",
                          "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"])
        self.check_rows(page, "Memory", ["aten::addmm", "6", "1.88", "1.88", "6", "6"])
        self.check_rows(page, "Module", ["DistributedDataParallel_0", "3", "0", None])
        page.expand()
        page.text("Net_0", "Linear_0", "Linear_1")
        self.check_rows(page, "Distributed", ["host_0", None], ["host_1", None],
                        ["gloo:all_reduce", "3", "28128", "9376", None, None])

    @needs_python
    @unittest.skipUnless(chromium.PROGRAM, "no chromium")
    def test_pages(self):
        for rank in (0, 1):
            source = self.script("rank%d.json" % rank, json.dumps(kineto.training(rank)))
            self.import_into("imported", source, "host_%d" % rank)
        self.record_training("recorded")
        with Server(self.logs, ["imported", "recorded"], self.environment) as server:
            self.assertEqual(server.views("imported"), [
                "Overview", "Operator", "Kernel", "Trace", "Distributed", "Memory", "Module"])
            self.assertEqual(server.views("recorded"), [
                "Overview", "Operator", "Trace", "Distributed", "Memory", "Module"])
            with Page(server) as page:
                self.check_imported(page)
                self.check_recorded(page)

    # ---- answers ----

    def assertAlike(self, ours, original, where):
        """The values are equal except for digits of numbers, because the original's times have more
        digits."""
        if isinstance(original, dict):
            self.assertEqual(list(ours), list(original), where)
            for key, value in original.items():
                self.assertAlike(ours[key], value, where + "." + key)
        elif isinstance(original, list):
            self.assertEqual(len(ours), len(original), where)
            for index, value in enumerate(original):
                self.assertAlike(ours[index], value, "%s[%d]" % (where, index))
        elif isinstance(original, (int, float)):
            self.assertAlmostEqual(ours, original, delta=0.02, msg=where)
        elif isinstance(original, str):  # a tooltip repeats the numbers
            numbers = re.compile(r"[\d.]+us")
            self.assertEqual(numbers.sub("us", ours), numbers.sub("us", original), where)
        else:
            self.assertEqual(ours, original, where)

    @tap.long_test
    @unittest.skipUnless((DATA / "kineto").is_dir(), "no real traces in %s" % DATA)
    def test_real_traces(self):
        """The views of an exported trace have the same content as those of the original."""
        sources = {path.name.partition(".")[0]: path for path in (DATA / "kineto").glob("*.json.gz")}
        for name, source in sources.items():
            self.import_into(name, source, "host_0")
            original = self.logs / (name + "-original") / "host_0.pt.trace.json.gz"
            original.parent.mkdir()
            original.symlink_to(source)
        runs = [*sources, *(name + "-original" for name in sources)]
        with Server(self.logs, runs, self.environment) as server:
            for name in sources:
                with self.subTest(name=name):
                    views = server.views(name + "-original")
                    self.assertLessEqual({"Overview", "Operator", "Trace"}, set(views))
                    self.assertEqual(server.views(name), views)
                    self.assertAlike(server.contents(name), server.contents(name + "-original"), name)


if __name__ == "__main__":
    unittest.main()
