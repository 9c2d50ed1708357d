# SPDX-License-Identifier: Apache-2.0
"""Removing the traces of `strobe run` from the environment and from sys.path."""

import os
import unittest

from support import FolderTest
from strobe.bootstrap import strobe_run_environment as environment

_PACKAGE = environment.package_parent()
_BOOTSTRAP = environment.bootstrap_folder()
_RUN = {
    "STROBE_RUN_DIR": "/run",
    "STROBE_RUN_STEP_ON": "first",
    "STROBE_RUN_FOLLOW": "1",
    "STROBE_RUN_LIBRARY": "/lib/libstrobe.so",
}


def _clean(**variables):
    environ = {**_RUN, **variables}
    environment.clean(environ)
    return environ


class Clean(unittest.TestCase):
    def test_not_ours(self):
        environ = {"PYTHONPATH": _BOOTSTRAP, "LD_PRELOAD": "libstrobe-preload.so"}
        before = dict(environ)
        environment.clean(environ)
        self.assertEqual(environ, before)

    def test_unset_before(self):
        self.assertEqual(
            _clean(
                PYTHONPATH=_BOOTSTRAP + ":" + _PACKAGE,
                LD_PRELOAD="/x/libstrobe-preload.so",
                HOME="/root",
            ),
            {"HOME": "/root"},
        )

    def test_set_before(self):
        self.assertEqual(
            _clean(
                PYTHONPATH=":".join([_BOOTSTRAP, _PACKAGE, "/a", _PACKAGE]),
                STROBE_RUN_OLD_PYTHONPATH="/a:" + _PACKAGE,
                LD_PRELOAD="/x/libstrobe-preload.so:/y/libother.so",
                STROBE_RUN_OLD_LD_PRELOAD="/y/libother.so",
            ),
            {"PYTHONPATH": "/a:" + _PACKAGE, "LD_PRELOAD": "/y/libother.so"},
        )

    def test_of_collectors(self):
        self.assertEqual(
            _clean(
                STROBE_RUN_VARIABLES="TOOL:LAYERS:GONE",
                TOOL="/x/tool.so",
                STROBE_RUN_NEW_TOOL="/x/tool.so",
                LAYERS="/mine:/x/layer.so:/new",
                STROBE_RUN_NEW_LAYERS="/x/layer.so",
                STROBE_RUN_NEW_GONE="/x/tool.so",
            ),
            {"LAYERS": "/mine:/new"},
        )

    def test_of_collectors_in_a_process_that_records(self):
        """A recording process keeps the collectors' variables: libraries read them when they are
        first used."""
        environ = {
            **_RUN,
            "STROBE_RUN_VARIABLES": "TOOL:LD_LIBRARY_PATH",
            "TOOL": "/x/tool.so",
            "STROBE_RUN_NEW_TOOL": "/x/tool.so",
            "LD_LIBRARY_PATH": "/mine:/x",
            "STROBE_RUN_NEW_LD_LIBRARY_PATH": "/x",
        }
        environment.clean(environ, is_recording=True)
        self.assertEqual(environ, {"TOOL": "/x/tool.so", "LD_LIBRARY_PATH": "/mine"})

    def test_empty_before(self):
        self.assertEqual(_clean(PYTHONPATH=_BOOTSTRAP, STROBE_RUN_OLD_PYTHONPATH=""), {})

    def test_added_since(self):
        self.assertEqual(
            _clean(
                PYTHONPATH=":".join(["/new", _BOOTSTRAP, _PACKAGE]),
                LD_PRELOAD="/x/libstrobe-preload.so:/y/libasan.so",
            ),
            {"PYTHONPATH": "/new", "LD_PRELOAD": "/y/libasan.so"},
        )


class IsOpen(FolderTest):
    def test_is_open(self):
        def found(**variables):
            return environment.is_open({"STROBE_RUN_DIR": self.folder, **variables})

        self.assertFalse(environment.is_open({}))
        self.assertFalse(found())  # over
        self.write("config.json", "{}")
        self.assertTrue(found())
        self.write("claim", "1 5 2")
        self.assertFalse(found())
        self.assertTrue(found(STROBE_RUN_FOLLOW="1"))
        self.write("claim", "1 5 1")  # for now only
        self.assertTrue(found())
        self.write("claim", "%d 5 2" % os.getpid())  # of the program that ran here before
        self.assertTrue(found())

    def test_may_pass_on(self):
        variables = {"STROBE_RUN_DIR": self.folder}
        for claim, expected in ("1 5 1", True), ("1 5 2", False), ("1 5 3", False):
            self.write("claim", claim)
            self.assertEqual(environment.may_pass_on(variables), expected)


class CleanPath(unittest.TestCase):
    def _path(self, path, old=None, site_folders=()):
        environment.clean_path(path, old, site_folders)
        return path

    def test_plain(self):
        self.assertEqual(self._path(["/s", _BOOTSTRAP, _PACKAGE, "/lib"]), ["/s", "/lib"])

    def test_package_was_there(self):
        self.assertEqual(
            self._path(["/s", _BOOTSTRAP, _PACKAGE, "/a", "/lib"], "/a:" + _PACKAGE),
            ["/s", _PACKAGE, "/a", "/lib"],
        )

    def test_package_in_a_folder_of_the_interpreter(self):
        for path, folders, expected in (
            ([_PACKAGE, "/lib"], [_PACKAGE], ["/lib", _PACKAGE]),
            ([_PACKAGE, "/a", "/b"], ["/a", _PACKAGE, "/b"], ["/a", _PACKAGE, "/b"]),
            ([_PACKAGE, "/lib", "/a"], ["/a", _PACKAGE], ["/lib", "/a", _PACKAGE]),
        ):
            self.assertEqual(self._path([_BOOTSTRAP] + path, None, folders), expected)

    def test_current_folder(self):
        self.assertEqual(self._path(["", _BOOTSTRAP]), [""])
