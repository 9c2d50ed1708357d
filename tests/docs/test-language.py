#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names of tests/language.list are in no identifier and no file name."""

import pathlib
import re
import subprocess
import sys
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))
import tap  # noqa: E402

# Comments, texts and characters of C and C++: what is left are identifiers.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def read_list():
    """The names, as lists of words, with what to use instead."""
    names = {}
    for line in (TOP / "tests" / "language.list").read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, instead = line.partition(":")
            names[tuple(name.split())] = instead.strip()
    return names


def words_of(text):
    return tuple(word.lower() for word in WORD.findall(text))


def find(names, text):
    """The names that are in an identifier or a file name."""
    words = words_of(text)
    return [name for name in names
            if any(words[i:i + len(name)] == name for i in range(len(words)))]


def files():
    """What git knows, or all where there is no repository."""
    done = subprocess.run(["git", "-C", TOP, "ls-files"], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return [TOP / line for line in done.stdout.splitlines()]
    folders = "bench core exporters formats plugins python sdk tests tools".split()
    return [path for folder in folders for path in (TOP / folder).rglob("*") if path.is_file()]


class LanguageTest(unittest.TestCase):
    def test_names_of_files_and_identifiers(self):
        names, found = read_list(), {}
        for path in files():
            here = path.relative_to(TOP)
            texts = [here.stem]
            if path.suffix in (".c", ".h", ".cpp") and path.is_file():
                code = NO_CODE.sub(" ", path.read_text(errors="replace"))
                texts += set(IDENTIFIER.findall(code))
            for text in texts:
                for name in find(names, text):
                    found.setdefault(name, []).append("%s: %s" % (here, text))
        self.assertFalse(found, "".join(
            "\n%s (use: %s):\n  %s" % (" ".join(name), names[name], "\n  ".join(places[:10]))
            for name, places in found.items()))

    def test_what_is_found(self):
        names = {("crew",): "", ("batch", "line"): ""}
        self.assertEqual(find(names, "StrobeCrewCall"), [("crew",)])
        self.assertEqual(find(names, "strobe_batch_line_new"), [("batch", "line")])
        self.assertEqual(find(names, "batch-line"), [("batch", "line")])
        self.assertEqual(find(names, "screws_line_batch"), [])


if __name__ == "__main__":
    tap.main()
