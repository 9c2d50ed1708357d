# SPDX-License-Identifier: Apache-2.0
"""The parts of the time before a graph's first kernel, from synthetic results and from a real one
with added events.

The case on a real result needs STROBE_DATA, the folder with ascend/ in it (default: ../shared/data
next to the source tree), and is skipped without it.
"""

import csv
import gzip
import json
import os
import pathlib
import shutil
import sqlite3
import unittest

from made_ascend import HARDWARE, MAIN, OUTPUT, PID, device_events, framework_events, make_database
from made_ascend import make_text, span
from support import BUILD, TOP, StrobeTest

DATA = pathlib.Path(os.environ.get("STROBE_DATA") or TOP.parent / "shared" / "data") / "ascend"
TEXT = DATA / "text_level1_rank0_ascend_pt"
NO_MARKERS = 8

#: The synthetic inference: begin and end of its ranges, in units in which the parts below are
#: given.
RANGES = (
    ("TorchDynamo Cache Lookup", 1000, 1120), ("Torch-Compiled Region: 0/0", 1125, 2500),
    ("npu_fx_compiler inference", 1200, 2400), ("TorchNpuGraphBase::Run", 1500, 2300),
    ("AssembleInputs", 1510, 1600), ("AssembleOutputs", 1610, 1650),
    ("ExecuteGraph", 1700, 2000), ("RefreshAtTensorFromGeTensor", 2010, 2200),
)
PARTS = {
    "framework": 200, "python": 300, "cpp": 200, "torchair": 500, "ge": 700, "total": 1400,
    "cpp_inputs": 90, "cpp_outputs": 40, "cpp_load": 0, "cpp_rest": 70,
    "ge_execute": 300, "ge_refresh": 190, "ge_rest": 210, "lookup": 120,
}


def ranges(shift, slower=0):
    """The events of the synthetic inference, `shift` ns later; the C++ side takes `slower` ns
    longer."""
    for name, begin, end in RANGES:
        more = [slower if at > 1650 else 0 for at in (begin, end)]
        yield span(name, PID, MAIN, begin + shift + more[0], end + shift + more[1], {},
                   cat="cpu_op")


