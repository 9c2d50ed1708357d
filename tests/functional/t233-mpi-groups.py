# SPDX-License-Identifier: Apache-2.0
"""Communication of MPI groups, which neither Debian's PyTorch nor PyTorch from pip supports: a test
double reports like them."""

import os
import subprocess
import unittest

from support import BUILD, PYTHON, TIMEOUT, StrobeTest, find_group_double, has_torch, needs_python

DOUBLE = find_group_double()
SCRIPT = """
import ctypes, sys, threading
import torch
from strobe import profiler

double = ctypes.CDLL(sys.argv[1])
double.group_begin.argtypes = [ctypes.c_char_p, ctypes.c_long]

with profiler.profile(activities=[profiler.ProfilerActivity.CPU],
                      on_trace_ready=profiler.tensorboard_trace_handler("out", analyse_flag=False)):
    for title, n in ((b"mpi:all_reduce", 8), (b"mpi:broadcast", 3), (b"mpi:new_operation", 2)):
        double.group_begin(title, n)
        double.group_end()
    double.group_begin(b"mpi:send", 5)
    ending = threading.Thread(target=double.group_end)
    ending.start()
    ending.join()
    for title in (b"mpi_all_reduce", b"other:all_reduce"):
        double.group_begin(title, 1)
        double.group_end()
print(torch.distributed.is_available() and torch.distributed.is_mpi_available())
"""


@needs_python
@unittest.skipUnless(os.path.exists(DOUBLE) and has_torch(), "no PyTorch, or built without libtorch")
class MpiGroupsTest(StrobeTest):
    def test_records(self):
        done = subprocess.run(
            [PYTHON, self.script("script.py", SCRIPT), DOUBLE], cwd=self.work, timeout=TIMEOUT,
            env={**self.environment, "PYTHONPATH": str(BUILD / "python")}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        table, = self.json("show", self.result(), "--table", "comm_op", "--columns",
                           "begin,name,op_type,algorithm,data_type,count,cpu_op.bytes,duration")
        rows = sorted(table["rows"], key=lambda row: row["begin"])
        self.assertEqual(
            [(row["op_type"], row["count"], row["cpu_op.bytes"]) for row in rows],
            [("hcom_allReduce_", 8, 32), ("hcom_broadcast_", 3, 12), ("hcom_new_operation_", 2, 8),
             ("hcom_send_", 5, 20)])
        for row in rows:
            self.assertEqual((row["algorithm"], row["data_type"]), ("mpi", "FP32"))
            self.assertGreater(row["duration"], 0)


if __name__ == "__main__":
    unittest.main()
