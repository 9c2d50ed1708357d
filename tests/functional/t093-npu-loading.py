# SPDX-License-Identifier: Apache-2.0
"""Libraries of CANN that abort the process that loads them, or are in another folder: npu_task and
the doctor agree."""

import json
import shutil

from aclprof import HOME as ACLPROF_HOME
from npu import HOME, NpuTest

KERNELS = ["sleep 3"] + [
    "kernel 0 3 %d KERNEL_AICORE mm %d 400" % (i + 1, 100000 + 1000 * i) for i in range(100)
]
NEEDED = ["libprofapi", "libascendalog", "libascend_hal"]
# Libraries that npu_task needs, as t073 and t074 show; the first library of each list is tried with
# both.
FUNCTIONS = {
    "libprofapi.so": ["MsprofRegisterProfileCallback", "ProfRegisterMstxFunc",
                      "ProfEnableMstxFunc"],
    "libascendalog.so": ["CheckLogLevelForC"],
    "libmspti.so": ["msptiActivityFlushAll", "msptiSubscribe", "msptiUnsubscribe",
                    "msptiActivityRegisterCallbacks", "msptiActivityEnable",
                    "msptiActivityDisable"],
    "libmsprofiler.so": ["aclprofStop", "aclprofInit", "aclprofFinalize", "aclprofSetConfig",
                         "aclprofCreateConfig", "aclprofDestroyConfig", "aclprofStart"],
}


class LoadingTest(NpuTest):
    def setUp(self):
        super().setUp()
        self.home = self.work / "cann"
        (self.home / "lib64").mkdir(parents=True)
        for path in (HOME / "lib64").glob("*.so"):
            shutil.copy(path, self.home / "lib64")
        self.environment["ASCEND_HOME_PATH"] = str(self.home)

    def test_a_library_of_cann_aborts(self):
        """The library aborts only the process that tries to load it; the program itself, which has
        not loaded it, continues."""
        for name in NEEDED:
            with self.subTest(name=name):
                self.environment["CANN_DOUBLE"] = name[3:] + ":abort"
                done, _ = self.play(KERNELS, collect=["gc"])
                self.assertIn("alone", done.stdout)
                self.assertIn("MSPTI needs CANN, of which %s.so cannot be loaded: loading it ended "
                              "the process that tried" % name, self.log())
                shutil.rmtree(self.out)

    def verdicts(self, code=0):
        """The doctor's result for each library."""
        said = self.strobe("doctor", "--json", "--no-self-test", code=code)
        return {each["name"]: each["verdict"] for each in json.loads(said.stdout)["findings"]
                if each["section"] == "Vendors' libraries"}

    def agree(self, library, backend):
        """If npu_task refuses a library, the doctor also reports that it does not work, and names
        it."""
        self.play(KERNELS, ":backend=" + backend, collect=["gc"])
        self.assertIn("Cannot record NPU tasks", self.log())
        self.assertEqual(self.verdicts(code=1)[library], "fails")
        shutil.rmtree(self.out)

    def test_the_doctor_agrees_on_what_works(self):
        self.play(KERNELS)
        self.assertEqual(self.records_of(self.result(), "device_task"), 100)
        verdicts = self.verdicts()
        for name in [*NEEDED, "libmspti"]:
            self.assertEqual(verdicts[name + ".so"], "ok", name)

    def test_the_doctor_agrees_on_libraries(self):
        for name in NEEDED:
            with self.subTest(name=name):
                (self.home / "lib64" / (name + ".so")).unlink()
                self.agree(name + ".so", "mspti")
                shutil.copy(HOME / "lib64" / (name + ".so"), self.home / "lib64")

    def test_the_doctor_agrees_on_functions(self):
        shutil.copy(ACLPROF_HOME / "lib64" / "libmsprofiler.so", self.home / "lib64")
        for library, symbols in FUNCTIONS.items():
            path = self.home / "lib64" / library
            data = path.read_bytes()
            for symbol in symbols:
                with self.subTest(symbol=symbol):
                    name = b"\0" + symbol.encode() + b"\0"
                    self.assertIn(name, data)
                    path.write_bytes(data.replace(name, b"\0x" + symbol.encode()[1:] + b"\0"))
                    if symbol == symbols[0]:
                        self.agree(library, "aclprof" if "aclprof" in symbol else "mspti")
                    else:
                        self.assertEqual(self.verdicts(code=1)[library], "fails")
            path.write_bytes(data)

    def test_the_driver_lies_elsewhere(self):
        """MSPTI works if the loader finds the driver elsewhere."""
        driver = self.work / "driver"
        driver.mkdir()
        shutil.move(self.home / "lib64" / "libascend_hal.so", driver)
        self.environment["LD_LIBRARY_PATH"] = str(driver)
        self.play(KERNELS)
        self.assertEqual(self.records_of(self.result(), "device_task"), 100)
        self.assertEqual(self.verdicts()["libascend_hal.so"], "ok")


if __name__ == "__main__":
    import unittest

    unittest.main()
