# SPDX-License-Identifier: Apache-2.0
"""Common data of all benchmarks: the measured build, folders, and inputs that are made once."""

import json
import os
import pathlib
import subprocess

from free_memory import free_memory
from raw_files import RawFiles

PYTHON = SYSTEM_PYTHON = "/usr/bin/python3"
TOP = pathlib.Path(__file__).resolve().parent.parent
SPANS = 1000000
MIX_RECORDS = 800000


class Skipped(Exception):
    """A benchmark that cannot run here."""


class Bench:
    """The measured build, a scratch folder, and, if possible, a scratch folder in memory."""

    def __init__(self, build, scratch, memory=None, records=MIX_RECORDS):
        self.build = pathlib.Path(build).resolve()
        self.scratch = scratch
        self.records = records
        self._memory = memory
        self._captures = {}
        self._mixes = {}
        self._raw = {}
        self.environment = dict(os.environ, OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
        self.environment["PYTHONPATH"] = str(self.build / "python")
        self.torch2_python = str(self.build / "venv-torch" / "bin" / "python")

    def program(self, name, package=None):
        """The path of a benchmark program. `package` is a Debian package that its build needs."""
        path = self.build / "bench" / name
        if not path.exists():
            needs = " (it needs %s)" % package if package else ""
            raise Skipped("bench/%s was not built%s" % (name, needs))
        return str(path)

    def lines(self, command, environment=None):
        """Runs a benchmark program. Returns the samples that it printed, by name."""
        found = {}
        for line in self.output(command, environment).splitlines():
            values = json.loads(line)
            found[values["name"]] = values.get("samples", values.get("text"))
        return found

    def output(self, command, environment=None):
        """Runs a program and returns its output."""
        name = os.path.basename(command[0])
        try:
            done = subprocess.run(command, env=environment or self.environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        except OSError as error:
            raise Skipped("%s: %s" % (command[0], error.strerror)) from error
        if done.returncode:
            said = done.stderr.strip().splitlines()[-1:] or ["exit code %d" % done.returncode]
            raise Skipped("%s: %s" % (name, said[0]))
        return done.stdout

    def require_python(self, python):
        """Skips the benchmark if there is no interpreter with PyTorch from pip, as on some machines."""
        if not os.path.exists(python):
            raise Skipped("%s is not there (./dev bench makes build/venv-torch where pip has a "
                          "small PyTorch for the interpreter)" % python)

    def torch_library(self, python, source):
        """Compiles a C++ file of this folder against the PyTorch of an interpreter."""
        self.require_python(python)
        source = pathlib.Path(__file__).with_name(source)
        script = TOP / "plugins" / "fixture" / "torch_library.py"
        return self.output([python, str(script), str(source), str(self.build / "bench")]).split()[-1]

    def capture(self, compress="none"):
        """A capture of SPANS spans, made once."""
        if compress not in self._captures:
            folder = os.path.join(self.scratch, "capture_" + compress)
            os.mkdir(folder)
            command = [self.program("capture"), folder, str(SPANS), compress]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            self._captures[compress] = done.stdout.strip()
        return self._captures[compress]

    def mix(self, records):
        """A synthetic capture (bench/mix.c) with this number of records, made once."""
        if records not in self._mixes:
            folder = os.path.join(self.scratch, "mix_%d" % records)
            os.mkdir(folder)
            command = [self.program("mix"), folder, str(records)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            self._mixes[records] = done.stdout.strip()
        return self._mixes[records]

    def room(self, size):
        """The folder in which outputs of this size disturb least: in memory if enough is free. Files there also count
        towards the limit of the control group."""
        if not self._memory:
            return self.scratch
        volume = os.statvfs(self._memory)
        free = min(free_memory(), volume.f_bavail * volume.f_frsize)
        return self._memory if free > 2 * size else self.scratch

    def raw(self, operators):
        """A folder with raw files of this number of operators, made once."""
        if operators not in self._raw:
            self._raw[operators] = os.path.join(self.scratch, "raw_%d" % operators)
            RawFiles(self._raw[operators]).make(operators)
        return self._raw[operators]
