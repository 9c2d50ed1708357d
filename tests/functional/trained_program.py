# SPDX-License-Identifier: Apache-2.0
"""A training script that knows nothing of a profiler. Each line of its input runs an iteration; its
answer is the line. Argument 1: how many optimizers step in turn."""

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
