# SPDX-License-Identifier: Apache-2.0
"""Results of an Ascend host as text: the import reads everything that each file of a source
contains, also from a single file, at level 0, from truncated files, and with the data that the tool
derived.

Cases on real results need STROBE_DATA, the folder with ascend/ in it (default: ../shared/data next
to the source tree), and are skipped without it.
"""

import collections
import csv
import json
import os
import pathlib
import shutil
import unittest

from support import TOP, StrobeTest

DATA = pathlib.Path(os.environ.get("STROBE_DATA") or TOP.parent / "shared" / "data")
TEXT = DATA / "ascend" / "text_level1_rank0_ascend_pt"
OUTPUT = "ASCEND_PROFILER_OUTPUT"
real = unittest.skipUnless(TEXT.is_dir(), "no real results here (STROBE_DATA)")

# Things that the tool removes from a trace of level 0.
PRUNED = ("CANN", "AscendCL", "Runtime", "GE", "Node", "Model", "Hccl", "acl_to_npu",
          "Communication@")
KERNELS_L0 = ("Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),"
              "Block Dim").split(",")


MARKS, HARDWARE, OVERLAP = (77 << 10 | index << 5 for index in (6, 13, 23))
SEPARATE = ("process_labels", "process_sort_index", "thread_name", "thread_sort_index")


def operator(name, tid, ts, **args):
    return {"ph": "X", "name": name, "pid": 77, "tid": tid, "ts": ts, "dur": 2.5, "cat": "cpu_op",
            "args": {"Sequence number": 4, "Fwd thread id": tid - 78, **args}}


def flow_event(phase, category, name, number, tid, ts):
    return {"ph": phase, "bp": "e", "name": name, "id": number, "pid": 77, "tid": tid, "ts": ts,
            "cat": category}


def queue(name, category, tid, ts):
    return {"ph": "X", "name": name, "pid": 77, "tid": tid, "ts": ts, "dur": 1.0, "cat": category,
            "args": {"correlation_id": 9}}


# Data in a trace for which no kind has a field, and data that the tool derived.
EVENTS = [
    {"ph": "M", "name": "process_name", "pid": 77, "tid": 0, "args": {"name": "Python"}},
    {"name": "process_name", "pid": MARKS, "tid": 0, "args": {"name": "python3"}, "ph": "M"},
    {"name": "process_name", "pid": HARDWARE, "tid": 0, "args": {"name": "Ascend Hardware"},
     "ph": "M"},
    {"name": "process_labels", "pid": HARDWARE, "tid": 0, "args": {"labels": "NPU"}, "ph": "M"},
    {"name": "process_name", "pid": OVERLAP, "tid": 0, "args": {"name": "Overlap Analysis"},
     "ph": "M"},
    {"name": "process_labels", "pid": OVERLAP, "tid": 0, "args": {"labels": "NPU"}, "ph": "M"},
    operator("aten::mm", 78, "1000000.000", **{"Input Dims": "2,3;\r\n3", "Module Hierarchy": "A.B",
                                               "flops": "12", "novel": {"x": [1, 2.5]}}),
    queue("Enqueue", "enqueue", 78, "1000001.000"),
    flow_event("s", "async_task_queue", "enqueue_to_dequeue", 9, 78, "1000001.000"),
    flow_event("s", "fwdbwd", "fwdbwd", 4, 78, "1000000.000"),
    flow_event("f", "fwdbwd", "fwdbwd", 4, 79, "1000003.000"),
    operator("MmBackward0", 79, "1000003.000"),
    queue("Dequeue@mm", "dequeue", 80, "1000007.000"),
    flow_event("f", "async_task_queue", "enqueue_to_dequeue", 9, 80, "1000007.000"),
    {"name": "mark", "pid": MARKS, "tid": 78, "ts": "1000000.100", "dur": 0.0, "ph": "X",
     "args": {"event_type": "marker_ex", "domain": "d"}},
    {"name": "range", "pid": MARKS, "tid": 78, "ts": "1000000.100", "dur": 1.0, "ph": "X",
     "args": {"event_type": "push/pop", "domain": "d", "Category": "7"}},
    {"name": "PA Link Rx", "ts": "1000000.100", "pid": HARDWARE, "tid": 0,
     "args": {"PA Link ID 0": 1}, "ph": "C"},
    {"name": "Free", "pid": OVERLAP, "tid": 3, "ts": "1000000.100", "dur": 1.5, "ph": "X"},
]
KERNELS = (
    "Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,"
    "Start Time(us),Duration(us),Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,"
    "Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID,"
    "aicore_time(us),aic_total_cycles\r\n"
    '13,0,4294967295,7,2,mm,MatMul,dynamic,AI_CORE,1000005.000\t,2.250,0,8,0,NO,"""2,3;;3""",'
    'FLOAT;FLOAT;FLOAT,ND;ND;ND,"""2""",FLOAT,ND,N/A,1.5,1200\r\n'
    "13,0,4294967295,N/A,N/A,hcom_allReduce__1,hcom_allReduce_,N/A,COMMUNICATION,1000008.000\t,"
    "4.500,0.750000,0,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A\r\n"
    '14,0,4294967295,8,2,mm,MatMul,dynamic,AI_CORE,1000020.000\t,2.000,7.500000,8,0,NO,"""2""",'
    'FLOAT,ND,"""2""",FLOAT,ND,N/A,1.5,1200\r\n'
)
MODULES = "Component,Timestamp(us),Total Reserved(MB),Device\r\nSLOG,1000005.000\t,1.5,NPU:0\r\n"


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_rows(path, titles, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, titles)
        writer.writeheader()
        writer.writerows(rows)


