# SPDX-License-Identifier: Apache-2.0
"""What Strobe uses of an imported torch_npu, with the simulated one of tests/torch-npu-double."""

import json
import os
import pathlib
import sys
from unittest import mock

from strobe import profiler
from strobe.profiler import versions
from support import messages, needs_torch, results
from test_flops import DOMAIN, Shape
from test_marks import MarksTest

DOUBLE = pathlib.Path(__file__).resolve().parents[2] / "tests" / "torch-npu-double"
CPU = [profiler.ProfilerActivity.CPU]
METHODS = ("record", "wait", "query", "elapsed_time", "synchronize")


class TorchNpuTest(MarksTest):
    def setUp(self):
        super().setUp()
        modules = mock.patch.dict(sys.modules)
        modules.start()
        self.addCleanup(modules.stop)
        sys.path.insert(0, str(DOUBLE))
        self.addCleanup(sys.path.remove, str(DOUBLE))
        import torch_npu

        self.npu = torch_npu


@needs_torch
class Events(TorchNpuTest):
    def test_calls_are_operators(self):
        kind = self.npu.npu.Event
        before = [vars(kind)[name] for name in METHODS]
        event = kind()
        event.record()
        with messages() as told, profiler.profile(activities=CPU) as prof:
            event.record()
            event.wait()
            answers = event.query(), event.elapsed_time(event)
            with self.assertRaisesRegex(RuntimeError, "the device is gone"):
                event.synchronize()
        event.record()
        self.assertEqual((answers, event.n_calls, told), ((True, 1.5), 6, []))
        self.assertEqual([vars(kind)[name] for name in METHODS], before)
        self.assertEqual([each.name for each in prof.events() if each.name.startswith("Event::")],
                         ["Event::" + name for name in METHODS])

    def test_an_event_without_a_method(self):
        del self.npu.npu.Event.wait
        with messages() as told, profiler.profile(activities=CPU) as prof:
            self.npu.npu.Event().record()
        self.assertEqual(told, [])
        self.assertIn("Event::record", [each.name for each in prof.events()])


@needs_torch
class Flops(TorchNpuTest):
    def test_targets(self):
        """Each function of torch_npu is found, and has the right formula."""
        query, key = Shape(2, 3, 6, 16), Shape(2, 3, 8, 16)
        whole = 2 * 2 * 3 * 6 * 8 * 16 * 2
        calls = {
            "npu_fusion_attention": ((query, key, key, 3, "BNSD"), {}, whole),
            "npu_fused_infer_attention_score": (
                (query, key, key), {"num_heads": 3, "input_layout": "BNSD"}, whole),
            "npu_all_gather_base_mm": ((Shape(6, 4), Shape(4, 5), "group", 8), {}, 8 * 240),
            "npu_transpose_batchmatmul": ((Shape(6, 2, 4), Shape(2, 4, 5)), {}, 480),
            "npu_grouped_matmul": (([Shape(6, 4)], [Shape(3, 4, 5)]), {}, 240),
            "npu_grouped_matmul_swiglu_quant_v2": ((Shape(6, 4), [Shape(4, 5)]), {}, 240),
            "npu_quant_matmul_gelu": ((Shape(6, 4), Shape(4, 5)), {}, 240),
            "npu_alltoallv_gmm": (
                (Shape(9, 4), Shape(2, 4, 5), "group", 2, [9, 0], [3, 5]), {}, 320),
            "npu_gmm_alltoallv": ((Shape(6, 4), Shape(2, 4, 5)), {}, 240),
        }
        before = {name: getattr(self.npu, name) for name in calls}
        session = self.session(ranges="flops")
        for name, (arguments, options, _) in calls.items():
            self.assertIs(getattr(self.npu, name)(*arguments, **options), arguments[0])
        session.close()
        self.assertEqual({name: getattr(self.npu, name) for name in calls}, before)
        found = [name for name, domain in self.names("name,marker.domain") if domain == DOMAIN]
        self.assertEqual(found, ["%d-%s" % (number, name) for name, (_, _, number) in calls.items()])


class Versions(TorchNpuTest):
    def cann(self, **notes):
        """Makes a CANN folder with these notes of its installer; `__` in a name is a slash."""
        for name, text in notes.items():
            path = pathlib.Path(self.folder, "cann", *name.split("__")).with_suffix(".info")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return mock.patch.dict(os.environ, ASCEND_HOME_PATH=os.path.join(self.folder, "cann"))

    def info(self):
        with messages(), profiler.profile(activities=CPU, on_trace_ready=lambda prof: None):
            pass
        with open(os.path.join(results(self.folder)[-1], "profiler_info.json")) as file:
            return json.load(file)

    def test_both(self):
        notes = "package_name=toolkit\nversion=8.1.RC1\ninnerversion=V100\n"
        with self.cann(x86_64__ascend_toolkit_install=notes, a__ascend_nnal_install="version=1\n"):
            info = self.info()
        self.assertEqual((info["torch_npu_version"], info["cann_version"]), ("2.14.0double", "8.1.RC1"))

    def test_neither(self):
        del sys.modules["torch_npu"]
        with mock.patch.dict(os.environ):
            os.environ.pop("ASCEND_HOME_PATH", None)
            info = self.info()
        self.assertEqual((info["torch_npu_version"], info["cann_version"]), ("N/A", "not known"))

    def test_notes_that_say_nothing(self):
        with self.cann(ascend_toolkit_install="version=\nother=2\n", a__b__c__d__ascend_x_install="version=3"):
            self.assertEqual(versions.cann_version(), "not known")
