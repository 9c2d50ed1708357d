# SPDX-License-Identifier: Apache-2.0
"""`strobe import` of the raw files of torch_npu: compares the records with the known content of
generated files, and with a second reader, on undamaged and damaged files."""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

from raw_double import Double
from support import TOP, StrobeTest, program

sys.path.insert(0, str(TOP / "bench"))
from raw_files import FIXED, MODES, PLAIN, RawFiles, damage  # noqa: E402

OPERATORS = int(os.environ.get("STROBE_TEST_RAW_OPERATORS", "3000"))
SEEDS = int(os.environ.get("STROBE_TEST_RAW_SEEDS", "2"))
EVERY = sorted(FIXED) + sorted(PLAIN)


class RawTest(StrobeTest):
    """Makes raw files, imports them, and returns the records as lines."""

    def make(self, operators=300, seed=1, name="source", **more):
        more = {"python": True, "stacks": True, "details": True, **more}
        top = self.work / name
        RawFiles(str(top), seed, **more).make(operators)
        return top

    def info(self, top):
        return json.loads((top / "profiler_info_0.json").read_text())

    def change_info(self, top, **start):
        info = self.info(top)
        info["start_info"].update(start)
        (top / "profiler_info_0.json").write_text(json.dumps(info))
        return info

    def import_source(self, source, *flags, **more):
        done = self.strobe("import", "--json", "-o", self.out, "--export", "stacks", *flags, source,
                           **more)
        self.said = done.stderr
        return json.loads(done.stdout)[0] if done.stdout else None

    def lines(self, source, *flags):
        self.made = self.import_source(source, *flags)
        capture = pathlib.Path(self.made["directory"]) / "FRAMEWORK" / "capture.strobe"
        done = subprocess.run([program("dump-capture"), capture], stdout=subprocess.PIPE, text=True,
                              check=True, encoding="ascii")
        shutil.rmtree(self.out)
        return sorted(line for line in done.stdout.splitlines()
                      if not line.startswith("diagnostic\t"))

    def assert_same(self, mine, theirs, what=""):
        if mine != theirs:
            missing, more = set(theirs) - set(mine), set(mine) - set(theirs)
            self.fail("%s: %d lines against %d; missing %s; more %s" % (
                what, len(mine), len(theirs), sorted(missing)[:3], sorted(more)[:3]))


class TruthTest(RawTest):
    def test_every_record(self):
        truth = self.work / "truth"
        top = self.make(OPERATORS, truth=str(truth))
        mine = self.lines(top, "--format", "ascend_raw:tensor_bytes=256MB")
        theirs = sorted(truth.read_text().splitlines())
        self.assertGreater(len(theirs), 2 * OPERATORS)
        self.assert_same(mine, theirs)
        self.assertEqual(self.made["damaged"], [])
        found = {item["part"]: item["count"] for item in self.made["found"]}
        for name in EVERY:
            self.assertGreater(found[name], 0, name)

    def test_same_seed_same_bytes(self):
        one, two = self.make(500, 7, "one"), self.make(500, 7, "two")
        for name in EVERY:
            self.assertEqual((one / "FRAMEWORK" / name).read_bytes(),
                             (two / "FRAMEWORK" / name).read_bytes())


class DoubleTest(RawTest):
    def check(self, top, what=""):
        self.assert_same(self.lines(top), Double(str(top), self.info(top)).decode(), what)

    def test_sound_files(self):
        for seed in range(2, 2 + SEEDS):
            self.check(self.make(seed=seed, name="s%d" % seed), "seed %d" % seed)

    def test_every_damage(self):
        sound = self.make(120)
        for seed in range(SEEDS):
            for mode in MODES:
                for name in EVERY:
                    if mode in ("text", "short", "twice") and name in PLAIN:
                        continue
                    top = self.work / "damaged"
                    shutil.copytree(sound, top)
                    damage(str(top / "FRAMEWORK" / name), mode, "%s %s %d" % (mode, name, seed))
                    self.check(top, "%s %s, seed %d" % (mode, name, seed))
                    if mode == "short":
                        self.assertIn(name, [item["part"] for item in self.made["damaged"]])
                    shutil.rmtree(top)

    def test_clocks(self):
        top = self.make(100)
        for start in ({"freq": 48}, {"freq": 2599.998}, {"freq": 1000}, {"syscnt_enable": False}):
            self.change_info(top, **start)
            self.check(top, str(start))

    def test_random_bytes(self):
        top = self.make(50)
        maker = random.Random(5)
        for name in EVERY:
            (top / "FRAMEWORK" / name).write_bytes(maker.randbytes(20000))
        shutil.copy(self.make(50, name="other") / "FRAMEWORK" / "torch.gc_record",
                    top / "FRAMEWORK" / "torch.gc_record")
        self.check(top)

    def test_much_out_of_order(self):
        """More records are out of order than the importer keeps in memory."""
        top = self.make(40000, stacks=False, details=False)
        for name in ("torch.python_tracer_func", "torch.op_mark"):
            damage(str(top / "FRAMEWORK" / name), "shuffle", 3)
        self.check(top)


