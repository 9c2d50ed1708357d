# SPDX-License-Identifier: Apache-2.0
"""csv_writer.py FILE: measures the MB/s at which Python's csv.writer, with which the Ascend PyTorch Profiler writes
its files, writes the first rows of a table again. The cells are texts already."""

import csv
import itertools
import json
import os
import sys
import time

ROWS = 20000
REPEATS = 3


def main():
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        rows = list(itertools.islice(csv.reader(file), ROWS))
    path = sys.argv[1] + ".again"
    samples = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
        samples.append(os.path.getsize(path) / (time.perf_counter() - begin) / 1e6)
    os.unlink(path)
    print(json.dumps({"name": "peer", "samples": samples}))


if __name__ == "__main__":
    main()
