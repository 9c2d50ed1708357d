# SPDX-License-Identifier: Apache-2.0
"""Layers that only some options and chips have in a trace: an import keeps them unchanged."""

import json
import unittest

from support import StrobeTest

BEGIN = 1764246877072000
PID, DEVICE = 4711, 3
# Layer: (sort index, label).
LAYERS = {
    "Ascend Hardware": (14, "NPU 3"),
    "Stars Chip Trans": (26, "NPU 3"),
    "CCU": (30, "NPU 3"),
    "Biu Perf": (32, "NPU 3"),
    "Ub": (33, "NPU 3"),
    "Block Detail": (34, "NPU 3"),
    "Fusion Task": (35, "NPU 3"),
}


def pid_of(layer):
    """The process id as the original computes it: an index from 32 on changes the bits of the
    process."""
    return (PID << 10) | (LAYERS[layer][0] << 5) | DEVICE


def layer_events():
    for name, (index, label) in LAYERS.items():
        for kind, args in (("process_name", {"name": name}), ("process_labels", {"labels": label}),
                           ("process_sort_index", {"sort_index": index})):
            yield {"name": kind, "pid": pid_of(name), "tid": 0, "ph": "M", "args": args}


def thread_events():
    threads = (("CCU", 0, "Communication"), ("Biu Perf", 2, "Group 2 Cube"), ("Ub", 1, "Port 1"),
               ("Block Detail", 7, "Block 7"), ("Fusion Task", 4, "Stream 4"),
               ("Ascend Hardware", 70003, "Step Trace(Model ID:3)"))
    for layer, tid, name in threads:
        yield {"name": "thread_name", "pid": pid_of(layer), "tid": tid, "ph": "M", "args": {"name": name}}
        yield {"name": "thread_sort_index", "pid": pid_of(layer), "tid": tid, "ph": "M",
               "args": {"sort_index": tid}}


def span(layer, tid, name, at, duration, category=None, **args):
    event = {"name": name, "pid": pid_of(layer), "tid": tid, "ts": "%d.%03d" % (BEGIN + at, at % 1000),
             "dur": duration, "ph": "X", "args": args}
    return {**event, "cat": category} if category else event


def counter(layer, name, at, **args):
    return {"name": name, "pid": pid_of(layer), "tid": 0, "ts": "%d.000" % (BEGIN + at), "ph": "C",
            "args": args}


def spans():
    return [
        span("CCU", 0, "CcuLaunch", 10, 5.25, **{"Die Id": 1, "Mission Id": 2, "Ccu Task Id": 7}),
        span("Biu Perf", 2, "Cube", 20, 1.5, **{"Core Id": 4}),
        span("Ub", 1, "UbTransfer", 22, 2.0, **{"bytes": 4096}),
        span("Block Detail", 7, "MatMul", 30, 8.0, **{"Physic Stream Id": 2, "Block Id": 7}),
        span("Fusion Task", 4, "Fused", 33, 4.0, **{"Model Id": 4294967295}),
        span("Ascend Hardware", 70003, "Iteration 1", 0, 90.0, "Iteration Time",
             **{"Iteration ID": 1, "FP Start": "1764246877072001.000", "BP End": "1764246877072080.000",
                "Iteration End": "1764246877072090.000", "Iteration Time(us)": 90.0}),
        span("Ascend Hardware", 70003, "FP_BP Time 1", 1, 79.0, **{"Iteration ID": 1}),
        span("Ascend Hardware", 70003, "Iteration Refresh 1", 80, 10.0, **{"Iteration ID": 1}),
        span("Ascend Hardware", 70003, "Reduce_1_0", 60, 15.0, "Reduce", **{"Iteration ID": 1}),
        span("Ascend Hardware", 70003, "GetNext", 2, 3.0, **{"Iteration ID": 1}),
    ]


def counters():
    return [counter("Stars Chip Trans", name, at, **{key: value})
            for at, (name, key, value) in enumerate((
                ("PA Link Rx", "PA Link ID 0", 12.5), ("PA Link Tx", "PA Link ID 0", 7),
                ("PA Link Rx", "PA Link ID 1", 0), ("PCIE Read Bandwidth", "PCIE ID 0", 100.25),
                ("PCIE Write Bandwidth", "PCIE ID 0", 3)))]


CALL = "Api@DpuKernel"  # the host's layer CANN has calls with a level
DPU_PID = (PID << 10) | (8 << 5) | DEVICE
DPU = [
    {"name": "process_name", "pid": DPU_PID, "tid": 0, "ph": "M", "args": {"name": "CANN"}},
    {"name": "process_labels", "pid": DPU_PID, "tid": 0, "ph": "M", "args": {"labels": "DPU 3"}},
    {"name": "DpuKernel", "pid": DPU_PID, "tid": 5, "ts": "%d.012" % (BEGIN + 12), "dur": 3.5, "ph": "X",
     "args": {"Task Id": 9}},
]


class RareLayersTest(StrobeTest):
    def setUp(self):
        super().setUp()
        folder = self.work / "results" / "node_4711_20251127000000000_ascend_pt"
        output = folder / "ASCEND_PROFILER_OUTPUT"
        output.mkdir(parents=True)
        self.events = [*layer_events(), *thread_events(), *spans(), *counters()]
        (output / "trace_view.json").write_text(json.dumps(self.events + DPU))
        (folder / "profiler_info_0.json").write_text("{}")
        self.strobe("import", folder, "-o", self.out, "--export", "chrome_trace",
                    "--generation", "3")
        (path,) = self.out.rglob("trace_view.json")
        with open(path) as file:
            self.made = json.load(file)

    def test_calls_of_a_dpu(self):
        """A DPU has its own layer CANN; its calls are imported like calls of the host's layer."""
        (made,) = (event for event in self.made if event["name"] == CALL)
        (source,) = (event for event in DPU if event["ph"] == "X")
        for key in ("ts", "dur", "ph", "tid"):
            self.assertEqual(made[key], source[key])
        self.assertEqual(made["args"]["Task Id"], 9)
        self.assertIn({"name": "process_name", "pid": made["pid"], "tid": 0, "ph": "M",
                       "args": {"name": "CANN"}}, self.made)

    def of(self, events, *kinds):
        return sorted(json.dumps(event, sort_keys=True) for event in events if event["ph"] in kinds)

    def test_spans(self):
        made = [event for event in self.made if event["name"] != CALL]
        self.assertEqual(self.of(made, "X"), self.of(self.events, "X"))

    def test_counters(self):
        self.assertEqual(self.of(self.made, "C"), self.of(self.events, "C"))

    def test_names(self):
        """The host's calls keep their names."""
        made = [event for event in self.made if event["pid"] & 31 == DEVICE]
        self.assertEqual(self.of(made, "M"), self.of(self.events, "M"))


if __name__ == "__main__":
    unittest.main()
