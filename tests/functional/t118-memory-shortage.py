# SPDX-License-Identifier: Apache-2.0
"""If the system has no memory left for a command, the command prints a message and leaves nothing
incomplete."""

import json
import os
import resource

from support import StrobeTest

N_EVENTS = 150000
MEGABYTE = 1 << 20


class MemoryShortageTest(StrobeTest):
    source = None  # written once

    def setUp(self):
        super().setUp()
        self.parent = self.work / "imported"
        self.trace = self.work / "plain.json"
        if MemoryShortageTest.source is None:
            events = [{"ph": "X", "cat": "cpu_op", "name": "operator %d" % i, "pid": 1, "tid": 1,
                       "ts": i * 10, "dur": 5, "args": {"Input Dims": [[i]]}}
                      for i in range(N_EVENTS)]
            MemoryShortageTest.source = json.dumps({"traceEvents": events})
        self.trace.write_text(MemoryShortageTest.source)

    def limited(self, megabytes, *words):
        """The exit code and messages of the command with a limited address space."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGABYTE,) * 2)

        process = self.start(*words, preexec_fn=limit)
        _, errors = process.communicate(timeout=120)
        return process.returncode, errors

    def hidden(self):
        return [os.path.join(folder, name) for folder, names, files in os.walk(self.work)
                for name in names + files if name.startswith(".")]

    def test_import(self):
        """Limits from too little for the command itself to enough, so that every allocation fails
        once."""
        codes = set()
        for megabytes in (100, 110, 120, 135, 150, 170, 200, 250, 400, 2000):
            with self.subTest(megabytes):
                code, errors = self.limited(megabytes, "import", self.trace, "-o", self.parent,
                                            "--max-mem", "160MB")
                self.assertEqual(self.hidden(), [])
                self.assertNotIn("GLib", errors)
                codes.add(code)
                if code == 6:
                    self.assertRegex(
                        errors, r'Out of memory: \d+ KB more do not fit into the limit of the '
                        r'address space \(\d+ of %d MB are in use; "ulimit -v"\)'
                        r'|exporter db: .*: out of memory'
                        r'|Out of memory: the sorter of imported records gets no more' % megabytes)
        self.assertLessEqual({0, 6}, codes)
        self.assertLessEqual(codes, {0, 4, 5, 6}, "a plugin that cannot be loaded is reported, too")

    def test_analysis_leaves_what_was_there(self):
        self.strobe("import", self.trace, "-o", self.parent, "--export", "stacks")
        result = next(self.parent.iterdir())
        before = {path: path.stat().st_mtime_ns for path in result.rglob("*")}
        code, errors = self.limited(150, "analyse", result, "--max-mem", "160MB")
        self.assertEqual(code, 6, errors)
        self.assertIn("Out of memory: ", errors)
        self.assertEqual({path: path.stat().st_mtime_ns for path in result.rglob("*")
                          if path != result}, {path: time for path, time in before.items()})
