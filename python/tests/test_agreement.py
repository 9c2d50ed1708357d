# SPDX-License-Identifier: Apache-2.0
"""A profile's files and key_averages() agree with each other and with PyTorch's own profiler.

The same loop is recorded with combinations of the switches. The suite `quick` takes eight
combinations, which contain every pair of values of every two switches; the suite `long` takes all.
"""

import collections
import csv
import gc
import itertools
import os
import re
import shutil
import sqlite3
import threading
import unittest

import tap
from support import FolderTest, messages, native_stderr, needs_torch, results, their_stacks_work, torch
from trace_file import trace_events
from strobe import profiler
from strobe.profiler import torch_style

if torch is not None:
    import torch.profiler as torch_profiler

SWITCHES = ("record_shapes", "profile_memory", "with_stack", "with_modules", "with_flops", "marks")
ALL = tuple(itertools.product((False, True), repeat=len(SWITCHES)))
FEW = tuple(
    (a, b, c, a != b, a != c, b != c) for a, b, c in itertools.product((False, True), repeat=3)
)
STEPS = 2
STEP = re.compile(r"ProfilerStep#\d+")
PYTHON_FUNCTION = re.compile(r".*\.py\(\d+\): |<built-in |<frozen |nn\.Module: ")
NAMES = ("same", 'größe "x", y\n2')
SIZE = 1 << 20  # bytes in a MB
needs_database = unittest.skipUnless(
    "db" in profiler.supported_export_type(), "built without SQLite"
)


def make_step():
    """Returns a function that does a training step, in ranges and on two threads."""
    nn, in_range = torch.nn, torch_profiler.record_function
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(72, 4))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    batch, goal, loss = torch.ones(2, 1, 8, 8), torch.tensor([0, 1]), nn.CrossEntropyLoss()

    def step():
        with in_range(NAMES[0]), in_range(NAMES[0]):
            found = loss(net(batch), goal)
        with in_range(NAMES[1]):
            found.backward()
        optimizer.step()
        optimizer.zero_grad()
        thread = threading.Thread(target=lambda: torch.arange(3.0).cumsum(0))
        thread.start()
        thread.join()
        gc.collect(0)

    return step


def in_ns(text):
    """Converts microseconds with up to three decimals to ns, exactly: a float has too few
    digits."""
    whole, _, decimals = str(text).strip().partition(".")
    return int(whole + decimals.ljust(3, "0"))


def tally(rows):
    """Returns each name's count and sum of times. Rows begin with name and duration."""
    found = collections.defaultdict(lambda: (0, 0))
    for name, duration, *_ in rows:
        count, total = found[name]
        found[name] = count + 1, total + duration
    return dict(found)


class Files:
    """The files of a result directory."""

    def __init__(self, directory):
        self.folder = os.path.join(directory, "ASCEND_PROFILER_OUTPUT")
        with open(os.path.join(self.folder, "trace_view.json"), encoding="utf-8") as file:
            self.events = trace_events(file.read())
        (name,) = (each for each in os.listdir(self.folder) if each.endswith(".db"))
        self.database = sqlite3.connect(os.path.join(self.folder, name))
        self.tables = {each for (each,) in self.ask("SELECT name FROM sqlite_master")}

    def close(self):
        self.database.close()

    def ask(self, sql):
        return self.database.execute(sql).fetchall()

    def spans(self, category):
        """Returns the trace's X events of a category, None for marks: (name, duration, begin,
        thread, arguments)."""
        return [
            (each["name"], in_ns(each["dur"]), in_ns(each["ts"]), each["tid"], each["args"])
            for each in self.events
            if each["ph"] == "X" and each.get("cat") == category
        ]

    def counters(self, name):
        return [each for each in self.events if each["ph"] == "C" and each["name"] == name]

    def rows(self, name):
        """Returns the rows of a CSV file; [] if there is no such file."""
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            return []
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def csv_spans(self, name):
        return [
            (each["Name"], in_ns(each["Duration(us)"]), in_ns(each["Begin(us)"]),
             int(each["Track"]))
            for each in self.rows(name)
        ]

    def table(self, name, *columns, where="1"):
        """Returns the rows of a table of the database; [] if there is no such table."""
        if name not in self.tables:
            return []
        return self.ask("SELECT %s FROM %s WHERE %s" % (", ".join(columns), name, where))


