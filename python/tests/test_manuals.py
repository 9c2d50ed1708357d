# SPDX-License-Identifier: Apache-2.0
"""Items of the manuals that no other test covers; see docs/ascend-parity.md."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import unittest
from unittest import mock

from support import FolderTest, messages, needs_torch, results, torch
from strobe import profiler
from strobe.profiler import dynamic_config, dynamic_log

CPU = [profiler.ProfilerActivity.CPU]
# The constants that the manual lists.
CONSTANTS = {
    profiler.ProfilerLevel: {
        "Level0": "Level0", "Level1": "Level1", "Level2": "Level2", "Level_none": "Level_none",
    },
    profiler.AiCMetrics: {
        "PipeUtilization": "ACL_AICORE_PIPE_UTILIZATION",
        "ArithmeticUtilization": "ACL_AICORE_ARITHMETIC_UTILIZATION",
        "Memory": "ACL_AICORE_MEMORY_BANDWIDTH",
        "MemoryL0": "ACL_AICORE_L0B_AND_WIDTH",
        "MemoryUB": "ACL_AICORE_MEMORY_UB",
        "ResourceConflictRatio": "ACL_AICORE_RESOURCE_CONFLICT_RATIO",
        "L2Cache": "ACL_AICORE_L2_CACHE",
        "MemoryAccess": "ACL_AICORE_MEMORY_ACCESS",
        "AiCoreNone": "ACL_AICORE_NONE",
    },
    profiler.ExportType: {"Text": "text", "Db": "db"},
    profiler.HostSystem: {
        "CPU": "cpu", "MEM": "mem", "DISK": "disk", "NETWORK": "network", "OSRT": "osrt",
        "NUMA": "numa",
    },
}
# The keys of profiler_config.json and of its experimental_config.
KEYS = {
    "activities", "prof_dir", "analyse", "async_mode", "record_shapes", "profile_memory",
    "with_stack", "with_flops", "with_modules", "active", "warmup", "start_step", "is_rank",
    "rank_list", "experimental_config",
}
EXPERIMENTAL_KEYS = {
    "profiler_level", "aic_metrics", "l2_cache", "op_attr", "gc_detect_threshold",
    "data_simplification", "record_op_args", "export_type", "mstx", "mstx_domain_include",
    "mstx_domain_exclude", "host_sys", "sys_io", "sys_interconnection", "msprof_tx",
}


class Constants(unittest.TestCase):
    def test_constants(self):
        for kind, expected in CONSTANTS.items():
            found = {name: value for name, value in vars(kind).items() if not name.startswith("_")}
            self.assertEqual(found, expected)


class Windows(FolderTest):
    """Profiles that end within a cycle; these tests do not need PyTorch."""

    def run_steps(self, n, **cycle):
        """Runs n steps; returns the names of the results, and the messages."""
        self.ready = []
        with messages() as told:
            schedule = profiler.schedule(**cycle)
        with messages() as told, profiler.profile(
            activities=CPU, schedule=schedule, on_trace_ready=lambda prof: self.ready.append(prof.step_num)
        ) as prof:
            for _ in range(n):
                prof.step()
        return results(self.folder), [text for _, text in told]

    def test_end_in_a_warm_up(self):
        found, told = self.run_steps(1, wait=1, warmup=2, active=1)
        self.assertEqual((found, self.ready), ([], []))
        self.assertEqual(told, ["Incorrect schedule: Stop profiler while current state is WARMUP which "
                                "will result in empty parsed data."])

    def test_end_in_a_recording(self):
        found, told = self.run_steps(1, wait=0, warmup=1, active=2)
        self.assertEqual((len(found), self.ready), (1, [1]))
        self.assertEqual(told, ["Incorrect schedule: Stop profiler while current state is RECORD which "
                                "may result in incomplete parsed data."])

    def test_end_at_a_save(self):
        found, told = self.run_steps(2, wait=0, warmup=1, active=2)
        self.assertEqual((len(found), self.ready), (1, [2]))
        self.assertEqual(told, ["Stop profiler while current state is RECORD_AND_SAVE, perhaps the "
                                "scheduling cycle has not yet completed."])

    def test_endless_single_steps(self):
        found, _ = self.run_steps(2, wait=0, warmup=0, active=1)
        self.assertEqual((len(found), self.ready), (3, [1, 2, 2]))

    def test_step_before_the_start(self):
        with messages():
            prof = profiler.profile(
                activities=CPU, schedule=profiler.schedule(wait=2, warmup=0, active=1, repeat=1))
            prof.step()
            prof.step()
        self.assertEqual((prof.step_num, prof.current_action.name), (2, "RECORD_AND_SAVE"))

    def test_stop_without_a_start(self):
        called = []
        with messages() as told:
            prof = profiler.profile(activities=CPU, on_trace_ready=called.append)
            prof.stop()
            prof.stop()
        self.assertEqual((called, told, os.listdir(self.folder)), ([], [], []))


class Result(FolderTest):
    def record(self, prof=None):
        prof = prof or profiler.profile(activities=CPU, on_trace_ready=lambda prof: None)
        with messages() as told, prof:
            pass
        if torch:  # without PyTorch, cpu_op prints a warning
            self.assertEqual(told, [])
        return results(self.folder)[-1]

    def test_time_in_the_name(self):
        with mock.patch.dict("os.environ", TZ="XYZ-13:07"):
            time.tzset()
            self.addCleanup(time.tzset)
            before, result, after = time.time(), self.record(), time.time()
            digits = result.rsplit("_", 3)[1]
            self.assertRegex(digits, r"\A\d{17}\Z")
            at = time.mktime(time.strptime(digits[:14], "%Y%m%d%H%M%S")) + int(digits[14:]) / 1000
        self.assertTrue(before - 0.002 < at < after, (before, at, after))

    def test_clocks_of_the_info(self):
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW), time.time_ns()
        with open(os.path.join(self.record(), "profiler_info.json")) as file:
            info = json.load(file)
        after = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW), time.time_ns()
        self.assertEqual(list(info["start_info"]),
                         ["syscnt_enable", "freq", "start_cnt", "start_monotonic"])
        self.assertEqual((info["start_info"]["syscnt_enable"], info["start_info"]["freq"]), (False, 100))
        self.assertEqual(list(info["end_info"]), ["collectionTimeEnd", "MonotonicTimeEnd"])
        raw = [before[0], info["start_info"]["start_monotonic"], info["end_info"]["MonotonicTimeEnd"],
               after[0]]
        self.assertEqual(raw, sorted(raw))
        self.assertTrue(before[1] < info["end_info"]["collectionTimeEnd"] < after[1])

    def test_metadata_are_utf_8(self):
        prof = profiler.profile(activities=CPU, on_trace_ready=lambda prof: None)
        prof.add_metadata("größe", "\u4e2d")
        with open(os.path.join(self.record(prof), "profiler_metadata.json"), "rb") as file:
            self.assertIn('"größe": "\u4e2d"'.encode(), file.read())

    def test_metadata_in_the_trace(self):
        handler = profiler.tensorboard_trace_handler(self.folder)
        with profiler.profile(activities=CPU, on_trace_ready=handler) as prof:
            prof.add_metadata("run", "first")
            prof.add_metadata_json("sizes", "[1, 2]")
            with profiler.record_function("a range"):
                pass
        (name,) = [name for name in os.listdir(self.folder) if name.endswith(".pt.trace.json")]
        with open(os.path.join(self.folder, name)) as file:
            trace = json.load(file)
        self.assertEqual((trace["run"], trace["sizes"]), ("first", [1, 2]))
        self.assertRegex(trace["trace_id"], r"\A[0-9A-F]{32}\Z")
        self.assertEqual(trace["trace_id"], prof.get_trace_id())

    def test_job_of_the_environment(self):
        """The trace has the job's variables, as in Kineto, with their values from before the
        program began."""
        job = {"PT_PROFILER_JOB_NAME": 'a "job"', "PT_PROFILER_JOB_VERSION": "3",
               "PT_PROFILER_JOB_ATTEMPT_INDEX": "7"}
        done = self.run_python("from strobe import profiler\n"
                               "with profiler.profile(activities=[profiler.ProfilerActivity.CPU],\n"
                               "        on_trace_ready=profiler.tensorboard_trace_handler('.')):\n"
                               "    with profiler.record_function('a range'): pass\n", **job)
        self.assertEqual(done.returncode, 0, done.stderr)
        (name,) = [name for name in os.listdir(self.folder) if name.endswith(".pt.trace.json")]
        with open(name) as file:
            trace = json.load(file)
        self.assertEqual({key: trace.get(key) for key in job}, job)

    @needs_torch
    def test_trace_of_a_database(self):
        config = profiler._ExperimentalConfig(export_type="db")
        with messages() as told, profiler.profile(activities=CPU, experimental_config=config) as prof:
            torch.ones(1).mul(2)
        prof.export_chrome_trace("trace.json")
        with open("trace.json") as file:
            self.assertIn("aten::mul", file.read())
        self.assertEqual(told, [])

    def test_analyse_in_a_daemonic_process(self):
        result = self.record()
        process = multiprocessing.get_context("spawn").Process(
            target=profiler.analyse, args=(result,), daemon=True)
        process.start()
        process.join()
        self.assertEqual(process.exitcode, 0)
        self.assertIn("analyse.done", os.listdir(os.path.join(result, "ASCEND_PROFILER_OUTPUT")))


class DynamicFile(FolderTest):
    """profiler_config.json."""

    def parse(self, **values):
        with messages() as told:
            config = dynamic_config.parse(json.dumps({"active": 1, **values}), "c.json")
            made = config.make_profile(0)
        self.told = [text for _, text in told if "warmup" not in text and "no CANN" not in text]
        return config, made

    def test_keys_of_the_file(self):
        dynamic_config.write_template("c.json")
        with open("c.json") as file:
            text = file.read()
        values = json.loads(text)
        self.assertLessEqual(KEYS, set(values))
        self.assertLessEqual(EXPERIMENTAL_KEYS, set(values["experimental_config"]))
        self.assertEqual(text, json.dumps(values, indent=4) + "\n")
        self.parse(**values)
        self.assertEqual(self.told, [])
        self.parse(metadata={}, experimental_config={"msprof_tx": False})
        self.assertEqual(self.told, [])

    def test_activities_of_the_file(self):
        names = {"cpu": {"CPU"}, "Npu": {"NPU"}, "GPU": {"CPU", "NPU"}}
        for name, expected in names.items():
            _, made = self.parse(activities=[name])
            self.assertEqual({each.name for each in made.activities}, expected)
        self.assertIn('activities: expected CPU or NPU, found "GPU"; left out', self.told[0])

    def test_async_without_analyse(self):
        self.parse(async_mode=True)
        self.assertEqual(self.told, ["c.json: async_mode has no effect without analyse"])

    def test_analyse_of_ranks(self):
        config, _ = self.parse(analyse=True, is_rank=True, rank_list=[0])
        self.assertFalse(config.analyse)
        self.assertIn("analyse needs async_mode where is_rank is set", self.told[0])
        config, _ = self.parse(analyse=True, async_mode=True, is_rank=True, rank_list=[0])
        self.assertEqual((config.analyse, self.told), (True, []))

    def test_metrics_of_the_file(self):
        """A metric in the file is named as its constant; without one, no metric is set at any
        level."""
        for level in CONSTANTS[profiler.ProfilerLevel]:
            _, made = self.parse(experimental_config={"profiler_level": level, "mstx": True})
            self.assertEqual(made.experimental_config._profiler_level, level)
            self.assertEqual(made.experimental_config._aic_metrics, "ACL_AICORE_NONE")
        _, made = self.parse(experimental_config={"profiler_level": "Level2", "aic_metrics": "Memory"})
        self.assertEqual(made.experimental_config._aic_metrics, "ACL_AICORE_MEMORY_BANDWIDTH")
        _, made = self.parse()
        self.assertEqual(made.experimental_config._profiler_level, "Level0")

    def test_log_of_the_dynamic_profile(self):
        log = dynamic_log.open_log("log", 3)
        for number in range(3000):
            log.info("line %d %s", number, "x" * 200)
        names = sorted(os.listdir("log"))
        self.assertEqual(len(names), 2)
        self.assertRegex(names[0], r"\Adp_.+_%d_rank_3\.log\Z" % os.getpid())
        self.assertEqual(names[1], names[0] + ".1")
        self.assertTrue(all(os.path.getsize(os.path.join("log", name)) <= 200 * 1024 for name in names))
        with open(os.path.join("log", names[0])) as file:
            last = file.read().splitlines()[-1]
        self.assertRegex(last, r"\A\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} \[INFO\] \[%d\] \S+: line 2999 x+\Z"
                         % os.getpid())
        for handler in log.handlers:
            handler.close()

    def test_after_a_kill(self):
        """After a process was killed, the next one can profile."""
        script = self.write("script.py", "import sys\nfrom strobe.profiler import dynamic_profile as dp\n"
                            "dp.init('.')\nprint('ready', flush=True)\nsys.stdin.read()\n")
        killed = subprocess.Popen([sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.assertEqual(killed.stdout.readline(), b"ready\n")
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        done = self.run_python(
            "from strobe.profiler import dynamic_profile as dp\ndp.init('.')\ndp.start()\ndp.step()\n")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("ERROR", done.stderr)
        self.assertEqual(len(results(self.folder)), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
