# SPDX-License-Identifier: Apache-2.0
"""python_calls.py FOLDER [REPEATS]: measures the ns per call of a Python function, of a C function and of a PyTorch
module, without a profiler, with Strobe's python_call in a real session, and with cProfile (for modules: with a
hand-written hook). The same calls are made in the same process, in turn. Prints one JSON line for each series."""

import cProfile
import sys
import time

from measure import in_session, in_turn, print_samples

CALLS = 20000
MODULES = 1000
PAUSE_S = 0.02  # in which the writer empties the pool


def empty(value):
    return value


def python_calls(n):
    function = empty
    for _ in range(n):
        function(1)


def builtin_calls(n):
    function, value = len, ()
    for _ in range(n):
        function(value)


def spent(work, n):
    begin = time.perf_counter_ns()
    work(n)
    return (time.perf_counter_ns() - begin) / n


class Session:
    """A session with the collector python_call."""

    def __init__(self, folder):
        self.config = {
            "collectors": {"python_call": {"required": True}}, "output": {"directory": folder}
        }

    def time(self, work, n):
        def measured():
            spent(work, n)
            return spent(work, n)

        found, _ = in_session("python_calls", self.config, measured)
        time.sleep(PAUSE_S)
        return found


def under_cprofile(work, n):
    profile = cProfile.Profile()
    profile.enable()
    spent(work, n)
    found = spent(work, n)
    profile.disable()
    return found


class Hook:
    """Records modules as a programmer would by hand: the name and the times of each call, in a list."""

    def __init__(self):
        self.names = {}
        self.open = []
        self.calls = []

    def before(self, module, inputs):
        self.open.append(time.perf_counter_ns())

    def after(self, module, inputs, output):
        name = self.names.get(module)
        if name is None:
            kind = type(module).__name__
            name = self.names[module] = "nn.Module: %s_%d" % (kind, len(self.names))
        self.calls.append((name, self.open.pop(), time.perf_counter_ns()))

    def time(self, work, n):
        from torch.nn.modules import module

        handles = [module.register_module_forward_pre_hook(self.before),
                   module.register_module_forward_hook(self.after)]
        try:
            spent(work, n)
            return spent(work, n)
        finally:
            for handle in handles:
                handle.remove()
            self.calls.clear()


def module_calls():
    """A function that calls a PyTorch module; None without PyTorch."""
    try:
        import torch
    except ImportError:
        return None
    module, value = torch.nn.Identity(), torch.ones(1)

    def work(n):
        for _ in range(n):
            module(value)

    return work


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    session = Session(sys.argv[1])
    modes = {
        "python": lambda: spent(python_calls, CALLS),
        "python_strobe": lambda: session.time(python_calls, CALLS),
        "python_cprofile": lambda: under_cprofile(python_calls, CALLS),
        "builtin": lambda: spent(builtin_calls, CALLS),
        "builtin_strobe": lambda: session.time(builtin_calls, CALLS),
        "builtin_cprofile": lambda: under_cprofile(builtin_calls, CALLS),
    }
    work = module_calls()
    if work:
        hook = Hook()
        modes["module"] = lambda: spent(work, MODULES)
        modes["module_strobe"] = lambda: session.time(work, MODULES)
        modes["module_hook"] = lambda: hook.time(work, MODULES)
    print_samples(in_turn(modes, int(sys.argv[2]) if len(sys.argv) > 2 else 30))


if __name__ == "__main__":
    main()
