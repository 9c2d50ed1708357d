# SPDX-License-Identifier: Apache-2.0
"""`strobe import`: results of an Ascend host into captures and back into files.

Cases on real results need STROBE_DATA, the folder with ascend/ in it (default: ../shared/data next
to the source tree), and are skipped without it.
"""

import csv
import json
import os
import pathlib
import unittest

from support import TOP, StrobeTest

DATA = pathlib.Path(os.environ.get("STROBE_DATA") or TOP.parent / "shared" / "data")
TEXT = DATA / "ascend" / "text_level1_rank0_ascend_pt"
OUTPUT = "ASCEND_PROFILER_OUTPUT"
KERNELS = (
    "Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),"
    "Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,Input Data Types,"
    "Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID,aicore_time(us),"
    "aic_total_cycles\r\n"
    '4294967295,7,2,mm,MatMul,dynamic,AI_CORE,1000000.500\t,2.260,0,8,0,YES,"""2,3;3""",FLOAT;FLOAT,'
    'ND;ND,"""2,3""",FLOAT,ND,N/A,2.0,3600\r\n'
)
EVENTS = [
    {"ph": "M", "name": "process_name", "pid": 77, "tid": 0, "args": {"name": "Python"}},
    {"ph": "X", "name": "aten::mm", "pid": 77, "tid": 78, "ts": "1000000.000", "dur": 5.5,
     "cat": "cpu_op", "args": {"Sequence number": 4, "Fwd thread id": 0,
                               "Input Dims": "2,3;\r\n3", "novel": 1}},
    {"ph": "M", "name": "process_name", "pid": 79264, "tid": 0,
     "args": {"name": "Ascend Hardware"}},
    {"ph": "M", "name": "process_labels", "pid": 79264, "tid": 0, "args": {"labels": "NPU"}},
    {"name": "mm", "pid": 79264, "tid": 2, "ts": "1000000.500", "dur": 2.2600625, "args":
     {"Model Id": 4294967295, "Task Type": "AI_CORE", "Physic Stream Id": 2, "Task Id": 7,
      "Batch Id": 0, "Subtask Id": 4294967295, "connection_id": 12}, "ph": "X"},
    {"name": "Novelty", "pid": 5, "tid": 2, "ts": "1000001.000", "ph": "X", "dur": 1.5,
     "args": {"deep": [1, {"a": 2.50}]}},
]


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class ImportTest(StrobeTest):
    def import_folder(self, source, *flags, **options):
        done = self.strobe("import", "--json", "-o", self.out, *flags, source, **options)
        return json.loads(done.stdout)[0] if done.stdout.strip() else None

    def make_source(self, trace=None):
        source = self.work / "made" / OUTPUT
        source.mkdir(parents=True)
        (source / "renamed.json").write_text(json.dumps(EVENTS) if trace is None else trace)
        (source / "renamed.csv").write_text(KERNELS, newline="")
        return source.parent

    def test_by_content(self):
        made = self.import_folder(self.make_source(), "--export", "csv")
        output = pathlib.Path(made["output"])
        self.assertEqual(made["importer"], "ascend_text")
        (task,) = rows_of(output / "device_task.csv")
        self.assertEqual(task["op_type"], "MatMul")
        self.assertEqual(task["input_shapes"], '"2,3;3"')
        self.assertEqual(task["exact_us(us)"], "2.2600625")
        self.assertEqual(task["context"], "")
        (pmu,) = rows_of(output / "device_pmu.csv")
        self.assertEqual(pmu["metrics"], "aic_total_time;aic_total_cycles")
        self.assertEqual((pmu["value_00"], pmu["value_01"]), ("2000.0", "3600.0"))
        (op,) = rows_of(output / "operator_details.csv")
        self.assertEqual(op["Input Shapes"], "2,3;\r\n3")

    def test_unknown_is_kept_and_listed(self):
        made = self.import_folder(self.make_source(), "--export", "csv")
        self.assertIn({"part": "trace_view.json", "name": "cpu_op.novel", "count": 1},
                      made["unknown"])
        self.assertIn({"part": "trace_view.json", "name": "X Novelty", "count": 1},
                      made["unknown"])
        (event,) = rows_of(pathlib.Path(made["output"]) / "ascend_text.event.csv")
        self.assertEqual(json.loads(event["arguments"]), {"deep": [1, {"a": 2.5}]})

    def test_damage_is_told_and_the_rest_read(self):
        text = json.dumps(EVENTS).replace('"dur": 5.5', '"dur": oops')
        made = self.import_folder(self.make_source(text), "--export", "csv")
        self.assertEqual(len(made["damaged"]), 1)
        self.assertIn("offset", made["damaged"][0]["part"])
        kinds = {item["part"]: item["count"] for item in made["kinds"]}
        self.assertEqual(kinds["device_task"], 1)
        self.assertNotIn("cpu_op", kinds)

    def test_every_cut(self):
        text = json.dumps(EVENTS)
        source = self.make_source(text)
        for end in range(0, len(text), 37):
            (source / OUTPUT / "renamed.json").write_text(text[:end])
            process = self.start("import", "-o", self.work / ("cut%d" % end), "--export", "csv",
                                 source)
            errors = process.communicate()[1]
            # code 5: no record is complete, or the format cannot be recognised any more
            self.assertIn(process.returncode, (0, 5), errors)

    def test_refusals(self):
        (self.work / "empty").mkdir()
        told = self.strobe("import", self.work / "empty", code=5).stderr
        for name in ("a", "b", "c"):
            (self.work / "empty" / name).mkdir()
        again = self.strobe("import", self.work / "empty", code=5).stderr
        self.assertEqual(again, told)  # each message appears only once
        done = self.strobe("import", "--format", "ascend_db", self.work / "empty", code=5)
        self.assertIn("importer ascend_db does not read it or anything in it", done.stderr)
        done = self.strobe("import", "--format", "ascend_text:nonesuch=1", self.make_source(), code=3)
        self.assertIn("--format: importer ascend_text has no option", done.stderr)
        self.strobe("import", self.work / "missing", code=5)
        self.strobe("import", "--format", "ascend_texd", self.work / "empty", code=4)
        self.strobe("import", "--derived", "some", self.work / "empty", code=2)
        self.strobe("import", "--generation", "4", self.work / "empty", code=2)
        self.assertEqual([path.name for path in self.work.glob("*_ascend_pt")], [])

    def test_name_is_kept(self):
        source = self.make_source()
        named = source.rename(source.parent / "node_12_20250109074803573_ascend_pt")
        made = self.import_folder(named, "--export", "csv")
        self.assertEqual(pathlib.Path(made["directory"]).name, named.name)
        again = self.import_folder(named, "--export", "csv")
        self.assertRegex(again["directory"], r"/node_77_\d{17}_ascend_pt$")

    @unittest.skipUnless(TEXT.is_dir(), "no real results here (STROBE_DATA)")
    def test_real_text(self):
        made = self.import_folder(TEXT, "--export", "csv")
        self.assertEqual((made["damaged"], made["unknown"]), ([], []))
        output = pathlib.Path(made["output"])
        mine = (output / "l2_cache.csv").read_bytes().replace(b"\r\n", b"\n")
        self.assertEqual(mine, (TEXT / OUTPUT / "l2_cache.csv").read_bytes())
        kernels = rows_of(TEXT / OUTPUT / "kernel_details.csv")
        tasks = [task for task in rows_of(output / "device_task.csv") if task["is_kernel"] == "1"]
        self.assertEqual(len(tasks), sum(row["Task ID"] != "N/A" for row in kernels))
        for name in ("profiler_info_0.json", "profiler_metadata.json"):
            self.assertEqual((pathlib.Path(made["directory"]) / name).read_bytes(),
                             (TEXT / name).read_bytes())
