# SPDX-License-Identifier: Apache-2.0
"""`strobe export`: a part of an external result can be opened alone, with complete arrows and all
names."""

import json
import pathlib
import shutil
import unittest

from made_ascend import OUTPUT, make_database, make_text
from support import BUILD, StrobeTest

USAGE = 2


class ExportPiecesTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.result = self.imported(make_text(self.work))

    def imported(self, source):
        made = self.json("import", "-o", self.work / "imported" / source.name, source)[0]
        return pathlib.Path(made["directory"])

    def events(self, result, *flags, code=0):
        """The events in the trace of the part; [] if the part is empty."""
        out = self.work / "cut"
        self.strobe("export", result, "-o", out, "--export", "chrome_trace", *flags, code=code)
        found = list(out.glob("*/%s/trace_view.json" % OUTPUT))
        events = json.loads(found[0].read_text()) if found else []
        shutil.rmtree(out, ignore_errors=True)
        return events

    @staticmethod
    def ends(events, phase):
        """The times of the ends of arrows, by category and id."""
        found = {}
        for event in events:
            if event["ph"] == phase:
                found.setdefault((event["cat"], str(event["id"])), []).append(
                    int(event["ts"].replace(".", "")))
        return found

    def check_parts(self, result, *flags):
        """Divides the result at every end of an arrow: a part has exactly those arrows whose ends
        are both in the part."""
        whole = self.events(result, *flags)
        begins, ends = self.ends(whole, "s"), self.ends(whole, "f")
        self.assertGreater(len({category for category, _ in begins}), 1)
        self.assertEqual(set(begins), set(ends))
        first = self.json("info", result)[0]["begin_ns"]
        drawn = 0
        for at in sorted({time for times in [*begins.values(), *ends.values()] for time in times}):
            for flag, is_in in (("--to", lambda time: time < at), ("--from", lambda time: time >= at)):
                part = self.events(result, flag, "%dns" % (at - first), *flags)
                names = {(event["pid"], event["tid"]) for event in part
                         if event["name"] == "thread_name"}
                for event in part:
                    if event["ph"] == "X":
                        self.assertIn((event["pid"], event["tid"]), names)
                begun, ended = self.ends(part, "s"), self.ends(part, "f")
                self.assertEqual(set(begun), set(ended), (flag, at))
                drawn += len(begun)
                of_source = [key for key in begins if key[0] in ("HostToDevice", "async_task_queue")]
                self.assertEqual(
                    {key for key in of_source
                     if any(map(is_in, begins[key])) and any(map(is_in, ends[key]))},
                    {key for key in begun if key in of_source}, (flag, at))
        self.assertGreater(drawn, len(begins))

    def test_flow_events_of_text(self):
        self.check_parts(self.result)

    @unittest.skipUnless((BUILD / "plugins" / "ascend_db.so").exists(), "built without SQLite")
    def test_flow_events_of_a_database(self):
        result = self.imported(make_database(self.work))
        for generation in ("1", "3"):
            self.check_parts(result, "--generation", generation)

    def test_steps_among_the_operators(self):
        """A text result has its steps only among the operators."""
        names = {event["name"] for event in self.events(self.result, "--step", "5")}
        self.assertIn("ProfilerStep#5", names)
        self.assertIn("aten::linear", names)
        done = self.strobe("export", self.result, "-o", self.work / "cut", "--step", "6", code=USAGE)
        self.assertIn("no such step; the result has steps 5 to 5", done.stderr)


if __name__ == "__main__":
    unittest.main()
