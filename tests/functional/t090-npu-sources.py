# SPDX-License-Identifier: Apache-2.0
"""The result names the sources of an NPU's records: the devices, and the tool that gets the
program's marks."""

import json

from aclprof import AclprofTest
from npu import PROGRAM, NpuTest
from support import BUILD


class DevicesTest(AclprofTest):
    def test_the_one_of_the_thread(self):
        self.environment["ACL_DOUBLE"] = "devices=4,current=3"
        self.play(launches=0)
        devices = self.metadata()["npu_task.devices"]
        self.assertTrue(devices.startswith("3: "), devices)
        self.assertIn("on other devices is not recorded", devices)

    def test_all(self):
        self.environment["ACL_DOUBLE"] = "devices=3"
        self.play(launches=0)
        self.assertTrue(self.metadata()["npu_task.devices"].startswith("0,1,2: all"))

    def test_more_than_there_may_be(self):
        self.environment["ACL_DOUBLE"] = "devices=80"
        self.play(launches=0)
        self.assertIn(",63: all", self.metadata()["npu_task.devices"])


class ShapesTest(AclprofTest):
    """Level0 has shapes if CANN is new enough."""

    def masks(self, wrong):
        _, calls = self.play("profiler_level=Level0,details=shapes", launches=0, wrong=wrong)
        self.assertIn("start same", calls)
        return [line.split()[3] for line in calls if line.startswith("create")]

    def test_new(self):
        self.assertEqual(self.masks(""), ["0x800000801"])

    def test_old(self):
        self.environment["ACLPROF_DOUBLE"] = "old"
        self.record(BUILD / "tests/functional/aclprof-program", 0, 2000, 0,
                    collect=["npu_task:backend=aclprof,profiler_level=Level0,details=shapes"])
        calls = self.calls_file.read_text().splitlines()
        self.assertEqual([line.split()[3] for line in calls if line.startswith("create")],
                         ["0x800000801", "0x801"])
        self.assertIn("start same", calls)
        self.assertIn("Shapes are not recorded", self.log())


class MemoryAccessTest(AclprofTest):
    """PipeUtilization is recorded if CANN or the device does not know the metrics of
    MemoryAccess."""

    OPTIONS = "profiler_level=Level1,aic_metrics=MemoryAccess"

    def test_metrics_that_are_known(self):
        _, calls = self.play(self.OPTIONS, launches=0)
        self.assertEqual([line.split()[2] for line in calls if line.startswith("create")], ["8"])
        self.assertNotIn("npu_task.aic_metrics", self.metadata())

    def test_metrics_that_are_refused(self):
        self.environment["ACLPROF_DOUBLE"] = "old"
        self.record(BUILD / "tests/functional/aclprof-program", 0, 2000, 0,
                    collect=["npu_task:backend=aclprof," + self.OPTIONS])
        calls = self.calls_file.read_text().splitlines()
        self.assertEqual([line.split()[2] for line in calls if line.startswith("create")],
                         ["8", "1"])
        self.assertIn("start same", calls)
        self.assertEqual(self.metadata()["npu_task.aic_metrics"], "PipeUtilization")
        self.assertIn("aic_metrics=MemoryAccess is not known to this CANN or device", self.log())


class ConfigurationTest(AclprofTest):
    """The keys of profiler_config.json reach CANN."""

    def test_what_cann_is_asked_for(self):
        path = self.script("c.json", json.dumps({
            "activities": ["NPU"], "active": 1, "experimental_config": {
                "profiler_level": "Level1", "aic_metrics": "PipeUtilization", "mstx": True,
                "sys_io": True, "sys_interconnection": True, "host_sys": ["cpu", "numa"]},
        }))
        self.strobe("run", "-c", path, "-o", self.out, "--", BUILD /
                    "tests/functional/aclprof-program", 0, 2000, 0)
        calls = self.calls_file.read_text().splitlines()
        create, = [line.split() for line in calls if line.startswith("create")]
        self.assertEqual(create[2:], ["1", "0xa7"])
        for setting in ("set 5 100", "set 6 50", "set 8 numa"):
            self.assertIn(setting, calls)


class MarksTest(NpuTest):
    SCRIPT = ["sleep 50", "range forward 0", "sleep 2", "end",
              "marker 2 0 7 4711 70001 mine train 30000000",
              "marker 4 0 7 4711 70001 - - 40000000"]

    def marked(self, tool, collect=()):
        if tool:
            self.environment["MSTX_INJECTION_PATH"] = str(tool)
        script = self.script("script", "\n".join(self.SCRIPT) + "\n")
        self.record(PROGRAM, script, collect=["npu_task:profiler_level=Level_none", *collect])
        return self.records_of(self.result(), "marker")

    def test_no_tool(self):
        self.assertEqual(self.marked(None), 1)
        self.assertNotIn("MSTX_INJECTION_PATH", self.log())

    def test_strobe_s_tool_without_its_collector(self):
        """Marks that MSPTI gets in any case are kept, and a message says that the others are
        missing."""
        self.assertEqual(self.marked(BUILD / "plugins" / "marker.so"), 1)
        self.assertIn('collect "marker" too', self.log())

    def test_another_tool(self):
        self.assertEqual(self.marked("/opt/other.so"), 1)
        self.assertIn('MSTX_INJECTION_PATH="/opt/other.so" receives the program\'s marks', self.log())

    def test_with_the_collector(self):
        self.marked(None, ["marker"])
        self.assertNotIn("MSTX_INJECTION_PATH", self.log())


if __name__ == "__main__":
    import unittest

    unittest.main()
