# SPDX-License-Identifier: Apache-2.0
"""Scripts that were written for torch_npu: their own handlers, torch_npu's names, `strobe run
--as`."""

import json
import os
import subprocess
import unittest

import tap
from support import BUILD, PYTHON, TIMEOUT, StrobeTest, has_torch, needs_python

LOCAL_FIRST = """
import os, shutil, sys
import torch
from torch_npu import profiler
from torch_npu.profiler._profiler_path_creator import ProfPathCreator

def local_first(dir_name, worker_name=None, analyse_flag=True, async_mode=False):
    ProfPathCreator().init(worker_name=worker_name, dir_name=dir_name)

    def handler(prof_inst):
        if analyse_flag:
            prof_inst.prof_if.analyse(async_mode=async_mode)
        local = ProfPathCreator().get_prof_dir()
        assert local == prof_inst.prof_if.prof_path, (local, prof_inst.prof_if.prof_path)
        assert prof_inst.prof_if.trace_id == prof_inst.get_trace_id()
        assert prof_inst.prof_if.record_shapes is True
        os.makedirs("shared", exist_ok=True)
        shutil.move(local, "shared")

    return handler

with profiler.profile(
    activities=[profiler.ProfilerActivity.CPU],
    schedule=profiler.schedule(wait=0, warmup=0, active=1, repeat=2),
    on_trace_ready=local_first("local", "me"),
    record_shapes=True,
) as prof:
    for _ in range(2):
        torch.ones(2, 3).add(1)
        prof.step()
left = [name for name in os.listdir("local") if not name.endswith(".pool")]  # a container's pool
assert left == [], left
"""

MARKED = """
import sys
import torch
import torch_npu
from torch_npu.npu import mstx
from torch_npu.npu.mstx import mstx as same

@mstx.mstx_range("decorated")
def decorated():
    torch.ones(2).add(1)

config = torch_npu.profiler._ExperimentalConfig(mstx=True, profiler_level="Level_none")
with torch_npu.profiler.profile(
    activities=[torch_npu.profiler.ProfilerActivity.CPU],
    on_trace_ready=torch_npu.profiler.tensorboard_trace_handler("out", analyse_flag=False),
    experimental_config=config,
):
    decorated()
    torch_npu.npu.mstx.mark("marked")
    same.range_end(same.range_start("ranged"))
    with mstx.annotate("annotated"):
        pass
"""

STACKS = """
import os
import torch
from torch_npu.profiler import profile, ProfilerActivity, _KinetoProfile
with profile(activities=[ProfilerActivity.CPU], with_stack=True) as prof:
    torch.ones(2).add(1)
prof.export_stacks("given.txt")
kineto = _KinetoProfile(activities=[ProfilerActivity.CPU], with_stack=True)
kineto.start()
torch.ones(2).add(1)
kineto.stop()
kineto.export_stacks("named.log")
"""


