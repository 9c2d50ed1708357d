#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs each of Strobe's commands on the pages for beginners, and each block of shell commands on
any page, as they are printed there."""

import gzip
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
# Data of an Ascend host, which not every machine has.
NOT_HERE = {"strobe import PROF_1 -o result"}


def commands_of(page):
    """The commands of a page, in its order, each once."""
    text = (TOP / "docs" / page).read_text()
    return list(dict.fromkeys(re.findall(r"`(strobe (?!run`)[^`\n]+)`", text)))


def can_sample():
    done = subprocess.run([TOOLS / "strobe", "plugins", "cpu_sample"], capture_output=True, text=True)
    return "works here: yes" in done.stdout


needs_torch = unittest.skipUnless(
    subprocess.run(["/usr/bin/python3", "-c", "import torch"], capture_output=True).returncode == 0, "no PyTorch")


class PageTest(unittest.TestCase):
    """Runs commands in a folder with the files that they name."""

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
        self.write_program("program", "exec %s plain 0.2" % WORK)
        (self.work / "script.py").write_text(SCRIPT)
        (self.work / "train.py").write_text(SCRIPT)
        self.make_trace()

    def write_program(self, name, line):
        program = self.work / name
        program.write_text("#!/bin/sh\n%s\n" % line)
        program.chmod(0o755)

    def start_program(self):
        """Starts a program that works. Returns its process id."""
        process = subprocess.Popen([WORK, "plain", "1000"], stdout=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process.pid

    def make_trace(self):
        """Makes a trace with operators in the form of PyTorch's profiler, and results of it to
        compare."""
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


@unittest.skipUnless(WORK.exists() and can_sample(), "perf_event_open is not permitted here")
class CommandsTest(PageTest):
    def newest(self):
        """A command that reads "result" means the result of the last recording."""
        results = sorted((self.work / "result").glob("*_ascend_pt"), key=lambda path: path.stat().st_mtime)
        for path in results[:-1]:
            shutil.rmtree(path)

    # If the script has no data for a table, such as PyTorch's operators, the table is empty: code 8
    # or a message.
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

    @tap.long_test
    def test_coming_from(self):
        self.check_page("coming-from.md", 20)


# Commands of blocks that another test runs: they install, serve, build for a board, or run all
# tests.
ELSEWHERE = {
    "./dev test": ".ci/run",
    "pip install .": "tests/functional/t127-pip.py",
    "tensorboard --logdir result": "tests/functional/tensorboard_client.py",
    "LD_PRELOAD=libstrobe-board.so ./main": "tests/functional/svp_board.py",
    "meson setup kit --cross-file board/kit/aarch64-linux-gnu.ini -Dboard_kit=true":
        "tests/functional/t191-board-kits.py",
    "ninja -C kit": "tests/functional/t191-board-kits.py",
}
BY_OTHERS = {"docs/board.md": "tests/functional/t195-job-results.py"}
PAGES = ("README.md", "docs/ascend-config.md", "docs/ascend-host.md", "docs/board.md", "docs/clients.md",
         "docs/correlation.md", "docs/findings.md", "docs/marks.md", "docs/opencl.md", "docs/plugin-guide.md",
         "docs/report.md", "docs/show.md", "sdk/template/README.md")
TRAINING = """import torch
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    optimizer.zero_grad()
    model(torch.ones(3, 4)).sum().backward()
    optimizer.step()
