# SPDX-License-Identifier: Apache-2.0
"""Option gzip: the compressed output of every text exporter, unpacked, equals its output without
the option."""

import gzip
import json
import unittest

import kineto
from support import StrobeTest
from trace_file import trace_events

EXPORTERS = ("chrome_trace", "csv", "stacks", "comm_json", "tensorboard")


class GzipTest(StrobeTest):
    def exported(self, name, option):
        """The files of the only result, by name."""
        words = []
        for exporter in EXPORTERS:
            words += ["--export", exporter + option]
        source = self.script("made.json", json.dumps(kineto.made()))
        done = self.strobe("import", "--json", "-o", self.work / name, *words, source)
        folder = json.loads(done.stdout)[0]["output"]
        return {path.name: path.read_bytes() for path in type(self.work)(folder).iterdir()
                if path.stat().st_size}

    def test_same_bytes(self):
        plain, packed = self.exported("plain", ""), self.exported("packed", ":gzip=true")
        self.assertEqual({name + ".gz" for name in plain}, set(packed))
        self.assertTrue(any(name.startswith("trace_view") for name in plain))
        self.assertTrue(any(name.endswith(".pt.trace.json") for name in plain))
        self.assertTrue(any(name.endswith(".csv") for name in plain))
        for name, content in plain.items():
            self.assertEqual(gzip.decompress(packed[name + ".gz"]), content, name)

    def test_name_says_it(self):
        source = self.script("made.json", json.dumps(kineto.made()))
        self.strobe("import", "-o", self.out, "--export", "chrome_trace:file=other.json.gz", source)
        (path,) = self.out.glob("*/*/other.json.gz")
        self.assertTrue(trace_events(gzip.decompress(path.read_bytes())))


if __name__ == "__main__":
    unittest.main()
