#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""page-text.py PREFIX HEADER PAGE FILE...: inserts the styles (.css) and scripts (.js) FILE into the page, and writes
it to HEADER as C arrays: PREFIX_head is the part before the page's data, and PREFIX_tail the part after them. If the
page has a place for a library, PREFIX_middle is the part between the data and the library."""

import sys

DATA, LIBRARY = b"@DATA@", b"@LIBRARY@"


def read(path):
    with open(path, "rb") as file:
        return file.read()


def array(name, content):
    lines = (",".join(map(str, content[i : i + 24])) for i in range(0, len(content), 24))
    return "static const unsigned char %s[] = {\n%s};\n" % (name, ",\n".join(lines))


def main():
    prefix, header, page, *files = sys.argv[1:]
    content = read(page)
    for mark, ending in ((b"@STYLE@", ".css"), (b"@SCRIPT@", ".js")):
        content = content.replace(mark, b"\n".join(read(path) for path in files if path.endswith(ending)))
    head, is_data, tail = content.partition(DATA)
    middle, is_library, rest = tail.partition(LIBRARY)
    if not is_data or DATA in tail or LIBRARY in rest:
        sys.exit("%s: expected one %s, and at most one %s after it" % (page, DATA.decode(), LIBRARY.decode()))
    parts = [("head", head)] + ([("middle", middle), ("tail", rest)] if is_library else [("tail", tail)])
    with open(header, "w") as file:
        file.write("/* SPDX-License-Identifier: Apache-2.0 */\n/* Made by page-text.py. */\n")
        for name, part in parts:
            file.write(array("%s_%s" % (prefix, name), part))


if __name__ == "__main__":
    main()
