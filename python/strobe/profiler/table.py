# SPDX-License-Identifier: Apache-2.0
"""The text table of key_averages(), in the format of torch.profiler."""

import math

from . import torch_style

_WIDTH = 12
_GAP = "  "
_MORE_FRAMES_1 = 4  # further frames of a stack, in rows after the first; PyTorch 2.x: all
_UNITS = {"s": 1e6, "ms": 1e3, "us": 1.0}
_FLOPS = ("FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs")


# ---- values ----


def format_time(us, unit=None):
    """A time with its unit. `unit` None: the unit that fits the time."""
    if unit not in _UNITS:
        unit = "s" if us >= 1e6 else "ms" if us >= 1e3 else "us"
    return "%.3f%s" % (us / _UNITS[unit], unit)


def format_share(part, whole):
    return "%.2f%%" % (part * 100.0 / whole) if whole else "NaN"


def format_memory(count, units):
    """Bytes in one of the units of B, KiB, MiB, GiB."""
    for unit, bits in ((units[3], 30), (units[2], 20), (units[1], 10)):
        if abs(count) >= 1 << bits:
            return "%.2f %s" % (count / (1 << bits), unit)
    return "%s %s" % (count, units[0])


def _cut_end(text, limit):
    if limit is not None and len(text) >= limit - 3:
        return text[: limit - 3] + "..."
    return text


def _cut_begin(text, limit):
    if len(text) <= limit:
        return text
    tail = text[len(text) - limit :]
    return "..." + tail[3:] if len(tail) > 3 else tail


def _fitting(texts, limit):
    width = max(len(text) for text in texts) + 4
    return width if limit is None else min(width, limit)


# ---- columns ----


class _Column:
    """A column: its title, its width, and a function for the text of an entry. `more` returns
    additional lines below that text."""

    def __init__(self, title, value, width=_WIDTH, align=">", more=None):
        self.title = title
        self.value = value
        self.width = width
        self.align = align
        self.more = more

    def cell(self, value):
        return "{:{align}{width}}".format(value, align=self.align, width=self.width)


def _time_columns(entries, time_unit):
    total = sum(entry.self_cpu_time_total for entry in entries)

    def self_share(entry):
        entry.self_cpu_percent = format_share(entry.self_cpu_time_total, total)
        return entry.self_cpu_percent

    def total_share(entry):
        share = 0 if entry.is_async else format_share(entry.cpu_time_total, total)
        entry.total_cpu_percent = share
        return share

    return [
        _Column("Self CPU %", self_share),
        _Column("Self CPU", lambda entry: format_time(entry.self_cpu_time_total, time_unit)),
        _Column("CPU total %", total_share),
        _Column("CPU total", lambda entry: format_time(entry.cpu_time_total, time_unit)),
        _Column("CPU time avg", lambda entry: format_time(entry.cpu_time, time_unit)),
    ]


def _device_total(entries):
    """Total time of the device's own events. Operators do not count, because they contain the same
    time."""
    return sum(
        entry.self_device_time_total
        for entry in entries
        if entry.is_legacy
        or entry.device_type != torch_style.cpu_type() and not entry.is_user_annotation
    )


def _device_name(entries):
    """The device's name in the titles; PyTorch 1.x uses only CUDA."""
    if not torch_style.is_torch_2():
        return "CUDA"
    return str(entries[0].use_device).upper()


def _device_columns(entries, device, time_unit):
    total = _device_total(entries)

    def share(entry):
        entry.total_device_percent = format_share(entry.self_device_time_total, total)
        return entry.total_device_percent

    def self_time(entry):
        return format_time(entry.self_device_time_total, time_unit)

    return [
        _Column("Self " + device, self_time),
        _Column("Self %s %%" % device, share),
        _Column(device + " total", lambda entry: format_time(entry.device_time_total, time_unit)),
        _Column(device + " time avg", lambda entry: format_time(entry.device_time, time_unit)),
    ]


def _memory_column(title, attribute):
    units = torch_style.memory_units()
    return _Column(title, lambda entry: format_memory(getattr(entry, attribute), units))


def _memory_columns(entries, device):
    columns = [
        _memory_column("CPU Mem", "cpu_memory_usage"),
        _memory_column("Self CPU Mem", "self_cpu_memory_usage"),
    ]
    has_name = entries[0].use_device or not torch_style.is_torch_2()
    if has_name and any(entry.self_device_memory_usage > 0 for entry in entries):
        columns += [
            _memory_column(device + " Mem", "device_memory_usage"),
            _memory_column("Self %s Mem" % device, "self_device_memory_usage"),
        ]
    return columns


