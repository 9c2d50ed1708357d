# SPDX-License-Identifier: Apache-2.0
"""Benchmarks run, with the core that each of them means to measure. How fast is nobody's here."""

import json
import subprocess
import sys
import unittest

from support import BUILD, TOP, StrobeTest

BENCH = (sys.executable, str(TOP / "bench" / "bench.py"), "--build", str(BUILD))


@unittest.skipUnless((BUILD / "bench" / "bulk").exists(), "built without benchmarks")
class BenchmarksTest(StrobeTest):
    def bench(self, *words):
        return subprocess.run([*BENCH, *words], capture_output=True, text=True, check=False)

    def test_rows(self):
        """Those with the static core, and with the shared one."""
        done = self.bench("--json", "--only", "bulk_emit,bytes_per_span")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row["name"]: row for row in json.loads(done.stdout)}
        self.assertEqual(set(rows), {"bulk_emit", "bytes_per_span"})
        for row in rows.values():
            self.assertIsNotNone(row["value"], row["note"])
            self.assertGreater(row["runs"], 0)
        self.assertGreaterEqual(rows["bytes_per_span"]["value"], 24)
        self.assertLessEqual(rows["bytes_per_span"]["value"], 32)
        self.assertGreater(rows["bulk_emit"]["ratio"], 0)

    def test_input_of_operators(self):
        """What the rows of databases begin with."""
        program = BUILD / "bench" / "operators"
        made = subprocess.run([str(program), str(self.work), "1000"], capture_output=True,
                              text=True, check=False)  # fmt: skip
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(self.records_of(made.stdout.strip(), "cpu_op"), 1000)

    def test_unknown_row(self):
        done = self.bench("--only", "record_spam")
        self.assertEqual(done.returncode, 2)
        self.assertIn('unknown benchmark "record_spam"', done.stderr)
        self.assertIn("record_span", done.stderr)
        self.assertIn("record_span\n", self.bench("--list").stdout)


if __name__ == "__main__":
    unittest.main()
