# SPDX-License-Identifier: Apache-2.0
"""Imports a trace of an Ascend host and writes it again: the events are the same, except for the
order of keys and the number of digits.

The case on real results needs STROBE_DATA, the folder with ascend/ in it (default: ../shared/data
next to the source tree), and is skipped without it.
"""

import collections
import json
import os
import pathlib
import unittest

from support import TOP, StrobeTest

DATA = pathlib.Path(os.environ.get("STROBE_DATA") or TOP.parent / "shared" / "data")
TEXT = DATA / "ascend" / "text_level1_rank0_ascend_pt"
OUTPUT = "ASCEND_PROFILER_OUTPUT"
CANN, HARDWARE, FREQUENCY = 79072, 79264, 79296  # 77 << 10 | sort index << 5 | device 0


def framework(phase, name, tid, ts, **more):
    return {"ph": phase, "name": name, "pid": 77, "tid": tid, "ts": ts, **more}


def named(pid, what, key, value, tid=0):
    return {"name": what, "pid": pid, "tid": tid, "args": {key: value}, "ph": "M"}


def queue_flow(phase, tid, ts):
    return {"ph": phase, "bp": "e", "name": "enqueue_to_dequeue", "id": 9, "pid": 77, "tid": tid,
            "ts": ts, "cat": "async_task_queue"}


# In the order of the file, which belongs to the first generation.
EVENTS = [
    framework("X", "aten::mm", 78, "1000000.000", dur=5.5, cat="cpu_op",
              args={"Sequence number": 4, "Fwd thread id": 0, "Input Dims": "2,3;\r\n3"}),
    framework("X", "Enqueue", 78, "1000001.000", dur=1.9, cat="enqueue",
              args={"correlation_id": 9}),
    queue_flow("s", 78, "1000001.000"),
    framework("X", "Dequeue@mm", 79, "1000002.000", dur=2.0, cat="dequeue",
              args={"correlation_id": 9}),
    queue_flow("f", 79, "1000002.000"),
    *({"ph": "M", "name": name, "pid": 77, "tid": tid, "args": {key: value}}
      for name, tid, key, value in (
          ("process_name", 0, "name", "Python"), ("process_labels", 0, "labels", "CPU"),
          ("process_sort_index", 0, "sort_index", 0), ("thread_name", 78, "name", "Thread 78"),
          ("thread_sort_index", 78, "sort_index", 78), ("thread_name", 79, "name", "Thread 79"),
          ("thread_sort_index", 79, "sort_index", 80))),
    framework("X", "f.py(1): g", 78, "1000000.000", dur=3.0, cat="python_function",
              args={"Python id": 1, "Python parent id": 0}),
    named(CANN, "process_name", "name", "CANN"),
    named(CANN, "thread_name", "name", "Thread 79", 79),
    named(CANN, "thread_sort_index", "sort_index", 79, 79),
    named(CANN, "process_labels", "labels", "CPU"),
    named(CANN, "process_sort_index", "sort_index", 7),
    named(HARDWARE, "process_name", "name", "Ascend Hardware"),
    named(HARDWARE, "thread_name", "name", "Stream 2", 2),
    named(HARDWARE, "thread_sort_index", "sort_index", 2, 2),
    named(HARDWARE, "process_labels", "labels", "NPU"),
    named(HARDWARE, "process_sort_index", "sort_index", 13),
    named(FREQUENCY, "process_name", "name", "AI Core Freq"),
    named(FREQUENCY, "process_labels", "labels", "NPU"),
    named(FREQUENCY, "process_sort_index", "sort_index", 14),
    {"name": "Node@launch", "pid": CANN, "tid": 79, "ts": "1000002.500", "dur": 2.1500000000000004,
     "args": {"Thread Id": 79, "Mode": "launch", "level": "node", "id": "0", "item_id": "mm",
              "connection_id": 12}, "ph": "X"},
    {"name": "HostToDevice40030808242131042303", "ph": "s", "cat": "HostToDevice",
     "id": "40030808242131042303", "pid": CANN, "tid": 79, "ts": "1000003.000"},
    {"name": "AI Core Freq", "ts": "1000004.920", "pid": FREQUENCY, "tid": 0,
     "args": {"MHz": 1800}, "ph": "C"},
    {"name": "mm", "pid": HARDWARE, "tid": 2, "ts": "1000005.001", "dur": 2.2600625, "args":
     {"Model Id": 4294967295, "Task Type": "AI_CORE", "Physic Stream Id": 2, "Task Id": 7,
      "Batch Id": 0, "Subtask Id": 4294967295, "connection_id": 12}, "ph": "X"},
    {"name": "HostToDevice40030808242131042303", "ph": "f", "id": "40030808242131042303",
     "ts": "1000005.001", "cat": "HostToDevice", "pid": HARDWARE, "tid": 2, "bp": "e"},
    {"name": "EVENT_RECORD", "pid": HARDWARE, "tid": 2, "ts": "1000009.001", "dur": 0, "args":
     {"Model Id": 4294967295, "Task Type": "EVENT_RECORD_SQE", "Physic Stream Id": 2, "Task Id": 8,
      "Batch Id": 0, "Subtask Id": 4294967295, "connection_id": 4294967295}, "ph": "X"},
    {"name": "AI Core Freq", "ts": "1000010", "pid": FREQUENCY, "tid": 0, "args": {"MHz": 1800},
     "ph": "C"},
]


