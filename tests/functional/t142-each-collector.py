# SPDX-License-Identifier: Apache-2.0
"""The collectors are independent: one that cannot work in a process does not switch off another
one."""

from support import PYTHON, StrobeTest, needs_python

FAKE = "fake:threads=0,records=100"


class EachCollectorTest(StrobeTest):
    def test_others_record(self):
        done = self.record("true", collect=[FAKE, "marker", "gc"])
        self.assertGreaterEqual(self.records_of(self.result(), "marker"), 100)
        self.assertIn("collector gc: There is no Python in this process", done.stderr)
        self.assertIn("collector marker: This process has made no mark yet", done.stderr)
        self.assertNotIn("Nothing was recorded", done.stderr)
        self.assertNothingLeft()

    @needs_python
    def test_a_process_in_which_more_works_takes_over(self):
        script = "%s -c 'import gc; gc.collect()'; exit 3" % PYTHON
        self.record("sh", "-c", script, collect=[FAKE, "gc"], code=3)
        self.assertGreaterEqual(self.records_of(self.result(), "gc"), 1)
        self.assertNothingLeft()

    def test_one_in_which_no_more_works_does_not(self):
        self.record("sh", "-c", "/bin/true; exit 0", collect=[FAKE, "gc"])
        self.assertTrue(self.command_of(self.result()).startswith("sh"))
