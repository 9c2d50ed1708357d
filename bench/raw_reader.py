#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""raw_reader.py FOLDER [REPEATS]: a plain reader of torch_npu's raw files, the peer of ascend_raw. It reads the files
with struct into a dictionary of strings and a list of records, which are not used. Prints the ms with and without
Python's garbage collector."""

import gc
import json
import os
import struct
import sys
import time

from raw_files import CALL, MARK, MEMORY, OP, PREFIX

KEY = struct.Struct("<Q")
COLLECTION = struct.Struct("<3Q")
TLV = {"torch.op_range": OP, "torch.op_mark": MARK, "torch.memory_usage": MEMORY,
       "torch.python_tracer_hash": KEY, "torch.param_tensor_info": KEY}
PLAIN = {"torch.python_tracer_func": CALL, "torch.gc_record": COLLECTION}


def read_tlv(data, fixed, strings):
    head, body, size = PREFIX.unpack_from, fixed.unpack_from, fixed.size
    at, end, records = 0, len(data), []
    while at + 6 <= end:
        length = head(data, at)[1]
        at += 6
        last = at + length
        row, fields = body(data, at), {}
        at += size
        while at < last:
            kind, length = head(data, at)
            at += 6
            text = data[at:at + length].decode()
            fields[kind] = strings.setdefault(text, len(strings))
            at += length
        records.append((row, fields))
    return records


def read(folder):
    strings, records = {}, {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
        if name in TLV:
            records[name] = read_tlv(data, TLV[name], strings)
        elif name in PLAIN:
            records[name] = list(PLAIN[name].iter_unpack(data))
    return records


def main():
    samples = {"peer": [], "peer_without_gc": []}
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 3):
        for name, switch in (("peer", gc.enable), ("peer_without_gc", gc.disable)):
            switch()
            begin = time.perf_counter()
            read(os.path.join(sys.argv[1], "FRAMEWORK"))
            samples[name].append(1000 * (time.perf_counter() - begin))
    for name, values in samples.items():
        print(json.dumps({"name": name, "samples": values}))


if __name__ == "__main__":
    main()
