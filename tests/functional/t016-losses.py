# SPDX-License-Identifier: Apache-2.0
"""Every view of a result shows losses by cause, thread and time, and marks the records that they
affect."""

import csv
import shutil

from made_capture import BEGIN, STEPS, THREAD, MadeCapture
from support import PROGRAMS, StrobeTest, program
from trace_file import trace_events

MS = 1000000
DEPTH_MAX = 1024  # number of ranges that may be open at the same time on one thread
POOL_EMPTY, STRING_CUT, DROPPED = 0, 8, 9
HEADER = (
    "Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us),"
    "Device Self Duration(us),Device Total Duration(us),Device Self Duration With AICore(us),"
    "Device Total Duration With AICore(us)"
)


class MadeTest(StrobeTest):
    """Steps 10, 11 and 12 of 100 ms each. In each step, threads 1001 and 1002 run an operator for
    30 ms, which begins 10 ms after the step."""

    def make(self, *losses):
        made = MadeCapture(300 * MS)
        steps, self.first, self.second = (
            made.track(STEPS, 0), made.track(THREAD, 1001), made.track(THREAD, 1002)
        )
        for step in range(3):
            at = step * 100 * MS
            made.operator(self.first, "first", at + 10 * MS, at + 40 * MS)
            made.operator(self.second, "second", at + 10 * MS, at + 40 * MS)
            made.step(steps, 10 + step, at, at + 100 * MS)
        for thread_buffer, count, cause, begin, end in losses:
            made.loss(steps, count, cause, thread_buffer, begin * MS, end * MS)
        self.capture = made.write(self.out / "made_ascend_pt" / "FRAMEWORK" / "capture.strobe")

    def rows(self, table, *flags):
        return self.json("show", self.capture, "--table", table, "--limit", "1000", *flags)[0]["rows"]

    def incomplete_steps(self):
        return [row["number"] for row in self.rows("step_summary") if row["incomplete"]]

    def incomplete_operators(self):
        """Returns (thread, step) of each incomplete operator."""
        return sorted(
            (row["track"], 10 + (row["begin"] - BEGIN) // (100 * MS))
            for row in self.rows("operator_detail") if row["incomplete"]
        )

    def test_nothing_lost(self):
        self.make()
        self.assertEqual(self.incomplete_steps(), [])
        self.assertEqual(self.incomplete_operators(), [])
        self.assertFalse(any(row["incomplete"] for row in self.rows("operator_average")))
        text = self.strobe("show", self.capture, "--table", "step_summary").stdout
        self.assertNotIn("ncomplete", text)
        info = self.json("info", self.capture)[0]
        self.assertEqual((info["offered"], info["stored"], info["losses"]), (9, 9, []))
        answer = self.json("analyse", self.out)[0]
        self.assertEqual((answer["offered"], answer["stored"], answer["lost"]), (9, 9, 0))
        self.assertEqual((answer["incomplete"], answer["missing"]), ({}, []))
        self.assertFalse((self.output() / "loss.csv").exists())

    def test_loss_of_one_thread_in_one_step(self):
        self.make((2, 5, POOL_EMPTY, 120, 130))
        self.assertEqual(self.incomplete_steps(), [11])
        self.assertEqual(self.incomplete_operators(), [(1001, 11)])
        self.assertTrue(all(row["incomplete"] for row in self.rows("operator_average")))

    def test_loss_of_no_particular_thread(self):
        self.make((0, 1, DROPPED, 215, 216))
        self.assertEqual(self.incomplete_steps(), [12])
        self.assertEqual(self.incomplete_operators(), [(1001, 12), (1002, 12)])

    def test_loss_across_two_steps(self):
        self.make((3, 1, POOL_EMPTY, 99, 111))
        self.assertEqual(self.incomplete_steps(), [10, 11])
        self.assertEqual(self.incomplete_operators(), [(1002, 11)])

    def test_what_is_no_gap(self):
        """A truncated text lost no record, so it is no gap; a step ends where the next one
        begins."""
        self.make((2, 1, STRING_CUT, 0, 300), (2, 0, POOL_EMPTY, 0, 300), (3, 1, POOL_EMPTY, 100, 101))
        self.assertEqual(self.incomplete_steps(), [11])
        self.assertEqual(self.incomplete_operators(), [])
        self.assertEqual(self.json("info", self.capture)[0]["offered"], 11)

    def test_unreadable_part(self):
        """The times of its records are unknown."""
        self.make()
        self.capture.write_bytes(self.capture.read_bytes() + b"torn")
        self.assertEqual(self.incomplete_steps(), [10, 11, 12])
        self.assertEqual(len(self.incomplete_operators()), 6)
        self.assertEqual(self.json("info", self.capture)[0]["incomplete_steps"], [10, 11, 12])

    def test_marks_for_people(self):
        self.make((2, 5, POOL_EMPTY, 120, 130))
        lines = self.strobe("show", self.capture, "--table", "step_summary").stdout.splitlines()
        self.assertRegex(lines[0], r" Incomplete$")
        marked = [line.split()[0] for line in lines[2:5] if line.endswith("*")]
        self.assertEqual(marked, ["11"])
        self.assertIn("(incomplete rows: 1; records were lost", lines[5])
        text = self.strobe(
            "show", self.capture, "--table", "step_summary", "--columns", "incomplete,number",
            "--sort", "incomplete",
        ).stdout
        self.assertRegex(text.splitlines()[2], r"^\* +11$")

    def test_losses_as_a_table(self):
        self.make((2, 5, POOL_EMPTY, 120, 130), (0, 2, DROPPED, 0, 300))
        row = self.rows("loss")[0]
        self.assertEqual(
            (row["name"], row["count"], row["thread"], row["begin"], row["duration"]),
            ("pool_empty", 5, 1001, BEGIN + 120 * MS, 10 * MS),
        )
        self.assertNotIn("incomplete", row)
        lines = self.strobe("show", self.capture, "--table", "loss").stdout.splitlines()
        self.assertRegex(lines[2], r"^pool_empty +5 +1001 +1736412474120000\.000 +10000\.000$")
        self.assertRegex(lines[3], r"^collector_dropped +2 +1736412474000000\.000 +300000\.000$")

    def test_info(self):
        self.make((2, 5, POOL_EMPTY, 120, 130), (2, 2, POOL_EMPTY, 150, 160), (0, 1, DROPPED, 0, 9))
        info = self.json("info", self.capture)[0]
        self.assertEqual((info["offered"], info["stored"]), (17, 9))
        self.assertEqual(info["lost"]["pool_empty"], 7)
        self.assertEqual(info["incomplete_steps"], [10, 11])
        self.assertEqual(info["losses"], [
            {"cause": "pool_empty", "track": "thread 1001", "thread": 1001, "records": 7,
             "begin_ns": BEGIN + 120 * MS, "end_ns": BEGIN + 160 * MS},
            {"cause": "collector_dropped", "track": None, "thread": None, "records": 1,
             "begin_ns": BEGIN, "end_ns": BEGIN + 9 * MS},
        ])
        text = self.strobe("info", self.capture).stdout
        self.assertRegex(text, r"\npool_empty +thread 1001 +7 ")
        self.assertRegex(text, r"\ncollector_dropped +any +1 ")
        self.assertIn("\nOffered: 17 = 9 stored + 8 lost\n", text)
        self.assertIn("\nIncomplete steps: 10, 11 (", text)

    # ---- files ----

    def output(self):
        return self.out / "made_ascend_pt" / "ASCEND_PROFILER_OUTPUT"

    def table(self, name):
        with open(self.output() / name, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_files(self):
        self.make()
        self.strobe("analyse", self.out)
        details = (self.output() / "operator_details.csv").read_bytes()
        self.make((2, 5, POOL_EMPTY, 120, 130))
        done = self.strobe("analyse", self.out)
        self.assertIn("14 records offered = 9 stored + 5 lost", done.stderr)
        self.assertIn("1 of 6 operator_detail", done.stderr)
        self.assertIn("1 of 3 step_summary", done.stderr)
        # The form of another tool has no place for a mark; loss.csv shows the loss.
        self.assertEqual((self.output() / "operator_details.csv").read_bytes(), details)
        self.assertEqual(details.decode().splitlines()[0], HEADER)
        self.assertEqual(
            (self.output() / "loss.csv").read_bytes(),
            b"Name,Begin(us),Duration(us),Track,count,cause,thread\r\n"
            b"pool_empty,1736412474120000.000\t,10000.0,0,5,0,1001\r\n",
        )
        self.assertEqual(
            [(row["number"], row["Incomplete"]) for row in self.table("step_summary.csv")],
            [("10", "0"), ("11", "1"), ("12", "0")],
        )
        self.assertNotIn("Incomplete", self.table("step.csv")[0])
        self.assertEqual({row["Incomplete"] for row in self.table("operator_average.csv")}, {"1"})

    def test_trace(self):
        self.make((2, 5, POOL_EMPTY, 120, 130))
        self.strobe("analyse", self.out)
        events = trace_events((self.output() / "trace_view.json").read_text())
        rows = {
            (event["pid"], event["tid"]): event["args"]["name"]
            for event in events if event["name"] == "thread_name"
        }
        losses = {
            event["name"]: event for event in events
            if event["ph"] == "X" and rows[event["pid"], event["tid"]] == "Strobe losses"
        }
        self.assertEqual(
            losses["pool_empty"]["args"], {"count": 5, "cause": POOL_EMPTY, "thread": 1001}
        )
        self.assertEqual((losses["pool_empty"]["ts"], losses["pool_empty"]["dur"]),
                         ("1736412474120000.000", 10000.0))
        self.assertEqual(
            losses["Incomplete"]["args"],
            {"offered": 14, "stored": 9, "lost": 5, "capture_complete": True},
        )

    def test_json_of_analyse(self):
        self.make((2, 5, POOL_EMPTY, 120, 130))
        answer = self.json("analyse", self.out)[0]
        self.assertEqual((answer["offered"], answer["stored"], answer["lost"]), (14, 9, 5))
        self.assertFalse(answer["complete"])
        self.assertEqual(answer["incomplete"]["step_summary"], 1)
        self.assertEqual(answer["incomplete"]["operator_detail"], 1)
        self.assertEqual(answer["incomplete"]["operator_average"], 2)

    def test_derived_kind_on_request(self):
        """If an option names derived kinds, the passes that derive them run."""
        self.make((2, 5, POOL_EMPTY, 120, 130))
        for options, wanted in (
            ("csv", []),
            ("csv:also=stack_total+cpu_op", ["cpu_op.csv", "stack_total.csv"]),
            ("csv:kinds=stack_total", ["stack_total.csv"]),
        ):
            with self.subTest(options):
                self.strobe("analyse", self.out, "--export", options)
                files = sorted(path.name for path in self.output().iterdir())
                self.assertEqual(
                    [name for name in files if name in ("cpu_op.csv", "stack_total.csv")], wanted
                )
                self.assertEqual("loss.csv" in files, "kinds=" not in options)
        self.assertEqual({row["Incomplete"] for row in self.table("stack_total.csv")}, {"1"})


class RecordedTest(StrobeTest):
    def test_ranges_too_deep_in_one_step(self):
        config = self.script("config.json", '{"buffer": {"flush_interval": "5ms"}}')
        self.record(
            program("nested-program"), str(DEPTH_MAX + 76), collect=["fake:records=0"],
            flags=["-c", config],
        )
        info = self.json("info", self.out)[0]
        self.assertEqual(info["lost"]["span_depth"], 76)
        self.assertEqual(info["kinds"]["marker"], DEPTH_MAX)
        self.assertEqual(info["offered"], info["stored"] + 76)
        losses = self.json("show", self.out, "--table", "loss", "--limit", "1000")[0]["rows"]
        self.assertEqual(sum(row["count"] for row in losses), 76)
        self.assertEqual({row["name"] for row in losses}, {"span_depth"})
        ranges = self.json("show", self.out, "--table", "marker", "--limit", "1")[0]["rows"]
        self.assertEqual({row["thread"] for row in losses}, {ranges[0]["track"]})
        steps = self.json("show", self.out, "--table", "step_summary")[0]["rows"]
        steps = [row for row in steps if row["number"] >= 0]
        self.assertEqual(len(steps), 3)
        self.assertTrue(steps[1]["incomplete"])
        for row in steps:
            touched = any(
                loss["begin"] < row["begin"] + row["duration"]
                and row["begin"] < loss["begin"] + loss["duration"]
                for loss in losses
            )
            self.assertEqual(row["incomplete"], touched, row)

    def test_small_pool(self):
        """There are more threads and records than the pool has blocks for; each record is stored or
        counted as lost."""
        n = 1000000
        self.record(collect=["fake:threads=64,records=0"])
        own = self.json("info", self.out)[0]["offered"]  # calls of the collector by the core
        shutil.rmtree(self.result())
        config = self.script("config.json", '{"buffer": {"size": "8MB", "flush_interval": "50ms"}}')
        flags = ["-c", config, "--export", "csv:kinds=loss"]
        # slower than any disk under load, also with a sanitizer
        self.preload(PROGRAMS / "slow-disk.so")
        self.environment["SLOW_DISK_US"] = "20000"
        self.record(collect=["fake:threads=64,records=%d" % n], flags=flags)
        self.preload()
        info = self.json("info", self.out)[0]
        lost = sum(info["lost"].values())
        self.assertEqual(info["offered"], n + own)
        self.assertEqual(info["offered"], info["stored"] + lost)
        self.assertEqual(sum(loss["records"] for loss in info["losses"]), lost)
        self.assertGreater(lost, 0)
        (table,) = self.result().glob("*/loss.csv")
        with open(table, encoding="utf-8", newline="") as file:
            self.assertEqual(sum(int(row["count"]) for row in csv.DictReader(file)), lost)