"""


def shell_blocks(path):
    """The blocks of shell commands of a page, without their indentation."""
    for indent, text in re.findall(r"^( *)```sh\n(.*?)^ *```$", path.read_text(), re.M | re.S):
        yield re.sub("^" + indent, "", text, flags=re.M)


class BlocksTest(PageTest):
    """Each block is a shell script. A table without records on this machine is no error."""

    def setUp(self):
        super().setUp()
        (self.work / "train.py").write_text(TRAINING)
        for name in "serve", "infer":
            self.write_program(name, "exec %s plain 0.2" % WORK)
        (self.work / "profiler_config.json").write_text('{"activities": ["CPU"], "analyse": true}')
        (self.work / "acl.json").write_text('{"profiler": {"switch": "on", "output": "."}}')
        with gzip.open(self.work / "trace.json.gz", "wb") as file:
            file.write((self.work / "trace.json").read_bytes())
        for name in "result", "results", "before_ascend_pt", "after_ascend_pt", "job":
            shutil.copytree(self.work / "a1", self.work / name)
        self.stand_in("xdg-open", "exit 0")

    def stand_in(self, name, line):
        """Puts a program with this name before those of the system."""
        (self.work / "stand-ins").mkdir(exist_ok=True)
        self.write_program("stand-ins/" + name, line)
        self.environment["PATH"] = "%s/stand-ins:%s:/usr/bin:/bin" % (self.work, TOOLS)

    def script_of(self, page, block):
        lines = []
        for line in block.replace("\\\n", " ").splitlines():
            command = line.split("  #")[0].strip()
            if command in ELSEWHERE or page in BY_OTHERS:
                continue
            if command.startswith("strobe show"):
                command += " || [ $? -eq 8 ]"
            lines.append(command.replace("4711", str(self.start_program())) if "4711" in command else command)
        return "\n".join(lines)

    def prepare(self, block):
        """A block that begins with a recording reads only this recording; a block that reads a
        segment finds one."""
        first = next((line for line in block.splitlines() if line.startswith("strobe")), "")
        if first.startswith("strobe run -o result"):
            shutil.rmtree(self.work / "result", ignore_errors=True)
        if "capture.00002" in block:
            self.strobe("run", "-o", "result", "--collect", "fake:records=400000", "--no-default-collectors",
                        "--rotate", "size=2MB,keep=5", "--", "true")

    def run_page(self, page):
        blocks = list(shell_blocks(TOP / page))
        self.assertTrue(blocks, page)
        for block in blocks:
            self.prepare(block)
            script = self.script_of(page, block)
            done = subprocess.run(["sh", "-eux"], input=script, cwd=self.work, env=self.environment,
                                  capture_output=True, text=True, timeout=300)  # fmt: skip
            self.assertEqual(done.returncode, 0, "%s\n%s\n%s" % (page, script, done.stderr))

    def test_each_block_of_each_page_is_run(self):
        made = subprocess.run(["git", "-C", TOP, "ls-files", "*.md"], capture_output=True, text=True)
        if made.returncode:
            self.skipTest("no git")
        found = {name for name in made.stdout.split() if list(shell_blocks(TOP / name))}
        self.assertEqual(found, set(PAGES))

    def test_other_tests_are_there(self):
        text = "\n".join(block for page in PAGES for block in shell_blocks(TOP / page))
        for command in ELSEWHERE:
            self.assertRegex(text, "(?m)^%s( |$)" % re.escape(command))
        for name in {*ELSEWHERE.values(), *BY_OTHERS.values()}:
            self.assertTrue((TOP / name).exists(), name)

    # ---- pages that need something of their own ----

    @needs_torch
    def test_readme(self):
        self.make_demo()
        self.run_page("README.md")
        self.assertTrue((self.work / "build" / "demo" / "report.html").exists())

    def make_demo(self):
        """Makes a tree with a built ./dev."""
        shutil.copy(TOP / "dev", self.work)
        (self.work / "build").mkdir()
        (self.work / "build" / "build.ninja").write_text("")
        (self.work / "build" / "tools").symlink_to(TOOLS)
        (self.work / "tools").symlink_to(TOP / "tools")
        self.stand_in("ninja", "exit 0")
        self.stand_in("dpkg", "echo Status: install ok installed")

    def strobe(self, *words):
        done = subprocess.run([TOOLS / "strobe", *words], cwd=self.work, env=self.environment,
                              capture_output=True, text=True, timeout=120)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)

    @tap.long_test
    @needs_torch
    def test_pages_that_train(self):
        for page in "docs/ascend-config.md", "docs/correlation.md", "docs/report.md":
            with self.subTest(page):
                self.run_page(page)

    def test_ascend_host(self):
        self.environment["ASCEND_HOME_PATH"] = str(BUILD / "tests" / "mspti-double")
        self.write_program("program", "exec %s" % (WORK.parent / "npu-program"))
        self.run_page("docs/ascend-host.md")

    def test_pages_of_results(self):
        self.strobe("run", "-o", "result", "--collect", "host_sys:interval=10ms", "--", "./program")
        for page in "docs/clients.md", "docs/show.md":
            with self.subTest(page):
                self.run_page(page)

    @unittest.skipUnless(shutil.which("jq"), "no jq")
    def test_findings(self):
        self.run_page("docs/findings.md")

    def test_marks(self):
        self.write_program("program", "exec %s 3" % (WORK.parent / "marked-program"))
        self.run_page("docs/marks.md")

    def test_opencl(self):
        program = WORK.parent / "opencl-program"
        if not program.exists():
            self.skipTest("built without OpenCL")
        self.write_program("program", "exec %s" % program)
        self.run_page("docs/opencl.md")

    @tap.long_test
    def test_templates(self):
        root = self.work / "root"
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", root], check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip
        (package,) = root.rglob("strobe-sdk.pc")
        self.environment.update(PKG_CONFIG_PATH=str(package.parent), PKG_CONFIG_SYSROOT_DIR=str(root))
        (template,) = root.rglob("template/collector")
        shutil.copy(self.work / "program", template)  # it runs in the copy
        for page in "docs/plugin-guide.md", "sdk/template/README.md":
            with self.subTest(page):
                self.run_page(page)
                shutil.rmtree(self.work / "my_faults")


if __name__ == "__main__":
    tap.main()
