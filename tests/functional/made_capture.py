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

SPAN, INSTANT = 1, 2
THREAD, STEPS = 1, 5
REALTIME = 2
U8, U32, U64, I64, BOOL, STRING, STACK, TRACK_ID = 1, 2, 4, 5, 7, 8, 9, 10
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
INSTANTS = {"cpu_sample"}
KIND_IDS = {name: number for number, name in enumerate(DECLARED, 1)}


def padded(data, size):
    return data + bytes(-len(data) % size)


def text(value):
    return value.encode() + b"\0"


class MadeCapture:
    """A capture with spans of four kinds, and samples, on tracks whose times are ns since BEGIN."""

    def __init__(self, duration):
        self.duration = duration
        self.tracks, self.strings, self.records = [], [], []
        self.ids = {}  # of the strings

    def track(self, kind, number):
        """Adds a track; returns its id."""
        self.tracks.append((len(self.tracks) + 1, kind, REALTIME, -1, 4711, number, 0, 0))
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
        times = [BEGIN + begin] + ([] if kind in INSTANTS else [BEGIN + end])
        head -= kind in INSTANTS  # an instant has one word less
        words = struct.pack("<Q%dQ" % (len(times) + 1), head, *times, track)
        self.records.append(words + fields)

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
            shape = INSTANT if name in INSTANTS else SPAN
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
