# SPDX-License-Identifier: Apache-2.0
"""`strobe show` without --table: the tables that fit the result, and their appearance in a
terminal."""

import json
import re
import unittest

import kineto
from terminal import WIDTH, TerminalTest

STYLE = re.compile(r"\033\[[\d;]*m")


def span(category, name, begin, duration, thread=1, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": thread, "ts": begin,
            "dur": duration, "args": args}  # fmt: skip


def operators(*durations):
    """Operators one after the other, the longest first: op_0, op_1 ..."""
    return [span("cpu_op", "op_%d" % i, 10000 * i, duration) for i, duration in enumerate(durations)]


class OverviewTest(TerminalTest):
    def imported(self, events):
        path = self.work / "made.pt.trace.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events,
                                    "baseTimeNanoseconds": kineto.BASE}))
        self.strobe("import", path, "-o", self.out, "--export", "stacks")

    def shown(self, *flags):
        return self.strobe("show", self.out, *flags).stdout.splitlines()


class VerdictTest(OverviewTest):
    def test_operators(self):
        self.imported(operators(7000, 1500, 1000, 500))
        lines = self.shown()
        self.assertEqual(lines[:2], ["85 % of the operators' time in 2 operators", ""])
        self.assertRegex(lines[2], r"^Operator +Calls +Self +Self % +Total +Min +Max$")
        self.assertRegex(lines[4], r"^op_0 +1 +7\.00 ms +70\.00 +7\.00 ms ")
        self.assertRegex(lines[7], r"^op_3 +1 +500 us +5\.00 ")

    def test_few_of_many(self):
        """The line lists at most five of all operators, also if fewer rows are shown."""
        self.imported(operators(*range(100, 0, -1)))
        share = 100 * sum(range(96, 101)) / sum(range(101))
        self.assertEqual(self.shown()[0], "%.0f %% of the operators' time in 5 operators" % share)
        self.assertEqual(self.shown("-n", 1)[0], "%.0f %% of the operators' time in 1 operator"
                         % (100 * 100 / sum(range(101))))
        self.assertIn("(1 of 100 rows; --limit shows more)", self.shown("-n", 1))

    def test_little_is_not_nothing(self):
        self.imported(operators(999999, 1))
        self.assertEqual(self.shown()[0], "over 99 % of the operators' time in 1 operator")

    def test_steps_and_waiting_for_data(self):
        """The first step contains the start of the program; the median ignores it."""
        loading = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
        events = []
        for number, (begin, duration, waiting) in enumerate(
                ((0, 90000, 50), (90000, 1000, 310), (91000, 1000, 310), (92000, 1000, 320))):
            events += [span("user_annotation", "ProfilerStep#%d" % number, begin, duration),
                       span("cpu_op", loading, begin + 10, waiting),
                       span("cpu_op", "aten::mm", begin + 500, 100)]  # fmt: skip
        self.imported(events)
        self.assertRegex(self.shown()[0], r"^4 steps of 1\.00 ms \(median\); waiting for data 31 % of "
                                          r"each step; \d+ % of the operators' time in \d operators?$")

    def test_kernels(self):
        events = operators(100)
        for i, (name, duration) in enumerate((("gemm", 200), ("gemm", 200), ("copy", 100))):
            events.append(span("kernel", name, 1000 * i, duration, thread=7, device=0, stream=7,
                               correlation=i + 1))
        self.imported(events)
        lines = self.shown()
        begin = lines.index("devices idle 76 % of the time; 80 % of the devices' time in 1 task")
        self.assertRegex(lines[begin + 2], r"^Name +count +duration sum +duration mean ")
        self.assertRegex(lines[begin + 4], r"^gemm +2 +400 us +200 us ")

    def test_functions(self):
        self.imported([span("python_function", "a.py(1): main", 0, 1000, **{"Python id": 1}),
                       span("python_function", "a.py(5): work", 100, 900, **{"Python id": 2})])
        lines = self.shown()
        self.assertEqual(lines[0], "90 % of the time of Python calls in 1 function")
        self.assertRegex(lines[2], r"^Self % +Self +Total % +Total +Count +Function +Location$")
        table, = self.json("show", self.out)
        self.assertEqual(table["table"], "function")

    def test_options_of_the_first_table_with_rows(self):
        """Without --table the options apply to the columns of the first table with rows."""
        self.imported([span("python_function", "a.py(1): main", 0, 1000, **{"Python id": 1})])
        for flags in (("--sort", "total"), ("--columns", "self_share,name"),
                      ("--group-by", "location"), ("--where", "source=python_call")):
            with self.subTest(flags):
                table, = self.json("show", self.out, *flags)
                self.assertEqual((table["table"], len(table["rows"])), ("function", 1))
        done = self.strobe("show", self.out, "--sort", "totl", code=2)
        self.assertIn('of table "function", did you mean "total"', done.stderr)

    def test_ranges(self):
        self.record()
        self.assertRegex(self.shown()[0], r"^\d+ % of the time in marked ranges in \d ranges$")

    def test_nothing(self):
        """The message names collectors that would help, but not the collector of the tests."""
        self.record(collect=["metadata"])
        for flags in ((), ("--json",)):
            done = self.strobe("show", self.out, *flags)
            self.assertRegex(done.stderr, r"no functions and no kernels either .* strobe run --collect "
                                          r"NAME records functions \([\w, ]*cpu_sample[\w, ]*\), "
                                          r"operators \([\w, ]+\) and kernels \([\w, ]+\)\n")
            self.assertNotIn("fake", done.stderr)
        self.assertEqual(json.loads(done.stdout)[0]["rows"], [])
        self.assertEqual(self.strobe("show", self.out).stdout, "")

    def test_errors_of_any_run_are_told(self):
        """If there are no operators, a second run derives the functions; errors of both runs are
        printed."""
        self.record()
        done = self.strobe("show", self.out, "--pass", "function:nothing=1", code=3)
        self.assertIn('"nothing"', done.stderr)
        self.assertEqual(done.stdout, "")

    def test_several_results(self):
        self.record()
        self.record()
        text = "\n".join(self.shown())
        for result in self.results():
            self.assertIn("%s\n" % result, text)
        self.assertEqual(text.count("of the time in marked ranges"), 2)


