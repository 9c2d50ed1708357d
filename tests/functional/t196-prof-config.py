# SPDX-License-Identifier: Apache-2.0
"""PROF_CONFIG_PATH: unchanged training scripts are profiled as a profiler_config.json says."""

import json
import os
import sqlite3
import unittest

import tap
from support import PYTHON, STROBE, has_torch, needs_python
from training import PROGRAM, PTH, TrainingTest


@needs_python
class ProfConfigTest(TrainingTest):
    def setUp(self):
        super().setUp()
        self.folder = self.work / "dynamic"
        self.file = self.folder / "profiler_config.json"
        self.environment.update(PROF_CONFIG_PATH=str(self.folder), OMP_NUM_THREADS="1")

    def log(self, prefix=""):
        paths = list(self.folder.glob("log/%sdp_*.log" % prefix))
        return paths[0].read_text() if paths else ""

    def ask(self, **values):
        """Replaces the file, and waits until the script's watch has found it."""
        values = {"activities": ["CPU"], "prof_dir": str(self.out), **values}
        new = self.folder / "new"
        new.write_text(json.dumps(values))
        os.replace(new, self.file)
        self.process.stdin.write("found\n")
        self.await_answer("found\n")

    # ---- tests ----

    def test_installed(self):
        if not has_torch():
            self.skipTest("no PyTorch")
        self.train(self.install(), PROGRAM)
        self.assertEqual(json.loads(self.file.read_text())["start_step"], 0)
        self.iterate(2)
        self.ask(start_step=-1, active=2, analyse=True, metadata={"run": {"id": 7}, "by": "me"},
                 experimental_config={"export_type": ["text", "db"]})
        self.iterate(4)
        self.assertProfiled(2)
        result = self.result()
        said = json.loads((result / "profiler_metadata.json").read_text())
        self.assertEqual((said["run"], said["by"]), ({"id": 7}, "me"))
        paths = list(result.glob("ASCEND_PROFILER_OUTPUT/*.db"))
        self.assertEqual(len(paths), 1, self.read_errors())
        with sqlite3.connect(paths[0]) as db:
            rows = dict(db.execute("SELECT name, value FROM META_DATA"))
        self.assertEqual({name: json.loads(rows[name]) for name in ("run", "by", "trace_id")},
                         {name: said[name] for name in ("run", "by", "trace_id")})
        self.finish()
        self.assertRegex(self.log(), "Start Dynamic Profiler at 3 step[^$]*"
                                     "Stop Dynamic Profiler at 5 step")
        self.assertIn("Dynamic profiler process done", self.log("monitor_"))
        (path,) = self.folder.glob("log/monitor_*")
        self.assertRegex(path.name, r"^monitor_dp_.+_%d_rank_-1\.log$" % self.process.pid)

    def test_run(self):
        if not has_torch():
            self.skipTest("no PyTorch")
        self.train(STROBE, "run", "--", PYTHON, PROGRAM, "2")
        self.iterate(1)
        self.ask(start_step=3, active=3)
        self.iterate(6)
        self.finish()
        self.assertProfiled(3, n_optimizers=2)
        self.assertIn("profiles begin as %s/profiler_config.json asks" % self.folder,
                      self.read_errors())

    @tap.once_test
    def test_ranks(self):
        """A request is for the ranks that it names."""
        if not has_torch():
            self.skipTest("no PyTorch")
        self.environment["RANK"] = "1"
        self.train(STROBE, "run", "--", PYTHON, PROGRAM)
        self.ask(start_step=-1, is_rank=True, rank_list=[0])
        self.iterate(2)
        self.assertIn("Rank 1 not in valid rank_list [0]!", self.log())
        self.assertEqual(self.results(), [])
        self.ask(start_step=-1, is_rank=True, rank_list=[0, 1])
        self.iterate(3)
        self.finish()
        self.assertProfiled(1)
        self.assertTrue((self.result() / "profiler_info_1.json").exists())
        (path,) = self.folder.glob("log/monitor_*_rank_1.log")

    @tap.once_test
    def test_request_that_comes_to_nothing(self):
        if not has_torch():
            self.skipTest("no PyTorch")
        self.train(STROBE, "run", "--", PYTHON, PROGRAM)
        self.iterate(1)
        self.ask(start_step=100)
        self.iterate(1)
        self.finish()
        self.assertIn("config is not effective. The start_step=100, current_step=2 as the process "
                      "exits", self.read_errors())
        self.assertEqual(self.results(), [])

    @tap.once_test
    def test_flags_go_before(self):
        text = "import torch" if has_torch() else "pass"
        done = self.record(self.install(), "-c", text, collect=("metadata",))
        self.assertIn("PROF_CONFIG_PATH has no effect: with --output the run", done.stderr)
        self.result()
        self.assertFalse(self.folder.exists())

    @tap.once_test
    def test_other_programs(self):
        done = self.strobe("run", "--", "/bin/true")
        self.assertIn('PROF_CONFIG_PATH has no effect: "/bin/true" is not a Python program',
                      done.stderr)

    @tap.once_test
    def test_useless_folder(self):
        if not has_torch():
            self.skipTest("no PyTorch")
        self.folder.write_text("a file")
        said = "PROF_CONFIG_PATH has no effect: The path '%s' is invalid" % self.folder
        python = self.install()
        self.assertIn(said, self.run_python(python, "import torch").stderr)
        self.assertEqual(self.run_python(python, "pass").stderr, "")
        done = self.strobe("run", "--", PYTHON, "-c", "import torch")
        self.assertIn(said, done.stderr)

    @tap.once_test
    def test_broken_package(self):
        python = self.install()
        (self.packages / "strobe").unlink()
        (self.packages / "strobe").mkdir()
        self.assertRegex(self.run_python(python, "pass").stderr,
                         r"^(strobe: PROF_CONFIG_PATH has no effect: No module named 'strobe.run'\n)+$")

    @tap.once_test
    def test_left_to_torch_npu(self):
        if not has_torch():
            self.skipTest("no PyTorch")
        python = self.install()
        (self.packages / "torch_npu.py").write_text("")
        self.assertIn("PROF_CONFIG_PATH is left to torch_npu",
                      self.run_python(python, "import torch").stderr)
        self.assertFalse(self.folder.exists())

    @tap.once_test
    def test_imports_nothing(self):
        """Without the variable the package is not imported. With it, neither PyTorch nor the
        profiler is imported."""
        python = self.install()
        text = "import sys; print(*sorted({'strobe', 'torch', 'strobe.profiler'} & set(sys.modules)))"
        self.assertEqual(self.run_python(python, text).stdout, "strobe\n")
        self.environment["PROF_CONFIG_PATH"] = ""
        self.assertEqual(self.run_python(python, text).stdout, "\n")
        del self.environment["PROF_CONFIG_PATH"]
        self.assertEqual(self.run_python(python, text).stdout, "\n")

    def test_is_one_line(self):
        """In a .pth file a line without `import` at its beginning would be a path."""
        self.assertRegex(PTH.read_text(), r"\Aimport [^\n]*\n\Z")


if __name__ == "__main__":
    unittest.main()
