# SPDX-License-Identifier: Apache-2.0
"""compile_overhead.py FOLDER [REPEATS]: measures the ns of training steps of a small network, eager and compiled by
torch.compile: without a profiler, with Strobe's cpu_op in a real session, and with torch.profiler, in the same
process, in turn. Both profilers record the same events, including the kernels of Inductor. `kernels_plain` is the
network that was compiled with recordable kernels, while nothing records. Prints one JSON line for each."""

import json
import os
import sys
import time

os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(sys.argv[1], "inductor")

import torch  # noqa: E402
import torch.profiler  # noqa: E402
from torch._inductor import config  # noqa: E402

from measure import in_session, in_turn, print_samples  # noqa: E402

# Each step is timed separately, so that other programs do not disturb all of them.
STEPS = 150
WARM = 10
WIDTH, LAYERS, BATCH = 64, 6, 32


def make_network():
    torch.manual_seed(1)
    layers = []
    for _ in range(LAYERS):
        layers += [torch.nn.Linear(WIDTH, WIDTH), torch.nn.GELU(), torch.nn.LayerNorm(WIDTH)]
    return torch.nn.Sequential(*layers)


def make_step(network):
    """A function that runs forward and backward; the compilation is already done."""
    data = torch.ones(BATCH, WIDTH)

    def step():
        network(data).square().sum().backward()

    for _ in range(WARM):
        step()
    return step


def time_steps(step):
    """ns of each of the STEPS steps."""
    for _ in range(WARM):
        step()
    spent = []
    for _ in range(STEPS):
        begin = time.perf_counter_ns()
        step()
        spent.append(time.perf_counter_ns() - begin)
    return spent


class Modes:
    """Steps without a profiler and under each of the two profilers."""

    def __init__(self, folder, step):
        self.config = {
            "collectors": {"cpu_op": {"required": True}}, "output": {"directory": folder}
        }
        self.step = step
        self.directory = None  # of the last session
        self.events = 0  # number of events in the last recording of the peer

    def plain(self):
        return time_steps(self.step)

    def strobe(self):
        spent, self.directory = in_session("compile_overhead", self.config, self.plain)
        return spent

    def kineto(self):
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
            spent = self.plain()
        self.events = len(profiler.profiler.kineto_results.events())
        return spent


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    torch.set_num_threads(1)
    eager = Modes(sys.argv[1], make_step(make_network()))
    compiled = Modes(sys.argv[1], make_step(torch.compile(make_network())))
    with config.patch({"cpp.enable_kernel_profile": True}):
        torch._dynamo.reset()
        kernels = Modes(sys.argv[1], make_step(torch.compile(make_network())))
    modes = {
        "eager_plain": eager.plain,
        "eager_strobe": eager.strobe,
        "eager_kineto": eager.kineto,
        "compiled_plain": compiled.plain,
        "kernels_plain": kernels.plain,
        "compiled_strobe": kernels.strobe,
        "compiled_kineto": kernels.kineto,
    }
    print_samples(in_turn(modes, int(sys.argv[2]) if len(sys.argv) > 2 else 6))
    print(json.dumps({"name": "kineto_events", "samples": [kernels.events]}))
    print(json.dumps({"name": "directory", "text": kernels.directory}))


if __name__ == "__main__":
    main()
