# SPDX-License-Identifier: Apache-2.0
"""The parsers of torch_npu's own profiler (its wheel, without its C extension), run on raw files that the exporter
raw_files wrote: they make of them what Strobe makes of the same recording. What may differ is listed in
docs/ascend-parity.md, under "Raw files, read by torch_npu"."""

import collections
import csv
import json
import os
import shutil
import subprocess
import sys
import unittest
import unittest.mock

import tap
from aclprof import OPERATORS, AclprofTest
from databases import Database
from support import (
    BUILD,
    DATA,
    PYTHON,
    TIMEOUT,
    TOP,
    TORCH_NPU,
    StrobeTest,
    find_account,
    has_torch,
    needs_python,
    needs_torch_npu,
)

sys.path.insert(0, str(TOP / "bench"))
from raw_files import RawFiles  # noqa: E402

OUTPUT = "ASCEND_PROFILER_OUTPUT"
PARSERS = TOP / "tests" / "functional" / "torch_npu_analyse.py"
ACCOUNT = find_account()
REAL = {"text": DATA / "ascend" / "text_level1_rank0_ascend_pt", "db": DATA / "ascend" / "db_level1_rank0_ascend_pt"}
CSV = ["memory_record.csv", "operator_details.csv", "operator_memory.csv"]
TABLES = ["CONNECTION_IDS", "GC_RECORD", "PYTORCH_API", "PYTORCH_CALLCHAINS", "RANK_DEVICE_MAP", "STEP_TIME",
          "ENUM_API_TYPE"]  # fmt: skip
# Arguments that Strobe adds to events of a trace.
ADDED = {"Concrete Inputs", "Straddles"}
MODULE = "nn.Module: "
LAUNCHES = """SELECT (SELECT value FROM STRING_IDS WHERE id = name), PYTORCH_API.startNs + 0, TASK.startNs FROM PYTORCH_API
JOIN CONNECTION_IDS ON CONNECTION_IDS.id = PYTORCH_API.connectionId JOIN TASK ON TASK.connectionId =
CONNECTION_IDS.connectionId"""
SCRIPT = """
import ctypes, gc, threading
import torch
from strobe import profiler

report = ctypes.CDLL(%r).account_report
report.argtypes = [ctypes.c_size_t] + [ctypes.c_long] * 3 + [ctypes.c_int]
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with profiler.profile(
    activities=[profiler.ProfilerActivity.CPU], record_shapes=True, with_stack=True, with_modules=True,
    profile_memory=True, schedule=profiler.schedule(wait=0, warmup=0, active=2, repeat=1),
    on_trace_ready=profiler.tensorboard_trace_handler("out"),
    experimental_config=profiler._ExperimentalConfig(gc_detect_threshold=0, export_type=["text", "db"]),
) as prof:
    for _ in range(2):
        optimizer.zero_grad()
        backward = threading.Thread(target=model(torch.ones(3, 4)).sum().backward)  # on a device it has a thread
        backward.start()
        backward.join()
        optimizer.step()
        with torch.profiler.record_function("on the double"):
            report(64, 1 << 20, 1 << 20, 2 << 20, 1)
            report(128, 1 << 19, 3 << 19, 2 << 20, 1)
            report(64, -(1 << 20), 1 << 19, 2 << 20, 1)
        report(128, -(1 << 19), 0, 2 << 20, 1)
        gc.collect()
        prof.step()
"""


def read_events(path):
    found = json.loads(path.read_text())
    return found if isinstance(found, list) else found["traceEvents"]


def without(event, *keys):
    """The event as a text, its arguments without those that Strobe adds."""
    arguments = {key: value for key, value in event.get("args", {}).items() if key not in ADDED}
    return json.dumps({**{key: value for key, value in event.items() if key not in keys}, "args": arguments},
                      sort_keys=True)  # fmt: skip


