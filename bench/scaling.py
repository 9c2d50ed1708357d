# SPDX-License-Identifier: Apache-2.0
"""How the time of the command grows with its input, and shrinks with a second processor: a trace of
PyTorch's shape into a capture, and that into a trace and into tables."""

import os
import pathlib
import shutil
import subprocess
import time

import kineto_trace
from db_export import limited, processors

SMALL, LARGE = 10, 100  # MB
REPEATS = 3


class Scaling:
    def __init__(self, bench):
        self.strobe = str(bench.build / "tools" / "strobe")
        self.environment = bench.environment
        self.scratch = pathlib.Path(bench.scratch)
        self.output = self.scratch / "scaled"
        self.events = {}
        self.inputs = {}

    def run(self, words, output, n):
        shutil.rmtree(output, ignore_errors=True)
        begin = time.perf_counter()
        subprocess.run([self.strobe, *words, "-o", str(output)], check=True, env=self.environment,
                       preexec_fn=limited(n), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.perf_counter() - begin

    def prepare(self):
        for size in SMALL, LARGE:
            trace = self.scratch / ("trace-%d.json" % size)
            self.events[size] = kineto_trace.write(str(trace), size)
            folder = self.scratch / ("imported-%d" % size)
            self.run(["import", str(trace)], folder, 1)
            (capture,) = folder.rglob("capture.strobe")
            self.inputs["import", size] = ["import", str(trace)]
            for what, exporter in (("trace", "chrome_trace"), ("csv", "csv")):
                self.inputs[what, size] = ["analyse", str(capture), "--export", exporter]

    def seconds(self, what, size, n):
        return self.run(self.inputs[what, size], self.output, n)

    def measure(self, what):
        """Seconds of the small input, of the large one, and of that on two processors, in turn."""
        found = [], [], []
        for _ in range(REPEATS):
            found[0].append(self.seconds(what, SMALL, 1))
            found[1].append(self.seconds(what, LARGE, 1))
            if processors() > 1:
                found[2].append(self.seconds(what, LARGE, 2))
        return found