@needs_python
@unittest.skipUnless(has_torch(), "no PyTorch")
class AscendScriptsTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.environment["OMP_NUM_THREADS"] = "1"

    def run_as(self, text, code=0):
        """Runs a script of torch_npu unchanged."""
        script = self.script("script.py", text)
        return self.strobe("run", "--as", "torch_npu", "--", PYTHON, script, code=code)

    def run_changed(self, text, name="changed.py"):
        """Runs the script with changed imports."""
        script = self.script(name, text.replace("torch_npu", "strobe"))
        done = subprocess.run(
            [PYTHON, script], cwd=self.work, capture_output=True, text=True, timeout=TIMEOUT,
            env={**self.environment, "PYTHONPATH": str(BUILD / "python")})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def operators(self, result):
        (table,) = self.json("show", result, "--table", "operator_average", "--limit", "1000")
        return {row["name"]: row["calls"] for row in table["rows"]}

    def markers(self, result):
        return {row["name"] for kind in ("marker", "marker_instant")
                for table in self.json("show", result, "--table", kind) for row in table["rows"]}

    # ---- handlers ----

    def assertMoved(self, done):
        self.assertNotIn("ERROR", done.stderr)
        results = sorted((self.work / "shared").glob("me_*_ascend_pt"))
        self.assertEqual(len(results), 2, done.stderr)
        for result in results:
            self.assertTrue((result / "ASCEND_PROFILER_OUTPUT" / "operator_details.csv").exists())
            self.assertEqual(self.operators(result)["aten::add"], 1)

    def test_handler_of_ones_own(self):
        self.assertMoved(self.run_changed(LOCAL_FIRST))

    @tap.once_test
    def test_handler_of_an_unchanged_script(self):
        self.assertMoved(self.run_as(LOCAL_FIRST))

    @tap.once_test
    def test_handler_without_analysis(self):
        """The handler moves the raw data, which is then analysed in the new folder."""
        text = LOCAL_FIRST.replace('local_first("local", "me")', 'local_first("local", "me", False)')
        self.run_changed(text)
        for result in sorted((self.work / "shared").iterdir()):
            self.assertFalse((result / "ASCEND_PROFILER_OUTPUT").exists())
            self.strobe("analyse", result)
            self.assertTrue((result / "ASCEND_PROFILER_OUTPUT" / "operator_details.csv").exists())

    @tap.once_test
    def test_bad_destination(self):
        """As with tensorboard_trace_handler: an ERROR, and the default folder."""
        self.script("file", "")
        done = self.run_changed("""
from strobe.profiler._profiler_path_creator import ProfPathCreator
made = ProfPathCreator()
made.init(dir_name="file")
made.init(worker_name="a/b", dir_name="")
assert made is ProfPathCreator() and made.get_prof_dir() is None
""")
        self.assertIn("Call init failed. Exception: Cannot write results", done.stderr)
        self.assertIn("Invalid parameter worker_name, reset it to default.", done.stderr)
        self.assertIn("Invalid parameter dir_name, reset it to default.", done.stderr)

    def test_exports_of_prof_if(self):
        done = self.run_changed("""
import torch
from strobe import profiler
with profiler.profile(activities=[profiler.ProfilerActivity.CPU], with_stack=True) as prof:
    torch.ones(2).add(1)
prof.prof_if.analyse("export_chrome_trace", "trace.json")
prof.prof_if.analyse("export_stack", "stacks.txt", metric="self_cpu_time_total")
prof.prof_if.analyse("export_nothing", "x")
""")
        events = json.loads((self.work / "trace.json").read_text())["traceEvents"]
        self.assertIn("aten::add", {event["name"] for event in events})
        self.assertIn("changed.py", (self.work / "stacks.txt").read_text())
        self.assertIn("'export_nothing' is not one of tensorboard_trace_handler", done.stderr)

    def test_raw_data_stay_on_a_host_with_an_npu(self):
        text = """
import torch
from strobe import profiler
with profiler.profile(activities=[getattr(profiler.ProfilerActivity, each) for each in %r]):
    torch.ones(2).add(1)
"""
        self.environment["ASCEND_HOME_PATH"] = str(self.work / "cann")
        self.run_changed(text % ["CPU"])
        self.assertFalse((self.work / "export_only_prof_dir").exists())
        self.run_changed(text % ["CPU", "NPU"])
        (result,) = (self.work / "export_only_prof_dir").iterdir()
        self.assertEqual(self.operators(result)["aten::add"], 1)

    # ---- names ----

    def test_marks(self):
        done = self.run_as(MARKED)
        self.assertNotIn("ERROR", done.stderr)
        self.assertLessEqual({"decorated", "marked", "ranged", "annotated"},
                             self.markers(self.result()))

    def test_marks_of_strobe(self):
        self.run_changed("import strobe.profiler\n" + MARKED)
        self.assertLessEqual({"decorated", "marked", "ranged", "annotated"},
                             self.markers(self.result()))

    def test_stacks(self):
        done = self.run_as(STACKS)
        self.assertIn("Input file is not log file. Change to log file.", done.stderr)
        self.assertFalse((self.work / "given.txt").exists())
        for name in ("given.log", "named.log"):
            self.assertIn("script.py", (self.work / name).read_text())
        (result,) = (self.work / "export_only_prof_dir").iterdir()
        self.assertEqual(self.operators(result)["aten::add"], 1)

    def test_use_cuda(self):
        """use_cuda has no effect in torch_npu; in strobe.profiler it is that of PyTorch."""
        done = self.run_as("""
from torch_npu.profiler import profile, ProfilerActivity
prof = profile(activities=[ProfilerActivity.CPU], use_cuda=True)
assert prof.activities == {ProfilerActivity.CPU}, prof.activities
profile(activities=[ProfilerActivity.CPU], use_cuda=None)
""")
        self.assertEqual(done.stderr.count("This is npu environment, use_cuda is invalid"), 1)

    def test_modules(self):
        """Each module of the original from which scripts import, and each name in it."""
        self.run_as("""
import sys
import torch_npu.profiler
assert "torch" not in sys.modules
from torch_npu.profiler import dynamic_profile as dp
from torch_npu.profiler.dynamic_profile import init, set_state, start, step
from torch_npu.profiler.experimental_config import _ExperimentalConfig, ProfilerLevel
from torch_npu.profiler.profiler import analyse, profile, tensorboard_trace_handler
from torch_npu.profiler.profiler_interface import supported_activities
from torch_npu.profiler.scheduler import Schedule, ProfilerAction
assert torch_npu.profiler.profiler.analyse is analyse
assert torch_npu.profiler.profile is profile
assert dp.step is step
for name in ("ExportType", "AiCMetrics", "HostSystem", "supported_profiler_level",
             "supported_ai_core_metrics", "supported_export_type", "ProfilerActivity", "schedule"):
    getattr(torch_npu.profiler, name)
try:
    torch_npu.npu.set_device(0)
except AttributeError as error:
    assert "Strobe provides only mstx of torch_npu.npu" in str(error), error
else:
    raise AssertionError("there is no NPU")
try:
    import torch_npu.contrib
except ModuleNotFoundError:
    pass
""")

    @tap.once_test
    def test_installed_torch_npu(self):
        """The installed torch_npu is imported; only its profiler and marks are replaced."""
        package = self.work / "torch_npu"
        for name, text in (("__init__.py", "from . import npu, profiler\ncontrib = 7\n"),
                           ("profiler.py", "profile = None\n"),
                           ("npu/__init__.py", "from .mstx import mstx\ndevice_count = lambda: 3\n"),
                           ("npu/mstx.py", "class mstx:\n    mark = None\n")):
            (package / name).parent.mkdir(exist_ok=True, parents=True)
            (package / name).write_text(text)
        self.run_as("""
import torch_npu
from torch_npu.profiler import profile
from torch_npu.npu import mstx
assert torch_npu.contrib == 7 and torch_npu.npu.device_count() == 3
assert profile.__module__ == "strobe.profiler.compat", profile.__module__
assert mstx.mark.__module__ != "torch_npu.npu.mstx" and mstx.mark is not None
import torch_npu.npu.mstx as again
assert again is mstx
""")

    @tap.once_test
    def test_install_by_the_script(self):
        self.run_changed("""
from strobe.profiler import compat
compat.install()
compat.install()
exec("import torch_" + "npu.profiler as named")
assert named is compat
""")

    # ---- the command ----

    @tap.once_test
    def test_bad_flags(self):
        done = self.strobe("run", "--as", "torch", "--", PYTHON, code=2)
        self.assertIn('--as: expected torch_npu, found "torch"', done.stderr)
        done = self.strobe("run", "--as", "torch_npu", "-o", self.out, "--", PYTHON, code=2)
        self.assertIn("--output cannot be combined with --as", done.stderr)
        self.strobe("run", "--as", "torch_npu", "--", "no-such-command", code=127)

    @tap.once_test
    def test_exit_code_and_environment(self):
        self.run_as("import os, sys; sys.exit(7 if 'STROBE_RUN_DIR' not in os.environ else 8)", code=7)

    @tap.once_test
    def test_children(self):
        """Child processes get the same names."""
        self.run_as("""
import subprocess, sys
subprocess.run([sys.executable, "-c", "import torch_npu; assert torch_npu.__strobe__"], check=True)
""")

    @tap.once_test
    def test_file_asks(self):
        """Both at the same time: the replaced names, and PROF_CONFIG_PATH under its other name."""
        self.environment["PROF_CONFIG_PATH"] = str(self.work / "dynamic")
        self.run_as("""
import os, torch_npu.profiler, torch
assert "PROF_CONFIG_PATH" not in os.environ
from torch_npu.profiler import dynamic_profile
assert dynamic_profile.is_watching()
""")
        self.assertTrue((self.work / "dynamic" / "profiler_config.json").exists())


if __name__ == "__main__":
    unittest.main()
