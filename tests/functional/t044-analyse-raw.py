# SPDX-License-Identifier: Apache-2.0
"""`strobe analyse` of results of the Ascend PyTorch Profiler, like its own analyse(); it joins the
device halves, and chooses a source if a folder has several."""

import json
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import unittest

from support import BUILD, TOP, StrobeTest, program

sys.path.insert(0, str(TOP / "bench"))
from raw_files import OFFSET, START_NS, RawFiles  # noqa: E402

OUTPUT = "ASCEND_PROFILER_OUTPUT"
PROF = "PROF_000001_20250101000000000_ABCDEF"
NAME = "node1_4711_20251127123437072_ascend_pt"
BEGIN = START_NS + OFFSET + 5000
SCHEMA = """
CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY,value TEXT);
INSERT INTO STRING_IDS VALUES(0,'KERNEL_AICORE'),(1,'mm'),(2,'MatMul'),(3,'AI_CORE'),(4,'aten::x');
CREATE TABLE TASK (startNs INTEGER,endNs INTEGER,deviceId INTEGER,connectionId INTEGER,
 globalTaskId INTEGER,globalPid INTEGER,taskType INTEGER,contextId INTEGER,streamId INTEGER,
 taskId INTEGER,modelId INTEGER);
INSERT INTO TASK VALUES(%d,%d,3,40,0,4711,0,4294967295,2,11,4294967295);
CREATE TABLE COMPUTE_TASK_INFO (name INTEGER,globalTaskId INTEGER PRIMARY KEY,blockNum INTEGER,
 mixBlockNum INTEGER,taskType INTEGER,opType INTEGER);
INSERT INTO COMPUTE_TASK_INFO VALUES(1,0,20,0,3,2);
CREATE TABLE PYTORCH_API (startNs INTEGER,endNs INTEGER,globalTid INTEGER,connectionId INTEGER,
 name INTEGER,sequenceNumber INTEGER,fwdThreadId INTEGER,inputDtypes INTEGER,inputShapes INTEGER,
 callchainId INTEGER,type INTEGER);
INSERT INTO PYTORCH_API VALUES(%d,%d,0,0,4,0,0,4294967295,4294967295,0,50001);
CREATE TABLE GC_RECORD (startNs INTEGER,endNs INTEGER,globalTid INTEGER);
INSERT INTO GC_RECORD VALUES(1,2,3);
""" % (BEGIN, BEGIN + 700, BEGIN, BEGIN + 1)

has_db = unittest.skipUnless((BUILD / "plugins" / "ascend_db.so").exists(), "built without SQLite")


class AnalyseRawTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.top = self.work / "results" / NAME
        RawFiles(str(self.top), 3).make(200)

    def analyse(self, *words, code=0):
        done = self.strobe("analyse", "--json", "--export", "chrome_trace", *words, code=code)
        self.said = done.stderr
        return json.loads(done.stdout)

    def put_db(self, folder, name):
        folder.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(folder / name)
        database.executescript(SCHEMA)
        database.close()

    def events(self, folder, category=None, name=None):
        with open(folder / OUTPUT / "trace_view.json", encoding="utf-8") as file:
            return [event for event in json.load(file)
                    if (category is None or event.get("cat") == category)
                    and (name is None or event.get("name") == name)]

    # ---- where files go ----

    def test_in_place(self):
        (self.top / OUTPUT).mkdir()
        (self.top / OUTPUT / "stale").write_text("?")
        before = {path: path.read_bytes() for path in (self.top / "FRAMEWORK").iterdir()}
        (made,) = self.analyse(self.top)
        self.assertEqual(pathlib.Path(made["directory"]), self.top)
        self.assertEqual(sorted(path.name for path in (self.top / OUTPUT).iterdir()),
                         ["analyse.done", "trace_view.json"])
        self.assertEqual(sorted(path.name for path in self.top.iterdir()),
                         [OUTPUT, "FRAMEWORK", "logs", "profiler_info_0.json"])
        self.assertEqual({path: path.read_bytes() for path in before}, before)
        self.assertGreater(len(self.events(self.top, "cpu_op")), 199)
        self.assertIn("only the host's part", self.said)
        self.assertTrue([line for line in made["missing"] if "only the host's part" in line])

    def test_folder_of_results_and_framework(self):
        self.analyse(self.top.parent)
        self.assertTrue((self.top / OUTPUT / "trace_view.json").exists())
        shutil.rmtree(self.top / OUTPUT)
        self.analyse(self.top / "FRAMEWORK")
        self.assertTrue((self.top / OUTPUT / "trace_view.json").exists())

    def test_elsewhere(self):
        self.analyse("-o", self.out, self.top)
        self.assertTrue((self.out / NAME / OUTPUT / "trace_view.json").exists())
        self.assertFalse((self.top / OUTPUT).exists())
        self.assertEqual([path.name for path in self.out.iterdir()], [NAME])

    def test_import_keeps_the_name(self):
        self.strobe("import", "-o", self.out, "--export", "chrome_trace", self.top)
        self.assertTrue((self.out / NAME / "FRAMEWORK" / "capture.strobe").exists())
        self.assertTrue((self.out / NAME / "profiler_info_0.json").exists())
        self.analyse(self.out / NAME)

    def test_its_own_output_is_not_overwritten(self):
        shutil.rmtree(self.top / "FRAMEWORK")
        output = self.top / OUTPUT
        output.mkdir()
        trace = '[{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": "1.000", "dur": 1, "cat": "x"}]'
        (output / "trace_view.json").write_text(trace)
        self.analyse(self.top, code=5)
        self.assertIn("would be replaced", self.said)
        self.assertEqual((output / "trace_view.json").read_text(), trace)
        self.assertEqual(sorted(path.name for path in self.top.iterdir()),
                         [OUTPUT, "profiler_info_0.json"])
        self.analyse("-o", self.out, self.top)

    def test_nothing_to_analyse(self):
        shutil.rmtree(self.top / "FRAMEWORK")
        self.analyse(self.top, code=5)
        self.assertIn("no result directory", self.said)

    # ---- the devices' half ----

    def check_joined(self):
        (kernel,) = self.events(self.top, name="mm")
        self.assertEqual(kernel["dur"], 0.7)
        self.assertFalse(self.events(self.top, name="aten::x"), "the framework's half twice")
        self.assertGreater(len(self.events(self.top, "cpu_op")), 199)
        self.assertGreater(len(self.events(self.top, "GC")), 1)

    @has_db
    def test_msprof_db(self):
        self.put_db(self.top / PROF, "msprof_20250101.db")
        self.analyse(self.top)
        self.check_joined()
        self.analyse(self.top)  # a second time, over Strobe's own output
        self.check_joined()

    def put_text(self):
        folder = self.top / PROF / "mindstudio_profiler_output"
        folder.mkdir(parents=True)
        pid = 4711 << 10 | 4 << 5 | 3
        (folder / "msprof_20250101.json").write_text(json.dumps([
            {"name": "process_name", "pid": pid, "tid": 0, "ph": "M",
             "args": {"name": "Ascend Hardware"}},
            {"name": "process_labels", "pid": pid, "tid": 0, "ph": "M", "args": {"labels": "NPU 3"}},
            {"name": "mm", "pid": pid, "tid": 2, "ts": "%d.%03d" % divmod(BEGIN, 1000), "dur": 0.7,
             "args": {"Model Id": 4294967295, "Task Type": "AI_CORE", "Physic Stream Id": 2,
                      "Task Id": 11,
                      "Batch Id": 0, "Subtask Id": 4294967295, "connection_id": 40}, "ph": "X"}]))
        (folder / "op_summary_20250101.csv").write_text(
            "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,"
            "Task Start Time(us),Task Duration(us),Task Wait Time(us),Block Num,Mix Block Num,"
            "HF32 Eligible,Input Shapes,Input Data Types,Input Formats,Output Shapes,"
            "Output Data Types,Output Formats,Context ID,aicore_time(us)\n"
            '3,4294967295,11,2,mm,MatMul,static,AI_CORE,"%d.%03d\t",0.700,0.000,20,0,NO,'
            '"""2,3""",FLOAT,ND,"""2""",FLOAT,ND,N/A,0.5\n' % divmod(BEGIN, 1000))

    def records(self, kind):
        """The records of an import, each as a list."""
        made = json.loads(self.strobe("import", "--json", "-o", self.out, self.top).stdout)[0]
        self.assertEqual(made["importer"], "ascend_raw")
        self.made = made
        capture = pathlib.Path(made["directory"]) / "FRAMEWORK" / "capture.strobe"
        lines = subprocess.run([program("dump-capture"), capture], stdout=subprocess.PIPE,
                               text=True, check=True).stdout.splitlines()
        return [line.split("\t") for line in lines if line.startswith(kind + "\t")]

    def test_metadata(self):
        (self.top / "profiler_metadata.json").write_text('{"trace_id": "AB", "more": {"a": [1]}}')
        rows = {row[6]: row[7:] for row in self.records("metadata")}
        self.assertEqual(rows["trace_id"][0], 'value="AB"')
        self.assertEqual(rows["more"], ['value={"a": [1]}', "is_json=1"])
        self.assertTrue((pathlib.Path(self.made["directory"]) / "profiler_metadata.json").exists())

    def test_msprof_text(self):
        self.put_text()
        self.analyse(self.top)
        self.check_joined()
        (task,) = self.records("device_task")
        self.assertEqual(task[4], "4711")
        for field in ("op_type=MatMul", "core=AI_CORE", "block_num=20", "is_kernel=1", "stream=2"):
            self.assertIn(field, task)

    def test_rank(self):
        """CANN's export does not know the rank and has -1; profiler_info has it. A device gets this
        rank."""
        path = self.top / "profiler_info_0.json"
        path.write_text(json.dumps(dict(json.loads(path.read_text()), rank_id="6")))
        self.put_text()
        self.assertEqual([row[7:] for row in self.records("device_info")], [["device=3", "rank=6"]])
        if not (BUILD / "plugins" / "ascend_db.so").exists():
            return
        shutil.rmtree(self.out)
        self.put_db(self.top / PROF, "msprof_20250101.db")
        database = sqlite3.connect(self.top / PROF / "msprof_20250101.db")
        database.executescript("CREATE TABLE RANK_DEVICE_MAP (rankId INTEGER,deviceId INTEGER);"
                               "INSERT INTO RANK_DEVICE_MAP VALUES(-1,3);")
        database.close()
        self.assertEqual([row[7:] for row in self.records("device_info")], [["device=3", "rank=6"]])

    def test_several_collections(self):
        """The first exported collection is read, even if others come before it; empty ones are
        ignored."""
        self.put_text()
        for name in ("PROF_000000_20250101000000000_A", "PROF_000002_20250101000000000_B"):
            (self.top / name).mkdir()
        (task,) = self.records("device_task")
        self.assertEqual(self.made["damaged"], [])
        shutil.rmtree(self.out)
        (self.top / "PROF_000000_20250101000000000_A" / "host").mkdir()
        (task,) = self.records("device_task")
        (told,) = self.made["damaged"]
        self.assertEqual(told["part"], "PROF_000000_20250101000000000_A")
        self.assertIn("than %s: not read" % PROF, told["name"])

    @has_db
    def test_profiler_db(self):
        self.put_db(self.top / OUTPUT, "ascend_pytorch_profiler_0.db")
        self.analyse(self.top, code=5)
        self.assertIn("would be replaced", self.said)
        self.strobe("import", "-o", self.out, "--export", "chrome_trace", self.top)
        self.top = self.out / NAME
        self.check_joined()

    @has_db
    def test_framework_of_the_db_where_raw_files_miss(self):
        self.put_db(self.top / PROF, "msprof_20250101.db")
        (self.top / "FRAMEWORK" / "torch.op_range").unlink()
        self.analyse(self.top)
        self.assertEqual(len(self.events(self.top, name="aten::x")), 1)

    @has_db
    def test_damaged_db(self):
        (self.top / PROF).mkdir()
        (self.top / PROF / "msprof_20250101.db").write_bytes(b"SQLite format 3\0" + bytes(99))
        self.analyse(self.top)
        self.assertIn("damaged: msprof_20250101.db", self.said)
        self.assertIn("only the host's part: the devices' data is damaged", self.said)

    @has_db
    def test_damaged_db_beside_text(self):
        """The data that the other export has is still read."""
        self.put_text()
        (self.top / PROF / "msprof_20250101.db").write_bytes(b"SQLite format 3\0" + bytes(99))
        self.analyse(self.top)
        self.assertIn("damaged: msprof_20250101.db", self.said)
        self.check_joined()

    def put_damaged_db(self):
        """The schema can be read, but a page of the tables is overwritten, or the last pages are
        cut off."""
        self.put_db(self.top / PROF, "msprof_20250101.db")
        path = self.top / PROF / "msprof_20250101.db"
        with path.open("r+b") as file:
            file.seek(16)
            page = int.from_bytes(file.read(2), "big")
            file.seek(page)
            file.write(b"\xff" * (path.stat().st_size - page))
        return path

    @has_db
    def test_db_with_damaged_tables(self):
        """The database is read as far as possible, unless the other export exists."""
        path = self.put_damaged_db()
        self.analyse(self.top)
        self.assertNotIn("is read in its place", self.said)
        self.put_text()
        self.analyse(self.top)
        self.assertRegex(self.said, "damaged: msprof_20250101.db: .*; the msprof text is read in its")
        self.check_joined()
        path.write_bytes(path.read_bytes()[:4096])
        self.analyse(self.top)
        self.assertIn("its end is missing; the msprof text is read in its place", self.said)
        self.check_joined()

    @has_db
    def test_sound_db_beside_text(self):
        self.put_text()
        self.put_db(self.top / PROF, "msprof_20250101.db")
        self.analyse(self.top)
        self.assertNotIn("damaged", self.said)
        self.check_joined()
        self.assertEqual(len(self.records("device_task")), 1)

    @has_db
    def test_damaged_db_beside_the_original_trace(self):
        """The trace has both halves, and is a result by itself."""
        self.put_damaged_db().write_bytes(b"SQLite format 3\0" + bytes(99))
        (self.top / OUTPUT).mkdir()
        trace = self.top / OUTPUT / "trace_view.json"
        trace.write_text(
            '[{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": "1.000", "dur": 1, "cat": "x"}]')
        said = self.strobe("import", "-o", self.out, self.top).stderr
        self.assertIn("import ASCEND_PROFILER_OUTPUT/trace_view.json", said)
        self.strobe("import", "-o", self.work / "more", trace)

    def test_which_source_is_chosen(self):
        """The original's own trace, unless the raw files have the device half."""
        output = self.top / OUTPUT
        output.mkdir()
        (output / "trace_view.json").write_text(
            '[{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": "1.000", "dur": 1, "cat": "x"}]')
        said = self.strobe("import", "--json", "-o", self.out, self.top).stdout
        self.assertEqual(json.loads(said)[0]["importer"], "ascend_text")
        self.put_db(self.top / PROF, "msprof_1.db")
        said = self.strobe("import", "--json", "-o", self.work / "more", self.top).stdout
        self.assertEqual(json.loads(said)[0]["importer"], "ascend_raw")
