# SPDX-License-Identifier: Apache-2.0
"""A program with dynamic profiling. Argument 1 is the folder of profiler_config.json. Argument 2 is
the way of profiling: `init` (the script calls dynamic_profile), `environment` (PROF_CONFIG_PATH; an
optimizer ends the steps) or `start` (dynamic_profile.start() with the file). The program answers
each line of its input with the same line: `step` ends a step and does the work of the next; `found`
waits for the next request that the watch finds; `sync` waits until the watch has evaluated the
present file; `start` starts a profile."""

import os
import sys
import time

from strobe.profiler import dynamic_profile, dynamic_watch, record_function
from strobe.run import prof_config

try:
    import torch
except ImportError:
    torch = None

FRESH_NS = 25_000_000  # more than the time for which the watch waits after a change


def await_condition(condition):
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            sys.exit("the watch does not see the last edit")
        time.sleep(0.0005)


def is_fresh(path):
    try:
        return abs(time.time_ns() - os.stat(path).st_mtime_ns) <= FRESH_NS
    except FileNotFoundError:
        return False


def await_look(watch):
    """Waits until the file can no longer change without a new time, and then for two looks, because
    the first one that ends may have begun before."""
    await_condition(lambda: not is_fresh(watch._path))
    first = watch._file.looks()
    await_condition(lambda: watch._file.looks() >= first + 2)


def await_request(watch):
    """Waits for a request, and leaves it, or a newer one, to the next step."""
    taken = []
    await_condition(lambda: taken.append(watch.take()) or taken[-1])

    def take():
        del watch.take
        return watch.take() or taken[-1]

    watch.take = take


def do_work(step):
    with record_function("work-%d;" % step):
        if torch is not None:
            torch.ones(2).add(1)


dynamic_watch.POLL_S = 0.001
folder, way = sys.argv[1:]
if way == "environment":
    parameter = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([parameter], lr=0.1)
    prof_config.begin_by_environment()  # strobe.pth makes the same call
    end_step = optimizer.step
else:
    dynamic_profile.init(folder if way == "init" else os.path.join(folder, "watched"))
    end_step = dynamic_profile.step
step = 0
for line in sys.stdin:
    if line == "step\n":
        step += 1
        end_step()
        do_work(step)
    elif line == "start\n":
        dynamic_profile.start(os.path.join(folder, "profiler_config.json"))
    elif line == "found\n":
        await_request(dynamic_profile._present._watch)
    else:
        await_look(dynamic_profile._present._watch)
    print(line, end="", flush=True)
