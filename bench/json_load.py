# SPDX-License-Identifier: Apache-2.0
"""The peer of the import of a trace: Python's json.load in a separate process, without the garbage collector."""

import json
import subprocess
import sys

SCRIPT = """
import gc, json, sys, time
gc.disable()
wall, used = time.perf_counter(), time.process_time()
with open(sys.argv[1], encoding="utf-8") as file:
    data = json.load(file)
print(json.dumps([time.perf_counter() - wall, time.process_time() - used]))
"""


def seconds(path):
    """Wall and processor time, in seconds, for the whole file."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, path], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)
