#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report-text.py HEADER PAGE STYLE SCRIPT...: the page with its style and scripts in it as three C
arrays, which the data and the library of charts come between."""

import sys

DATA, LIBRARY = b"@DATA@", b"@LIBRARY@"


def read(path):
    with open(path, "rb") as file:
        return file.read()


def array(name, content):
    lines = (",".join(map(str, content[i : i + 24])) for i in range(0, len(content), 24))
    return "static const unsigned char %s[] = {\n%s};\n" % (name, ",\n".join(lines))


def main():
    header, page, style, *scripts = sys.argv[1:]
    content = read(page).replace(b"@STYLE@", read(style))
    content = content.replace(b"@SCRIPT@", b"\n".join(map(read, scripts)))
    head, is_data, rest = content.partition(DATA)
    middle, is_library, tail = rest.partition(LIBRARY)
    if not is_data or not is_library or DATA in rest or LIBRARY in tail:
        sys.exit("%s: expected one %s before one %s" % (page, DATA.decode(), LIBRARY.decode()))
    with open(header, "w") as file:
        file.write("/* SPDX-License-Identifier: Apache-2.0 */\n/* Made by report-text.py. */\n")
        for name, part in (("head", head), ("middle", middle), ("tail", tail)):
            file.write(array("report_" + name, part))


if __name__ == "__main__":
    main()