class HeadOverheadTest(StrobeTest):
    def text_result(self, extra, name="made_text"):
        """An Ascend result as text, with additional events on the main thread."""
        folder = self.work / name
        output = folder / OUTPUT
        output.mkdir(parents=True)
        events = [*framework_events(), *extra, *device_events()]
        (output / "trace_view.json").write_text(json.dumps(events), encoding="utf-8")
        return folder

    def imported(self, source, *flags):
        out = self.work / "imported" / source.name
        made = self.json("import", "-o", out, *flags, source)[0]
        return pathlib.Path(made["directory"])

    def table(self, result, name="head_overhead", code=0):
        return self.json("show", result, "--table", name, code=code)[0]["rows"]

    def assertParts(self, row, unit=1):
        self.assertEqual({part: row[part] for part in PARTS},
                         {part: ns * unit for part, ns in PARTS.items()})

    # ---- from an Ascend result ----

    def test_text_result(self):
        """In the step that begins at 900, from 5000 ns on; the next kernel begins at 8000."""
        result = self.imported(self.text_result(ranges(5000)))
        (row,) = self.table(result)
        self.assertParts(row)
        self.assertEqual((row["mode"], row["entry_source"], row["marker"], row["error"]),
                         ("ge", "lookup", "inference", None))
        self.assertEqual((row["step"], row["graph"], row["thread"], row["pid"]),
                         (5, 1, MAIN, row["pid"]))
        self.assertEqual(row["platform"], 6000 - 900)
        self.assertEqual(row["ge_to_first_kernel"], 8000 - 6700)
        self.assertEqual(row["to_first_kernel"], 200 + 500 + 1300)
        self.assertEqual(row["ge_share"], 50)
        (step,) = self.table(result, "head_overhead_step")
        self.assertEqual((step["step"], step["graphs"], step["torchair"]), (5, 1, 500))
        summary = {row["name"]: row["mean"]
                   for row in self.table(result, "head_overhead_summary")}
        self.assertEqual(summary["cpp"], 200)
        advice = self.table(result, "head_overhead_advice")
        self.assertEqual([row["part"] for row in advice[:3]], ["ge", "torchair", "framework"])

    def test_decoys(self):
        """The same names on rows of the hardware do not count."""
        extra = [dict(event, pid=HARDWARE, tid=2) for event in ranges(5000)]
        result = self.imported(self.text_result(extra))
        self.assertEqual(self.table(result, code=NO_MARKERS), [])

    def test_bare_trace(self):
        """trace_view.json alone is enough to find the first kernel."""
        source = self.text_result(ranges(5000)) / OUTPUT / "trace_view.json"
        (row,) = self.table(self.imported(source))
        self.assertParts(row)
        self.assertEqual((row["step"], row["ge_to_first_kernel"]), (5, 8000 - 6700))

    def test_pairs(self):
        """The ranges as pairs of events, in a result of Ascend."""
        halves = [dict({key: value for key, value in event.items() if key not in ("dur", "args")},
                       ph=phase, ts=at)
                  for event in ranges(5000) for phase, at in
                  (("B", event["ts"]), ("E", "%d.%03d" % divmod(
                      int(event["ts"].replace(".", "")) + round(event["dur"] * 1000), 1000)))]
        halves.sort(key=lambda event: (event["ts"], event["ph"] == "B"))
        (row,) = self.table(self.imported(self.text_result(halves)))
        self.assertParts(row)
        self.assertEqual(row["ge_to_first_kernel"], 8000 - 6700)

    def test_for_people(self):
        result = self.imported(self.text_result(ranges(5000)))
        lines = self.strobe("show", result, "--table", "head_overhead").stdout.splitlines()
        self.assertRegex(lines[0], r"^Step +Graph +Mode +Entry +Begin +Framework us +% +Platform us"
                         r" +TorchAir us +% +Python us +C\+\+ us +GE us")
        self.assertRegex(lines[2], r"^ *5 +1 +ge +lookup .* 0\.200 +14\.29 +5\.100 +0\.500 +35\.71"
                         r" +0\.300 +0\.200 +0\.700 +50\.00 +1\.300 +1\.400 +2\.000 ")
        text = self.strobe("show", result, "--table", "head_overhead_advice").stdout
        self.assertIn("vendor's support (GE)", text)

    def test_options(self):
        """Options of the pass: other names, another entry point, inferences that compiled."""
        extra = [dict(event, name="my " + event["name"]) for event in ranges(5000)]
        extra.append(span("LoadGraph", PID, MAIN, 6660, 6690, {}, cat="cpu_op"))
        result = self.imported(self.text_result(extra))
        self.assertEqual(self.table(result, code=NO_MARKERS), [])
        options = ("head_overhead:inference=my npu_fx_compiler inference,"
                   "run=my_TorchNpuGraphBase::Run,execute=my ExecuteGraph,entry=^my .*Region")

        def table(name, more=""):
            return self.json("show", result, "--table", name, "--pass", options + more)[0]["rows"]
        (row,) = table("head_overhead")
        self.assertEqual((row["entry_source"], row["framework"], row["torchair"], row["cpp_load"]),
                         ("pattern", 75, 500, 30))
        self.assertTrue(row["is_compile"])
        # all inferences compile, which is not the same as missing marks
        self.assertEqual(table("head_overhead_summary"), [])
        self.assertEqual(len(table("head_overhead_summary", ",compiled_too=true")), 9)
        for words, says, code in (("head_overhaed:run=x", 'did you mean "head_overhead"', 4),
                                  ("head_overhead:rum=x", 'did you mean "run"', 3),
                                  ("head_overhead:entry=(", "expected a regular expression", 3)):
            done = self.strobe("show", result, "--table", "head_overhead", "--pass", words,
                               code=code)
            self.assertIn(says, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_files(self):
        """A table in CSV and in the database, as for any kind."""
        result = self.imported(self.text_result(ranges(5000)), "--export", "csv", "--export", "db")
        with open(result / OUTPUT / "head_overhead.csv", encoding="utf-8", newline="") as file:
            (row,) = csv.DictReader(file)
        self.assertEqual((row["torchair(ns)"], row["mode"]), ("500", "ge"))
        self.assertTrue((result / OUTPUT / "head_overhead_summary.csv").exists())
        if not (BUILD / "exporters" / "db.so").exists():
            return
        (path,) = (result / OUTPUT).glob("ascend_pytorch_profiler*.db")
        database = sqlite3.connect(path)
        found = [row[0].lower() for row in database.execute(
            "SELECT name FROM sqlite_master WHERE name LIKE 'head_overhead%' COLLATE NOCASE")]
        self.assertIn("head_overhead", found)
        database.close()

    def test_overlay(self):
        """A layer of the trace, whose parts follow each other on the inference's thread."""
        result = self.imported(self.text_result(ranges(5000)), "--export",
                               "chrome_trace:also=head_overhead")
        events = json.loads((result / OUTPUT / "trace_view.json").read_text())
        (layer,) = {event["pid"] for event in events if event["name"] == "process_name"
                    and event["args"]["name"] == "Head overhead"}
        found = [(event["name"], int(event["ts"].replace(".", "")), event["dur"], event["tid"])
                 for event in events if event["ph"] == "X" and event["pid"] == layer]
        lookup = next(event for event in events if event["name"] == RANGES[0][0])
        begin = int(lookup["ts"].replace(".", ""))
        self.assertEqual(found, [("Framework", begin, 0.2, MAIN),
                                 ("TorchAir Python", begin + 200, 0.3, MAIN),
                                 ("TorchAir C++", begin + 500, 0.2, MAIN),
                                 ("GE", begin + 700, 0.7, MAIN)])
        plain = self.imported(self.text_result(ranges(5000), "plain"), "--export", "chrome_trace")
        self.assertNotIn("Head overhead", (plain / OUTPUT / "trace_view.json").read_text())

    def test_no_marker(self):
        """There is no file, and a message lists the names that were looked for."""
        result = self.imported(make_text(self.work), "--export", "csv")
        self.assertEqual(list((result / OUTPUT).glob("head_overhead*")), [])
        for table in ("head_overhead", "head_overhead_summary"):
            done = self.strobe("show", result, "--table", table, code=NO_MARKERS)
            self.assertEqual(done.stdout, "")
            for word in ("is empty", "npu_fx_compiler inference", "ExecuteGraph", "graph mode",
                         'took longest: "ProfilerStep#5", "aten::linear"', '"aten::add"'):
                self.assertIn(word, done.stderr)

    @unittest.skipUnless((BUILD / "plugins" / "ascend_db.so").exists(), "built without SQLite")
    def test_database_result(self):
        """The database also has the framework's ranges among its operators."""
        source = make_database(self.work)
        path = source / OUTPUT / "ascend_pytorch_profiler_0.db"
        database = sqlite3.connect(path)
        (begin, thread) = database.execute(
            "SELECT startNs, globalTid FROM PYTORCH_API WHERE type = 50001 LIMIT 1").fetchone()
        first = 1 << 30
        for place, (name, at, end) in enumerate(RANGES):
            database.execute("INSERT INTO STRING_IDS VALUES(?, ?)", (first + place, name))
            base = int(begin) - 1000 + 5000
            database.execute(
                "INSERT INTO PYTORCH_API VALUES(?, ?, ?, NULL, ?, -1, 0, NULL, NULL, NULL, 50001)",
                (str(base + at), str(base + end), thread, first + place))
        database.commit()
        database.close()
        (row,) = self.table(self.imported(source))
        self.assertParts(row)
        self.assertEqual((row["step"], row["ge_to_first_kernel"]), (5, 1300))

    # ---- from other traces ----

    def chrome_events(self, **more):
        yield {"ph": "M", "name": "process_name", "pid": 9, "args": {"name": "Python"}}
        for name, begin, end in RANGES:
            yield {"name": name, "pid": 9, "tid": 10, "ph": "X", "ts": begin, "dur": end - begin,
                   **more}

    def test_chrome_traces(self):
        """An array or an object, plain or gzip, with and without categories, with pairs of events,
        with times as text."""
        whole = list(self.chrome_events(cat="cpu_op"))
        bare = list(self.chrome_events())
        texts = [dict(event, ts="1736410576%06d.000" % event["ts"]) if "ts" in event else event
                 for event in whole]
        pairs = sorted(
            (dict({key: value for key, value in event.items() if key != "dur"}, ph=phase,
                  ts=event["ts"] + (event["dur"] if phase == "E" else 0))
             for event in bare if event["ph"] == "X" for phase in "BE"),
            key=lambda event: (event["ts"], event["ph"] == "B"))
        for name, trace in (("array", whole), ("object", {"traceEvents": whole}), ("bare", bare),
                            ("texts", texts), ("pairs", [*bare[:1], *pairs])):
            with self.subTest(name):
                path = self.work / (name + ".json")
                path.write_text(json.dumps(trace))
                (row,) = self.table(self.imported(path))
                self.assertParts(row, 1000)
                self.assertIsNone(row["ge_to_first_kernel"])
        # Pairs with the framework's category, and some events without a meaning: one never ends,
        # one is asynchronous.
        (name,) = {event["name"] for event in whole if "inference" in event["name"]}
        marked = [dict(event, cat="cpu_op") if event["ph"] in "BE" else event
                  for event in [*bare[:1], *pairs]]
        marked += [{"name": name, "pid": 9, "tid": 10, "ph": "B", "ts": 5000, "cat": "cpu_op"}]
        marked += [{"name": name, "pid": 9, "tid": 10, "ph": phase, "ts": at, "id": 1}
                   for phase, at in (("b", 3000), ("e", 3500))]
        path = self.work / "marked.json"
        path.write_text(json.dumps(marked))
        (row,) = self.table(self.imported(path))
        self.assertParts(row, 1000)
        path = self.work / "packed.json.gz"
        path.write_bytes(gzip.compress(json.dumps(whole).encode()))
        (row,) = self.table(self.imported(path))
        self.assertParts(row, 1000)

    def test_decoys_of_bare_traces(self):
        """In a bare trace only the name of the process shows that a row belongs to the hardware or
        to CANN."""
        for layer in ("Ascend Hardware", "CANN"):
            for more in ({}, {"cat": "cpu_op"}):
                with self.subTest(layer, **more):
                    own = list(self.chrome_events(**more))
                    decoys = [dict(event, pid=8, tid=2) for event in own]
                    decoys[0]["args"] = {"name": layer}
                    path = self.work / ("%s%d.json" % (layer, len(more)))
                    path.write_text(json.dumps([*decoys, *own]))
                    (row,) = self.table(self.imported(path))
                    self.assertEqual((row["pid"], row["thread"]), (9, 10))
                    path.write_text(json.dumps(decoys))
                    self.assertEqual(self.table(self.imported(path), code=NO_MARKERS), [])

    # ---- against another result ----

    def test_baseline(self):
        """The C++ side is 100 ns slower in both inferences, and so are TorchAir and the total. The
        first kernel begins at the same time as before, so the call of GE, which comes later, waits
        less. This is known for one inference only, so it has no spread."""
        def served(name, slower):
            return self.text_result([*ranges(5000, slower), *ranges(1000000, slower)], name)
        a, b, far = served("a", 0), served("b", 100), served("far", 100000)
        self.strobe("diff", a, a, "--by", "head", "--threshold", "0")
        found = self.json("diff", a, b, "--by", "head", "--threshold", "20", "--min-time", "50ns",
                          code=7)
        rows = {row["path"][0]: row for row in found["rows"]}
        self.assertEqual({name: row["difference"] for name, row in rows.items()},
                         {"cpp": 100, "torchair": 100, "total": 100, "ge_to_first_kernel": -100})
        self.assertEqual([name for name, row in rows.items() if row["regression"]], ["cpp"])
        # a difference of less than 50 us is ignored by default
        self.strobe("diff", a, b, "--by", "head")
        found = self.json("diff", a, far, "--by", "head", code=7)
        self.assertEqual((found["threshold"], found["least_effect"]), (20, 50000))
        self.strobe("diff", a, far, "--by", "head", "--min-time", "200us")
        done = self.strobe("diff", make_text(self.work), a, "--by", "head", code=5)
        self.assertIn("no inferences of graphs", done.stderr)

    def test_baseline_of_more(self):
        """Twice as many inferences, inside or outside of a step, are not slower; each inference is
        a sample."""
        def served(name, starts, step=True):
            extra = [event for at in starts for event in ranges(at)]
            folder = self.text_result(extra, name)
            if not step:
                path = folder / OUTPUT / "trace_view.json"
                events = [event for event in json.loads(path.read_text())
                          if not event["name"].startswith("ProfilerStep")]
                path.write_text(json.dumps(events))
            return folder
        for step in (True, False):
            one = served("one%d" % step, [5000, 10000], step)
            two = served("two%d" % step, [5000, 10000, 15000, 20000], step)
            found = self.json("diff", one, two, "--by", "head", "--min-time", "0ns", "--all")
            rows = {row["path"][0]: row for row in found["rows"]}
            self.assertEqual(found["per"], "inference")
            self.assertEqual(tuple(found[side]["runs"][0]["records"] for side in "ab"), (2, 4))
            total = rows["total"]
            self.assertEqual((total["a"]["value"], total["b"]["value"], total["difference"]),
                             (1400, 1400, 0))
            self.assertEqual((total["a"]["units"], total["b"]["units"]), (2, 4))
            # The first kernel is known only for the first inference.
            self.assertEqual([rows["to_first_kernel"][side]["calls"] for side in "ab"], [1, 1])
        text = self.strobe("diff", one, two, "--by", "head", "--min-time", "0ns", "--all").stdout
        self.assertIn("mean of an inference", text)
        self.assertIn("the spread between the inferences", " ".join(text.split()))

    # ---- spliced into a real result ----

    @unittest.skipUnless(TEXT.exists(), "no real results")
    def test_splice(self):
        """Times are in microseconds, on the main thread of a real step with real kernels."""
        source = self.work / "spliced_ascend_pt"
        shutil.copytree(TEXT, source, copy_function=shutil.copyfile)
        for path in (source, source / OUTPUT):
            path.chmod(0o700)
        path = source / OUTPUT / "trace_view.json"
        events = json.loads(path.read_text())
        step = next(event for event in events
                    if event["name"] == "ProfilerStep#50" and event["ph"] == "X")
        at = int(step["ts"].split(".")[0]) + 1000
        kernels = sorted(
            int(event["ts"].replace(".", "")) for event in events
            if event["ph"] == "X" and "Task Type" in event.get("args", {})
            and event["args"]["Task Type"].startswith(("AI_", "MIX_")))
        for name, begin, end in RANGES:
            events.append({"ph": "X", "name": name, "cat": "cpu_op", "pid": step["pid"],
                           "tid": step["tid"], "ts": "%d.000" % (at + begin), "dur": end - begin,
                           "args": {}})
        path.write_text(json.dumps(events))
        (row,) = self.table(self.imported(source, "--export", "csv"))
        self.assertParts(row, 1000)
        self.assertEqual(row["step"], 50)
        call = (at + 1700) * 1000
        first = next(ns for ns in kernels if ns >= call)
        self.assertEqual(row["ge_to_first_kernel"], first - call)


if __name__ == "__main__":
    unittest.main()
