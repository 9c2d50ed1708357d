# SPDX-License-Identifier: Apache-2.0
import unittest
from unittest import mock

from support import messages, needs_torch
from strobe import message, profiler
from strobe.profiler import ProfilerActivity, _ExperimentalConfig, activity, parameters
from strobe.profiler import torch_style
from strobe.profiler.events import FunctionEvent


_NO_DEVICE = {
    "ProfilerActivity.%s has no effect: ASCEND_HOME_PATH is not set, there is no CANN." % name
    for name in ("NPU", "CUDA")
}


def _experimental(*args, **kwargs):
    with messages() as told:
        return _ExperimentalConfig(*args, **kwargs), told


def _texts(told):
    return [text for _, text in told]


_NO_METRICS = (
    "Please use level1 or level2 if you want to collect aic metrics, reset aic metrics to None!"
)


class Names(unittest.TestCase):
    def test_sets(self):
        self.assertEqual(len(profiler.supported_profiler_level()), 4)
        self.assertEqual(len(profiler.supported_ai_core_metrics()), 9)
        self.assertEqual(profiler.supported_export_type(), {"text", "db"})
        self.assertEqual(
            profiler.supported_activities(), {ProfilerActivity.CPU, ProfilerActivity.NPU}
        )

    def test_values(self):
        self.assertEqual(profiler.AiCMetrics.MemoryL0, "ACL_AICORE_L0B_AND_WIDTH")
        self.assertEqual(profiler.ProfilerLevel.Level_none, "Level_none")
        self.assertEqual(profiler.HostSystem.NUMA, "numa")
        self.assertEqual(profiler.ExportType.Db, "db")
        self.assertEqual([a.value for a in profiler.ProfilerAction], [0, 1, 2, 3, 4])

    def test_activity_text(self):
        self.assertEqual(str(ProfilerActivity.CPU), "ProfilerActivity.CPU")
        self.assertEqual(str(ProfilerActivity.NPU), "ProfilerActivity.NPU")
        names = {"CPU", "NPU", "CUDA", "XPU", "MTIA", "HPU", "PrivateUse1"}
        self.assertEqual(set(ProfilerActivity.__members__), names)

    def test_imports(self):
        import strobe.profiler
        from strobe.profiler import profile, schedule, tensorboard_trace_handler
        from strobe.profiler.profiler import analyse

        self.assertIs(strobe.profiler.profile, profile)
        self.assertIs(analyse, profiler.analyse)
        self.assertTrue(callable(schedule) and callable(tensorboard_trace_handler))
        for name in profiler.__all__:
            self.assertTrue(hasattr(profiler, name), name)


