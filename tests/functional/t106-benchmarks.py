# SPDX-License-Identifier: Apache-2.0
"""The core of each benchmark runs. The tests do not check its speed."""

import collections
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import tap
from support import BUILD, TOP, StrobeTest, has_torch
from trace_file import trace_events

sys.path.insert(0, str(TOP / "bench"))
from free_memory import free_memory  # noqa: E402
from operators import op_overhead  # noqa: E402
from rows import Row, table  # noqa: E402
import sampling  # noqa: E402
from workplace import Bench, Skipped  # noqa: E402

BENCH = (sys.executable, str(TOP / "bench" / "bench.py"), "--build", str(BUILD))
DATA = pathlib.Path(os.environ.get("STROBE_DATA") or TOP.parent / "shared" / "data")
REAL = DATA / "ascend" / "db_level1_rank0_ascend_pt"  # the real run from which the mix is made
A_STEP = {
    "python_call": 1282, "module_memory": 1078, "cpu_op": 860, "api_call": 710, "acc_pmu": 688,
    "device_task": 552, "memory_event": 495, "task_queue": 318, "comm_task": 296, "device_pmu": 185,
    "hbm": 104, "memory_usage": 28, "llc": 26, "soc_bandwidth": 16, "comm_op": 4, "step": 1,
}


@unittest.skipUnless((BUILD / "bench" / "bulk").exists(), "built without benchmarks")
class BenchmarksTest(StrobeTest):
    def bench(self, *words):
        return subprocess.run([*BENCH, *words], capture_output=True, text=True, check=False)

    def test_sampling(self):
        """One short run reads the program's times, and the shares of functions by their names."""
        if not shutil.which("perf"):
            self.skipTest("no perf")
        bench = Bench(BUILD, str(self.work))
        own, peer = sampling.Strobe(bench), sampling.Perf(bench)
        for profiler in own, peer:
            try:
                times = profiler.measure([bench.program("sampled"), 4500])  # about 1 s
            except Skipped as error:
                self.skipTest(str(error))
            self.assertGreater(times["processor"], 50)
            shares = profiler.shares()
            both = shares["work_large"] + shares["work_small"]
            self.assertAlmostEqual(shares["work_large"] / both, 0.75, delta=0.15)

    def test_rows(self):
        """The rows of benchmarks with the static core, and with the shared one."""
        done = self.bench("--json", "--only", "bulk_emit,bytes_per_span")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["schema_version"], 1)
        rows = {row["name"]: row for row in report["rows"]}
        self.assertEqual(set(rows), {"bulk_emit", "bytes_per_span", "bytes_per_span_zstd"})
        for row in rows.values():
            self.assertIsNotNone(row["value"], row["note"])
            self.assertGreater(row["runs"], 0)
        self.assertGreaterEqual(rows["bytes_per_span"]["value"], 24)
        self.assertLessEqual(rows["bytes_per_span"]["value"], 32)
        self.assertGreater(rows["bulk_emit"]["ratio"], 0)

    def test_dev_prints_nothing_but_json(self):
        """The output of builds and installations goes to stderr."""
        tree, tools = self.work / "tree", self.work / "tools"
        (tree / "build").mkdir(parents=True), tools.mkdir()
        (tree / "dev").write_bytes((TOP / "dev").read_bytes())
        (tree / "bench").symlink_to(TOP / "bench")
        (tree / "tests").mkdir()
        (tree / "tests" / "make-torch2.py").write_text("print('fetches PyTorch')\n")
        for path in BUILD.iterdir():
            if path.suffix != ".log":  # these are written
                (tree / "build" / path.name).symlink_to(path)
        scripts = {"dpkg": "exit 1", "id": "echo 0", "apt-get": "echo installs $*",
                   "meson": "echo configures $*", "ninja": "echo builds $*"}  # fmt: skip
        for name, script in scripts.items():
            (tools / name).write_text("#!/bin/sh\n%s\n" % script)
            (tools / name).chmod(0o755)
        environment = dict(os.environ, PATH="%s:%s" % (tools, os.environ["PATH"]), STROBE_REQUIRE="")
        done = subprocess.run(["sh", "dev", "bench", "--json", "--only", "bytes_per_span"], cwd=tree,
                              env=environment, capture_output=True, text=True, check=True)  # fmt: skip
        self.assertEqual([row["name"] for row in json.loads(done.stdout)["rows"]],
                         ["bytes_per_span", "bytes_per_span_zstd"])  # fmt: skip
        log = (tree / "build" / "dev.log").read_text()
        for said in ("installs install", "fetches PyTorch", "configures setup --reconfigure", "builds --quiet -C build"):
            self.assertIn(said, log)

    def test_peer_that_is_missing(self):
        """The row says why it is empty."""
        environment = dict(os.environ, PATH="/nonexistent")
        done = subprocess.run([*BENCH, "--json", "--only", "record_span_lttng"], env=environment,
                              capture_output=True, text=True, check=True)  # fmt: skip
        (row,) = json.loads(done.stdout)["rows"]
        self.assertIsNone(row["value"])
        self.assertRegex(row["note"], "not measured: .*lttng.* (installed|built)")

    @unittest.skipUnless(shutil.which("lttng-sessiond") and (BUILD / "bench" / "lttng").exists(),
                         "no LTTng")  # fmt: skip
    def test_lttng(self):
        done = self.bench("--json", "--only", "record_span_lttng")
        (row,) = json.loads(done.stdout)["rows"]
        self.assertGreater(row["ratio"] or 0, 0, row["note"])

    def test_table(self):
        """The table fits into a terminal, and has quantities for people."""
        slow = Row("a_benchmark_of_a_long_name", "records/s", [1e6, 58.1e6], "a peer " * 20,
                   [-161e6], ">= 500 MB/s and 5 x", "a note " * 30, best="most")  # fmt: skip
        rows = [slow, Row("short", "ns", [1250.0]), Row("empty", "", [], note="not measured: why")]
        text = table(rows)
        self.assertLessEqual(max(map(len, text.splitlines())), 100, text)
        for found in ("58.1 M records/s", "-161 M/s", "-0.361 x", "1.25 us", "not measured: why"):
            self.assertIn(found, text)

    def test_unknown_row(self):
        done = self.bench("--only", "record_spam")
        self.assertEqual(done.returncode, 2)
        self.assertIn('unknown benchmark "record_spam"', done.stderr)
        self.assertIn("record_span", done.stderr)
        self.assertIn("record_span\n", self.bench("--list").stdout)


