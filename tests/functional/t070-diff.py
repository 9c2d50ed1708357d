# SPDX-License-Identifier: Apache-2.0
"""`strobe diff` on synthetic results, compared with results that were computed by hand.

Cases on real results need STROBE_DATA, the folder with ascend/ in it (default: ../shared/data
next to the source tree), and are skipped without it.
"""

import json
import math
import os
import pathlib
import signal
import sqlite3
import unittest

import kineto
from made_ascend import OUTPUT, make_database, make_text
from made_capture import STEPS, THREAD, MadeCapture
from support import BUILD, PROGRAMS, TOP, StrobeTest

DATA = pathlib.Path(os.environ.get("STROBE_DATA") or TOP.parent / "shared" / "data") / "ascend"
STEP = 1000  # ns; the smallest effect that counts is 1 ns
REGRESSION, USAGE, INPUT = 7, 2, 5

needs_database = unittest.skipUnless(
    (BUILD / "plugins" / "ascend_db.so").exists(), "built without SQLite")


def span(category, name, ts, dur, args=None, pid=1, tid=1):
    return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur,
            "args": args or {}}


class DiffTest(StrobeTest):
    # ---- made results ----

    def capture(self, name, steps, first=1, length=STEP):
        """Makes a capture with steps of this length. A step is a list of operators (name, begin,
        end) in ns, children first."""
        made = MadeCapture(length * (len(steps) + 1))
        thread, row = made.track(THREAD, 7), made.track(STEPS, 0)
        for number, operators in enumerate(steps):
            for what, begin, end in operators:
                made.operator(thread, what, number * length + begin, number * length + end)
            made.step(row, first + number, number * length, (number + 1) * length)
        return made.write(self.work / name)

    def trace(self, name, steps, kernels=()):
        """Makes a trace of PyTorch's profiler; times are in us, steps have 1 ms."""
        events = []
        for number, operators in enumerate(steps):
            at = number * 1000
            events.append(span("user_annotation", "ProfilerStep#%d" % (number + 3), at, 1000))
            events += [span("cpu_op", what, at + begin, end - begin, {"External id": 1})
                       for what, begin, end in operators]
        for what, begin, duration in kernels:
            args = {"stream": 7, "correlation": 1, "device": 0}
            events.append(span("kernel", what, begin, duration, args, 0, 7))
        path = self.work / name
        path.write_text(json.dumps({
            "schemaVersion": 1, "baseTimeNanoseconds": kineto.BASE, "traceEvents": events}))
        return path

    def diff(self, *words, code=0):
        return self.json("diff", *words, code=code)

    def rows(self, *words, code=0):
        """Returns the rows by path, outermost name first."""
        return {"/".join(reversed(row["path"])): row
                for row in self.diff(*words, code=code)["rows"]}

    @staticmethod
    def steps(found):
        return [run["steps"] for side in "ab" for run in found[side]["runs"]]

    # ---- equal ones ----

    def test_equal_runs(self):
        path = self.capture("a.strobe", [[("mm", 10, 60), ("linear", 0, 100)], [("mm", 0, 50)]])
        for by in ("operator", "stack"):
            found = self.diff(path, path, "--by", by, "--threshold", "0")
            self.assertEqual((found["rows"], found["regressions"]), ([], 0))
            self.assertEqual((found["total_rows"], found["different_rows"]), (3, 0))
            self.assertEqual(found["total"]["difference"], 0)
        text = self.strobe("diff", path, path).stdout
        self.assertIn("No difference: rows 3, all equal\n", text)

    def test_equal_by_step(self):
        path = self.capture("a.strobe", [[("mm", 0, 50)], [("mm", 0, 80)]])
        found = self.diff(path, path, "--by", "step", "--threshold", "0")
        self.assertEqual((found["rows"], found["total"]), ([], None))

    # ---- differences ----

    def test_one_operator_slower(self):
        """Steps alternate by 2 ns, so each value has a variance of 4/3 (two deviations of +1 and
        two of -1, three degrees of freedom)."""
        def steps(mm):
            return [[("mm", 10, 10 + mm + wobble), ("linear", 0, 1000)]
                    for wobble in (-1, 1, -1, 1)]
        a, b = self.capture("a.strobe", steps(100)), self.capture("b.strobe", steps(150))
        rows = self.rows(a, b)
        self.assertEqual(list(rows), ["linear", "linear/mm"])
        row = rows["linear/mm"]
        self.assertEqual((row["a"]["value"], row["b"]["value"]), (100, 150))
        self.assertEqual((row["a"]["calls"], row["a"]["units"]), (4, 4))
        self.assertAlmostEqual(row["a"]["deviation"], math.sqrt(4 / 3))
        self.assertEqual((row["difference"], row["relative"]), (50, 50))
        # Welch's test with equal variances: 6 degrees of freedom.
        error = math.sqrt(4 / 3 / 4 * 2)
        self.assertAlmostEqual(row["noise"], 3.7074280 * error, 6)
        # The probability of t with 6 degrees of freedom: 1 - u (15 - 10 u^2 + 3 u^4) / 8 with u = t
        # / sqrt(t^2 + 6).
        self.assertAlmostEqual(row["p"], 1.274639e-9, 14)
        # three tests, two of which are equally clear
        self.assertAlmostEqual(row["q"], row["p"] * 3 / 2)
        self.assertTrue(row["changed"])
        # The time of mm does not count for linear itself.
        self.assertEqual(rows["linear"]["difference"], -50)
        total = self.diff(a, b)["total"]
        self.assertEqual((total["a"]["value"], total["difference"]), (1000, 0))

    def test_call_paths_are_told_apart(self):
        """The same operator inside of two different ones; the thread does not matter."""
        a = self.capture("a.strobe", [[("mm", 0, 10), ("x", 0, 20), ("mm", 30, 40), ("y", 30, 50)]])
        b = self.capture("b.strobe", [[("mm", 0, 10), ("x", 0, 20), ("mm", 30, 45), ("y", 30, 55)]])
        rows = self.rows(a, b)
        self.assertEqual(list(rows), ["y/mm"])
        self.assertEqual(rows["y/mm"]["difference"], 5)

    def test_many_operators(self):
        """A hundred different operators inside of one operator, twice in each step; the second time in
        another order."""
        def steps(slow):
            def operators():
                for begin, order in ((0, range(100)), (20000, reversed(range(100)))):
                    for place, number in enumerate(order):
                        at = begin + 150 * place
                        yield ("x%d" % number, at, at + 100 + (slow if number == 42 else 0))
                    yield ("block", begin, begin + 15000)
            return [list(operators())] * 3
        a, b = (self.capture(name, steps(slow), length=35000)
                for name, slow in (("a.strobe", 0), ("b.strobe", 42)))
        rows = self.rows(a, b, "--all", "--limit", "1000")
        self.assertEqual(len(rows), 101)
        self.assertEqual({path: row["difference"] for path, row in rows.items()
                          if row["difference"]}, {"block": -84, "block/x42": 84})
        self.assertEqual({row["a"]["calls"] for row in rows.values()}, {6})
        self.assertEqual(rows["block/x99"]["a"]["value"], 200)

    def test_many_threads(self):
        """A path is one row, whichever thread ran it."""
        def made(name, numbers):
            capture = MadeCapture(2 * STEP)
            row = capture.track(STEPS, 0)
            for number in numbers:
                capture.operator(capture.track(THREAD, number), "mm", 10, 60)
            capture.step(row, 1, 0, STEP)
            return capture.write(self.work / name)
        found = self.diff(made("a.strobe", (7, 8)), made("b.strobe", (8, 9)), "--all")
        self.assertEqual([(row["path"], row["a"]["value"], row["difference"])
                          for row in found["rows"]], [(["mm"], 100, 0)])

    def test_operator_missing(self):
        both = [("mm", 0, 100)]
        a = self.capture("a.strobe", [both + [("relu", 200, 230)]] * 3)
        b = self.capture("b.strobe", [both + [("gelu", 200, 240)]] * 3)
        rows = self.rows(a, b, "--threshold", "5", code=REGRESSION)
        self.assertEqual(list(rows), ["gelu", "relu"])
        self.assertIsNone(rows["relu"]["b"])
        self.assertEqual((rows["relu"]["difference"], rows["relu"]["relative"]), (-30, -100))
        self.assertIsNone(rows["gelu"]["a"])
        self.assertIsNone(rows["gelu"]["relative"])
        self.assertTrue(rows["gelu"]["regression"])
        text = self.strobe("diff", a, b).stdout
        self.assertRegex(text, r"\n +\+0\.040 +0\.040 +0\.000 +<0\.0001 +0 > 1 +only in B +gelu\n")
        self.assertRegex(
            text, r"\n +-0\.030 +-100\.00 +0\.030 +0\.000 +<0\.0001 +1 > 0 +only in A +relu\n")
        self.assertRegex(text, r"\n +\+0\.010 +\+7\.69 +0\.130 +0\.140 .*\(sum of all 3 rows\)\n")

    def test_noise_larger_than_the_difference(self):
        a = self.capture("a.strobe", [[("mm", 0, 100)], [("mm", 0, 200)], [("mm", 0, 300)]])
        b = self.capture("b.strobe", [[("mm", 0, 150)], [("mm", 0, 220)], [("mm", 0, 290)]])
        found = self.diff(a, b, "--threshold", "1")
        self.assertEqual((found["rows"], found["different_rows"]), ([], 1))
        self.assertIn("No change beyond chance: rows 1, of which 1 differ",
                      self.strobe("diff", a, b).stdout)
        row = self.rows(a, b, "--all")["mm"]
        self.assertEqual((row["difference"], row["changed"]), (20, False))
        self.assertRegex(self.strobe("diff", a, b, "--all").stdout, " unclear +mm\n")

    def test_steps_of_different_number(self):
        """The means of a step are compared, whatever the number of steps."""
        a = self.capture("a.strobe", [[("mm", 0, 100)]] * 2)
        b = self.capture("b.strobe", [[("mm", 0, 100)]] * 5, first=8)
        found = self.diff(a, b)
        self.assertEqual((self.steps(found), found["rows"]), ([2, 5], []))
        found = self.diff(a, b, "--by", "step", "--all")
        self.assertIn("B: the last 3 steps have no counterpart, they count for the means only",
                      found["not_compared"])
        self.assertIn(["step 2 | 9", "2", "duration"], [row["path"] for row in found["rows"]])

    def test_one_step_on_each_side(self):
        """The noise is unknown: every difference is listed, and none is a regression."""
        a = self.capture("a.strobe", [[("mm", 0, 100)]])
        b = self.capture("b.strobe", [[("mm", 0, 101)]])
        self.assertIsNone(self.diff(a, b)["spread_between"])
        row = self.rows(a, b, "--threshold", "0")["mm"]
        self.assertEqual([row[key] for key in ("noise", "p", "q", "changed", "regression")],
                         [None, None, None, True, False])
        self.assertIsNone(row["a"]["deviation"])
        self.assertIn("Neither has two steps: the noise is not known, and no row is a regression\n",
                      self.strobe("diff", a, b).stdout)

    def test_one_step_against_several(self):
        """The spread of the side with several steps stands for both sides."""
        a = self.capture("a.strobe", [[("mm", 0, 100)]])
        b = self.capture("b.strobe", [[("mm", 0, 110 + number % 2)] for number in range(20)])
        row = self.rows(a, b)["mm"]
        self.assertEqual((row["a"]["units"], row["b"]["units"], row["difference"]), (1, 20, 10.5))
        self.assertAlmostEqual(row["noise"], 2.8609346 * math.sqrt(5 / 19 * (1 + 1 / 20)), 6)

    def test_steps_against_none(self):
        a = self.capture("a.strobe", [[("mm", 0, 100)]] * 3)
        made = MadeCapture(STEP)
        made.operator(made.track(THREAD, 7), "mm", 0, 250)
        b = made.write(self.work / "b.strobe")
        found = self.diff(a, b)
        self.assertEqual(found["per"], "result")
        self.assertEqual(found["rows"][0]["difference"], -50)
        self.assertIn("B has no steps: the results are compared as wholes", found["not_compared"])
        self.assertIn("Each side has one run without steps: the noise is not known, and no row is a "
                      "regression", found["not_compared"])

    def test_outside_the_steps(self):
        a = self.capture("a.strobe", [[("mm", 0, 100), ("late", STEP + 10, STEP + 40)]])
        found = self.diff(a, a)
        self.assertEqual(found["total_rows"], 1)
        self.assertIn("A: 1 operators outside the steps, 30 ns in all, are left out",
                      found["not_compared"])

    def test_many_steps(self):
        """300 steps are divided into 8 stretches. The median of each stretch does not change with
        disturbed steps, but the mean does. 3000 steps are kept as groups of two or three."""
        def steps(n, ns):
            return [[("mm", 0, ns + number % 2 + (500 if number % 8 == 0 else 0))]
                    for number in range(n)]
        a, b = self.capture("a.strobe", steps(320, 100)), self.capture("b.strobe", steps(320, 200))
        row = self.rows(a, b)["mm"]
        self.assertEqual((row["a"]["value"], row["a"]["units"], row["a"]["calls"]), (101, 8, 320))
        self.assertEqual(row["difference"], 100)
        row = self.rows(a, b, "--mean")["mm"]
        self.assertEqual((row["a"]["value"], row["difference"]), (163, 100))
        a, b = self.capture("c.strobe", steps(3000, 100)), self.capture("d.strobe", steps(3000, 200))
        row = self.rows(a, b, "--mean")["mm"]
        self.assertEqual((row["a"]["units"], row["a"]["calls"]), (8, 3000))
        self.assertAlmostEqual(row["a"]["value"], 163, 0)

    # ---- the steps themselves ----

    def test_by_step(self):
        def made(name, ends):
            capture = MadeCapture(10 * STEP)
            thread, row, begin = capture.track(THREAD, 7), capture.track(STEPS, 0), 0
            for number, end in enumerate(ends):
                capture.operator(thread, "mm", begin + 10, begin + 60)
                capture.step(row, number, begin, end)
                begin = end
            return capture.write(self.work / name)
        a, b = made("a.strobe", (1000, 2000, 3000)), made("b.strobe", (1000, 2000, 6000))
        rows = self.rows(a, b, "--by", "step", "--all")
        self.assertEqual(rows["duration"]["a"]["value"], 1000)
        self.assertEqual(rows["duration"]["b"]["value"], 2000)
        self.assertEqual(rows["operators"]["difference"], 0)
        third = rows["duration/3/step 2"]
        self.assertEqual((third["a"]["value"], third["b"]["value"]), (1000, 4000))
        # B varies by sqrt(3e6) from step to step; this is the noise of single steps, with 2 degrees
        # of freedom.
        self.assertAlmostEqual(third["noise"], 9.9248432 * math.sqrt(3e6), 2)
        self.assertFalse(third["changed"])
        # The parts overlap, so there is no sum that could be slower.
        found = self.diff(a, b, "--by", "step", "--threshold", "0")
        self.assertEqual((found["regressions"], found["total"]), (0, None))

    # ---- exit codes ----

    def test_threshold(self):
        a = self.capture("a.strobe", [[("mm", 0, 100)]] * 3)
        b = self.capture("b.strobe", [[("mm", 0, 110)]] * 3)
        self.strobe("diff", a, b)
        self.strobe("diff", a, b, "--threshold", "10")
        done = self.strobe("diff", a, b, "--threshold", "9.5%", code=REGRESSION)
        self.assertIn("Regressions, changed and more than 9.5 % slower, by twice the noise: 2\n",
                      done.stdout)
        self.assertIn("regression", done.stdout)
        self.strobe("diff", b, a, "--threshold", "0")
        self.strobe("diff", a, b, "--threshold", "0", "--min-time", "11ns")
        self.assertEqual(self.diff(a, b, "--threshold", "5", "--min-time", "10ns",
                                   code=REGRESSION)["regressions"], 2)

    def test_usage(self):
        path = self.capture("a.strobe", [[("mm", 0, 100)]])
        for words, says in (
            ((path,), "Two results are needed"), ((path, path, path), "Two results are needed"),
            ((path, path, "--by", "kernels"), 'did you mean "kernel"'),
            ((path, path, "--threshold", "much"), "expected a percentage"),
            ((path, path, "--threshold", "-1"), "expected a percentage"),
            ((path, path, "--min-time", "5"), "expected a duration"),
            ((path, path, "--limit", "0"), "--limit is 0"),
        ):
            with self.subTest(words):
                self.assertIn(says, self.strobe("diff", *words, code=USAGE).stderr)

    def test_nothing_to_compare(self):
        path = self.capture("a.strobe", [[("mm", 0, 100)]])
        done = self.strobe("diff", path, path, "--by", "kernel", code=INPUT)
        self.assertIn("%s has no kernels" % path, done.stderr)
        self.assertEqual(done.stdout, "")

    def test_damaged_input(self):
        path = self.capture("a.strobe", [[("mm", 0, 100)]] * 3)
        (self.work / "torn.strobe").write_bytes(path.read_bytes()[:200])
        (self.work / "torn.json").write_text('{"traceEvents": [{"ph": "X", "ts"')
        (self.work / "text").write_text("nothing of the sort\n")
        for name in ("torn.strobe", "text", "nonesuch"):
            with self.subTest(name):
                done = self.strobe("diff", path, name, code=INPUT)
                self.assertIn(name, done.stderr)
        done = self.strobe("diff", path, "torn.json", code=INPUT)
        self.assertIn("torn.json has no operators", done.stderr)

    def test_many_results(self):
        path = self.capture("a.strobe", [[("mm", 0, 100)]])
        for number in (1, 2):
            folder = self.work / "many" / ("h_%d_20250102030405678_ascend_pt" % number)
            (folder / "FRAMEWORK").mkdir(parents=True)
            (folder / "FRAMEWORK" / "capture.strobe").write_bytes(path.read_bytes())
        done = self.strobe("diff", path, "many", code=INPUT)
        self.assertIn('"many" holds 2 results, expected one', done.stderr)

    def test_losses_are_said(self):
        made = MadeCapture(2 * STEP)
        thread, row = made.track(THREAD, 7), made.track(STEPS, 0)
        made.operator(thread, "mm", 0, 100)
        made.step(row, 1, 0, STEP)
        made.loss(row, 5, 0, thread, 10, 20)
        path = made.write(self.work / "a.strobe")
        self.assertIn("A: 5 records were lost: times and calls may be too small",
                      self.diff(path, path)["not_compared"])

    # ---- of other origins ----

    def test_kineto_traces(self):
        a = self.trace("a.pt.trace.json", [[("aten::mm", 10, 60), ("aten::linear", 0, 100)]] * 2,
                       [("gemm", 100, 40), ("gemm", 1100, 40), ("nccl:sum", 200, 7)])
        b = self.trace("b.pt.trace.json", [[("aten::mm", 10, 80), ("aten::linear", 0, 120)]] * 2,
                       [("gemm", 100, 50), ("gemm", 1100, 50), ("nccl:sum", 200, 9)])
        rows = self.rows(a, b)
        self.assertEqual(list(rows), ["aten::linear/aten::mm"])
        self.assertEqual(rows["aten::linear/aten::mm"]["difference"], 20000)
        rows = self.rows(a, b, "--by", "kernel")
        self.assertEqual({name: row["difference"] for name, row in rows.items()}, {"gemm": 10000})
        row = self.rows(a, b, "--by", "communication", "--all")["nccl:sum"]
        self.assertEqual((row["a"]["value"], row["b"]["value"]), (3500, 4500))

    def test_nothing_is_left(self):
        folder = self.work / "meanwhile"
        folder.mkdir()
        path = self.trace("a.pt.trace.json", [[("aten::mm", 10, 60)]] * 2)
        self.strobe("diff", path, path, "--tmp-dir", folder)
        self.strobe("diff", path, "nonesuch", "--tmp-dir", folder, code=INPUT)
        self.assertEqual(list(folder.iterdir()), [])
        self.strobe("diff", path, path, "--tmp-dir", path, code=6)

    def test_interrupt(self):
        """The capture that is being made is removed too; writing it takes some time here."""
        self.preload(PROGRAMS / "slow-disk.so")
        self.environment["SLOW_DISK_US"] = "2000000"
        folder = self.work / "meanwhile"
        folder.mkdir()
        path = self.trace("a.pt.trace.json", [[("aten::mm", 10, 60)]] * 2)
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("diff", path, path, "--tmp-dir", folder)
            self.wait_until(lambda: list(folder.iterdir()), "the folder", process)
            process.send_signal(number)
            process.communicate()
            self.assertEqual(list(folder.iterdir()), [])
            self.assertEqual(process.returncode, -number)

    @needs_database
    def test_database_against_trace(self):
        """In the database linear runs from 1000 to 4500 ns, around add (900 ns) and mm (1000
        ns)."""
        a = make_database(self.work)
        database = sqlite3.connect(a / OUTPUT / "ascend_pytorch_profiler_0.db")
        (step,) = database.execute("SELECT count(*) FROM STEP_TIME").fetchone()
        self.assertEqual(step, 1)
        database.close()
        b = self.trace("b.pt.trace.json", [[
            ("aten::add", 1.1, 2.0), ("aten::mm", 3, 4.5), ("aten::linear", 1, 5)]])
        found = self.diff(a, b)
        self.assertEqual(found["a"]["runs"][0]["format"], "Ascend PyTorch Profiler, database")
        rows = {"/".join(reversed(row["path"])): row for row in found["rows"]}
        self.assertEqual(list(rows), ["aten::linear/aten::mm"])
        row = rows["aten::linear/aten::mm"]
        self.assertEqual((row["a"]["value"], row["b"]["value"], row["difference"]),
                         (1000, 1500, 500))
        self.assertEqual(found["total"]["difference"], 500)
        self.assertEqual(self.diff(a, a, "--by", "stack")["rows"], [])
        kernels = self.rows(a, a, "--by", "kernel", "--all")
        self.assertEqual({name: row["a"]["value"] for name, row in kernels.items()},
                         {"aten::linear/aten::add/Add": 2261, "aten::linear/aten::mm/MatMul": 1500})
        operations = self.rows(a, a, "--by", "communication", "--all")
        self.assertEqual(list(operations), ["aten::linear/aten::mm/hcom_allReduce_"])

    @needs_database
    def test_database_against_text(self):
        """A text trace has the step among its operators."""
        a, b = make_database(self.work), make_text(self.work)
        found = self.diff(a, b, "--all")
        self.assertEqual((self.steps(found), found["per"]), ([1, 1], "step"))
        self.assertEqual((found["total_rows"], found["different_rows"]), (3, 0))
        found = self.diff(a, b, "--by", "kernel")
        self.assertEqual((found["total_rows"], found["different_rows"]), (2, 0))
        found = self.diff(a, b, "--by", "step", "--threshold", "0")
        self.assertIn('B does not record "operators" of its steps', found["not_compared"])

    @needs_database
    def test_stacks(self):
        """Operators with a recorded stack count for the stack: linear and mm have one, add has
        none."""
        a = make_database(self.work)
        rows = self.rows(a, a, "--by", "stack", "--all")
        self.assertEqual(rows["a.py(1): f/b.py(2): g"]["a"]["value"], 3500 - 900)
        self.assertEqual(rows["a.py(1): f/b.py(2): g"]["a"]["calls"], 2)
        self.assertEqual(rows["aten::linear/aten::add"]["a"]["value"], 900)

    # ---- forms ----

    def test_json_has_everything(self):
        a = self.capture("a.strobe", [[("mm", 0, 100)]] * 3)
        b = self.capture("b.strobe", [[("mm", 0, 110)]] * 3)
        found = self.diff(a, b, "--min-time", "3ns")
        self.assertEqual(set(found), {
            "schema_version", "a", "b", "by", "metric", "unit", "per", "value", "spread_between",
            "confidence", "max_q", "least_effect", "threshold", "total_rows", "different_rows",
            "changed_rows", "regressions", "rows", "total", "launched_before", "not_compared"})
        self.assertEqual((found["schema_version"], found["value"], found["spread_between"]),
                         (1, "median step", "stretches of steps"))
        self.assertEqual((found["by"], found["metric"], found["unit"], found["per"]),
                         ("operator", "host_self", "ns", "step"))
        self.assertEqual((found["threshold"], found["least_effect"], found["confidence"],
                          found["max_q"]), (None, 3, 99, 0.01))
        self.assertEqual(found["a"], {"n_runs": 1, "runs": [{
            "path": str(a), "format": "recorded", "steps": 3, "records": 3, "lost": 0}]})
        row = found["rows"][0]
        self.assertEqual(set(row), {"path", "a", "b", "difference", "relative", "noise", "p", "q",
                                    "changed", "regression"})
        self.assertEqual(set(row["a"]), {"value", "deviation", "units", "calls"})
        self.assertEqual(set(found["total"]), set(row) - {"path"})

    def test_limit(self):
        a = self.capture("a.strobe", [[("x%d" % n, 100 * n, 100 * n + 9) for n in range(9)]])
        b = self.capture("b.strobe", [[("x%d" % n, 100 * n, 100 * n + 10 + n) for n in range(9)]])
        found = self.diff(a, b, "--limit", "3")
        self.assertEqual([row["path"] for row in found["rows"]], [["x8"], ["x7"], ["x6"]])
        self.assertEqual((found["changed_rows"], found["total"]["difference"]), (9, 45))
        self.assertIn("(3 of 9 rows; --limit shows more)",
                      self.strobe("diff", a, b, "--limit", "3").stdout)

    @unittest.skipUnless(DATA.exists(), "no real results")
    def test_real_results(self):
        """Two ranks' results of one model: the same operators with different times."""
        text, database = (DATA / ("%s_level1_rank0_ascend_pt" % form) for form in ("text", "db"))
        found = self.diff(text, database)
        self.assertEqual(found["total"]["a"]["calls"], found["total"]["b"]["calls"])
        self.assertGreater(found["total_rows"], 200)
        for path in (text, database):
            for by in ("operator", "kernel", "communication", "stack"):
                self.assertEqual(self.diff(path, path, "--by", by)["rows"], [])


if __name__ == "__main__":
    unittest.main()