class SourceTest(RawTest):
    """Which files are read."""

    def test_damage_is_told(self):
        top = self.make()
        path = top / "FRAMEWORK" / "torch.op_range"
        path.write_bytes(path.read_bytes()[:-5])
        self.lines(top)
        (told,) = self.made["damaged"]
        self.assertEqual(told["part"], "torch.op_range")
        self.assertIn("the last record is not complete", told["name"])

    def test_names(self):
        top = self.make()
        expected = self.lines(top)
        framework = top / "FRAMEWORK"
        (framework / "torch.op_range").rename(framework / "torch.op_range.1")
        (framework / "novelty").write_bytes(b"?")
        self.assert_same(self.lines(top), expected)
        self.assertIn({"part": "FRAMEWORK", "name": "novelty", "count": 1}, self.made["unknown"])
        self.assert_same(self.lines(framework), expected, "FRAMEWORK itself")

    def test_links_are_not_followed(self):
        top = self.make()
        path = top / "FRAMEWORK" / "torch.op_mark"
        path.rename(self.work / "elsewhere")
        path.symlink_to(self.work / "elsewhere")
        self.assertFalse([line for line in self.lines(top) if line.startswith("task_queue")])

    def test_hostile_sizes(self):
        for head in (b"\x01\x00\xff\xff\xff\xff", b"\x01\x00\xff\xff\xff\x0f" + bytes(100)):
            top = self.make(20, name="hostile%d" % len(head))
            path = top / "FRAMEWORK" / "torch.op_range"
            path.write_bytes(path.read_bytes() + head)
            os.truncate(path, path.stat().st_size + (1 << 20))
            self.assertGreater(len(self.lines(top)), 20)
            self.assertTrue(self.made["damaged"])

    def test_without_side_files(self):
        top = self.make(20)
        (top / "profiler_info_0.json").unlink()
        self.assertTrue(self.lines(top))
        self.assertIn("profiler_info", [item["part"] for item in self.made["damaged"]])

    def test_limit_of_tensors(self):
        lines = self.lines(self.make(200), "--format", "ascend_raw:tensor_bytes=10KB")
        kept = [line for line in lines if "ascend_raw.tensors=" in line]
        self.assertTrue(50 < len(kept) < 150, len(kept))
        self.assertIn("metadata of tensors left out", self.said)


class DeviceTest(RawTest):
    """The device halves in the same folder."""

    def test_none(self):
        self.lines(self.make(20))
        self.assertIn("only the host's part", self.said)

    def make_prof(self, top):
        host = top / "PROF_000001_20250101000000000_ABCDEF" / "host"
        host.mkdir(parents=True)
        (host / "start_info").write_text(json.dumps(
            {"collectionTimeBegin": "1764246878131995", "clockMonotonicRaw": "4699802061975030"}))
        (host / "host_start.log").write_text(
            "[Host]\nclock_monotonic_raw: 4699801002845430\ncntvct: 470002538790308\n")
        return host.parent

    def test_clock_of_the_devices(self):
        top = self.make(20)
        before = self.lines(top)
        self.change_info(top, start_cnt=1, start_monotonic=1)
        self.make_prof(top)
        shift = 1764246878131995320 - 1764246878131995000
        after = [line.split("\t") for line in self.lines(top)]
        before = [line.split("\t") for line in before if not line.startswith("ascend_raw")]
        after = [row for row in after if row[0] != "ascend_raw.parameter"]
        self.assertEqual([int(row[1]) for row in before], [int(row[1]) + shift for row in after])

    def test_begin_of_the_session(self):
        """The session's begin is converted with the clock of the records, whichever file has it; the
        begin of CANN's collection is not used."""
        top = self.make(20)
        for has_prof in (False, True):
            if has_prof:
                self.make_prof(top)
            info = self.info(top)
            offset = 1764246878131995320 - 4699802061975030
            if has_prof:
                info["end_info"]["MonotonicTimeEnd"] -= 3_000_000
                offset = 1764246878131995000 - 4699802061975030
            info["start_info"]["start_monotonic"] += 500
            (top / "profiler_info_0.json").write_text(json.dumps(info))
            made = self.import_source(top)
            begin = info["start_info"]["start_monotonic"] + offset
            metadata = self.json("info", made["directory"])[0]["metadata"]
            self.assertEqual(int(metadata["session_begin_ns"]), begin)
            lines = self.lines(top)
            self.assertEqual({int(line.split("\t")[1]) for line in lines
                              if line.startswith("ascend_raw.parameter")}, {begin})

    def test_start_of_the_counter_only_here(self):
        """If host_start.log is missing or incomplete, profiler_info gives the start."""
        top = self.make(20)
        before = [line.split("\t") for line in self.lines(top)]
        log = self.make_prof(top) / "host" / "host_start.log"
        shift = 1764246878131995320 - 1764246878131995000
        for text in ("[Host]\ncntvct: 1\n", "[Host]\nclock_monotonic_raw: 1\n", None):
            log.unlink()
            if text:
                log.write_text(text)
            after = [line.split("\t") for line in self.lines(top)]
            self.assertEqual(
                [int(row[1]) for row in before if not row[0].startswith("ascend_raw")],
                [int(row[1]) + shift for row in after if not row[0].startswith("ascend_raw")])
            log.touch()

    def test_frequency_of_the_host(self):
        top = self.make(20)
        before = [line.split("\t") for line in self.lines(top) if line.startswith("step")]
        prof = self.make_prof(top)
        (prof / "host" / "info.json").write_text('{"CPU": [{"Frequency": "50.000000"}]}')
        (prof / "host" / "start_info").unlink()
        after = [line.split("\t") for line in self.lines(top) if line.startswith("step")]
        for one, two in zip(before, after):
            self.assertEqual(2 * (int(one[2]) - int(one[1])), int(two[2]) - int(two[1]))