class TextTest(StrobeTest):
    def copy(self, keep=lambda name: True):
        """A copy of the real source with only these files of the output."""
        source = self.work / "source"
        (source / OUTPUT).mkdir(parents=True)
        for path in TEXT.glob("*.json"):
            shutil.copyfile(path, source / path.name)
        for path in (TEXT / OUTPUT).iterdir():
            if keep(path.name):
                shutil.copyfile(path, source / OUTPUT / path.name)
        return source

    def import_folder(self, source, *flags):
        done = self.strobe("import", "--json", "-o", self.out, *flags, source)
        (made,) = json.loads(done.stdout)
        for part in ("kinds", "found"):
            made[part] = {item["part"]: item["count"] for item in made[part]}
        return made

    def make(self, **files):
        source = self.work / "made" / OUTPUT
        source.mkdir(parents=True)
        for name, content in files.items():
            (source / name.replace("_", ".")).write_text(content, encoding="utf-8", newline="")
        return source.parent

    def test_all_comes_back(self):
        """Arguments, marks and arrows of a made trace come back, and the layer that was derived."""
        made = self.import_folder(self.make(trace_json=json.dumps(EVENTS)), "--derived", "source",
                                  "--export", "chrome_trace")
        mine = json.loads((pathlib.Path(made["output"]) / "trace_view.json").read_text("utf-8"))
        mine, theirs = (collections.Counter(json.dumps(e) for e in events
                                            if e["name"] not in SEPARATE)
                        for events in (mine, EVENTS))
        self.assertEqual((sorted(mine - theirs), sorted(theirs - mine)), ([], []))

    def test_trace_alone(self):
        """The file alone is read like the same file in its folder; another tool's array is not."""
        source = self.make(trace_json=json.dumps(EVENTS))
        folder = self.import_folder(source)
        alone = self.import_folder(source / OUTPUT / "trace.json")
        self.assertEqual(alone["importer"], "ascend_text")
        self.assertEqual(alone["kinds"], folder["kinds"])
        self.assertEqual(alone["found"], folder["found"])
        self.assertGreater(alone["kinds"]["cpu_op"], 0)
        other = self.work / "other.json"
        for events in ([dict(event, ts=1.5) for event in EVENTS],
                       [{"name": "x", "ph": "X", "pid": 1, "tid": 1, "ts": "1.000", "dur": 1}]):
            other.write_text(json.dumps(events))
            self.assertEqual(self.import_folder(other)["importer"], "chrome_trace")

    @real
    def test_trace_tells_kernels_by_their_names(self):
        """The division of time is the same as with the table of kernels."""
        outputs = []
        for names in ({"trace_view.json"}, {"trace_view.json", "kernel_details.csv"}):
            shutil.rmtree(self.work / "source", ignore_errors=True)
            shutil.rmtree(self.out, ignore_errors=True)
            self.strobe("import", self.copy(names.__contains__), "-o", self.out, "--export", "csv")
            outputs.append(self.result() / OUTPUT)
            outputs[-1] = [rows_of(outputs[-1] / name) for name in
                           ("step_trace_time.csv", "kernel_details.csv")]
        self.assertEqual(outputs[0][0], outputs[1][0])
        self.assertEqual(*([(row["Name"], row["Start Time(us)"], row["Duration(us)"]) for row in
                            kernels] for _, kernels in outputs))

    def test_kernels_alone(self):
        """For the second generation only tables were published: their cells come back unchanged."""
        made = self.import_folder(self.make(k_csv=KERNELS), "--export", "csv")
        output = pathlib.Path(made["output"])
        text = (output / "kernel_details.csv").read_bytes().decode()
        self.assertEqual(text.splitlines(), KERNELS.splitlines())
        steps = rows_of(output / "step_trace_time.csv")
        self.assertEqual([row["Step"] for row in steps], ["13", "14"])
        self.assertEqual([row["Computing"] for row in steps], ["2.25", "2.0"])
        self.assertEqual([row["Communication"] for row in steps], ["4.5", "0"])
        self.assertEqual([row["Preparing"] for row in steps], ["0", "0"])

    @real
    def test_all_is_found(self):
        made = self.import_folder(TEXT, "--export", "stacks")
        counts = made["kinds"]
        events = json.loads((TEXT / OUTPUT / "trace_view.json").read_text(encoding="utf-8"))
        memory = collections.Counter(
            row["Component"] for row in rows_of(TEXT / OUTPUT / "memory_record.csv"))
        self.assertEqual((made["damaged"], made["unknown"]), ([], []))
        self.assertEqual(made["found"]["trace_view.json"], len(events))
        self.assertEqual(counts["cpu_op"], sum(e.get("cat") == "cpu_op" for e in events))
        kernels = rows_of(TEXT / OUTPUT / "kernel_details.csv")
        self.assertEqual(made["found"]["kernel_details.csv"], len(kernels))
        self.assertEqual(counts["device_pmu"],
                         sum(row["aicore_time(us)"] != "N/A" for row in kernels))
        self.assertEqual(counts["memory_event"], memory["PTA"] + memory["GE"])
        self.assertEqual(counts["module_memory"],
                         len(rows_of(TEXT / OUTPUT / "npu_module_mem.csv")))
        self.assertEqual(counts["l2_cache"], len(rows_of(TEXT / OUTPUT / "l2_cache.csv")))
        # One record for each sample: DDR and HBM, of the program and of the device.
        self.assertEqual(counts["memory_usage"], 2 * memory["APP"])
        self.assertNotIn("overlap", counts)

    @real
    def test_counters_are_one_record_a_sample(self):
        counts = self.import_folder(TEXT, "--export", "stacks")["kinds"]
        events = json.loads((TEXT / OUTPUT / "trace_view.json").read_text(encoding="utf-8"))
        samples = {(e["ts"], e["args"]["acc_id"]) for e in events if "acc_id" in e.get("args", {})}
        self.assertEqual(counts["acc_pmu"], len(samples))
        self.assertEqual(counts["llc"],
                         sum(e["name"].endswith("/Throughput") for e in events if e["ph"] == "C"))

    @real
    def test_tables_alone(self):
        """Without the trace the kernels are the same, with their steps and metrics."""
        kinds = "csv:kinds=kernel_detail+l2_cache+device_pmu"
        whole = self.import_folder(TEXT, "--export", kinds)
        alone = self.import_folder(self.copy(lambda name: name.endswith(".csv")), "--export", kinds)
        names = ["kernel_details.csv", "l2_cache.csv"]
        for name in names:
            mine = rows_of(pathlib.Path(alone["output"]) / name)
            theirs = rows_of(TEXT / OUTPUT / name)
            self.assertEqual(len(mine), len(theirs))
            for title in set(mine[0]) & set(theirs[0]) - {"Duration(us)", "Wait Time(us)"}:
                self.assertEqual([row[title] for row in mine], [row[title] for row in theirs],
                                 (name, title))
        self.assertEqual(alone["kinds"]["device_pmu"], whole["kinds"]["device_pmu"])
        self.assertEqual(alone["kinds"]["memory_event"], whole["kinds"]["memory_event"])

    @real
    def test_level_0(self):
        """A source as the tool reduces it at level 0: there are no calls, their layer has no name, and
        kernels have no streams."""
        source = self.copy(lambda name: name in ("trace_view.json", "kernel_details.csv"))
        trace = source / OUTPUT / "trace_view.json"
        events = [event for event in json.loads(trace.read_text(encoding="utf-8"))
                  if not event["name"].startswith(PRUNED)
                  and event.get("args", {}).get("name") not in PRUNED]
        trace.write_text(json.dumps(events), encoding="utf-8")
        kernels = [{title: row[title] for title in KERNELS_L0}
                   for row in rows_of(TEXT / OUTPUT / "kernel_details.csv")]
        for row in kernels:
            row["Type"], row["Block Dim"] = "N/A", "0"
            if row["Accelerator Core"] != "HCCL":
                row["Accelerator Core"] = "N/A"
        write_rows(source / OUTPUT / "kernel_details.csv", KERNELS_L0, kernels)
        info = source / "profiler_info_0.json"
        info.write_text(info.read_text().replace("Level1", "Level0"))
        made = self.import_folder(source, "--export", "chrome_trace", "--export",
                                  "csv:kinds=kernel_detail+overlap")
        output = pathlib.Path(made["output"])
        self.assertNotIn("api_call", made["kinds"])
        mine = json.loads((output / "trace_view.json").read_text(encoding="utf-8"))
        for phase in "sfMC":
            theirs = [json.dumps(e) for e in events
                      if e["ph"] == phase and e.get("cat") != "async_npu"]
            own = [json.dumps(e) for e in mine
                   if e["ph"] == phase and e.get("cat") != "async_npu"]
            self.assertEqual(sorted(own), sorted(theirs), phase)
        self.assertEqual([row["Name"] for row in rows_of(output / "kernel_details.csv")],
                         [row["Name"] for row in kernels])
        self.assertEqual([row["Step Id"] for row in rows_of(output / "kernel_details.csv")],
                         [row["Step Id"] for row in kernels])

    @real
    def test_derived_is_not_read(self):
        """Without the data that the tool derived, the export is the same to the byte."""
        flags = ("--export", "chrome_trace", "--export", "comm_json", "--export",
                 "csv:kinds=op_statistic+api_statistic+step_trace+operator_device+kernel_detail")
        derived = ("op_statistic.csv", "api_statistic.csv", "step_trace_time.csv",
                   "operator_details.csv", "communication_matrix.json")
        whole = pathlib.Path(self.import_folder(self.copy(), *flags)["output"])
        shutil.rmtree(self.work / "source")
        source = self.copy(lambda name: name not in derived)
        trace = source / OUTPUT / "trace_view.json"
        events = json.loads(trace.read_text(encoding="utf-8"))
        layer = {e["pid"] for e in events if e["name"] == "process_name" and
                 e["args"]["name"] == "Overlap Analysis"}
        trace.write_text(json.dumps([e for e in events if e.get("cat") != "async_npu" and
                                     not (e["pid"] in layer and e["ph"] == "X")]))
        again = pathlib.Path(self.import_folder(source, *flags)["output"])
        for path in sorted(whole.iterdir()):
            self.assertEqual((again / path.name).read_bytes(), path.read_bytes(), path.name)

    @real
    def test_derived_is_kept(self):
        """All of the original's files come back: each cell, each event, each number."""
        made = self.import_folder(TEXT, "--derived", "source", "--export", "comm_json", "--export",
                                  "chrome_trace", "--export", "csv")
        output = pathlib.Path(made["output"])
        for path in sorted((TEXT / OUTPUT).glob("*.csv")):
            mine, theirs = (path.read_text("utf-8").replace("\r\n", "\n").splitlines()
                            for path in (output / path.name, path))
            self.assertEqual(mine, theirs, path.name)
        for name in ("communication.json", "communication_matrix.json"):
            self.assertEqual((output / name).read_bytes(), (TEXT / OUTPUT / name).read_bytes())
        mine, theirs = (collections.Counter(map(json.dumps, json.loads(
            (folder / "trace_view.json").read_text("utf-8")))) for folder in (output, TEXT / OUTPUT))
        self.assertEqual((mine - theirs, theirs - mine), (collections.Counter(),) * 2)
        self.assertEqual(made["kinds"]["kernel_link"], 210)
        self.assertEqual(made["kinds"]["memory_block"],
                         len(rows_of(TEXT / OUTPUT / "operator_memory.csv")))

    def check_twice(self, source, *flags):
        """An export of the exported files gives the same files again, to the byte."""
        first = pathlib.Path(self.import_folder(source, *flags)["output"])
        self.out = self.work / "again"
        again = pathlib.Path(self.import_folder(first.parent, *flags)["output"])
        self.assertEqual(sorted(path.name for path in again.iterdir()),
                         sorted(path.name for path in first.iterdir()))
        for path in sorted(first.iterdir()):
            if path.suffix != ".db":
                self.assertEqual((again / path.name).read_bytes(), path.read_bytes(), path.name)

    def test_twice(self):
        self.check_twice(self.make(trace_json=json.dumps(EVENTS), k_csv=KERNELS))

    def test_twice_tables(self):
        """A table alone, also of level 0, becomes a trace with a table."""
        level0 = [",".join(KERNELS_L0), "13,mm,N/A,N/A,1000005.000\t,2.25,0,0",
                  "13,hcom_allReduce__1,N/A,HCCL,1000008.000\t,4.5,0.75,0", ""]
        for name, text in {"level 1": KERNELS, "level 0": "\r\n".join(level0)}.items():
            with self.subTest(name):
                self.out = self.work / name
                shutil.rmtree(self.work / "made", ignore_errors=True)
                shutil.rmtree(self.work / "again", ignore_errors=True)
                self.check_twice(self.make(k_csv=text, m_csv=MODULES))

    @real
    def test_twice_real(self):
        self.check_twice(TEXT, "--format", "ascend_text")

    @real
    def test_cuts(self):
        """Every file is cut in the middle: a message says which file and where, and the rest is
        read."""
        whole = self.import_folder(TEXT, "--export", "stacks")["kinds"]
        for name in ("trace_view.json", "kernel_details.csv", "memory_record.csv",
                     "operator_memory.csv", "l2_cache.csv"):
            with self.subTest(name):
                source = self.copy()
                path = source / OUTPUT / name
                content = path.read_bytes()
                path.write_bytes(content[:len(content) // 2 + 3])
                made = self.import_folder(source, "--export", "stacks")
                self.assertTrue(made["damaged"], name)
                self.assertIn(name, json.dumps(made["damaged"]))
                self.assertEqual(made["kinds"]["module_memory"], whole["module_memory"])
                shutil.rmtree(source)


class DroppedPartTest(StrobeTest):
    """If a table is damaged as a whole, none of it is used, and the result is incomplete."""

    def make(self, *rows):
        source = self.work / "source" / OUTPUT
        source.mkdir(parents=True, exist_ok=True)
        event = {"ph": "X", "name": "aten::mm", "pid": 7, "tid": 7, "ts": "1000.000", "dur": 1,
                 "cat": "cpu_op", "args": {}}
        (source / "trace_view.json").write_text(json.dumps([event]))
        header = "Component,Timestamp(us),Total Reserved(MB),Device"
        (source / "npu_module_mem.csv").write_text("\r\n".join((header, *rows, "")))
        return source.parent

    def import_strictly(self, source, code):
        done = self.strobe("import", "--json", "--strict", "-o", self.out, "--export", "csv", source,
                           code=code)
        return json.loads(done.stdout)[0]

    def test_whole(self):
        made = self.import_strictly(self.make("SLOG,none,0.0,NPU:0", "HCCL,,1.0,NPU:0"), 6)
        self.assertFalse(made["complete"])
        self.assertIn("ascend_text: npu_module_mem.csv: nothing of it could be read",
                      made["missing"])
        again = self.json("analyse", "--json", made["directory"])[0]
        self.assertFalse(again["complete"])

    def test_part(self):
        """If one row of a table is damaged, the rest of the table is used; the result is complete
        and lists the row."""
        made = self.import_strictly(self.make("SLOG,none,0.0,NPU:0", "HCCL,1.0,1.0,NPU:0"), 0)
        self.assertTrue(made["complete"])
        self.assertEqual(len(made["damaged"]), 1)


if __name__ == "__main__":
    unittest.main()