class QuickBench(Bench):
    """Repeats the operators only once."""

    def lines(self, command, environment=None):
        is_script = len(command) > 1 and command[1].endswith("op_overhead.py")
        return super().lines([*command, "1"] if is_script else command, environment)


@unittest.skipUnless((BUILD / "bench" / "reader").exists() and has_torch(), "no PyTorch")
class OperatorsTest(StrobeTest):
    @tap.long_test
    def test_rows(self):
        """An existing PyTorch has all rows; a missing one has a row with the reason."""
        rows = {row.name: row for row in op_overhead(QuickBench(BUILD, str(self.work)))}
        options = ("", "_shapes", "_flops", "_memory", "_stack", "_all")
        for option in options:
            row = rows["op_overhead_system" + option]
            self.assertTrue(row.samples and row.peer, row.note)
        has_torch2 = (BUILD / "venv-torch" / "bin" / "python").exists()
        if not has_torch2:
            self.assertIn("venv-torch/bin/python is not there", rows["op_overhead"].note)
        for option in options if has_torch2 else ():
            row = rows["op_overhead" + option]
            self.assertTrue(row.samples and row.peer, row.note)
            self.assertIn("Kineto", row.peer_name)


class FreeMemoryTest(StrobeTest):
    """The amount of free memory decides where outputs are written."""

    def free(self, groups, **files):
        """The free memory if 1000 kB are available, with these files below sys/fs/cgroup."""
        for name, text in {"proc/meminfo": "MemTotal: 9000 kB\nMemAvailable:    1000 kB\n",
                           "proc/self/cgroup": groups,
                           **{"sys/fs/cgroup/" + key: text for key, text in files.items()}}.items():  # fmt: skip
            path = self.work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return free_memory(str(self.work))

    def test_machine(self):
        self.assertEqual(self.free("0::/\n"), 1000 << 10)

    def test_limit_of_a_group_above(self):
        """Version 2 of control groups; cached files count as free."""
        free = self.free("0::/job/part\n", **{
            "job/part/memory.max": "max\n", "job/part/memory.current": "5\n",
            "job/memory.max": "500000\n", "job/memory.current": "450000\n",
            "job/memory.stat": "anon 400000\ninactive_file 20000\n"})  # fmt: skip
        self.assertEqual(free, 70000)

    def test_version_1(self):
        groups = "9:name=systemd:/\n4:memory:/job\n0::/\n"
        files = {"memory/memory.limit_in_bytes": "9223372036854771712\n",
                 "memory/memory.usage_in_bytes": "1\n",
                 "memory/job/memory.limit_in_bytes": "300000\n",
                 "memory/job/memory.usage_in_bytes": "100000\n"}  # fmt: skip
        self.assertEqual(self.free(groups, **files), 200000)

    def test_full(self):
        """The group uses more than the limit, which was lowered in the meantime."""
        free = self.free("0::/gone\n", **{"memory.max": "5\n", "memory.current": "9\n"})
        self.assertEqual(free, 0)