class Activities(unittest.TestCase):
    def test_default(self):
        with messages() as told:
            for value in (None, [], ()):
                self.assertEqual(
                    parameters.check_activities(value), profiler.supported_activities()
                )
        self.assertEqual(told, [])

    def test_one_bad_resets_all(self):
        with messages() as told:
            found = parameters.check_activities([ProfilerActivity.CPU, "NPU"])
        self.assertEqual(found, profiler.supported_activities())
        self.assertEqual(
            told,
            [
                (
                    "WARNING",
                    "Invalid activities, only CPU and NPU are supported, reset it to default.",
                )
            ],
        )

    def test_not_iterable(self):
        self.assertRaises(TypeError, profiler.profile, activities=1)

    @needs_torch
    def test_of_torch(self):
        from torch.profiler import ProfilerActivity as Theirs

        with messages():
            found = parameters.check_activities([Theirs.CPU, Theirs.CUDA])
        self.assertEqual(found, {ProfilerActivity.CPU, ProfilerActivity.CUDA})

    def test_device_names(self):
        """The device has the name of the activity that was requested, whichever collector records
        it."""
        every = list(ProfilerActivity)
        self.assertIsNone(activity.device_name([ProfilerActivity.CPU]))
        self.assertEqual(activity.device_name(profiler.supported_activities()), "npu")
        self.assertEqual(activity.device_name(every), "cuda")
        for each in every[1:-1]:
            self.assertEqual(activity.device_name([each]), each.name.lower())
        self.assertEqual(
            activity.device_name([ProfilerActivity.PrivateUse1]), torch_style.privateuse1_name()
        )

    def test_filters(self):
        cpu, cuda = ProfilerActivity.CPU, ProfilerActivity.CUDA
        given = [{cpu: ["CPU_OP"]}, {cuda: ["GPU_MEMCPY", "NONSENSE"]}]
        with messages() as told, mock.patch.dict("os.environ", ASCEND_HOME_PATH="/nowhere"):
            prof = profiler.profile(activities=given, profile_memory=True, with_stack=True)
        self.assertEqual(prof.activities, {cpu, cuda})
        self.assertEqual(len(told), 1)
        self.assertIn("NONSENSE", told[0][1])
        device = torch_style.device_type("cuda")
        kept = {
            (kind, place): prof._filter.keeps(
                FunctionEvent(0, "x", 0, 0, 1, activity_type=kind, device_type=place)
            )
            for kind, place in (
                ("cpu_op", None),
                ("user_annotation", None),
                ("cuda_runtime", None),
                ("gpu_memcpy", device),
                ("kernel", device),
            )
        }
        self.assertEqual([key[0] for key, value in kept.items() if value], ["cpu_op", "gpu_memcpy"])
        self.assertNotIn("memory", _collectors_of(prof))
        self.assertNotIn("python_call", _collectors_of(prof))

    def test_device_by_another_name(self):
        """Without an NPU, an activity of any name except NPU is recorded as a device of OpenCL."""
        with mock.patch.dict("os.environ", ASCEND_HOME_PATH="/nowhere"), messages() as told:
            for each in list(ProfilerActivity)[1:]:
                self.assertIn("npu_task", _collectors_of(profiler.profile(activities=[each])))
        with mock.patch.dict("os.environ", ASCEND_HOME_PATH=""), mock.patch.object(
            parameters.opencl_layer, "is_installed", return_value=True
        ), messages() as told:
            for each in list(ProfilerActivity)[2:]:
                self.assertIn("opencl", _collectors_of(profiler.profile(activities=[each])))
            self.assertNotIn("opencl", _collectors_of(profiler.profile()))
        self.assertEqual(told, [])


def _collectors_of(prof):
    return parameters.session_config(
        prof.activities,
        prof.schedule,
        prof._switches,
        prof.experimental_config,
        "/d",
        None,
        prof._filter,
    )["collectors"]


