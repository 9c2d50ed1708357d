# SPDX-License-Identifier: Apache-2.0
"""Faults of MSPTI: each causes a message, and the program is not disturbed."""

import os
import shutil
import subprocess

import tap
from npu import HOME, PROGRAM, NpuTest, Script
from support import StrobeTest, TIMEOUT

REQUIRED = ["msptiSubscribe", "msptiUnsubscribe", "msptiActivityRegisterCallbacks",
            "msptiActivityEnable", "msptiActivityDisable", "msptiActivityFlushAll"]
CANN = {
    "libprofapi.so": ["MsprofRegisterProfileCallback", "ProfRegisterMstxFunc",
                      "ProfEnableMstxFunc"],
    "libascendalog.so": ["CheckLogLevelForC"],
    "libascend_hal.so": [],
}
KERNELS = ["sleep 3"] + [
    "kernel 0 3 %d KERNEL_AICORE mm %d 400" % (i + 1, 100000 + 1000 * i) for i in range(1000)
]


class ObstacleTest(NpuTest):
    def setUp(self):
        super().setUp()
        home = self.work / "cann"
        (home / "lib64").mkdir(parents=True)
        for path in (HOME / "lib64").glob("*.so"):
            shutil.copy(path, home / "lib64")
        self.home = home
        self.environment["ASCEND_HOME_PATH"] = str(home)

    def lose_symbol(self, library, symbol):
        """Removes a function from the library, by changing its name."""
        path = self.home / "lib64" / library
        data = path.read_bytes()
        name = b"\0" + symbol.encode() + b"\0"
        self.assertIn(name, data)
        path.write_bytes(data.replace(name, b"\0x" + symbol.encode()[1:] + b"\0"))

    def refused(self, message, **options):
        """The program runs to its end, the other collectors record, and a message gives the
        reason."""
        done, _ = self.play(KERNELS, collect=["gc"], **options)
        self.assertIn("alone" if options.get("is_alone", True) else "", done.stdout)
        self.assertIn(message, done.stderr + self.log())
        self.assertEqual(self.records_of(self.result(), "device_task"), 0)
        shutil.rmtree(self.out)


class LoadTest(ObstacleTest):
    def test_each_function_missing(self):
        for symbol in tap.chosen(REQUIRED, REQUIRED[-1:]):
            with self.subTest(symbol=symbol):
                shutil.copy(HOME / "lib64" / "libmspti.so", self.home / "lib64")
                self.lose_symbol("libmspti.so", symbol)
                self.play(KERNELS, collect=["gc"])
                self.assertIn("has no function " + symbol, self.log())
                shutil.rmtree(self.out)

    def test_functions_that_old_libraries_lack(self):
        self.lose_symbol("libmspti.so", "msptiActivityFlushPeriod")
        self.play(KERNELS)
        self.assertEqual(self.records_of(self.result(), "device_task"), 1000)

    def test_each_function_of_cann_missing(self):
        for library, symbols in CANN.items():
            for symbol in tap.chosen(symbols, symbols[:1]):
                with self.subTest(symbol=symbol):
                    self.lose_symbol(library, symbol)
                    self.refused("too old for MSPTI: it has no function " + symbol)
                    shutil.copy(HOME / "lib64" / library, self.home / "lib64")

    def test_each_library_of_cann_missing(self):
        for library in tap.chosen(list(CANN), ["libascend_hal.so"]):
            with self.subTest(library=library):
                (self.home / "lib64" / library).unlink()
                self.refused("of which %s cannot be loaded" % library)
                shutil.copy(HOME / "lib64" / library, self.home / "lib64")

    def test_no_library(self):
        (self.home / "lib64" / "libmspti.so").unlink()
        done = self.record(PROGRAM, collect=["npu_task"])
        self.assertIn("There is no MSPTI", done.stderr)

    def test_it_aborts_when_loaded(self):
        """The last messages of the aborted process are not shown."""
        self.refused("loading it ended the process that tried", wrong="abort")

    def test_not_a_library(self):
        (self.home / "lib64" / "libmspti.so").write_text("no library\n")
        self.refused("cannot be loaded")


class CallTest(ObstacleTest):
    def test_there_is_a_subscriber(self):
        done, _ = self.play(KERNELS, wrong="taken", collect=["gc"])
        self.assertIn("another profiler is attached to this process", done.stderr + self.log())
        self.assertEqual(self.records_of(self.result(), "device_task"), 0)

    def test_each_call_fails(self):
        for call, message in {
            "subscribe": "MSPTI refuses the subscription: code=999",
            "register": "MSPTI refuses the callbacks: code=999",
            "enable": "MSPTI enables none of the activities",
        }.items():
            with self.subTest(call=call):
                self.play(KERNELS, wrong="fail=%s:999" % call, collect=["gc"])
                self.assertIn(message, self.log())
                self.assertEqual(self.records_of(self.result(), "device_task"), 0)
                shutil.rmtree(self.out)
        for call, message in {
            "disable": "and perhaps more, which costs time: msptiActivityDisable: code=999",
            "unsubscribe": "no other profiler can attach to this process: msptiUnsubscribe: "
                           "code=999",
        }.items():
            with self.subTest(call=call):
                done, _ = self.play(KERNELS, wrong="fail=%s:999" % call)
                self.assertEqual(self.records_of(self.result(), "device_task"), 1000)
                self.assertIn(message, done.stderr + self.log())
                shutil.rmtree(self.out)

    def test_one_kind_fails(self):
        self.play(KERNELS, wrong="fail-kind=9:999")
        self.assertIn("No records of communication: MSPTI does not enable them: code=999",
                      self.log())
        self.assertEqual(self.records_of(self.result(), "device_task"), 1000)

    def test_the_node_level_by_its_other_kind(self):
        self.play(["sleep 2", "api 11 70001 1 launch 100000 1000"], wrong="fail-kind=3:1")
        self.assertEqual([row["level"] for row in self.rows("api_call")], ["node"])

    def test_kinds_that_need_the_library_preloaded(self):
        self.play(KERNELS, ":activities=kernel+memcpy")
        self.assertIn("No records of memcpy: MSPTI records these only if it is preloaded",
                      self.log())
        self.assertEqual(self.records_of(self.result(), "device_task"), 1000)

    def test_a_flush_that_fails(self):
        """The last buffer is never handed over."""
        self.play(KERNELS, wrong="fail=flush:999")
        self.assertEqual(self.records_of(self.result(), "device_task"), 0)
        self.assertIn("msptiActivityFlushAll: code=999", self.log())
        self.assertEqual(self.json("info", self.result())[0]["lost"]["collector_dropped"], 1)

    def test_a_flush_that_hangs(self):
        done, _ = self.play(KERNELS, wrong="hang=20000")
        self.assertIn("MSPTI has not come back from msptiActivityFlushAll for ", self.log())
        self.assertIn("MSPTI does not come back from msptiActivityFlushAll",
                      done.stderr + self.log())

    def test_aclprof_without_its_library(self):
        self.play(KERNELS, ":backend=aclprof", collect=["gc"])
        self.assertIn("libmsprofiler.so: No such file", self.log())


