# SPDX-License-Identifier: Apache-2.0
"""Tables of external ids and texts use a random key of the process. No output depends on the key,
and no such table lacks it."""

import json
import re

from support import ANALYSIS_LOG, TOP, StrobeTest

KINDS = ["chrome_trace", "csv", "db", "stacks", "tensorboard", "memory_timeline", "comm_json"]

# Functions that hash texts and numbers in the same way in every process.
FIXED = re.compile(r"\bg_(str|int64|int|double|bytes)_hash\b|\bg_string_chunk_insert_const\b"
                   r"|(?i:0x9e3779b9)")  # fmt: skip
# Exceptions: the recorded program, which makes its own ids; caches that keep the last values; data
# that is no table; and tables with such a low limit that it does not matter.
FINE = """
core/capture/native-symbols.c core/import/import-capture.c core/recorder/intern.c core/recorder/name-cache.h
plugins/ascend_raw/ascend-raw-text-cache.c plugins/ascend_text/trace-index-pass.c plugins/chrome_trace/trace-emit.c
plugins/prof_raw/host-usage.c
sdk/helpers/block-table.c sdk/helpers/keyed-hash.c
""".split()
COLLECTORS = "fake heap marker memory npu_task opencl python_call".split()


def text(number):
    """For GLib's own hash all these texts are the same."""
    return "".join("Ez" if number >> bit & 1 else "FY" for bit in range(10))


def events(n):
    """Ids of spans, threads, calls, arrows and blocks that have the same value with a fixed
    hash."""
    for i in range(n):
        yield {"ph": "X", "cat": "cpu_op", "name": text(i), "pid": 1, "tid": i << 32,
               "ts": i * 10, "dur": 8, "args": {"External id": i + 1, "Sequence number": i << 32}}
        yield {"ph": "X", "cat": "cuda_runtime", "name": "launch " + text(i), "pid": 1, "tid": 0,
               "ts": i * 10 + 1, "dur": 2, "args": {"correlation": (i + 1) << 32}}
        yield {"ph": "X", "cat": "kernel", "name": "kernel " + text(i % 7), "pid": 0, "tid": 7,
               "ts": i * 10 + 4, "dur": 3,
               "args": {"correlation": (i + 1) << 32, "device": 0, "stream": 7}}
        yield {"ph": "b", "cat": "c", "name": "n", "id": text(i), "pid": 1, "tid": 1,
               "ts": i // 9 * 10, "args": {"a": text(i)}}
        yield {"ph": "s", "cat": "c", "name": "n", "id": text(i), "pid": 1, "tid": 1, "ts": i * 10}
        yield {"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1,
               "tid": 1, "ts": i * 10, "args": {"Addr": (i + 1) << 32, "Bytes": 64,
                                                "Device Type": 1, "Device Id": 0,
                                                "Total Allocated": i, "Total Reserved": 9}}
        yield {"ph": "C", "name": text(i % 9), "pid": text(i % 11), "ts": i * 10,
               "args": {text(i % 5): i}}  # fmt: skip


class HostileIdsTest(StrobeTest):
    def made(self, name):
        """The contents of all files except logs, made by a new process each time."""
        folder = self.work / name
        source = self.script("made.json", json.dumps({"traceEvents": list(events(300))}))
        self.strobe("import", source, "-o", folder)
        exports = [word for kind in KINDS for word in ("--export", kind)]
        self.strobe("analyse", folder, "-o", folder / "out", *exports)
        return {path.name: path.read_bytes() for path in folder.rglob("*")
                if path.is_file() and path.parent.name != "logs" and not path.name.endswith(ANALYSIS_LOG)}

    def test_the_key_reaches_no_output(self):
        first = self.made("first")
        self.assertIn("trace_view.json", first)
        for again in "second", "third":
            other = self.made(again)
            self.assertEqual(sorted(first), sorted(other))
            self.assertEqual([name for name in first if first[name] != other[name]], [])

    def test_no_table_is_without_it(self):
        found = set()
        for top in "core", "sdk/helpers", "formats", "exporters", "plugins", "tools":
            for path in sorted((TOP / top).rglob("*.[ch]")):
                words = path.relative_to(TOP).parts
                if words[:1] == ("plugins",) and words[1] in COLLECTORS:
                    continue
                if not path.name.startswith("test-") and FIXED.search(path.read_text()):
                    found.add("/".join(words))
        self.assertEqual(sorted(found), sorted(FINE))
