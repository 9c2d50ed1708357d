# SPDX-License-Identifier: Apache-2.0
"""`strobe show` and `strobe info` on captures of the fake collector."""

import json
import re
import unicodedata

from support import StrobeTest, program


class ShowTest(StrobeTest):
    def test_info_counts_what_was_recorded(self):
        self.record(collect=["fake:threads=0,records=123"])
        info = self.json("info", self.result())[0]
        self.assertEqual(info["kinds"]["marker"], 123)
        self.assertEqual(info["records"], sum(info["kinds"].values()))
        self.assertEqual(sum(track["records"] for track in info["tracks"]), info["records"])
        self.assertTrue(info["sealed"])
        self.assertFalse(info["recovered"])
        self.assertEqual(set(info["lost"].values()), {0})
        self.assertGreaterEqual(info["end_ns"], info["begin_ns"])
        self.assertIn("metadata", info)

    def test_info_of_parent_directory_and_capture(self):
        self.record()
        capture = self.result() / "FRAMEWORK" / "capture.strobe"
        whole = self.json("info", self.out)
        self.assertEqual(whole, self.json("info", self.result()))
        self.assertEqual(whole, self.json("info", capture))

    def test_info_for_people(self):
        self.record()
        text = self.strobe("info", self.out).stdout
        self.assertRegex(text, r"\nstate +complete\n")
        self.assertRegex(text, r"\nmarker +span +100 ")
        self.assertIn("\nLost: nothing\n", text)
        self.assertRegex(text, r"\nclock +\w+( [\d.]+ [GM]Hz)?, error <= \d+(\.\d+)? [nu]s, "
                         r"suspended 0, jumps 0\n")
        self.assertNotIn("Clock:", text)

    def test_info_of_many_threads(self):
        """The text leaves out most of the threads, JSON has all."""
        self.record(program("marked-program"), "3", "1000", collect=["fake:records=0"])
        tracks = self.json("info", self.out)[0]["tracks"]
        short = [track for track in tracks if track["records"] == 1]
        self.assertGreaterEqual(len(short), 1000)
        text = self.strobe("info", self.out).stdout
        self.assertIn(len(re.findall(r"\nthread ", text)), range(150, 201))
        hidden = sorted(track["records"] for track in tracks)[:-200]
        self.assertIn("\nand %d more tracks with %d records" % (len(hidden), sum(hidden)), text)

    def test_losses_are_told_everywhere(self):
        done = self.record(collect=["fake:threads=0,records=10,loss=7"])
        self.assertIn("7 records lost: collector_dropped", done.stderr)
        self.assertEqual(self.json("info", self.out)[0]["lost"]["collector_dropped"], 7)
        self.assertIn("Lost: 7 collector_dropped", self.strobe("info", self.out).stdout)

    def test_rows(self):
        self.record()
        table = self.json("show", self.out, "--table", "marker", "--limit", "5")[0]
        self.assertEqual((table["table"], table["total_rows"]), ("marker", 100))
        self.assertEqual(len(table["rows"]), 5)
        self.assertIsInstance(table["rows"][0]["name"], str)

    def test_order_and_limit(self):
        self.record()
        everything = self.json(
            "show", self.out, "--table", "marker", "--columns", "duration", "--limit", "1000"
        )[0]["rows"]
        durations = [row["duration"] for row in everything]
        self.assertEqual(len(durations), 100)
        for flags, wanted in (
            ([], sorted(durations, reverse=True)),
            (["--reverse"], sorted(durations)),
        ):
            rows = self.json(
                "show", self.out, "--table", "marker", "--sort", "duration", "--limit", "7", *flags
            )[0]["rows"]
            self.assertEqual([row["duration"] for row in rows], wanted[:7])

    def test_direction(self):
        """The order can be given with the column; --reverse reverses any order."""
        self.record()
        for flags, descends in (
            (["duration:asc"], False), (["duration:desc"], True), (["name:desc"], True),
            (["name:asc", "--reverse"], True), (["name"], False), (["duration"], True),
        ):
            with self.subTest(flags):
                rows = self.json("show", self.out, "--table", "marker", "--sort", *flags,
                                 "--limit", "100")[0]["rows"]
                values = [row[flags[0].partition(":")[0]] for row in rows]
                self.assertEqual(values, sorted(values, reverse=descends))

    def test_direction_that_there_is_not(self):
        self.record()
        done = self.strobe("show", self.out, "--table", "marker", "--sort", "name:up", code=2)
        self.assertIn('--sort=name:up: ":up" is no direction', done.stderr)

    def test_limit_below_what_is_kept_between_sorts(self):
        self.record(collect=["fake:threads=0,records=5000"])
        flags = ["--table", "marker", "--columns", "begin", "--sort", "begin"]
        rows = self.json("show", self.out, *flags, "--limit", "3")[0]["rows"]
        whole = self.json("show", self.out, *flags, "--limit", "5000")[0]["rows"]
        self.assertEqual(len(whole), 5000)
        self.assertEqual(rows, whole[:3])

    def test_texts_are_sorted_from_a_to_z(self):
        self.record()
        rows = self.json("show", self.out, "--table", "marker", "--sort", "name", "-n", "100")
        names = [row["name"] for row in rows[0]["rows"]]
        self.assertEqual(names, sorted(names, key=lambda name: name.encode()))

    def test_columns_in_the_order_asked_for(self):
        self.record()
        rows = self.json("show", self.out, "--table", "marker", "--columns", "duration,name")
        self.assertEqual(list(rows[0]["rows"][0]), ["duration", "name"])

    def test_columns_of_no_name_and_of_one_name_twice(self):
        self.record()
        flags = ("show", self.out, "--table", "marker", "--columns")
        done = self.strobe(*flags, "", code=2)
        self.assertIn("--columns is empty, expected COLUMN,...", done.stderr)
        for names in ("name,duration,name", "begin,begin(us)"):
            with self.subTest(names):
                self.assertIn("twice", self.strobe(*flags, names, code=2).stderr)

    def test_unknown_column(self):
        self.record()
        for flag in ("--sort", "--columns"):
            done = self.strobe("show", self.out, "--table", "marker", flag, "duratoin", code=2)
            self.assertIn('did you mean "duration"', done.stderr)

    def test_unknown_column_of_a_table_without_rows(self):
        self.record()
        for table in ("gc", "operator_average", "step_summary"):
            for flag in ("--sort", "--columns"):
                with self.subTest(table=table, flag=flag):
                    flags = ("show", self.out, "--table", table, flag)
                    told = self.strobe(*flags, "nmae", code=2).stderr
                    self.assertIn('Unknown column "nmae" of table "%s"' % table, told)
                    self.assertIn('did you mean "name"', told)
                    self.strobe(*flags, "name")

    def test_unknown_table(self):
        self.record()
        done = self.strobe("show", self.out, "--table", "markre", code=2)
        self.assertIn('did you mean "marker"', done.stderr)

    def test_table_without_rows(self):
        self.record()
        done = self.strobe("show", self.out, "--table", "operator_average")
        self.assertEqual(done.stdout, "")
        self.assertIn('"operator_average" is empty', done.stderr)
        self.assertIn("With strobe run --collect NAME it is recorded by: cpu_op\n", done.stderr)

    def test_list(self):
        self.record(collect=["fake:threads=0,records=120,kind=all"])
        tables = {entry["table"]: entry for entry in self.json("show", self.out, "--list")}
        self.assertEqual(tables["marker"]["origin"], "recorded")
        self.assertEqual(tables["operator_average"]["origin"], "derived")
        self.assertGreater(tables["operator_average"]["records"], 0)
        self.assertEqual(
            tables["marker"]["records"], self.json("info", self.out)[0]["kinds"]["marker"]
        )
        for table, entry in tables.items():
            with self.subTest(table):
                rows = self.json("show", self.out, "--table", table)[0]
                self.assertEqual(rows["total_rows"], entry["records"])

    def test_default_table(self):
        self.record(collect=["fake:threads=0,records=300,kind=all"])
        lines = self.strobe("show", self.out).stdout.splitlines()
        self.assertRegex(lines[2], r"^Operator +Calls +Self +Self % +Total")
        lines = self.strobe("show", self.out, "--sort", "host_self").stdout.splitlines()
        self.assertRegex(lines[0], r"^Operator +Calls +Self us +Self % +Total us")
        own = [float(line.split()[-5]) for line in lines[2:] if not line.startswith("(")]
        self.assertEqual(own, sorted(own, reverse=True))

    def test_several_results(self):
        self.record()
        self.record()
        self.assertEqual(len(self.json("show", self.out, "--table", "marker")), 2)
        for paths in ((self.out,), self.results()):
            text = self.strobe("show", *paths, "--table", "marker").stdout
            for result in self.results():
                self.assertIn(str(result) + "\n", text)
        tables = self.json("show", *self.results(), "--list")
        self.assertEqual({table["directory"] for table in tables}, set(map(str, self.results())))

    def test_hostile_names_do_not_reach_the_terminal(self):
        self.record(collect=["fake:threads=0,records=200,names=hostile,kind=all"])
        for table in ("marker", "operator_average"):
            text = self.strobe("show", self.out, "--table", table, "-n", "500").stdout
            for character in text.replace("\n", ""):
                self.assertNotIn(unicodedata.category(character), ("Cc", "Cf", "Zl", "Zp"), repr(character))
            self.assertLess(max(map(len, text.splitlines())), 1000)

    def test_hostile_diagnostics_are_cut_and_few(self):
        done = self.record(collect=["fake:threads=0,records=3000,names=hostile,kind=all"])
        self.assertLess(len(done.stderr), 20000)
        for character in done.stderr.replace("\n", ""):
            self.assertNotIn(unicodedata.category(character), ("Cc", "Cf", "Zl", "Zp"))

    def test_hostile_names_in_json(self):
        self.record(collect=["fake:threads=0,records=200,names=hostile,kind=all"])
        text = self.strobe("show", self.out, "--table", "marker", "-n", "500", "--json").stdout
        self.assertTrue(json.loads(text)[0]["rows"])

    def test_what_cannot_be_read(self):
        empty = self.work / "empty"
        empty.mkdir()
        text = self.script("text", "no capture")
        for command in ("show", "info", "analyse"):
            for path in (empty, text, self.work / "none"):
                with self.subTest(command=command, path=path.name):
                    done = self.strobe(command, path, code=5)
                    self.assertIn(str(path), done.stderr)
