# SPDX-License-Identifier: Apache-2.0
"""Writes the arguments of operators into a folder next to the result directory
(docs/operator-arguments.md)."""

import json
import os
import tempfile

from .capture_table import read_table

FOLDER_END = "_op_args"
FILE_NAME = "op_args.json"
VERSION = 1
_FIELDS = ("Name", "shapes", "types", "cpu_op.values")


def write(directory):
    """Writes the arguments in a result directory to a new folder. Returns the folder's path, or
    None if no operator has arguments."""
    calls = {}
    for row in read_table(directory, "cpu_op"):
        key = tuple(row.get(field) or "" for field in _FIELDS)
        if key[2]:  # types: there are inputs
            calls[key] = calls.get(key, 0) + 1
    if not calls:
        return None
    folder = directory.rstrip("/") + FOLDER_END
    os.makedirs(folder, mode=0o750, exist_ok=True)
    _write_file(os.path.join(folder, FILE_NAME), _document(calls))
    return folder


def _document(calls):
    operators = [
        {"name": name, "calls": count, "inputs": _inputs(shapes, types, values)}
        for (name, shapes, types, values), count in sorted(calls.items())
    ]
    return {"version": VERSION, "operators": operators}


def _inputs(shapes, types, values):
    shapes, types, values = shapes.split(";"), types.split(";"), _values(values)
    inputs = []
    for place, kind in enumerate(types):
        entry = {"type": kind}
        value = values[place] if place < len(values) else ""
        if _is_tensor(kind) and place < len(shapes):
            entry["dims"] = [int(size) for size in shapes[place].split(",") if size]
        elif value:
            entry["value"] = value
        inputs.append(entry)
    return inputs


def _is_tensor(kind):
    return kind not in ("TensorList", "Scalar", "ScalarList", "None")


def _values(text):
    try:
        return [str(value) for value in json.loads(text)] if text else []
    except (ValueError, TypeError):  # a truncated text
        return []


def _write_file(path, document):
    """Writes the file either completely or not at all, and does not follow a link."""
    descriptor, part = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".op_args")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1, ensure_ascii=False)
            file.write("\n")
        os.chmod(part, 0o640)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise
