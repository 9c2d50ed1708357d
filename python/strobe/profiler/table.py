# SPDX-License-Identifier: Apache-2.0
"""The text table of key_averages(), in the format of torch.profiler."""

import math

_WIDTH = 12
_GAP = "  "
_MORE_FRAMES = 4  # frames of a stack below the row of the first
_FLOPS = ("FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs")


# ---- values ----


def format_time(us):
    if us >= 1e6:
        return "%.3fs" % (us / 1e6)
    if us >= 1e3:
        return "%.3fms" % (us / 1e3)
    return "%.3fus" % us


def format_share(part, whole):
    return "%.2f%%" % (part * 100.0 / whole) if whole else "NaN"


def format_memory(count):
    for unit, size in (("Gb", 1 << 30), ("Mb", 1 << 20), ("Kb", 1 << 10)):
        if abs(count) >= size:
            return "%.2f %s" % (count / size, unit)
    return "%s b" % count


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
    """Title, width, and the text of an entry; extra lines below it if `more` is given."""

    def __init__(self, title, value, width=_WIDTH, align=">", more=None):
        self.title = title
        self.value = value
        self.width = width
        self.align = align
        self.more = more

    def cell(self, value):
        return "{:{align}{width}}".format(value, align=self.align, width=self.width)


def _time_columns(entries):
    total = sum(entry.self_cpu_time_total for entry in entries)
    return [
        _Column("Self CPU %", lambda entry: format_share(entry.self_cpu_time_total, total)),
        _Column("Self CPU", lambda entry: format_time(entry.self_cpu_time_total)),
        _Column(
            "CPU total %",
            lambda entry: 0 if entry.is_async else format_share(entry.cpu_time_total, total),
        ),
        _Column("CPU total", lambda entry: format_time(entry.cpu_time_total)),
        _Column("CPU time avg", lambda entry: format_time(entry.cpu_time)),
    ]


def _device_columns(entries):
    total = sum(entry.self_cuda_time_total for entry in entries)
    return [
        _Column("Self CUDA", lambda entry: format_time(entry.self_cuda_time_total)),
        _Column("Self CUDA %", lambda entry: format_share(entry.self_cuda_time_total, total)),
        _Column("CUDA total", lambda entry: format_time(entry.cuda_time_total)),
        _Column("CUDA time avg", lambda entry: format_time(entry.cuda_time)),
    ]


def _memory_columns(entries):
    columns = [
        _Column("CPU Mem", lambda entry: format_memory(entry.cpu_memory_usage)),
        _Column("Self CPU Mem", lambda entry: format_memory(entry.self_cpu_memory_usage)),
    ]
    if any(entry.self_cuda_memory_usage > 0 for entry in entries):
        columns += [
            _Column("CUDA Mem", lambda entry: format_memory(entry.cuda_memory_usage)),
            _Column("Self CUDA Mem", lambda entry: format_memory(entry.self_cuda_memory_usage)),
        ]
    return columns


def _source_column(entries, limit):
    frames = [frame for entry in entries for frame in entry.stack or []]
    width = _fitting(frames, limit)

    def first(entry):
        return _cut_begin(entry.stack[0], width) if entry.stack else ""

    def more(entry):
        below = (entry.stack or [])[1 : 1 + _MORE_FRAMES]
        return [_cut_begin(frame, width) for frame in below] + [""]

    return _Column("Source Location", first, width, "<", more)


def _flops_column(entries):
    """One unit for all, that of the smallest positive value; None if there is none."""
    positive = [entry.flops for entry in entries if entry.flops > 0]
    if not positive:
        return None
    power = int(min(max(math.log10(min(positive)) / 3, 0), len(_FLOPS) - 1))

    def text(entry):
        return "%8.3f" % (entry.flops / 1000.0**power) if entry.flops > 0 else "--"

    return _Column("Total " + _FLOPS[power], text)


def _columns(entries, limits, with_memory, with_flops):
    name_width = _fitting([entry.key for entry in entries], limits["name"])
    columns = [_Column("Name", lambda entry: _cut_end(entry.key, limits["name"]), name_width)]
    columns += _time_columns(entries)
    if any(entry.self_cuda_time_total > 0 for entry in entries):
        columns += _device_columns(entries)
    if with_memory:
        columns += _memory_columns(entries)
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


def _footer(entries):
    yield "Self CPU time total: " + format_time(sum(each.self_cpu_time_total for each in entries))
    device = sum(each.self_cuda_time_total for each in entries)
    if device > 0:
        yield "Self CUDA time total: " + format_time(device)


def build(
    entries,
    sort_by=None,
    row_limit=100,
    max_source=75,
    max_name=55,
    max_shapes=80,
    header=None,
    top_level_only=False,
    with_memory=False,
    with_flops=False,
    lost=0,
):
    """The table of events or averages; "" for none."""
    entries = list(entries)
    if not entries:
        return ""
    if sort_by is not None:
        entries.sort(key=lambda entry: getattr(entry, sort_by), reverse=True)
    limits = {"name": max_name, "shapes": max_shapes, "source": max_source}
    columns = _columns(entries, limits, with_memory, with_flops)
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
    lines += _footer(entries)
    if lost > 0:
        lines.append("Incomplete: %d records were lost, so these numbers may be wrong" % lost)
    return "".join(line + "\n" for line in lines)
