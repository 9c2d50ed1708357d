# SPDX-License-Identifier: Apache-2.0
"""Exporters that a capture names, and file names that it stores for them."""

import json

from other_user import OUTPUT, make_result
from support import StrobeTest

IGNORED = 'option "file" of %s names a file and is ignored: give it with --export'


class StoredNamesTest(StrobeTest):
    def files(self, result):
        return sorted(path.name for path in (result / OUTPUT).iterdir())

    def made(self, **exporters):
        return make_result(self.work, exporters=exporters)

    def test_who_records_names_files(self):
        self.record(flags=["--export", "chrome_trace:file=other.json"])
        self.assertEqual(self.files(self.result()), ["analyse.done", "other.json"])

    def test_a_recording_does_not(self):
        self.record(flags=["--export", "chrome_trace:file=other.json"])
        done = self.strobe("analyse", self.result())
        self.assertEqual(self.files(self.result()), ["analyse.done", "trace_view.json"])
        self.assertIn(IGNORED % "chrome_trace", done.stderr)
        self.strobe("analyse", self.result(), "--export", "chrome_trace:file=other.json")
        self.assertEqual(self.files(self.result()), ["analyse.done", "other.json"])

    def test_name_besides(self):
        """Options on the command line for the same exporter have an effect."""
        result = self.made(chrome_trace={"file": "stored"})
        self.strobe("analyse", result, "--also", "chrome_trace:file=given.json")
        self.assertEqual(self.files(result), ["analyse.done", "given.json"])

    def test_every_exporter_with_such_an_option(self):
        plugins = self.json("plugins")
        with_file = {
            component["name"]
            for plugin in plugins
            for component in plugin.get("components", [])
            if component["type"] == "exporter"
            for option in component["options"]
            if option["name"] == "file" or option["type"] == "path"
        }
        self.assertLessEqual({"chrome_trace", "memory_timeline", "stacks"}, with_file)
        for name in sorted(with_file):
            for options in ({"file": "passwd"}, {"optional": {"file": "passwd"}}):
                with self.subTest(name, options=options):
                    done = self.strobe("analyse", self.made(**{name: options}))
                    self.assertIn(IGNORED % name, done.stderr)
                    self.assertNotIn("passwd", self.files(self.work / "made_ascend_pt"))

    def test_export_of_a_part(self):
        result = self.made(chrome_trace={"file": "passwd"})
        done = self.strobe("export", result, "-o", self.out, "--name", "operator 1")
        self.assertIn(IGNORED % "chrome_trace", done.stderr)
        self.assertEqual(self.files(self.out / result.name), ["analyse.done", "trace_view.json"])

    def test_other_options_hold(self):
        result = self.made(chrome_trace={"gzip": True, "file": "passwd"})
        self.strobe("analyse", result)
        self.assertEqual(self.files(result), ["analyse.done", "trace_view.json.gz"])

    def test_worker_in_a_name_leads_nowhere(self):
        """The worker is only a part of a name, and cannot be a path."""
        result = self.made(tensorboard={"worker": "../../x"})
        before = json.dumps(sorted(str(path) for path in self.work.iterdir()))
        self.strobe("analyse", result)
        self.assertEqual(json.dumps(sorted(str(path) for path in self.work.iterdir())), before)
        trace = [name for name in self.files(result) if name != "analyse.done"]
        self.assertEqual(len(trace), 1)
        self.assertRegex(trace[0], r"^[^/.][^/]*\.pt\.trace\.json$")
