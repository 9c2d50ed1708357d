# SPDX-License-Identifier: Apache-2.0
"""Replaces torch_npu.npu."""


class Event:
    """Counts the calls of its methods."""

    def __init__(self):
        self.n_calls = 0

    def record(self, stream=None):
        self.n_calls += 1

    def wait(self, stream=None):
        self.n_calls += 1

    def query(self):
        self.n_calls += 1
        return True

    def elapsed_time(self, end):
        self.n_calls += 1
        return 1.5

    def synchronize(self):
        raise RuntimeError("the device is gone")
