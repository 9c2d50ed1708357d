# SPDX-License-Identifier: Apache-2.0
"""Launches without any task of a device: the result says so in one sentence."""

import shutil
import unittest

from npu import HOME, NpuTest

CALLS = ["sleep 2", *("api 11 70001 0 launch %d 1000" % (i * 2000) for i in range(20))]
SENTENCE = "The program launched tasks, but MSPTI has reported none on a device"


class NoTaskTest(NpuTest):
    def diagnostics(self):
        return [row["text"] for row in self.rows("diagnostic") if SENTENCE in row["text"]]

    def lose_new_functions(self):
        """Removes functions, so that the library is like those before May 2026."""
        home = self.work / "cann"
        shutil.copytree(HOME / "lib64", home / "lib64")
        path = home / "lib64" / "libmspti.so"
        data = path.read_bytes()
        path.write_bytes(data.replace(b"\0msptiActivityIsEnabled\0", b"\0xsptiActivityIsEnabled\0"))
        self.environment["ASCEND_HOME_PATH"] = str(home)

    def test_a_late_attach_without_replay(self):
        """Launches may have ids or not: a message says so in both cases, once."""
        for id_of in (lambda i: 0, lambda i: i + 1):
            lines = ["sleep 2"]
            lines += ["api 11 70001 %d launch %d 1000" % (id_of(i), i * 2000) for i in range(20)]
            self.play(lines)
            text, = self.diagnostics()
            self.assertIn("record the program from its start", text)
            self.assertIn(SENTENCE, self.log())
            shutil.rmtree(self.out)

    def test_an_old_library_that_is_not_preloaded(self):
        self.lose_new_functions()
        self.play(CALLS)
        self.assertIn("strobe run --preload", self.diagnostics()[0])

    def test_tasks_that_are_there(self):
        self.play([*CALLS, "kernel 0 3 1 KERNEL_AICORE mm 100000 400"])
        self.assertEqual(self.diagnostics(), [])
        shutil.rmtree(self.out)
        self.play(CALLS, ":activities=node_api")
        self.assertEqual(self.diagnostics(), [])


if __name__ == "__main__":
    unittest.main()
