# SPDX-License-Identifier: Apache-2.0
"""Makes captures by the rules of docs/capture.md, for cases that a recorder does not produce on
request."""

import json
import struct
import sys

from support import TOP

sys.path.insert(0, str(TOP / "tests" / "docs"))

from capture_format import (  # noqa: E402
    METADATA, HAS_TRACK, HEADER, KINDS, PAIR, RECORDS, SEAL, SEAL_STRUCT, STRINGS, TRACK, TRACKS, crc32c,
)

SPAN, INSTANT, COUNTER, MEMORY = 1, 2, 3, 4
THREAD, STREAM, STEPS = 1, 2, 5
REALTIME = 2
U8, U32, I32, U64, I64, F64, BOOL, STRING, STACK, TRACK_ID, LINK = range(1, 12)
FORMS = "BIiQqd?IIIQ"  # of these types, in struct
BEGIN = 1736412474000000000  # of the window, ns since the epoch

DECLARED = {
    "step": [("number", I64), ("thread", U64)],
    "cpu_op": [
        ("sequence", I64), ("forward_thread", U64), ("shapes", STRING), ("types", STRING),
        ("stack", STACK), ("scope", U8), ("is_async", BOOL),
    ],
    "marker": [("argument", U64)],
    "loss": [("count", U64), ("cause", U32), ("thread", TRACK_ID)],
    "cpu_sample": [
        ("time", I64), ("cycles", U64), ("stack", STACK), ("processor", U32), ("process", U32),
    ],
}
# Kinds whose records add_fields() adds.
DECLARED.update({
    "api_call": [("connection", LINK), ("level", STRING), ("mode", STRING), ("item", STRING)],
    "comm_op": [("op", LINK), ("connection", LINK), ("count", U64), ("group", STRING),
                ("op_type", STRING), ("algorithm", STRING), ("data_type", STRING)],
    "counter": [("value", F64)],
    "device_task": [("task", LINK), ("connection", LINK), ("stream", U32), ("op_type", STRING),
                    ("core", STRING), ("is_kernel", BOOL)],
    "diagnostic": [("text", STRING), ("level", U32)],
    "heap.block": [("address", U64), ("size", I64), ("total", I64), ("weight", F64),
                   ("stack", STACK)],
    "memory_event": [("address", U64), ("size", I64), ("total_allocated", I64),
                     ("total_reserved", I64), ("action", U32), ("device", I32)],
    "metadata": [("value", STRING), ("is_json", BOOL)],
})  # fmt: skip
SHAPES = {"cpu_sample": INSTANT, "counter": COUNTER, "diagnostic": INSTANT, "heap.block": MEMORY,
          "memory_event": MEMORY, "metadata": INSTANT}  # fmt: skip
KIND_IDS = {name: number for number, name in enumerate(DECLARED, 1)}


def padded(data, size):
    return data + bytes(-len(data) % size)


def text(value):
    return value.encode() + b"\0"


class MadeCapture:
    """Records on tracks whose times are ns since BEGIN."""

    def __init__(self, duration):
        self.duration = duration
        self.tracks, self.strings, self.records = [], [], []
        self.ids = {}  # of the strings

    def track(self, kind, number, device=-1):
        """Adds a track; returns its id."""
        self.tracks.append((len(self.tracks) + 1, kind, REALTIME, device, 4711, number, 0, 0))
        return len(self.tracks)

    def string(self, value):
        if value not in self.ids:
            self.strings.append(value)
            self.ids[value] = 1 + len(self.strings)
        return self.ids[value]

    def stack(self, names):
        """Adds a stack, innermost frame first."""
        return self.string(tuple(map(self.string, names)))

    def add(self, kind, track, name, begin, end, fields):
        fields = padded(fields, 8)
        head = (4 + len(fields) // 8) | HAS_TRACK | KIND_IDS[kind] << 16
        if name:
            head |= self.string(name) << 32
        times = [BEGIN + begin] + ([] if kind in SHAPES else [BEGIN + end])
        head -= kind in SHAPES  # they have one word less
        words = struct.pack("<Q%dQ" % (len(times) + 1), head, *times, track)
        self.records.append(words + fields)

    def add_fields(self, kind, track, name, begin, end=None, **values):
        """A text is interned; a field without a value is 0."""
        form = "<" + "".join(FORMS[field - 1] for _, field in DECLARED[kind])
        fields = (values.get(field, 0) for field, _ in DECLARED[kind])
        texts = (self.string(each) if isinstance(each, str) else each for each in fields)
        self.add(kind, track, name, begin, end, struct.pack(form, *texts))

    def step(self, track, number, begin, end):
        name = "ProfilerStep#%d" % number
        self.add("step", track, name, begin, end, struct.pack("<qQ", number, 1))

    def operator(self, track, name, begin, end):
        self.add("cpu_op", track, name, begin, end, struct.pack("<qQIIIBB", -1, 0, 0, 0, 0, 0, 0))

    def sample(self, track, thread, names, at, time):
        """Adds a sample of a thread with this name; `functions` has the innermost function
        first."""
        fields = struct.pack("<qQIII", time, 0, self.stack(names), 0, 4711)
        self.add("cpu_sample", track, thread, at, at, fields)

    def range(self, track, name, begin, end):
        self.add("marker", track, name, begin, end, struct.pack("<Q", 0xFFFFFFFFFFFFFFFF))

    def loss(self, track, count, cause, thread_buffer, begin, end):
        """Adds a loss record without a name, as the core writes it."""
        self.add("loss", track, None, begin, end, struct.pack("<QII", count, cause, thread_buffer))

    # ---- the file ----

    @staticmethod
    def block(kind, payload, at):
        """Writes a block. The host's clock counts ns since the epoch in this capture."""
        time = BEGIN + at
        parts = (b"StrobeB1", 0, crc32c(payload), kind, len(payload), 1, 0xFFFFFFFF, 0, 0, 0, 0)
        pair = PAIR.pack(time, time, time, time, 1, 0, 0)
        parts = parts[:1] + (crc32c(HEADER.pack(*parts) + pair),) + parts[2:]
        return HEADER.pack(*parts) + pair + payload

    @staticmethod
    def kinds():
        payload = b""
        for name, fields in DECLARED.items():
            texts = text(name) + text("")
            for field, kind in fields:
                texts += bytes([kind]) + text(field) + text("") + text("")
            size = len(padded(bytes(16) + texts, 8))
            shape = SHAPES.get(name, SPAN)
            head = struct.pack("<IIII", size, KIND_IDS[name], shape, len(fields))
            payload += padded(head + texts, 8)
        return payload

    def write(self, path, **more_metadata):
        metadata = {"pid": 4711, "rank": -1, "host": "made", "command": "made", **more_metadata}
        metadata = json.dumps(metadata).encode()
        strings = bytearray(struct.pack("<II", 1, 0))
        for number, value in enumerate(self.strings, 2):
            is_stack = isinstance(value, tuple)
            data = struct.pack("<%dI" % len(value), *value) if is_stack else value.encode()
            length = len(data) | is_stack << 31
            strings += padded(struct.pack("<II", number, length) + data, 4)
        seal = SEAL_STRUCT.pack(BEGIN, BEGIN + self.duration, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        blocks = (
            (METADATA, metadata), (KINDS, self.kinds()), (STRINGS, bytes(strings)),
            (TRACKS, b"".join(TRACK.pack(*track) for track in self.tracks)),
            (RECORDS, b"".join(self.records)), (SEAL, seal),
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "wb") as file:
            for number, (kind, payload) in enumerate(blocks):
                file.write(self.block(kind, payload, self.duration * number // len(blocks)))
        return path
