# SPDX-License-Identifier: Apache-2.0
"""A training script without any call of a profiler. Each line of its input runs an iteration, and
is the answer. Argument 1 is the number of optimizers that step in turn."""

import sys

import torch

n_optimizers = int(sys.argv[1]) if len(sys.argv) > 1 else 1
model = torch.nn.Linear(4, 2)
optimizers = [torch.optim.SGD(model.parameters(), lr=0.1) for _ in range(n_optimizers)]
print("ready", flush=True)
for line in sys.stdin:
    for optimizer in optimizers:
        optimizer.zero_grad()
        model(torch.ones(3, 4)).sum().backward()
        optimizer.step()
    print(line, end="", flush=True)
