#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The files that hosted jobs and hooks use exist: programs of the tree, jobs of ./dev, packages of
its lists. Every test program is in the build."""

import pathlib
import re
import sys
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))
import tap  # noqa: E402

WORKFLOW = (TOP / ".github" / "workflows" / "ci.yml").read_text()
HOOKS = (TOP / ".pre-commit-config.yaml").read_text()
DEV = (TOP / "dev").read_text()


def dev_jobs():
    """The words of the last `case` in ./dev."""
    cases = DEV[DEV.index("case $job in"):]
    return set(re.findall(r"^([a-z-]+)(?: \|[^)]*)?\)", cases, re.M))


class TestProgramsTest(unittest.TestCase):
    """Without its line in a meson.build, no suite would run the program."""

    def test_functional_tests(self):
        build = (TOP / "tests" / "functional" / "meson.build").read_text()
        programs = sorted((TOP / "tests" / "functional").glob("t[0-9]*-*.py"))
        self.assertGreater(len(programs), 150)
        for program in programs:
            number, name = program.stem[1:].split("-", 1)
            lines = ("'%s': '%s'" % (number, name), "'t%s-%s'" % (number, name))
            self.assertTrue(any(line in build for line in lines), program)

    def test_other_tests(self):
        """A meson.build has the program's name, with its prefix or without."""
        folders = [TOP / name for name in ("exporters", "formats", "plugins", "python", "remote", "sdk",
                                           "tests", "tools")]  # fmt: skip
        builds = [path.read_text() for folder in folders for path in folder.glob("**/meson.build")]
        words = set(re.findall(r"[\w-]+", "\n".join(builds)))
        programs = [path for folder in folders for path in folder.glob("**/test[-_]*")
                    if path.suffix in (".c", ".cpp", ".py")]  # fmt: skip
        self.assertGreater(len(programs), 200)
        for program in programs:
            self.assertTrue({program.stem, program.stem[5:]} & words, program)


class CiTest(unittest.TestCase):
    def commands(self):
        found = re.findall(r"^ *(?:- )?run: (.*)$", WORKFLOW, re.M)
        self.assertGreater(len(found), 5)
        return found

    def test_commands_of_the_tree(self):
        for command in self.commands():
            program = command.split()[0]
            if program.startswith((".", "/")):
                self.assertTrue((TOP / program).is_file(), command)

    def test_jobs_of_dev(self):
        self.assertIn("lint", dev_jobs())
        for command in self.commands():
            if command.startswith("./dev "):
                self.assertIn(command.split()[1], dev_jobs(), command)

    def test_each_step_does_something(self):
        """The other tests would not notice tabs, or a step of another form."""
        self.assertNotIn("\t", WORKFLOW + HOOKS)
        steps = re.findall(r"^      - (\w+):", WORKFLOW, re.M)
        self.assertLessEqual(set(steps), {"run", "uses", "name"})

    def test_hooks(self):
        entries = re.findall(r"^ *entry: (.*)$", HOOKS, re.M)
        self.assertEqual(len(entries), len(re.findall(r"^ *- id: ", HOOKS, re.M)))
        for entry in entries:
            program, *words = entry.split()
            if program == "python3":
                self.assertTrue((TOP / words[0]).is_file(), entry)
            else:
                self.assertRegex(DEV, r"for_\w+='[^']*\b%s\b" % re.escape(program))

    def test_packages_of_debian(self):
        names = re.findall(r"^Package: (.*)$", (TOP / "debian" / "control").read_text(), re.M)
        (purge,) = [command for command in self.commands() if "apt-get purge" in command]
        self.assertEqual(set(purge.split()[4:]), set(names))


if __name__ == "__main__":
    tap.main()
