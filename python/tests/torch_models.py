# SPDX-License-Identifier: Apache-2.0
"""Small models and loops of PyTorch that do the same in each step: name -> function that does a
step."""

import torch
from torch import nn

MODELS = {}


def _model(function):
    MODELS[function.__name__] = function
    return function


def _training(net, batch, optimizer=torch.optim.SGD):
    """Returns a function that does a training step."""
    chosen = optimizer(net.parameters(), lr=0.01)

    def step():
        net(batch).sum().backward()
        chosen.step()
        chosen.zero_grad(set_to_none=True)

    return step


def _inference(net, *batch):
    def step():
        with torch.no_grad():
            net(*batch)

    return step


@_model
def linear():
    return _training(nn.Linear(32, 4), torch.ones(8, 32))


@_model
def perceptron():
    return _training(
        nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 4)), torch.ones(8, 32)
    )


@_model
def perceptron_adam():
    return _training(
        nn.Sequential(nn.Linear(16, 8), nn.Tanh(), nn.Linear(8, 2)),
        torch.ones(4, 16),
        torch.optim.Adam,
    )


@_model
def adamw():
    return _training(nn.Linear(8, 8), torch.ones(4, 8), torch.optim.AdamW)


@_model
def rmsprop():
    return _training(nn.Linear(8, 8), torch.ones(4, 8), torch.optim.RMSprop)


@_model
def convolution():
    net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 2))
    return _training(net, torch.ones(2, 3, 8, 8))


@_model
def batch_norm():
    return _training(
        nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.MaxPool2d(2)),
        torch.arange(384.0).reshape(2, 3, 8, 8),
    )


@_model
def residual():
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two = nn.Linear(8, 8), nn.Linear(8, 8)

        def forward(self, x):
            return x + self.two(torch.relu(self.one(x)))

    return _training(nn.Sequential(Block(), Block()), torch.ones(4, 8))


@_model
def lstm():
    net = nn.LSTM(8, 6, batch_first=True)
    return _inference(net, torch.ones(2, 5, 8))


@_model
def gru():
    return _inference(nn.GRU(8, 6), torch.ones(5, 2, 8))


@_model
def embedding():
    words = torch.arange(12).reshape(3, 4)
    net = nn.Embedding(20, 6)

    def step():
        net(words).sum().backward()
        net.zero_grad(set_to_none=True)

    return step


@_model
def attention():
    net = nn.MultiheadAttention(8, 2, batch_first=True)
    x = torch.ones(2, 4, 8)
    return _inference(net, x, x, x)


@_model
def transformer():
    net = nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, dropout=0.0, batch_first=True)
    return _training(net, torch.arange(64.0).reshape(2, 4, 8))


@_model
def layer_norm():
    return _training(
        nn.Sequential(nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 2)),
        torch.arange(32.0).reshape(4, 8),
    )


@_model
def cross_entropy():
    net, loss = nn.Linear(8, 4), nn.CrossEntropyLoss()
    goal = torch.arange(4)

    def step():
        loss(net(torch.ones(4, 8)), goal).backward()
        net.zero_grad(set_to_none=True)

    return step


@_model
def script():
    @torch.jit.script
    def compute(x):
        for _ in range(3):
            x = x * 2 + 1
        return x.relu()

    for _ in range(3):  # the interpreter optimises in its first runs
        compute(torch.ones(4))
    return _inference(compute, torch.ones(4))


@_model
def lists_of_tensors():
    def step():
        parts = torch.split(torch.arange(12.0), [3, 4, 5])
        torch.cat(parts).sum()
        torch.stack([torch.ones(2), torch.zeros(2)])

    return step


@_model
def ranges():
    from torch.profiler import record_function

    def step():
        with record_function("outer"):
            with record_function("inner"):
                torch.ones(4).add(1)
            torch.ones(3, 3).mm(torch.ones(3, 3))

    return step


@_model
def data_loader():
    from torch.utils.data import DataLoader, TensorDataset

    data = TensorDataset(torch.arange(8.0).reshape(4, 2))

    def step():
        for (batch,) in DataLoader(data, batch_size=2):
            batch.sum()

    return step


@_model
def double_backward():
    x = torch.ones(4, requires_grad=True)

    def step():
        (slope,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
        slope.sum().backward()
        x.grad = None

    return step


@_model
def in_place():
    def step():
        x = torch.ones(16)
        x.add_(1).mul_(2)
        x[3:7].zero_()
        x.sort()
        x.unique()

    return step


@_model
def kept_memory():
    kept = []

    def step():
        kept.append(torch.ones(1024))
        if len(kept) > 2:
            kept.clear()

    return step


@_model
def checkpoint():
    from torch.utils.checkpoint import checkpoint as run

    net = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
    x = torch.ones(2, 8, requires_grad=True)
    more = {"use_reentrant": False} if torch.__version__ >= "2" else {}

    def step():
        run(net, x, **more).sum().backward()
        net.zero_grad(set_to_none=True)
        x.grad = None

    return step
