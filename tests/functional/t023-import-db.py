# SPDX-License-Identifier: Apache-2.0
"""`strobe import` of databases of an Ascend host.

Cases on real results need STROBE_DATA, the folder with ascend/ in it (default: ../shared/data next
to the source tree), and are skipped without it.
"""

import csv
import decimal
import json
import os
import pathlib
import sqlite3
import unittest

from support import BUILD, TOP, StrobeTest

DATA = pathlib.Path(os.environ.get("STROBE_DATA") or TOP.parent / "shared" / "data")
REAL = DATA / "ascend" / "db_level1_rank0_ascend_pt"
OUTPUT = "ASCEND_PROFILER_OUTPUT"
NONE = "4294967295"
SCHEMA = """
CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY,value TEXT);
INSERT INTO STRING_IDS VALUES(0,'KERNEL_AICORE'),(1,'mm');
CREATE TABLE TASK (startNs INTEGER,endNs INTEGER,deviceId INTEGER,connectionId INTEGER,
 globalTaskId INTEGER,globalPid INTEGER,taskType INTEGER,contextId INTEGER,streamId INTEGER,
 taskId INTEGER,modelId INTEGER);
INSERT INTO TASK VALUES(1736410576375315901,1736410576375315921,0,40,0,7,0,4294967295,2,11,1);
CREATE TABLE Novelty (startNs INTEGER, what TEXT);
INSERT INTO Novelty VALUES(1736410576375315901,'a,b');
"""


TIMES = ("Begin(us)", "Duration(us)")


def in_ns(cell):
    return str(int((decimal.Decimal(cell.strip()) * 1000).to_integral_value()))


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@unittest.skipUnless((BUILD / "plugins" / "ascend_db.so").exists(), "built without SQLite")
class ImportDb(StrobeTest):
    def import_source(self, source, *flags):
        done = self.strobe("import", "--json", "-o", self.out, "--export", "csv", *flags, source)
        return json.loads(done.stdout)[0]


class MadeDbTest(ImportDb):
    def make_source(self, name="renamed.bin"):
        path = self.work / "made" / OUTPUT / name
        path.parent.mkdir(parents=True)
        database = sqlite3.connect(path)
        database.executescript(SCHEMA)
        database.close()
        return path

    def test_by_content(self):
        path = self.make_source()
        (path.parent.parent / "info").write_text('{"config": {"common_config": {}}}')
        for source in (path, path.parent, path.parent.parent):
            made = self.import_source(source)
            self.assertEqual(made["importer"], "ascend_db")
            (task,) = rows_of(pathlib.Path(made["output"]) / "device_task.csv")
            self.assertEqual(task["host_type"], "KERNEL_AICORE")
            (novel,) = rows_of(pathlib.Path(made["output"]) / "ascend_db.novelty.csv")
            self.assertEqual(novel["what"], "a,b")
            self.assertIn({"part": "renamed.bin", "name": "Novelty", "count": 1}, made["unknown"])
            self.assertEqual((pathlib.Path(made["directory"]) / "info").exists(),
                             source != path.parent)

    def test_nothing_is_written(self):
        path = self.make_source()
        database = sqlite3.connect(path)
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("INSERT INTO Novelty VALUES(1, 'b')")
        database.close()
        before = path.read_bytes()
        self.import_source(path)
        self.assertEqual(path.read_bytes(), before)
        self.assertEqual(sorted(path.parent.iterdir()), [path])

    def test_every_cut(self):
        path = self.make_source()
        whole = path.read_bytes()
        for end in list(range(0, len(whole), 1024)) + [len(whole) - 1]:
            path.write_bytes(whole[:end])
            process = self.start("import", "-o", self.work / ("cut%d" % end), path)
            errors = process.communicate()[1]
            self.assertIn(process.returncode, (0, 5), errors)
            if process.returncode == 0:
                self.assertIn("damaged", errors)


