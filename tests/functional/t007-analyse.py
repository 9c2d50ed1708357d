# SPDX-License-Identifier: Apache-2.0
"""`strobe analyse` makes the same files again, from the capture alone."""

import json
import os
import shutil

from support import StrobeTest

OUTPUT = "ASCEND_PROFILER_OUTPUT"


class AnalyseTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.record(collect=["fake:threads=0,records=120,kind=all"])
        self.directory = self.result()
        self.output = self.directory / OUTPUT

    def files(self, folder=None):
        return sorted(path.name for path in (folder or self.output).iterdir())

    def contents(self, folder=None):
        return {
            path.name: path.read_bytes() for path in (folder or self.output).iterdir()
        }

    def test_run_made_a_whole_result(self):
        self.assertIn("trace_view.json", self.files())
        self.assertIn("analyse.done", self.files())
        self.assertEqual((self.output / "analyse.done").stat().st_size, 0)
        self.assertTrue((self.directory / "profiler_info.json").exists())
        json.loads((self.output / "trace_view.json").read_text())

    def test_modes(self):
        mask = os.umask(0)
        os.umask(mask)
        for folder, _, names in os.walk(self.directory):
            self.assertEqual(os.stat(folder).st_mode & 0o7777, 0o750 & ~mask, folder)
            for name in names:
                path = os.path.join(folder, name)
                self.assertEqual(os.stat(path).st_mode & 0o7777, 0o640 & ~mask, path)

    def test_again_gives_the_same(self):
        before = self.contents()
        self.strobe("analyse", self.directory)
        self.assertEqual(self.contents(), before)
        self.strobe("analyze", self.out)
        self.assertEqual(self.contents(), before)

    def test_elsewhere_from_the_capture_alone(self):
        capture = self.work / "alone.strobe"
        shutil.copy(self.directory / "FRAMEWORK" / "capture.strobe", capture)
        before = self.contents()
        shutil.rmtree(self.out)
        self.strobe("analyse", capture, "-o", self.work / "new")
        self.assertEqual(self.contents(self.work / "new" / "alone_ascend_pt" / OUTPUT), before)

    def test_output_names_the_parent(self):
        before = self.contents()
        self.strobe("analyse", self.out, "-o", self.work / "new")
        self.assertEqual(self.contents(self.work / "new" / self.directory.name / OUTPUT), before)
        self.assertEqual(self.contents(), before)

    def test_two_of_one_name(self):
        """Two results with the same name would have the same folder below -o: the second is
        refused, the first stays."""
        other = self.work / "other" / self.directory.name
        shutil.copytree(self.directory, other)
        place = self.work / "elsewhere"
        for command in ("analyse", "export"):
            with self.subTest(command):
                done = self.strobe(command, self.directory, other, self.directory, "-o", place,
                                   "--export", "csv", code=6)
                self.assertEqual(done.stderr.count("records, files in"), 2)
                self.assertIn("%s: Its files belong in" % other, done.stderr)
                self.assertEqual([path.name for path in place.iterdir()], [other.name])
        self.strobe("analyse", self.directory, other)

    def test_exporter_of_choice(self):
        self.strobe("analyse", self.directory, "--export", "chrome_trace")
        self.assertEqual(self.files(), ["analyse.done", "trace_view.json"])

    def test_exporters_of_the_recording(self):
        shutil.rmtree(self.out)
        self.record(flags=["--export", "chrome_trace"])
        self.strobe("analyse", self.out)
        self.assertEqual(self.files(self.result() / OUTPUT), ["analyse.done", "trace_view.json"])

    def test_old_files_go_with_the_old_folder(self):
        (self.output / "stale.csv").write_text("old")
        (self.output / "folder").mkdir()
        (self.output / "folder" / "file").write_text("old")
        self.strobe("analyse", self.directory)
        self.assertNotIn("stale.csv", self.files())
        self.assertNotIn("folder", self.files())
        self.assertEqual([p.name for p in self.directory.glob(".*")], [])

    def test_link_in_place_of_the_output_is_not_followed(self):
        target = self.work / "target"
        target.mkdir()
        (target / "precious").write_text("keep")
        shutil.rmtree(self.output)
        self.output.symlink_to(target)
        self.strobe("analyse", self.directory)
        self.assertEqual((target / "precious").read_text(), "keep")
        self.assertEqual(self.files(target), ["precious"])
        self.assertFalse(self.output.is_symlink())
        self.assertIn("analyse.done", self.files())

    def test_json(self):
        answer = self.json("analyse", self.directory)
        self.assertEqual(len(answer), 1)
        self.assertEqual(answer[0]["output"], str(self.output))
        self.assertEqual(answer[0]["files"], self.files())
        self.assertFalse(answer[0]["live"])

    def test_unknown_exporter_keeps_the_old_files(self):
        before = self.contents()
        done = self.strobe("analyse", self.directory, "--export", "chrome_trcae", code=4)
        self.assertIn('did you mean "chrome_trace"', done.stderr)
        self.assertEqual(self.contents(), before)

    def test_wrong_exporter_option(self):
        self.strobe("analyse", self.directory, "--export", "csv:nonesuch=1", code=3)

    def test_unwritable_output(self):
        self.script("plain", "")
        self.strobe("analyse", self.directory, "-o", self.work / "plain" / "x", code=6)

    def test_cut_capture(self):
        capture = self.directory / "FRAMEWORK" / "capture.strobe"
        whole = capture.read_bytes()
        for share in (0.3, 0.6, 0.95):
            with self.subTest(share):
                capture.write_bytes(whole[: int(len(whole) * share)])
                done = self.start("analyse", self.directory)
                errors = done.communicate(timeout=60)[1]
                self.assertIn(done.returncode, (0, 5), errors)
                if done.returncode == 0:
                    json.loads((self.output / "trace_view.json").read_text())

    def test_flipped_bit_is_told(self):
        capture = self.directory / "FRAMEWORK" / "capture.strobe"
        data = bytearray(capture.read_bytes())
        data[len(data) * 2 // 3] ^= 0x10
        capture.write_bytes(data)
        answer = self.json("analyse", self.directory)[0]
        self.assertFalse(answer["complete"])
        self.assertTrue(answer["missing"])