def recorded(text):
    """The number of times that each event occurs, as text; the order of keys and the digits of
    numbers count. Other tests check the events that passes derive: kernel links, the overlap,
    sums."""
    events = json.loads(text, parse_float=lambda digits: {"float": digits},
                        parse_int=lambda digits: {"int": digits})
    overlap = [event["pid"] for event in events if event["name"] == "process_name" and
               event["args"]["name"] == "Overlap Analysis"]
    return collections.Counter(
        json.dumps(event) for event in events
        if event["pid"] not in overlap and event.get("cat") != "async_npu" and
        event["name"] not in ("APP/Memory", "Device/Memory"))


class TraceTest(StrobeTest):
    def export(self, source, *flags):
        done = self.strobe("import", "--json", "-o", self.out, "--export", "chrome_trace", *flags,
                           source)
        return pathlib.Path(json.loads(done.stdout)[0]["output"]) / "trace_view.json"

    def make_source(self, text):
        source = self.work / "made" / OUTPUT
        source.mkdir(parents=True)
        (source / "trace_view.json").write_text(text, encoding="utf-8")
        return source.parent

    def test_small(self):
        text = json.dumps(EVENTS)
        once = self.export(self.make_source(text)).read_text(encoding="utf-8")
        self.assertEqual(recorded(once), recorded(text))
        self.assertNotIn("\n", once)

    def test_twice(self):
        first = self.export(self.make_source(json.dumps(EVENTS)))
        again = self.export(first.parent.parent)
        self.assertEqual(again.read_bytes(), first.read_bytes())

    def test_newer_generation(self):
        text = self.export(self.make_source(json.dumps(EVENTS)), "--generation", "3").read_text(
            encoding="utf-8")
        self.assertIn('"name": "Enqueue@mm"', text)
        self.assertIn('"args": {"labels": "NPU 0"}', text)
        self.assertIn('"dur": 2.26, "ph": "X", "args": {"Model Id"', text)

    @unittest.skipUnless(TEXT.is_dir(), "no real results here (STROBE_DATA)")
    def test_real(self):
        theirs = recorded((TEXT / OUTPUT / "trace_view.json").read_text(encoding="utf-8"))
        mine = recorded(self.export(TEXT).read_text(encoding="utf-8"))
        self.assertGreater(theirs.total(), 9000)
        self.assertEqual((theirs - mine).most_common(3), [])
        self.assertEqual((mine - theirs).most_common(3), [])


if __name__ == "__main__":
    unittest.main()
