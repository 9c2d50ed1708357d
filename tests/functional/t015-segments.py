# SPDX-License-Identifier: Apache-2.0
"""A rotated capture: its directory stands for all segments, the file of a segment for this segment
alone."""

import pathlib
import shutil

from support import PYTHON, StrobeTest, needs_python

OUTPUT = "ASCEND_PROFILER_OUTPUT"
MARKS = 120000
# The marks before each pause are more than a segment holds, so the writer begins a segment in every
# pause, however late.
PROGRAM = """
import glob, strobe, time
with strobe.range("whole"):
    for i in range(1, %d + 1):
        strobe.mark("mark %%d" %% (i %% 50))
        while i %% 50000 == 0 and not glob.glob("out/*/FRAMEWORK/capture.%%05d.strobe" %% (i // 50000)):
            time.sleep(0.01)
""" % MARKS


@needs_python
class SegmentsTest(StrobeTest):
    def record_segments(self, rotate):
        script = self.script("marks.py", PROGRAM)
        self.strobe("run", "--rotate", rotate, "-o", self.out, "--collect", "gc", "--export", "csv",
                    "--", PYTHON, script)
        self.directory = self.result()
        self.segments = sorted((self.directory / "FRAMEWORK").iterdir())
        self.assertGreaterEqual(len(self.segments), 2, self.segments)
        self.assertEqual(self.segments[-1].name, "capture.strobe")

    def info(self, path):
        return self.json("info", path)[0]

    def test_segments_sum_to_the_whole(self):
        self.record_segments("size=1MB")
        whole = self.info(self.directory)
        parts = [self.info(segment) for segment in self.segments]
        self.assertEqual(whole["segments"], len(parts))
        self.assertEqual([part["first_segment"] for part in parts], list(range(1, len(parts) + 1)))
        self.assertEqual([part["continued"] for part in parts], [True] * (len(parts) - 1) + [False])
        self.assertEqual(sum(part["kinds"].get("marker_instant", 0) for part in parts), MARKS)
        self.assertEqual(whole["kinds"]["marker_instant"], MARKS)
        self.assertEqual(whole["kinds"]["marker"], 1)  # the range around them is counted once
        self.assertEqual(whole["unfinished"], 0)
        # the range ends in the last segment, except by chance
        unfinished = [part["unfinished"] for part in parts]
        self.assertEqual((unfinished[0], unfinished[-1]), (1, 0))
        self.assertEqual(whole["records"], sum(part["records"] - part["unfinished"] for part in parts))
        self.assertEqual(whole["bytes"], sum(segment.stat().st_size for segment in self.segments))
        self.assertEqual(whole["damaged"], 0)

    def test_every_command_takes_every_path(self):
        self.record_segments("size=1MB")
        whole = self.info(self.directory)
        for path in (self.out, self.directory / "FRAMEWORK"):
            with self.subTest(path):
                self.assertEqual(self.info(path), whole)
        shown = ("show", "--table", "marker_instant", "--columns", "name", "--limit", "1")
        self.assertEqual(self.json(*shown, self.out)[0]["total_rows"], MARKS)
        first = self.info(self.segments[0])["kinds"]["marker_instant"]
        self.assertEqual(self.json(*shown, self.segments[0])[0]["total_rows"], first)

    def test_a_segment_alone_leaves_the_result_alone(self):
        self.record_segments("size=1MB")
        before = {p.name: p.read_bytes() for p in (self.directory / OUTPUT).iterdir()}
        lines = (self.directory / OUTPUT / "marker_instant.csv").read_text().splitlines()
        self.assertEqual(len(lines), MARKS + 1)
        found = 0
        for segment in self.segments:
            answer = self.json("analyse", segment, "--export", "csv", "-o", self.work / "alone")[0]
            self.assertIsNone(answer["directory"])
            self.assertTrue(answer["complete"])
            table = pathlib.Path(answer["output"], "marker_instant.csv")
            found += len(table.read_text().splitlines()) - 1 if table.exists() else 0
        self.assertEqual(found, MARKS)
        self.assertEqual(len(list((self.work / "alone").iterdir())), len(self.segments))
        self.assertEqual({p.name: p.read_bytes() for p in (self.directory / OUTPUT).iterdir()}, before)

    def test_segments_copied_without_their_directory(self):
        self.record_segments("size=1MB")
        shutil.copytree(self.directory / "FRAMEWORK", self.work / "copied")
        copied = self.info(self.work / "copied")
        self.assertEqual(copied["kinds"]["marker_instant"], MARKS)
        self.assertIsNone(copied["directory"])

    def test_rolled_away(self):
        self.record_segments("size=1MB,keep=2")
        self.assertEqual(len(self.segments), 2)
        whole = self.info(self.directory)
        self.assertGreater(whole["first_segment"], 1)
        self.assertEqual(whole["damaged"], 0)
        # the range began in a segment that was removed
        self.assertEqual(whole["kinds"]["marker"], 1)
        self.assertLess(whole["kinds"]["marker_instant"], MARKS)
        text = self.strobe("info", self.directory).stdout
        self.assertRegex(text, r"\nsegments +2, from number %d on: earlier ones were rolled away\n"
                         % whole["first_segment"])


