# SPDX-License-Identifier: Apache-2.0
"""Imports traces of PyTorch's profiler and other Chrome traces, and exports them again.

Cases on real traces need STROBE_DATA, the folder with kineto/ in it (default: ../shared/data next
to the source tree), and are skipped without it.
"""

import gzip
import json
import os
import pathlib
import unittest

import kineto
from support import TOP, StrobeTest
from trace_file import trace_events

DATA = pathlib.Path(os.environ.get("STROBE_DATA") or TOP.parent / "shared" / "data") / "kineto"


class KinetoTest(StrobeTest):
    def import_trace(self, source, *flags):
        """The messages of `strobe import` about the trace, and the folder with the output files."""
        done = self.strobe("import", "--json", "-o", self.out, *flags, source)
        made = json.loads(done.stdout)[0]
        return made, pathlib.Path(made["output"])

    def make_source(self, trace, name="made.pt.trace.json"):
        path = self.work / name
        path.write_text(trace if isinstance(trace, str) else json.dumps(trace))
        return path

    def exported(self, source, *flags):
        made, output = self.import_trace(source, "--export", "tensorboard", *flags)
        found = list(output.glob("*.pt.trace.json*"))
        self.assertEqual(len(found), 1, found)
        return made, found[0]

    def check_round_trip(self, source):
        """After an export, every event and member is there again unchanged."""
        _, path = self.exported(source)
        original, again = kineto.read(source), kineto.read(path)
        self.assertEqual(kineto.events(again), kineto.events(original))
        self.assertEqual(kineto.members(again), kineto.members(original))
        self.assertEqual(kineto.flow_events(again, "ac2g"),
                         kineto.whole(kineto.flow_events(original, "ac2g")))
        known = {(each[0],) + each[2:] for each in kineto.flow_events(original, "fwdbwd")}
        for flow_event in kineto.flow_events(again, "fwdbwd"):  # these are numbered anew
            self.assertIn((flow_event[0],) + flow_event[2:], known)
        self.out = self.work / "again"
        _, third = self.exported(path)
        third, again = kineto.read(third), kineto.read(path)
        for trace in (third, again):
            trace.pop("traceName")
            trace["traceEvents"].sort(key=repr)
        self.assertEqual(third, again)

    def test_round_trip(self):
        self.check_round_trip(self.make_source(kineto.made()))

    def test_flow_events(self):
        _, path = self.exported(self.make_source(kineto.made()))
        trace = kineto.read(path)
        base = kineto.BASE
        self.assertEqual(kineto.flow_events(trace, "ac2g"), [
            ("f", 50, 0, 7, base + 40000), ("f", 53, 0, 7, base + 95000),
            ("s", 50, 100, 100, base + 30000), ("s", 53, 100, 100, base + 94000)])
        self.assertEqual(kineto.flow_events(trace, "fwdbwd"), [
            ("f", 1, 100, 101, base + 300000), ("s", 1, 100, 100, base + 20125)])

    def test_members_come_first(self):
        _, path = self.exported(self.make_source(kineto.made()))
        self.assertEqual(list(kineto.read(path))[:4],
                         ["schemaVersion", "deviceProperties", "distributedInfo", "record_shapes"])

    def test_kinds(self):
        made, _ = self.import_trace(self.make_source(kineto.made()), "--export", "stacks")
        self.assertEqual(made["importer"], "chrome_trace")
        self.assertEqual(made["damaged"], [])
        kinds = {each["part"]: each["count"] for each in made["kinds"]}
        self.assertEqual(
            {name: kinds[name] for name in (
                "cpu_op", "step", "python_call", "api_call", "device_task", "comm_op",
                "memory_event", "marker", "counter")},
            {"cpu_op": 3, "step": 1, "python_call": 2, "api_call": 1, "device_task": 2,
             "comm_op": 1, "memory_event": 1, "marker": 1, "counter": 1})

    def test_compressed_in_and_out(self):
        source = self.work / "made.pt.trace.json.gz"
        source.write_bytes(gzip.compress(json.dumps(kineto.made()).encode()))
        _, path = self.exported(source, "--export", "tensorboard:gzip=true,worker=w-1")
        self.assertRegex(path.name, r"^w-1\.\d+\.pt\.trace\.json\.gz$")
        self.assertEqual(kineto.events(kineto.read(path)), kineto.events(kineto.made()))

    def test_other_exporters(self):
        """The trace in Ascend's form, the tables and the database accept such a capture too."""
        made, output = self.import_trace(
            self.make_source(kineto.made()), "--export", "chrome_trace", "--export", "csv",
            "--export", "stacks")
        trace = trace_events((output / "trace_view.json").read_text())
        names = {event["name"] for event in trace}
        for name in ("aten::mm", "cudaLaunchKernel", "void gemm<float>(int)", "ProfilerStep#7",
                     "nn.Module: Linear_0", "Activity Buffer Request"):
            self.assertIn(name, {each.rpartition("@")[2] for each in names} | names)
        self.assertEqual(sum(event["name"] == "ProfilerStep#7" and event["cat"] == "cpu_op"
                             for event in trace if event["ph"] == "X" and "cat" in event), 1)

    def test_any_chrome_trace(self):
        source = self.make_source(
            '[{"name": "a", "ph": "B", "pid": 1, "tid": 2, "ts": 5, "args": {"x": 1}},\n'
            '{"name": "p", "ph": "Q", "pid": 1, "tid": 2, "ts": 5.5},\n'
            '{"name": "flow", "ph": "s", "pid": 1, "tid": 2, "ts": 6, "id": "0x1", "cat": "c"},\n'
            '{"name": "flow", "ph": "f", "pid": 1, "tid": 3, "ts": 7, "id": "0x1", "cat": "c"},\n'
            '{"name": "async", "ph": "b", "pid": 1, "tid": 2, "ts": 6, "id": 9, "cat": "c"},\n'
            '{"name": "async", "ph": "e", "pid": 1, "tid": 2, "ts": 8, "id": 9, "cat": "c"},\n'
            '{"ph": "E", "pid": 1, "tid": 2, "ts": 9, "args": {"y": 2}},\n', "log.json")
        made, path = self.exported(source)
        self.assertEqual(made["damaged"], [])
        found = {(event["ph"], event["name"]): event
                 for event in kineto.read(path)["traceEvents"] if event["ph"] != "M"}
        self.assertEqual(found["X", "a"]["args"], {"x": 1, "y": 2})
        self.assertEqual(float(found["X", "a"]["dur"]), 4)
        self.assertEqual(sorted(found), [("Q", "p"), ("X", "a"), ("b", "async"), ("e", "async"),
                                         ("f", "flow"), ("s", "flow")])

    def test_damage_is_told(self):
        text = json.dumps(kineto.made())
        source = self.make_source(text.replace('"Ev Idx": 1}', '"Ev Idx": nonsense}', 1))
        made, path = self.exported(source)
        self.assertEqual(len(made["damaged"]), 1, made["damaged"])
        whole = {event[2] for event in kineto.events(kineto.made())}
        found = {event[2] for event in kineto.events(kineto.read(path))}
        self.assertEqual(whole - found, {"aten::mm"})
        cut = self.make_source(text[: len(text) // 2], "cut.json")
        self.out = self.work / "cut"
        made, _ = self.exported(cut)
        self.assertIn("the file ends too early", json.dumps(made["damaged"]))

    def real(self):
        if not DATA.is_dir():
            self.skipTest("no real traces in %s" % DATA)
        return sorted(DATA.glob("*.json.gz"))

    def test_real_traces(self):
        for source in self.real():
            with self.subTest(source=source.name):
                self.out = self.work / source.name
                self.check_round_trip(source)

    def test_real_traces_in_other_forms(self):
        for source in self.real():
            with self.subTest(source=source.name):
                self.out = self.work / source.name
                made, output = self.import_trace(source, "--export", "chrome_trace")
                self.assertEqual(made["damaged"], [])
                trace = trace_events((output / "trace_view.json").read_text())
                kernels = [event for event in kineto.read(source)["traceEvents"]
                           if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
                found = [event["name"] for event in trace if event["ph"] == "X"]
                for event in kernels:
                    self.assertIn(event["name"], found)


if __name__ == "__main__":
    unittest.main()
