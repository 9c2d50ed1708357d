# SPDX-License-Identifier: Apache-2.0
"""The rank of a process whose environment lacks it, and scripts made for torch_npu."""

import json
import os
import subprocess
import sys
import unittest

import tap
from support import FolderTest, needs_torch, results
from strobe import _strobe

_GROUP = """
import os, sys, torch, torch.distributed as dist
def join():
    dist.init_process_group("gloo", init_method="file://%s/store" % os.getcwd(), rank=0, world_size=1)
"""

# A script for torch_npu with its import changed.
_TORCH_NPU = """
import torch
from strobe import profiler as torch_npu_profiler
class torch_npu: profiler = torch_npu_profiler

experimental_config = torch_npu.profiler._ExperimentalConfig(
    export_type=[torch_npu.profiler.ExportType.Text, torch_npu.profiler.ExportType.Db],
    profiler_level=torch_npu.profiler.ProfilerLevel.Level0,
    mstx=False,
    mstx_domain_include=[],
    mstx_domain_exclude=[],
    aic_metrics=torch_npu.profiler.AiCMetrics.AiCoreNone,
    l2_cache=False,
    op_attr=False,
    data_simplification=False,
    record_op_args=False,
    gc_detect_threshold=None,
    host_sys=[torch_npu.profiler.HostSystem.CPU, torch_npu.profiler.HostSystem.MEM],
    sys_io=False,
    sys_interconnection=False,
)
with torch_npu.profiler.profile(
    activities=[
        torch_npu.profiler.ProfilerActivity.CPU,
        torch_npu.profiler.ProfilerActivity.NPU,
    ],
    schedule=torch_npu.profiler.schedule(wait=0, warmup=0, active=1, repeat=1, skip_first=1),
    on_trace_ready=torch_npu.profiler.tensorboard_trace_handler("./result"),
    record_shapes=False,
    profile_memory=False,
    with_stack=False,
    with_modules=False,
    with_flops=False,
    experimental_config=experimental_config,
) as prof:
    for step in range(3):
        torch.ones(8, 8) @ torch.ones(8, 8)
        prof.step()
"""


def _info(directory, name):
    with open(os.path.join(directory, name)) as file:
        return json.load(file)


@tap.once_test
class Bad(unittest.TestCase):
    def test_values(self):
        self.assertRaises(TypeError, _strobe.set_rank, "0")
        self.assertRaises(ValueError, _strobe.set_rank, -2)
        self.assertRaises((ValueError, OverflowError), _strobe.set_rank, 1 << 70)


@needs_torch
class Rank(FolderTest):
    def setUp(self):
        super().setUp()
        self.environment = {"RANK": "", "OMPI_COMM_WORLD_RANK": "", "SLURM_PROCID": ""}

    def _run(self, text, **variables):
        done = self.run_python(_GROUP + text, **{**self.environment, **variables})
        self.assertEqual(done.returncode, 0, done.stderr)
        (found,) = results(self.folder)
        return found

    def test_of_the_group(self):
        found = self._run(
            "from strobe import profiler\n"
            "with profiler.profile(on_trace_ready=profiler.tensorboard_trace_handler('.')):\n"
            "    torch.ones(2)\n"
            "    join()\n"  # later than the capture's head
        )
        self.assertEqual(_info(found, "profiler_info_0.json")["rank_id"], 0)
        output = os.listdir(os.path.join(found, "ASCEND_PROFILER_OUTPUT"))
        self.assertIn("ascend_pytorch_profiler_0.db", output)

    @tap.once_test
    def test_the_environment_goes_before(self):
        found = self._run(
            "join()\n"
            "from strobe import profiler\n"
            "with profiler.profile(on_trace_ready=lambda prof: None): torch.ones(2)\n",
            RANK="5",
        )
        self.assertEqual(_info(found, "profiler_info_5.json")["rank_id"], "5")

    @tap.once_test
    def test_none(self):
        found = self._run(
            "from strobe import profiler\n"
            "with profiler.profile(on_trace_ready=lambda prof: None): torch.ones(2)\n"
        )
        self.assertNotIn("rank_id", _info(found, "profiler_info.json"))

    @tap.once_test
    def test_under_run(self):
        script = self.write("run.py", _GROUP + "join()\ntorch.ones(2)\ndist.destroy_process_group()\n")
        command = os.path.join(os.environ.get("STROBE_BUILD") or _build(), "tools", "strobe")
        if not os.path.exists(command):
            self.skipTest("no strobe command beside this package")
        subprocess.run(
            [command, "run", "--no-default-collectors", "--collect", "gc", "--", sys.executable, script],
            cwd=self.folder, env={**os.environ, **self.environment}, check=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120,
        )
        (found,) = results(self.folder)
        self.assertEqual(_info(found, "profiler_info_0.json")["rank_id"], 0)


def _build():
    """The build folder, of which the package is a part."""
    import strobe

    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(strobe.__file__))))


@needs_torch
class TorchNpuScript(FolderTest):
    def test_import_changed(self):
        done = self.run_python(_TORCH_NPU, ASCEND_HOME_PATH="")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("ERROR", done.stderr)
        (found,) = results(os.path.join(self.folder, "result"))
        output = os.listdir(os.path.join(found, "ASCEND_PROFILER_OUTPUT"))
        self.assertIn("trace_view.json", output)
        self.assertIn("ascend_pytorch_profiler.db", output)
        config = _info(found, "profiler_info.json")["config"]["experimental_config"]
        self.assertEqual(config["_export_type"], ["text", "db"])
        self.assertIs(config["_data_simplification"], False)
