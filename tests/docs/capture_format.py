# SPDX-License-Identifier: Apache-2.0
"""A reader of captures that was written only from docs/capture.md, to test this page and the
writer."""

import json
import struct

HEADER = struct.Struct("<8sIIIIIIQIIQ")
PAIR = struct.Struct("<QqqqdII")
HEADER_BYTES = HEADER.size + PAIR.size
SEAL_STRUCT = struct.Struct("<QQIIQQQQQII")
TRACK = struct.Struct("<IIIiQQII")
SIZES = {1: 1, 2: 4, 3: 4, 4: 8, 5: 8, 6: 8, 7: 1, 8: 4, 9: 4, 10: 4, 11: 8}
METADATA, KINDS, STRINGS, TRACKS, RECORDS, SEAL, CLOCK = range(1, 8)
HAS_TRACK, IS_UNFINISHED, OF_WINDOW, WORDS = 0x8000, 0x4000, 0x2000, 0x1FFF
SHORT_TIMES = 0x80000000
SPAN = 1
CORE_KINDS = ("loss", "collector_call", "diagnostic", "metadata")
KNOT_DISTANCE_NS = 100000000


def make_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


CRC_TABLE = make_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def take_texts(data, at, n):
    texts = []
    for _ in range(n):
        end = data.index(b"\0", at)
        texts.append(data[at:end].decode())
        at = end + 1
    return texts, at


def with_clock(data, change):
    """The capture with the clock pairs that `change` makes from (number of the block, pair); the
    checksums are corrected."""
    data, at, number = bytearray(data), 0, 0
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at + 20)
        pair = PAIR.unpack_from(data, at + HEADER.size)
        PAIR.pack_into(data, at + HEADER.size, *change(number, pair))
        struct.pack_into("<I", data, at + 8, 0)
        struct.pack_into("<I", data, at + 8, crc32c(data[at : at + HEADER_BYTES]))
        at, number = at + HEADER_BYTES + length, number + 1
    return bytes(data)


class Kind:
    def __init__(self, data):
        self.bytes, self.id, self.shape, n_fields = struct.unpack_from("<IIII", data)
        (self.name, self.summary), at = take_texts(data, 16, 2)
        self.fields = []
        self.size = 0
        for _ in range(n_fields):
            kind = data[at]
            (name, _, _), at = take_texts(data, at + 1, 3)
            size = SIZES[kind]
            self.size = (self.size + size - 1) // size * size
            self.fields.append((name, kind, self.size))
            self.size += size
        assert self.bytes == (at + 7) // 8 * 8, self.name


