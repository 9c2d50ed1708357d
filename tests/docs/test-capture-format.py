#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Captures have the format of docs/capture.md: a reader that was written from this page sees the
same as Strobe's own reader."""

import collections
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("STROBE_BUILD") or TOP / "build").resolve()
sys.path.insert(0, str(TOP / "tests"))
import tap  # noqa: E402
from capture_format import Capture, with_clock  # noqa: E402


class CaptureTest(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="strobe-capture-"))
        self.addCleanup(shutil.rmtree, self.work)
        self.environment = {
            name: value for name, value in os.environ.items()
            if not name.startswith(("STROBE_", "LD_"))
        }
        self.environment["HOME"] = str(self.work)

    def strobe(self, *words):
        done = subprocess.run([str(BUILD / "tools" / "strobe"), *map(str, words)],
                              env=self.environment, cwd=self.work, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def record(self, options):
        """Records a capture of the collector fake, and reads it with the page's reader."""
        self.strobe("run", "--no-default-collectors", "-o", "out", "--collect", "fake:" + options, "--export", "csv", "--",
                    "true")
        (path,) = self.work.glob("out/*/FRAMEWORK/capture.strobe")
        self.info = json.loads(self.strobe("info", "--json", path))[0]
        return path, Capture(path)

    def assertSame(self, capture):
        counts = collections.Counter(record["kind"] for record in capture.records)
        counts.update(record["kind"] for record in capture.unfinished)
        self.assertEqual(dict(counts), {k: n for k, n in self.info["kinds"].items() if n})
        self.assertEqual(len(capture.unfinished), self.info["unfinished"])

    def test_every_kind(self):
        path, capture = self.record("kind=all,threads=2,records=600")
        self.assertSame(capture)
        self.assertGreaterEqual(len(self.info["kinds"]), 8)
        self.assertEqual(capture.metadata, self.info["metadata"])

    def test_names_and_times(self):
        path, capture = self.record("records=200,threads=0,names=hostile")
        self.assertSame(capture)
        shown = self.strobe("show", "--json", "--table", "marker", "--limit", "1000", path)
        table = json.loads(shown)[0]
        rows = [dict(row, begin=row["begin"] + int(table["base_ns"])) for row in table["rows"]]
        mine = [record for record in capture.records if record["kind"] == "marker"]
        self.assertEqual(len(mine), 200)
        self.assertTrue(rows)
        off = 2 * capture.error_ns + 1
        for row in rows:
            near = [r for r in mine if abs(r["begin"] - row["begin"]) <= off]
            self.assertTrue(near, row["begin"])
            self.assertTrue(any(abs(r["end"] - r["begin"] - row["duration"]) <= off for r in near))

    def test_clock(self):
        path, capture = self.record("records=20,threads=0")
        clock = self.info["clock"]
        self.assertEqual(clock["source"], capture.metadata["clock"])
        self.assertEqual((clock["jumps"], clock["suspended_ns"], clock["events"]), (0, 0, []))
        # The larger of the seal's bound and the bound of the stored pairs.
        self.assertGreaterEqual(clock["error_ns"], capture.error_ns)
        self.assertLess(clock["error_ns"], 2 * capture.error_ns + 10)
        self.assertLess(capture.error_ns, 100000)
        self.assertGreaterEqual(capture.n_knots, 2)
        ticks = [(b[0] - a[0]) / (b[1] - a[1]) for a, b in zip(capture.knots, capture.knots[1:])]
        self.assertAlmostEqual(clock["frequency_hz"] / 1e9 / ticks[0], 1, places=4)

    def test_other_clocks(self):
        for clock in ("monotonic", "realtime"):
            with self.subTest(clock):
                shutil.rmtree(self.work / "out", ignore_errors=True)
                _, capture = self.record("records=50,threads=0,track=true,clock=" + clock)
                self.assertSame(capture)
                clocks = {capture.tracks[r["track"]][2] for r in capture.records
                          if r["kind"] == "marker"}
                self.assertEqual(clocks, {{"monotonic": 1, "realtime": 2}[clock]})

    def moved(self, path, jump):
        """The capture with blocks a second apart, and a counter that does `jump` at the third
        block."""
        moved = self.work / "moved.strobe"
        first = None

        def change(number, pair):
            nonlocal first
            first = first or pair
            ns = number * 1000000000
            ticks = first[0] + int(ns / first[4])
            times = [start + ns for start in first[1:4]]
            return jump(number, [ticks, *times, *pair[4:]])

        moved.write_bytes(with_clock(path.read_bytes(), change))
        info = json.loads(self.strobe("info", "--json", moved))[0]["clock"]
        return info, self.strobe("info", moved)

    def analyse(self):
        """The output about files that are made of the changed capture."""
        words = ["analyse", "-o", "again", "--export", "csv", "moved.strobe"]
        done = subprocess.run([str(BUILD / "tools" / "strobe"), *words], env=self.environment,
                              cwd=self.work, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout + done.stderr

    def test_jumps_are_told(self):
        path, _ = self.record("records=20,threads=2,kind=all")

        def none(number, pair):
            return pair

        def jump(number, pair):
            return [pair[0] + (10**12 if number > 2 else 0), *pair[1:]]

        def reset(number, pair):
            return [pair[0] if number < 3 else pair[0] // 2, *pair[1:]]

        def suspend(number, pair):
            slept = 3600 * 10**9 if number > 2 else 0
            return [pair[0] + int(slept / pair[4]), *pair[1:3], pair[3] + slept, *pair[4:]]

        info, text = self.moved(path, none)
        self.assertEqual((info["jumps"], info["events"], info["broken_ns"]), (0, [], 0))
        self.assertNotIn("Clock:", text)
        self.assertNotIn("clock jumped", self.analyse())
        for change, jumps, cause, what in (
            (jump, 1, "jump", "the counter jumped ahead by"),
            (reset, 1, "reset", "the counter was reset"),
            (suspend, 0, "suspend", "the machine slept for 60.0 min"),
        ):
            with self.subTest(cause):
                info, text = self.moved(path, change)
                self.assertEqual(info["jumps"], jumps)
                self.assertEqual([event["cause"] for event in info["events"]], [cause])
                self.assertEqual(info["events"][0]["error_ns"], 1000000000)
                self.assertRegex(text, r"\nClock: %s.* between [12]\.\d\d s and [23]\.\d\d s: times in "
                                 r"between may be off by 1\.00 s\n" % what)
                self.assertIn("The clock jumped: times in 1.00 s of the window", self.analyse())
                self.assertRegex(text, r"\nclock .*jumps %d \(1.00 s with an unknown" % jumps)

    def test_unfinished_and_losses(self):
        _, capture = self.record("records=30,threads=0,unfinished=3,loss=42")
        self.assertSame(capture)
        self.assertEqual(len(capture.unfinished), 3)
        (loss,) = [record for record in capture.records if record["kind"] == "loss"]
        self.assertEqual(struct.unpack_from("<QI", loss["fields"]), (42, 9))

    def test_strings_beside_their_records(self):
        """There are more names than the table has room for."""
        script = self.work / "names.py"
        script.write_text("import strobe\nfor i in range(70000): strobe.mark('name %d' % i)\n")
        self.environment["PYTHONPATH"] = str(BUILD / "python")
        if not (BUILD / "python" / "strobe").is_dir():
            self.skipTest("built without the Python package")
        self.strobe("run", "--no-default-collectors", "-o", "out", "--collect", "gc", "--export", "csv",
                    "--buffer", "size=8MB,policy=block", "--", "/usr/bin/python3", script)
        (path,) = self.work.glob("out/*/FRAMEWORK/capture.strobe")
        self.info = json.loads(self.strobe("info", "--json", path))[0]
        capture = Capture(path)
        self.assertSame(capture)
        names = {r["name"] for r in capture.records if r["kind"] == "marker_instant"}
        self.assertEqual(names, {b"name %d" % i for i in range(70000)})
        self.assertGreater(len(capture.beside), 4000)


if __name__ == "__main__":
    tap.main()
