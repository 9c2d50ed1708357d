# SPDX-License-Identifier: Apache-2.0
"""Exports parts of a result to separate files: by time, step, rank, track, kind, name and size."""

import json
import pathlib

from made_capture import STEPS, THREAD, MadeCapture
from support import StrobeTest
from trace_file import trace_events

MS = 1000000
N_STEPS, N_SMALL = 6, 1500


class ExportTest(StrobeTest):
    """Six steps of 100 ms. In each step thread 1001 runs "outer" with "inner" inside, thread 1002
    runs "other", and both run many small operators."""

    def setUp(self):
        super().setUp()
        made = MadeCapture(N_STEPS * 100 * MS)
        steps, first, second = made.track(STEPS, 0), made.track(THREAD, 1001), made.track(THREAD, 1002)
        for step in range(N_STEPS):
            at = step * 100 * MS
            made.operator(first, "inner", at + 20 * MS, at + 30 * MS)
            made.operator(first, "outer", at + 10 * MS, at + 40 * MS)
            made.operator(second, "other", at + 10 * MS, at + 40 * MS)
            for i in range(N_SMALL):
                begin = at + 50 * MS + i * 20000
                made.operator((first, second)[i % 2], "small %d" % (i % 10), begin, begin + 5000)
            made.step(steps, 10 + step, at, at + 100 * MS)
        self.directory = self.work / "in" / "made_ascend_pt"
        made.write(self.directory / "FRAMEWORK" / "capture.strobe")
        self.cut = self.work / "cut"

    def export(self, *flags, code=0):
        return self.strobe("export", self.directory, "-o", self.cut, "--export", "chrome_trace",
                           *flags, code=code)

    def operators(self, folder=None):
        """Returns (name, thread) of the operators in the trace, in the order of their begins."""
        path = (folder or self.cut / "made_ascend_pt") / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"
        events = trace_events(path.read_text())
        ops = [event for event in events if event.get("cat") == "cpu_op" and event["ph"] == "X"
               and not event["name"].startswith("ProfilerStep")]
        return [(op["name"], int(op["tid"])) for op in sorted(ops, key=lambda op: float(op["ts"]))]

    def large(self):
        return [pair for pair in self.operators() if not pair[0].startswith("small")]

    def test_by_step(self):
        told = self.export("--step", "11-12", "--step", "15").stderr
        self.assertEqual(len(self.operators()), 3 * (3 + N_SMALL))
        self.assertIn("%d of %d records" % (3 * (3 + N_SMALL), 6 * (3 + N_SMALL)), told)

    def test_step_that_is_not_there(self):
        told = self.export("--step", "16", code=2).stderr
        self.assertIn("the result has steps 10 to 15", told)
        self.assertFalse((self.cut / "made_ascend_pt").exists())

    def test_by_time_a_record_is_where_it_begins(self):
        self.export("--from", "115ms", "--to", "125ms")
        self.assertEqual(self.operators(), [("inner", 1001)])
        self.export("--from", "110ms", "--to", "120ms")
        self.assertEqual(sorted(self.operators()), [("other", 1002), ("outer", 1001)])

    def test_stretches_side_by_side_hold_all_once(self):
        whole = self.work / "whole"
        self.strobe("export", self.directory, "-o", whole, "--export", "chrome_trace")
        parts = []
        for begin, end in ((0, 110), (110, 225), (225, 100000)):
            self.export("--from", "%dms" % begin, "--to", "%dms" % end)
            parts += self.operators()
        self.assertEqual(parts, self.operators(whole / "made_ascend_pt"))

    def test_by_track_name_and_kind(self):
        self.export("--track", "*1002*", "--name", "o*")
        self.assertEqual(self.operators(), [("other", 1002)] * N_STEPS)
        self.export("--name", "inner", "--name", "other", "--step", "10")
        self.assertEqual(sorted(self.operators()), [("inner", 1001), ("other", 1002)])
        self.export("--kind", "cpu_*", "--name", "outer")
        self.assertEqual(self.operators(), [("outer", 1001)] * N_STEPS)

    def test_derived_records_are_of_the_cut(self):
        self.strobe("export", self.directory, "-o", self.cut, "--export", "csv", "--name", "outer")
        table = self.cut / "made_ascend_pt" / "ASCEND_PROFILER_OUTPUT" / "operator_details.csv"
        lines = table.read_text().splitlines()[1:]
        self.assertEqual(len(lines), N_STEPS)
        self.assertEqual({line.split(",")[3] for line in lines}, {"30000.0"}, lines[0])  # self time

    def test_no_file_over_a_size(self):
        self.strobe("export", self.directory, "-o", self.work / "whole", "--export", "chrome_trace")
        whole = self.operators(self.work / "whole" / "made_ascend_pt")
        answers = json.loads(self.export("--max-file-mb", "1", "--json").stdout)
        folders = sorted(self.cut.iterdir())
        self.assertEqual([folder.name for folder in folders],
                         ["made.part%03d_ascend_pt" % (i + 1) for i in range(len(folders))])
        self.assertGreater(len(folders), 1)
        for folder in folders:
            for file in (folder / "ASCEND_PROFILER_OUTPUT").iterdir():
                self.assertLessEqual(file.stat().st_size, 1000000, file)
        self.assertEqual(sum((self.operators(folder) for folder in folders), []), whole)
        self.assertEqual([pathlib.Path(answer["output"]).parent for answer in answers], folders)
        self.assertEqual(sum(answer["kept"] for answer in answers), N_STEPS * (3 + N_SMALL))

    def test_parts_of_an_earlier_export(self):
        self.assertNotIn("warning", self.export("--max-file-mb", "1").stderr)
        n = len(list(self.cut.iterdir()))
        self.assertNotIn("warning", self.export("--max-file-mb", "1").stderr)
        (self.cut / ("made.part%03d_ascend_pt" % n)).rename(
            self.cut / ("made.part%03d_ascend_pt" % (n + 1)))
        told = self.export("--max-file-mb", "1").stderr
        self.assertIn("made.part%03d_ascend_pt/ASCEND_PROFILER_OUTPUT is from an earlier" % (n + 1), told)
        self.assertIn("made.part001_ascend_pt", self.export("--step", "11").stderr)

    def test_a_small_result_is_not_divided(self):
        self.export("--max-file-mb", "1", "--name", "outer")
        self.assertEqual([folder.name for folder in self.cut.iterdir()], ["made_ascend_pt"])

    def test_by_rank(self):
        self.export("--rank", "-1", "--name", "outer")
        self.assertIn("No result is of rank 3", self.export("--rank", "3", code=2).stderr)

    def test_nothing_is_left(self):
        self.assertIn("None of its %d records is in the cut" % (N_STEPS * (3 + N_SMALL)),
                      self.export("--name", "nothing", code=1).stderr)
        self.assertFalse(self.cut.exists(), "not even an empty folder")
        self.export("--from", "9000000000s", code=1)
        self.assertFalse(self.cut.exists())
        self.cut.mkdir()
        self.export("--from", "9000000000s", code=1)
        self.assertTrue(self.cut.exists(), "it was there before")

    def test_the_result_itself_stays(self):
        before = sorted(self.directory.rglob("*"))
        self.export("--step", "10")
        self.assertEqual(sorted(self.directory.rglob("*")), before)

    def test_a_recording_is_no_place_for_a_part(self):
        """A part may be written neither into the recording itself, nor into another result with the
        same name."""
        self.strobe("analyse", self.directory, "--export", "chrome_trace")
        before = {path: path.read_bytes() for path in self.directory.rglob("*") if path.is_file()}
        for flags in (("--step", "10"), ("--max-file-mb", "1")):
            with self.subTest(flags):
                done = self.strobe("export", self.directory, "-o", self.directory.parent, "--export",
                                   "chrome_trace", *flags, code=6)
                self.assertIn("holds a recording", done.stderr)
                self.assertEqual(before, {path: path.read_bytes()
                                          for path in self.directory.rglob("*") if path.is_file()})

    def test_what_is_beside_a_part_stays(self):
        kept = self.cut / "made_ascend_pt" / "notes.txt"
        kept.parent.mkdir(parents=True)
        kept.write_text("mine")
        self.export("--max-file-mb", "1")
        self.assertEqual(list(kept.parent.iterdir()), [kept])

    def test_usage(self):
        for flags, words in (
            (("--from", "soon"), "--from=soon: expected a time"),
            (("--to", "-5s"), "--to=-5s: expected a time since the begin"),
            (("--step", "5-3"), "--step=5-3: expected"),
            (("--rank", "one"), "--rank=one: expected a number"),
            (("--from", "2s", "--to", "2s"), "--from=2s: expected a time before --to=2s"),
            (("--max-file-mb", "-1"), "--max-file-mb is -1, expected 1 to 1000000"),
            (("--max-file-mb", "0"), "--max-file-mb is 0, expected 1 to 1000000"),
            (("--kind", "cpu_opp"), 'did you mean "cpu_op"?'),
        ):
            with self.subTest(flags):
                self.assertIn(words, self.export(*flags, code=2).stderr)
        self.assertIn("--output is needed", self.strobe("export", self.directory, code=2).stderr)
        self.strobe("export", self.work / "none", "-o", self.cut, code=5)
