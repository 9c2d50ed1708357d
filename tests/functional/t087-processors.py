# SPDX-License-Identifier: Apache-2.0
"""Reading ahead in a thread, and writing before all data is known, give the same files as one
processor with much memory."""

import os
import sys
import unittest

from support import TOP, StrobeTest

sys.path.insert(0, str(TOP / "bench"))

import kineto_trace  # noqa: E402

MEGABYTES = 6  # a smaller trace is read without a thread


def contents(folder):
    """The bytes of all files below the folder, by their paths, without logs, which contain
    times."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".strobe", ".csv") or path.name == "trace_view.json"
    }


class ProcessorsTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.trace = self.work / "trace.json"
        kineto_trace.write(str(self.trace), MEGABYTES)

    def made_with(self, name, processors, *flags):
        folder = self.work / name
        self.strobe("import", self.trace, "-o", folder, "--export", "csv", "--export",
                    "chrome_trace", *flags,
                    preexec_fn=lambda: os.sched_setaffinity(0, processors))  # fmt: skip
        return contents(folder)

    def check_same(self, found, expected):
        self.assertEqual(list(found), list(expected))
        for name, content in expected.items():
            self.assertEqual(found[name] == content, True, name)

    def test_two_processors_and_little_memory(self):
        processors = sorted(os.sched_getaffinity(0))
        expected = self.made_with("one", processors[:1])
        self.assertGreater(len(expected), 5)
        self.assertTrue(any(name.endswith("trace_view.json") for name in expected))
        self.check_same(self.made_with("little", processors[:1], "--max-mem", "96MB"), expected)
        if len(processors) < 2:
            self.skipTest("one processor")
        self.check_same(self.made_with("two", processors[:2]), expected)


if __name__ == "__main__":
    unittest.main()
