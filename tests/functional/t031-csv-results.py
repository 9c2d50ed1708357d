# SPDX-License-Identifier: Apache-2.0
"""Imports CSV files of an Ascend host and writes them again: the cells are the same.

The cases on real results need STROBE_DATA, the folder with ascend/ in it (default: ../shared/data
next to the source tree), and are skipped without it. t160 compares every cell.
"""

import json
import pathlib
import sqlite3
import unittest

from cells import read_csv
from support import DATA, StrobeTest

TEXT = DATA / "ascend" / "text_level1_rank0_ascend_pt"
DATABASE = DATA / "ascend" / "db_level1_rank0_ascend_pt"
OUTPUT = "ASCEND_PROFILER_OUTPUT"


def records_of(path):
    rows = read_csv(path)
    return [dict(zip(rows[0], row)) for row in rows[1:]]


class CsvTest(StrobeTest):
    def export(self, source, *flags, to=None):
        done = self.strobe("import", "--json", "-o", to or self.out, "--export", "csv", *flags,
                           source)
        return pathlib.Path(json.loads(done.stdout)[0]["output"])


KERNELS = (
    "Step Id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),"
    "Duration(us),Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,"
    "Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID,"
    "aicore_time(us),aic_total_cycles,aic_mac_ratio,cube_utilization(%)\r\n"
    '50,4294967295,7,2,mm,MatMul,dynamic,AI_CORE,1000005.001\t,2.26,0,8,0,YES,"""2,3;;3""",'
    'FLOAT;FLOAT;FLOAT,ND;ND;ND,"""2""",FLOAT,ND,N/A,1.5,1200,0.523,66.119\r\n'
    "50,4294967295,9,2,dsa,DSAGenBitMask,dynamic,DSA_SQE,1000010.001\t,1.5,2.74,0,0,NO,"
    'N/A,N/A,N/A,"""36864""",UINT8,FORMAT_ND,N/A,N/A,N/A,N/A,N/A\r\n'
)
CACHE = "Stream Id,Task Id,Hit Rate,Victim Rate,Op Name\r\n2,7,N/A,0.22264,mm\r\n"
MODULES = (
    "Component,Timestamp(us),Total Reserved(MB),Device\r\n"
    "SLOG,1000005.000\t,158.65234375,NPU:0\r\nSLOG,1000006.000\t,0.0,NPU:0\r\n"
    "AML,1000005.000\t,-0.0009765625,NPU:0\r\nAML,1000006.000\t,0.5,NPU:0\r\n"
)
FRAMEWORK, HARDWARE = 77, 79264


def task(name, number, ts, dur, kind, connection):
    return {"name": name, "pid": HARDWARE, "tid": 2, "ts": ts, "dur": dur, "args":
            {"Model Id": 4294967295, "Task Type": kind, "Physic Stream Id": 2, "Task Id": number,
             "Batch Id": 0, "Subtask Id": 4294967295, "connection_id": connection}, "ph": "X"}


def named(pid, what, key, value, tid=0):
    return {"name": what, "pid": pid, "tid": tid, "args": {key: value}, "ph": "M"}


def flow(phase, pid, tid, ts):
    return {"name": "HostToDevice5", "ph": phase, "bp": "e", "cat": "HostToDevice", "id": "5",
            "pid": pid, "tid": tid, "ts": ts}


EVENTS = [
    {"ph": "X", "name": "ProfilerStep#50", "pid": FRAMEWORK, "tid": 78, "ts": "1000000.000",
     "dur": 30.0, "cat": "cpu_op", "args": {"Sequence number": -1, "Fwd thread id": 0}},
    {"ph": "X", "name": "aten::mm", "pid": FRAMEWORK, "tid": 78, "ts": "1000001.000", "dur": 5.5,
     "cat": "cpu_op", "args": {"Sequence number": -1, "Fwd thread id": 0,
                               "Input Dims": "2,3;\r\n3"}},
    named(FRAMEWORK, "process_name", "name", "Python"),
    named(FRAMEWORK, "process_labels", "labels", "CPU"),
    named(FRAMEWORK, "thread_name", "name", "Thread 78", 78),
    named(79072, "process_name", "name", "CANN"),
    named(79072, "thread_name", "name", "Thread 78", 78),
    {"name": "AscendCL@launch", "pid": 79072, "tid": 78, "ts": "1000002.000", "dur": 1.25,
     "args": {"Thread Id": 78, "Mode": "ACL_OP", "level": "acl", "id": "launch",
              "item_id": "0", "connection_id": 12}, "ph": "X"},
    flow("s", 79072, 78, "1000002.000"),
    named(HARDWARE, "process_name", "name", "Ascend Hardware"),
    named(HARDWARE, "process_labels", "labels", "NPU"),
    named(HARDWARE, "thread_name", "name", "Stream 2", 2),
    task("mm", 7, "1000005.001", 2.26, "AI_CORE", 12),
    flow("f", HARDWARE, 2, "1000005.001"),
    task("EVENT_RECORD", 8, "1000009.001", 0, "EVENT_RECORD_SQE", 4294967295),
    task("dsa", 9, "1000010.001", 1.5, "DSA_SQE", 4294967295),
]
INFO = {"config": {"experimental_config": {"_profiler_level": "Level1"}}, "rank_id": 0}


