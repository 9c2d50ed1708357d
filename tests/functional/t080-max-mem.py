# SPDX-License-Identifier: Apache-2.0
"""--max-mem: the largest memory of commands, on a trace that is made to need much memory
(bench/hostile), and that their output does not depend on the limit.

STROBE_TEST_EVENTS sets the number of events in the trace. The long suite's trace has 5 GB, and is
read under the default limit."""

import os
import shutil
import subprocess
import tempfile
import time
import unittest

from support import ANALYSIS_LOG, BUILD, STROBE, StrobeTest, program

HOSTILE = str(BUILD / "bench" / "hostile")
EVENTS = int(os.environ.get("STROBE_TEST_EVENTS", "300000"))
LONG = EVENTS > 1000000
LIMIT_MB = 512 if LONG else 96
BESIDE_MB = 64  # for the program itself and its libraries
SHORTAGE = r"Out of memory: \d+ KB more for what .* keeps? of this input do not fit into --max-mem of \d+ MB"
# All of them export in one run; each is also checked alone.
EXPORTERS = ("csv", "chrome_trace", "db", "stacks", "tensorboard", "memory_timeline")


def private_kb(pid):
    """The private memory of a process; 0 if it has ended."""
    try:
        with open("/proc/%d/status" % pid, encoding="utf-8") as file:
            return sum(int(line.split()[1]) for line in file if line.startswith(("RssAnon", "RssShmem")))
    except OSError:
        return 0