class StyleTest(OverviewTest):
    """Colour, width and the pager, as a terminal sees them."""

    def setUp(self):
        super().setUp()
        self.environment.update(TERM="xterm", PAGER="cat")
        self.environment.pop("NO_COLOR", None)
        self.imported(operators(7000, 1500, 1000, 500))
        self.plain = self.strobe("show", self.out).stdout

    def pager(self, script):
        path = self.script("pager", "#!/bin/sh\n" + script)
        path.chmod(0o755)
        self.environment["PAGER"] = str(path)

    def test_colour(self):
        text = self.in_terminal("show", self.out)
        self.assertIn("\033[1mOperator", text)
        self.assertRegex(text, r"^\033\[1;36m85 % of ")
        self.assertEqual(STYLE.sub("", text), self.plain)

    def test_no_colour(self):
        self.assertNotIn("\033", self.in_terminal("show", self.out, "--color=never"))
        for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
            with self.subTest(name):
                before = self.environment.get(name)
                self.environment[name] = value
                self.assertNotIn("\033", self.in_terminal("show", self.out))
                self.assertIn("\033", self.in_terminal("show", self.out, "--color=always"))
                self.environment[name] = before or ""

    def test_colour_in_files(self):
        self.assertNotIn("\033", self.plain)
        text = self.strobe("show", self.out, "--color=always").stdout
        self.assertEqual(STYLE.sub("", text), self.plain)
        self.assertNotEqual(text, self.plain)
        self.assertIn("expected auto, always or never",
                      self.strobe("show", self.out, "--color=on", code=2).stderr)

    def test_json_has_no_style(self):
        self.assertNotIn("\033", self.in_terminal("show", self.out, "--json"))

    def test_pager(self):
        """The pager gets the text in colour and in the width of the terminal; less gets -FRX."""
        self.pager('tee seen; echo "LESS=$LESS"')
        text = self.in_terminal("show", self.out, "--table", "cpu_op")
        seen = (self.work / "seen").read_text()
        self.assertEqual(text, seen + "LESS=FRX\n")
        for line in seen.splitlines()[:2]:  # the head has two of them
            self.assertRegex(line, r"^\033\[1m.*\033\[0m$")
        self.assertLessEqual(max(len(line) for line in STYLE.sub("", seen).splitlines()), WIDTH)
        self.assertGreater(max(map(len, self.strobe("show", self.out, "-t", "cpu_op").stdout
                                   .splitlines())), WIDTH)

    def test_list_in_pager(self):
        self.pager("tee seen")
        self.in_terminal("show", self.out, "--list")
        self.assertIn("operator_average", (self.work / "seen").read_text())

    def test_no_pager(self):
        self.pager("touch seen")
        for flags in (("--no-pager",), ("--json",)):
            self.assertIn("op_0", self.in_terminal("show", self.out, *flags))
        self.strobe("show", self.out)
        self.environment["TERM"] = "dumb"
        self.in_terminal("show", self.out)
        self.assertFalse((self.work / "seen").exists())

    def test_pager_that_is_left(self):
        """The user quits the pager before it has read everything."""
        self.pager("read -r line; echo \"$line\"")
        self.imported([span("cpu_op", "op_%d" % i, 10 * i, 5) for i in range(20000)])
        text = self.in_terminal("show", self.out, "--table", "cpu_op", "--limit", 50000)
        self.assertEqual(len(text.splitlines()), 1)

    def test_pager_that_there_is_not(self):
        self.environment["PAGER"] = str(self.work / "none")
        self.in_terminal("show", self.out)


if __name__ == "__main__":
    unittest.main()
