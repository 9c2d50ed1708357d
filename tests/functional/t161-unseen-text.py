# SPDX-License-Identifier: Apache-2.0
"""Variations of a known text result come back cell by cell: with other names, ids, devices, ranks,
columns and rows, as other versions and machines write them.

A result made by hand is always varied; a real one needs STROBE_DATA, the folder with ascend/ in it
(default: ../shared/data next to the source tree).
"""

import csv
import io
import json
import pathlib
import unittest

import cells
import made_ascend
import tap
from support import DATA, StrobeTest

OUTPUT = "ASCEND_PROFILER_OUTPUT"
REAL = DATA / "ascend" / "text_level1_rank0_ascend_pt"
NONE = 4294967295
# Data that the tool derives from the rest. If a file is empty, it is derived.
DERIVED = ("api_statistic.csv", "kernel_details.csv", "op_statistic.csv", "operator_details.csv",
           "operator_memory.csv", "step_trace_time.csv", "memory_record.csv")


class Result:
    """The files of a text result, as rows of cells or as JSON."""

    def __init__(self, source):
        self.name = source.name
        self.files = {path.name: self._read(path) for path in sorted((source / OUTPUT).iterdir())
                      if path.suffix in (".csv", ".json")}
        self.info = {path.name: self._read(path) for path in source.glob("*.json")}

    @staticmethod
    def _read(path):
        text = path.read_bytes().decode("utf-8")
        if path.suffix == ".csv":
            return list(csv.reader(io.StringIO(text, newline="")))
        return json.loads(text)

    @property
    def events(self):
        return self.files["trace_view.json"]

    def tables(self):
        return {name: rows for name, rows in self.files.items() if name.endswith(".csv")}

    def write(self, folder):
        """Writes the result into a new directory of the folder."""
        source = folder / self.name
        (source / OUTPUT).mkdir(parents=True)
        for name, content in self.files.items():
            if name.endswith(".csv"):
                with open(source / OUTPUT / name, "w", newline="", encoding="utf-8") as file:
                    csv.writer(file).writerows(content)
            else:
                (source / OUTPUT / name).write_text(json.dumps(content), encoding="utf-8")
        for name, content in self.info.items():
            (source / name).write_text(json.dumps(content), encoding="utf-8")
        return source


# ---- variations: each changes a result ----


def change_cells(result, change):
    """Calls change(title, cell) for every cell of every table."""
    for rows in result.tables().values():
        for row in rows[1:]:
            row[:] = [change(title, cell) for title, cell in zip(rows[0], row)]


def give_names(result, form):
    """Gives operators and kernels other names, except for names that determine the type of a
    row."""
    names = {row[rows[0].index("Name")] for name, rows in result.tables().items()
             if name in ("operator_details.csv", "kernel_details.csv") for row in rows[1:]}
    names |= {event["name"] for event in result.events if event.get("cat") == "cpu_op"}
    names = sorted(name for name in names
                   if name and not name.startswith(("hcom_", "ProfilerStep#")))
    new = {name: form.format(name, number) for number, name in enumerate(names)}
    for event in result.events:
        if "@" not in event["name"]:
            event["name"] = new.get(event["name"], event["name"])
        args = event.get("args", {})
        if "item_id" in args:
            args["item_id"] = new.get(args["item_id"], args["item_id"])
    change_cells(result, lambda title, cell: new.get(cell, cell)
                 if title in ("Name", "Op Name") else cell)


def give_long_names(result):
    give_names(result, "{0}" + "x" * 5000 + "{1}")


def give_unicode_names(result):
    give_names(result, '{0} 算子 ☃ "{1}", a\\b')


def give_device(result):
    """Replaces the first device by the fifth, also in the ids of host layers, as G1 writes them."""
    layers = {event["pid"] for event in result.events if event["pid"] >= 1 << 10 and
              event["name"] == "process_name" and event["args"]["name"] != "Python"}
    for event in result.events:
        event["pid"] += 5 if event["pid"] in layers else 0
        if event.get("args", {}).get("labels") == "NPU 0":
            event["args"]["labels"] = "NPU 5"
    change_cells(result, lambda title, cell: {"Device_id": "5"}.get(
        title, "NPU:5" if cell == "NPU:0" else cell))


def give_rank(result):
    """Changes the rank to 131 of many."""
    for name in [name for name in result.info if name.startswith("profiler_info")]:
        info = result.info.pop(name)
        result.info["profiler_info_131.json"] = {**info, "rank_id": 131}


def give_large_ids(result):
    """Connection ids near the end of 32 bits, streams and correlation ids beyond 16 and 32 bits."""
    for event in result.events:
        args = event.get("args", {})
        for key, more in (("connection_id", 4 << 29), ("correlation_id", 1 << 40)):
            if key in args and args[key] != NONE:
                args[key] += more
        if event.get("cat") == "async_task_queue":
            event["id"] += 1 << 40


