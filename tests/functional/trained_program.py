# SPDX-License-Identifier: Apache-2.0
"""A training script that calls no profiler. Each line of its input runs an iteration, and is the
answer; the line `found` waits until the watch has found a change of the file. Argument 1 is the
number of optimizers that step in turn."""

import sys
import time

import torch

n_optimizers = int(sys.argv[1]) if len(sys.argv) > 1 else 1
model = torch.nn.Linear(4, 2)
optimizers = [torch.optim.SGD(model.parameters(), lr=0.1) for _ in range(n_optimizers)]
print("ready", flush=True)


def await_change():
    from strobe.profiler import dynamic_profile

    while not dynamic_profile._present._watch._file.has_change():
        time.sleep(0.001)


for line in sys.stdin:
    if line == "found\n":
        await_change()
        print(line, end="", flush=True)
        continue
    for optimizer in optimizers:
        optimizer.zero_grad()
        model(torch.ones(3, 4)).sum().backward()
        optimizer.step()
    print(line, end="", flush=True)
