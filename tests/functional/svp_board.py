# SPDX-License-Identifier: Apache-2.0
"""Tests with a program of a camera board and libstrobe-board.so in front of the test double of the
runtime."""

import json
import subprocess

from support import BUILD, StrobeTest

LIBRARY = BUILD / "board" / "libstrobe-board.so"
PROGRAM = BUILD / "tests" / "svp-double" / "svp-program"
# These functions name models that are loaded from memory.
OPENERS = {"open", "open64", "openat", "openat64", "fopen", "fopen64"}
LAYERS = """\
layer conv1 Convolution AA_CORE 400 400000 320000 260000 20000 12000 40000 8000 96000 60000 1048576 524288 2000 65
layer pool1 Pooling AA_CORE 200 200000 0 0 180000 120000 140000 2000 90000 0 409600 102400 1000 35
layer detect DetectionOutput AA_CPU 300
layer conv2+relu2 Convolution AA_CORE 100 100000 50000 40000 10000 0 5000 1000 60000 20000 204800 51200 1000 30
"""


class BoardTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.jobs = self.work / "jobs"
        self.jobs.mkdir()
        self.config = self.work / "acl.json"
        self.double = self.work / "double.txt"
        self.given = self.work / "given.json"
        self.environment["TMPDIR"] = str(self.work)  # TMPDIR contains the locks of devices

    def configure(self, double=LAYERS, dump=None, **keys):
        values = {"switch": "on", "output": str(self.jobs), "aacpu": "on",
                  "aac_metrics": "ArithmeticUtilization", "acl_api": "on", "interval": "0", **keys}
        sections = {"profiler": {key: value for key, value in values.items() if value is not None}}
        if dump:
            sections["dump"] = dump
        self.config.write_text(json.dumps(sections))
        self.double.write_text(double)

    def begin(self, *words, config=None, **options):
        environment = {**self.environment, "LD_PRELOAD": str(LIBRARY),
                       "SVP_DOUBLE": str(self.double), "SVP_DOUBLE_CONFIG": str(self.given)}
        config = self.config if config is None else config
        return subprocess.Popen(
            [PROGRAM, config, "/models/a.b-c.1.om", *map(str, words)], env=environment,
            cwd=self.work, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, **options)

    def run_program(self, *words, code=0, **options):
        process = self.begin(*words, **options)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, errors)
        return output, errors

    def job(self):
        (job,) = self.jobs.glob("JOB*")
        return job

    def info(self, device=0):
        return json.loads((self.job() / ("info.json.%d" % device)).read_text())

    def calls(self, job=None):
        shown = json.loads(self.strobe("svp", "show", "-dir", job or self.job(), "--json").stdout)
        return {row["Name"]: row["Count"] for row in shown["acl_statistic"]}

    def data(self):
        return sorted(path.name for path in (self.job() / "data").iterdir()
                      if not path.name.endswith((".done", ".info")))
