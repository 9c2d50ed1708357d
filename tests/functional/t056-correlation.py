# SPDX-License-Identifier: Apache-2.0
"""Links between causes and effects, and clocks of devices: the counts, and the messages about
errors.

Cases on real results need STROBE_DATA, the folder with ascend/ in it (default: ../shared/data next to
the source).
"""

import collections
import csv
import json
import os
import pathlib
import sqlite3
import unittest

from support import PROGRAMS, TOP, StrobeTest
from trace_file import trace_events

DATA = pathlib.Path(os.environ.get("STROBE_DATA") or TOP.parent / "shared" / "data")
REAL = DATA / "ascend"
CALLS = 20
LINK_BITS = 48


class CorrelationTest(StrobeTest):
    def correlation(self, path=None):
        """Rows by type of link and source."""
        rows = self.json("show", path or self.out, "--table", "correlation")[0]["rows"]
        return {(row["name"], row["source"]): row for row in rows}

    def check(self, row, **numbers):
        self.assertEqual({name: row[name] for name in numbers}, numbers)


class DevicesTest(CorrelationTest):
    """Two collectors in one capture, whose drivers both count ids from 1."""

    def setUp(self):
        super().setUp()
        self.environment["STROBE_PLUGIN_PATH"] = str(PROGRAMS)

    def run_devices(self, one="", two=""):
        collect = ["counted_one" + one, "counted_two" + two]
        return self.record("sleep", "0.6", collect=collect)

    def test_each_is_its_own(self):
        done = self.run_devices()
        rows = self.correlation()
        self.assertEqual(len(rows), 2)
        for name in ("counted_one", "counted_two"):
            self.check(
                rows["api_to_task", name],
                linked=CALLS,
                orphan_cause=0,
                orphan_effect=0,
                ambiguous=0,
                violations=0,
                unchecked=0,
            )
        tasks = self.json("show", self.out, "--table", "device_task", "--limit", "100")[0]["rows"]
        sources = collections.Counter(row["connection"] >> LINK_BITS for row in tasks)
        self.assertEqual(sources, {1: CALLS, 2: CALLS})
        self.assertEqual(
            {row["connection"] & ((1 << LINK_BITS) - 1) for row in tasks}, set(range(1, CALLS + 1))
        )
        self.assertNotIn("clock", done.stderr)

    def test_info_and_files(self):
        self.run_devices()
        info = self.json("info", self.out)[0]
        self.assertEqual(info["metadata"]["link_sources"], "counted_one+counted_two")
        self.assertEqual([row["linked"] for row in info["correlation"]], [CALLS, CALLS])
        self.assertEqual(len(info["device_clocks"]), 2)
        for clock in info["device_clocks"]:
            self.assertEqual(clock["pairs"], 2)
            self.assertEqual(clock["jumps"], 0)
            # 20 ppm of 0.6 s is more than the error of both readings, half a width each
            self.assertAlmostEqual(clock["drift_ppm"], 50, delta=20)
            self.assertLess(clock["error_ns"], 20000)
        text = self.strobe("info", self.out).stdout
        self.assertIn("2 pairs, error <= ", text)
        self.assertIn("api_to_task", text)
        output = self.result() / "ASCEND_PROFILER_OUTPUT"
        with open(output / "correlation.csv", newline="") as file:
            self.assertEqual([row["linked"] for row in csv.DictReader(file)], [str(CALLS)] * 2)
        with open(output / "device_clock.csv", newline="") as file:
            self.assertEqual([row["pairs"] for row in csv.DictReader(file)], ["2", "2"])

    def test_layers_and_flow_events(self):
        self.run_devices()
        trace = trace_events(
            (self.result() / "ASCEND_PROFILER_OUTPUT" / "trace_view.json").read_text()
        )
        layers = {
            event["args"]["name"] for event in trace if event["name"] == "process_name"
        }
        self.assertLessEqual({"Device one", "Device two"}, layers)
        ends = collections.defaultdict(list)
        for event in trace:
            if event.get("cat") == "HostToDevice":
                ends[event["id"]].append(event["ph"])
        self.assertEqual(len(ends), 2 * CALLS)
        self.assertTrue(all(sorted(phases) == ["f", "s"] for phases in ends.values()))

    def test_clock_trouble(self):
        """The pairs are wrong by 50 ms, so tasks seem to begin before their calls."""
        done = self.run_devices(two=":wrong=50ms")
        rows = self.correlation()
        self.check(rows["api_to_task", "counted_one"], violations=0, worst=None)
        wrong = rows["api_to_task", "counted_two"]
        self.check(wrong, linked=CALLS, violations=CALLS)
        self.assertAlmostEqual(wrong["worst"], 50e6, delta=1e6)
        self.assertIn("clock trouble: counted_two, api_to_task: 20 of 20", done.stderr)

    def test_clock_far_off(self):
        """The pairs are wrong by a minute, so the tasks lie before the window; a message says
        so."""
        done = self.run_devices(two=":wrong=60s")
        self.assertIn("20 records of devices are left out", done.stderr)
        info = self.json("info", self.out)[0]
        self.assertEqual(info["device_outside"], CALLS)
        self.assertEqual(info["kinds"]["device_task"], CALLS)
        self.check(
            self.correlation()["api_to_task", "counted_two"], linked=0, orphan_cause=CALLS
        )

    def test_no_pair(self):
        """The times of the tasks are unknown: they are reported, marked, and kept."""
        done = self.run_devices(two=":pairs=false")
        self.assertIn("the clock of \"Clock\" is unknown", done.stderr)
        self.assertIn("20 records of devices: their time on", done.stderr)
        info = self.json("info", self.out)[0]
        self.assertEqual(info["unsure"], CALLS)
        clocks = sorted(info["device_clocks"], key=lambda clock: clock["pairs"])
        self.assertEqual([clock["pairs"] for clock in clocks], [0, 2])
        self.assertIsNone(clocks[0]["error_ns"])
        self.assertEqual(info["kinds"]["device_task"], 2 * CALLS)
        self.check(
            self.correlation()["api_to_task", "counted_two"],
            linked=CALLS,
            unchecked=CALLS,
            violations=0,
        )
        self.assertIn("no pair with the host's", self.strobe("info", self.out).stdout)


