# SPDX-License-Identifier: Apache-2.0
"""A main thread that ends by pthread_exit(): the program ends with its last thread, neither later
nor earlier, whatever threads Strobe has in it."""

import shutil

from support import StrobeTest, program

DESERTED = program("deserted-program")


class DesertedProgramTest(StrobeTest):
    def deserted(self, command, ms, *collectors):
        """Runs the program under strobe run: it ends, and its last thread has finished."""
        place = self.work / "place"
        place.unlink(missing_ok=True)
        self.out = self.work / ("out-%d-%d" % (ms, len(collectors)))
        self.record(command, ms, place, collect=collectors)
        self.assertEqual(place.read_text(), "done\n")

    def test_it_ends_with_its_last_thread(self):
        self.deserted(DESERTED, 50, "host_sys:interval=1ms")
        self.deserted(DESERTED, 50, "host_sys:interval=1ms", "heap:threshold=0")

    def test_the_last_thread_has_its_time(self):
        self.deserted(DESERTED, 2500, "host_sys:interval=100ms")

    def test_a_program_may_have_a_name_like_strobes(self):
        own = self.work / "strobe-own"
        shutil.copy(DESERTED, own)
        own.chmod(0o755)
        self.deserted(own, 2500, "host_sys:interval=100ms")


if __name__ == "__main__":
    import unittest
    unittest.main()
