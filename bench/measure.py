# SPDX-License-Identifier: Apache-2.0
"""What the benchmark scripts share: a session of their own, modes measured in turn, and the samples
that they print for bench.py."""

import json
import random
import sys

from strobe import _strobe


def in_session(name, config, work):
    """What work() returns, called in a session, and the session's directory."""
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
    """Calls the modes, functions by name, once to warm up and then in an order of chance, so often;
    each returns a sample or a list of them."""
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
    """One line of JSON for each name."""
    for name, values in samples.items():
        print(json.dumps({"name": name, "samples": values}))
