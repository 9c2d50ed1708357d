# SPDX-License-Identifier: Apache-2.0
"""Plugins that crash, hang or end their process are named, and the other plugins work."""

import json
import shutil
import signal
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
    """Files that are loaded before Strobe's own plugins."""

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
        """The program finds the collector's file without loading other files; only the command
        looks into all files."""
        self.add_harmful()
        self.add(bad_plugin("fatal/faulty_calls"), "faulty_calls")
        done = self.record(program("marked-program"), "10", collect=["faulty_collector", "marker"])
        self.assertLeftOut(done.stderr)
        self.assertGreater(self.records_of(self.result(), "marker"), 0)

    def test_bundled_files_are_not_tried(self):
        """Strobe's own files are not tried, whichever folder they were found in: a process for each
        file would double a command's time."""
        self.strobe("import", "-o", self.out, self.trace)
        files = self.json("plugins", "fake")
        self.environment["STROBE_PLUGIN_PATH"] = files[0]["file"].rpartition("/")[0]
        log = self.work / "trace.txt"
        if not shutil.which("strace"):
            self.skipTest("no strace")
        subprocess.run(["strace", "-f", "-e", "trace=execve", "-o", log, STROBE, "show", "--list",
                        self.result()], env=self.environment, check=True, capture_output=True)
        self.assertNotIn("--try-plugin", log.read_text())


class CallsTest(FaultsTest):
    """A message names the component that ended the command, however it did that; nothing incomplete
    is left."""

    def setUp(self):
        super().setUp()
        self.add(bad_plugin("fatal/faulty_calls"), "faulty_calls")

    def assertBlamed(self, what, call, how, *words):
        """The signal ends the command, so that there can be a core file."""
        codes = {"exit": 4, "abort": -signal.SIGABRT, "null": -signal.SIGSEGV, "trap": -signal.SIGILL}
        says = {"exit": "ended the process by exit()"}.get(how, "crashed")
        errors = self.strobe(*words, code=codes[how]).stderr
        self.assertIn('strobe: The %s %s in its call "%s"' % (what, says, call), errors)

    def test_exporter(self):
        self.record("true")
        result = self.result()
        before = sorted(result.rglob("*"))
        for call, how in (("open", "abort"), ("batch", "null"), ("raw_end", "trap"), ("end", "exit"),
                          ("close", "exit")):
            with self.subTest(call=call, how=how):
                exporter = "faulty_exporter:at=%s,how=%s" % (call, how)
                for limit in ((), ("--max-mem", "96M")):
                    self.assertBlamed('exporter "faulty_exporter"', call, how, "analyse", *limit,
                                      "--export", exporter, result)
                    self.assertEqual(sorted(result.rglob("*")), before)
        self.strobe("analyse", "--export", "faulty_exporter", result)

    def test_importer(self):
        for call, how in (("probe", "exit"), ("probe", "null"), ("import", "abort"), ("import", "exit")):
            with self.subTest(call=call, how=how):
                source = self.work / ("%s-%s" % (call, how))
                source.write_text("#faulty %s %s%s" % (call, how, " " * 32))
                self.assertBlamed('importer "faulty_importer"', call, how, "import", "-o", self.out,
                                  source)
                self.assertEqual(list(self.out.rglob("*")), [])

    def test_collector_is_asked(self):
        ran = self.work / "ran"
        for how in ("exit", "abort"):
            self.environment["FAULTY_PROBE"] = how
            self.assertBlamed('collector "faulty_collector"', "probe", how, "run", "-o", self.out,
                              "--collect", "faulty_collector", "--", "touch", ran)
        self.assertFalse(ran.exists())