class Profile(unittest.TestCase):
    def test_defaults_are_silent(self):
        with messages() as told:
            profiler.profile()
            profiler._KinetoProfile()
            profiler.profile(experimental_config=_ExperimentalConfig())
            profiler.profile(activities=[ProfilerActivity.CPU])
        self.assertEqual(told, [])

    def test_switches(self):
        for name in parameters.SWITCHES:
            for value in (1, 0, "True", None):
                with messages() as told:
                    prof = profiler.profile(**{name: value})
                self.assertIs(getattr(prof, name), False)
                self.assertEqual(
                    told,
                    [("WARNING", "Parameter %s is of boolean type, reset it to False." % name)],
                )

    def test_each_warning_once(self):
        with messages() as told:
            profiler.profile(
                schedule=1, on_trace_ready=2, experimental_config=3, custom_trace_id_callback=4
            )
        self.assertEqual(
            sorted(_texts(told)),
            [
                "Parameter experimental_config is an instance of _ExperimentalConfig, "
                "reset it to default.",
                "custom_trace_id_callback is not Callable, set by default.",
                "on_trace_ready is not Callable, set by default.",
                "schedule is not Callable, set by default.",
            ],
        )

    def test_use_cuda(self):
        with messages() as told:
            without = profiler.profile(activities=list(ProfilerActivity)[:3], use_cuda=False)
            both = profiler.profile(use_cuda=True)
        self.assertEqual(set(_texts(told)) - _NO_DEVICE, {"use_cuda is deprecated, use the argument "
                                                          "activities instead."})
        self.assertEqual(without.activities, {ProfilerActivity.CPU, ProfilerActivity.NPU})
        self.assertEqual(both.activities, {ProfilerActivity.CPU, ProfilerActivity.CUDA})

    def test_cross_checks(self):
        message._told.clear()
        config, _ = _experimental(gc_detect_threshold=1)
        with messages() as told:
            profiler.profile(activities=[ProfilerActivity.NPU], experimental_config=config)
        self.assertEqual(
            _texts(told),
            [
                "ProfilerActivity.NPU has no effect: ASCEND_HOME_PATH is not set, there is no CANN.",
                "GC detect will not take effect while ProfilerActivity.CPU is not set.",
            ],
        )

    def test_settings_without_effect_are_named(self):
        """Settings that need no device take effect without one; the others are named in a
        message."""
        for options in ({}, {"mstx": True, "gc_detect_threshold": 1, "record_op_args": True,
                             "host_sys": ["cpu"], "sys_io": True, "export_type": ["db"]}):
            config, _ = _experimental(**options)
            with messages() as told:
                profiler.profile(activities=[ProfilerActivity.CPU], experimental_config=config)
            self.assertEqual(_texts(told), [])
        config, _ = _experimental(profiler_level="Level1", l2_cache=True, host_sys=["mem", "numa"])
        with messages() as told:
            profiler.profile(activities=[ProfilerActivity.CPU], experimental_config=config)
        self.assertEqual(_texts(told), [
            "Experimental config will not be used while ProfilerActivity.NPU is not set: "
            "profiler_level, l2_cache, host_sys numa."])
        config, _ = _experimental(capture_overload_names=True)
        with messages() as told:
            profiler.profile(activities=[ProfilerActivity.NPU], experimental_config=config)
        self.assertEqual(_texts(told)[-1:], [
            "Experimental config will not be used while ProfilerActivity.CPU is not set: "
            "capture_overload_names."])

    def test_keyword_only(self):
        self.assertRaises(TypeError, profiler.profile, [ProfilerActivity.CPU])


class TraceId(unittest.TestCase):
    def test_default(self):
        found = parameters.trace_id(None)
        self.assertRegex(found, r"\A[0-9A-F]{32}\Z")
        self.assertNotEqual(found, parameters.trace_id(None))

    def test_callback(self):
        self.assertEqual(parameters.trace_id(lambda: "x" * 1024), "x" * 1024)

    def test_bad_callback(self):
        def fails():
            raise KeyError("x")

        for callback in (fails, lambda: 1, lambda: "x" * 1025):
            with messages() as told:
                found = parameters.trace_id(callback)
            self.assertRegex(found, r"\A[0-9A-F]{32}\Z")
            self.assertEqual(len(told), 1)


