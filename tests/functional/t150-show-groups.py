# SPDX-License-Identifier: Apache-2.0
"""`strobe show` for programs (--json) and with groups (--group-by, --where), on data with known
sums."""

import json
import random
import struct
import unittest

import kineto
from made_capture import THREAD, MadeCapture
from support import StrobeTest, without_sanitizer

EXACT = 1 << 53  # a double represents all integers up to this one


def nearest_rank(values, percent):
    return sorted(values)[(len(values) * percent + 99) // 100 - 1]


def statistics(values):
    return {"sum": sum(values), "mean": sum(values) / len(values), "p50": nearest_rank(values, 50),
            "p95": nearest_rank(values, 95), "max": max(values)}  # fmt: skip


class ShownTraceTest(StrobeTest):
    """An imported trace of operators: the name, thread and duration in us of each."""

    def imported(self, operators):
        events = [{"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": thread,
                   "ts": 1000 * i, "dur": duration, "args": {"External id": i}}
                  for i, (name, thread, duration) in enumerate(operators)]
        path = self.work / "made.pt.trace.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events,
                                    "baseTimeNanoseconds": kineto.BASE}))
        self.strobe("import", path, "-o", self.out, "--export", "stacks")
        return self.out


class GroupsTest(ShownTraceTest):
    def setUp(self):
        super().setUp()
        numbers = random.Random(29)
        self.operators = [("op_%d" % numbers.randrange(5), numbers.randrange(1, 3),
                           numbers.randrange(1, 900)) for _ in range(1000)]
        self.imported(self.operators)

    def groups(self, *flags, table="cpu_op"):
        found, = self.json("show", self.out, "--table", table, "--limit", 1000, *flags)
        return found["rows"]

    def expected(self, key, wanted=lambda operator: True):
        values = {}
        for operator in filter(wanted, self.operators):
            values.setdefault(key(operator), []).append(operator[2] * 1000)
        return {group: dict(statistics(durations), count=len(durations))
                for group, durations in values.items()}

    def assertGroups(self, rows, columns, expected):
        found = {}
        for row in rows:
            key = tuple(row[name] for name in columns)
            found[key] = {name: row["duration_" + name] for name in statistics([1])}
            found[key]["count"] = row["count"]
        self.assertEqual(found, expected)

    def test_by_name(self):
        rows = self.groups("--group-by", "name")
        self.assertEqual(list(rows[0]), ["name", "count", "duration_sum", "duration_mean",
                                         "duration_p50", "duration_p95", "duration_max"])
        self.assertGroups(rows, ["name"], self.expected(lambda operator: (operator[0],)))
        sums = [row["duration_sum"] for row in rows]
        self.assertEqual(sums, sorted(sums, reverse=True), "the largest sum comes first")

    def test_by_two_columns(self):
        self.assertGroups(self.groups("--group-by", "name,track"), ["name", "track"],
                          self.expected(lambda operator: operator[:2]))

    def test_where(self):
        """Conditions on one field are alternatives; conditions on several fields must all hold."""
        rows = self.groups("--group-by", "name", "--where", "name=op_1", "--where", "name=*_3",
                           "--where", "track=2")
        expected = self.expected(lambda operator: (operator[0],),
                                 lambda operator: operator[0] in ("op_1", "op_3") and operator[1] == 2)
        self.assertEqual(len(expected), 2)
        self.assertGroups(rows, ["name"], expected)

    def test_where_without_groups(self):
        found, = self.json("show", self.out, "--table", "cpu_op", "--where", "name=op_2")
        self.assertEqual({row["name"] for row in found["rows"]}, {"op_2"})
        self.assertEqual(found["total_rows"], sum(name == "op_2" for name, _, _ in self.operators))
        rows = self.groups("--where", "duration=%d" % (self.operators[0][2] * 1000))
        self.assertIn(self.operators[0][0], [row["name"] for row in rows])

    def test_where_nothing_is(self):
        done = self.strobe("show", self.out, "--table", "cpu_op", "--where", "name=op_9")
        self.assertEqual(done.stdout, "")
        self.assertIn('none of the 1000 records of table "cpu_op" has name=op_9', done.stderr)
        self.assertEqual(self.groups("--where", "name=op_9", "--group-by", "track"), [])

    def test_absent_values(self):
        self.assertEqual(len(self.groups("--where", "stack=")), 1000)
        row, = self.groups("--group-by", "stack")
        self.assertEqual((row["stack"], row["count"]), (None, 1000))

    def test_order(self):
        for flags, column, descends in ((("--sort", "name"), "name", False),
                                        (("--sort", "count:asc"), "count", False),
                                        (("--sort", "duration_p95"), "duration_p95", True),
                                        (("--sort", "duration max"), "duration_max", True),
                                        (("--sort", "count", "--reverse"), "count", False)):
            with self.subTest(flags):
                values = [row[column] for row in self.groups("--group-by", "name", *flags)]
                self.assertEqual(values, sorted(values, reverse=descends))

    def test_limit(self):
        found, = self.json("show", self.out, "--table", "cpu_op", "--group-by", "name", "-n", 2)
        self.assertEqual((len(found["rows"]), found["total_rows"]), (2, 5))
        text = self.strobe("show", self.out, "-t", "cpu_op", "-g", "name", "-n", 2).stdout
        self.assertIn("(2 of 5 rows; --limit shows more)", text)

    def test_for_people(self):
        lines = self.strobe("show", self.out, "-t", "cpu_op", "-g", "name").stdout.splitlines()
        self.assertRegex(lines[0], r"^Name +count +duration sum +duration mean +duration p50")
        name, expected = max(self.expected(lambda operator: operator[0]).items(),
                             key=lambda item: item[1]["sum"])
        self.assertRegex(lines[2], r"^%s +%d +%.1f ms " % (name, expected["count"],
                                                           expected["sum"] / 1e6))

    def test_named_quantities(self):
        rows = self.groups("--group-by", "name", "--columns", "host_max,calls",
                           table="operator_average")
        calls = {row["name"]: row["calls_sum"] for row in rows}
        self.assertEqual(calls, {group: values["count"] for group, values in
                                 self.expected(lambda operator: operator[0]).items()})
        self.assertNotIn("duration_sum", rows[0])
        self.assertIn("host_max_p50", rows[0])

    def test_wrong_names(self):
        for flags, told in (
            (("--group-by", "nmae"), 'did you mean "name"'),
            (("--group-by", "name,name"), '--group-by names "name" twice'),
            (("--where", "nmae=x"), 'did you mean "name"'),
            (("--where", "name"), '--where=name has no "=", expected FIELD=VALUE'),
            (("--where", "=x"), "--where==x names no field"),
            (("--group-by", "name", "--columns", "shapes"), '"shapes", which is no quantity'),
            (("--group-by", "name", "--sort", "duration_p59"), 'did you mean "duration_p50"'),
            (("--group-by", ""), "--group-by is empty"),
        ):
            with self.subTest(flags):
                done = self.strobe("show", self.out, "--table", "cpu_op", *flags, code=2)
                self.assertIn(told, done.stderr)

    def test_wrong_name_without_rows(self):
        done = self.strobe("show", self.out, "-t", "gc", "-g", "generaton", code=2)
        self.assertIn('did you mean "generation"', done.stderr)


