# SPDX-License-Identifier: Apache-2.0
"""A job of four processes that communicate by gloo: the content of each rank's result."""

import json
import sqlite3
import subprocess
import unittest

from support import BUILD, PYTHON, TIMEOUT, StrobeTest, has_torch, needs_python

RANKS = range(4)

START = """
import glob
import json
import os
import sys
import torch
import torch.distributed as dist
from strobe import profiler
from strobe.profiler import dynamic_profile

rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method="file://" + os.path.abspath("store"), rank=rank,
                        world_size=4)
pairs = [dist.new_group([0, 1]), dist.new_group([2, 3])]
outer = dist.new_group([0, 3])
own = pairs[rank // 2]

def work():
    dist.all_reduce(torch.ones(8))
    dist.all_reduce(torch.ones(4, dtype=torch.float64), group=own)
    dist.broadcast(torch.ones(2, dtype=torch.int64), 2)
    if rank in (0, 3):
        dist.broadcast(torch.ones(5), 3, group=outer)
    if rank == 1:
        dist.send(torch.ones(6, dtype=torch.uint8), 2)
    if rank == 2:
        dist.recv(torch.ones(6, dtype=torch.uint8), 1)
    dist.barrier()
"""

PROFILED = START + """
with profiler.profile(
    activities=[profiler.ProfilerActivity.CPU],
    schedule=profiler.schedule(wait=1, warmup=0, active=1, repeat=1),
    on_trace_ready=profiler.tensorboard_trace_handler("out"),
    experimental_config=profiler._ExperimentalConfig(export_type=["text", "db"]),
) as profile:
    for _ in range(2):
        work()
        profile.step()
dist.barrier()
dist.destroy_process_group()
"""

# The file requests a profile of some ranks; the steps continue until every rank has answered.
DYNAMIC = START + """
dynamic_profile.init("config")
dist.barrier()
if rank == 0:
    with open("config/new", "w") as file:
        json.dump({"activities": ["CPU"], "prof_dir": os.path.abspath("out"), "start_step": -1,
                   "is_rank": True, "rank_list": [1, 3]}, file)
    os.replace("config/new", "config/profiler_config.json")

def has_answered():
    (path,) = glob.glob("config/log/dp_*_%d_rank_%d.log" % (os.getpid(), rank))
    with open(path) as file:
        text = file.read()
    return "Stop Dynamic Profiler" in text or "not in valid rank_list" in text

n_answers = 0
while n_answers < 4:
    work()
    dynamic_profile.step()
    answers = torch.tensor([float(has_answered())])
    dist.all_reduce(answers)
    n_answers = int(answers.item())
"""


