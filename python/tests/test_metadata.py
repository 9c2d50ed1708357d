# SPDX-License-Identifier: Apache-2.0
import unittest

from support import messages
from strobe import profiler
from strobe.profiler.metadata import Metadata


class _Session:
    def __init__(self):
        self.entries = []

    def add_metadata(self, key, value, is_json):
        self.entries.append((key, value, is_json))


def _add(*entries):
    metadata = Metadata()
    with messages() as told:
        for entry in entries:
            metadata.add(*entry)
    session = _Session()
    metadata.send(session)
    return session.entries, [text for _, text in told]


class Rules(unittest.TestCase):
    def test_text_and_json(self):
        entries = [("a", 'x"\n', False), ("b", '{"c": [1, null]}', True)]
        self.assertEqual(_add(*entries), (entries, []))

    def test_must_be_str(self):
        for entry in ((1, "x", False), ("x", 1, False), (b"x", "x", True), ("x", None, True)):
            self.assertEqual(
                _add(entry),
                ([], ["The key and value of metadata must be string. Skip this metadata."]),
            )

    def test_length(self):
        longest = ("k" * 4096, "v" * 4096, False)
        self.assertEqual(_add(longest), ([longest], []))
        for entry in (("k" * 4097, "v", False), ("k", "v" * 4097, False)):
            self.assertEqual(
                _add(entry), ([], ["Invalid input key or value. Skip this metadata."])
            )

    def test_too_many(self):
        entries, told = _add(*(("%d" % i, "v", False) for i in range(2000)))
        self.assertLess(len(entries), 2000)
        self.assertEqual(set(told), {"Too many metadata added. Skip this metadata"})

    def test_override(self):
        self.assertEqual(
            _add(("a", "1", False), ("a", "2", True)),
            ([("a", "2", True)], ["a is already saved as metadata, override it."]),
        )

    def test_not_json(self):
        for text in ("", "{", "nul", "{'a': 1}", "NaN", "[" * 4000, "1 2"):
            self.assertEqual(
                _add(("a", text, True)),
                ([], ["The metadata value must be json format string. Skip this metadata"]),
                text[:10],
            )


class OfProfile(unittest.TestCase):
    def test_kept_for_every_session(self):
        prof = profiler.profile()
        prof.add_metadata("a", "b")
        prof.add_metadata_json("c", "1")
        for _ in range(2):
            session = _Session()
            prof._metadata.send(session)
            self.assertEqual(session.entries, [("a", "b", False), ("c", "1", True)])

    def test_trace_id_is_last(self):
        prof = profiler.profile(custom_trace_id_callback=lambda: "mine")
        self.assertEqual(prof.get_trace_id(), "")
        prof._new_trace_id()
        prof.add_metadata("a", "b")
        session = _Session()
        prof._metadata.send(session)
        self.assertEqual(session.entries, [("a", "b", False), ("trace_id", "mine", False)])