class Experimental(unittest.TestCase):
    def test_plain_default_is_silent(self):
        config, told = _experimental()
        self.assertEqual(told, [])
        self.assertEqual(config._aic_metrics, profiler.AiCMetrics.AiCoreNone)

    def test_order_of_attributes(self):
        config, _ = _experimental()
        self.assertEqual(
            list(config.settings()),
            [
                "_profiler_level",
                "_aic_metrics",
                "_l2_cache",
                "_msprof_tx",
                "_mstx",
                "_data_simplification",
                "record_op_args",
                "_export_type",
                "_host_sys",
                "_op_attr",
                "_gc_detect_threshold",
                "_mstx_domain_include",
                "_mstx_domain_exclude",
                "_sys_io",
                "_sys_interconnection",
            ],
        )

    def test_metrics_by_level(self):
        none, pipe = profiler.AiCMetrics.AiCoreNone, profiler.AiCMetrics.PipeUtilization
        cache = profiler.AiCMetrics.L2Cache
        for level in ("Level0", "Level_none"):
            for given, warns in (({}, False), ({"aic_metrics": none}, False),
                                 ({"aic_metrics": pipe}, True), ({"aic_metrics": cache}, True)):
                config, told = _experimental(profiler_level=level, mstx=True, **given)
                self.assertEqual(config._aic_metrics, none)
                self.assertEqual(_texts(told), [_NO_METRICS] * warns)
        for level in ("Level1", "Level2"):
            for given, expected in (({}, pipe), ({"aic_metrics": none}, none),
                                    ({"aic_metrics": cache}, cache)):
                config, told = _experimental(profiler_level=level, **given)
                self.assertEqual((config._aic_metrics, told), (expected, []))

    def test_bools(self):
        for name in ("l2_cache", "mstx", "op_attr", "sys_io", "sys_interconnection"):
            config, told = _experimental(**{name: 1})
            self.assertIs(getattr(config, "_" + name), False)
            self.assertEqual(_texts(told), ["Invalid parameter %s, reset it to False." % name])
        config, told = _experimental(record_op_args="x")
        self.assertEqual((config.record_op_args, len(told)), (False, 1))

    def test_data_simplification(self):
        for given, expected, n_warnings in ((None, None, 0), (False, False, 0), ("x", True, 1)):
            config, told = _experimental(data_simplification=given)
            self.assertIs(config._data_simplification, expected)
            self.assertEqual(len(told), n_warnings)

    def test_msprof_tx_is_deprecated(self):
        with self.assertWarnsRegex(UserWarning, "will be deprecated"):
            _experimental(msprof_tx=True)

    def test_level_none_needs_marks(self):
        config, told = _experimental(profiler_level="Level_none")
        self.assertEqual((config._mstx, len(told)), (True, 1))

    def test_bad_level(self):
        config, told = _experimental(profiler_level="Level9")
        self.assertEqual(config._profiler_level, "Level0")
        self.assertEqual(config._aic_metrics, profiler.AiCMetrics.AiCoreNone)
        self.assertEqual(len(told), 1)

    def test_bad_metrics(self):
        config, told = _experimental(profiler_level="Level1", aic_metrics="x")
        self.assertEqual(config._aic_metrics, profiler.AiCMetrics.PipeUtilization)
        self.assertEqual(len(told), 1)

    def test_export_type(self):
        table = [
            ("text", ["text"], 0),
            ("db", ["db"], 0),
            (["db", "text", "db"], ["db", "text"], 0),
            ("csv", ["text"], 1),
            (["text", "csv"], ["text"], 1),
            ([["text"]], ["text"], 1),
            (("text",), ["text"], 1),
            ("", ["text"], 1),
            (None, ["text"], 1),
            ([], ["text"], 1),
            (7, ["text"], 1),
        ]
        for given, expected, n_warnings in table:
            with self.subTest(given=given):
                config, told = _experimental(export_type=given)
                self.assertEqual((config._export_type, len(told)), (expected, n_warnings))

    def test_op_attr_needs_db(self):
        config, told = _experimental(op_attr=True)
        self.assertIs(config._op_attr, False)
        self.assertEqual(
            _texts(told), ["op_attr switch is invalid with export type set as text."]
        )
        config, told = _experimental(op_attr=True, export_type="db")
        self.assertEqual((config._op_attr, told), (True, []))

    def test_gc_threshold(self):
        for given in (-1, "1", float("nan"), float("inf"), [1]):
            config, told = _experimental(gc_detect_threshold=given)
            self.assertIsNone(config._gc_detect_threshold)
            self.assertEqual([level for level, _ in told], ["WARNING"])
        config, told = _experimental(gc_detect_threshold=0)
        self.assertEqual((config._gc_detect_threshold, told[0][0]), (0, "INFO"))
        for given in (1, 0.5, True):
            config, told = _experimental(gc_detect_threshold=given)
            self.assertEqual((config._gc_detect_threshold, told), (given, []))

    def test_domains(self):
        config, told = _experimental(mstx_domain_include=["a"])
        self.assertEqual((config._mstx_domain_include, len(told)), ([], 1))
        config, told = _experimental(mstx=True, mstx_domain_include=["a", "a"])
        self.assertEqual((config._mstx_domain_include, told), (["a"], []))
        config, told = _experimental(mstx=True, mstx_domain_exclude=["a", 1])
        self.assertEqual((config._mstx_domain_exclude, len(told)), ([], 1))
        config, told = _experimental(
            mstx=True, mstx_domain_include=["a"], mstx_domain_exclude=["b"]
        )
        self.assertEqual(config._mstx_domain_include, ["a"])
        self.assertEqual((config._mstx_domain_exclude, len(told)), ([], 1))

    def test_host_sys(self):
        for given, expected, n_warnings in (
            (None, [], 0),
            (["cpu", "mem", "cpu"], ["cpu", "mem"], 0),
            (["cpu", "gpu"], [], 1),
            (("cpu",), [], 1),
            ("cpu", [], 1),
            ([["cpu"]], [], 1),
        ):
            config, told = _experimental(host_sys=given)
            self.assertEqual((config._host_sys, len(told)), (expected, n_warnings), given)

    def test_order_of_messages(self):
        _, told = _experimental(
            l2_cache=1, mstx=1, record_op_args=1, profiler_level="x", op_attr=1,
            gc_detect_threshold=-1, sys_io=1, host_sys=1, export_type="",
        )
        words = [text.split()[2].rstrip(",:") for text in _texts(told)]
        self.assertEqual(
            words,
            [
                "export_type", "l2_cache", "mstx", "record_op_args", "profiler_level",
                "op_attr", "gc_detect_threshold", "sys_io", "host_sys",
            ],
        )

    def test_torch_parameters(self):
        _, told = _experimental(profiler_metrics=["x"], verbose=True)
        self.assertEqual(
            _texts(told),
            [
                "Parameter profiler_metrics of _ExperimentalConfig has no effect.",
                "Parameter verbose of _ExperimentalConfig has no effect.",
            ],
        )