def _source_column(entries, limit):
    frames = [frame for entry in entries for frame in entry.stack or []]
    width = _fitting(frames, limit)

    def first(entry):
        return _cut_begin(entry.stack[0], width) if entry.stack else ""

    end = None if torch_style.is_torch_2() else 1 + _MORE_FRAMES_1

    def more(entry):
        below = (entry.stack or [])[1:end]
        return [_cut_begin(frame, width) for frame in below] + [""]

    return _Column("Source Location", first, width, "<", more)


def _flops_column(entries):
    """The column of floating point operations; None if no value is positive. All entries have the
    unit that fits the smallest positive value."""
    positive = [entry.flops for entry in entries if entry.flops > 0]
    if not positive:
        return None
    power = int(min(max(math.log10(min(positive)) / 3, 0), len(_FLOPS) - 1))

    def text(entry):
        return "%8.3f" % (entry.flops / 1000.0**power) if entry.flops > 0 else "--"

    return _Column("Total " + _FLOPS[power], text)


def _name_columns(entries, limit):
    """The columns of names and, if an entry has one, of overload names."""
    width = _fitting([entry.key for entry in entries], limit)
    columns = [_Column("Name", lambda entry: _cut_end(entry.key, limit), width)]
    if any(entry.overload_name for entry in entries):
        columns.append(
            _Column("Overload Name", lambda entry: _cut_end(entry.overload_name, limit), width)
        )
    return columns


def _columns(entries, limits, time_unit, with_memory, with_flops):
    device = _device_name(entries)
    columns = _name_columns(entries, limits["name"]) + _time_columns(entries, time_unit)
    if any(entry.self_device_time_total > 0 for entry in entries):
        columns += _device_columns(entries, device, time_unit)
    if with_memory:
        columns += _memory_columns(entries, device)
    columns.append(_Column("# of Calls", lambda entry: entry.count))
    if any(entry.node_id != -1 for entry in entries):
        columns.append(_Column("Node ID", lambda entry: entry.node_id))
    if any(entry.input_shapes for entry in entries):
        width = _fitting([str(entry.input_shapes) for entry in entries], limits["shapes"])
        columns.append(
            _Column("Input Shapes", lambda entry: str(entry.input_shapes)[:width], width)
        )
    if any(entry.stack for entry in entries):
        columns.append(_source_column(entries, limits["source"]))
    flops = _flops_column(entries) if with_flops else None
    if flops:
        columns.append(flops)
    return columns


# ---- the table ----


def _row(columns, values):
    return "".join(column.cell(value) + _GAP for column, value in zip(columns, values))


def _entry_rows(columns, entry):
    yield _row(columns, [column.value(entry) for column in columns])
    for i, column in enumerate(columns):
        for text in column.more(entry) if column.more else ():
            yield _row(columns, [text if j == i else "" for j in range(len(columns))])


def _footer(entries, time_unit):
    total = sum(each.self_cpu_time_total for each in entries)
    yield "Self CPU time total: " + format_time(total, time_unit)
    if any(each.self_device_time_total > 0 for each in entries):
        total = format_time(_device_total(entries), time_unit)
        yield "Self %s time total: %s" % (_device_name(entries), total)


def _sorted(entries, sort_by):
    if sort_by is None:
        return list(entries)
    return sorted(entries, key=lambda entry: getattr(entry, sort_by), reverse=True)


def build(
    entries,
    sort_by=None,
    row_limit=100,
    max_source=75,
    max_name=55,
    max_shapes=80,
    header=None,
    top_level_only=False,
    time_unit=None,
    with_memory=False,
    with_flops=False,
    lost=0,
):
    """The table of events or averages; "" if there are none."""
    entries = _sorted(entries, sort_by)
    if not entries:
        return ""
    limits = {"name": max_name, "shapes": max_shapes, "source": max_source}
    columns = _columns(entries, limits, time_unit, with_memory, with_flops)
    rule = _row(columns, ["-" * column.width for column in columns])
    double_rule = "=" * (len(rule) - len(_GAP))
    lines = []
    if header is not None:
        lines += [double_rule, header]
    if top_level_only:
        lines += [double_rule, "This report only display top-level ops statistics"]
    lines += [rule, _row(columns, [column.title for column in columns]), rule]
    shown = [each for each in entries if not (top_level_only and each.cpu_parent is not None)]
    for entry in shown[:row_limit] if row_limit >= 0 else shown:
        lines += _entry_rows(columns, entry)
    lines.append(rule)
    lines += _footer(entries, time_unit)
    if lost > 0:
        lines.append("Incomplete: %d records were lost, so these numbers may be wrong" % lost)
    return "".join(line + "\n" for line in lines)