def read_rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class ParsersTest(StrobeTest):
    def import_result(self, result):
        self.strobe("import", result, "-o", self.work / "imported", "--export", "csv")
        (imported,) = (self.work / "imported").iterdir()
        return imported

    def write_raw(self, result, name="raw"):
        """A result of torch_npu with raw files alone, as the exporter's README makes it."""
        self.strobe("export", result, "-o", self.work / name, "--export", "raw_files")
        (raw,) = (self.work / name).iterdir()
        for path in (raw / OUTPUT).iterdir():
            path.rename(raw / path.name)
        (raw / OUTPUT).rmdir()
        if (result / "profiler_metadata.json").exists():
            shutil.copy(result / "profiler_metadata.json", raw)
        return raw

    def parse(self, *results):
        """Runs torch_npu's analysis of results, each a folder and export types, side by side; their folders of
        files."""
        started = [
            subprocess.Popen([sys.executable, PARSERS, TORCH_NPU, *words], cwd=self.work, env=self.environment, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE) for words in results]  # fmt: skip
        for process in started:
            self.addCleanup(self.end, process)
        for process in started:
            output, errors = process.communicate(timeout=TIMEOUT)
            self.assertEqual(process.returncode, 0, errors)
            self.assertNotIn("[ERROR]", output)
            self.assertIn("All profiling data parsed", output)
        return [result / OUTPUT for result, *_ in results]

    # ---- what is compared ----

    def assert_one_to_one(self, pairs, what):
        forth, back = {}, {}
        for mine, theirs in pairs:
            self.assertEqual(forth.setdefault(mine, theirs), theirs, "%s %s" % (what, mine))
            self.assertEqual(back.setdefault(theirs, mine), mine, "%s %s" % (what, theirs))

    def assert_same_counts(self, mine, theirs, what):
        """Of long lists, with what is found in one of them alone."""
        found, expected = collections.Counter(mine), collections.Counter(theirs)
        self.assertFalse([*list(found - expected)[:2], *list(expected - found)[:2]], what)
        return expected.total()

    def assert_same_spans(self, mine, theirs, category):
        """Every event, to the nanosecond, with its arguments. Strobe has a row of its own for steps."""

        def select(events):
            for event in events:
                if event.get("cat") == category:
                    yield without(event, "pid" if category == "GC" else
                                  "tid" if event["name"].startswith("ProfilerStep#") else "")  # fmt: skip

        return self.assert_same_counts(select(mine), select(theirs), category)

    def assert_same_flows(self, mine, theirs, category):
        """Both ends of every arrow; its number is anyone's."""
        found, expected = self.flows_of(mine, category), self.flows_of(theirs, category)
        self.assertEqual(sorted(found), sorted(expected), category)
        self.assert_one_to_one(((found[ends], number) for ends, number in expected.items()), category)
        return len(expected)

    @staticmethod
    def flows_of(events, category):
        """The number of each arrow by its ends."""
        ends = collections.defaultdict(dict)
        for event in events:
            if event.get("cat") == category:
                ends[event["id"]][event["ph"]] = (event["name"], event["tid"], event["ts"])
        return {(found.get("s"), found.get("f")): number for number, found in ends.items()}

    def assert_same_calls(self, mine, theirs):
        """Calls of Python; their numbers and those of modules are anyone's."""
        found, expected = self.calls_of(mine), self.calls_of(theirs)
        self.assert_same_counts(list(found), list(expected), "calls")
        numbers, parents, modules = [], [], []
        for place, one in found.items():
            other = expected[place]
            thread = place[0]
            numbers.append(((thread, one["args"]["Python id"]), (thread, other["args"]["Python id"])))
            if one["args"]["Python parent id"]:
                parents.append(((thread, one["args"]["Python parent id"]), (thread, other["args"]["Python parent id"])))
            else:
                self.assertEqual(other["args"]["Python parent id"], 0)
            if one["name"].startswith(MODULE):
                modules.append(((thread, one["name"]), (thread, other["name"])))
                self.assertTrue(other["name"].endswith("_%d" % other["args"]["Python module id"]))
            else:
                self.assertEqual(one["name"], other["name"])
        self.assert_one_to_one(numbers + parents, "call")
        self.assert_one_to_one(modules, "module")
        return len(modules)

    @staticmethod
    def calls_of(events):
        """Calls by thread, time, length, class of a module, and which of equal ones it is."""
        found = {}
        for event in events:
            if event.get("cat") == "python_function":
                name = event["name"]
                name = name[: name.rindex("_")] if name.startswith(MODULE) else name
                place = (event["tid"], event["ts"], event["dur"], name)
                found[(*place, sum(key[:4] == place for key in found) if (*place, 0) in found else 0)] = event
        return dict(sorted(found.items()))

    def assert_rows_are_named(self, mine, theirs):
        """Names of processes and threads, their labels and order; a process may have another number."""

        def rows(events):
            names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
            return {json.dumps([names[event["pid"]], event["name"], event["tid"], event["args"]])
                    for event in events if event["ph"] == "M"}

        self.assertLessEqual(rows(theirs), rows(mine))
        self.assertTrue(rows(theirs))

    def assert_same_tables(self, mine, theirs, tables, **options):
        """Rows of databases, with texts, connections and chains in place of numbers."""
        databases = [Database(next(folder.glob("ascend_pytorch_profiler*.db")), **options)
                     for folder in (mine, theirs)]  # fmt: skip
        for database in databases:
            self.addCleanup(database.close)
        ours, original = databases
        for table in tables:
            with self.subTest(table=table):
                self.assertEqual(ours.columns(table), original.columns(table))
                found, expected = self.rows_of(ours, table), self.rows_of(original, table)
                self.assertGreater(self.assert_same_counts(found, expected, table), 0)
        return ours, original

    @staticmethod
    def rows_of(database, table):
        """Rows with how many connections they have: the numbers of those are anyone's."""
        if table == "CONNECTION_IDS":
            return ["connection"] * len(database.connections)
        if table != "PYTORCH_API":
            return database.rows(table)
        ids = database.columns(table).index("connectionId")
        return collections.Counter((*row[:ids], len(row[ids] or ()), *row[ids + 1 :])
                                   for row in database.rows(table).elements())  # fmt: skip