@without_sanitizer
class ManyGroupsTest(ShownTraceTest):
    N = 200000

    def test_groups_that_do_not_fit(self):
        """The command ends in order, and the message names the part that keeps the groups."""
        self.imported([("%d_%s" % (i, "x" * 600), 1, 1) for i in range(self.N)])
        words = ("show", self.out, "-t", "cpu_op", "-g", "name", "--max-mem")
        done = self.strobe(*words, "96MB", code=6)
        self.assertIn('what the exporter "show --group-by" keeps of this input do not fit into '
                      "--max-mem of 96 MB", done.stderr)
        rows, = self.json(*words, "2GB")
        self.assertEqual(rows["total_rows"], self.N)


class SchemaTest(ShownTraceTest):
    """--json: the version, times that count from a base, and no integer that a reader of JSON would
    round."""

    def raw(self, *words):
        return json.loads(self.strobe("show", *words, "--json").stdout)

    def assertExact(self, value):
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            for item in value:
                self.assertExact(item)
        elif isinstance(value, int):
            self.assertLessEqual(abs(value), EXACT)

    def test_rows(self):
        self.imported([("op", 1, 5), ("op", 1, 7)])
        table, = self.raw(self.out, "--table", "cpu_op", "--sort", "begin:asc")
        self.assertEqual(table["schema_version"], 1)
        self.assertIsInstance(table["base_ns"], str)
        self.assertEqual([int(table["base_ns"]) + row["begin"] for row in table["rows"]],
                         [kineto.BASE, kineto.BASE + 10**6])
        self.assertEqual([row["duration"] for row in table["rows"]], [5000, 7000])

    def test_one_base_for_all_tables(self):
        self.record(collect=["fake:threads=0,records=300,kind=all"])
        tables = [entry["table"] for entry in self.raw(self.out, "--list")]
        self.assertGreater(len(tables), 10)
        found = [self.raw(self.out, "--table", name, "--limit", "1000")[0] for name in tables]
        self.assertEqual(len({table["base_ns"] for table in found}), 1)
        self.assertExact(found)

    def test_list(self):
        self.record()
        for entry in self.raw(self.out, "--list"):
            self.assertEqual(entry["schema_version"], 1)

    def test_number_that_no_double_holds(self):
        """One more than the largest integer that is written as a number is written as text."""
        made = MadeCapture(1000)
        thread = made.track(THREAD, 1001)
        for argument in (EXACT, EXACT + 1, (1 << 64) - 2):
            made.add("marker", thread, "mark", 10, 20, struct.pack("<Q", argument))
        capture = made.write(self.out / "made_ascend_pt" / "FRAMEWORK" / "capture.strobe")
        table, = self.raw(capture, "--table", "marker")
        self.assertEqual([row["argument"] for row in table["rows"]],
                         [EXACT, str(EXACT + 1), str((1 << 64) - 2)])


if __name__ == "__main__":
    unittest.main()
