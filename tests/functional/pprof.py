# SPDX-License-Identifier: Apache-2.0
"""Reads profiles of pprof by profile.proto alone: a decoder of the wire format and of the
messages."""

import gzip

MAX = 1 << 64
#: Messages: field number -> (name, type). A type is "number", "text", "numbers" (repeated), or the
#: fields of a message.
VALUE_TYPE = {1: ("type", "number"), 2: ("unit", "number")}
LABEL = {1: ("key", "number"), 2: ("str", "number"), 3: ("num", "number"), 4: ("num_unit", "number")}
SAMPLE = {1: ("location_id", "numbers"), 2: ("value", "numbers"), 3: ("label", LABEL)}
LINE = {1: ("function_id", "number"), 2: ("line", "number")}
LOCATION = {1: ("id", "number"), 2: ("mapping_id", "number"), 3: ("address", "number"),
            4: ("line", LINE), 5: ("is_folded", "number")}  # fmt: skip
FUNCTION = {1: ("id", "number"), 2: ("name", "number"), 3: ("system_name", "number"),
            4: ("filename", "number"), 5: ("start_line", "number")}  # fmt: skip
PROFILE = {1: ("sample_type", VALUE_TYPE), 2: ("sample", SAMPLE), 4: ("location", LOCATION),
           5: ("function", FUNCTION), 6: ("string_table", "text"), 9: ("time_nanos", "number"),
           10: ("duration_nanos", "number"), 11: ("period_type", VALUE_TYPE),
           12: ("period", "number"), 13: ("comment", "numbers")}  # fmt: skip


def varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            assert number < MAX
            return number, at


def decode(data, form):
    """Decodes a message into a dictionary of lists; an unknown field is an error."""
    found = {name: [] for name, _ in form.values()}
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        name, kind = form[tag >> 3]
        if tag & 7 == 0:
            number, at = varint(data, at)
            assert kind in ("number", "numbers"), name
            found[name].append(number)
            continue
        assert tag & 7 == 2, (name, tag & 7)
        length, at = varint(data, at)
        part, at = data[at : at + length], at + length
        assert len(part) == length, name
        if kind == "text":
            found[name].append(part.decode())
        elif kind == "numbers":
            place = 0
            while place < length:
                number, place = varint(part, place)
                found[name].append(number)
        else:
            found[name].append(decode(part, kind))
    return found


def one(values):
    assert len(values) <= 1, values
    return values[0] if values else 0


class Profile:
    """A profile. `samples` are (frames, values by type, labels); frames are (function, file, line),
    outermost first."""

    def __init__(self, path):
        with gzip.open(path) as file:
            self.raw = raw = decode(file.read(), PROFILE)
        texts = raw["string_table"]
        assert texts[0] == "" and len(texts) == len(set(texts))
        self.types = [(texts[one(each["type"])], texts[one(each["unit"])])
                      for each in raw["sample_type"]]  # fmt: skip
        functions = {one(each["id"]): (texts[one(each["name"])], texts[one(each["filename"])])
                     for each in raw["function"]}  # fmt: skip
        locations = {}
        for each in raw["location"]:
            lines = [functions[one(line["function_id"])] + (one(line["line"]),)
                     for line in each["line"]]  # fmt: skip
            assert lines and one(each["id"]) not in locations
            locations[one(each["id"])] = lines
        self.samples = []
        for each in raw["sample"]:
            frames = [line for number in each["location_id"] for line in locations[number]]
            assert len(each["value"]) == len(self.types)
            labels = {texts[one(label["key"])]: texts[one(label["str"])] for label in each["label"]}
            values = dict(zip((name for name, _ in self.types), each["value"]))
            self.samples.append((frames[::-1], values, labels))
        self.time_ns, self.duration_ns = one(raw["time_nanos"]), one(raw["duration_nanos"])
        self.period = one(raw["period"])
        self.comments = [texts[number] for number in raw["comment"]]
