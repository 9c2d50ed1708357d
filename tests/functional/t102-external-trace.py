# SPDX-License-Identifier: Apache-2.0
"""Any Chrome trace to `trace_view.json`: arrows stay arrows, and counters and threads keep their
names."""

import json

from support import StrobeTest
from trace_file import trace_events


class ExternalTraceTest(StrobeTest):
    EVENTS = [
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "render"}},
        {"ph": "X", "name": "one", "pid": 1, "tid": 2, "ts": 40, "dur": 5},
        {"ph": "X", "name": "two", "pid": 1, "tid": 3, "ts": 50, "dur": 5},
        {"ph": "s", "id": 1, "name": "go", "cat": "c", "pid": 1, "tid": 2, "ts": 41},
        {"ph": "t", "id": 1, "name": "go", "cat": "c", "pid": 1, "tid": 2, "ts": 43},
        {"ph": "f", "id": 1, "name": "go", "cat": "c", "pid": 1, "tid": 3, "ts": 51, "bp": "e"},
        {"ph": "s", "id": "0x2", "name": "to", "cat": "c", "pid": 1, "tid": 2, "ts": 42},
        {"ph": "f", "id": "0x2", "name": "to", "cat": "c", "pid": 1, "tid": 3, "ts": 52},
        {"ph": "C", "name": "load", "pid": 1, "ts": 53, "args": {"user": 1, "system": 2.5}},
    ]

    def result(self):
        source = self.script("made.json", json.dumps(self.EVENTS))
        return self.json("import", "-o", self.out, source)[0]["directory"]

    def trace(self, result, *flags):
        folder = self.work / ("cut%d" % len(flags))
        self.strobe("export", result, "-o", folder, "--export", "chrome_trace", *flags)
        (path,) = folder.glob("*/*/trace_view.json")
        return trace_events(path.read_text())

    @staticmethod
    def flow_events(events):
        return [(event["ph"], event["name"], event["id"], event["cat"], event["tid"], event["ts"],
                 event.get("bp")) for event in events if event["ph"] in "stf"]

    def test_flow_events(self):
        events = self.trace(self.result())
        self.assertEqual(self.flow_events(events), [
            ("s", "go", 1, "c", 2, "41.000", None), ("s", "to", "0x2", "c", 2, "42.000", None),
            ("t", "go", 1, "c", 2, "43.000", None), ("f", "go", 1, "c", 3, "51.000", "e"),
            ("f", "to", "0x2", "c", 3, "52.000", None)])
        self.assertEqual([event["name"] for event in events if event["ph"] == "X"], ["one", "two"])

    def test_flow_events_of_a_part(self):
        """The part begins at 42 us: one of the arrows has lost its begin."""
        events = self.trace(self.result(), "--from", "2us")
        self.assertEqual([flow_event[:2] for flow_event in self.flow_events(events)], [("s", "to"), ("f", "to")])

    def test_series(self):
        found = [event["args"] for event in self.trace(self.result()) if event["ph"] == "C"]
        self.assertEqual(found, [{"user": 1}, {"system": 2.5}])

    def test_names_of_threads(self):
        names = {event["tid"]: event["args"]["name"] for event in self.trace(self.result())
                 if event["name"] == "thread_name"}
        self.assertEqual((names[2], names[3]), ("render", "Thread 3"))


if __name__ == "__main__":
    import unittest
    unittest.main()
