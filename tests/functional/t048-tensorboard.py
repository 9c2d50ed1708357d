# SPDX-License-Identifier: Apache-2.0
"""Traces for TensorBoard: the plugin accepts and shows Strobe's files.

Cases on real traces need STROBE_DATA, the folder with kineto/ in it, and are skipped without it.
"""

import json
import os
import pathlib
import unittest

import kineto
import tensorboard
from support import TOP, StrobeTest

DATA = pathlib.Path(os.environ.get("STROBE_DATA") or TOP.parent / "shared" / "data") / "kineto"


class CheckerTest(unittest.TestCase):
    """Tests of the rules themselves, on traces of Kineto with one change each."""

    def parse(self, change=lambda trace: None):
        trace = json.loads(json.dumps(kineto.made()))
        return tensorboard.Trace(change(trace) or trace)

    def refuses(self, reason, change):
        with self.assertRaisesRegex(tensorboard.Refused, reason):
            self.parse(change)

    def each(self, trace, **values):
        for event in trace["traceEvents"]:
            event.update(values)

    def test_what_is_refused(self):
        self.refuses("list", lambda trace: [trace])
        for phase in "XMiC":
            def nameless(trace, phase=phase):
                next(e for e in trace["traceEvents"] if e["ph"] == phase).pop("name")
            self.refuses("without a name", nameless)
        self.refuses("category", lambda trace: trace["traceEvents"][3].pop("cat") and None)
        self.refuses("category", lambda trace: trace["traceEvents"][3].update(cat=None))
        self.refuses("ts is no number", lambda trace: self.each(trace, ts="5"))
        self.refuses("dur is no number", lambda trace: self.each(trace, dur="5"))
        for index in (0, 1, 5, 6):
            self.refuses("thread", lambda trace, index=index: trace["traceEvents"][index].update(
                tid="main"))
        self.refuses("step", lambda trace: trace["traceEvents"][0].update(name="ProfilerStep#x"))
        self.refuses("no events", lambda trace: trace.update(traceEvents=[]))

    def test_what_is_fine(self):
        def change(trace):
            for event in trace["traceEvents"]:
                if event["ph"] == "M":
                    del event["ts"]
                event.get("args", {}).pop("External id", None)
            trace["traceEvents"][1]["args"]["Input Dims"] = "2,3"
            trace["traceEvents"].append({"ph": "X", "cat": "novel", "name": "n", "pid": "x",
                                         "tid": "y", "ts": 1.5, "dur": 2.25})
            del trace["schemaVersion"], trace["deviceProperties"]
        self.assertEqual(self.parse(change).steps[0][0], "7")
        trace = self.parse(lambda trace: trace["traceEvents"][0].update(name="ProfilerStep #1"))
        self.assertEqual([step[0] for step in trace.steps], ["0"])

    def test_crossing_spans_are_dropped(self):
        def change(trace):
            trace["traceEvents"].append({"ph": "X", "cat": "cpu_op", "name": "n", "pid": 100,
                                         "tid": 100, "ts": 100, "dur": 50, "args": {}})
        self.assertEqual(self.parse().trees()[1], 0)
        self.assertEqual(self.parse(change).trees()[1], 1)


