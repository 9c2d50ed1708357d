# SPDX-License-Identifier: Apache-2.0
"""Memory of an unchanged PyTorch script under `strobe run`: tables, database, traces."""

import csv
import json
import sqlite3
import subprocess
import unittest

from support import BUILD, PYTHON, StrobeTest, find_account, has_torch, needs_python
from trace_file import trace_events

SCRIPT = """
import threading, torch
from torch.autograd import profiler

torch.set_num_threads(1)
kept = []

def take():
    kept.append(torch.empty(1000))

def give():
    kept.clear()

with profiler.profile(profile_memory=True) as own:
    torch.empty(250).neg()
for work in (take, give):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
print(sum(each.self_cpu_memory_usage for each in own.key_averages()
          if each.key in ("aten::empty", "aten::neg")))
"""


@needs_python
@unittest.skipUnless(has_torch(), "no PyTorch for %s" % PYTHON)
class MemoryTest(StrobeTest):
    EXPORTS = ("csv", "db", "chrome_trace", "tensorboard")

    def run_script(self, *flags):
        words = ["run", "-o", self.out, "--collect", "memory", "--collect", "cpu_op"]
        for name in self.EXPORTS:
            words += ["--export", name]
        script = self.script("script.py", SCRIPT)
        done = self.strobe(*words, *flags, "--", PYTHON, script)
        # the program's own profiler has PyTorch's slot
        self.assertEqual(done.stdout.split()[0], "2000")
        return self.result() / "ASCEND_PROFILER_OUTPUT"

    def rows(self, folder, name):
        with open(folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_results(self):
        folder = self.run_script()
        self.check_operator_memory(folder)
        self.check_memory_record(folder)
        self.check_database(folder)
        self.check_trace(folder)
        self.check_tensorboard(folder)
        info = json.loads((self.result() / "profiler_info.json").read_text())
        self.assertIs(info["config"]["common_config"]["profile_memory"], True)

    def check_operator_memory(self, folder):
        rows = self.rows(folder, "operator_memory.csv")
        found = {(row["Name"], row["Size(KB)"]) for row in rows}
        self.assertIn(("aten::empty", "0.9765625"), found)
        self.assertIn(("aten::neg", "0.9765625"), found)
        block = next(row for row in rows if row["Size(KB)"] == "3.90625")
        self.assertEqual(block["Name"], "aten::empty")
        self.assertEqual((block["Device Type"], block["Stream Ptr"]), ("CPU", ""))
        held = float(block["Release Time(us)"]) - float(block["Allocation Time(us)"])
        self.assertAlmostEqual(float(block["Duration(us)"]), held, delta=1)
        before, after = (
            float(block["Allocation Total Allocated(MB)"]),
            float(block["Release Total Allocated(MB)"]),
        )
        self.assertEqual((before - after) * 1024, 3.90625)
        self.assertEqual(block["Active Release Time(us)"], "")

    def check_memory_record(self, folder):
        rows = self.rows(folder, "memory_record.csv")
        self.assertEqual(
            {(row["Component"], row["Device Type"], row["Stream Ptr"]) for row in rows},
            {("PTA", "CPU", "")},
        )
        self.assertEqual(len(rows), self.records_of(self.result(), "memory_event"))
        self.assertEqual(min(float(row["Total Allocated(MB)"]) for row in rows), 0)

    def check_database(self, folder):
        path = next(folder.glob("ascend_pytorch_profiler*.db"))
        with sqlite3.connect(path) as db:
            blocks = db.execute(
                "select value, size, streamPtr, deviceId from OP_MEMORY"
                " join STRING_IDS on id = name where size = 4000"
            ).fetchall()
            self.assertEqual(blocks, [("aten::empty", 4000, None, -1)])
            names = db.execute(
                "select distinct value from MEMORY_RECORD join STRING_IDS on id = component"
            ).fetchall()
            self.assertEqual(names, [("PTA",)])
            peak = db.execute("select max(totalAllocated) from MEMORY_RECORD").fetchone()[0]
        totals = [
            float(row["Total Allocated(MB)"]) for row in self.rows(folder, "memory_record.csv")
        ]
        self.assertEqual(peak, max(totals) * 1024 * 1024)
        self.assertGreaterEqual(peak, 4000)

    def check_trace(self, folder):
        events = trace_events((folder / "trace_view.json").read_text())
        counters = [each for each in events if each["name"] == "PyTorch Memory"]
        self.assertEqual(len(counters), self.records_of(self.result(), "memory_event"))
        self.assertEqual({each["ph"] for each in counters}, {"C"})
        self.assertEqual(
            max(each["args"]["Allocated(MB)"] for each in counters),
            max(
                float(row["Total Allocated(MB)"]) for row in self.rows(folder, "memory_record.csv")
            ),
        )
        layers = {
            each["pid"]: each["args"]["name"] for each in events if each["name"] == "process_name"
        }
        self.assertEqual({layers[each["pid"]] for each in counters}, {"Memory Usage"})

    def check_tensorboard(self, folder):
        path = next(self.out.rglob("*.pt.trace.json"))
        events = json.loads(path.read_text())["traceEvents"]
        memory = [each for each in events if each["name"] == "[memory]"]
        self.assertEqual(len(memory), self.records_of(self.result(), "memory_event"))
        for each in memory:
            args = each["args"]
            self.assertEqual((args["Device Type"], args["Device Id"]), (0, -1))
            self.assertEqual(args["Total Reserved"], 0)
            self.assertGreater(args["Addr"], 0)
            self.assertNotEqual(args["Bytes"], 0)
        taken = next(each for each in memory if each["args"]["Bytes"] == 4000)
        given = next(each for each in memory if each["args"]["Bytes"] == -4000)
        self.assertEqual(taken["args"]["Addr"], given["args"]["Addr"])
        self.assertNotEqual(taken["tid"], given["tid"])

    def test_devices(self):
        """Strobe and PyTorch's own profiler both get the reports of a device's allocator."""
        library = find_account()
        if not library.exists():
            self.skipTest("built without libtorch")
        script = self.script(
            "device.py",
            "import ctypes, torch\n"
            "from torch.autograd import profiler\n"
            "report = ctypes.CDLL(%r).account_report\n"
            "report.argtypes = [ctypes.c_size_t] + [ctypes.c_long] * 3 + [ctypes.c_int]\n"
            "with profiler.profile(profile_memory=True) as own:\n"
            "    report(64, 1048576, 1048576, 2097152, 1)\n"
            "report(64, -1048576, 0, 2097152, 1)\n"
            "print([each.nbytes() for each in own.kineto_results.events()\n"
            "       if each.name() == '[memory]'])\n" % str(library),
        )
        done = self.strobe("run", "-o", self.out, "--collect", "memory", "--export", "csv", "--",
                           PYTHON, script)  # fmt: skip
        self.assertEqual(done.stdout.splitlines()[0], "[1048576]")
        folder = self.result() / "ASCEND_PROFILER_OUTPUT"
        rows = [row for row in self.rows(folder, "memory_record.csv") if row["Device Type"] != "CPU"]
        self.assertEqual(
            [(row["Component"], row["Total Allocated(MB)"], row["Total Reserved(MB)"],
              row["Device Type"]) for row in rows],
            [("PTA", "1.0", "2.0", "NPU:1"), ("PTA+GE", "1.0", "2.0", "NPU:1"),
             ("PTA", "0.0", "2.0", "NPU:1"), ("PTA+GE", "0.0", "2.0", "NPU:1")],
        )  # fmt: skip
        block, = [row for row in self.rows(folder, "operator_memory.csv")
                  if row["Device Type"] != "CPU"]  # fmt: skip
        self.assertEqual((block["Size(KB)"], block["Release Total Allocated(MB)"]), ("1024.0", "0.0"))

    def test_without_operators(self):
        """Blocks have no names then, but nothing else is missing."""
        self.strobe("run", "-o", self.out, "--collect", "memory", "--export", "csv", "--",
                    PYTHON, self.script("script.py", SCRIPT))  # fmt: skip
        rows = self.rows(self.result() / "ASCEND_PROFILER_OUTPUT", "operator_memory.csv")
        self.assertEqual({row["Name"] for row in rows}, {""})
        self.assertIn("3.90625", {row["Size(KB)"] for row in rows})

    def test_windows(self):
        """Memory is released in another window than it was allocated in."""
        script = self.script(
            "steps.py",
            "import torch\n"
            "from strobe import profiler\n"
            "kept = []\n"
            "schedule = profiler.schedule(wait=0, warmup=1, active=1, repeat=2)\n"
            "handler = profiler.tensorboard_trace_handler(%r)\n"
            "with profiler.profile(schedule=schedule, on_trace_ready=handler,\n"
            "                      profile_memory=True) as prof:\n"
            "    for step in range(4):\n"
            "        kept.append(torch.empty(100 + step))\n"
            "        if step == 3: kept.clear()\n"
            "        prof.step()\n" % str(self.out),
        )
        environment = dict(self.environment, PYTHONPATH=str(BUILD / "python"))
        done = subprocess.run([PYTHON, script], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        first, second = self.results()
        rows = self.rows(first / "ASCEND_PROFILER_OUTPUT", "memory_record.csv")
        self.assertEqual([float(row["Total Allocated(MB)"]) * 1048576 for row in rows], [804])
        rows = self.rows(second / "ASCEND_PROFILER_OUTPUT", "memory_record.csv")
        totals = [float(row["Total Allocated(MB)"]) * 1048576 for row in rows]
        self.assertEqual(totals[0], 400 + 404 + 408 + 412)
        self.assertEqual((totals[-1], len(totals)), (0, 5))


if __name__ == "__main__":
    unittest.main()