class MadeTest(CsvTest):
    """A small result of the first generation, made by hand."""

    def setUp(self):
        super().setUp()
        self.source = self.work / "made_ascend_pt"
        folder = self.source / OUTPUT
        folder.mkdir(parents=True)
        for name, content in {"trace_view.json": json.dumps(EVENTS), "kernel_details.csv": KERNELS,
                              "l2_cache.csv": CACHE, "npu_module_mem.csv": MODULES}.items():
            (folder / name).write_bytes(content.encode())
        (self.source / "profiler_info_0.json").write_text(json.dumps(INFO), encoding="utf-8")

    def check(self, output, name, text):
        self.assertEqual((output / name).read_bytes().decode(), text, name)

    def test_to_the_letter(self):
        output = self.export(self.source)
        self.check(output, "kernel_details.csv", KERNELS)
        self.check(output, "l2_cache.csv", CACHE)
        self.check(output, "npu_module_mem.csv", MODULES)
        self.check(output, "operator_details.csv",
                   "Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us),"
                   "Device Self Duration(us),Device Total Duration(us),Device Self Duration With "
                   'AICore(us),Device Total Duration With AICore(us)\r\naten::mm,"2,3;\r\n3",,5.5,'
                   "5.5,2.26,2.26,2.26,2.26\r\n")
        self.check(output, "op_statistic.csv",
                   "OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),"
                   "Ratio(%)\r\nMatMul,AI_CORE,1,2.26,2.26,2.26,2.26,60.106\r\n"
                   "DSAGenBitMask,DSA_SQE,1,1.5,1.5,1.5,1.5,39.894\r\n")
        self.check(output, "api_statistic.csv",
                   "Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance\r\n"
                   "acl,launch,1.25,1,1.25,1.25,1.25,0.0\r\n")

    def test_export_type(self):
        done = self.strobe("import", "--json", "-o", self.out, "--export-type", "text", self.source)
        output = pathlib.Path(json.loads(done.stdout)[0]["output"])
        self.check(output, "kernel_details.csv", KERNELS)
        self.assertTrue((output / "trace_view.json").exists())
        done = self.strobe("analyse", "--export-type", "xml", output.parent, code=3)
        self.assertIn('unknown export type "xml", expected text, db or text+db', done.stderr)

    def test_newest_generation(self):
        output = self.export(self.source, "--generation", "3")
        text = (output / "kernel_details.csv").read_bytes().decode()
        self.assertIn("Step Id,Device_id,Model ID,", text)
        self.assertIn(",Block Num,Mix Block Num,", text)
        self.assertIn(',1000010.001\t,1.500,2.740000,0,0,NO,N/A,N/A,N/A,"""36864""",', text)
        self.assertIn("\r\nhost,acl,launch,1.25,1,1.25,1.25,1.25,0\r\n",
                      (output / "api_statistic.csv").read_bytes().decode())
        self.assertIn("\r\n0,mm,AI_CORE,2,7,2.260,1000005.001\t,1000007.261\t\r\n",
                      (output / "task_time.csv").read_bytes().decode())


@unittest.skipUnless(TEXT.is_dir(), "no real results here (STROBE_DATA)")
class RealTextTest(CsvTest):
    def test_twice(self):
        exporters = ("--export", "chrome_trace", "--export", "comm_json")
        first = self.export(TEXT, *exporters, to=self.work / "first")
        again = self.export(first.parent, *exporters, to=self.work / "again")
        for path in sorted(first.glob("*.csv")):
            self.assertEqual((again / path.name).read_bytes(), path.read_bytes(), path.name)


