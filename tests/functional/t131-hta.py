# SPDX-License-Identifier: Apache-2.0
"""HolisticTraceAnalysis finds the same in a trace that Strobe imported and exported as in the
original trace.

The cases on real traces need the data that support.DATA names, and are skipped without them.
"""

import json
import pathlib
import subprocess
import unittest

import kineto
from support import DATA, TOP, VENV_PYTHON, StrobeTest, needs_torch2

ANALYSES = TOP / "tests" / "functional" / "hta_analyses.py"


@needs_torch2
class HtaTest(StrobeTest):
    def export(self, source):
        """The trace that Strobe writes for an original one."""
        done = self.strobe("import", "--json", "-o", self.work / ("out-" + source.name),
                           "--export", "tensorboard", source)
        (path,) = pathlib.Path(json.loads(done.stdout)[0]["output"]).glob("*.pt.trace.json")
        return path

    def analyse(self, *paths):
        """The results of HolisticTraceAnalysis for each of the files."""
        done = subprocess.run([VENV_PYTHON, ANALYSES, *paths], env=self.environment, text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        return [found[str(path)] for path in paths]

    def compare(self, *sources):
        """The analyses of the exported traces equal those of the originals. Returns the former."""
        found = self.analyse(*sources, *map(self.export, sources))
        originals, exported = found[: len(sources)], found[len(sources):]
        for source, original, ours in zip(sources, originals, exported):
            self.assertEqual(set(original), {"temporal", "kernel", "overlap", "idle", "queue",
                                             "queue over time"})
            for analysis, tables in original.items():
                with self.subTest(source=source.name, analysis=analysis):
                    self.assertEqual(ours[analysis], tables)
        return originals

    def test_made_trace(self):
        source = self.script("training.json", json.dumps(kineto.training()))
        (found,) = self.compare(source)
        names, row = found["temporal"][0]
        times = dict(zip(names, row))
        self.assertGreater(times["compute_time(us)"], 600)
        self.assertGreater(times["non_compute_time(us)"], 100)
        (_, (_, overlap)), = found["overlap"]
        self.assertGreater(overlap, 30)
        kinds = {row[0] for row in found["kernel"][0][1:]}
        self.assertEqual(kinds, {"COMPUTATION", "COMMUNICATION", "MEMORY",
                                 "COMPUTATION overlapping COMMUNICATION"})
        idle = {row[2] for row in found["idle"][0][1:] if row[3]}
        self.assertEqual(idle, {"host_wait", "kernel_wait"})
        names, first, *_ = found["queue"][0]
        self.assertEqual(dict(zip(names, first))["('queue_length', 'max')"], 2)
        self.assertGreater(len(found["queue over time"][0]), 20)

    @unittest.skipUnless((DATA / "kineto").is_dir(), "no real traces in %s" % DATA)
    def test_real_traces(self):
        sources = sorted((DATA / "kineto").glob("*.json.gz"))
        found = dict(zip([source.name for source in sources], self.compare(*sources)))
        for name in ("alexnet_cuda.json.gz", "rocm.json.gz"):
            for analysis, tables in found[name].items():
                self.assertIsInstance(tables, list, (name, analysis))


if __name__ == "__main__":
    unittest.main()
