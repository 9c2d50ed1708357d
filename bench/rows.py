# SPDX-License-Identifier: Apache-2.0
"""Rows of the report: a value with its peer, ratio and spread; as an aligned table and as JSON."""

import dataclasses
import json
import statistics
from typing import Optional


@dataclasses.dataclass
class Row:
    """One figure. `samples` are its repeats; `peer` the peer's or floor's, in the same unit."""

    name: str
    unit: str
    samples: list
    peer_name: str = ""
    peer: list = dataclasses.field(default_factory=list)
    goal: str = ""
    note: str = ""
    best: str = "least"  # or "most": which end of the spread is undisturbed
    best_value: Optional[float] = None  # where it is not the best of the samples
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
        spread = {}
        if self.samples:
            spread = {
                "min": min(self.samples),
                "median": statistics.median(self.samples),
                "max": max(self.samples),
            }
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
            "spread": spread,
            "goal": self.goal,
            "note": self.note,
        }


def added(found, name, own, plain, peer_name, peer, goal, note=""):
    """What is added to the plain work, beside what the peer adds: least less least."""
    usual = statistics.median(found[plain])
    return Row(name, "ns", [value - usual for value in found[own]], peer_name,
               [value - usual for value in found[peer]], goal, note,
               best_value=min(found[own]) - min(found[plain]),
               best_peer=min(found[peer]) - min(found[plain]))


def number(value):
    """Three digits that count, with separated thousands where there are many."""
    if value is None:
        return "-"
    if not value:
        return "0"
    if abs(value) >= 1000:
        return "{:,.0f}".format(value)
    return "{:.3g}".format(value) if abs(value) >= 0.001 else "{:.1e}".format(value)


_TITLES = ["name", "value", "unit", "floor or peer", "", "ratio", "(median)", "runs", "min",
           "median", "max", "goal", "note"]
_TEXTS = {0, 2, 3, 11, 12}  # columns aligned to the left


def _cells(row):
    found = row.as_json()
    spread = found["spread"]
    return [
        row.name,
        number(found["value"]),
        row.unit,
        row.peer_name,
        number(found["peer"]) if row.peer else "",
        number(found["ratio"]),
        number(found["median_ratio"]) if row.peer else "",
        str(found["runs"]),
        *(number(spread.get(key)) for key in ("min", "median", "max")),
        row.goal,
        row.note,
    ]


def table(rows):
    """The rows as text, aligned."""
    lines = [_TITLES] + [_cells(row) for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(_TITLES))]
    text = []
    for line in lines:
        cells = (
            cell.ljust(width) if i in _TEXTS else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths))
        )
        text.append("  ".join(cells).rstrip())
    text.insert(1, "-" * max(len(line) for line in text))
    return "\n".join(text)


def as_json(rows):
    return json.dumps([row.as_json() for row in rows], indent=2)
