# SPDX-License-Identifier: Apache-2.0
"""A wrong configuration is refused before the command starts, and nothing is left behind."""

import json
import shutil
import subprocess

from support import STROBE, StrobeTest


class ConfigurationTest(StrobeTest):
    def assertRefused(self, *flags, code, says):
        marker = self.work / "ran"
        done = self.strobe("run", "-o", self.out, *flags, "--", "touch", marker, code=code)
        for text in (says,) if isinstance(says, str) else says:
            self.assertIn(text, done.stderr)
        self.assertFalse(marker.exists(), "the command was started")
        self.assertEqual(self.results(), [])
        self.assertNothingLeft()

    def assertFileRefused(self, text, says, code=3):
        path = self.script("config.json", text)
        self.assertRefused("-c", path, code=code, says=says)

    def test_longest_worker(self):
        """A name is truncated to the room in a folder's name, at a whole character."""
        for worker in ("x" * 225, "\u00e4" * 112):
            with self.subTest(worker[0]):
                path = self.script("config.json", json.dumps({"output": {"worker": worker}}))
                before = self.results()
                self.record(flags=("-c", path))
                (made,) = set(self.results()) - set(before)
                name = made.name.split("_")[0]
                self.assertEqual(name, worker[:len(name)])
                self.assertGreaterEqual(len(made.name.encode()), 254 if len(name) < len(worker)
                                        else len(worker.encode()))

    def test_unknown_collector(self):
        self.assertRefused("--collect", "fkae", code=4, says=["fkae", 'did you mean "fake"'])

    def test_unknown_exporter(self):
        self.assertRefused(
            "--collect", "fake", "--export", "chrome_tracee", code=4,
            says=["chrome_tracee", 'did you mean "chrome_trace"'],
        )

    def test_unknown_option(self):
        self.assertRefused(
            "--collect", "fake:recrods=3", code=3, says=["recrods", 'did you mean "records"']
        )

    def test_wrong_option_value(self):
        for value in ("many", "-1", "1.5", ""):
            with self.subTest(value):
                self.assertRefused(
                    "--collect", "fake:threads=0,records=%s" % value, code=3, says=["records"]
                )

    def test_wrong_exporter_option(self):
        self.assertRefused(
            "--collect", "fake", "--export", "chrome_trace:nonesuch=1", code=3, says="nonesuch"
        )

    def test_wrong_schedule(self):
        for text in ("wait=1", "active=0", "active=x", "acitve=1", "active", " "):
            with self.subTest(text):
                self.assertRefused(
                    "--collect", "fake", "--schedule", text, code=3, says="schedule"
                )

    def test_flag_without_an_option(self):
        for flag in ("--schedule", "--buffer", "--rotate", "--dump"):
            with self.subTest(flag):
                says = '%s ",": expected option=value' % flag
                self.assertRefused("--collect", "fake", flag, ",", code=3, says=says)

    def test_values_as_they_were_typed(self):
        for text, says in (
            ("active=99999999999999999999", 'found "99999999999999999999"'),
            ("active=1,wait=1,active=2", '"active" is given twice'),
        ):
            self.assertRefused("--schedule", text, code=3, says=says)
        self.assertRefused("--collect", "fake:records=1,records=2", code=3,
                           says='"records" is given twice')

    def test_missing_file(self):
        self.assertRefused("-c", self.work / "none.json", code=3, says="none.json")

    def test_folder_and_pipe(self):
        self.assertRefused("-c", self.work, code=3, says=["Cannot read", ": Is a directory\n"])
        self.assertRefused("-c", "/dev/zero", code=3, says=["more than the 1048576 bytes"])
        self.strobe("run", "-c", "/dev/stdin", "-o", self.out, "--", "true",
                    input='{"collectors": {"fake": {"threads": 0, "records": 7}}}')
        self.assertEqual(self.records_of(self.result(), "marker"), 7)

    def test_malformed_json(self):
        for text in ("", "{", "[]", '{"collectors": }', "\0", '{"a": 1} {'):
            with self.subTest(text):
                self.assertFileRefused(text, "config.json")

    def test_unknown_key(self):
        self.assertFileRefused('{"colectors": {}}', ["colectors", 'did you mean "collectors"'])

    def test_key_twice(self):
        self.assertFileRefused('{"metadata": {}, "metadata": {}}', "metadata")

    def test_too_large_or_deep(self):
        self.assertFileRefused('{"metadata": "%s"}' % ("x" * (1 << 20)), "config.json")
        self.assertFileRefused('{"metadata": %s%s}' % ("[" * 100, "]" * 100), "config.json")

    def test_option_in_the_file(self):
        text = json.dumps({"collectors": {"fake": {"records": "lots"}}})
        self.assertFileRefused(text, ["config.json", "records", "lots"])

    def test_flag_comes_before_the_file(self):
        path = self.script(
            "config.json", json.dumps({"collectors": {"fake": {"records": 10, "seed": 3}}})
        )
        self.strobe(
            "run", "-o", self.out, "-c", path, "--collect", "fake:threads=0,records=30", "--", "true"
        )
        self.assertEqual(self.records_of(self.result(), "marker"), 30)

    def collectors(self, *words):
        """The collectors of a run, by name, with their options. The helpers add no flag
        themselves."""
        shutil.rmtree(self.out, ignore_errors=True)
        done = subprocess.run([STROBE, "run", "-o", self.out, *words, "--", "true"], cwd=self.work,
                              env=self.environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.json("info", self.result())[0]["metadata"]["collectors"]

    def test_named_collectors_are_added(self):
        default = {"cpu_op", "cpu_sample", "gc", "host_sys", "metadata"}
        self.assertEqual(set(self.collectors("--collect", "fake")), default | {"fake"})
        configured = self.collectors("--collect", "host_sys:interval=50ms")
        self.assertEqual(set(configured), default)
        self.assertEqual(configured["host_sys"]["interval"], "50ms")
        path = self.script("named.json", json.dumps({"collectors": {"fake": {}}}))
        self.assertEqual(set(self.collectors("-c", path)), default | {"fake"})

    def test_without_default_collectors(self):
        self.assertEqual(set(self.collectors("--no-default-collectors", "--collect", "fake")), {"fake"})
        path = self.script("alone.json",
                           json.dumps({"defaults": False, "collectors": {"fake": {}}}))
        self.assertEqual(set(self.collectors("-c", path)), {"fake"})

    def test_defaults_is_true_or_false(self):
        self.assertFileRefused('{"defaults": 1}', ["config.json", "defaults", "true or false"])

    def test_report_of_the_file_gets_every_result(self):
        report = self.work / "report"
        path = self.script(
            "config.json",
            json.dumps({"collectors": {"fake": {}}, "output": {"report": str(report)}}),
        )
        self.strobe("run", "-o", self.out, "-c", path, "--", "true")
        self.assertEqual(report.read_text(), "%s\n" % self.result())
