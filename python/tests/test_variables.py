# SPDX-License-Identifier: Apache-2.0
"""Kineto's variables, and warnings of paths that other tools refuse."""

import os
import unittest
import warnings
from unittest import mock

from strobe import message, profiler
from support import FolderTest, messages, results

CPU = [profiler.ProfilerActivity.CPU]


class Variables(unittest.TestCase):
    def levels(self, **variables):
        with mock.patch.dict(os.environ, variables), messages() as told:
            message.info("1")
            message.warn("2")
            message.error("3")
        return [level for level, _ in told]

    def test_level_of_kineto(self):
        every = ["INFO", "WARNING", "ERROR"]
        for value, expected in (("0", every), ("1", every), ("2", every[1:]), ("3", every[2:]),
                                ("5", every[2:]), ("", every), ("none", every), ("-1", every)):
            self.assertEqual(self.levels(KINETO_LOG_LEVEL=value), expected, value)

    def test_configuration_of_kineto(self):
        """Nothing reads KINETO_CONFIG, which is reported once."""
        with mock.patch.dict(os.environ, KINETO_CONFIG="/etc/a test.conf"), messages() as told:
            profiler.profile(activities=CPU)
            profiler.profile(activities=CPU)
        self.assertEqual(told, [("WARNING", "KINETO_CONFIG has no effect: there is no Kineto that "
                                            "reads /etc/a test.conf.")])


class Paths(FolderTest):
    """The warnings have the original's texts, but the paths are accepted."""

    def warned(self, path, call=None):
        with warnings.catch_warnings(record=True) as found, messages() as told:
            warnings.simplefilter("always")
            (call or profiler.tensorboard_trace_handler)(path)
        self.told = [text for _, text in told]
        return [str(each.message) for each in found]

    def test_usual(self):
        for name in ("a", "a b/c_d-e.f", "~/x", "\u4e2d\u6587"):
            self.assertEqual(self.warned(name), [], name)

    def test_odd_characters(self):
        path = os.path.join(self.folder, "a+b")
        self.assertEqual(self.warned("a+b"), ["Invalid input path: " + path])
        handler = profiler.tensorboard_trace_handler("a+b", analyse_flag=False)
        with messages(), profiler.profile(activities=CPU, on_trace_ready=handler):
            pass
        self.assertEqual(len(results("a+b")), 1)

    def test_link(self):
        os.mkdir("real")
        os.symlink("real", "link")
        expected = ["Invalid input path is a symbolic link: link"]
        self.assertEqual(self.warned("link"), expected)
        self.assertEqual(self.warned("link", profiler.analyse), expected)

    def test_length(self):
        for path in ("x" * 256, "/".join(["y" * 200] * 21)):
            self.assertEqual(self.warned(path), ["Length of input path exceeds the limit."])

    def test_permission(self):
        """os.access is replaced, since root may access everything."""
        os.mkdir("closed")
        path = os.path.join(self.folder, "closed")
        with mock.patch("os.access", lambda *_, **__: False):
            self.assertEqual(self.warned("closed"), ["The path permission check failed: " + path])
            self.assertEqual(self.warned("closed", profiler.analyse),
                             ["The path permission check failed: " + path])
