# SPDX-License-Identifier: Apache-2.0
"""Standard input, output and error output are closed: no message is written into a file of
Strobe."""

import subprocess

from support import PYTHON, STROBE, StrobeTest, needs_python

# Writes much to the descriptors that it has closed, and prints the content of the files that have
# their numbers.
PROGRAM = """
import gc, os, sys
for _ in range(20):
    for place in (1, 2):
        try:
            os.write(place, b"lost words " * 1000)
        except OSError:
            pass
    gc.collect()
places = []
for place in range(3):
    try:
        os.fstat(place)
        places.append(place)
    except OSError:
        pass
with open(sys.argv[1], "w") as file:
    file.write(repr(places))
"""


class ClosedPlacesTest(StrobeTest):
    def closed(self, *words, places=">&- 2>&-"):
        """Runs strobe in a shell that has closed these descriptors."""
        done = subprocess.run(
            ["sh", "-c", 'exec "$@" ' + places, "sh", STROBE, *map(str, words)],
            cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=60)
        return done.returncode, done.stderr.decode()

    @needs_python
    def test_the_program_has_closed_them(self):
        program = self.script("program.py", PROGRAM)
        for places in ("<&- >&- 2>&-", ">&- 2>&-", ">&-", "2>&-"):
            with self.subTest(places):
                self.out = self.work / ("out" + str(len(places)))
                place = self.work / "places"
                command = "exec %s %s %s %s" % (PYTHON, program, place, places)
                self.record("sh", "-c", command, collect=("gc", "host_sys:interval=1ms"))
                closed = {0 if "<" in places else -1, 1 if " >" in " " + places else -1,
                          2 if "2>" in places else -1}
                self.assertEqual(place.read_text(), repr([n for n in range(3) if n not in closed]))
                self.assertGreaterEqual(self.records_of(self.result(), "gc"), 20)
                self.assertTrue(self.json("info", self.result())[0]["sealed"])

    def test_the_command_runs_without_them(self):
        code, _ = self.closed("run", "-o", self.out, "--collect", "fake:threads=0,records=100",
                              "--", "true", places="<&- >&- 2>&-")
        self.assertEqual(code, 0)
        self.assertEqual(self.records_of(self.result(), "marker"), 100)

    def test_a_table_that_nobody_gets(self):
        self.record()
        for words in (("show", "-t", "marker"), ("info",), ("show", "--list", "--json")):
            with self.subTest(words):
                code, errors = self.closed(words[0], self.out, *words[1:], places=">&-")
                self.assertEqual(code, 6)
                self.assertIn("Cannot write the standard output", errors)
                code, _ = self.closed(words[0], self.out, *words[1:], places="<&- >&- 2>&-")
                self.assertEqual(code, 6)
