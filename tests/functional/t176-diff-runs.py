# SPDX-License-Identifier: Apache-2.0
"""`strobe diff` with several runs on each side: the output, the rules, and refused arguments."""

import math
import re
import subprocess
import sys
import unittest

import tap
from made_capture import STEPS, THREAD, MadeCapture
from support import BUILD, TOP, StrobeTest

STEP = 10000  # ns; the smallest effect that counts is 10 ns
REGRESSION, USAGE, INPUT = 7, 2, 5
# Equal programs on a machine that drifts: the steps of a run agree, but the runs differ.
DRIFTING = (1000, 1100, 1050), (1120, 1010, 1080)


class DiffRunsTest(StrobeTest):
    def run_of(self, name, times, n_steps=6, wobble=2):
        """Makes a result with steps. Its operators take these times by name, or "mm" takes one
        time; every second step takes a little more."""
        times = times if isinstance(times, dict) else {"mm": times}
        made = MadeCapture(STEP * (n_steps + 1))
        thread, row = made.track(THREAD, 7), made.track(STEPS, 0)
        for number in range(n_steps):
            at = number * STEP
            for what, ns in times.items():
                end = at + ns + number % 2 * wobble
                made.operator(thread, what, at, end)
                at = end
            made.step(row, number, number * STEP, (number + 1) * STEP)
        return made.write(self.work / (name + ".strobe"))

    def runs(self, name, values, **options):
        return [self.run_of("%s%d" % (name, number), value, **options)
                for number, value in enumerate(values)]

    def diff(self, a, b, *words, code=0):
        return self.json("diff", *a, "--against", *b, *words, code=code)

    # ---- what counts ----

    def test_slower(self):
        """The medians of the runs are 1001 +- 2 and 1101 +- 2: the error is 2 sqrt(2/3) with 4
        degrees of freedom."""
        a, b = self.runs("a", (999, 1000, 1001)), self.runs("b", (1099, 1100, 1101))
        found = self.diff(a, b, "--threshold", "5", code=REGRESSION)
        self.assertEqual([found[side]["n_runs"] for side in "ab"], [3, 3])
        self.assertEqual([run["path"] for run in found["b"]["runs"]], [str(path) for path in b])
        self.assertEqual((found["spread_between"], found["least_effect"]), ("runs", STEP / 1000))
        (row,) = found["rows"]
        self.assertEqual((row["a"]["value"], row["b"]["value"], row["a"]["units"], row["a"]["calls"]),
                         (1001, 1101, 3, 18))
        error = math.sqrt(2 / 3)
        t = 100 / error
        u = t / math.sqrt(t * t + 4)
        self.assertAlmostEqual(row["p"], 1 - u * (3 - u * u) / 2, 12)
        self.assertAlmostEqual(row["noise"], 4.6040949 * error, 6)
        self.assertTrue(row["regression"])
        text = self.strobe("diff", *a, "--against", *b).stdout
        self.assertNotIn("--against", text)
        self.assertIn("A1: %s (recorded, steps: 6)\n" % a[0], text)
        self.assertIn("the spread between the runs", " ".join(text.split()))

    def test_drift_is_no_change(self):
        """Each pair of runs differs by far more than its own noise; all runs together show no
        change."""
        a, b = (self.runs(*side) for side in zip("ab", DRIFTING))
        found = self.diff(a, b, "--threshold", "0", "--all")
        self.assertEqual((found["changed_rows"], found["regressions"]), (0, 0))
        self.assertGreater(found["rows"][0]["q"], 0.5)
        done = self.strobe("diff", a[0], b[0], "--threshold", "0", code=REGRESSION)
        self.assertIn("With one run a side, drift of the machine looks like a change: compare "
                      "several runs with --against to tell them apart.",
                      " ".join(done.stdout.split()))

    def test_one_run_needs_twice_the_noise(self):
        """Steps alternate by 20, so their variance is 8 * 100 / 7. A difference that is larger than
        the noise of 8 against 8 steps, but not twice as large, is listed but is no regression."""
        def pair(more):
            return [self.run_of(name, ns, n_steps=8, wobble=20)
                    for name, ns in (("a", 400), ("b", 400 + more))]
        noise = 2.977 * math.sqrt(800 / 7 / 8 * 2)
        for more, changed, regression in ((noise * 1.7, True, False), (noise * 2.5, True, True)):
            with self.subTest(more):
                a, b = pair(round(more))
                made = self.json("diff", a, b, "--threshold", "0",
                                 code=REGRESSION if regression else 0)
                self.assertEqual([(row["changed"], row["regression"]) for row in made["rows"]],
                                 [(changed, regression)])

    def test_many_rows(self):
        """Fifty rows did not change, and one did: no row is found by chance."""
        def times(run, side):
            return {"op%d" % number: 100 + (number * 7 + run * 13 + side * 29) % 17
                    for number in range(50)} | {"mm": 150 + run + side * 40}
        a, b = ([times(run, side) for run in range(3)] for side in range(2))
        found = self.diff(self.runs("a", a), self.runs("b", b), "--all", "--limit", "100")
        rows = {row["path"][0]: row for row in found["rows"]}
        self.assertEqual([name for name, row in rows.items() if row["changed"]], ["mm"])
        tested = [row for row in [*rows.values(), found["total"]] if row["q"] is not None]
        self.assertEqual(len(tested), 52)
        # Benjamini and Hochberg: the smallest value of p * tests / rank, from this rank on.
        tested.sort(key=lambda row: row["p"])
        least = 1
        for rank in range(len(tested), 0, -1):
            row = tested[rank - 1]
            least = min(least, row["p"] * len(tested) / rank)
            self.assertAlmostEqual(row["q"], least, 12)

    def test_least_effect(self):
        """9 ns of a step of 10 us never count, 10 ns do; --min-time can require more."""
        a = self.runs("a", (100, 100))
        for more, words, listed in ((8, (), 0), (10, (), 1), (10, ("--min-time", "11ns"), 0)):
            found = self.diff(a, self.runs("b", (100 + more,) * 2), *words)
            self.assertEqual(found["changed_rows"], listed)
        text = self.strobe("diff", *a, "--against", *self.runs("c", (108, 108)), "--all").stdout
        self.assertRegex(text, " too small +mm\n")

    def test_row_of_one_run(self):
        """A row that only one of three runs has is not a change, because its spread is large."""
        a = self.runs("a", ({"mm": 500}, {"mm": 500}, {"mm": 500}))
        b = self.runs("b", ({"mm": 500}, {"mm": 500}, {"mm": 500, "rare": 900}))
        rows = {row["path"][0]: row for row in self.diff(a, b, "--all")["rows"]}
        self.assertEqual((rows["rare"]["a"], rows["rare"]["b"]["units"]), (None, 3))
        self.assertAlmostEqual(rows["rare"]["b"]["value"], 901 / 3)
        self.assertFalse(rows["rare"]["changed"])

    def test_mean(self):
        """Every sixth step is slow in B: the mean shows this, the median step is the same."""
        def slow_runs(name, slow):
            made = []
            for number in range(2):
                capture = MadeCapture(STEP * 7)
                thread, row = capture.track(THREAD, 7), capture.track(STEPS, 0)
                for step in range(6):
                    at = step * STEP
                    capture.operator(thread, "mm", at, at + (slow if step == 3 else 100) + number)
                    capture.step(row, step, at, at + STEP)
                made.append(capture.write(self.work / ("%s%d.strobe" % (name, number))))
            return made
        a, b = slow_runs("a", 100), slow_runs("b", 700)
        self.assertEqual(self.diff(a, b)["rows"], [])
        (row,) = self.diff(a, b, "--mean")["rows"]
        self.assertAlmostEqual(row["difference"], 100)

    # ---- what else is compared ----

    def test_results_without_steps(self):
        """Several runs have a spread even without steps; one run on each side has none, so there is
        no regression."""
        def whole(name, value):
            made = MadeCapture(STEP)
            made.operator(made.track(THREAD, 7), "mm", 0, value)
            return made.write(self.work / (name + ".strobe"))
        a = [whole("a%d" % number, 1000 + number) for number in range(3)]
        b = [whole("b%d" % number, 1300 + number) for number in range(3)]
        found = self.diff(a, b, "--threshold", "5", code=REGRESSION)
        self.assertEqual((found["per"], found["rows"][0]["a"]["value"]), ("result", 1001))
        self.assertEqual(found["not_compared"],
                         ["A and B have no steps: the results are compared as wholes"])
        found = self.json("diff", a[0], b[0], "--threshold", "5")
        self.assertEqual([(row["changed"], row["regression"], row["q"]) for row in found["rows"]],
                         [(True, False, None)])

    def test_one_run_against_several(self):
        """The spread of the other side stands for the single run: 1 sqrt(1 + 1/3) with 2 degrees of
        freedom."""
        (a,), b = self.runs("a", (1000,)), self.runs("b", (1099, 1100, 1101))
        found = self.json("diff", a, "--against", *b, "--threshold", "0", code=REGRESSION)
        self.assertAlmostEqual(found["rows"][0]["noise"], 9.9248432 * math.sqrt(4 / 3), 6)
        self.assertEqual([found[side]["n_runs"] for side in "ab"], [1, 3])

    def test_steps(self):
        """The parts of steps, and the steps with the same place in each run."""
        a, b = self.runs("a", (999, 1001)), self.runs("b", (999, 1001))
        found = self.diff(a, b, "--by", "step", "--all")
        rows = {"/".join(reversed(row["path"])): row for row in found["rows"]}
        self.assertEqual((rows["duration"]["a"]["value"], rows["duration"]["a"]["units"]), (STEP, 2))
        self.assertEqual(rows["duration/3/step 2"]["b"],
                         {"value": STEP, "deviation": 0, "units": 2, "calls": 2})

    def test_marks(self):
        """Ranges that a program marked, by the ranges around them; steps are not ranges."""
        def marked(name, inner):
            made = MadeCapture(STEP * 4)
            thread, row = made.track(THREAD, 7), made.track(STEPS, 0)
            for step in range(3):
                at = step * STEP
                made.range(thread, "load", at + 100, at + 100 + inner)
                made.range(thread, "epoch", at, at + 5000)
                made.range(thread, "ProfilerStep#%d" % step, at, at + STEP)
                made.step(row, step, at, at + STEP)
            return made.write(self.work / (name + ".strobe"))
        a, b = marked("a", 1000), marked("b", 1400)
        found = self.json("diff", a, b, "--by", "mark")
        self.assertEqual({" < ".join(row["path"]): row["difference"] for row in found["rows"]},
                         {"load < epoch": 400, "epoch": -400})
        done = self.strobe("diff", a, self.run_of("none", 100), "--by", "mark", code=INPUT)
        self.assertIn("none.strobe has no marked ranges (records of marker)", done.stderr)

    # ---- forms ----

    def test_options_anywhere(self):
        a, b = self.runs("a", (999, 1001)), self.runs("b", (1099, 1101))
        found = self.json("diff", "--by", "operator", a[0], "--threshold", "50", a[1], "--against",
                          b[0], "--all", b[1])
        self.assertEqual([found[side]["n_runs"] for side in "ab"], [2, 2])
        self.assertEqual(found["threshold"], 50)

    def test_what_is_wrong_with_one_run(self):
        """The notes name the run."""
        a, b = self.runs("a", (999, 1001)), self.runs("b", (999, 1001))
        made = MadeCapture(2 * STEP)
        thread, row = made.track(THREAD, 7), made.track(STEPS, 0)
        made.operator(thread, "mm", 0, 1000)
        made.step(row, 1, 0, STEP)
        made.loss(row, 5, 0, thread, 10, 20)
        b[1] = made.write(self.work / "lossy.strobe")
        self.assertIn("B2: 5 records were lost: times and calls may be too small",
                      self.diff(a, b)["not_compared"])

    def test_usage(self):
        a, b, c = self.runs("a", (1000, 1000, 1000))
        for words, says in (
            ((a, b, c), "Two results are needed, A and B; of several runs a side: A1 A2 --against B1"),
            ((a, b, "--against"), "--against needs results after it"),
            (("--against", a, b), "--against needs results before it"),
            (("--against",), "--against needs results before it"),
            ((a, "--against", b, "--against", c), "--against is there twice"),
            ((a, b, "--against", c, self.work / ".." / self.work.name / c.name),
             "is named twice on one side"),
        ):
            with self.subTest(words):
                self.assertIn(says, self.strobe("diff", *words, code=USAGE).stderr)

    def test_unknown_result(self):
        a, b, c = self.runs("a", (1000, 1000, 1000))
        done = self.strobe("diff", a, b, "--against", c, "nonesuch", code=INPUT)
        self.assertIn("nonesuch", done.stderr)
        self.assertEqual(done.stdout, "")

    # ---- real runs ----

    @tap.long_test
    @unittest.skipUnless((BUILD / "bench" / "steps").exists(), "built without benchmarks")
    def test_trust(self):
        """A small version of the experiment with figures in docs/diff.md: there are few false
        alarms, and a row that is 10 % slower is mostly found."""
        done = subprocess.run(
            [sys.executable, TOP / "bench" / "diff_trust.py", "--build", BUILD, "--runs", "18",
             "--comparisons", "20"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        (line,) = re.findall("^.* three runs a side .*$", done.stdout, re.MULTILINE)
        alarms, of = map(int, re.search(r"(\d+) and \d+ of (\d+)", line).groups())
        self.assertEqual(of, 20)
        self.assertLessEqual(alarms, 2, done.stdout)
        self.assertGreaterEqual(int(re.search(r"(\d+) % \|$", line).group(1)), 50, done.stdout)


if __name__ == "__main__":
    unittest.main()
