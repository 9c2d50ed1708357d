# SPDX-License-Identifier: Apache-2.0
"""A training that waits for data, waits for its device and collects garbage too often is recorded:
its report page names these three faults first. The page of the same training without the faults
names none."""

import os
import pathlib
import unittest

import chromium
from support import PYTHON, TOP, StrobeTest, has_torch, needs_python

HAS_DEVICE = pathlib.Path("/etc/OpenCL/vendors/pocl.icd").exists()
TRAINING = TOP / "tools" / "demo" / "slow.py"
COLLECTORS = ("cpu_op", "gc", "host_sys", "opencl")
# Faults, and the parts of steps that they are about.
PARTS = {"data_loading": "data", "synchronization": "synchronization", "gc": "gc"}
FAULTS = set(PARTS)
SENTENCES = ("Steps wait for the next batch of data", "The program waits for the device",
             "Python's garbage collector interrupts the steps")  # fmt: skip
SHOTS = pathlib.Path(os.environ.get("STROBE_BUILD", ".")) / "screenshots"


@needs_python
@unittest.skipUnless(has_torch(), "no PyTorch for %s" % PYTHON)
@unittest.skipUnless(HAS_DEVICE, "PoCL (pocl-opencl-icd) is not installed")
class ThreeFaultsTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.environment["POCL_CACHE_DIR"] = str(self.work)

    def train(self, *flags):
        """The findings, the most important first: their names and all their texts."""
        self.strobe(
            "run", "-o", self.out, "--schedule", "wait=1,warmup=1,active=4,repeat=1",
            *(word for name in COLLECTORS for word in ("--collect", name)), "--", PYTHON, TRAINING,
            "--steps", 6, *flags,
        )  # fmt: skip
        self.assertEqual(self.records_of(self.result(), "step"), 4)
        rows = self.json("show", self.result(), "--table", "finding")[0]["rows"]
        steps = self.json("show", self.result(), "--table", "step_part")[0]["rows"]
        # Other programs on this machine cause contention, which is no fault of the training.
        return [row["name"] for row in rows if row["name"] != "contention"], (rows, steps)

    def test_faults_come_first(self):
        names, said = self.train()
        self.assertEqual(set(names[:3]), FAULTS, said)
        page = self.work / "faults.html"
        self.strobe("report", self.result(), "-o", page)
        if chromium.PROGRAM:
            self.check_page(page)

    def check_page(self, path):
        SHOTS.mkdir(exist_ok=True)
        with chromium.Page(path, height=1330) as page:
            page.wait_for("document.body.dataset.ready === 'yes'")
            page.screenshot(SHOTS / "report-faults.png")
            shown = page.value("[...document.querySelectorAll('.finding h3')].slice(0, 4)"
                               ".map(each => each.textContent).join()")  # fmt: skip
            for sentence in SENTENCES:
                self.assertIn(sentence, shown)
            self.assertEqual(page.complaints, [])

    def assertSilent(self, said):
        """The faults are not reported, except if their share is a few hundredths of a step: reading
        a batch takes some time. A step in which the program was interrupted within the part does not
        count: on a busy machine this may take as long as a step."""
        rows, steps = said
        for row in rows:
            if row["name"] in FAULTS:
                ordered = sorted(steps, key=lambda step: step[PARTS[row["name"]]] or 0)
                self.assertAlmostEqual(row["share"], self.share(row["name"], ordered), delta=0.1, msg=said)
                self.assertLess(self.share(row["name"], ordered[:-1]), 10, said)

    @staticmethod
    def share(fault, steps):
        return 100 * sum(step[PARTS[fault]] or 0 for step in steps) / sum(step["duration"] for step in steps)

    def test_mended(self):
        _, said = self.train("--mended")
        self.assertSilent(said)

    def test_device_without_waiting(self):
        _, said = self.train("--mended", "--device")
        self.assertSilent(said)
        self.assertGreater(self.records_of(self.result(), "api_call"), 0)


if __name__ == "__main__":
    unittest.main()
