# SPDX-License-Identifier: Apache-2.0
"""Requests of the daemon dynolog: keys, states, and a daemon that fails."""

import threading
import time
import unittest
from unittest import mock

from strobe.profiler import dynamic_config, dynamic_daemon, dynamic_profile
from support import FolderTest, messages

REQUEST = """ACTIVITIES_LOG_FILE = out
ACTIVITIES_ITERATIONS=2
WARMUP_ITERATIONS=1
PROFILE_START_STEP=4
PROFILE_ACTIVITIES=CPU, npu
PROFILE_ANALYSE=true
PROFILE_ASYNC_MODE=TRUE
PROFILE_RECORD_SHAPES=true
PROFILE_PROFILE_MEMORY=false
PROFILE_WITH_STACK=true
PROFILE_WITH_FLOPS=false
PROFILE_WITH_MODULES=true
PROFILE_IS_RANK=true
PROFILE_RANK_LIST=0, 3,x
PROFILE_PROFILER_LEVEL=Level1
PROFILE_AIC_METRICS=Memory
PROFILE_L2_CACHE=true
PROFILE_OP_ATTR=true
PROFILE_GC_DETECT_THRESHOLD=1.5
PROFILE_DATA_SIMPLIFICATION=false
PROFILE_EXPORT_TYPE=Db
PROFILE_MSPROF_TX=false
PROFILE_MSTX=true
PROFILE_HOST_SYS=cpu,mem
PROFILE_MSTX_DOMAIN_INCLUDE=a,b
PROFILE_MSTX_DOMAIN_EXCLUDE=None
PROFILE_SYS_IO=true
PROFILE_SYS_INTERCONNECTION=true
no pair
"""


class Requests(unittest.TestCase):
    def parse(self, text):
        with messages() as told:
            config = dynamic_daemon.config_of(dynamic_daemon.read_request(text))
            made = config.make_profile(0)
        self.told = [text for _, text in told if "no CANN" not in text]
        return config, made

    def test_every_key(self):
        config, made = self.parse(REQUEST)
        self.assertEqual((config.active, config.warmup, config.start_step, config.ranks),
                         (2, 1, 4, {0, 3}))
        self.assertEqual({name: getattr(made, name) for name in
                          ("record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules")},
                         {"record_shapes": True, "profile_memory": False, "with_stack": True,
                          "with_flops": False, "with_modules": True})
        self.assertEqual({each.name for each in made.activities}, {"CPU", "NPU"})
        handler = made.on_trace_ready
        self.assertEqual((handler.analyse_flag, handler.async_mode, handler.parent()[-4:]),
                         (True, True, "/out"))
        settings = made.experimental_config.settings()
        expected = {
            "_profiler_level": "Level1", "_aic_metrics": "ACL_AICORE_MEMORY_BANDWIDTH",
            "_l2_cache": True, "_msprof_tx": False, "_mstx": True, "_data_simplification": False,
            "record_op_args": False, "_export_type": ["db"], "_op_attr": True,
            "_gc_detect_threshold": 1.5, "_mstx_domain_exclude": [], "_sys_io": True,
            "_sys_interconnection": True,
        }
        self.assertEqual({name: settings[name] for name in expected}, expected)
        self.assertEqual((sorted(settings["_host_sys"]), sorted(settings["_mstx_domain_include"])),
                         (["cpu", "mem"], ["a", "b"]))

    def test_defaults(self):
        config, made = self.parse("PROFILE_ACTIVITIES=CPU\n")
        self.assertEqual((config.active, config.warmup, config.start_step, config.ranks),
                         (1, 0, 0, None))
        self.assertEqual((made.on_trace_ready.analyse_flag, made.experimental_config._export_type),
                         (False, ["text"]))
        self.assertEqual(self.told, ["Profiler won't be using warmup, this can skew profiler results"])

    def test_bad_values(self):
        config, made = self.parse("ACTIVITIES_ITERATIONS=two\nPROFILE_WITH_STACK=maybe\n"
                                  "PROFILE_GC_DETECT_THRESHOLD=None\nPROFILE_RANK_LIST=None\nOTHER=1\n")
        self.assertEqual((config.active, made.with_stack), (1, False))
        for part in ("OTHER is not a known key", 'active: expected an integer of at least 1, found "two"',
                     'with_stack: expected true or false, found "maybe"'):
            self.assertTrue(any(part in text for text in self.told), (part, self.told))

    def test_nothing(self):
        for text in ("", None, "no pair", "\n"):
            self.assertEqual(dynamic_daemon.read_request(text), {})