@unittest.skipUnless(os.path.exists(HOSTILE), "no benchmarks here")
class MaxMemTest(StrobeTest):
    folder = None  # contains the trace and its import, made once

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="strobe-hostile-", dir=os.environ.get("TMPDIR"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.trace = os.path.join(cls.folder, "hostile.json")
        subprocess.run([HOSTILE, cls.trace, str(EVENTS)], check=True)

    def setUp(self):
        super().setUp()
        self.temporary = self.work / "temporary"
        self.temporary.mkdir()

    def run_at(self, megabytes, *words):
        """Runs the command with this limit. Returns its exit code, its messages, and its largest
        memory in MB."""
        words = [STROBE, *map(str, words), "--max-mem", "%dMB" % megabytes, "--tmp-dir", str(self.temporary)]
        code, errors, peak = (self.watch if LONG else self.measure)(words)
        self.assertEqual(list(self.temporary.iterdir()), [])
        print("# %s with --max-mem %dMB: code %d, %.0f MB" % (words[1], megabytes, code, peak))
        return code, errors, peak

    def measure(self, words):
        """Measures the largest resident memory, as the kernel counts it."""
        done = subprocess.run([program("peak"), *words], env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        return done.returncode, done.stderr, int(done.stdout) / 1024

    def watch(self, words):
        """Looks at the private memory again and again. Pages of large files that are mapped are resident too
        while memory is free, but the kernel takes them back."""
        peak = 0
        with open(self.work / "errors", "w+") as errors:
            process = subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL,
                                       stdout=errors, stderr=errors)
            self.addCleanup(process.kill)
            while process.poll() is None:
                peak = max(peak, private_kb(process.pid))
                time.sleep(0.01)
            errors.seek(0)
            return process.returncode, errors.read(), peak / 1024

    def assertBounded(self, *words):
        """The command succeeds or exits with 6, and stays within the limit. Returns true if it
        succeeded."""
        code, errors, peak = self.run_at(LIMIT_MB, *words)
        self.assertLess(peak, LIMIT_MB + BESIDE_MB)
        if code:
            self.assertEqual(code, 6, errors)
            self.assertRegex(errors, SHORTAGE)
            self.assertEqual([path for path in self.work.rglob(".*") if path.is_file()], [])
        return code == 0

    def files(self, folder):
        """The contents of files by name."""
        return {str(path.relative_to(folder)): path.read_bytes()
                for path in sorted(folder.rglob("*"))
                if path.is_file() and not path.name.endswith(ANALYSIS_LOG)}

    def assertSame(self, little, much):
        little, much = self.files(little), self.files(much)
        self.assertEqual(list(little), list(much))
        for name in much:
            self.assertTrue(little[name] == much[name], "%s differs" % name)

    def imported(self):
        """A capture of the trace, without output files."""
        folder = os.path.join(self.folder, "imported")
        if not os.path.isdir(folder):
            self.strobe("import", self.trace, "-o", folder, "--export", "stacks", "--max-mem", "8GB")
        return os.path.join(folder, os.listdir(folder)[0])

    def test_import_and_all_exporters(self):
        exports = [word for name in EXPORTERS for word in ("--export", name)]
        words = ("import", self.trace, "-o")
        self.assertBounded(*words, self.work / "little", *exports)
        if LONG:
            return
        for megabytes, name in ((512, "enough"), (8192, "much")):
            code, errors, _ = self.run_at(megabytes, *words, self.work / name, *exports)
            self.assertEqual(code, 0, errors)
        self.assertSame(self.work / "enough", self.work / "much")

    def test_state_that_does_not_fit(self):
        """The command ends in order, and the message names the part that needs the memory."""
        trace = os.path.join(self.folder, "long.json")
        subprocess.run([HOSTILE, trace, "1000000"], check=True)
        code, errors, peak = self.run_at(96, "import", trace, "-o", self.work / "out",
                                         "--export", "csv")
        self.assertEqual(code, 6, errors)
        self.assertRegex(errors, SHORTAGE)
        self.assertLess(peak, 96 + BESIDE_MB)
        self.assertEqual({path.name for path in (self.work / "out").rglob("*") if path.is_file()},
                         {"capture.strobe"}, "what was imported is whole")

    def test_analyse(self):
        self.assertBounded("analyse", self.imported(), "-o", self.work / "out", "--export", "csv")

    def test_export(self):
        self.assertBounded("export", self.imported(), "-o", self.work / "out", "--export",
                           "chrome_trace", "--kind", "cpu_op")

    def test_diff(self):
        self.assertBounded("diff", self.imported(), self.imported())

    def test_diff_of_sources(self):
        self.assertBounded("diff", self.trace, self.imported(), "--by", "kernel")

    def test_show(self):
        self.assertBounded("show", self.imported())

    def test_info(self):
        self.assertBounded("info", self.imported())


class OptionTest(StrobeTest):
    def test_size(self):
        for text in ("1MB", "much", "-5", " "):
            errors = self.strobe("info", self.work, "--max-mem", text, code=2).stderr
            self.assertIn('--max-mem is "%s", expected a size of at least 96MB' % text, errors)

    def test_units(self):
        for text in ("256M", "256MB", "256MiB", "0.25G", "262144K"):
            self.assertNotIn("max-mem", self.strobe("info", self.work, "--max-mem", text, code=5).stderr)
        errors = self.strobe("info", self.work, "--max-mem", "256mb", code=2).stderr
        self.assertIn('such as 512MB, did you mean "MB"?', errors)

    def test_folder(self):
        path = self.work / "none"
        path.write_text("")
        errors = self.strobe("info", self.work, "--tmp-dir", path, code=6).stderr
        self.assertIn('folder="%s"' % path, errors)

    def test_missing_folder(self):
        """The missing folder is not created, because it would be left behind; and no program is
        started in vain."""
        missing, ran = self.work / "missing", self.work / "ran"
        words = ("run", "-o", self.out, "--tmp-dir", missing, "--", "touch", ran)
        for words in (words, ("info", self.work, "--tmp-dir", missing)):
            errors = self.strobe(*words, code=6).stderr
            self.assertIn('folder="%s": No such file or directory' % missing, errors)
            self.assertFalse(missing.exists())
        self.assertFalse(ran.exists())

    def test_default_folder(self):
        path = self.work / "none"
        path.write_text("")
        # this is not a folder, so the next candidate is used
        self.environment["TMPDIR"] = str(path)
        self.assertNotIn(str(path), self.strobe("info", self.work, code=5).stderr)
