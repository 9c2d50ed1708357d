# SPDX-License-Identifier: Apache-2.0
"""Files of Ascend's tools as configurations of `strobe run`."""

import json
import subprocess
import unittest

import tap
from npu import PROGRAM, NpuTest, Script
from support import BUILD, PYTHON, TIMEOUT, StrobeTest, has_torch, needs_python

GC = {"gc_detect_threshold": 0}  # a collector that works in any Python process
STEPS = "import strobe, time\nfor i in range(8):\n    time.sleep(0.05)\n    strobe.step()\n"


# A profile in torch_npu's form, in a program that plays a script into the test double of MSPTI.
PROFILE = """
import ctypes, os, time
home = os.environ["ASCEND_HOME_PATH"] + "/lib64/"
ctypes.CDLL(home + "libascendcl.so", mode=ctypes.RTLD_GLOBAL)
import torch
from strobe import profiler
config = profiler._ExperimentalConfig(profiler_level=profiler.ProfilerLevel.%s, aic_metrics=
                                      profiler.AiCMetrics.AiCoreNone)
with profiler.profile(
    activities=[profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.NPU],
    on_trace_ready=profiler.tensorboard_trace_handler("out"), experimental_config=config,
):
    mspti = ctypes.CDLL(home + "libmspti.so", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
    for line in ("api 12 7 1 rtCall 0 100", "kernel 0 3 1 KERNEL_AICORE mm 0 1000"):
        assert mspti.mspti_double_play(line.encode(), ctypes.c_uint64(time.time_ns())) == 0
    time.sleep(0.2)
"""


class DeviceTest(NpuTest):
    """Requests for device data reach npu_task."""

    def test_profiler_config(self):
        script = self.script("script", "\n".join(Script(50).lines()) + "\n")
        path = self.script("c.json", json.dumps({
            "activities": ["NPU"], "active": 1,
            "experimental_config": {"profiler_level": "Level1", "aic_metrics": "AiCoreNone"},
        }))
        done = self.strobe("run", "-c", path, "-o", self.out, "--", PROGRAM, script)
        self.assertNotIn("it does not support these settings", done.stderr)
        self.assertGreater(self.records_of(self.result(), "device_task"), 40)

    @needs_python
    @unittest.skipUnless(has_torch(), "no PyTorch for %s" % PYTHON)
    def test_levels_in_python(self):
        calls = {}
        for level in ("Level0", "Level2"):
            script = self.script(level + ".py", PROFILE % level)
            environment = {**self.environment, "PYTHONPATH": str(BUILD / "python")}
            done = subprocess.run([PYTHON, script], cwd=self.work, env=environment, text=True,
                                  capture_output=True, timeout=TIMEOUT)
            self.assertEqual((done.returncode, "ERROR" in done.stderr), (0, False), done.stderr)
            newest = max(self.results(), key=lambda path: path.stat().st_ctime_ns)
            self.assertEqual(self.records_of(newest, "device_task"), 1)
            calls[level] = self.records_of(newest, "api_call")
            # If there is a device, there is no file for TensorBoard.
            self.assertEqual(list(self.out.glob("*.pt.trace.json*")), [])
        self.assertEqual(calls, {"Level0": 0, "Level2": 1})


