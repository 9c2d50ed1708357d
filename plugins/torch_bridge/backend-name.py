#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the stem of the backend's file name for a libtorch_cpu.so.

    backend-name.py VERSION LIBTORCH_CPU BRIDGE

prints cpu_op_torch-VERSION-ID-BRIDGE. ID is the begin of the library's GNU build-id, or "size" and
the file's size in hex if there is no build-id; strobe_libtorch_find() makes the same ID.
"""

import os
import struct
import sys


def build_id(path):
    """The first 8 bytes of the build-id in hex, or None if there is no build-id. 64-bit ELF
    only."""
    with open(path, 'rb') as file:
        head = file.read(64)
        if head[:5] != b'\x7fELF\x02':
            raise SystemExit(f'Cannot name backend: path="{path}" is no 64-bit ELF file')
        order = '<' if head[5] == 1 else '>'
        offset, = struct.unpack_from(order + 'Q', head, 32)
        size, count = struct.unpack_from(order + 'HH', head, 54)
        for index in range(count):
            file.seek(offset + index * size)
            kind, _, place, _, _, length = struct.unpack(order + 'IIQQQQ', file.read(40))
            if kind == 4:
                file.seek(place)
                found = find_note(order, file.read(length))
                if found:
                    return found
    return None


def find_note(order, notes):
    at = 0
    while at + 12 <= len(notes):
        name, body, kind = struct.unpack_from(order + 'III', notes, at)
        start = at + 12 + (name + 3) // 4 * 4
        if kind == 3 and notes[at + 12:at + 16] == b'GNU\0' and body >= 8:
            return notes[start:start + 8].hex()
        at = start + (body + 3) // 4 * 4
    return None


def main():
    version, path, bridge = sys.argv[1], os.path.realpath(sys.argv[2]), sys.argv[3]
    identity = build_id(path) or 'size%012x' % os.path.getsize(path)
    print(f'cpu_op_torch-{version}-{identity}-{bridge}', end='')


if __name__ == '__main__':
    main()