class BufferTest(ObstacleTest):
    def check(self, wrong, message, n=1000):
        self.play(KERNELS, ":buffer_size=64KB", wrong=wrong)
        self.assertEqual(self.records_of(self.result(), "device_task"), n)
        self.assertIn(message, self.log())

    def test_unknown_kinds(self):
        self.check("unknown", "bytes that are not a record of a known kind")
        lost = self.json("info", self.result())[0]["lost"]
        self.assertGreater(lost.get("collector_dropped", 0), 0, lost)

    def test_newer_kinds(self):
        """The library gives the length of records of which nothing else is known."""
        self.check("newer", "are of kinds that are newer than this collector")
        lost = self.json("info", self.result())[0]["lost"]
        self.assertGreater(lost.get("collector_dropped", 0), 0, lost)

    def test_buffers_of_the_wrong_size(self):
        """The bytes after the valid part are of an unknown kind, or are old records; this causes no
        other fault."""
        self.play(KERNELS, ":buffer_size=64KB", wrong="oversize")
        self.assertGreaterEqual(self.records_of(self.result(), "device_task"), 1000)
        self.assertIn("with a wrong size", self.log())

    def test_buffers_handed_over_twice(self):
        self.check("twice", "are not Strobe's: they are not used")

    def test_external_buffers(self):
        self.check("external", "are not Strobe's: they are not used")

    def test_all_buffers_are_full(self):
        """During the window the buffers are not emptied fast enough: each lost record is
        counted."""
        n = 200000
        self.play(["sleep 10", "kernels %d 40" % n],
                  ":activities=kernel,buffer_size=64KB,buffers=2")
        info = self.json("info", self.result())[0]
        told = info["kinds"].get("device_task", 0)
        self.assertEqual(told + info["lost"].get("collector_dropped", 0), n)

    def test_records_that_the_library_drops(self):
        """Each dropped record is counted if the library reports the number; an older library has no
        function for this."""
        made = ["sleep 2", "kernels 1000 40"]
        for n_lost in (100, 0):
            self.play(made, ":activities=kernel", wrong="drop=10")
            info = self.json("info", self.result())[0]
            self.assertEqual(info["kinds"]["device_task"], 900)
            self.assertEqual(info["lost"].get("collector_dropped", 0), n_lost)
            self.assertEqual("MSPTI reports that it has dropped 100 records" in self.log(), n_lost > 0)
            if n_lost:
                self.lose_symbol("libmspti.so", "msptiActivityGetNumDroppedRecords")
                shutil.rmtree(self.out)

    def test_times_of_calls_that_cannot_be(self):
        """An old library that does not know the rate of the host's counter has times of a different
        clock."""
        self.play(["sleep 2", "api 10 70001 1 aclnnOp 100000 1000",
                   "api 10 70001 1 early -9000000000000 1000"], ":activities=acl_api")
        self.assertEqual(self.records_of(self.result(), "api_call"), 1)
        self.assertIn("1 records have impossible times", self.log())
        info = self.json("info", self.result())[0]
        self.assertEqual(info["lost"].get("collector_dropped"), 1, info["lost"])

    def test_times_that_cannot_be(self):
        """A driver that does not know the rate of its clock has times that are a thousand times too
        large."""
        made = ["sleep 2", "kernel 0 3 1 KERNEL_AICORE mm 100000 400",
                "kernel 1 3 2 KERNEL_AICORE mm 60000000000 400"]
        self.play(made, ":activities=kernel")
        self.assertEqual(self.records_of(self.result(), "device_task"), 1)
        self.assertIn("1 records have impossible times, of device 1 too", self.log())


class AloneTest(StrobeTest):
    def test_without_cann(self):
        """A program without CANN is not recorded, and a message gives the reason."""
        self.environment.pop("ASCEND_HOME_PATH", None)
        done = self.record("true", collect=["npu_task"])
        self.assertIn("There is no MSPTI", done.stderr)

    def test_the_program_alone(self):
        """The program without Strobe, with which the other tests compare."""
        script = self.script("script", "\n".join(Script(5).lines()) + "\n")
        done = subprocess.run([PROGRAM, script], capture_output=True, text=True, timeout=TIMEOUT,
                              env={**os.environ, "ASCEND_HOME_PATH": str(HOME)})
        self.assertEqual((done.returncode, done.stdout.split()[-1]), (0, "done"))
