# SPDX-License-Identifier: Apache-2.0
"""strobe run --preload: libraries that are preloaded into the command in addition to Strobe's
own."""

import unittest

from npu import HOME, NpuTest, PROGRAM
from support import BUILD, without_sanitizer

LIBRARY = HOME / "lib64" / "libmspti.so"


class PreloadOptionTest(NpuTest):
    def test_mspti(self):
        """MSPTI is preloaded and Strobe records: kinds that need both are recorded."""
        script = self.script("script", "sleep 2\nmemcpy 0 3 1 1 4096 1 100000 500\n")
        self.record(PROGRAM, script, flags=["--preload", LIBRARY],
                    collect=["npu_task:activities=kernel+memcpy"])
        self.assertEqual(self.records_of(self.result(), "npu_task.memcpy"), 1)
        metadata = {row["name"]: row["value"] for row in self.rows("metadata")}
        self.assertEqual(metadata["npu_task.backend"], "mspti, preloaded")
        self.assertNotIn("only if it is preloaded", self.log())

    def test_the_message_names_the_option(self):
        script = self.script("script", "sleep 2\n")
        self.record(PROGRAM, script, collect=["npu_task:activities=kernel+memcpy"])
        self.assertIn("use strobe run --preload", self.log())

    @without_sanitizer
    def test_order_and_several(self):
        """Strobe's own library comes first, and the libraries of the user's variable before those
        of the options."""
        first, second = BUILD / "tests/functional/wall_clock.so", "libdl.so.2"
        self.preload("libpthread.so.0")
        done = self.strobe("run", "-o", self.out, "--preload", first, "--preload", second, "--collect",
                           "fake:threads=0,records=1", "--", "sh", "-c", "echo $LD_PRELOAD")
        self.assertRegex(done.stdout.strip(), r"^\S*libstrobe-preload\.so:(\S*:)?libpthread\.so\.0:%s:%s$"
                         % (first, second))

    def test_what_cannot_be_preloaded(self):
        for library, message in {
            "/no/such/library.so": "--preload: cannot read",
            "a b.so": "without blanks and colons",
            "a.so:b.so": "without blanks and colons",
        }.items():
            with self.subTest(library=library):
                done = self.strobe("run", "--preload", library, "--", "true", code=2)
                self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