def add_rows(result):
    """Adds ten times as many rows of memory, with later times."""
    rows = result.files["npu_module_mem.csv"]
    at = rows[0].index("Timestamp(us)")
    body = list(rows[1:])
    for number in range(1, 10):
        for row in body:
            whole, _, rest = row[at].partition(".")
            rows.append([*row[:at], "%d.%s" % (int(whole) + 10**7 * number, rest), *row[at + 1:]])
    names = list(dict.fromkeys(row[0] for row in rows[1:]))
    rows[1:] = sorted(rows[1:], key=lambda row: (names.index(row[0]), row[at]))


def set_level(result, level):
    for info in result.info.values():
        config = info.get("config", {}).get("experimental_config")
        if config:
            config["_profiler_level"] = level


def give_level_2(result):
    """Adds operators that ran on the device's AI CPU, as at level 2."""
    set_level(result, "Level2")
    kernels = result.files["kernel_details.csv"]
    titles = ("Start Time(us)", "Name", "Stream ID", "Task ID")
    places = [kernels[0].index(title) for title in titles]
    rows = [["Timestamp(us)", "Node", "Compute_time(us)", "Memcpy_time(us)", "Task_time(us)",
             "Dispatch_time(us)", "Total_time(us)", "Stream ID", "Task ID"]]
    for row in kernels[1:3]:
        begin, name, stream, task = (row[place] for place in places)
        rows.append([begin, name, "2.500", "0.250", "3.000", "0.125", "3.500", stream, task])
    if "Device_id" in kernels[0]:
        rows = [["Device_id", *rows[0]], *(["0", *row] for row in rows[1:])]
    result.files["data_preprocess.csv"] = rows


# Data that the tool removes from a trace of level 0, and tables that it does not write then.
PRUNED = ("CANN", "AscendCL", "Runtime", "GE", "Node", "Model", "Hccl", "acl_to_npu",
          "Communication@")
NOT_AT_LEVEL_0 = ("api_statistic.csv", "op_statistic.csv", "communication.json",
                  "communication_matrix.json")
KERNELS_L0 = ("Step Id", "Device_id", "Name", "Type", "Accelerator Core", "Start Time(us)",
              "Duration(us)", "Wait Time(us)", "Block Dim")


def give_level_0(result):
    set_level(result, "Level0")
    for name in NOT_AT_LEVEL_0:
        result.files.pop(name, None)
    result.events[:] = [event for event in result.events if not event["name"].startswith(PRUNED)
                        and event.get("args", {}).get("name") not in PRUNED]
    titles = result.files["kernel_details.csv"][0]
    drop_columns(result, {"kernel_details.csv"}, set(titles) - set(KERNELS_L0))
    titles, *rows = result.files["kernel_details.csv"]
    kind, core, blocks = map(titles.index, ("Type", "Accelerator Core", "Block Dim"))
    for row in rows:
        row[kind], row[blocks] = "N/A", "0"
        if row[core] != "HCCL":
            row[core] = "N/A"


VARIATIONS = (give_unicode_names, give_long_names, give_device, give_rank, give_large_ids, add_rows,
              give_level_2)


def add_columns(result):
    """Adds columns that no version has; one of the columns of kernels is a metric."""
    for name, rows in result.tables().items():
        for number, row in enumerate(rows):
            if name == "kernel_details.csv":
                row.append("novel_ratio" if number == 0 else "0.%d" % (number % 9 + 1))
            else:
                row.append('Größe, "neu" (%)' if number == 0 else ("", "a,b", "7")[number % 3])


def drop_columns(result, names, titles):
    for name in names.intersection(result.files):
        rows = result.files[name]
        places = [at for at, title in enumerate(rows[0]) if title not in titles]
        result.files[name] = [[row[at] for at in places] for row in rows]


# Columns that results of some versions, chips or options lack.
OPTIONAL = (
    ({"kernel_details.csv"}, {"cube_utilization(%)"}),
    ({"kernel_details.csv"}, {"Mix Block Dim", "Mix Block Num", "Context ID"}),
    ({"kernel_details.csv"}, {"OP State"}),
    ({"kernel_details.csv"}, {"HF32 Eligible"}),
    ({"kernel_details.csv"}, {"Step Id"}),
    ({"kernel_details.csv"}, {"Input Shapes", "Input Data Types", "Input Formats", "Output Shapes",
                              "Output Data Types", "Output Formats"}),
    ({"memory_record.csv", "operator_memory.csv"}, {"Stream Ptr"}),
    ({"operator_memory.csv"}, {"Active Release Time(us)", "Active Duration(us)",
                               "Allocation Total Active(MB)", "Release Total Active(MB)"}),
    ({"operator_details.csv"}, {"Device Self Duration With AICore(us)",
                                "Device Total Duration With AICore(us)"}),
    ({"l2_cache.csv"}, {"Victim Rate"}),
    ({"step_trace_time.csv"}, {"Preparing"}),
    ({"api_statistic.csv"}, {"Variance"}),
)


