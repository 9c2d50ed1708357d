# SPDX-License-Identifier: Apache-2.0
"""Call stacks of Chrome traces: frames to which events refer by id, and lists of frames."""

import json
import pathlib
import subprocess
import time

from support import STROBE, StrobeTest, program, without_sanitizer
from trace_file import trace_events

FRAMES = {"1": {"name": "main", "category": "program"}, "2": {"name": "leaf", "parent": 1}}
EVENTS = [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 5, "dur": 3,
           "sf": 2},
          {"ph": "X", "cat": "own", "name": "span", "pid": 1, "tid": 1, "ts": 15, "dur": 3,
           "sf": 2, "esf": 1},
          {"ph": "I", "name": "moment", "pid": 1, "tid": 1, "ts": 25, "stack": ["a", "b"]}]


class ChromeStacksTest(StrobeTest):
    def exported(self, trace, *exporters):
        path = self.work / "trace.json"
        path.write_text(json.dumps(trace))
        words = [word for name in exporters for word in ("--export", name)]
        made = self.json("import", "--json", "-o", self.out, *words, path)[0]
        return made, pathlib.Path(made["output"])

    def test_everywhere(self):
        made, output = self.exported({"traceEvents": EVENTS, "stackFrames": FRAMES},
                                     "chrome_trace", "stacks", "tensorboard")
        self.assertEqual(made["damaged"], [])
        for table, column, stack in (("stack_total", "path", "leaf;main (program)"),
                                     ("chrome_trace.span", "stack", "leaf;main (program)"),
                                     ("chrome_trace.stack", "stack", "main (program)")):
            (row,) = self.json("show", "--json", "--table", table, self.out)[0]["rows"]
            self.assertEqual(row[column], stack)
        drawn = {event["name"]: event for event in trace_events(
            (output / "trace_view.json").read_text()) if event["ph"] in ("X", "i")}
        self.assertEqual(drawn["aten::mm"]["args"]["Call stack"], "leaf;\r\nmain (program)")
        self.assertEqual(drawn["moment"]["args"]["stack"], "b;\r\na")
        self.assertIn("main (program);leaf", (output / "stacks.log").read_text())

    def test_arguments_of_what_is_read_again(self):
        """Events whose frames come after them are read twice; the order of their keys changes."""
        events = []
        for i in range(1, 4):
            event = {"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": i, "dur": 1}
            event.update({"sf": 2} if i > 1 else {})
            event["args"] = {"External id": 20 + i, "Sequence number": 10 + i, "Ev Idx": i}
            events.append(event)
        self.exported({"traceEvents": events, "stackFrames": FRAMES})
        rows = self.json("show", "--json", "--table", "cpu_op", self.out)[0]["rows"]
        self.assertEqual([row["sequence"] for row in rows], [11, 12, 13])
        self.assertEqual([row["chrome_trace.external_id"] for row in rows], [21, 22, 23])

    def test_round_trip(self):
        """Data for which PyTorch's form has no place is exported as a list of frames."""
        _, output = self.exported({"traceEvents": EVENTS, "stackFrames": FRAMES}, "tensorboard")
        (path,) = output.glob("*.pt.trace.json")
        written = {(event["ph"], event["name"]): event
                   for event in json.loads(path.read_text())["traceEvents"]}
        self.assertEqual(written["X", "aten::mm"]["args"]["Call stack"], "leaf;main (program)")
        self.assertEqual(written["X", "span"]["stack"], ["main (program)", "leaf"])
        self.assertEqual(written["I", "moment"]["stack"], ["a", "b"])

    @without_sanitizer
    def test_a_million_frames(self):
        """The frames form chains of 500, come after the events, and are read in bounded memory."""
        n, path = 1000000, self.work / "many.json"
        with path.open("w") as out:
            out.write('{"traceEvents": [')
            out.write(",".join('{"ph": "X", "cat": "cpu_op", "name": "n%d", "pid": 1, "tid": 1, '
                               '"ts": %d, "dur": 1, "sf": %d}' % (i, 2 * i, i * 500 + 499)
                               for i in range(n // 500)))
            out.write('], "stackFrames": {')
            out.write(",".join('"%d": {"name": "f%d"%s}' % (
                i, i % 1000, ', "parent": %d' % (i - 1) if i % 500 else "") for i in range(n)))
            out.write("}}")
        began = time.monotonic()
        done = subprocess.run(
            [program("peak"), STROBE, "import", "-o", self.out, str(path), "--max-mem", "256MB",
             "--tmp-dir", str(self.work)],
            env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("damaged", done.stderr)
        print("# a million frames: %.1f s, %d MB" % (time.monotonic() - began,
                                                    int(done.stdout) // 1024))
        rows = self.json("show", "--json", "--table", "cpu_op", "--sort", "begin:desc", "-n", "1",
                         self.out)[0]["rows"]
        self.assertEqual(rows[0]["stack"], ";".join("f%d" % i for i in range(999, 499, -1)))


if __name__ == "__main__":
    import unittest
    unittest.main()
