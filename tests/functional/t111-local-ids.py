# SPDX-License-Identifier: Apache-2.0
"""Asynchronous spans of two processes with the same local id, through import and export and import
again."""

import json
import pathlib
import unittest

import kineto
from support import StrobeTest


class LocalIdTest(StrobeTest):
    def exported(self, source, name):
        done = self.strobe("import", "--json", "-o", self.work / name, "--export", "tensorboard",
                           source)
        made, = json.loads(done.stdout)
        self.assertEqual(made["damaged"], [])
        path, = pathlib.Path(made["output"]).glob("*.pt.trace.json")
        return path

    def events(self, path):
        trace = kineto.read(path)
        begin = trace["baseTimeNanoseconds"]
        return sorted((event["ph"], event["pid"], event["id2"]["local"],
                       round(event["ts"] * 1000) + begin)
                      for event in trace["traceEvents"] if event["ph"] in "be")

    def test_they_stay_apart(self):
        instants = (("b", 1, 1), ("b", 2, 2), ("e", 1, 3), ("e", 2, 9))
        source = self.work / "made.json"
        source.write_text(json.dumps([
            {"ph": phase, "pid": pid, "tid": pid, "ts": ts, "name": "request", "cat": "net",
             "id2": {"local": "0x1"}} for phase, pid, ts in instants]))
        once = self.exported(source, "once")
        self.assertEqual(self.events(once), sorted(
            (phase, pid, "0x1", 1000 * ts) for phase, pid, ts in instants))
        self.assertEqual(self.events(self.exported(once, "twice")), self.events(once))


if __name__ == "__main__":
    unittest.main()
