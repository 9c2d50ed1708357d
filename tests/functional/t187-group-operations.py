# SPDX-License-Identifier: Apache-2.0
"""Communication on the host by gloo: records of the kind comm_op, and all tables that are made from
them."""

import csv
import json
import sqlite3
import subprocess
import unittest

from support import BUILD, PYTHON, TIMEOUT, StrobeTest, has_torch, needs_python

START = """
import os
import sys
import torch
import torch.distributed as dist

rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method="file://" + os.path.abspath("store"), rank=rank,
                        world_size=2)
second = dist.new_group([0, 1])

def work():
    torch.ones(64, 64) @ torch.ones(64, 64)
    dist.all_reduce(torch.ones(3))
    dist.broadcast(torch.ones(5, dtype=torch.float64), 1)
    dist.all_reduce(torch.ones(2, dtype=torch.int32), group=second)
    dist.barrier()
    if rank == 0:
        dist.send(torch.ones(6, dtype=torch.bfloat16), 1)
    else:
        dist.recv(torch.ones(6, dtype=torch.bfloat16), 0)

from strobe import profiler

with profiler.profile(
    activities=[profiler.ProfilerActivity.CPU],
    schedule=profiler.schedule(wait=0, warmup=0, active=2, repeat=1),
    on_trace_ready=profiler.tensorboard_trace_handler("out%d" % rank),
    experimental_config=profiler._ExperimentalConfig(export_type=["text", "db"]),
) as profile:
    for _ in range(2):
        work()
        profile.step()
"""

COLUMNS = ("begin,duration,name,group,op_type,count,data_type,rank_size,algorithm,"
           "cpu_op.bytes,cpu_op.peer")


@needs_python
@unittest.skipUnless(has_torch(), "PyTorch is not installed")
class GroupOperationsTest(StrobeTest):
    def run_two(self):
        script = self.script("script.py", START)
        environment = {**self.environment, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo",
                       "PYTHONPATH": str(BUILD / "python")}
        processes = [
            subprocess.Popen([PYTHON, script, str(rank)], cwd=self.work, env=environment,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for rank in (0, 1)
        ]
        for process in processes:
            self.addCleanup(self.end, process)
        for process in processes:
            errors = process.communicate(timeout=TIMEOUT)[1]
            self.assertEqual(process.returncode, 0, errors)

    def output(self, rank, pattern):
        path, = (self.work / ("out%d" % rank)).glob("*/ASCEND_PROFILER_OUTPUT/" + pattern)
        return path

    def rows(self, rank):
        table, = self.json("show", self.work / ("out%d" % rank), "--table", "comm_op", "--columns",
                           COLUMNS)
        return sorted(table["rows"], key=lambda row: row["begin"])

    def test_records(self):
        self.run_two()
        for rank, last in ((0, ("send", 1)), (1, ("receive", 0))):
            rows = self.rows(rank)
            second = rows[2]["group"]
            wanted = [
                ("allReduce", "0", 3, "FP32", 12, None),
                ("broadcast", "0", 5, "FP64", 40, 1),
                ("allReduce", second, 2, "INT32", 8, None),
                ("barrier", "0", 0, None, 0, None),
                (last[0], "0", 6, "BFP16", 12, last[1]),
            ] * 2
            self.assertNotEqual(second, "0")
            self.assertEqual([self.plain(row) for row in rows], wanted)
            for row in rows:
                self.assertEqual((row["rank_size"], row["algorithm"]), (2, "gloo"))
                self.assertGreater(row["duration"], 0)
            numbers = [int(row["name"].split("_")[-2]) for row in rows if "allReduce__0_" in row["name"]]
            self.assertEqual(numbers, [1, 4])  # broadcast and barrier count too

    def plain(self, row):
        operation, group = row["op_type"], row["group"]
        self.assertTrue(row["name"].startswith(operation + "_"), row)
        return (operation[len("hcom_"):-1], group, row["count"],
                row["data_type"] or None, row["cpu_op.bytes"], row["cpu_op.peer"])

    def test_tables(self):
        self.run_two()
        for rank in (0, 1):
            with open(self.output(rank, "step_trace_time.csv"), newline="") as file:
                steps = list(csv.DictReader(file))
            self.assertEqual([step["Step"] for step in steps], ["0", "1"])
            for step in steps:
                self.assertGreater(float(step["Computing"]), 0)
                self.assertGreater(float(step["Communication"]), 0)
            with open(self.output(rank, "communication.json")) as file:
                communication = json.load(file)
            self.assertEqual(list(communication), ["step0", "step1"])
            for step in communication.values():
                names = [name.split("__")[0] for name in step["collective"]]
                self.assertEqual(sorted(names), sorted(
                    ["hcom_allReduce", "hcom_broadcast", "hcom_allReduce", "hcom_barrier",
                     "Total Op Info"]))
                total = step["collective"]["Total Op Info"]["Communication Time Info"]
                self.assertGreater(total["Elapse Time(ms)"], 0)
                self.assertEqual(total["Transit Time(ms)"], 0)  # it is unknown
                self.assertEqual([name.split("__")[0] for name in step["p2p"]],
                                 ["hcom_receive" if rank else "hcom_send", "Total Op Info"])
            with sqlite3.connect(self.output(rank, "ascend_pytorch_profiler_*.db")) as database:
                n, = database.execute("SELECT count(*) FROM COMMUNICATION_OP").fetchone()
            self.assertEqual(n, 10)

    def test_trace(self):
        self.run_two()
        with open(self.output(0, "trace_view.json")) as file:
            events = json.load(file)
        events = events if isinstance(events, list) else events["traceEvents"]
        reduced = [each for each in events if each["name"].startswith("hcom_allReduce__0_")]
        self.assertEqual([each["args"]["alg_type"] for each in reduced], ["gloo"] * 2)
        row, = [each for each in events if each["name"] == "thread_name" and
                each["args"]["name"] == "Group 0 Communication"]
        self.assertEqual({each["tid"] for each in reduced}, {row["tid"]})
        overlap = {each["pid"] for each in events if each["name"] == "Communication(Not Overlapped)"}
        (label,) = [each["args"]["labels"] for each in events
                    if each["name"] == "process_labels" and {each["pid"]} == overlap]
        self.assertEqual(label, "CPU")

    def test_arguments_for_tensorboard(self):
        """The arguments are like those that Kineto has for collectives of a device."""
        self.run_two()
        path, = (self.work / "out0").glob("*.pt.trace.json")
        with open(path) as file:
            events = json.load(file)["traceEvents"]
        found = sorted((each["ts"], each["args"], each["cat"]) for each in events
                       if each["name"] == "record_param_comms")
        keys = ("Collective name", "dtype", "In msg nelems", "Group size")
        self.assertEqual([tuple(args.get(key) for key in keys) for _, args, _ in found],
                         [("allreduce", "Float", 3, 2), ("broadcast", "Double", 5, 2),
                          ("allreduce", "Int", 2, 2), ("barrier", None, 0, 2),
                          ("send", "BFloat16", 6, 2)] * 2)
        self.assertEqual({category for _, _, category in found}, {"cpu_op_async"})
        self.assertEqual(found[0][1]["Process Group Name"], "0")
        self.assertNotEqual(found[2][1]["Process Group Name"], "0")