@unittest.skipUnless((BUILD / "bench" / "mix").exists(), "built without benchmarks")
class MixTest(StrobeTest):
    """The synthetic capture on which exports are measured."""

    def make(self, name, records, *seed):
        folder = self.work / name
        folder.mkdir()
        done = subprocess.run([str(BUILD / "bench" / "mix"), str(folder), str(records), *seed],
                              capture_output=True, text=True, check=False)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        return pathlib.Path(done.stdout.strip())

    def export(self, path, name, *exporters):
        words = [word for exporter in exporters for word in ("--export", exporter)]
        self.strobe("analyse", path, "-o", self.work / name, *words)
        (found,) = (self.work / name).rglob("ASCEND_PROFILER_OUTPUT")
        return found

    def events(self, folder):
        return trace_events((folder / "trace_view.json").read_bytes())

    def test_seed(self):
        first = self.make("first", 20000).read_bytes()
        self.assertEqual(self.make("again", 20000, "1").read_bytes(), first)
        self.assertNotEqual(self.make("other", 20000, "2").read_bytes(), first)

    def test_whole_steps(self):
        kinds = self.json("info", self.make("mix", 7000))[0]["kinds"]
        for kind, n in A_STEP.items():
            self.assertEqual(kinds[kind], 2 * n, kind)

    def test_what_is_linked(self):
        path = self.make("mix", 6000)
        output = self.export(path, "exported", "chrome_trace", "csv")
        flow_events = collections.Counter(
            (event["cat"], event["ph"]) for event in self.events(output) if event["ph"] in "sf"
        )
        self.assertEqual(
            [flow_events[name, end] for name in ("fwdbwd", "async_task_queue", "async_npu")
             for end in "sf"], [27, 27, 159, 159, 191, 191])  # fmt: skip
        self.assertGreater(flow_events["HostToDevice", "f"], 200)
        with open(output / "operator_details.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), A_STEP["cpu_op"] - 1)  # all operators except the step itself
        self.assertGreater(sum(float(row["Device Total Duration(us)"]) > 0 for row in rows), 150)
        self.assertEqual(sum(bool(row["Call Stack"]) for row in rows), 315)
        self.assertGreater(len((output / "kernel_details.csv").read_text().splitlines()), 187)
        for row in self.json("info", path)[0]["correlation"]:
            self.assertEqual(row["orphan_effect"] + row["ambiguous"] + row["violations"], 0, row)

    @unittest.skipUnless(REAL.is_dir(), "no real results here (STROBE_DATA)")
    def test_as_the_real_one(self):
        self.strobe("import", REAL, "-o", self.work / "real", "--export", "chrome_trace")
        (real,) = (self.work / "real").glob("*_ascend_pt")
        kinds = self.json("info", real)[0]["kinds"]
        self.assertEqual({kind: kinds[kind] for kind in A_STEP}, A_STEP)
        theirs = real / "ASCEND_PROFILER_OUTPUT"
        ours = self.export(self.make("mix", 6000), "exported", "chrome_trace")
        for count in (lambda folder: (folder / "trace_view.json").stat().st_size,
                      lambda folder: len(self.events(folder)),
                      lambda folder: sum(event["ph"] == "X" for event in self.events(folder))):
            self.assertAlmostEqual(count(ours) / count(theirs), 1, delta=0.05)


if __name__ == "__main__":
    unittest.main()
