# SPDX-License-Identifier: Apache-2.0
"""Programs with marks of mstx, NVTX and ITT, made by the published calling sequences."""

import os
import subprocess
import unittest

import tap
from support import BUILD, PYTHON, StrobeTest, has_torch, needs_python, program

SHIM = str(BUILD / "plugins" / "mstx")


class MarkupTest(StrobeTest):
    def rows(self, table, columns):
        shown = self.json("show", self.out, "--table", table, "--columns", columns)
        return shown[0]["rows"]

    def ranges(self, columns="name,marker.domain"):
        """The ranges in the order of their begins."""
        rows = [tuple(row.values()) for row in self.rows("marker", "begin," + columns)]
        return [row[1:] for row in sorted(rows, key=lambda row: row[0])]

    def instants(self, columns="name,marker.domain"):
        return [tuple(row.values()) for row in self.rows("marker_instant", columns)]


@tap.once_test
class MstxTest(MarkupTest):
    def test_alone(self):
        environment = {**self.environment, "LD_LIBRARY_PATH": SHIM}
        done = subprocess.run(
            [program("mstx-linked")], env=environment, capture_output=True, text=True
        )
        self.assertEqual((done.returncode, done.stdout), (0, "0 1 0\n"))

    def test_linked(self):
        done = self.record(program("mstx-linked"), collect=["marker"])
        self.assertEqual(done.stdout, "1 1 0x2000\n")
        self.assertEqual(
            sorted(self.ranges()),
            [
                ("a", "default"),
                ("copied at the call", "default"),
                ("ends elsewhere", "default"),
                ("epoch", "training"),
                ("left by its thread", "default"),
                ("never ends", None),
                ("overlaps a", "default"),
            ],
        )
        self.assertEqual(self.instants(), [("begin", "default"), ("loss", "training")])

    def test_order_of_overlapping_ranges(self):
        self.record(program("mstx-linked"), collect=["marker"])
        times = {row["name"]: row for row in self.rows("marker", "name,begin,duration,track")}
        first, second = times["a"], times["overlaps a"]
        self.assertLess(first["begin"], second["begin"])
        ends = [row["begin"] + row["duration"] for row in (first, second)]
        self.assertLess(*ends)
        self.assertEqual(first["track"], times["ends elsewhere"]["track"])
        self.assertNotEqual(first["track"], times["left by its thread"]["track"])

    def test_memory(self):
        self.record(program("mstx-linked"), collect=["marker"])
        rows = self.rows("marker.region", "name,action,address,size,device")
        self.assertEqual(
            [tuple(row.values()) for row in rows],
            [
                ("training", 2, 0x100000, 4096, 3),
                ("training", 0, 0x100000, 64, 3),
                ("training", 0, 0x100040, 128, 3),
                ("training", 1, 0x100040, None, None),
                ("training", 3, 0x100000, None, None),
            ],
        )

    def test_header_only(self):
        done = self.record(program("mstx-header"), collect=["marker"])
        self.assertEqual(done.stdout, "1 1 1\n")
        self.assertEqual(self.ranges(), [("header", "default")])
        self.assertEqual(self.instants(), [("inside", "default")])

    def test_include(self):
        self.record(program("mstx-linked"), collect=["marker:domain_include=training"])
        self.assertEqual(self.ranges(), [("epoch", "training")])
        self.assertEqual(self.instants(), [("loss", "training")])

    def test_exclude(self):
        self.record(program("mstx-linked"), collect=["marker:domain_exclude=default+other"])
        self.assertEqual(self.ranges(), [("epoch", "training")])

    def test_tool_of_the_user(self):
        self.environment["MSTX_INJECTION_PATH"] = "/nowhere/tool.so"
        done = self.strobe(
            "run", "-o", self.out, "--collect", "marker", "--", program("mstx-header")
        )
        self.assertIn('MSTX_INJECTION_PATH is set already: collector "marker"', done.stderr)
        self.assertEqual(self.results(), [])

    def test_helper_processes_are_no_reason(self):
        self.record("sh", "-c", "true; ls /; exec " + program("mstx-header"), collect=["marker"])
        self.assertEqual(self.ranges(), [("header", "default")])
        self.assertEqual(len(self.results()), 1)

    def test_program_without_marks(self):
        done = self.strobe("run", "-o", self.out, "--collect", "marker", "--", "true")
        self.assertEqual(self.results(), [])
        self.assertIn("Nothing was recorded", done.stderr)


@tap.once_test
class NvtxTest(MarkupTest):
    def test_alone(self):
        done = subprocess.run([program("nvtx-program")], capture_output=True, text=True)
        self.assertEqual(done.stdout, "no tool\n")

    def test_all(self):
        done = self.record(program("nvtx-program"), collect=["marker"])
        self.assertEqual(done.stdout.splitlines(), ["0 1 1 0 -2", "0 0 0 0"])
        columns = "name,argument,marker.domain,marker.event,marker.category,marker.category_name"
        self.assertEqual(
            self.ranges(columns),
            [
                ("outer", None, "default", 1, None, None),
                ("inner ä中😀", None, "default", 1, None, None),
                ("with facts", 1234, "default", 1, 7, "input"),
                ("ends elsewhere", None, "default", 2, None, None),
                ("registered", None, "first", 1, 1, "of first"),
                ("crossed", None, "second", 1, None, None),
                ("registered", None, "first", 2, 1, "of first"),
            ],
        )
        self.assertEqual(self.instants(), [("instant", "default"), ("", "default")])
        self.assertEqual([row["name"] for row in self.rows("marker.thread", "name")], ["trainer"])


@tap.once_test
class IttTest(MarkupTest):
    def test_all(self):
        done = self.record(program("itt-program"), collect=["marker"])
        self.assertEqual(done.stdout, "1 1\n")
        self.assertEqual(
            sorted(self.ranges()),
            [
                ("event", "default"),
                ("inner", "render"),
                ("outer", "render"),
                ("region", "render"),
                ("render", "render"),
                ("render", "render"),
            ],
        )
        self.assertEqual(
            self.instants("name,argument,marker.domain"),
            [("frames", 42, "render"), ("frames", None, "render")],
        )
        counters = self.rows("counter", "name,value")
        self.assertEqual(counters, [{"name": "render/rate", "value": 0.5}])


TORCH_PROGRAM = """
import torch
from torch.profiler import itt
if not itt.is_available():
    print("no ITT")
    raise SystemExit
for _ in range(2):
    itt.range_push("outer")
    itt.mark("moment")
    itt.range_pop()
with torch.autograd.profiler.emit_itt():
    torch.ones(2).add(1)
"""


@needs_python
@unittest.skipUnless(has_torch(), "no PyTorch for %s" % PYTHON)
class TorchTest(MarkupTest):
    def test_itt_of_torch(self):
        """Names that the program makes while the tool is loaded are recorded too."""
        done = self.record(
            PYTHON, self.script("marks.py", TORCH_PROGRAM), collect=["marker", "metadata"]
        )
        if done.stdout:
            self.skipTest("this PyTorch has no ITT")
        names = [name for (name,) in self.ranges("name")]
        self.assertEqual(names[:4], ["outer", "moment"] * 2)
        self.assertIn("aten::add", names)


@tap.once_test
class AllTest(MarkupTest):
    def test_children(self):
        programs = " && ".join(
            program(name) for name in ("mstx-linked", "nvtx-program", "itt-program")
        )
        self.record("sh", "-c", programs, collect=["marker"], flags=["--follow"])
        self.assertEqual(len(self.results()), 3)
        self.assertTrue(all(os.path.isdir(result) for result in self.results()))
