# SPDX-License-Identifier: Apache-2.0
"""`strobe run --strict` if nothing of the program was recorded: exit code 6, and collectors that
would help."""

import unittest

from support import StrobeTest

ADVICE = (r"strobe run --collect NAME records functions \([\w, ]*cpu_sample[\w, ]*\), operators "
          r"\([\w, ]*cpu_op[\w, ]*\) and kernels \([\w, ]+\)\n")


class StrictRunTest(StrobeTest):
    def test_metadata_about_the_run_are_nothing(self):
        for flags, code in (((), 0), (("--strict",), 6)):
            with self.subTest(flags):
                done = self.record("true", collect=["metadata"], flags=flags, code=code)
                self.assertRegex(done.stderr, "Nothing was recorded of what the program did. " + ADVICE)
                self.assertNotIn("fake", done.stderr)
        self.assertEqual(len(self.results()), 2)

    def test_one_record_is_something(self):
        done = self.record("true", collect=["fake:threads=0,records=1"], flags=["--strict"])
        self.assertNotIn("Nothing", done.stderr)

    def test_collector_without_a_place(self):
        done = self.record("true", collect=["gc"], flags=["--strict"], code=6)
        self.assertEqual(self.results(), [])
        self.assertRegex(done.stderr, r"a requested collector \(gc\) can work\. " + ADVICE)

    def test_code_of_the_command_comes_first(self):
        self.record("sh", "-c", "exit 3", collect=["metadata"], flags=["--strict"], code=3)


if __name__ == "__main__":
    unittest.main()
