# SPDX-License-Identifier: Apache-2.0
"""Traces that two threads read become the captures that one makes of them: packed ones, torn ones,
and those whose texts and arguments look like events."""

import gzip
import json
import os
import random
import sys
import unittest

from support import TOP, StrobeTest

sys.path.insert(0, str(TOP / "bench"))

import kineto_trace  # noqa: E402

MEGABYTES = 6  # a smaller trace is read by one


class TraceByTwoTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.processors = sorted(os.sched_getaffinity(0))
        if len(self.processors) < 2:
            self.skipTest("one processor")

    def made(self, source, processors):
        folder = self.work / ("%s-%d" % (source.name, len(processors)))
        done = self.strobe("import", source, "-o", folder,
                           preexec_fn=lambda: os.sched_setaffinity(0, processors))  # fmt: skip
        (capture,) = folder.rglob("capture.strobe")
        told = [line for line in (done.stdout + done.stderr).splitlines()
                if str(folder) not in line]
        return capture.read_bytes(), told

    def check(self, name, content):
        source = self.work / name
        source.write_bytes(content)
        one, two = (self.made(source, self.processors[:n]) for n in (1, 2))
        self.assertEqual(one[1], two[1])
        self.assertTrue(one[0] == two[0], name)

    def trace(self):
        path = self.work / "made.json"
        kineto_trace.write(str(path), MEGABYTES)
        return path.read_bytes()

    def test_packed_and_torn(self):
        text = self.trace()
        noise = random.Random(1).randbytes(4 << 20)
        packed = gzip.compress(text + b" " * 1000, 1, mtime=0)
        stored = gzip.compress(text, 0, mtime=0)
        self.check("packed.json.gz", packed + gzip.compress(b"\n", mtime=0))
        self.check("torn.json.gz", stored[:5 << 20])
        self.check("noisy.json.gz", stored[:5 << 20] + noise)
        self.check("torn.json", text[:5000001])

    def test_damaged(self):
        text = bytearray(self.trace())
        chance = random.Random(2)
        for _ in range(300):
            text[chance.randrange(1000, len(text))] = chance.choice(b'{}[]",:\\ 0')
        self.check("damaged.json", bytes(text))

    def test_what_looks_like_events(self):
        events = []
        for i in range(30000):
            inner = [{"ph": "X", "name": "inner", "ts": k} for k in range(i % 4)]
            events.append({"ph": "X", "name": '}, {"ph": "X"' if i % 5 == 0 else "outer", "pid": 1,
                           "tid": 2, "ts": i, "dur": 1, "args": {"list": inner, "n": i}})
            if i % 3000 == 0:
                events.append({"ph": "X", "name": "long", "pid": 1, "tid": 3, "ts": i,
                               "args": {"text": "}, {" * 200000}})
        self.check("alike.json", json.dumps(events).encode())
        self.check("frames.json", json.dumps({
            "traceEvents": [dict(event, sf=i) for i, event in enumerate(events)],
            "stackFrames": {str(i): {"name": "f%d" % i, "parent": str(i // 2)}
                            for i in range(len(events))}}).encode())


if __name__ == "__main__":
    unittest.main()
