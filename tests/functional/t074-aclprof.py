# SPDX-License-Identifier: Apache-2.0
"""npu_task's backend aclprof with a strict test double of CANN's library: the requests, their
order, and the reaction to refusals and faults."""

import shutil

from aclprof import HOME, AclprofTest
import tap
from support import BUILD

REQUIRED = ["aclprofInit", "aclprofFinalize", "aclprofSetConfig", "aclprofCreateConfig",
            "aclprofDestroyConfig", "aclprofStart", "aclprofStop"]
# plugins/npu_task/test-aclprof.c tests every configuration; here they go through the command.
EVERYTHING = ("storage_limit=300MB,task_memory=true,hardware_mem_freq=7,llc_mode=read,sys_io=true,"
              "sys_interconnection=true,sys_interconnection_freq=9,dvpp_freq=100,l2_cache=true,"
              "op_attr=true,msproftx=true,host_sys=cpu+mem+disk+network+osrt+numa,"
              "host_sys_usage=cpu+mem,low_power_freq=2,sys_cpu_freq=50,aic_metrics=MemoryUB,"
              "profiler_level=Level2")
SETTINGS = ["1 300MB", "4 read", "3 7", "5 100", "6 9", "7 100", "11 2", "13 50",
            "8 cpu,mem,disk,network,osrt,numa", "9 cpu,mem", "10 50"]


class ConfigurationTest(AclprofTest):
    def created(self, options, **others):
        """The devices, the metrics and the mask that were requested."""
        shutil.rmtree(self.out, ignore_errors=True)
        _, calls = self.play(options, launches=0, flags=["--export", "csv"], **others)
        create, = [line.split() for line in calls if line.startswith("create")]
        return create[1], int(create[2]), int(create[3], 16)

    def test_metrics_need_a_level(self):
        self.assertEqual(self.created("profiler_level=Level0,aic_metrics=Memory")[1:],
                         (255, 0x801))
        self.assertIn("aic_metrics=Memory is ignored", self.log())

    def test_everything_in_order(self):
        _, calls = self.play(EVERYTHING, launches=0)
        self.assertEqual(calls[1:12], ["set " + text for text in SETTINGS])
        self.assertEqual([calls[0].split()[0]] + calls[12:],
                         ["init", "create 0,1 5 0x51bf", "start same", "stop same 0",
                          "destroy same", "finalize"])

    def test_devices(self):
        self.assertEqual(self.created("")[0], "0,1")
        self.environment["ACL_DOUBLE"] = "devices=80"
        self.assertEqual(self.created("")[0], ",".join(map(str, range(64))))
        self.environment["ACL_DOUBLE"] = "devices=4,current=3"
        self.assertEqual(self.created("")[0], "3")

    def test_refused_by_strobe(self):
        for options in ("sys_io_freq=101", "sys_interconnection_freq=51", "host_sys=gpu",
                        "aic_metrics=Pipe", "llc_mode=both", "dvpp_freq=-1"):
            with self.subTest(options=options):
                done = self.record("true", collect=["npu_task:" + options], code=3)
                self.assertIn(options.split("=")[0], done.stderr)


class LifeTest(AclprofTest):
    def test_waits_for_the_program(self):
        """The window begins before AscendCL is initialised."""
        _, calls = self.play(before=150)
        self.assertEqual(calls[0].split()[0], "init")
        self.assertEqual((self.folder() / "host" / "data" / "simulated.launches").read_text()
                         .count("\n"), 3)

    def test_never_initialised(self):
        self.environment["ACL_DOUBLE"] = "devices=0"
        _, calls = self.play(within=100)
        self.assertEqual(calls, [])
        self.assertIn("No NPU tasks are recorded", self.log())

    def test_synchronizes(self):
        _, calls = self.play("synchronize=true")
        self.assertIn("stop same 1", calls)
        self.assertEqual(calls[-1], "finalize")

    def test_says_what_it_is(self):
        self.play("profiler_level=Level2")
        metadata = self.metadata()
        self.assertEqual(metadata["npu_task.backend"], "aclprof")
        self.assertEqual(metadata["npu_task.aclprof"], "mask=0x12f, metrics=1")
        self.assertEqual(metadata["external_data"], self.folder().name)
        self.assertIn("external_data", metadata["npu_task.absent"])
        self.assertEqual(metadata["npu_task.library"], str(HOME / "lib64" / "libmsprofiler.so"))

    def test_auto(self):
        """aclprof is selected if an option requests data that only aclprof has."""
        for options, backend in ((":backend=auto,sys_io=true", "aclprof"),
                                 (":backend=auto,aic_metrics=Memory", "aclprof"),
                                 (":backend=auto,host_sys=cpu", "aclprof"),
                                 (":backend=auto,details=comm_tasks", "aclprof"),
                                 (":backend=auto", None), (":backend=auto,aic_metrics=none", None)):
            with self.subTest(options=options):
                shutil.rmtree(self.out, ignore_errors=True)
                self.record(BUILD / "tests/functional/aclprof-program", 0, 2000, 1,
                            collect=["npu_task" + options], flags=["--export", "csv"])
                # There is no MSPTI here.
                self.assertEqual(self.metadata().get("npu_task.backend"), backend)

    def test_not_asked_for_in_vain(self):
        self.record(BUILD / "tests/functional/aclprof-program", 0, 2000, 1,
                    collect=["npu_task:l2_cache=true"], flags=["--export", "csv"])
        self.assertIn("l2_cache is not recorded: only aclprof can", self.log())


