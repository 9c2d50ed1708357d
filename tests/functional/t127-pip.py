# SPDX-License-Identifier: Apache-2.0
"""The installation with pip: the command in an environment; and, in the long suite, the wheel and
its content."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import zipfile

from support import BUILD, PYTHON, STROBE, TOP, StrobeTest, has_torch

TORCH2 = BUILD / "venv-torch"

TRAINING = """
import torch
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    model(torch.ones(3, 4)).sum().backward()
    optimizer.step()
"""

PROFILE = """
import torch
from strobe import profiler
with profiler.profile() as p:
    torch.ones(8, 8) @ torch.ones(8, 8)
print(sorted(event.name for event in p.events() if event.name == "aten::mm"))
"""


class Launcher(StrobeTest):
    """bin/strobe of an environment is a script that runs the command in the package."""

    def lay_out(self, *parts):
        """Makes an environment with the package at `parts`, whose command prints its arguments."""
        binaries = self.work / "env" / "bin"
        package = self.work.joinpath("env", *parts, "strobe", "bin")
        for folder in (binaries, package):
            folder.mkdir(parents=True)
        (package / "strobe").write_text('#!/bin/sh\necho "$0" "$@"\nexit 3\n')
        (package / "strobe").chmod(0o755)
        shutil.copy(TOP / "tools" / "strobe-launcher", binaries / "strobe")
        return binaries / "strobe", package / "strobe"

    def run_launcher(self, path, *words):
        return subprocess.run([path, *words], capture_output=True, text=True, cwd="/")

    def test_places(self):
        for parts in (
            ("lib", "python3.11", "site-packages"),
            ("lib", "python3.13", "dist-packages"),
            ("lib64", "python3.12", "site-packages"),
            (),  # pip install --target
        ):
            with self.subTest(parts):
                launcher, command = self.lay_out(*parts)
                done = self.run_launcher(launcher, "show", "a b")
                self.assertEqual(done.returncode, 3, done.stderr)
                path, words = done.stdout.split(" ", 1)
                self.assertEqual(os.path.realpath(path), str(command.resolve()))
                self.assertEqual(words, "show a b\n")
                shutil.rmtree(self.work / "env")

    def test_moved_and_linked(self):
        self.lay_out("lib", "python3.11", "site-packages")
        (self.work / "env").rename(self.work / "moved away")
        link = self.work / "strobe"
        link.symlink_to(self.work / "moved away" / "bin" / "strobe")
        self.assertEqual(self.run_launcher(link, "x").returncode, 3)

    def test_package_is_gone(self):
        launcher, command = self.lay_out("lib", "python3.11", "site-packages")
        command.unlink()
        done = self.run_launcher(launcher)
        self.assertEqual(done.returncode, 127)
        self.assertIn('the Python package "strobe" is not where pip has installed it', done.stderr)


def _files(folder):
    """All files in the environment except those of pip itself."""
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if not {"pip", "setuptools"} & set(path.parts)
    }


@unittest.skipUnless(os.environ.get("STROBE_TEST_PIP"), "takes minutes: in the suite long")
class Wheel(StrobeTest):
    @classmethod
    def setUpClass(cls):
        cls.scratch = pathlib.Path(tempfile.mkdtemp(prefix="strobe-pip-"))
        cls.addClassCleanup(shutil.rmtree, cls.scratch)
        cls.source = cls.scratch / "source"
        shutil.copytree(TOP, cls.source, symlinks=True, ignore=shutil.ignore_patterns(
            "build*", ".git", ".mesonpy-*", "__pycache__", "shared"))
        maker = cls.make_environment("maker")
        got = cls.pip(maker, "download", "-q", "--no-deps", "-d", cls.scratch / "tools",
                      "meson-python>=0.18")
        if got.returncode:
            raise unittest.SkipTest("pip cannot get meson-python: " + got.stderr[-300:])
        made = cls.pip(maker, "wheel", "-q", "--no-deps", "-w", cls.scratch / "wheels", cls.source)
        if made.returncode:
            raise AssertionError(made.stdout + made.stderr)
        (cls.wheel,) = (cls.scratch / "wheels").iterdir()

    @classmethod
    def make_environment(cls, name, *flags):
        folder = cls.scratch / name
        made = subprocess.run([PYTHON, "-m", "venv", *flags, folder], capture_output=True, text=True)
        if made.returncode:
            raise unittest.SkipTest("no environments for %s: %s" % (PYTHON, made.stdout))
        return folder

    @classmethod
    def pip(cls, environment, *words):
        variables = {name: value for name, value in os.environ.items()
                     if not name.startswith(("PYTHON", "STROBE_", "LD_"))}
        return subprocess.run([environment / "bin" / "python3", "-m", "pip", *map(str, words)],
                              capture_output=True, text=True, env=variables, cwd=cls.scratch)

    def install(self, name, *flags):
        folder = self.make_environment(name, *flags)
        done = self.pip(folder, "install", "--no-deps", "--no-index", self.wheel)
        self.assertEqual(done.returncode, 0, done.stderr)
        return folder

    def run_good(self, *words):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                              cwd=self.work, env=self.environment, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def operators(self, strobe, result):
        rows = json.loads(self.run_good(strobe, "show", result, "--table", "operator_average",
                                        "--limit", "1000", "--json").stdout)
        return {row["name"]: row["calls"] for row in rows[0]["rows"]}

    def plugins(self, strobe):
        """The names of all components, and the folders from which they come."""
        said = json.loads(self.run_good(strobe, "plugins", "--json").stdout)
        return ({plugin["name"] for plugin in said},
                {os.path.dirname(plugin["file"]) for plugin in said})

    def use(self, folder):
        """Uses each way into the package as a user does."""
        strobe, python = folder / "bin" / "strobe", folder / "bin" / "python3"
        site = next(folder.glob("lib/python3*/site-packages"))
        self.assertTrue((site / "strobe.pth").is_file())
        names, folders = self.plugins(strobe)
        self.assertEqual(names, self.plugins(STROBE)[0])
        self.assertEqual(folders, {str(site / "strobe" / "lib" / "strobe")})
        found = self.run_good(
            python, "-c", "from strobe import profiler, command; print(command.find())")
        self.assertEqual(found.stdout.strip(), str(site / "strobe" / "bin" / "strobe"))
        shutil.rmtree(self.out, ignore_errors=True)
        self.run_good(strobe, "run", "-o", self.out, "--collect", "gc", "--", python, "-c",
                      "import gc; from strobe import profiler; gc.collect()")
        self.assertGreater(json.loads(self.run_good(strobe, "info", "--json", self.result()).stdout)
                           [0]["kinds"].get("gc", 0), 0)

    def test_tag(self):
        version = self.run_good(PYTHON, "-c", "import sys; print('%d%d' % sys.version_info[:2])")
        self.assertIn("-cp%s-abi3-linux_" % version.stdout.strip(), self.wheel.name)

    def test_licence(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            (metadata,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
            text = wheel.read(metadata).decode()
            licence = wheel.read(metadata.replace("METADATA", "licenses/LICENSE"))
        self.assertIn("\nLicense-Expression: Apache-2.0\n", text)
        self.assertEqual(licence, (TOP / "LICENSE").read_bytes())

    def test_nothing_is_left(self):
        folder = self.make_environment("left")
        before = _files(folder)
        self.assertEqual(self.pip(folder, "install", "--no-index", self.wheel).returncode, 0)
        self.use(folder)
        self.assertEqual(self.pip(folder, "uninstall", "-y", "strobe").returncode, 0)
        self.assertEqual(_files(folder), before)

    def test_moved(self):
        folder = self.install("still")
        self.use(folder)
        moved = folder.rename(self.scratch / "moved away")
        self.use(moved)
        copy = self.scratch / "copy"
        shutil.copytree(moved, copy, symlinks=True)
        shutil.rmtree(moved)
        self.use(copy)

    def test_no_file_knows_where_it_was_made(self):
        folder = self.install("strings")
        site = next(folder.glob("lib/python3*/site-packages"))
        files = [path for path in (site / "strobe").rglob("*") if path.is_file()]
        self.assertGreater(len(files), 80)
        prefixes = [str(place).encode() for place in (self.source, "/.mesonpy-", "/usr/local/lib",
                                                      "/usr/lib/python")]
        for path in [*files, folder / "bin" / "strobe"]:
            if path.suffix != ".pyc":  # pip itself stores the name of the source there
                data = path.read_bytes()
                for prefix in prefixes:
                    self.assertNotIn(prefix, data, path)

    def torch_environment(self):
        """Makes an environment with the package and a PyTorch that has no bridge yet."""
        if TORCH2.is_dir():
            folder = self.install("torch")
            site = next(TORCH2.glob("lib/python3*/site-packages"))
            own = next(folder.glob("lib/python3*/site-packages"))
            (own / "torch2.pth").write_text("%s\n" % site)
        elif has_torch():
            folder = self.install("torch", "--system-site-packages")
        else:
            self.skipTest("no PyTorch")
        return folder

    def test_torch(self):
        folder = self.torch_environment()
        strobe, python = folder / "bin" / "strobe", folder / "bin" / "python3"
        script = self.script("train.py", TRAINING)
        for n in (1, 0):
            shutil.rmtree(self.out, ignore_errors=True)
            done = self.run_good(strobe, "run", "-o", self.out, "--", python, script)
            self.assertEqual(done.stderr.count("Built the bridge to PyTorch"), n, done.stderr)
            self.assertEqual(self.operators(strobe, self.result())["aten::linear"], 3)
        shutil.rmtree(self.work / ".cache")
        script = self.script("profile.py", PROFILE)
        for n in (1, 0):
            done = self.run_good(python, script)
            self.assertEqual(done.stderr.count("Built the bridge to PyTorch"), n, done.stderr)
            self.assertEqual(done.stdout, "['aten::mm']\n")