@tap.once_test
class AscendConfigTest(StrobeTest):
    def config(self, value, name="profiler_config.json"):
        return self.script(name, json.dumps(value))

    def run_with(self, value, *command, name="profiler_config.json", **options):
        path = self.config(value, name)
        return self.strobe("run", "-c", path, "-o", self.out, "--", *command, **options)

    def steps(self):
        return ("/usr/bin/python3", self.script("steps.py", STEPS))

    @needs_python
    def test_profiler_config(self):
        done = self.run_with(
            {
                "activities": ["CPU"], "prof_dir": "elsewhere", "analyse": True,
                "record_shapes": "yes", "active": 2, "warmup": 1, "start_step": 3,
                "metadata": {"job": 7},
                "experimental_config": {**GC, "host_sys": ["cpu"], "profiler_level": "Level1"},
            },
            *self.steps(),
        )
        self.assertIn('key "record_shapes": expected true or false, found "yes"', done.stderr)
        self.assertIn("it is reset to false", done.stderr)
        result = self.result()  # -o overrides prof_dir
        self.assertFalse((self.work / "elsewhere").exists())
        self.assertEqual(self.records_of(result, "step"), 2)
        self.assertGreater(self.records_of(result, "host_cpu"), 0)
        config = json.loads((result / "profiler_info.json").read_text())["config"]
        self.assertEqual(config["common_config"]["activities"], ["ProfilerActivity.CPU"])
        self.assertEqual(config["common_config"]["schedule"]["skip_first"], 3)
        self.assertEqual(config["experimental_config"]["_profiler_level"], "Level1")
        metadata = json.loads((result / "profiler_metadata.json").read_text())
        self.assertEqual(metadata["job"], 7)
        self.assertTrue((result / "ASCEND_PROFILER_OUTPUT").is_dir())

    @needs_python
    def test_not_analysed_at_once(self):
        wanted = {"activities": ["CPU"], "active": 1, "experimental_config": GC}
        self.run_with(wanted, *self.steps())
        trace = self.result() / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"
        self.assertFalse(trace.exists())
        self.strobe("analyse", self.result())
        self.assertTrue(trace.exists())

    @needs_python
    def test_ranks(self):
        wanted = {"activities": ["CPU"], "active": 1, "is_rank": True, "rank_list": [1, 3],
                  "experimental_config": GC}
        self.environment["RANK"] = "2"
        done = self.run_with(wanted, *self.steps())
        self.assertIn("this is rank 2, which the configuration leaves out", done.stderr)
        self.assertEqual(self.results(), [])
        self.environment["RANK"] = "3"
        self.run_with(wanted, *self.steps())
        self.assertTrue((self.result() / "profiler_info_3.json").exists())

    @needs_python
    def test_acl(self):
        wanted = {"switch": "on", "host_sys": "cpu,mem", "sys_io_sampling_freq": 50}
        command = ("--collect", "gc", "--", *self.steps())
        path = self.config({"profiler": wanted, "dump": {"dump_path": "x"}}, "acl.json")
        self.strobe("run", "-c", path, "-o", self.out, *command)
        info = self.json("info", self.result())[0]
        self.assertGreater(self.records_of(self.result(), "host_mem"), 0)
        self.assertIn("npu_task", json.dumps(info))

    def test_what_the_collector_lacks_is_told(self):
        path = self.config(
            {"collectors": {"fake": {"threads": 0, "records": 5,
                                     "optional": {"seed": 3, "colour": "red", "fail": "nowhere"}}}},
            "own.json",
        )
        done = self.strobe("run", "-c", path, "-o", self.out, "--", "true")
        self.assertIn("collector fake: it does not support these settings: colour", done.stderr)
        self.assertIn('option "fail"', done.stderr)
        self.assertNotIn("seed", done.stderr)

    def test_refused(self):
        for value, says in (
            ({"profiler": {"switch": "off"}}, "asks for no profile"),
            ({"profiler": {"switch": "on", "l3": "on"}}, 'did you mean "l2"'),
            ({"active": 1, "collectors": {}}, "not a mixture"),
        ):
            done = self.run_with(value, "touch", self.work / "ran", code=3)
            self.assertIn(says, done.stderr)
            self.assertFalse((self.work / "ran").exists())

    def test_booleans_of_json(self):
        for value, code in (("yes", 3), ("true", 3), (1, 3), (True, 0)):
            with self.subTest(value):
                collectors = {"fake": {"threads": 0, "records": 1, "bulk": value}}
                done = self.run_with({"collectors": collectors}, "true", name="c.json", code=code)
                if code:
                    self.assertIn(
                        'option "bulk" of collector fake: expected true or false, found %s'
                        % json.dumps(value), done.stderr,
                    )

    def test_texts_of_flags_are_booleans(self):
        for value in ("yes", "on", "1", "true"):
            self.record(collect=["fake:threads=0,records=1,bulk=" + value])
        self.record(collect=["fake:threads=0,records=1,bulk=perhaps"], code=3)