def text(column):
    return "(SELECT value FROM STRING_IDS WHERE id = %s)" % column


SPAN = ("CAST(endNs AS INTEGER) - CAST(startNs AS INTEGER)", "CAST(startNs AS INTEGER)",
        "globalTid & 0xffffffff")
STACK = (
    "(SELECT group_concat(frame, char(59, 13, 10)) FROM (SELECT %s AS frame FROM"
    " PYTORCH_CALLCHAINS c WHERE c.id = callchainId ORDER BY stackDepth))" % text("stack")
)


@needs_torch
@needs_database
class Agreement(FolderTest):
    maxDiff = None

    def setUp(self):
        super().setUp()
        torch.set_num_threads(1)
        self.step = make_step()
        for _ in range(2):  # PyTorch does other things in its first steps
            self.step()

    # ---- recording ----

    def _record(self, marks, **switches):
        """Profiles the loop, without its first step; sets the profile and its files."""
        config = profiler._ExperimentalConfig(
            export_type=[profiler.ExportType.Text, profiler.ExportType.Db],
            mstx=marks,
            gc_detect_threshold=0 if marks else None,
        )
        with messages(), profiler.profile(
            activities=[profiler.ProfilerActivity.CPU],
            schedule=profiler.schedule(wait=0, warmup=1, active=STEPS, repeat=1),
            on_trace_ready=profiler.tensorboard_trace_handler("out"),
            experimental_config=config,
            **switches,
        ) as prof:
            for _ in range(1 + STEPS):
                self.step()
                prof.step()
        (directory,) = results("out")
        return prof, Files(directory)

    def _record_theirs(self, **switches):
        """Profiles the steps with PyTorch's profiler, without its step(), which would run further
        operators."""
        with native_stderr(), torch_profiler.profile(
            activities=[torch_profiler.ProfilerActivity.CPU], **switches
        ) as prof:
            for _ in range(STEPS):
                self.step()
        return prof

    def _check(self, values):
        switches = dict(zip(SWITCHES, values))
        self.prof, self.files = self._record(**switches)
        try:
            self._check_operators(switches)
            self._check_averages()
            self._check_key_averages(switches)
            self._check_other_spans(switches)
            self._check_memory(switches)
            del switches["marks"]
            if not (switches["with_stack"] or switches["with_modules"]) or their_stacks_work():
                self._check_theirs(switches)
        finally:
            self.files.close()
            shutil.rmtree("out")

    def assertSameRows(self, mine, theirs, what):
        """Checks that both have the same rows in any order; names those that differ."""
        mine, theirs = collections.Counter(mine), collections.Counter(theirs)
        self.assertEqual((sorted(mine - theirs), sorted(theirs - mine)), ([], []), what)

    def assertSameSums(self, mine, theirs, what):
        """Checks that both have the same count and sum for each name; names those that differ."""
        self.assertSameRows(mine.items(), theirs.items(), what)

    # ---- operators ----

    def _operators(self):
        """Returns the trace's operators, without the steps."""
        return [row for row in self.files.spans("cpu_op") if not STEP.fullmatch(row[0])]

    def _check_operators(self, switches):
        """The trace, the database and operator_details.csv have the same operators.

        Like the original's, the database has no empty shapes. PyTorch needs shapes to count
        operations."""
        trace = [
            (*row, args.get("Sequence number"), args.get("Input Dims") or None,
             args.get("Input type"), args.get("Call stack"))
            for *row, args in self._operators()
        ]
        table = self.files.table(
            "PYTORCH_API", text("name"), *SPAN, "ifnull(sequenceNumber, -1)", text("inputShapes"),
            text("inputDtypes"), STACK if "PYTORCH_CALLCHAINS" in self.files.tables else "NULL",
            where="type = 50001 AND %s NOT LIKE 'ProfilerStep#%%'" % text("name"),
        )
        self.assertSameRows(trace, table, "database")
        self.assertSameRows(
            [(row[0], row[1], row[5] or "", row[7] or "") for row in trace],
            [(each["Name"], in_ns(each["Host Total Duration(us)"]), each["Input Shapes"],
              each["Call Stack"]) for each in self.files.rows("operator_details.csv")],
            "operator_details.csv",
        )
        has_shapes = switches["record_shapes"] or switches["with_flops"]
        for column, is_there in ((5, has_shapes), (6, has_shapes), (7, switches["with_stack"])):
            self.assertEqual(any(row[column] for row in trace), is_there, column)

    def _check_averages(self):
        """operator_average.csv sums up operator_details.csv."""
        rows = self.files.rows("operator_details.csv")
        sums = self.files.rows("operator_average.csv")
        for mine, theirs in (("host_total(ns)", "Host Total Duration(us)"),
                             ("host_self(ns)", "Host Self Duration(us)")):
            self.assertSameSums(
                {each["Name"]: (int(each["calls"]), int(each[mine])) for each in sums},
                tally((each["Name"], in_ns(each[theirs])) for each in rows),
                mine,
            )

    def _check_key_averages(self, switches):
        """key_averages() sums up the operators of the trace and the steps."""
        averages = self.prof.key_averages()
        trace = self._without_inner() + [("ProfilerStep*", *row[1:]) for row in self._steps()]
        self.assertSameSums(
            {each.key: (each.count, round(each.cpu_time_total * 1000)) for each in averages
             if each.key != "[memory]"},
            tally(trace),
            "key_averages()",
        )
        flops = collections.Counter()
        for name, *_, args in self._operators():
            flops[name] += int(args.get("flops", 0))
        self.assertSameSums({each.key: each.flops for each in averages if each.flops},
                            {name: value for name, value in flops.items() if value}, "flops")
        self.assertEqual(any(flops.values()), switches["with_flops"])
        selves = {each["Name"]: int(each["host_self(ns)"])
                  for each in self.files.rows("operator_average.csv")}
        self.assertSameSums(
            {each.key: round(each.self_cpu_time_total * 1000) for each in averages
             if each.key in selves},
            selves,
            "self times",
        )
        self.assertSameRows(
            [(each.key, self._join(each.input_shapes), each.count)
             for each in self.prof.key_averages(group_by_input_shape=True)
             if each.key in selves],
            [(*key, count) for key, count in collections.Counter(
                (row[0], row[4].get("Input Dims", "")) for row in self._without_inner()).items()],
            "shapes",
        )

    @staticmethod
    def _join(shapes):
        return ";\r\n".join(",".join(map(str, shape)) for shape in shapes or ())

    def _without_inner(self):
        """Returns the operators that PyTorch counts: it leaves out one that is the only child of an
        operator of the same name. (In PyTorch 1.13 a range has other children too.)"""
        rows = self._operators()
        if not torch_style.is_torch_2():
            return rows
        inner = sorted((row for row in rows if row[0] == NAMES[0]), key=lambda row: row[2])[1::2]
        self.assertEqual(len(inner), STEPS)
        return [row for row in rows if row not in inner]

    def _steps(self):
        return [row for row in self.files.spans("cpu_op") if STEP.fullmatch(row[0])]

    # ---- other files ----

    def _check_other_spans(self, switches):
        """Checks the Python calls, collections, marks and steps in the files."""
        files = self.files
        has_calls = switches["with_stack"] or switches["with_modules"]
        for category, name, table, is_there in (
            ("python_function", "python_call.csv",
             files.table("PYTORCH_API", text("name"), *SPAN, where="type = 50003"), has_calls),
            ("GC", "gc.csv", files.table("GC_RECORD", "'GC'", *SPAN), switches["marks"]),
            (None, "marker.csv", files.table("MSTX_EVENTS", text("message"), *SPAN),
             switches["marks"]),
        ):
            spans = [tuple(row) for *row, _ in files.spans(category)]
            self.assertEqual(bool(spans), is_there, category)
            self.assertSameRows(spans, table, name)
            # trace and database have collections of any thread in the line of the process
            n_same = 3 if category == "GC" else 4
            self.assertSameRows([row[:n_same] for row in spans],
                                [row[:n_same] for row in files.csv_spans(name)], name)
        steps = [row[:3] for row in self._steps()]
        self.assertEqual([row[0] for row in steps], ["ProfilerStep#1", "ProfilerStep#2"])
        self.assertSameRows(steps, [row[:3] for row in files.csv_spans("step.csv")], "step.csv")
        self.assertSameRows(
            steps, files.table("STEP_TIME", "'ProfilerStep#' || id", "endNs - startNs", "startNs"),
            "STEP_TIME")
        calls = [tuple(row[:3]) for row in files.spans("collector_call")]
        self.assertSameRows(
            calls, files.table("collector_call", "name", "endNs - startNs", "startNs"),
            "collector_call")

    def _check_memory(self, switches):
        """Checks the events and blocks of memory, and their sum in key_averages()."""
        files = self.files
        events = files.rows("memory_event.csv")
        self.assertEqual(bool(events), switches["profile_memory"])
        totals = [(in_ns(each["Begin(us)"]), int(each["total_allocated(B)"])) for each in events]
        self.assertSameRows(totals, [
            (in_ns(each["Timestamp(us)"]), round(float(each["Total Allocated(MB)"]) * SIZE))
            for each in files.rows("memory_record.csv")], "memory_record.csv")
        self.assertSameRows(totals, [
            (in_ns(each["ts"]), round(each["args"]["Allocated(MB)"] * SIZE))
            for each in files.counters("PyTorch Memory")], "counters")
        self.assertSameRows(
            totals, files.table("MEMORY_RECORD", "CAST(timestamp AS INTEGER)", "totalAllocated"),
            "MEMORY_RECORD")
        self.assertSameRows(
            [(each["Name"], round(float(each["Size(KB)"]) * 1024),
              in_ns(each["Allocation Time(us)"]),
              each["Duration(us)"] and in_ns(each["Duration(us)"]))
             for each in files.rows("operator_memory.csv")],
            files.table("OP_MEMORY", "ifnull(%s, '')" % text("name"), "size",
                        "CAST(allocationTime AS INTEGER)", "ifnull(duration, '')"),
            "OP_MEMORY")
        main = threading.get_native_id()
        self.assertEqual(  # as in PyTorch, an event counts in an operator of each thread
            sum(each.self_cpu_memory_usage for each in self.prof.events()
                if each.thread == main or each.name == "[memory]"),
            sum(int(each["size(B)"]) for each in events))

    # ---- PyTorch's own profiler ----

    def _check_theirs(self, switches):
        """PyTorch's counts in the thread that it profiles are the same."""
        theirs = self._record_theirs(**switches)
        events = theirs.profiler.kineto_results.events()
        counts = collections.Counter(
            each.name() for each in events
            if each.name() != "[memory]" and not PYTHON_FUNCTION.match(each.name()))
        mine = [row for row in self._operators() if row[3] == threading.get_native_id()]
        self.assertSameSums(collections.Counter(row[0] for row in mine), counts, "PyTorch")
        if torch_style.is_torch_2():  # 1.13 nests by whole us
            self._check_their_averages(theirs)

    def _check_their_averages(self, theirs):
        counts = {each.key: each.count for each in theirs.key_averages()
                  if each.key != "[memory]" and not PYTHON_FUNCTION.match(each.key)}
        if counts[NAMES[0]] != STEPS:  # Python calls come between two ranges
            self.assertTrue(self.prof.with_stack or self.prof.with_modules)
            counts[NAMES[0]] = STEPS
        main = threading.get_native_id()
        rows = [row for row in self._without_inner() if row[3] == main]
        self.assertSameSums(collections.Counter(row[0] for row in rows), counts, "averages")

    # ---- tests ----

    def test_few(self):
        for values in FEW:
            with self.subTest(dict(zip(SWITCHES, values))):
                self._check(values)

    @tap.long_test
    def test_all(self):
        for values in ALL:
            with self.subTest(dict(zip(SWITCHES, values))):
                self._check(values)


class Combinations(unittest.TestCase):
    def test_pairs(self):
        """The combinations of `quick` contain every pair of values of every two switches."""
        for one, other in itertools.combinations(range(len(SWITCHES)), 2):
            self.assertEqual(len({(values[one], values[other]) for values in FEW}), 4)


if __name__ == "__main__":
    unittest.main()