class Config(unittest.TestCase):
    def _config(self, **given):
        with messages():
            prof = profiler.profile(**given)
        return parameters.session_config(
            prof.activities, prof.schedule, prof._switches, prof.experimental_config, "/d", None
        )

    def test_collectors(self):
        config = self._config(record_shapes=True)
        self.assertEqual(
            config["collectors"], {"metadata": {}, "cpu_op": {"shapes": True, "values": True}}
        )
        collectors = self._config(with_stack=True, with_flops=True)["collectors"]
        self.assertEqual(collectors["cpu_op"], {"shapes": True, "stack": True, "flops": True})
        self.assertEqual(collectors["python_call"], {})
        collectors = self._config(with_modules=True)["collectors"]
        self.assertEqual(collectors["cpu_op"], {"shapes": False, "modules": True})
        self.assertEqual(collectors["python_call"], {})
        experimental, _ = _experimental(gc_detect_threshold=0.5, host_sys=["mem", "disk"])
        config = self._config(experimental_config=experimental)
        self.assertEqual(config["collectors"]["gc"], {"threshold": "500000ns"})
        self.assertEqual(config["collectors"]["host_sys"], {"items": "mem+disk"})
        self.assertNotIn("sys_io", config["collectors"])
        experimental, _ = _experimental(sys_io=True, sys_interconnection=True)
        config = self._config(experimental_config=experimental)
        self.assertEqual((config["collectors"]["sys_io"], config["collectors"]["interconnect"]), ({"interval": "10ms"}, {"interval": "20ms"}))
        config = self._config(activities=[ProfilerActivity.NPU], experimental_config=experimental)
        self.assertNotIn("cpu_op", config["collectors"])
        self.assertNotIn("gc", config["collectors"])

    def test_device(self):
        experimental, _ = _experimental(
            profiler_level=profiler.ProfilerLevel.Level2, aic_metrics=profiler.AiCMetrics.Memory,
            l2_cache=True, op_attr=True, export_type="db",
        )
        given = {"experimental_config": experimental, "profile_memory": True}
        with mock.patch.dict("os.environ", ASCEND_HOME_PATH="/nowhere"):
            device = self._config(**given)["collectors"]["npu_task"]
            default = self._config()["collectors"]["npu_task"]
            host = self._config(activities=[ProfilerActivity.CPU])["collectors"]
            with messages() as told:
                profiler.profile(activities=[ProfilerActivity.NPU], **given)
        self.assertEqual(
            device,
            {"profiler_level": "Level2",
             "optional": {"backend": "auto", "aic_metrics": "Memory", "l2_cache": True,
                          "op_attr": True, "task_memory": True}},
        )
        self.assertEqual(
            default,
            {"profiler_level": "Level0", "optional": {"backend": "auto", "aic_metrics": "none"}},
        )
        self.assertNotIn("npu_task", host)
        self.assertEqual(told, [])

    def _device(self, more=None, **settings):
        experimental, _ = _experimental(**settings)
        with mock.patch.dict("os.environ", ASCEND_HOME_PATH="/nowhere"):
            collectors = self._config(experimental_config=experimental, **(more or {}))["collectors"]
        return collectors["npu_task"]["optional"], collectors

    def test_what_cann_alone_tells(self):
        """Only CANN gives marks on the device, shapes of kernels and numa. Ports and links are
        recorded once, not by both."""
        level = {"profiler_level": "Level1", "aic_metrics": "ACL_AICORE_NONE"}
        device, collectors = self._device(mstx=True, sys_io=True, sys_interconnection=True, **level)
        self.assertEqual(device, {"backend": "auto", "aic_metrics": "none", "msproftx": True})
        self.assertIn("sys_io", collectors)
        self.assertIn("interconnect", collectors)
        device, collectors = self._device({"record_shapes": True}, sys_io=True,
                                          sys_interconnection=True, **level)
        self.assertEqual(device, {"backend": "auto", "aic_metrics": "none", "details": "shapes",
                                  "sys_io": True, "sys_interconnection": True})
        self.assertNotIn("sys_io", collectors)
        self.assertNotIn("interconnect", collectors)
        device, collectors = self._device(host_sys=["cpu", "numa"], **level)
        self.assertEqual(device["host_sys"], "numa")
        self.assertEqual(collectors["host_sys"], {"items": "cpu"})
        device, _ = self._device({"record_shapes": True}, profiler_level="Level_none")
        self.assertNotIn("details", device)

    def test_no_device(self):
        experimental, _ = _experimental(profiler_level="Level2", l2_cache=True)
        given = {"experimental_config": experimental, "profile_memory": True}
        self.assertNotIn("npu_task", self._config(**given)["collectors"])

    def test_device_without_cann(self):
        message._told.clear()
        experimental, _ = _experimental(profiler_level="Level1", l2_cache=True)
        with messages() as told:
            profiler.profile(experimental_config=experimental)
        self.assertEqual(
            _texts(told),
            ["%s has no effect: ASCEND_HOME_PATH is not set, there is no CANN." % name
             for name in ("profiler_level", "l2_cache")],
        )

    def test_front_end(self):
        common = self._config()["front_end"]["common_config"]
        self.assertEqual(
            list(common),
            [
                "activities", "schedule", "record_shapes", "profile_memory", "with_stack",
                "with_flops", "with_modules",
            ],
        )
        self.assertEqual(
            common["activities"], ["ProfilerActivity.CPU", "ProfilerActivity.NPU"]
        )
        self.assertEqual(common["schedule"], {})


class Messages(unittest.TestCase):
    def test_suppressed(self):
        import os

        for name, value, is_shown in (
            ("TORCH_NPU_WARNING_DISABLE", "1", False),
            ("TORCH_NPU_DISABLED_WARNING", "1", False),
            ("TORCH_NPU_WARNING_DISABLE", "0", True),
            ("RANK", "0", True),
            ("RANK", "3", False),
        ):
            old = os.environ.get(name)
            os.environ[name] = value
            try:
                with messages() as told:
                    message.info("i")
                    message.warn("w")
                    message.error("e")
            finally:
                os.environ.pop(name)
                if old is not None:
                    os.environ[name] = old
            expected = [("INFO", "i"), ("WARNING", "w"), ("ERROR", "e")]
            if not is_shown:
                del expected[1]
            self.assertEqual(told, expected, (name, value))

    def test_no_stderr(self):
        import sys

        old, sys.stderr = sys.stderr, None
        try:
            message.error("lost")
        finally:
            sys.stderr = old
