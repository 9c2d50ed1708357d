# SPDX-License-Identifier: Apache-2.0
"""`strobe run --on`: a program that runs on a board, recorded by the collectors that work there."""

import json
import os
import shutil
import time
import unittest

from board_servers import RunOnTest, needs_servers
from support import needs_symbols, program


@needs_servers
class RunTest(RunOnTest):
    def rows(self, kind):
        (table,) = self.json("show", "--table", kind, "--limit", 100000, self.result())
        return table["rows"]

    def shares(self):
        """The processor time of work_large and work_small, of all that is the program's."""
        rows = self.rows("cpu_sample")
        times = dict.fromkeys(("work_large", "work_small", "other"), 0)
        for row in rows:
            inner = row["stack"].split(";")[0]
            name = next((name for name in times if inner.startswith(name)), "other")
            times[name] += row["time"]
        total = sum(times.values())
        return {name: time / total for name, time in times.items()}, rows

    @needs_symbols
    def test_each_server(self):
        """One command gives a result with samples and what the host did, over both servers."""
        for server in "sshd", "dropbear":
            board = self.board(server)
            done = self.run_on("./cpu-program", "plain", "1.0")
            self.assertRegex(done.stdout, r"\A1\.0\d\d\n\Z")
            self.assertIn("records, files in", done.stderr)
            counts = self.json("info", self.result())[0]["kinds"]
            for kind in "host_cpu", "host_mem", "cpu_sample", "sampling":
                self.assertGreater(counts.get(kind, 0), 0, counts)
            shares, _ = self.shares()
            self.assertAlmostEqual(shares["work_large"], 0.75, delta=0.12)
            self.assertAlmostEqual(shares["work_small"], 0.25, delta=0.12)
            self.assertTrue((self.result() / "ASCEND_PROFILER_OUTPUT" / "trace_view.json").exists())
            self.check_clean(board)
            board.stop()
            shutil.rmtree(self.out)

    @needs_symbols
    def test_symbols(self):
        """Functions are found in the file that was sent, later too; without it, places."""
        board = self.board()
        self.run_on("./cpu-program", "plain", "0.3")
        shutil.rmtree(board.home / "strobe")
        shares, _ = self.shares()
        self.assertGreater(shares["work_large"], 0.5)
        (self.project / "cpu-program").rename(self.project / "elsewhere")
        shares, rows = self.shares()
        self.assertEqual(shares["other"], 1)
        self.assertTrue(any("cpu-program+0x" in row["stack"] for row in rows), rows[:3])

    def test_metadata(self):
        """The result says which board it is of, and how its clock goes with this machine's."""
        self.board(server="dropbear")
        self.run_on("./cpu-program", "plain", "0.1")
        metadata = json.loads((self.result() / "profiler_metadata.json").read_text())["board"]
        self.assertEqual((metadata["target"], metadata["address"], metadata["machine"]),
                         ("camera", "127.0.0.1", os.uname().machine))
        self.assertEqual(len(metadata["sync"]), 2)
        for pair in metadata["sync"]:
            self.assertLess(abs(pair["mono_ns"] - pair["desk_mono_ns"]), pair["error_ns"] + 1e6)
        info = self.json("info", self.result())[0]
        self.assertEqual((info["offered"], sum(info["lost"].values())), (info["stored"], 0))
        self.assertIn("cpu-program plain 0.1", info["metadata"]["command"])
        self.assertEqual(info["metadata"]["board"], "camera")

    def test_times(self):
        """profiler_info.json has the begin and end of the recording by the board's clock."""
        self.board()
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        self.run_on("./cpu-program", "plain", "1.0")
        (path,) = self.result().glob("profiler_info*.json")
        info = json.loads(path.read_text())
        begin, end = info["start_info"]["start_monotonic"], info["end_info"]["MonotonicTimeEnd"]
        self.assertLess(before, begin)
        self.assertGreaterEqual(end - begin, 1e9)
        self.assertLess(end, time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW))
        (step,) = self.json("info", self.result())
        self.assertEqual(info["end_info"]["collectionTimeEnd"], step["end_ns"])

    def test_report(self):
        """The configuration's report file has the result's place."""
        self.board()
        config, report = self.work / "config.json", self.work / "report"
        config.write_text(json.dumps({"output": {"report": str(report), "worker": "desk"}}))
        self.run_on("true", flags=("-c", config, "--collect", "host_sys"))
        self.assertEqual(report.read_text(), "%s\n" % self.result())
        self.assertTrue(self.result().name.startswith("desk_"))

    def test_status(self):
        """The program's status and signal are the command's; what was recorded is kept."""
        board = self.board()
        done = self.run_on(self.script("echo out; echo err >&2; exit 7\n"), code=7)
        self.assertEqual(done.stdout, "out\n")
        self.assertIn("err\n", done.stderr)
        self.assertTrue(self.result())
        shutil.rmtree(self.out)
        done = self.run_on(self.script("kill -SEGV $$\n"), code=128 + 11)
        self.assertIn("ended by signal SEGV", done.stderr)
        self.assertTrue(self.result())
        self.check_clean(board)

    def test_not_started(self):
        board = self.board()
        for text, code, said in (("#!/none/such\n", 127, "No such file"),
                                 ("#!/etc/passwd\n", 126, "Permission denied")):
            path = self.project / "bad"
            path.write_text(text)
            path.chmod(0o755)
            done = self.run_on("./bad", code=code)
            self.assertIn(said, done.stderr)
            self.assertIn("Nothing was recorded", done.stderr)
            self.assertEqual(self.results(), [])
        self.run_on("nonesuch-command", code=127)
        self.check_clean(board)

    def test_command_of_the_board(self):
        """A name without a slash is not sent; words reach it unchanged, and input does."""
        self.board()
        done = self.run_on("cat", input="one\ntwo")
        self.assertEqual(done.stdout, "one\ntwo")
        words = ["a b", "$(id)", "it's", "", ";", "*"]
        done = self.run_on("printf", "[%s]", *words)
        self.assertEqual(done.stdout, "".join("[%s]" % word for word in words))

    def test_project(self):
        """The folder goes along, once; the program runs where it lies, with its variables."""
        board = self.board()
        (self.project / "data").mkdir()
        (self.project / "data" / "a").write_text("something\n")
        (self.project / "bin").mkdir()
        path = self.project / "bin" / "run.sh"
        path.write_text("#!/bin/sh\ncat ../data/a; echo $A\n")
        path.chmod(0o755)
        flags = ("--project", ".", "--env", "A=one two")
        done = self.run_on("bin/run.sh", flags=flags)
        self.assertEqual(done.stdout, "something\none two\n")
        sent = {found.stat().st_ino for found in board.home.glob("strobe/*/data/a")}
        self.assertEqual(len(sent), 1)
        self.run_on("bin/run.sh", flags=flags)
        self.assertEqual({found.stat().st_ino for found in board.home.glob("strobe/*/data/a")}, sent)

    @needs_symbols
    def test_timers(self):
        """Where perf is not used, the kit's library samples by timers."""
        board = self.board()
        self.run_on("./cpu-program", "plain", "1", flags=("--collect", "cpu_sample:source=timer"))
        shares, _ = self.shares()
        self.assertAlmostEqual(shares["work_large"], 0.75, delta=0.12)
        self.check_clean(board)

    @needs_symbols
    def test_perf_is_refused(self):
        """Where the board refuses perf, samples are taken by timers, and the reason is said."""
        board = self.board(under=[program("without-perf")])
        done = self.run_on("./cpu-program", "plain", "1")
        self.assertIn('Collector "cpu_sample" uses source=timer: ', done.stderr)
        shares, _ = self.shares()
        self.assertAlmostEqual(shares["work_large"], 0.75, delta=0.12)
        self.check_clean(board)

    @needs_symbols
    def test_static_program(self):
        """A program that is linked statically is sampled, but for timers, which it cannot load."""
        board = self.board()
        shutil.copy(program("cpu-static"), self.project)
        self.run_on("./cpu-static", "plain", "0.5")
        shares, _ = self.shares()
        self.assertAlmostEqual(shares["work_large"], 0.75, delta=0.12)
        done = self.run_on("./cpu-static", "plain", "0.1", flags=(
            "--collect", "host_sys", "--collect", "cpu_sample:source=timer"))
        self.assertIn("collector cpu_sample: start: The program has no timers", done.stderr)
        self.check_clean(board)

    def test_options(self):
        """Collectors and exporters are chosen as for a local run."""
        self.board()
        self.run_on("./cpu-program", "plain", "0.3",
                    flags=("--collect", "host_sys:interval=20ms,items=cpu", "--export", "csv"))
        counts = self.json("info", self.result())[0]["kinds"]
        self.assertGreater(counts["host_cpu"], 5)
        self.assertNotIn("cpu_sample", counts)
        self.assertNotIn("host_mem", counts)
        names = [path.name for path in (self.result() / "ASCEND_PROFILER_OUTPUT").iterdir()]
        self.assertIn("host_cpu.csv", names)
        self.assertNotIn("trace_view.json", names)

    def test_required(self):
        """A required collector that fails keeps the program from starting."""
        board = self.board()
        (self.work / "config.json").write_text(json.dumps(
            {"collectors": {"host_sys": {"required": True, "proc_root": "/none"}}}))
        done = self.run_on("printf", "begun", flags=("-c", self.work / "config.json"), code=4)
        self.assertEqual(done.stdout, "")
        self.assertIn("/none", done.stderr)
        self.assertEqual(self.results(), [])
        self.check_clean(board)


if __name__ == "__main__":
    unittest.main()
