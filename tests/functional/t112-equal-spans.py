# SPDX-License-Identifier: Apache-2.0
"""Spans of a trace with the same begin and end: the span that comes first in the file is the outer
one."""

import json

from support import StrobeTest, without_sanitizer


class EqualSpansTest(StrobeTest):
    @staticmethod
    def span(name, ts, dur, tid=2, **more):
        return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": tid, "ts": ts,
                "dur": dur, **more}

    def imported(self, name, events, *flags):
        """The output of `strobe import`: paths, and the operators as trees."""
        source = events if not isinstance(events, list) else self.script(
            name + ".json", json.dumps(events))
        self.strobe("import", "-o", self.work / name, "--export", "stacks", "--export",
                    "chrome_trace", "--export", "tensorboard", *flags, source)
        (stacks,) = (self.work / name).glob("*/*/stacks.log")
        (view,) = (self.work / name).glob("*/*/trace_view.json")
        (board,) = (self.work / name).glob("*/*/*.pt.trace.json")
        return stacks.read_text().splitlines(), view, board

    def names(self, path, tid=2):
        trace = json.loads(path.read_text())
        events = trace if isinstance(trace, list) else trace["traceEvents"]
        return [event["name"] for event in events
                if event["ph"] == "X" and str(event["tid"]) == str(tid)]

    EVENTS = [
        {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": tid, "ts": 5, "dur": 10}
        for name, tid in (("outer", 2), ("middle", 2), ("other", 3), ("inner", 2), ("nobody", 3))]

    def test_nesting(self):
        events = self.EVENTS + [self.span("leaf", 6, 1), self.span("later", 20, 0),
                                self.span("last", 20, 0)]
        stacks, view, board = self.imported("once", events)
        self.assertEqual(sorted(stacks), ["other;nobody 10", "outer;middle;inner 9",
                                          "outer;middle;inner;leaf 1"])
        for path in (view, board):
            self.assertEqual(self.names(path),
                             ["leaf", "outer", "middle", "inner", "later", "last"])
            self.assertEqual(self.names(path, 3), ["other", "nobody"])
        again, _, second = self.imported("again", board)
        self.assertEqual(again, stacks)
        self.assertEqual(self.names(second), self.names(board))

    @without_sanitizer
    def test_many(self):
        """Runs of equal spans that cross batches, also with little memory."""
        events = [self.span(letter, 10 * i, 5) for i in range(9000) for letter in "abc"]
        wanted = [event["name"] for event in events]
        for flags in ((), ("--max-mem", "96MB")):
            stacks, view, board = self.imported("many%d" % len(flags), events, *flags)
            self.assertEqual(self.names(view), wanted)
            self.assertEqual(self.names(board), wanted)
            self.assertEqual(stacks, ["a;b;c 45000"])


if __name__ == "__main__":
    import unittest
    unittest.main()
