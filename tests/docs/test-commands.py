#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each command of Strobe's that the pages for beginners show runs as it stands there."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("STROBE_BUILD") or TOP / "build").resolve()
TOOLS = BUILD / "tools"
sys.path.insert(0, str(TOP / "tests"))
import tap  # noqa: E402

WORK = BUILD / "tests" / "functional" / "cpu-program"
SCRIPT = "def work():\n    return sum(i * i for i in range(1000000))\n\nwork()\nwork()\n"
# What is not on every machine: data of an Ascend host.
NOT_HERE = {"strobe import PROF_1 -o result"}


def commands_of(page):
    """In the order in which they stand there, each once."""
    text = (TOP / "docs" / page).read_text()
    return list(dict.fromkeys(re.findall(r"`(strobe (?!run`)[^`\n]+)`", text)))


def can_sample():
    done = subprocess.run([TOOLS / "strobe", "plugins", "cpu_sample"], capture_output=True, text=True)
    return "works here: yes" in done.stdout


@unittest.skipUnless(WORK.exists() and can_sample(), "perf_event_open is not permitted here")
class CommandsTest(unittest.TestCase):
    """In a folder with what the commands name."""

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="strobe-commands-"))
        self.addCleanup(shutil.rmtree, self.work)
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("STROBE_", "PYTHON", "LD_"))
        }
        self.environment["HOME"] = str(self.work)
        self.environment["PATH"] = "%s:/usr/bin:/bin" % TOOLS
        program = self.work / "program"
        program.write_text("#!/bin/sh\nexec %s plain 0.2\n" % WORK)
        program.chmod(0o755)
        (self.work / "script.py").write_text(SCRIPT)
        (self.work / "train.py").write_text(SCRIPT)
        self.make_trace()

    def start_program(self):
        """A process that works; its number."""
        process = subprocess.Popen([WORK, "plain", "1000"], stdout=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process.pid

    def make_trace(self):
        """Operators, as PyTorch's profiler writes them, and results of them to compare."""
        events = [{"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1,
                   "ts": 1000 * i, "dur": 500, "args": {"External id": i}}
                  for i, name in enumerate(["aten::add", "aten::mul"] * 20)]  # fmt: skip
        (self.work / "trace.json").write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        self.run_command("strobe import trace.json -o a1")
        for name in "a2", "a3", "b1", "b2", "b3":
            shutil.copytree(self.work / "a1", self.work / name)

    def run_command(self, line):
        if "4711" in line:
            line = line.replace("4711", str(self.start_program()))
        return subprocess.run(line, shell=True, cwd=self.work, env=self.environment,
                              capture_output=True, text=True, timeout=120)  # fmt: skip

    def newest(self):
        """A command that reads "result" is meant for what the last one recorded."""
        results = sorted((self.work / "result").glob("*_ascend_pt"), key=lambda path: path.stat().st_mtime)
        for path in results[:-1]:
            shutil.rmtree(path)

    # A table for which the script has nothing, as PyTorch's operators, is empty: code 8 or a message.
    EMPTY = re.compile(r"is empty|has no |no operators|nothing", re.I)

    def assertRuns(self, line):
        done = self.run_command(line)
        if done.returncode and "--table" in line and self.EMPTY.search(done.stderr):
            return
        self.assertEqual(done.returncode, 0, "%s\n%s%s" % (line, done.stdout, done.stderr))

    def check_page(self, page, least):
        lines = [line for line in commands_of(page) if line not in NOT_HERE]
        self.assertGreaterEqual(len(lines), least)
        for line in lines:
            with self.subTest(line):
                self.assertRuns(line)
                if (self.work / "result").exists():
                    self.newest()

    def test_which_command(self):
        self.check_page("which-command.md", 20)

    def test_coming_from(self):
        self.check_page("coming-from.md", 20)


if __name__ == "__main__":
    tap.main()
