# SPDX-License-Identifier: Apache-2.0
"""Samples with names of Python functions, read from outside, for each installed CPython."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from support import STROBE, SYSTEM_PYTHON, TOP, VENV, StrobeTest, program

sys.path.insert(0, str(TOP / "tests"))
import tap  # noqa: E402

SCRIPT = pathlib.Path(__file__).with_name("python_shares.py")
SUPPORTED = {"3.11", "3.12", "3.13"}
PY_SPY = VENV / "bin" / "py-spy"


def may_sample():
    done = subprocess.run([STROBE, "plugins", "cpu_sample"], capture_output=True, text=True)
    return "works here: yes" in done.stdout


def list_pythons():
    """The interpreters of this machine by version: the system's, those on the path, and those next
    to this one."""
    names = [SYSTEM_PYTHON, sys.executable, *(shutil.which("python" + v) for v in sorted(SUPPORTED))]
    versions = pathlib.Path(sys.executable).resolve().parents[2]
    names += sorted(str(path) for path in versions.glob("3.1*/bin/python3"))
    pythons = {}
    for name in filter(None, names):
        ask = "import sys, sysconfig; assert not sysconfig.get_config_var('Py_GIL_DISABLED'); print('%d.%d' % sys.version_info[:2])"
        try:
            done = subprocess.run([name, "-c", ask], capture_output=True, text=True)
        except OSError:
            continue
        if done.returncode == 0:
            pythons.setdefault(done.stdout.strip(), name)
    return pythons


ENOUGH = 200  # samples with Python frames
PYTHONS = list_pythons()
needs_perf = unittest.skipUnless(may_sample(), "perf_event_open is not permitted here")
needs_supported = unittest.skipUnless(SUPPORTED & set(PYTHONS), "no CPython 3.11 to 3.13")


@needs_supported
class PythonSamplesTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.supported = sorted(SUPPORTED & set(PYTHONS))

    def sample(self, version, mode, rounds, options=""):
        """Returns the rows of the samples; removes the previous result."""
        def run(rounds):
            self.done = self.record(PYTHONS[version], SCRIPT, mode, rounds,
                                    collect=["cpu_sample" + options])  # fmt: skip

        self.record_enough(run, rounds)
        return self.rows()

    def record_enough(self, record, length):
        """Calls record(length), which records into self.out. On a busy machine most samples are read too
        late to find their frames; then records again for longer, at most five times."""
        for _ in range(6):
            shutil.rmtree(self.out, ignore_errors=True)
            record(length)
            counts = self.counts()
            if not counts or counts["joined"] >= ENOUGH:
                return
            length *= 2

    def rows(self):
        table, = self.json("show", "--table", "cpu_sample", "--limit", 100000, self.result())
        return table["rows"]

    def functions(self):
        table, = self.json("show", "--table", "function", "--limit", 100000, self.result())
        return {row["name"]: row for row in table["rows"]}

    def counts(self):
        table, = self.json("show", "--table", "metadata", "--limit", 1000, self.result())
        texts = [row["value"] for row in table["rows"] if row["name"] == "cpu_sample_python"]
        return json.loads(texts[0]) if texts else None

    @staticmethod
    def time_in(rows, function):
        return sum(row["time"] for row in rows if "): " + function in (row["stack"] or ""))

    def assertShares(self, rows, delta):
        large, small = self.time_in(rows, "work_large"), self.time_in(rows, "work_small")
        self.assertGreater(small, 0)
        self.assertAlmostEqual(large / (large + small), 0.75, delta=delta)

    @needs_perf
    def test_shares(self):
        """Three to one: in the table of functions with file and line, and in the flame graph."""
        for version in self.supported:
            with self.subTest(version):
                rows = self.sample(version, "both", 60)
                self.assertShares(rows, 0.08)
                functions = self.functions()
                name = "%s(%d): work_large" % (SCRIPT, self.line_of("def work_large"))
                self.assertEqual(functions[name]["location"],
                                 "%s:%d" % (SCRIPT, self.line_of("def work_large")))  # fmt: skip
                stacks = {row["stack"] for row in rows if "work_large" in row["stack"]}
                self.assertTrue(all(re.search(r"work_large;.*: run_both;.*: <module>$", text)
                                    for text in stacks), stacks)  # fmt: skip
                counts = self.counts()
                self.assertGreater(counts["joined"], 0)
                # On a busy machine samples are read too late and keep the interpreter's frames.
                read = counts["joined"] / (counts["joined"] + counts["late"] + counts["torn"])
                self.assertGreater(functions[name]["self_share"], 40 * read)
                self.assertLessEqual(counts["torn"], counts["joined"] * 0.01)
        self.strobe("export", "--export", "flamegraph", "-o", self.work / "graph", self.result())
        graph, = (self.work / "graph").rglob("*.svg")
        self.assertIn("work_large", graph.read_text())

    @staticmethod
    def line_of(text):
        return 1 + next(i for i, line in enumerate(SCRIPT.open(encoding="utf-8")) if text in line)

    @needs_perf
    def test_names(self):
        """Names of all character widths, of methods and generators."""
        for version in tap.chosen(self.supported, self.supported[:1]):
            with self.subTest(version):
                rows = self.sample(version, "names", 60)
                self.assertGreater(self.time_in(rows, "Größe.übrig;"), 0)
                self.assertGreater(self.time_in(rows, "Größe.漢字;"), 0)
                callers = [row["stack"] for row in rows if "Größe.übrig;" in row["stack"]]
                self.assertTrue(all("Größe.übrig;" in text and ": Größe.漢字;" in text for text in callers))

    @needs_perf
    def test_threads(self):
        """Each sample has the frames of its own thread."""
        rows = self.sample(self.supported[0], "threads", 30)
        workers = [row for row in rows if ": work_" in row["stack"]]
        self.assertEqual(len({row["track"] for row in workers}), 2)
        self.assertFalse([row for row in workers if row["track"] == row["process"]])
        self.assertShares(rows, 0.1)

    @needs_perf
    def test_forked_child(self):
        for version in tap.chosen(self.supported, self.supported[:1]):
            with self.subTest(version):
                rows = self.sample(version, "fork", 30)
                children = {row["process"] for row in rows if "work_large" in row["stack"]}
                self.assertEqual(len(children), 1)
                self.assertTrue({row["process"] for row in rows} - children)

    @needs_perf
    def test_innermost_alone(self):
        rows = self.sample(self.supported[0], "both", 30, ":unwind=none")
        self.assertGreater(self.time_in(rows, "work_large"), 0)
        # a function that the compiler inlined is a frame too
        stacks = [row["stack"] for row in rows if ";" in row["stack"]]
        self.assertFalse([stack for stack in stacks if "work_large" in stack or "main" in stack])

    @needs_perf
    def test_switched_off(self):
        rows = self.sample(self.supported[0], "both", 20, ":python=false")
        self.assertGreater(sum("_PyEval_EvalFrameDefault" in row["stack"] for row in rows), 0)
        self.assertEqual(self.time_in(rows, "work_large"), 0)
        self.assertIsNone(self.counts())

    @needs_perf
    def test_other_version(self):
        """A message says why there are no names."""
        others = sorted(set(PYTHONS) - SUPPORTED)
        if not others:
            self.skipTest("no other CPython")
        for version in others[:2]:
            self.sample(version, "both", 10)
            said = r"interpreter is (older than CPython 3.11|CPython 3\.1[4-9]\.\d+); frames of 3.11 to"
            self.assertRegex(self.done.stderr, said)

    def test_timers(self):
        """Samples by timers, because perf is refused."""
        def run(rounds):
            words = [program("without-perf"), STROBE, "run", "-o", self.out, "--",
                     PYTHONS[self.supported[0]], SCRIPT, "both", rounds]  # fmt: skip
            done = subprocess.run(list(map(str, words)), cwd=self.work, env=self.environment,
                                  capture_output=True, text=True, timeout=60)  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stderr)

        self.record_enough(run, 100)
        self.assertShares(self.rows(), 0.12)

    @needs_perf
    def test_attach(self):
        words = [PYTHONS[self.supported[-1]], str(SCRIPT), "both", "1000000"]
        process = subprocess.Popen(words, env=self.environment)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.record_enough(lambda seconds: self.strobe(
            "attach", process.pid, "-o", self.out, "--duration", "%ds" % seconds), 2)  # fmt: skip
        self.assertShares(self.rows(), 0.15)
        self.assertIsNone(process.poll())

    @needs_perf
    @tap.long_test
    def test_shares_exactly(self):
        """The shares differ by at most two points from the known shares, and from those of py-spy
        for the same program."""
        for version in self.supported:
            with self.subTest(version):
                rows = self.sample(version, "both", 800)
                self.assertShares(rows, 0.02)
                counts = self.counts()
                self.assertLess(counts["torn"], counts["joined"] * 0.01)
                large, small = self.time_in(rows, "work_large"), self.time_in(rows, "work_small")
                if os.access(PY_SPY, os.X_OK):
                    share = self.share_of_py_spy(PYTHONS[version])
                    self.assertAlmostEqual(large / (large + small), share, delta=0.02)

    def share_of_py_spy(self, python):
        """The same share, measured by py-spy."""
        written = self.work / "py-spy.txt"
        words = [PY_SPY, "record", "--rate", "500", "--format", "raw", "--output", written, "--",
                 python, SCRIPT, "both", "800"]  # fmt: skip
        subprocess.run(list(map(str, words)), env=self.environment, check=True, timeout=300,
                       capture_output=True)  # fmt: skip
        counts = {"work_large": 0, "work_small": 0}
        for line in written.read_text().splitlines():
            stack, _, n = line.rpartition(" ")
            for name in counts:
                counts[name] += int(n) if ";" + name + " " in stack else 0
        return counts["work_large"] / sum(counts.values())


if __name__ == "__main__":
    unittest.main()
