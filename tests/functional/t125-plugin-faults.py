# SPDX-License-Identifier: Apache-2.0
"""Plugins that crash, hang or end their process are named, and the others go on."""

import json
import shutil
import subprocess
import time

from support import STROBE, StrobeTest, bad_plugin, program


class FaultsTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.folder = self.work / "plugins"
        self.folder.mkdir(mode=0o755)
        self.environment["STROBE_PLUGIN_PATH"] = str(self.folder)

    def add(self, source, name):
        path = self.folder / (name + ".so")
        shutil.copy(source, path)
        path.chmod(0o644)
        return path


class LoadingTest(FaultsTest):
    """Files whose turn comes before Strobe's own."""

    def setUp(self):
        super().setUp()
        event = {"ph": "X", "name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1}
        self.trace = self.work / "trace.json"
        self.trace.write_text(json.dumps({"traceEvents": [event]}))

    def add_harmful(self):
        self.crashing = self.add(bad_plugin("fatal/crashes"), "a_crashes")
        self.ending = self.add(program("plugin-that-exits.so"), "a_ends")

    def assertLeftOut(self, errors):
        for path, reason in ((self.crashing, "it crashes: Illegal instruction"),
                             (self.ending, "it ends the process that loads it")):
            self.assertRegex(errors, "warning: Plugin %s is left out: .*%s" % (path, reason))

    def test_every_command_goes_on(self):
        self.add_harmful()
        self.assertLeftOut(self.strobe("import", "-o", self.out, self.trace).stderr)
        result = self.result()
        self.assertLeftOut(self.strobe("analyse", result).stderr)
        self.assertLeftOut(self.strobe("show", "--list", result).stderr)
        self.assertLeftOut(self.strobe("export", "-o", self.work / "part", result).stderr)
        self.assertTrue((result / "ASCEND_PROFILER_OUTPUT" / "trace_view.json").exists())

    def test_one_that_hangs(self):
        hanging = self.add(bad_plugin("fatal/hangs"), "a_hangs")
        begin = time.monotonic()
        errors = self.strobe("import", "-o", self.out, self.trace).stderr
        self.assertLess(time.monotonic() - begin, 40)
        self.assertIn("%s is left out: when it is loaded it does not come back" % hanging, errors)
        self.result()

    def test_one_that_is_named(self):
        self.add_harmful()
        errors = self.record("true", collect=["a_crashes"], code=4).stderr
        self.assertIn('Cannot use collector "a_crashes": %s: when it is loaded it crashes'
                      % self.crashing, errors)
        self.assertNotIn("warning", errors)

    def test_program_loads_no_other(self):
        """The collector's file is found by looking into all files, not by the program too."""
        self.add_harmful()
        self.add(bad_plugin("fatal/faulty_calls"), "faulty_calls")
        done = self.record(program("marked-program"), "10", collect=["faulty_collector", "marker"])
        self.assertLeftOut(done.stderr)
        self.assertGreater(self.records_of(self.result(), "marker"), 0)

    def test_bundled_files_are_not_tried(self):
        """Whichever folder they were found by: a process a file would double a command's time."""
        self.strobe("import", "-o", self.out, self.trace)
        files = self.json("plugins", "fake")
        self.environment["STROBE_PLUGIN_PATH"] = files[0]["file"].rpartition("/")[0]
        log = self.work / "trace.txt"
        if not shutil.which("strace"):
            self.skipTest("no strace")
        subprocess.run(["strace", "-f", "-e", "trace=execve", "-o", log, STROBE, "show", "--list",
                        self.result()], env=self.environment, check=True, capture_output=True)
        self.assertNotIn("--try-plugin", log.read_text())
