# SPDX-License-Identifier: Apache-2.0
"""A C program with marks of strobe.h, under `strobe run`."""

from support import SCHEDULE, StrobeTest, program

MARKED = program("marked-program")


class NativeTest(StrobeTest):
    def test_alone_it_records_nothing(self):
        import subprocess

        done = subprocess.run([MARKED, "10"], cwd=self.work, env=self.environment)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.results(), [])

    def test_one_window(self):
        self.record(MARKED, "10", collect=["fake:records=0"])
        kinds = self.json("info", self.out)[0]["kinds"]
        self.assertEqual(kinds["marker"], 20)
        self.assertEqual(kinds["marker_instant"], 10)
        self.assertEqual(kinds["step"], 10)
        rows = self.json("show", self.out, "--table", "counter", "--columns", "name,value")
        values = [row["value"] for row in rows[0]["rows"] if row["name"] == "loss"]
        self.assertEqual(values, [1 / (1 + step) for step in range(10)])

    def test_only_the_active_steps_are_recorded(self):
        self.record(MARKED, "10", collect=["fake:records=0"], flags=["--schedule", SCHEDULE])
        kinds = self.json("info", self.result())[0]["kinds"]
        self.assertEqual((kinds["step"], kinds["marker"]), (2, 4))
        rows = self.json("show", self.out, "--table", "marker_instant", "--columns", "name")
        self.assertEqual([row["name"] for row in rows[0]["rows"]], ["mark 2", "mark 3"])

    def test_every_cycle_is_a_result(self):
        flags = ["--schedule", "wait=1,warmup=0,active=1,repeat=3"]
        self.record(MARKED, "10", collect=["fake:records=0"], flags=flags)
        self.assertEqual(len(self.results()), 3)
        for result in self.results():
            self.assertEqual(self.records_of(result, "marker"), 2)

    def test_program_that_never_steps(self):
        done = self.record(MARKED, "0", collect=["fake"], flags=["--schedule", SCHEDULE])
        self.assertEqual(self.results(), [])
        self.assertIn("no step", done.stderr)
        self.assertNothingLeft()

    def test_strict_about_a_missing_result(self):
        flags = ["--schedule", SCHEDULE, "--strict"]
        self.record(MARKED, "0", collect=["fake"], flags=flags, code=6)
        self.record("false", collect=["fake"], flags=flags, code=1)

    def test_strict_is_content_with_a_complete_result(self):
        self.record(MARKED, "10", flags=["--schedule", SCHEDULE, "--strict"])

    def test_failing_collector_is_told(self):
        done = self.record(MARKED, "5", collect=["fake:fail=start"])
        self.assertIn("fake", done.stderr)
        self.assertEqual(self.records_of(self.result(), "marker"), 10)

    def test_required_collector_that_fails(self):
        done = self.record(MARKED, "5", collect=["fake:fail=open,required=true"])
        self.assertEqual(self.results(), [])
        self.assertIn("Nothing was recorded", done.stderr)
        self.assertIn("fake", done.stderr)