class Capture:
    """The content of the file at `path`; `records` are those of the window."""

    def __init__(self, path):
        self.data = path.read_bytes()
        self.metadata, self.kinds, self.strings, self.tracks = None, {}, {}, {}
        self.pairs, self.records, self.unfinished, self.seal = [], [], [], None
        self.beside = {}
        blocks = list(self.blocks())
        for header, payload in blocks:
            self.take_definitions(header, payload)
        self.set_knots()
        for header, payload in blocks:
            if header["type"] == RECORDS:
                self.take_records(header, payload)

    def blocks(self):
        names = ("magic", "header_crc", "payload_crc", "type", "payload_bytes", "window", "thread",
                 "sequence", "offset", "track", "base")
        at = 0
        while at < len(self.data):
            raw = self.data[at : at + HEADER_BYTES]
            header = dict(zip(names, HEADER.unpack_from(raw)))
            header["pair"] = PAIR.unpack_from(raw, HEADER.size)
            assert header["magic"] == b"StrobeB1" and HEADER_BYTES == 104
            assert crc32c(raw[:8] + b"\0\0\0\0" + raw[12:]) == header["header_crc"]
            at += HEADER_BYTES
            payload = self.data[at : at + header["payload_bytes"]]
            assert crc32c(payload) == header["payload_crc"]
            at += header["payload_bytes"]
            yield header, payload

    def take_definitions(self, header, payload):
        self.pairs.append(header["pair"])
        at = 0
        if header["type"] == METADATA:
            self.metadata = json.loads(payload)
        elif header["type"] == SEAL:
            self.seal = SEAL_STRUCT.unpack(payload)
            self.error_ns, self.n_knots = self.seal[4], self.seal[10]
        elif header["type"] == CLOCK:
            self.pairs += PAIR.iter_unpack(payload)
        elif header["type"] == KINDS:
            while at < len(payload):
                kind = Kind(payload[at:])
                assert vars(self.kinds.setdefault(kind.id, kind)) == vars(kind)
                at += kind.bytes
        elif header["type"] == STRINGS:
            while at < len(payload):
                number, length = struct.unpack_from("<II", payload, at)
                self.strings[number] = payload[at + 8 : at + 8 + (length & 0x7FFFFFFF)]
                at = (at + 8 + (length & 0x7FFFFFFF) + 3) // 4 * 4
        elif header["type"] == TRACKS:
            for track in TRACK.iter_unpack(payload):
                self.tracks[track[0]] = track

    # ---- time ----

    def set_knots(self):
        self.pairs.sort(key=lambda pair: pair[1])
        self.epoch = self.pairs[0][2] - self.pairs[0][1]
        usual = min(pair[5] for pair in self.pairs)
        good = [pair for pair in self.pairs if pair[5] <= 8 * (usual + 1)]
        self.knots = good[:1]
        for pair in good[1:]:
            if pair[1] - self.knots[-1][1] >= KNOT_DISTANCE_NS:
                self.knots.append(pair)
        if good[-1][0] > self.knots[-1][0]:
            self.knots.append(good[-1])

    def time_of(self, clock, value):
        if clock == 2:
            return value
        if clock == 1:
            return value + self.epoch
        index = max([i for i, knot in enumerate(self.knots[:-1]) if knot[0] <= value] or [0])
        first, second = self.knots[index : index + 2]
        share = (value - first[0]) * (second[1] - first[1]) / (second[0] - first[0])
        return self.epoch + first[1] + round(share)

    # ---- records ----

    def take_records(self, header, payload):
        at = 0
        while at < len(payload):
            (head,) = struct.unpack_from("<Q", payload, at)
            words = head & WORDS
            record = struct.unpack_from("<%dQ" % words, payload, at)
            raw = payload[at : at + words * 8]
            at += words * 8
            if head >> 16 & 0x7FFF == 0x7FFF:
                self.beside[head >> 32] = raw[16 : 16 + (record[1] & 0x7FFFFFFF)]
            else:
                self.take_record(header, record, raw)

    def text(self, number):
        if number & 0x80000000:
            return self.beside[number]
        return self.strings[number] if number else b""

    def take_record(self, header, record, raw):
        kind = self.kinds[record[0] >> 16 & 0x7FFF]
        begin, end, at, track = record[1], record[1], 2, header["track"]
        if record[0] & SHORT_TIMES:
            assert kind.shape == SPAN
            begin = header["base"] + (record[1] & 0xFFFFFFFF)
            end = begin + (record[1] >> 32)
        elif kind.shape == SPAN:
            end, at = record[2], 3
        if record[0] & HAS_TRACK:
            track, at = record[at], at + 1
        clock = self.tracks[track][2] if track else 0
        begin, end = self.time_of(clock, begin), self.time_of(clock, end)
        view = {"kind": kind.name, "name": self.text(record[0] >> 32), "begin": begin, "end": end,
                "track": track, "fields": raw[at * 8 :]}
        if record[0] & IS_UNFINISHED:
            assert len(record) == 5 and record[0] & HAS_TRACK
            self.unfinished.append(view)
            return
        assert len(record) >= at + (kind.size + 7) // 8
        first, last = (self.time_of(0, ticks) for ticks in self.seal[:2])
        if kind.name in CORE_KINDS or record[0] & OF_WINDOW or first <= begin <= last:
            self.records.append(view)