@unittest.skipUnless(DATABASE.is_dir(), "no real results here (STROBE_DATA)")
class RealDatabaseTest(CsvTest):
    """Makes text files from a database: the data that both forms have."""

    def setUp(self):
        super().setUp()
        self.database = DATABASE / OUTPUT / "ascend_pytorch_profiler_0.db"
        self.output = self.export(DATABASE)

    def ask(self, sql, path=None):
        database = sqlite3.connect("file:%s?immutable=1" % (path or self.database), uri=True)
        try:
            return database.execute(sql).fetchall()
        finally:
            database.close()

    @staticmethod
    def text(column):
        return "(SELECT value FROM STRING_IDS WHERE id = %s)" % column

    def us(self, column):
        return "printf('%%d.%%03d', %s / 1000, %s %% 1000)" % (column, column)

    def compare(self, name, columns, sql, key=None):
        mine = [tuple(row[column].strip("\t") for column in columns)
                for row in records_of(self.output / name)]
        theirs = [tuple("" if value is None else str(value) for value in row)
                  for row in self.ask(sql)]
        print("# %s from the database: %d of %d rows" % (
            name, sum(a == b for a, b in zip(mine, theirs)), len(theirs)))
        self.assertEqual(mine, theirs)

    def test_kernels(self):
        t = self.text
        self.compare(
            "kernel_details.csv",
            ["Name", "Type", "Start Time(us)", "Block Dim", "Input Shapes", "Input Data Types",
             "Output Formats"],
            "SELECT * FROM (SELECT %s, %s, %s, blockDim, %s, %s, %s FROM COMPUTE_TASK_INFO c"
            " JOIN TASK USING (globalTaskId) UNION ALL SELECT %s, %s, %s, 0, 'N/A', 'N/A', 'N/A'"
            " FROM COMMUNICATION_OP) ORDER BY 3"
            % (t("c.name"), t("c.opType"), self.us("startNs"), t("inputShapes"),
               t("inputDataTypes"), t("outputFormats"), t("opName"), t("opType"),
               self.us("startNs")))

    def test_metrics(self):
        """The database has times in ns; the text has them rounded to three digits."""
        values = {}
        for task_id, name, value in self.ask(
                "SELECT globalTaskId, %s, value FROM TASK_PMU_INFO" % self.text("name")):
            values.setdefault(task_id, {})[name] = value
        tasks = self.ask("SELECT globalTaskId FROM COMPUTE_TASK_INFO JOIN TASK USING (globalTaskId)"
                         " ORDER BY startNs")
        mine = [row for row in records_of(self.output / "kernel_details.csv")
                if not row["Name"].startswith("hcom_")]
        self.assertEqual(len(mine), len(tasks))
        self.assertNotIn("aiv_mac_time(us)", mine[0])
        for row, (task_id,) in zip(mine, tasks):
            known = values.get(task_id)
            if known is None:
                self.assertEqual(row["aicore_time(us)"], "N/A")
                continue
            self.assertEqual(row["aic_total_cycles"], str(known["aic_total_cycles"]))
            for title, metric, unit in (("aicore_time(us)", "aic_total_time", 1000),
                                        ("aiv_time(us)", "aiv_total_time", 1000),
                                        ("aic_mac_time(us)", "aic_mac_time", 1000),
                                        ("aiv_vec_ratio", "aiv_vec_ratio", 1)):
                self.assertEqual(row[title], repr(round(known[metric] / unit, 3)), title)

    def test_module_memory(self):
        self.compare(
            "npu_module_mem.csv", ["Component", "Timestamp(us)", "Device"],
            "SELECT e.name, %s, 'NPU:' || deviceId FROM NPU_MODULE_MEM m"
            " JOIN ENUM_MODULE e ON e.id = moduleId ORDER BY moduleId, timestampNs"
            % self.us("timestampNs"))

    def test_memory_record(self):
        mine = sorted((row["Component"], row["Timestamp(us)"].strip("\t"),
                       row["Total Allocated(MB)"], row["Total Reserved(MB)"])
                      for row in records_of(self.output / "memory_record.csv")
                      if row["Component"] != "APP")
        theirs = sorted((component, when, repr(allocated / 2**20), repr(reserved / 2**20))
                        for component, when, allocated, reserved in self.ask(
                            "SELECT %s, %s, totalAllocated, totalReserved FROM MEMORY_RECORD"
                            % (self.text("component"), self.us("timestamp"))))
        print("# memory_record.csv from the database: %d of %d rows" % (
            len(set(mine) & set(theirs)), len(theirs)))
        self.assertEqual(mine, theirs)

    def test_step_trace(self):
        row = records_of(self.output / "step_trace_time.csv")
        theirs = self.ask("SELECT * FROM StepTraceTime", DATABASE / OUTPUT / "analysis.db")
        self.assertEqual(len(row), len(theirs))
        for mine, step in zip(row, theirs):
            self.assertEqual([float(value) for value in list(mine.values())[1:]],
                             [float(value) for value in step[1:]])

    def test_operators(self):
        self.compare(
            "operator_details.csv", ["Name", "Host Total Duration(us)"],
            "SELECT %s, (endNs - startNs) / 1000.0 FROM PYTORCH_API WHERE type = 50001"
            " AND %s NOT LIKE 'ProfilerStep#%%' ORDER BY startNs"
            % (self.text("name"), self.text("name")))


if __name__ == "__main__":
    unittest.main()
