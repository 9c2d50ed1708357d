# SPDX-License-Identifier: Apache-2.0
"""Captures whose records and stacks refer to strings that no block of strings defines."""

import struct

from made_capture import HAS_TRACK, BEGIN, KIND_IDS, STEPS, THREAD, MadeCapture
from support import StrobeTest

MS = 1000000
RESERVED = 262144  # ids below this belong to a recorder; the reader assigns ids from here on
NESTED = 3  # cause of a loss, whose name the reader interns


class Capture(MadeCapture):
    def undefined(self, track, name, shapes, stack, begin, end):
        fields = struct.pack("<qQIIIBBxx", -1, 0, shapes, 0, stack, 0, 0)
        head = (4 + len(fields) // 8) | HAS_TRACK | KIND_IDS["cpu_op"] << 16 | name << 32
        self.records.append(struct.pack("<QQQQ", head, BEGIN + begin, BEGIN + end, track) + fields)


class UndefinedStringsTest(StrobeTest):
    def make(self, name, shapes, stack=0):
        """An operator after a loss record, to whose name the reader gives the first free id."""
        made = Capture(100 * MS)
        steps, thread = made.track(STEPS, 0), made.track(THREAD, 1001)
        made.step(steps, 1, 0, 100 * MS)
        made.loss(steps, 1, NESTED, thread, 1 * MS, 2 * MS)
        made.undefined(thread, name, shapes, stack, 10 * MS, 20 * MS)
        made.operator(thread, "sound", 30 * MS, 40 * MS)
        return made

    def read(self, made):
        self.capture = made.write(self.out / "made_ascend_pt" / "FRAMEWORK" / "capture.strobe")
        shown = self.json("show", self.capture, "--table", "cpu_op", "--sort", "begin:asc")
        info, = self.json("info", self.capture)
        return shown[0]["rows"], info

    def test_name_and_field(self):
        rows, info = self.read(self.make(RESERVED, RESERVED + 1))
        self.assertEqual([row["name"] for row in rows], [None, "sound"])
        self.assertIsNone(rows[0]["shapes"])
        self.assertEqual(info["nameless"], 1)
        damage, = info["damage"]
        self.assertRegex(damage, "^offset [0-9]+, [0-9]+ bytes: records use strings that are missing")
        with open(self.capture, "rb") as file:
            offset = int(damage.split()[1].rstrip(","))
            self.assertLess(offset, file.seek(0, 2))

    def test_name_beyond_all(self):
        rows, info = self.read(self.make(0x7FFFFFFF, 0))
        self.assertEqual([row["name"] for row in rows], [None, "sound"])
        self.assertEqual(len(info["damage"]), 1)

    def test_sound(self):
        made = self.make(0, 0)
        rows, info = self.read(made)
        self.assertEqual([row["name"] for row in rows], [None, "sound"])
        self.assertEqual(info["damage"], [])