@unittest.skipUnless(REAL.is_dir(), "no real results here (STROBE_DATA)")
class RealDbTest(ImportDb):
    """Compares every value of the real database with SQLite's own reading of it."""

    def setUp(self):
        super().setUp()
        self.made = self.import_source(REAL)
        self.output = pathlib.Path(self.made["output"])
        path = REAL / OUTPUT / "ascend_pytorch_profiler_0.db"
        self.source = sqlite3.connect("file:%s?mode=ro&immutable=1" % path, uri=True)
        self.texts = dict(self.source.execute("SELECT id, value FROM STRING_IDS"))

    def tearDown(self):
        self.source.close()

    def ask(self, sql):
        return self.source.execute(sql).fetchall()

    def compare(self, name, fields, sql):
        """Compares the rows of a file with the rows of a query, as multisets. Returns the number of
        equal rows."""
        mine = sorted(tuple(in_ns(row[field]) if field in TIMES else row[field]
                            for field in fields) for row in rows_of(self.output / name))
        theirs = sorted(tuple("" if value is None else str(value) for value in row)
                        for row in self.ask(sql))
        self.assertEqual(len(mine), len(theirs), name)
        self.assertEqual(mine, theirs, name)
        print("# %s: %d of %d rows equal, %d columns" % (name, len(mine), len(theirs), len(fields)))

    def text(self, column):
        return "(SELECT value FROM STRING_IDS WHERE id = %s)" % column

    def test_nothing_is_amiss(self):
        self.assertEqual((self.made["damaged"], self.made["unknown"]), ([], []))
        found = {item["part"]: item["count"] for item in self.made["found"]}
        for table in ("TASK", "COMPUTE_TASK_INFO", "TASK_PMU_INFO", "COMMUNICATION_OP",
                      "COMMUNICATION_TASK_INFO", "CANN_API", "PYTORCH_API", "CONNECTION_IDS",
                      "PYTORCH_CALLCHAINS", "MEMORY_RECORD", "NPU_OP_MEM", "NPU_MEM", "HBM", "LLC",
                      "ACC_PMU", "SOC_BANDWIDTH_LEVEL", "AICORE_FREQ", "NPU_MODULE_MEM",
                      "STEP_TIME", "META_DATA"):
            self.assertEqual(found[table], self.ask("SELECT count(*) FROM " + table)[0][0], table)

    def test_tasks(self):
        self.compare(
            "device_task.csv",
            [*TIMES, "task", "connection", "stream", "task_id", "context", "host_type", "is_kernel",
             "block_num", "core", "op_type", "input_shapes", "output_types"],
            "SELECT t.startNs, t.endNs - t.startNs, t.globalTaskId, t.connectionId, t.streamId, t.taskId, nullif(t.contextId, %s),"
            " %s, c.rowid IS NOT NULL, c.blockDim, %s, %s, nullif(%s, 'N/A'), nullif(%s, 'N/A')"
            " FROM TASK t LEFT JOIN COMPUTE_TASK_INFO c USING(globalTaskId)"
            % (NONE, self.text("t.taskType"), self.text("c.taskType"), self.text("c.opType"),
               self.text("c.inputShapes"), self.text("c.outputDataTypes")))

    def test_metrics(self):
        mine = {}
        for row in rows_of(self.output / "device_pmu.csv"):
            for at, metric in enumerate(row["metrics"].split(";")):
                mine[int(row["task"]), metric] = float(row["value_%02d" % at])
        theirs = {(task, self.texts[name]): float(value) for task, name, value in
                  self.ask("SELECT globalTaskId, name, value FROM TASK_PMU_INFO")}
        self.assertEqual(mine, theirs)
        self.assertEqual(len(mine), 5180)

    def test_communication(self):
        self.compare(
            "comm_op.csv", ["op", "connection", "count", "group", "op_type", "algorithm",
                            "data_type"],
            "SELECT opId, connectionId, count, %s, %s, %s, e.name FROM COMMUNICATION_OP"
            " JOIN ENUM_HCCL_DATA_TYPE e ON e.id = dataType"
            % (self.text("groupName"), self.text("opType"), self.text("algType")))
        self.compare(
            "comm_task.csv", ["op", "task", "size(B)", "plane", "source_rank", "target_rank",
                              "transport", "link_type", "data_type", "stream", "task_id",
                              "connection", "notify"],
            "SELECT c.opId, globalTaskId, size, planeId, srcRank, nullif(dstRank, %s), a.name,"
            " b.name, d.name, t.streamId, t.taskId, t.connectionId,"
            " CASE notifyId WHEN 9223372036854775807 THEN '18446744073709551615'"
            " ELSE notifyId END"
            " FROM COMMUNICATION_TASK_INFO c JOIN TASK t USING(globalTaskId)"
            " JOIN ENUM_HCCL_TRANSPORT_TYPE a ON a.id = transportType"
            " JOIN ENUM_HCCL_LINK_TYPE b ON b.id = linkType"
            " JOIN ENUM_HCCL_DATA_TYPE d ON d.id = dataType" % NONE)

    def test_calls(self):
        self.compare("api_call.csv", ["connection", "level", "Track", "Name", *TIMES],
                     "SELECT connectionId, e.name, globalTid & 0xffffffff, %s, startNs,"
                     " endNs - startNs FROM CANN_API a JOIN ENUM_API_TYPE e ON e.id = type"
                     % self.text("a.name"))
        self.compare("python_call.csv", ["Track", "Name", *TIMES],
                     "SELECT globalTid & 0xffffffff, %s, startNs, endNs - startNs"
                     " FROM PYTORCH_API WHERE type = 50003" % self.text("name"))
        self.compare("task_queue.csv", ["correlation", "is_dequeue"],
                     "SELECT c.connectionId, %s LIKE 'Dequeue%%' FROM PYTORCH_API p"
                     " JOIN CONNECTION_IDS c ON c.id = p.connectionId WHERE type = 50002"
                     % self.text("p.name"))

    def test_operators(self):
        self.compare("operator_details.csv", ["Name", "Input Shapes", "Input Types"]
                     if "Input Types" in rows_of(self.output / "operator_details.csv")[0]
                     else ["Name", "Input Shapes"],
                     "SELECT %s, %s FROM PYTORCH_API WHERE type = 50001"
                     " AND %s NOT LIKE 'ProfilerStep#%%'"
                     % (self.text("name"), self.text("inputDtypes"), self.text("name")))

    def test_samples(self):
        self.compare("hbm.csv", ["Begin(us)", "Name", "bandwidth(B/s)", "id", "device"],
                     "SELECT timestampNs, %s, CAST(bandwidth AS REAL), hbmId, deviceId FROM HBM"
                     % self.text("type"))
        self.compare("acc_pmu.csv", ["Begin(us)", "id", "read_bandwidth", "write_bandwidth",
                                     "read_ost", "write_ost"],
                     "SELECT timestampNs, accId, readBwLevel, writeBwLevel, readOstLevel,"
                     " writeOstLevel FROM ACC_PMU")

    def test_memory(self):
        mine = [row for row in rows_of(self.output / "memory_event.csv")]
        self.assertEqual(sum(row["component"] == "GE" for row in mine), 114)
        self.assertEqual(sum(row["component"] == "PTA" for row in mine), 381)
        theirs = sorted(self.ask("SELECT CASE %s WHEN 'release' THEN -size ELSE size END, addr"
                                 " FROM NPU_OP_MEM" % self.text("type")))
        self.assertEqual(sorted((int(row["size(B)"]), int(row["address"])) for row in mine
                                if row["component"] == "GE"), theirs)

    def test_derived_on_request(self):
        made = self.import_source(REAL, "--derived", "source")
        kinds = {item["part"]: item["count"] for item in made["kinds"]}
        for kind, n in {"memory_total": 990, "memory_block": 184, "step_trace": 1,
                        "communication_time": 4, "communication_bandwidth": 12,
                        "communication_matrix": 48}.items():
            self.assertEqual(kinds.get(kind), n, kind)
        self.assertNotIn("overlap", kinds)  # a viewer has added this table
