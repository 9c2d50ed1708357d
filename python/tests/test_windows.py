# SPDX-License-Identifier: Apache-2.0
"""Many windows with every option on: memory does not grow, and no object of the program is kept
alive."""

import gc
import glob
import os
import shutil
import sys
import unittest
import weakref

import tap
from strobe import profiler
from support import FolderTest, messages, needs_torch, torch

WINDOWS = int(os.environ.get("STROBE_TEST_WINDOWS", "30"))
FIRST = WINDOWS // 3  # before that caches fill
GROWTH_KB = 2048
FRAMES = 20


def resident_kb():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4


def descriptors():
    return len(os.listdir("/proc/self/fd"))


class Local:
    """An object that lives as long as its frame."""


@tap.once_test
@needs_torch
class WindowsTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.alive = []
        self.model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)

    def step(self, depth=FRAMES):
        local = Local()
        self.alive.append(weakref.ref(local))
        if depth:
            return self.step(depth - 1)
        x, passing = torch.ones(3, 4), torch.nn.Identity()
        self.optimizer.zero_grad(set_to_none=True)
        with profiler.record_function("a range"):
            loss = torch.mm(self.model(passing(x)), torch.ones(4, 2)).sum()
        loss.backward()
        self.optimizer.step()
        self.alive.extend(weakref.ref(each) for each in (x, passing, loss))
        return None

    def remove_results(self, _=None):
        for each in glob.glob(os.path.join(self.folder, "*")):
            shutil.rmtree(each, ignore_errors=True)

    def windows(self):
        """Runs the windows; returns resident memory and open files after each."""
        config = profiler._ExperimentalConfig(
            mstx=True, record_op_args=True, gc_detect_threshold=0, host_sys=["cpu", "mem"]
        )
        found = []
        with messages() as told, profiler.profile(
            record_shapes=True, profile_memory=True, with_stack=True, with_modules=True,
            with_flops=True, experimental_config=config, on_trace_ready=self.remove_results,
            schedule=profiler.schedule(wait=0, warmup=0, active=1, repeat=0),
        ) as prof:  # fmt: skip
            for _ in range(WINDOWS):
                self.step()
                prof.step()
                self.alive = [each for each in self.alive if each() is not None]
                found.append((resident_kb(), descriptors()))
        self.assertEqual([text for level, text in told if level == "ERROR"], [])
        return found

    def test_flat(self):
        found = self.windows()
        if WINDOWS > 100:
            print("#", found[FIRST], found[len(found) // 2], found[-1])
        gc.collect()
        self.assertEqual([each for each in self.alive if each() is not None], [])
        self.assertIsNone(sys.getprofile())
        if "libasan" not in os.environ.get("LD_PRELOAD", ""):  # it keeps freed memory
            self.assertLess(found[-1][0] - found[FIRST][0], GROWTH_KB)
        self.assertLessEqual(found[-1][1], found[FIRST][1])


if __name__ == "__main__":
    unittest.main()