class Proxy:
    """Simulates IPCMonitor's proxy, from which each request can be fetched once."""

    def __init__(self, *requests, answers=True):
        self.requests, self.answers = list(requests), answers
        self.states, self.monitored = [], []
        self.is_final = threading.Event()

    def init_dyno(self, rank):
        self.rank = rank
        return self.answers

    def poll_dyno(self):
        request = self.requests.pop(0) if self.requests else ""
        if isinstance(request, Exception):
            raise request
        return request

    def update_profiler_status(self, status):
        if not self.states or self.states[-1] != status:
            self.states.append(status)

    def enable_dyno_npu_monitor(self, request):
        self.monitored.append(request)

    def finalize_dyno(self):
        self.is_final.set()


class Watches(FolderTest):
    def setUp(self):
        super().setUp()
        poll = mock.patch.object(dynamic_daemon, "POLL_S", 0.005)
        poll.start()
        self.addCleanup(poll.stop)
        self.reported = []

    def watch(self, proxy):
        with messages() as self.told:
            watch = dynamic_daemon.DaemonWatch(proxy, 2, self.reported.append)
        self.addCleanup(watch.close)
        return watch

    def await_that(self, holds):
        end = time.monotonic() + 30
        while not holds():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.002)

    def test_requests(self):
        proxy = Proxy("", "ACTIVITIES_ITERATIONS=3", RuntimeError("broken pipe"),
                      "NPU_MONITOR_START=true\nREPORT_INTERVAL_S=5")
        with messages():
            watch = self.watch(proxy)
            self.await_that(lambda: proxy.monitored)
        # the thread may already have taken the first request
        self.assertEqual(self.told[0], ("INFO", "Init dynolog success !"))
        self.assertEqual((proxy.rank, watch.take().active, watch.take()), (2, 3, None))
        self.assertEqual(proxy.monitored, [{"NPU_MONITOR_START": "true", "REPORT_INTERVAL_S": "5"}])
        self.assertEqual(self.reported, ["Dynolog profiler process failed, broken pipe has occur!"])

    def test_states(self):
        proxy = Proxy()
        watch = self.watch(proxy)
        self.await_that(lambda: proxy.states)
        watch.tell(dynamic_daemon.RUNNING, 4, 3, 6)
        self.await_that(lambda: len(proxy.states) > 1)
        watch.close()
        self.assertTrue(proxy.is_final.is_set())
        names = ("profiler_status", "current_step", "start_step", "stop_step")
        self.assertEqual([tuple(each[name] for name in names) for each in proxy.states],
                         [("0", "-1", "-1", "-1"), ("1", "4", "3", "6"), ("-1", "-1", "-1", "-1")])

    def test_a_proxy_without_states(self):
        proxy = Proxy("ACTIVITIES_ITERATIONS=3")
        with mock.patch.object(Proxy, "update_profiler_status"), messages():
            del Proxy.update_profiler_status
            watch = self.watch(proxy)
            self.await_that(lambda: watch.take())
            watch.close()
        self.assertEqual(self.reported, [])

    def test_no_daemon(self):
        with self.assertRaisesRegex(dynamic_config.ConfigError, "Init dynolog failed !"):
            dynamic_daemon.DaemonWatch(Proxy(answers=False), -1, self.reported.append)

    def test_steps_of_a_profile(self):
        """The daemon gets a state when a request waits, when its profile begins and when it
        ends."""
        proxy = Proxy("PROFILE_ACTIVITIES=CPU\nPROFILE_START_STEP=3\nACTIVITIES_ITERATIONS=2\n")
        present = dynamic_profile._DynamicProfile()
        seen = []
        with messages():
            present.begin_daemon(proxy)
            self.addCleanup(present.finish)
            self.await_that(lambda: present._watch._found is not None)
            for _ in range(6):
                present.step()
                seen.append(tuple(present._daemon._status.values()))
        self.assertEqual(seen, [("2", "1", "3", "5"), ("2", "2", "3", "5"), ("1", "3", "3", "5"),
                                ("1", "4", "3", "5"), ("0", "5", "3", "5"), ("0", "6", "3", "5")])
