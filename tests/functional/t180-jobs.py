# SPDX-License-Identifier: Apache-2.0
"""JOB directories of camera boards: `strobe import`, and the commands that read results, work with
them."""

import json
import os
import shutil
import unittest

import made_job
import tap
from support import StrobeTest

INPUT = 5


class JobsTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.jobs = self.work / "jobs"

    def import_job(self, job, code=0):
        shutil.rmtree(self.out, ignore_errors=True)
        return self.strobe("import", "-o", self.out, "--export", "svp_timeline",
                           "--export", "svp_summary", job, code=code)

    def output(self):
        (result,) = self.out.iterdir()
        return result / "ASCEND_PROFILER_OUTPUT"

    def names(self):
        return sorted(path.name for path in self.output().iterdir() if path.name != "analyse.done")

    def test_example(self):
        self.import_job(made_job.make_example(self.jobs))
        self.assertEqual(self.names(), [
            "acl_0.resnet50.1.1.json", "acl_statistic_0_1_1.csv", "op_statistic_0_1_0_1.csv",
            "op_summary_0.resnet50.1.1.1.0.3_25.1000.csv", "task_time_0.resnet50.1.1.json"])
        events = json.loads((self.output() / "task_time_0.resnet50.1.1.json").read_text())
        spans = {event["name"]: event for event in events if event["ph"] == "X"}
        calls = json.loads((self.output() / "acl_0.resnet50.1.1.json").read_text())
        execute = [event for event in calls if event["name"] == "svp_acl_mdl_execute"][0]
        for name in "conv1", "pool1", "detect", "conv2+relu2":  # on the same clock as the call
            begin, duration = spans[name]["ts"], spans[name]["dur"]
            self.assertTrue(execute["ts"] <= begin and
                            begin + duration <= execute["ts"] + execute["dur"], name)
        self.assertEqual(spans["conv1"]["ts"], 1041000)

    def test_moved_and_read_only(self):
        """A JOB contains everything that is needed, in any folder; nothing is written into it."""
        job = made_job.make_example(self.jobs)
        moved = self.work / "elsewhere" / "JOB_X"
        moved.parent.mkdir()
        job.rename(moved)
        os.chmod(moved, 0o500)
        os.chmod(moved / "data", 0o500)
        self.import_job(moved)
        os.chmod(moved, 0o700)
        os.chmod(moved / "data", 0o700)
        self.assertEqual(len(self.names()), 5)

    def test_captures(self):
        """The last capture is torn: the records before are read, and the loss is reported."""
        done = self.import_job(made_job.make_captures(self.jobs))
        self.assertIn("AAcore.0.a.b-c.1.1.100.1.800: it was not finished", done.stderr)
        names = self.names()
        self.assertEqual([name for name in names if name.startswith("op_summary")], [
            "op_summary_0.a.b-c.1.1.100.1.%d.%s.1000.csv" % (current, rate) for current, rate in (
                (0, "3_25"), (200, "3_25"), (400, "3_25"), (600, "3_25"), (800, "3_33"))])
        self.assertEqual([name for name in names if name.startswith("op_statistic")], [
            "op_statistic_0_1_%d_%d.csv" % (200 * number, number + 1) for number in range(5)])
        self.assertIn("task_time_0.a.b-c.1.1.100.json", names)

    def test_twice(self):
        job = made_job.make_captures(self.jobs)
        self.import_job(job)
        before = {path.name: path.read_bytes() for path in self.output().iterdir()}
        self.import_job(job)
        self.assertEqual(before, {path.name: path.read_bytes() for path in self.output().iterdir()})

    def test_parts(self):
        """The existing files decide what is exported."""
        job = made_job.make_example(self.jobs)
        core = job / "data" / "AAcore.0.resnet50.1.1.1.0"
        core.rename(self.work / "away")
        self.import_job(job)
        self.assertEqual(self.names(), ["acl_0.resnet50.1.1.json", "acl_statistic_0_1_1.csv"])
        (self.work / "away").rename(core)
        (job / "data" / "AclModule.0.resnet50.1").unlink()
        self.import_job(job)
        self.assertEqual([name.split("_")[0] for name in self.names()], ["op", "op", "task"])

    def test_names(self):
        """Other spellings, slices by number, and ignored files."""
        job = made_job.make_job(self.jobs)
        data = job / "data"
        for number in range(12):
            made_job.core_file("m", number + 1, 10 ** 6 * (number + 1)).write(
                data / ("aicore.0.m.1.1.1.0.slice_%d" % number))
        made_job.calls_file("m").write(data / "acl_api.0.m.1")
        (data / "AAcore.0.m.1.1.1.5").write_bytes(b"")
        (data / "AAcore.0.m.1.1.1.6.done").write_text("filesize: 1\n")
        (data / "AAcore.0.m.1.1.1.7").symlink_to(self.work / "outside")
        (data / ".hidden").write_text("x")
        (data / "eventview").mkdir()
        (imported,) = self.json("import", "-o", self.out, "--export", "svp_summary", job)
        self.assertEqual([part["part"] for part in imported["found"]], ["aicore.0.m.1.1.1.0.slice_%d" % number for number in range(12)] +
                         ["acl_api.0.m.1"])

    def test_mark(self):
        job = made_job.make_example(self.jobs)
        mark = job / "data" / "Freq.0.done"
        mark.write_text("filesize: 17\n")
        self.assertIn("its size differs from the size when it was finished", self.import_job(job).stderr)
        mark.write_text("filesize: %d\n" % (job / "data" / "Freq.0").stat().st_size)
        self.assertNotIn("damaged", self.import_job(job).stderr)

    def test_diff(self):
        """The manual's case: another activation, found with one command."""
        slow = made_job.make_job(self.jobs / "a")
        fast = made_job.make_job(self.jobs / "b")
        layers = [("conv", "conv", "Convolution", "AA_CORE", 9000, None)]
        mish = [("mish/%s" % name, "mish/%s" % name, name, "AA_CORE", us, None)
                for name, us in (("Softplus", 5000), ("Tanh", 6000), ("Mul", 3299))]
        relu = [("leakyrelu", "leakyrelu", "LeakyRelu", "AA_CORE", 5190, None)]
        made_job.core_file("m", 1, 10 ** 9, layers=layers + mish).write(
            slow / "data" / "AAcore.0.m.1.1.1.0")
        made_job.core_file("m", 1, 10 ** 9, layers=layers + relu).write(
            fast / "data" / "AAcore.0.m.1.1.1.0")
        found = self.json("diff", slow, fast, "--by", "kernel")
        values = {row["path"][-1]: [(row[side] or {}).get("value") for side in "ab"]
                  for row in found["rows"]}
        self.assertEqual(values["mish/Tanh"][0], 6000000)
        self.assertEqual(values["leakyrelu"][1], 5190000)

    def test_vendor_timeline(self):
        """Data that only the vendor's tool reads: the tables that it made are read."""
        job = made_job.make_captures(self.jobs)
        self.import_job(job)
        names = "task_time_0.a.b-c.1.1.100.json", "acl_0.a.b-c.1.1.100.json"
        made = {name: (self.output() / name).read_text() for name in names}
        (job / "timeline").mkdir()
        for name, text in made.items():
            (job / "timeline" / name).write_text(text)
        for path in (job / "data").iterdir():
            path.write_bytes(bytes(range(32)))
        done = self.import_job(job)
        self.assertIn("timeline/task_time_0.a.b-c.1.1.100.json", done.stderr)
        for name, text in made.items():
            spans = [[event[key] for key in ("name", "ts", "dur", "tid")]
                     for event in json.loads((self.output() / name).read_text())
                     if event["ph"] == "X" and "capture" not in event["name"]]
            self.assertEqual(spans, [[event[key] for key in ("name", "ts", "dur", "tid")]
                                     for event in json.loads(text)
                                     if event["ph"] == "X" and "capture" not in event["name"]])
        self.assertEqual([name for name in self.names() if "statistic_0_1_" in name], [
            "acl_statistic_0_1_1.csv"] + ["op_statistic_0_1_%d_%d.csv" % (100 * number, number + 1)
                                          for number in range(5)])
        for name, text in made.items():  # torn
            (job / "timeline" / name).write_text(text[:len(text) // 2])
        self.assertIn("a part of it is not JSON", self.import_job(job).stderr)

    # ---- bad input ----

    def refuse(self, job, *words):
        done = self.import_job(job, code=INPUT)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse(self.out.exists() and list(self.out.iterdir()))

    def test_no_data(self):
        job = made_job.make_job(self.jobs)
        self.refuse(job, "online_model_type=2", "Loading and unloading")
        shutil.rmtree(job / "data")
        self.refuse(job, "online_model_type=2")

    def test_external(self):
        """Data in the vendor's own form: it is named, with advice."""
        job = made_job.make_job(self.jobs)
        (job / "data" / "aicore.0.kws.31.1.1.0").write_bytes(b"\x5a\x5a\x00\x01" * 100)
        self.refuse(job, "aicore.0.kws.31.1.1.0", "5a 5a 00 01", "vendor")

    def test_versions(self):
        job = made_job.make_example(self.jobs)
        made_job.write_info(job, version={"major": 2, "minor": 0})
        self.refuse(job, "info.json.0", "version 2", "version 1")
        made_job.write_info(job, version={"major": 1, "minor": 7})
        self.import_job(job)

    def test_info(self):
        """Without a good info.json only the data files are used."""
        job = made_job.make_example(self.jobs)
        info = job / "info.json.0"
        whole = info.read_bytes()
        for damaged in (whole[:100], b"", b'{"jobInfo": "x", "devices": "0"}', b"\xff\xfe"):
            info.write_bytes(damaged)
            done = self.import_job(job)
            self.assertIn("info.json.0", done.stderr)
            self.assertEqual(len(self.names()), 5)
        info.unlink()
        self.import_job(job)
        self.assertEqual(len(self.names()), 5)
        made_job.write_info(job)
        made_job.write_info(job, device=1)
        self.refuse(job, "2 files info.json.<n>")

    def flip(self, job, step):
        """Changes every byte of the data, one at a time: rows may be missing, but none may
        change."""
        path = job / "data" / "AAcore.0.resnet50.1.1.1.0"
        whole = path.read_bytes()
        self.import_job(job)
        good = set((self.output() / "op_summary_0.resnet50.1.1.1.0.3_25.1000.csv")
                   .read_text().split("\r\n")[1:5])
        for at in range(0, len(whole), step):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1:])
            self.import_job(job)
            for table in self.output().glob("op_summary*"):
                for row in table.read_text().split("\r\n")[1:-2]:
                    cells = row.split(",")
                    bare = [line for line in good if line.split(",")[2] == cells[2]]
                    # these shares depend on other rows, which may be missing
                    self.assertTrue(
                        any(all(a in (b, "N/A") for place, (a, b) in
                                enumerate(zip(cells, line.split(","))) if place != 5)
                            for line in bare), (at, row))

    def test_flipped_bytes(self):
        self.flip(made_job.make_example(self.jobs), 211)

    @tap.long_test
    def test_every_byte_flipped(self):
        self.flip(made_job.make_example(self.jobs), 1)


if __name__ == "__main__":
    unittest.main()
