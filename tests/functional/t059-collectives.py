# SPDX-License-Identifier: Apache-2.0
"""Two processes that communicate through gloo: their operations are marked in the domain
"communication"."""

import json
import sqlite3
import subprocess
import unittest

from support import BUILD, PYTHON, SCHEDULE, TIMEOUT, StrobeTest, has_torch, needs_python

START = """
import os
import sys
import torch
import torch.distributed as dist

rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method="file://" + os.path.abspath("store"), rank=rank,
                        world_size=2)
"""

COLLECTIVES = """
def work():
    values = torch.ones(3)
    pair = [torch.zeros(3), torch.zeros(3)]
    dist.all_reduce(values)
    dist.broadcast(values.to(torch.float64), 0)
    dist.reduce(torch.ones(5, dtype=torch.int32), 0)
    dist.all_gather(pair, values)
    dist.gather(values, pair if rank == 0 else None)
    dist.scatter(values, pair if rank == 0 else None)
    dist.all_to_all_single(torch.zeros(4, dtype=torch.uint8), torch.ones(4, dtype=torch.uint8))
    dist.barrier()
    dist.all_reduce(torch.ones(7, dtype=torch.int64), async_op=True).wait()
    if rank == 0:
        dist.send(torch.ones(6, dtype=torch.bfloat16), 1)
        dist.recv(values, 1)
    else:
        dist.recv(torch.ones(6, dtype=torch.bfloat16), 0)
        dist.send(values, 0)
"""

PROFILED = """
from strobe import profiler

def functions():
    return [vars(dist)[name] for name in sorted(vars(dist)) if callable(vars(dist)[name])] + [
        vars(dist.distributed_c10d)[name] for name in ("send", "recv", "new_group")]

before = functions()
with profiler.profile(
    on_trace_ready=profiler.tensorboard_trace_handler("out%d" % rank),
    experimental_config=profiler._ExperimentalConfig(
        profiler_level=profiler.ProfilerLevel.Level_none, mstx=True, export_type="db"),
):
    # from 2.1 on libtorch itself says which group an operation is of
    assert (functions() != before) == (not hasattr(dist.ProcessGroup, "group_name"))
    work()
assert all(now is then for now, then in zip(functions(), before))
"""

GROUPS = """
def work():
    dist.all_reduce(torch.ones(2))
    second = dist.new_group([0, 1])
    dist.all_reduce(torch.ones(2), group=second)
    if rank == 0:
        dist.send(torch.ones(1), 1, group=second)
    else:
        dist.recv(torch.ones(1), group=second)  # from anyone
    dist.destroy_process_group(second)
    dist.all_reduce(torch.ones(2))
"""

DATA_PARALLEL = """
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(4):
    optimizer.zero_grad()
    net(torch.ones(2, 4)).sum().backward()
    optimizer.step()
dist.barrier()
"""


def operation(name, count, kind, group="0", **ranks):
    return {
        "streamId": "0",
        "count": str(count),
        "dataType": kind,
        **ranks,
        "groupName": group,
        "opName": "Hccl" + name,
    }


@needs_python
@unittest.skipUnless(has_torch(), "PyTorch is not installed")
class CollectivesTest(StrobeTest):
    def run_two(self, text, command=(PYTHON,)):
        """Runs the script as ranks 0 and 1, with Python alone or with `command` ("%d" is the
        rank)."""
        script = self.script("script.py", START + text)
        environment = {**self.environment, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
        if len(command) == 1:
            environment["PYTHONPATH"] = str(BUILD / "python")
        processes = [
            subprocess.Popen(
                [*(word % rank if "%d" in word else word for word in map(str, command)), script,
                 str(rank)],
                cwd=self.work,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for rank in (0, 1)
        ]
        for process in processes:
            self.addCleanup(self.end, process)
        for process in processes:
            errors = process.communicate(timeout=TIMEOUT)[1]
            self.assertEqual(process.returncode, 0, errors)

    def messages(self, rank):
        """The marks in the order of their begins: (raw text, its JSON object)."""
        shown = self.json(
            "show", self.work / ("out%d" % rank), "--table", "marker", "--columns",
            "begin,name,marker.domain,duration",
        )
        rows = sorted(shown[0]["rows"], key=lambda row: row["begin"])
        rows = [row for row in rows if row["marker.domain"] == "communication"]
        return [(row["name"], json.loads(row["name"].replace('\\"', '"'))) for row in rows]

    def in_database(self, rank):
        path, = (self.work / ("out%d" % rank)).glob("*/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler*.db")
        with sqlite3.connect(path) as database:
            found = database.execute(
                "SELECT said.value FROM MSTX_EVENTS JOIN STRING_IDS AS said ON said.id = message "
                "JOIN STRING_IDS AS domain ON domain.id = domainId "
                "WHERE domain.value = 'communication' AND eventType = 2 ORDER BY startNs"
            ).fetchall()
        return [text for text, in found]

    def test_every_operation(self):
        self.run_two(COLLECTIVES + PROFILED)
        common = [
            operation("Allreduce", 3, "fp32"),
            operation("Broadcast", 3, "fp64"),
            operation("Reduce", 5, "int32"),
            operation("AllGather", 3, "fp32"),
            operation("Gather", 3, "fp32"),
        ]
        rest = [
            operation("AlltoAll", 4, "uint8"),
            operation("Barrier", 0, "na"),
            operation("Allreduce", 7, "int64"),
        ]
        first = [
            *common,
            operation("Scatter", 6, "fp32"),
            *rest,
            operation("Send", 6, "bfp16", destRank="1"),
            operation("Recv", 3, "fp32", srcRank="1"),
        ]
        second = [
            *common,
            operation("Scatter", 0, "na"),
            *rest,
            operation("Recv", 6, "bfp16", srcRank="0"),
            operation("Send", 3, "fp32", destRank="0"),
        ]
        for rank, wanted in ((0, first), (1, second)):
            found = self.messages(rank)
            self.assertEqual([parsed for _, parsed in found], wanted)
            self.assertEqual(self.in_database(rank), [raw for raw, _ in found])
            self.assertEqual(
                found[0][0],
                r"{\"streamId\": \"0\",\"count\": \"3\",\"dataType\": \"fp32\","
                r"\"groupName\": \"0\",\"opName\": \"HcclAllreduce\"}",
            )

    def test_groups(self):
        self.run_two(GROUPS + PROFILED)
        groups = [(parsed["opName"], parsed["groupName"]) for _, parsed in self.messages(0)]
        second = groups[1][1]
        self.assertNotIn(second, ("0", "na"))
        self.assertEqual(groups, [("HcclAllreduce", "0"), ("HcclAllreduce", second),
                                  ("HcclSend", second), ("HcclAllreduce", "0")])
        (_, received), = [each for each in self.messages(1) if "Recv" in each[0]]
        self.assertEqual(received["groupName"], second)
        self.assertNotIn("srcRank", received)

    def test_data_parallel(self):
        """libtorch itself reduces the gradients, without a Python function."""
        command = [BUILD / "tools" / "strobe", "run", "--no-default-collectors", "-o", "out%d", "--collect", "marker",
                   "--schedule", SCHEDULE, "--", PYTHON]
        self.run_two(DATA_PARALLEL, command)
        for rank in (0, 1):
            reduced = [parsed for _, parsed in self.messages(rank)]
            self.assertEqual(reduced, [operation("Allreduce", 15, "fp32")] * 2)