class ObstacleTest(AclprofTest):
    def setUp(self):
        super().setUp()
        self.home = self.work / "cann"
        (self.home / "lib64").mkdir(parents=True)
        self.restore()
        self.environment["ASCEND_HOME_PATH"] = str(self.home)

    def restore(self):
        shutil.copy(HOME / "lib64" / "libmsprofiler.so", self.home / "lib64")

    def refused(self, message, **options):
        """The program runs to its end, the other collectors record, and a message gives the
        reason."""
        shutil.rmtree(self.out, ignore_errors=True)
        done, calls = self.play(collect=["gc"], **options)
        self.assertIn(message, done.stderr + self.log())
        self.assertEqual(self.rows("device_task") if "device_task" in
                         self.json("info", self.result())[0]["kinds"] else [], [])
        return calls

    def test_under_msprof(self):
        self.environment["PROFILER_SAMPLECONFIG"] = "{}"
        self.assertEqual(self.refused("PROFILER_SAMPLECONFIG is set"), [])

    @tap.long_test
    def test_each_function_missing(self):
        for symbol in REQUIRED:
            with self.subTest(symbol=symbol):
                path = self.home / "lib64" / "libmsprofiler.so"
                name = b"\0" + symbol.encode() + b"\0"
                data = path.read_bytes()
                self.assertIn(name, data)
                path.write_bytes(data.replace(name, b"\0x" + symbol.encode()[1:] + b"\0"))
                self.assertEqual(self.refused("has no function " + symbol), [])
                self.restore()

    def test_no_library(self):
        (self.home / "lib64" / "libmsprofiler.so").unlink()
        self.refused("there is no %s/lib64/libmsprofiler.so" % self.home)

    def test_no_library_at_all(self):
        (self.home / "lib64" / "libmsprofiler.so").write_bytes(b"no library")
        self.refused("cannot be loaded")

    def test_it_aborts(self):
        self.refused("loading it ended the process that tried", wrong="abort")

    def test_each_call_failing(self):
        """Whichever call fails, the earlier ones are undone, and the program does not notice."""
        expected = {
            "init": ["init"],
            "create": ["init", "create", "finalize"],
            "start": ["init", "create", "start", "destroy", "finalize"],
            "stop": ["init", "create", "start", "stop", "destroy", "finalize"],
            "destroy": ["init", "create", "start", "stop", "destroy", "finalize"],
            "finalize": ["init", "create", "start", "stop", "destroy", "finalize"],
        }
        for call, calls in expected.items():
            with self.subTest(call=call):
                noted = self.refused("aclprofCreateConfig takes neither" if call == "create"
                                     else "code=500005", wrong="fail=%s:500005" % call)
                self.assertEqual([line.split()[0] for line in noted], calls)

    def test_each_code(self):
        for code, text in {100010: "does not accept this configuration", 100042: "is already running",
                           100043: "no profiler runs", 148046: "already subscribed",
                           148047: "another profiler is attached", 200007: "does not support",
                           500005: "the profiling itself failed", 7: "an error of CANN"}.items():
            with self.subTest(code=code):
                self.refused("aclprofStart: code=%d" % code, wrong="fail=start:%d" % code)
                self.assertIn(text, self.log())

    def test_a_setting_that_is_refused(self):
        """The setting is left out, and everything else is recorded."""
        _, calls = self.play("sys_io=true", wrong="fail=set:200007")
        self.assertEqual([line.split()[0] for line in calls],
                         ["init", "set", "create", "start", "stop", "destroy", "finalize"])
        self.assertIn('aclprofSetConfig does not take 5="100"', self.log())

    def test_no_folder(self):
        self.play(wrong="nofolder")
        self.assertIn("aclprof has made no folder PROF_*", self.log())
        self.assertIsNone(self.external())


if __name__ == "__main__":
    import unittest

    unittest.main()