@needs_python
@unittest.skipUnless(has_torch(), "PyTorch is not installed")
class GlooJobTest(StrobeTest):
    def run_job(self, text):
        script = self.script("script.py", text)
        environment = {**self.environment, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo",
                       "PYTHONPATH": str(BUILD / "python")}
        processes = [
            subprocess.Popen([PYTHON, script, str(rank)], cwd=self.work, env=environment,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for rank in RANKS
        ]
        for process in processes:
            self.addCleanup(self.end, process)
        for process in processes:
            errors = process.communicate(timeout=2 * TIMEOUT)[1]
            self.assertEqual(process.returncode, 0, errors)

    def by_rank(self):
        """The results, by the rank in the names of their files."""
        found = {}
        for result in self.results():
            info, = result.glob("profiler_info_*.json")
            rank = int(info.stem.split("_")[-1])
            self.assertNotIn(rank, found)
            found[rank] = result
        return found

    def test_every_rank(self):
        self.run_job(PROFILED)
        results = self.by_rank()
        self.assertEqual(sorted(results), list(RANKS))
        names = [self.group_names(results[rank]) for rank in RANKS]
        for rank in RANKS:
            self.check_files(results[rank], rank)
            self.check_distributed_info(results[rank], rank, names[rank])
            self.check_operations(results[rank], rank, names[rank])
            self.check_communication(results[rank], rank)
            self.check_database(results[rank], rank, names[rank])
        # a group has the same name in all of its ranks
        self.assertEqual(names[0]["pair"], names[1]["pair"])
        self.assertEqual(names[2]["pair"], names[3]["pair"])
        self.assertEqual(names[0]["outer"], names[3]["outer"])
        self.assertEqual(len({names[0]["pair"], names[2]["pair"], names[0]["outer"], "0"}), 4)

    def group_names(self, result):
        """The names of the groups, by their ranks; also checks `parallel_group_info`."""
        with open(result / "profiler_metadata.json") as file:
            info = json.load(file)["parallel_group_info"]
        rank = int(next(result.glob("profiler_info_*.json")).stem.split("_")[-1])
        pair = [0, 1] if rank < 2 else [2, 3]
        wanted = {"world": ([0, 1, 2, 3], rank), "pair": (pair, pair.index(rank))}
        if rank in (0, 3):
            wanted["outer"] = ([0, 3], [0, 3].index(rank))
        found = {}
        for name, group in info.items():
            which, = [key for key, (ranks, _) in wanted.items() if ranks == group["global_ranks"]]
            self.assertEqual(group["group_rank"], wanted[which][1])
            self.assertEqual(group["group_name"], "default_group" if which == "world" else "")
            found[which] = name
        self.assertEqual(found.keys(), wanted.keys())
        self.assertEqual(found["world"], "0")
        return found

    def check_files(self, result, rank):
        self.assertRegex(result.name, r"_\d+_\d{17}_ascend_pt$")
        names = {path.name for path in (result / "ASCEND_PROFILER_OUTPUT").iterdir()}
        self.assertLessEqual(
            {"trace_view.json", "step_trace_time.csv", "communication.json", "comm_op.csv",
             "analysis.db", "ascend_pytorch_profiler_%d.db" % rank},
            names)
        with open(result / ("profiler_info_%d.json" % rank)) as file:
            self.assertEqual(json.load(file)["rank_id"], rank)

    def check_distributed_info(self, result, rank, names):
        table, = self.json("show", result, "--table", "metadata", "--limit", "100")
        info, = [row["value"] for row in table["rows"] if row["name"] == "distributedInfo"]
        info = json.loads(info)
        self.assertEqual((info["backend"], info["rank"], info["world_size"], info["pg_count"]),
                         ("gloo", rank, 4, len(names)))
        self.assertEqual({group["pg_name"] for group in info["pg_config"]}, set(names.values()))
        for group in info["pg_config"]:
            self.assertEqual(len(group["ranks"]), group["pg_size"])
        board = self.work / ("board%d" % rank)
        self.strobe("analyse", result, "--export", "tensorboard", "-o", board)
        trace, = board.rglob("*.pt.trace.json")
        self.assertIn('"world_size": 4', trace.read_text())

    def wanted(self, rank, names):
        """The expected (operation, group, elements, type, bytes, peer, ranks), in order."""
        root_of_outer = 1  # rank 3, which is the second rank of this group
        found = [
            ("allReduce", "0", 8, "FP32", 32, None, 4),
            ("allReduce", names["pair"], 4, "FP64", 32, None, 2),
            ("broadcast", "0", 2, "INT64", 16, 2, 4),
        ]
        if rank in (0, 3):
            found.append(("broadcast", names["outer"], 5, "FP32", 20, root_of_outer, 2))
        if rank == 1:
            found.append(("send", "0", 6, "UINT8", 6, 2, 4))
        if rank == 2:
            found.append(("receive", "0", 6, "UINT8", 6, 1, 4))
        return [*found, ("barrier", "0", 0, None, 0, None, 4)]

    def check_operations(self, result, rank, names):
        table, = self.json("show", result, "--table", "comm_op")
        rows = sorted(table["rows"], key=lambda row: row["begin"])
        found = [(row["op_type"][len("hcom_"):-1], row["group"], row["count"],
                  row["data_type"] or None, row["cpu_op.bytes"], row["cpu_op.peer"],
                  row["rank_size"]) for row in rows]
        self.assertEqual(found, self.wanted(rank, names))

    def check_communication(self, result, rank):
        with open(result / "ASCEND_PROFILER_OUTPUT" / "communication.json") as file:
            step, = json.load(file).items()
        self.assertEqual(step[0], "step1")
        collective, p2p = step[1]["collective"], step[1]["p2p"]
        wanted = ["hcom_allReduce__0_1_1@0", "hcom_broadcast__0_2_1@0", "hcom_barrier__0_3_1@0"]
        self.assertLessEqual(set(wanted), set(collective))
        self.assertEqual(len(collective), 6 if rank in (0, 3) else 5)  # including the sum
        self.assertEqual(len(p2p), 2 if rank in (1, 2) else 0)

    def check_database(self, result, rank, names):
        path = result / "ASCEND_PROFILER_OUTPUT" / ("ascend_pytorch_profiler_%d.db" % rank)
        with sqlite3.connect(path) as database:
            groups = database.execute(
                "SELECT DISTINCT value FROM COMMUNICATION_OP JOIN STRING_IDS ON id = groupName"
            ).fetchall()
        self.assertEqual({name for name, in groups}, set(names.values()))

    def test_rank_list(self):
        self.run_job(DYNAMIC)
        self.assertEqual(sorted(self.by_rank()), [1, 3])
        logs = {path.name.split("_")[-1]: path.read_text()
                for path in (self.work / "config" / "log").glob("dp_*")}
        for rank in RANKS:
            refused = "Rank %d not in valid rank_list [1, 3]!" % rank
            self.assertEqual(refused in logs["%d.log" % rank], rank not in (1, 3))
