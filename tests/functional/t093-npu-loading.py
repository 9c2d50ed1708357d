# SPDX-License-Identifier: Apache-2.0
"""Libraries of CANN that harm who loads them, or lie elsewhere: npu_task and the doctor agree."""

import shutil

from npu import HOME, NpuTest

KERNELS = ["sleep 3"] + [
    "kernel 0 3 %d KERNEL_AICORE mm %d 400" % (i + 1, 100000 + 1000 * i) for i in range(100)
]
NEEDED = ["libprofapi", "libascendalog", "libascend_hal"]


class LoadingTest(NpuTest):
    def setUp(self):
        super().setUp()
        self.home = self.work / "cann"
        (self.home / "lib64").mkdir(parents=True)
        for path in (HOME / "lib64").glob("*.so"):
            shutil.copy(path, self.home / "lib64")
        self.environment["ASCEND_HOME_PATH"] = str(self.home)

    def test_a_library_of_cann_aborts(self):
        """It does so in the process that tries; the program, which has it not, is spared."""
        for name in NEEDED:
            with self.subTest(name=name):
                self.environment["CANN_DOUBLE"] = name[3:] + ":abort"
                done, _ = self.play(KERNELS, collect=["gc"])
                self.assertIn("alone", done.stdout)
                self.assertIn("MSPTI needs CANN, of which %s.so cannot be loaded: loading it ended "
                              "the process that tried" % name, self.log())
                shutil.rmtree(self.out)

    def test_the_driver_lies_elsewhere(self):
        """Where the loader finds it MSPTI does, too."""
        driver = self.work / "driver"
        driver.mkdir()
        shutil.move(self.home / "lib64" / "libascend_hal.so", driver)
        self.environment["LD_LIBRARY_PATH"] = str(driver)
        self.play(KERNELS)
        self.assertEqual(self.records_of(self.result(), "device_task"), 100)


if __name__ == "__main__":
    import unittest

    unittest.main()