class TensorBoardTest(StrobeTest):
    def exported(self, source, *flags):
        done = self.strobe("import", "--json", "-o", self.out, "--export", "tensorboard", *flags,
                           source)
        output = pathlib.Path(json.loads(done.stdout)[0]["output"])
        ((folder, workers),) = tensorboard.runs(self.out).items()
        self.assertEqual(folder, output)
        ((_, (name,)),) = workers.items()
        return tensorboard.load(folder / name)

    def made(self):
        return self.script("made.json", json.dumps(kineto.made()))

    def test_views(self):
        trace = self.exported(self.made())
        self.assertEqual(trace.views(), {"Overview", "Operator", "Trace", "Kernel", "Module",
                                         "Memory"})
        self.assertEqual([step[0] for step in trace.steps], ["7"])
        self.assertEqual(trace.module_hierarchy(), {"nn.Module: Linear_0": None})
        self.assertEqual(trace.operators()["aten::mm"][0], 1)
        self.assertAlmostEqual(trace.operators()["aten::mm"][3], 30.001, 6)
        self.assertEqual(trace.kernels()["void gemm<float>(int)"][0], 1)

    def test_overview(self):
        times = self.exported(self.made()).overview()["7"]
        self.assertAlmostEqual(times["Kernel"], 30.001, 3)
        self.assertAlmostEqual(times["Communication"], 9, 3)
        self.assertAlmostEqual(times["Memcpy"], 2, 3)
        self.assertAlmostEqual(times["Runtime"], 5, 3)
        self.assertAlmostEqual(sum(times.values()), 500.5, 3)

    def test_every_event_has_a_category(self):
        trace = self.exported(self.made())
        for event in trace.events:
            self.assertIsInstance(event.get("cat"), str, event)
            self.assertIsInstance(event["ts"], (int, float), event)

    def test_recorded(self):
        """Records of collectors: steps, marks, device tasks, counters, hostile names."""
        self.record(collect=("fake:threads=2,records=300,kind=all,names=hostile",))
        self.strobe("analyse", self.result(), "--also", "tensorboard:worker=w")
        ((folder, workers),) = tensorboard.runs(self.out).items()
        self.assertEqual(list(workers), ["w"])
        self.assertIn("trace_view.json", [path.name for path in folder.iterdir()])
        trace = tensorboard.load(folder / workers["w"][0])
        self.assertLessEqual({"Overview", "Operator", "Trace"}, trace.views())
        self.assertIn("baseTimeNanoseconds", trace.data)

    def test_compressed(self):
        """A host without a device."""
        self.record()
        self.strobe("analyse", self.result(), "--export", "tensorboard:gzip=yes")
        ((folder, workers),) = tensorboard.runs(self.out).items()
        ((_, (name,)),) = workers.items()
        self.assertTrue(name.endswith(".gz"))
        self.assertNotIn("Kernel", tensorboard.load(folder / name).views())

    def test_nothing_recorded_is_no_file(self):
        self.record(collect=("metadata",))
        self.strobe("analyse", self.result(), "--export", "tensorboard")
        self.assertEqual(tensorboard.runs(self.out), {})

    def test_real_traces(self):
        if not DATA.is_dir():
            self.skipTest("no real traces in %s" % DATA)
        for source in sorted(DATA.glob("*.json.gz")):
            with self.subTest(source=source.name):
                self.out = self.work / source.name
                trace, original = self.exported(source), tensorboard.load(source)
                self.assertEqual(trace.views(), original.views())
                self.assertEqual(trace.kernels().keys(), original.kernels().keys())
                mine, theirs = trace.operators(), original.operators()
                self.assertEqual({name: entry[0] for name, entry in mine.items()},
                                 {name: entry[0] for name, entry in theirs.items()})
                for name, entry in theirs.items():
                    for value, wanted in zip(mine[name], entry):
                        self.assertAlmostEqual(value, wanted, delta=0.01)
                self.assertEqual([step[0] for step in trace.steps],
                                 [step[0] for step in original.steps])

    def test_real_results_of_ascend(self):
        results = sorted((DATA.parent / "ascend").glob("*"))
        if not results:
            self.skipTest("no real results in %s" % DATA.parent)
        for source in results:
            with self.subTest(source=source.name):
                self.out = self.work / source.name
                trace = self.exported(source)
                self.assertLessEqual({"Overview", "Operator", "Trace", "Kernel"}, trace.views())
                self.assertEqual([step[0] for step in trace.steps], ["50"])
                self.assertEqual(trace.trees()[1], 0)
                self.assertEqual(sum(calls for calls, _ in trace.kernels().values()), 191)


if __name__ == "__main__":
    unittest.main()
