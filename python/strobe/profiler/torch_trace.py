# SPDX-License-Identifier: Apache-2.0
"""The trace file of PyTorch's own profile, with the name that TensorBoard's plugin needs."""

import os
import time

from . import torch_style


def write(prof, folder, worker, use_gzip):
    """Makes the profile write its trace to the folder."""
    os.makedirs(folder, exist_ok=True)
    now = time.time_ns() if torch_style.is_torch_2() else time.time_ns() // 1000000
    name = "%s.%d.pt.trace.json" + (".gz" if use_gzip else "")
    while os.path.exists(os.path.join(folder, name % (worker, now))):  # another trace of the same
                                                                       # millisecond
        now += 1
    prof.export_chrome_trace(os.path.join(folder, name % (worker, now)))
