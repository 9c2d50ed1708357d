# SPDX-License-Identifier: Apache-2.0
"""Converts cells of the CSV tables that `strobe analyse` writes into numbers, shapes, stacks."""

import ast
import json
import re
import sys

_FRAME_END = ";"


def begin_ns(text):
    """Nanoseconds from a text of microseconds with three decimals, without a float, which has too
    few digits."""
    return int(text.strip().replace(".", ""))


def interval_ns(row):
    """Begin and end."""
    begin = begin_ns(row["Begin(us)"])
    return begin, begin + round(float(row["Duration(us)"]) * 1000)


def number(row, column, absent=0):
    """The number in a column whose title may contain a unit."""
    text = row.get(column)
    return int(text) if text else absent


def real(row, column):
    text = row.get(column)
    return float(text) if text else None


def sizes(text):
    """The numbers of "8,1,1", or of other separators; None if there are none."""
    found = [int(size) for size in re.findall(r"\d+", text or "")]
    return found or None


def texts(text):
    """The parts of a text like "float;Scalar"."""
    return [sys.intern(part) for part in text.split(";")] if text else []


def shapes(text, types):
    """"2,3;;4" as [[2, 3], [], [4]]. `types` distinguishes a scalar from no input."""
    if not text and not types:
        return []
    try:
        return [[int(size) for size in part.split(",") if size] for part in text.split(";")]
    except ValueError:
        return []


def values(text):
    """A JSON list of texts as Python's values; None for a tensor or a missing value."""
    try:
        return [_value(each) for each in json.loads(text)] if text else []
    except (ValueError, TypeError):  # a truncated text
        return []


def _value(text):
    if not text:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def stack(text):
    """Frames, innermost first. A ";" in a frame is written as "\\;", a "\\" as "\\\\"."""
    if "\\" not in text:
        return [sys.intern(frame) for frame in text.split(_FRAME_END)] if text else []
    frames = re.findall(r"(?:[^;\\]|\\.)+", text, re.DOTALL)
    return [sys.intern(re.sub(r"\\(.)", r"\1", frame, flags=re.DOTALL)) for frame in frames]
