# SPDX-License-Identifier: Apache-2.0
"""`strobe torch build`: slow, it compiles against PyTorch's headers."""

import subprocess
import unittest

from support import PYTHON, StrobeTest, has_torch


@unittest.skipUnless(has_torch(), "no PyTorch for %s" % PYTHON)
class TorchBuildTest(StrobeTest):
    def test_backend_is_named_after_the_library(self):
        folder = self.work / "backends"
        self.strobe("torch", "build", "--python", PYTHON, "-o", folder)
        files = list(folder.iterdir())
        self.assertEqual(len(files), 1, files)
        self.assertRegex(files[0].name, r"^cpu_op_torch-\d+\.\d+\.\w+-[0-9a-f]{16}\.so$")
        names = subprocess.run(
            ["nm", "-D", "--defined-only", files[0]], capture_output=True, text=True
        ).stdout
        self.assertIn("strobe_torch_backend_4", names)

    def test_python_without_torch(self):
        fake = self.script("python", "#!/bin/sh\necho no torch >&2\nexit 1\n")
        fake.chmod(0o755)
        done = self.strobe("torch", "build", "--python", fake, "-o", self.work / "x", code=1)
        self.assertIn("Cannot run", done.stderr)
        self.assertFalse((self.work / "x").exists())

    def test_compiler_that_fails(self):
        self.environment["CXX"] = "false"
        folder = self.work / "backends"
        self.strobe("torch", "build", "--python", PYTHON, "-o", folder, code=1)
        self.assertEqual(list(folder.iterdir()), [])