@needs_torch_npu
@needs_python
@unittest.skipUnless(has_torch(), "no PyTorch for %s" % PYTHON)
@unittest.skipUnless(ACCOUNT.exists(), "built without libtorch")
class RecordingTest(ParsersTest):
    """A recording of a script, with memory of a device by a double."""

    def setUp(self):
        super().setUp()
        done = subprocess.run(
            [PYTHON, self.script("script.py", SCRIPT % str(ACCOUNT))], cwd=self.work, capture_output=True, text=True,
            timeout=TIMEOUT, env={**self.environment, "PYTHONPATH": str(BUILD / "python"), "OMP_NUM_THREADS": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.mine = self.result() / OUTPUT
        (self.theirs,) = self.parse((self.write_raw(self.result()), "text", "db"))

    def read_traces(self):
        self.strobe("export", self.result(), "-o", self.work / "epoch", "--export", "chrome_trace:origin=epoch")
        (path,) = (self.work / "epoch").glob("*/%s/trace_view.json" % OUTPUT)
        return read_events(path), read_events(self.theirs / "trace_view.json")

    def test_recording(self):
        with self.subTest("operators"):
            text = (self.theirs / "operator_details.csv").read_bytes()
            self.assertGreater(text.count(b"aten::"), 50)
            self.assertEqual((self.mine / "operator_details.csv").read_bytes(), text)
        with self.subTest("memory"):
            self.check_memory("memory_record.csv", 16)
            self.check_memory("operator_memory.csv", 4)
        mine, theirs = self.read_traces()
        self.assertGreater(self.assert_same_spans(mine, theirs, "cpu_op"), 100)
        self.assertGreater(self.assert_same_spans(mine, theirs, "GC"), 1)
        self.assertGreater(self.assert_same_flows(mine, theirs, "fwdbwd"), 3)
        self.assertGreater(self.assert_same_calls(mine, theirs), 7)
        self.assert_rows_are_named(mine, theirs)
        ours, original = self.assert_same_tables(self.mine, self.theirs, TABLES)
        self.assertLessEqual(set(original.tables), set(ours.tables))
        self.assertLessEqual(set(original.rows("META_DATA")), set(ours.rows("META_DATA")))

    def check_memory(self, name, n):
        """Memory of devices; what their allocators do not report is empty here and 0 there."""
        found = [row for row in read_rows(self.mine / name) if row["Device Type"] != "CPU"]
        expected = read_rows(self.theirs / name)
        self.assertEqual(len(expected), n)
        self.assertEqual(list(found[0]), list(expected[0]))
        unknown = [key for key in expected[0] if "Active(MB)" in key or key == "Stream Ptr"]
        for row in expected:
            self.assertEqual({float(row.pop(key)) for key in unknown}, {0})
        for row in found:
            self.assertEqual({row.pop(key) for key in unknown}, {""})
        self.assertEqual(found, expected)


@needs_torch_npu
@tap.once_test
class MadeTest(ParsersTest):
    """Raw files with the queue's marks, memory and collections, of made-up trainings."""

    def test_made_files(self):
        raw = self.work / "made" / "n_4711_20251127000000000_ascend_pt"
        RawFiles(str(raw), seed=12, python=True, stacks=True).make(150)
        self.change_info(raw)
        copy = self.write_raw(self.import_result(raw))
        theirs, again = self.parse((raw, "text", "db"), (copy, "text", "db"))
        theirs = theirs.rename(self.work / "theirs")
        self.strobe("analyse", raw, "--export", "csv", "--export", "chrome_trace", "--export", "db")
        mine = raw / OUTPUT
        for name in CSV:
            text = (theirs / name).read_bytes()
            self.assertGreater(text.count(b"\n"), 10)
            self.assertEqual((mine / name).read_bytes(), text, name)
            self.assertEqual((again / name).read_bytes(), text, name)
        events = read_events(theirs / "trace_view.json")
        for others in (read_events(mine / "trace_view.json"), read_events(again / "trace_view.json")):
            for category in ("cpu_op", "enqueue", "dequeue", "GC"):
                self.assertGreater(self.assert_same_spans(others, events, category), 1)
            for category in ("async_task_queue", "fwdbwd"):
                self.assertGreater(self.assert_same_flows(others, events, category), 1)
            self.assertGreater(self.assert_same_calls(others, events), 1)
            self.assert_rows_are_named(others, events)
        self.assert_same_tables(mine, theirs, TABLES)
        self.assert_same_tables(again, theirs, [*TABLES, "MEMORY_RECORD", "OP_MEMORY"])

    def change_info(self, raw):
        """As torch_npu 2.14 writes it for the host alone."""
        path = raw / "profiler_info_0.json"
        info = json.loads(path.read_text())
        info["config"]["common_config"] = {"activities": ["ProfilerActivity.CPU"]}
        info["config"]["experimental_config"]["_export_type"] = ["text", "db"]
        info["torch_npu_version"] = "2.14.0"
        path.write_text(json.dumps(info))


@needs_torch_npu
@tap.once_test
@unittest.skipUnless(os.path.isdir(REAL["text"]), "no real results")
class RealTest(ParsersTest):
    """Real results of Ascend hosts."""

    def parse_real(self, kind):
        (theirs,) = self.parse((self.write_raw(self.import_result(REAL[kind])), kind))
        return theirs

    def test_text(self):
        theirs, real = self.parse_real("text"), REAL["text"] / OUTPUT
        self.assertGreater(self.assert_same_counts(self.operators(real), self.operators(theirs), "operators"), 800)
        mine, events = read_events(real / "trace_view.json"), read_events(theirs / "trace_view.json")
        for category in ("cpu_op", "dequeue"):
            self.assertGreater(self.assert_same_spans(mine, events, category), 100)
        for category in ("async_task_queue", "fwdbwd"):
            self.assertGreater(self.assert_same_flows(mine, events, category), 20)
        self.assertGreater(self.assert_same_calls(mine, events), 20)

    @staticmethod
    def operators(folder):
        """What the host did; the devices' times are not in raw files of the framework."""
        for row in read_rows(folder / "operator_details.csv"):
            yield tuple(text.replace("\r", "") for name, text in row.items() if not name.startswith("Device"))

    def test_database(self):
        theirs, real = self.parse_real("db"), REAL["db"] / OUTPUT
        tables = ["PYTORCH_API", "PYTORCH_CALLCHAINS", "STEP_TIME"]
        with unittest.mock.patch.object(self, "rows_of", self.rows_as_of_old):
            self.assert_same_tables(real, theirs, tables, has_viewers=True)

    def rows_as_of_old(self, database, table):
        """Without operators' connections, which are those to kernels, too. The real database is older than 2.14: an
        enqueue has not the name of its task, and types and shapes are in each other's columns."""
        rows = ParsersTest.rows_of(database, table)
        if table != "PYTORCH_API":
            return rows
        names = database.columns(table)
        ids, name, types, shapes = map(names.index, ("connectionId", "name", "inputDtypes", "inputShapes"))
        found = collections.Counter()
        for row in map(list, rows.elements()):
            row[ids] = None
            row[name] = row[name][1].split("@")[0] if row[name][1].startswith("Enqueue") else row[name]
            row[types : shapes + 1] = sorted(row[types : shapes + 1], key=str)
            found[tuple(row)] += 1
        return found


@needs_torch_npu
@needs_python
@tap.once_test
@unittest.skipUnless(has_torch(), "no PyTorch for %s" % PYTHON)
class DeviceTest(ParsersTest, AclprofTest):
    """A recording by aclprof: its folder PROF_*, which msprof exports, beside the raw files of the host."""

    def setUp(self):
        super().setUp()
        self.install_toolkit()
        self.environment.update(ACLPROF_DOUBLE="shift=5000", CANN_AHEAD_US="5000")
        script = self.script("operators.py", OPERATORS)
        self.record(PYTHON, script, collect=["npu_task:backend=aclprof,sys_io=true", "cpu_op"],
                    flags=["--export", "csv", "--export", "chrome_trace", "--export", "db"])
        self.mine = self.result() / OUTPUT

    def install_toolkit(self):
        """msprof where torch_npu's analysis accepts it: above it there is msprof.py."""
        tools = self.work / "cann" / "tools" / "profiler"
        (tools / "bin").mkdir(parents=True, mode=0o755)
        real = self.install_msprof().rename(tools / "bin" / "msprof")
        (self.bin / "msprof").symlink_to(real)
        script = tools / "profiler_tool" / "analysis" / "msprof" / "msprof.py"
        script.parent.mkdir(parents=True)
        script.touch()

    def read_kernels(self, folder, shift_ns=0):
        """Rows by their start, in ns."""
        return {int(row.pop("Start Time(us)").strip().replace(".", "")) + shift_ns: row
                for row in read_rows(folder / "kernel_details.csv")}  # fmt: skip

    def check_kernels(self, theirs):
        (external,) = self.external()
        self.assertLess(abs(external["shift_ns"] + 5000000), 1000000)
        found, expected = self.read_kernels(self.mine), self.read_kernels(theirs, external["shift_ns"])
        self.assertEqual(len(expected), 5)
        self.assertEqual(list(found), list(expected))
        for start, row in expected.items():
            # The first generation takes the difference of two times of day as floating point numbers.
            waited = float(row.pop("Wait Time(us)"))
            self.assertAlmostEqual(float(found[start]["Wait Time(us)"]), waited, delta=0.5)
            self.assertEqual({name: found[start][name] for name in row}, row)

    def copy_result(self):
        result = self.work / "copy_ascend_pt"
        shutil.copytree(self.result(), result)
        return result

    def write_halves(self, name):
        raw = self.write_raw(self.result(), name)
        shutil.copytree(self.folder(), raw / self.folder().name)
        return raw

    def test_devices(self):
        result, text, database = self.parse(
            (self.copy_result(), "text"), (self.write_halves("raw"), "text"), (self.write_halves("db"), "db"))
        with self.subTest("result"):
            self.check_result(result)
        with self.subTest("text"):
            self.check_operators(text)
        with self.subTest("database"):
            self.check_database(database)

    def check_result(self, theirs):
        """Of the result itself: CANN's half, with the columns and tables of the settings."""
        info = json.loads((self.result() / "profiler_info.json").read_text())["config"]
        self.assertEqual(info["common_config"]["activities"], ["ProfilerActivity.CPU", "ProfilerActivity.NPU"])
        self.assertEqual(info["experimental_config"], {
            "_profiler_level": "Level1", "_l2_cache": False, "_op_attr": False, "_sys_io": True,
            "_sys_interconnection": False})  # fmt: skip
        self.check_kernels(theirs)
        self.assertIn("aic_mac_ratio", read_rows(theirs / "kernel_details.csv")[0])  # not at Level0
        self.assertFalse((theirs / "operator_details.csv").exists())
        capture = "FRAMEWORK/capture.strobe"
        self.assertEqual((theirs.parent / capture).read_bytes(), (self.result() / capture).read_bytes())

    def check_operators(self, theirs):
        """Both halves: kernels and the operators that launched them."""
        info = json.loads((theirs.parent / "profiler_info.json").read_text())["config"]
        self.assertEqual(info["common_config"]["activities"], ["ProfilerActivity.CPU", "ProfilerActivity.NPU"])
        self.check_kernels(theirs)
        text = (theirs / "operator_details.csv").read_text()
        self.assertEqual((self.mine / "operator_details.csv").read_text(), text)
        told = [float(row["Device Self Duration(us)"]) for row in read_rows(theirs / "operator_details.csv")
                if row["Name"] == "launching::sleep"]
        self.assertEqual(told, [0, 1, 2, 3, 4, 5])
        for folder in (self.mine, theirs):
            self.assertEqual(len(self.flows_of(read_events(folder / "trace_view.json"), "async_npu")), 5)

    def check_database(self, theirs):
        """The operator of each kernel, by the call that launched it. The original misses the last operator of all."""
        found, expected = map(self.list_launches, (self.mine, theirs))
        self.assertEqual((len(found), len(expected)), (5, 4))
        (external,) = self.external()
        shift = external["shift_ns"]
        self.assertEqual(found[:4], [(name, begin + shift, start + shift) for name, begin, start in expected])

    def list_launches(self, folder):
        """Operators with their begin and that of their kernel."""
        database = Database(next(folder.glob("ascend_pytorch_profiler*.db")))
        self.addCleanup(database.close)
        return sorted(database.file.execute(LAUNCHES))


if __name__ == "__main__":
    unittest.main()
