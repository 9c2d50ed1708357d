# SPDX-License-Identifier: Apache-2.0
"""Trains a small convolutional network to distinguish drawn shapes, on the CPU.

The script does not use Strobe: `strobe run -- python3 train.py` profiles it unchanged.
"""

import math

import torch
from torch import nn
from torch.nn import functional

SIZE = 32
SHAPES = ("disc", "square", "triangle", "ring")
BATCH = 64
STEPS = 60


def draw(shape, x, y, radius):
    """An image of SIZE x SIZE: 1 inside of the shape and 0 outside."""
    rows = torch.arange(SIZE).float().view(-1, 1) - y
    columns = torch.arange(SIZE).float().view(1, -1) - x
    distance = (rows**2 + columns**2).sqrt()
    if shape == "disc":
        inside = distance < radius
    elif shape == "ring":
        inside = (distance < radius) & (distance > 0.6 * radius)
    elif shape == "square":
        inside = torch.maximum(rows.abs(), columns.abs()) < radius * math.sqrt(0.5)
    else:
        inside = (rows < 0.5 * radius) & (columns.abs() * math.sqrt(3) < rows + radius)
    return inside.float()


def make_batch(generator):
    """A batch of images, each with a shape of any size at any place, in noise; and the type of each
    shape."""
    labels = torch.randint(len(SHAPES), (BATCH,), generator=generator)
    places = torch.rand((BATCH, 3), generator=generator)
    images = torch.stack(
        [
            draw(SHAPES[label], 10 + 12 * place[0], 10 + 12 * place[1], 6 + 4 * place[2])
            for label, place in zip(labels.tolist(), places.tolist())
        ]
    )
    noise = 0.3 * torch.randn(images.shape, generator=generator)
    return (images + noise).unsqueeze(1), labels


class ShapeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 16, 5, padding=2)
        self.second = nn.Conv2d(16, 32, 5, padding=2)
        self.norm = nn.BatchNorm2d(32)
        self.hidden = nn.Linear(32 * (SIZE // 4) ** 2, 64)
        self.output = nn.Linear(64, len(SHAPES))

    def forward(self, images):
        maps = functional.max_pool2d(functional.relu(self.first(images)), 2)
        maps = functional.max_pool2d(functional.relu(self.norm(self.second(maps))), 2)
        return self.output(functional.relu(self.hidden(maps.flatten(1))))


def main():
    torch.manual_seed(1)
    generator = torch.Generator().manual_seed(2)
    model = ShapeNet()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for step in range(STEPS):
        images, labels = make_batch(generator)
        scores = model(images)
        loss = functional.cross_entropy(scores, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 9:
            share = (scores.argmax(1) == labels).float().mean().item()
            print("step %2d: loss %.3f, %3.0f %% right" % (step + 1, loss.item(), 100 * share))


if __name__ == "__main__":
    main()
