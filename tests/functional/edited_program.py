# SPDX-License-Identifier: Apache-2.0
"""A program with dynamic profiling. Argument 1 is the folder of profiler_config.json. Argument 2 is
the way of profiling: `init` (the script calls dynamic_profile), `environment` (PROF_CONFIG_PATH; an
optimizer ends the steps) or `start` (dynamic_profile.start() with the file). The program answers
each line of its input with the same line: `step` ends a step and does the work of the next; `found`
waits for the next request that the watch finds; `sync` waits until the watch has evaluated the
present file; `start` starts a profile."""

import os
import random
import sys
import time

from strobe.profiler import dynamic_config, dynamic_profile, dynamic_watch, record_function
from strobe.run import prof_config

try:
    import torch
except ImportError:
    torch = None

# number of checks that have ended, and the version of the file that they evaluated
n_looks, judged = 0, None
look_once = dynamic_watch.Watch._look
open_now = dynamic_config._open_trusted


def count_look(watch):
    global n_looks, judged
    try:
        look_once(watch)
    finally:
        n_looks, judged = n_looks + 1, watch._seen


def await_condition(condition):
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            sys.exit("the watch does not see the last edit")
        time.sleep(0.0005)


def await_look(watch):
    """Waits for two checks, because the first one that ends may have begun before the last edit."""
    first = n_looks
    await_condition(lambda: judged == watch._state() and n_looks >= first + 2)


def await_request(watch):
    await_condition(lambda: watch._found is not None)


def open_later(path):
    """Delays opening the file, so that edits come between the watch's stat of the file and its
    reading."""
    time.sleep(random.random() * 0.003)
    return open_now(path)


def do_work(step):
    with record_function("work-%d;" % step):
        if torch is not None:
            torch.ones(2).add(1)


dynamic_watch.Watch._look = count_look
dynamic_config._open_trusted = open_later
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
