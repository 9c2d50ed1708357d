# SPDX-License-Identifier: Apache-2.0
"""On several processors exporters work at the same time, and write the same files as on one
processor."""

import os
import sys
import unittest

from support import BUILD, TOP, StrobeTest

sys.path.insert(0, str(TOP / "bench"))
from raw_files import RawFiles  # noqa: E402

EXPORTERS = ("csv", "chrome_trace", "stacks", "tensorboard", "memory_timeline")
DATABASE = ("db",) if (BUILD / "exporters" / "db.so").exists() else ()


class SideBySideTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.source = self.work / "node1_4711_20251127123437072_ascend_pt"
        RawFiles(str(self.source), 5, python=True, stacks=True).make(8000)

    def files(self, name, processors, exporters):
        """The contents of all files that an analysis on these processors writes, by name."""
        words = [word for exporter in exporters for word in ("--export", exporter)]
        self.strobe("analyse", self.source, "-o", self.work / name, *words,
                    preexec_fn=lambda: os.sched_setaffinity(0, processors))
        top = self.work / name
        return {str(path.relative_to(top)): path.read_bytes()
                for path in sorted(top.rglob("*")) if path.is_file()}

    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "one processor")
    def test_same_bytes(self):
        every = os.sched_getaffinity(0)
        alone = self.files("alone", {min(every)}, EXPORTERS + DATABASE)
        self.assertGreater(len(alone), 10)
        for turn in range(3):
            together = self.files("together%d" % turn, every, EXPORTERS + DATABASE)
            self.assertEqual(sorted(together), sorted(alone))
            for name, content in alone.items():
                self.assertEqual(content == together[name], True, name)


if __name__ == "__main__":
    unittest.main()
