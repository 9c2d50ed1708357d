# SPDX-License-Identifier: Apache-2.0
"""Common functions of the benchmark scripts: sessions, modes that are measured in turn, and the samples that they
print for bench.py."""

import json
import random
import sys

from strobe import _strobe


def in_session(name, config, work):
    """Calls work() in a session. Returns its result and the session's directory."""
    session = _strobe.Session(json.dumps(config), name)
    session.start()
    found = work()
    session.stop()
    told, directory = session.diagnostics, session.directory
    session.close()
    if told:
        sys.exit("the session is incomplete: " + told)
    return found, directory


def in_turn(modes, repeats):
    """Calls the modes (functions by name) once to warm up, and then repeatedly in random order. Each call returns a
    sample or a list of samples."""
    samples = {name: [] for name in modes}
    for mode in modes.values():
        mode()
    for _ in range(repeats):
        order = list(modes)
        random.shuffle(order)
        for name in order:
            found = modes[name]()
            samples[name] += found if isinstance(found, list) else [found]
    return samples


def print_samples(samples):
    """Prints one line of JSON for each name."""
    for name, values in samples.items():
        print(json.dumps({"name": name, "samples": values}))
