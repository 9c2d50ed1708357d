# SPDX-License-Identifier: Apache-2.0
"""Rows of the report: a value with its peer, ratio and spread; as an aligned table and as JSON."""

import dataclasses
import json
import statistics
import textwrap
from typing import Optional


@dataclasses.dataclass
class Row:
    """One figure. `samples` has the values of its repeats, `peer` those of the peer or floor, in the same unit."""

    name: str
    unit: str
    samples: list
    peer_name: str = ""
    peer: list = dataclasses.field(default_factory=list)
    goal: str = ""
    note: str = ""
    best: str = "least"  # or "most": the end of the spread that is least disturbed
    best_value: Optional[float] = None  # the value, if it is not the best of the samples
    best_peer: Optional[float] = None

    def value(self):
        return self._best(self.samples) if self.best_value is None else self.best_value

    def peer_value(self):
        return self._best(self.peer) if self.best_peer is None else self.best_peer

    def _best(self, samples):
        if not samples:
            return None
        return min(samples) if self.best == "least" else max(samples)

    def ratio(self):
        if not self.peer or not self.samples:
            return None
        return self.value() / self.peer_value() if self.peer_value() else None

    def median_ratio(self):
        if not self.peer or not self.samples:
            return None
        below = statistics.median(self.peer)
        return statistics.median(self.samples) / below if below else None

    def as_json(self):
        return {
            "name": self.name,
            "value": self.value(),
            "unit": self.unit,
            "peer_name": self.peer_name,
            "peer": self.peer_value(),
            "peer_median": statistics.median(self.peer) if self.peer else None,
            "ratio": self.ratio(),
            "median_ratio": self.median_ratio(),
            "runs": len(self.samples),
            "spread": spread(self.samples),
            "goal": self.goal,
            "note": self.note,
        }


def spread(samples):
    """The extremes, quartiles and median of the samples; half of the samples lie between the quartiles."""
    if not samples:
        return {}
    low, middle, high = (samples * 3 if len(samples) == 1 else
                         statistics.quantiles(samples, n=4, method="inclusive"))
    return {"min": min(samples), "lower_quartile": low, "median": middle, "upper_quartile": high,
            "max": max(samples)}


def added(found, name, own, plain, peer_name, peer, goal, note=""):
    """A row with the time that Strobe adds to the plain work, and the time that the peer adds: in both cases the
    least time minus the least time of the plain work."""
    usual = statistics.median(found[plain])
    return Row(name, "ns", [value - usual for value in found[own]], peer_name,
               [value - usual for value in found[peer]], goal, note,
               best_value=min(found[own]) - min(found[plain]),
               best_peer=min(found[peer]) - min(found[plain]))


SCHEMA_VERSION = 1  # of the JSON output; bench/README.md lists its fields
WIDTH = 100  # of the table

_TIMES = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


def three_digits(value):
    """The number with three significant digits, without an exponent."""
    if not value:
        return "0"
    if abs(value) < 0.001:
        return "< 0.001"
    return "{:,.0f}".format(value) if abs(value) >= 100 else "{:.3g}".format(value)


def quantity(value, unit):
    """The value with a unit of suitable size: "1.25 ms", "58.1 M records/s"."""
    if value is None:
        return "-"
    if unit in _TIMES:
        nanoseconds = value * _TIMES[unit]
        names = [name for name in _TIMES if abs(nanoseconds) >= 0.9995 * _TIMES[name]]
        unit = names[-1] if names else "ns"
        value = nanoseconds / _TIMES[unit]
    elif unit.endswith("/s") and not unit.startswith("MB"):
        for prefix, size in (("G ", 1e9), ("M ", 1e6), ("k ", 1e3)):
            if abs(value) >= 0.9995 * size:
                value, unit = value / size, (prefix + unit).replace(" /", "/")
                break
    return ("%s %s" % (three_digits(value), unit)).rstrip()


def factor(value):
    return "-" if value is None else three_digits(value) + " x"


_TITLES = ["benchmark", "value", "peer or floor", "ratio", "(median)", "goal"]
_TEXTS = {0, 5}  # columns aligned to the left


def _cells(row):
    unit = "/s" if row.unit.endswith("s/s") else row.unit  # the peer counts the same things
    peer = quantity(row.peer_value(), unit) if row.peer else ""
    ratios = [factor(row.ratio()), factor(row.median_ratio())] if row.peer else ["", ""]
    return [row.name, quantity(row.value(), row.unit), peer, *ratios, row.goal]


def _spread(row):
    if not row.samples:
        return ""
    found = {name: quantity(value, row.unit) for name, value in spread(row.samples).items()}
    if len(row.samples) == 1:
        return "1 run"
    return "%d runs: median %s, middle half %s to %s" % (
        len(row.samples), found["median"], found["lower_quartile"], found["upper_quartile"])


def _remarks(row):
    """The lines below a row's figures: the peer, the spread, the note."""
    peer = "against " + row.peer_name if row.peer_name else ""
    return "; ".join(text for text in (peer, _spread(row), row.note) if text)


def table(rows):
    """The rows as text, aligned, at most WIDTH columns wide."""
    lines = [_TITLES] + [_cells(row) for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(_TITLES))]
    text = []
    for line in lines:
        cells = (
            cell.ljust(width) if i in _TEXTS else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths))
        )
        text.append("  ".join(cells).rstrip())
    blocks = [text[0], "-" * max(len(line) for line in text)]
    for figures, row in zip(text[1:], rows):
        blocks.append(figures)
        if _remarks(row):
            blocks += textwrap.wrap(_remarks(row), WIDTH, initial_indent="    ",
                                    subsequent_indent="    ")
    return "\n".join(blocks)


def as_json(rows):
    return json.dumps({"schema_version": SCHEMA_VERSION, "rows": [row.as_json() for row in rows]},
                      indent=2)