class UnseenTest(StrobeTest):
    maxDiff = 3000
    count = 0

    def export(self, source, *flags):
        """The output folder of an import of the result as text, and the messages of the command."""
        self.count += 1
        done = self.strobe("import", "--json", "-o", self.work / ("out%d" % self.count),
                           "--export", "chrome_trace", "--export", "csv", "--export", "comm_json",
                           *flags, source)
        (made,) = json.loads(done.stdout)
        return pathlib.Path(made["output"]), made

    def write(self, result):
        return result.write(self.work / ("source%d" % self.count))

    def check(self, result, modes=(("--derived", "source"), ()), has_unknown=False):
        """Compares the stored derived data, and the data that is derived anew."""
        source = self.write(result)
        for flags in modes:
            output, made = self.export(source, *flags)
            self.assertEqual((made["damaged"], bool(made["unknown"])), ([], has_unknown))
            found = cells.compare_text(output, source / OUTPUT, cells.limits("text", not flags))
            self.assertEqual(cells.few(found), {}, flags)
        for name in result.info:
            self.assertEqual((output.parent / name).read_bytes(), (source / name).read_bytes())


class MadeTest(UnseenTest):
    """A small synthetic result, which was exported once, so that it has the original's forms of
    numbers and orders."""

    def base(self):
        output, _ = self.export(made_ascend.make_text(self.work / ("made%d" % self.count)))
        result = Result(output.parent)
        for name, rows in result.tables().items():
            if rows[0][:2] == ["Name", "Begin(us)"]:  # Strobe's own tables
                del result.files[name]
        return result

    def test_variations(self):
        for vary in VARIATIONS:
            with self.subTest(vary.__name__):
                result = self.base()
                vary(result)
                self.check(result)


    def test_further_columns(self):
        """Tables that are derived anew do not have the added columns."""
        result = self.base()
        add_columns(result)
        self.check(result, modes=[("--derived", "source")], has_unknown=True)

    def test_without_columns(self):
        for names, titles in OPTIONAL:
            result = self.base()
            if names.intersection(result.files):
                with self.subTest(names, titles=titles):
                    drop_columns(result, names, titles)
                    self.check(result)

    def test_without_rows(self):
        """An empty table comes back without rows, or as it is derived; all others come back
        unchanged."""
        for name in self.base().tables():
            with self.subTest(name):
                result = self.base()
                del result.files[name][1:]
                source = self.write(result)
                output, made = self.export(source, "--derived", "source")
                self.assertEqual((made["damaged"], made["unknown"]), ([], []))
                found = cells.compare_text(output, source / OUTPUT, cells.limits("text", False))
                if name not in DERIVED:
                    self.assertEqual(found.pop(name), ["missing"])
                found.pop(name, None)
                self.assertEqual(cells.few(found), {})


@unittest.skipUnless(REAL.is_dir(), "no real results here (STROBE_DATA)")
class RealTest(MadeTest):
    """A real result of the first generation."""

    test_without_columns = tap.long_test(MadeTest.test_without_columns)
    test_without_rows = tap.long_test(MadeTest.test_without_rows)

    def base(self):
        return Result(REAL)

    def test_level_0(self):
        """Data that was derived from calls, which are missing at level 0, is kept."""
        result = self.base()
        give_level_0(result)
        self.check(result, modes=[("--derived", "source")])

    def test_two_ranks(self):
        """Two ranks in one import."""
        sources = []
        for rank in (0, 1):
            result = self.base()
            result.name = "host_%d_20250109074803340_ascend_pt" % (100 + rank)
            if rank:
                give_device(result)
                give_rank(result)
            sources.append(self.write(result))
            self.count += 1
        done = self.strobe("import", "--json", "-o", self.out, "--export", "chrome_trace",
                           "--export", "csv", "--export", "comm_json", "--derived", "source",
                           *sources)
        made = json.loads(done.stdout)
        self.assertEqual(len(made), 2)
        for source, each in zip(sources, made):
            found = cells.compare_text(pathlib.Path(each["output"]), source / OUTPUT,
                                       cells.limits("text", False))
            self.assertEqual(cells.few(found), {}, source)


if __name__ == "__main__":
    unittest.main()
