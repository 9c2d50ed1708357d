# SPDX-License-Identifier: Apache-2.0
"""How the time of the command grows with its input, and shrinks with a second processor: a trace of
PyTorch's shape into a capture, and that into a trace and into tables."""

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
        self.importer = bench.program("import_source")
        self.environment = dict(bench.environment, STROBE_PLUGIN_PATH=str(bench.build / "plugins"))
        self.scratch = pathlib.Path(bench.scratch)
        self.output = self.scratch / "scaled"
        self.events = {}
        self.inputs = {}

    def run(self, command, n):
        begin = time.perf_counter()
        subprocess.run(command, check=True, env=self.environment, preexec_fn=limited(n),
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.perf_counter() - begin

    def prepare(self):
        for size in SMALL, LARGE:
            trace = self.scratch / ("trace-%d.json" % size)
            self.events[size] = kineto_trace.write(str(trace), size)
            folder = self.scratch / ("imported-%d" % size)
            self.run([self.strobe, "import", str(trace), "-o", str(folder)], 1)
            (capture,) = folder.rglob("capture.strobe")
            # the command exports what it has imported
            self.inputs["import", size] = [self.importer, str(trace), str(self.scratch), "1"]
            for what, exporter in (("trace", "chrome_trace"), ("csv", "csv")):
                self.inputs[what, size] = [self.strobe, "analyse", str(capture), "--export",
                                           exporter, "-o", str(self.output)]

    def seconds(self, what, size, n):
        shutil.rmtree(self.output, ignore_errors=True)
        return self.run(self.inputs[what, size], n)

    def measure(self, what):
        """Seconds of the small input, of the large one, and of that on two processors, in turn."""
        found = [], [], []
        for _ in range(REPEATS):
            found[0].append(self.seconds(what, SMALL, 1))
            found[1].append(self.seconds(what, LARGE, 1))
            if processors() > 1:
                found[2].append(self.seconds(what, LARGE, 2))
        return found
