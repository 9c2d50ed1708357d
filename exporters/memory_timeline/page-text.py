#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""page-text.py PAGE HEADER: the page as two C arrays, before and behind the place of its data."""

import sys

MARK = b"@DATA@"


def array(name, content):
    lines = (",".join(map(str, content[i:i + 24])) for i in range(0, len(content), 24))
    return "static const unsigned char %s[] = {\n%s};\n" % (name, ",\n".join(lines))


def main():
    with open(sys.argv[1], "rb") as file:
        content = file.read()
    head, mark, tail = content.partition(MARK)
    if not mark or MARK in tail:
        sys.exit("%s has no one %s" % (sys.argv[1], MARK.decode()))
    with open(sys.argv[2], "w") as file:
        file.write("/* SPDX-License-Identifier: Apache-2.0 */\n/* Made by page-text.py. */\n")
        file.write(array("page_head", head) + array("page_tail", tail))


if __name__ == "__main__":
    main()