@unittest.skipUnless(REAL.is_dir(), "no real results here (STROBE_DATA)")
class RealTest(CorrelationTest):
    def imported(self, name):
        self.strobe("import", REAL / name, "-o", self.out)
        return self.correlation()

    def test_database(self):
        """Counts the links again from the database itself."""
        name = "db_level1_rank0_ascend_pt"
        rows = self.imported(name)
        path = REAL / name / "ASCEND_PROFILER_OUTPUT" / "ascend_pytorch_profiler.db"
        if not path.exists():
            path = next((REAL / name / "ASCEND_PROFILER_OUTPUT").glob("ascend_pytorch*.db"))
        base = sqlite3.connect("file:%s?immutable=1" % path, uri=True)
        calls = collections.defaultdict(list)
        for begin, end, tid, connection in base.execute(
            "SELECT startNs, endNs, globalTid, connectionId FROM CANN_API"
        ):
            calls[connection].append((end, begin, tid))
        effects = base.execute("SELECT startNs, connectionId FROM TASK").fetchall()
        effects += base.execute("SELECT startNs, connectionId FROM COMMUNICATION_OP").fetchall()
        none = (None, 0, 0xFFFFFFFF)
        linked = [e for e in effects if e[1] not in none and e[1] in calls]
        early = [min(calls[c])[1] - begin for begin, c in linked if begin < min(calls[c])[1]]
        row = rows["api_to_task", "ascend_db"]
        self.check(
            row,
            linked=len(linked),
            orphan_effect=len(effects) - len(linked),
            orphan_cause=len(set(calls) - {e[1] for e in linked} - set(none)),
            ambiguous=0,
            violations=len(early),
            worst=max(early, default=None),
        )
        launching = {e[1] for e in linked}
        self.check(rows["operator_to_api", "ascend_db"], linked=len(launching), orphan_effect=0)
        self.assertEqual(rows["enqueue_to_dequeue", "ascend_db"]["linked"], 159)

    def test_trace(self):
        rows = self.imported("text_level1_rank0_ascend_pt")
        trace = json.loads(
            (
                REAL / "text_level1_rank0_ascend_pt" / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"
            ).read_text()
        )
        flows = collections.defaultdict(collections.Counter)
        for event in trace:
            if event["ph"] in "sf":
                flows[event["cat"]][event["ph"]] += 1
        queue = rows["enqueue_to_dequeue", "ascend_text"]
        self.check(queue, linked=flows["async_task_queue"]["f"], orphan_cause=0, orphan_effect=0)
        self.assertEqual(
            rows["forward_to_backward", None]["linked"] >= flows["fwdbwd"]["f"], True
        )
        self.check(rows["operator_to_api", "ascend_text"], orphan_effect=0)


if __name__ == "__main__":
    unittest.main()
