# SPDX-License-Identifier: Apache-2.0
"""Reads the cells of an Excel workbook (.xlsx) without a library for workbooks."""

import re
import xml.etree.ElementTree as ElementTree
import zipfile

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def _text(element):
    return "".join(part.text or "" for part in element.iter(_MAIN + "t"))


def _cell(cell, shared):
    value = cell.find(_MAIN + "v")
    if cell.get("t") == "s":
        return shared[int(value.text)]
    if value is None:
        return _text(cell)
    return value.text if cell.get("t") in ("str", "b", "e") else float(value.text)


def _column(reference):
    """The number of a cell's column: 0 for A1, 27 for AB7."""
    number = 0
    for letter in re.match("[A-Z]+", reference).group():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def read(path):
    """Returns name of the sheet -> rows -> {column: value}."""
    with zipfile.ZipFile(path) as file:
        def parse(name):
            return ElementTree.fromstring(file.read(name))

        shared = []
        if "xl/sharedStrings.xml" in file.namelist():
            shared = [_text(each) for each in parse("xl/sharedStrings.xml")]
        targets = {each.get("Id"): each.get("Target").lstrip("/")
                   for each in parse("xl/_rels/workbook.xml.rels")}
        found = {}
        for sheet in parse("xl/workbook.xml").iter(_MAIN + "sheet"):
            target = targets[sheet.get(_LINK)]
            rows = parse(target if target.startswith("xl/") else "xl/" + target).iter(_MAIN + "row")
            found[sheet.get("name")] = [
                {_column(cell.get("r")): _cell(cell, shared) for cell in row} for row in rows]
        return found
