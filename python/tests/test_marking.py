# SPDX-License-Identifier: Apache-2.0
"""Marks: arguments, contexts, decorators, with and without a session."""

import json
import unittest

import strobe
from support import FolderTest
from strobe import _strobe

_NAMES = ["plain", "", "ü \u4e2d", "\ud800 lone", "a\0b", "x" * 100000]


class WithoutSession(unittest.TestCase):
    def test_disabled(self):
        self.assertIs(strobe.enabled(), False)
        self.assertEqual(strobe.range_begin("x"), 0)
        self.assertIsNone(strobe.range_end(0))
        self.assertIsNone(strobe.step())

    def test_wrong_arguments(self):
        for function in (strobe.range_begin, strobe.mark):
            for arguments in ((), (1,), (None,), (b"x",), ("x", "y"), ("x", 1.5), ("x", 1, 2)):
                self.assertRaises(TypeError, function, *arguments)
        for arguments in ((), ("x",), (1, 1), ("x", "y"), ("x", None), ("x", 1, 1)):
            self.assertRaises(TypeError, strobe.counter, *arguments)
        for token in ("x", None, 1.5):
            self.assertRaises(TypeError, strobe.range_end, token)
        for token in (-1, 1 << 64):
            self.assertRaises(OverflowError, strobe.range_end, token)
        for arguments in ((), (1,), ("x", "y")):
            self.assertRaises(TypeError, strobe.range, *arguments)

    def test_forged_token(self):
        for token in (1, 12345678901234567890, (1 << 64) - 1):
            strobe.range_end(token)

    def test_range_is_transparent(self):
        with self.assertRaises(KeyError):
            with strobe.range("x"):
                raise KeyError(1)

    def test_uninitialised_range(self):
        blank = _strobe.Range.__new__(_strobe.Range)
        self.assertIsNone(blank.name)
        with blank:
            pass
        blank.__exit__(None, None, None)

    def test_decorator(self):
        @strobe.range("work")
        def work(a, b=2):
            """Works."""
            return a + b

        self.assertEqual((work(1), work(1, b=3)), (3, 4))
        self.assertEqual((work.__name__, work.__doc__), ("work", "Works."))


class WithSession(FolderTest):
    def setUp(self):
        super().setUp()
        config = {"output": {"directory": self.folder}, "collectors": {}}
        session = _strobe.Session(json.dumps(config), "test")
        self.addCleanup(session.close)
        session.start()

    def test_enabled(self):
        self.assertIs(strobe.enabled(), True)
        self.assertNotEqual(strobe.range_begin("x"), 0)

    def test_names(self):
        for name in _NAMES:
            strobe.range_end(strobe.range_begin(name, 7))
            strobe.mark(name)
            strobe.mark(name, -1)
            strobe.counter(name, 1.5)
            strobe.counter(name, True)
            with strobe.range(name, 1 << 100):
                pass

    def test_wrong_arguments(self):
        WithoutSession.test_wrong_arguments(self)

    def test_recursive_range(self):
        held = strobe.range("deep")

        def enter(depth):
            with held:
                if depth:
                    enter(depth - 1)

        enter(100)

    def test_unbalanced(self):
        held = strobe.range("x")
        held.__exit__(None, None, None)
        held.__enter__()
        strobe.range_end(strobe.range_begin("y"))
        held.__exit__(None, None, None)
