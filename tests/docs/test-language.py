#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks names: no private word of tests/language.list, no static function of one word."""

import pathlib
import re
import subprocess
import sys
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))
import tap  # noqa: E402

COMMENTS_AND_TEXTS = {
    "c": re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL),
    "py": re.compile(r'""".*?"""|#[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL),
}
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
STATIC_FUNCTION = re.compile(r"^static (?:[\w*]+ )*?[\w*]*?\**(\w+)\((?!\*)", re.MULTILINE)
SUFFIXES = {".c": "c", ".h": "c", ".cpp": "c", ".hpp": "c", ".py": "py"}
LIST = TOP / "tests" / "language.list"


def words_of(name):
    """The words of an identifier or of a file's name, in lower case: THREAD_BUFFER and ThreadBuffer
    have the same."""
    split = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    return [word.lower() for word in re.split(r"[^A-Za-z0-9]+", split) if word]


def read_list(text):
    lines = (line.strip() for line in text.splitlines())
    return [line.split("_") for line in lines if line and not line.startswith("#")]


def private_words(name, listed):
    words = words_of(name)
    return ["_".join(each) for each in listed
            if any(words[at:at + len(each)] == each for at in range(len(words)))]


def identifiers(text, suffix):
    return set(IDENTIFIER.findall(COMMENTS_AND_TEXTS[SUFFIXES[suffix]].sub(" ", text)))


def one_word_functions(text):
    """Static functions whose names are a single word in lower case, without an object."""
    names = STATIC_FUNCTION.findall(COMMENTS_AND_TEXTS["c"].sub(" ", text))
    return sorted({name for name in names if name.isalpha() and name.islower()})


def sources():
    listed = subprocess.run(["git", "-C", TOP, "ls-files"], capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        return [TOP / name for name in listed.stdout.splitlines()]
    return [path for path in TOP.rglob("*") if path.is_file() and "build" not in path.parts]


class LanguageTest(unittest.TestCase):
    def setUp(self):
        self.listed = read_list(LIST.read_text())
        self.paths = [path for path in sources() if path.is_file() and path != LIST]

    def test_file_names(self):
        found = {str(path.relative_to(TOP)): words for path in self.paths
                 if (words := private_words(path.name, self.listed))}
        self.assertEqual(found, {})

    def test_identifiers(self):
        found = {}
        for path in self.paths:
            if path.suffix in SUFFIXES and path != pathlib.Path(__file__):
                for name in identifiers(path.read_text(errors="replace"), path.suffix):
                    if private_words(name, self.listed):
                        found.setdefault(str(path.relative_to(TOP)), []).append(name)
        self.assertEqual(found, {})

    def test_static_functions(self):
        found = {str(path.relative_to(TOP)): names for path in self.paths
                 if path.suffix in (".c", ".h", ".cpp")
                 and (names := one_word_functions(path.read_text(errors="replace")))}
        self.assertEqual(found, {})


class RulesTest(unittest.TestCase):
    """The test finds the faults that it is made for."""

    def test_words(self):
        listed = read_list("# a comment\nlane\nbeside_strings\n")
        self.assertEqual(private_words("StrobeLane", listed), ["lane"])
        self.assertEqual(private_words("LANE_MAX", listed), ["lane"])
        self.assertEqual(private_words("test-lane.c", listed), ["lane"])
        self.assertEqual(private_words("strobe_beside_strings_new", listed), ["beside_strings"])
        self.assertEqual(private_words("planes", listed), [])
        self.assertEqual(private_words("beside_all_strings", listed), [])

    def test_texts_and_comments_are_free(self):
        self.assertEqual(identifiers('int a; /* lane */ char *b = "lane";', ".c"),
                         {"int", "a", "char", "b"})
        self.assertEqual(identifiers('a = "lane"  # lane\n', ".py"), {"a"})

    def test_functions(self):
        text = ("static void add(int a)\n{\n}\nstatic inline char *find_row(void)\n{\n}\n"
                "static const struct row *take(struct row *r)\n{\n}\nstatic int (*hook)(void);\n")
        self.assertEqual(one_word_functions(text), ["add", "take"])


if __name__ == "__main__":
    tap.main()
