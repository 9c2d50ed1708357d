# SPDX-License-Identifier: Apache-2.0
"""`strobe svp collect` from a board with little room: results are fetched while the program
runs."""

import json
import os
import unittest

import tap
from board_servers import CollectTest, needs_servers
from support import needs_pool_in_memory
from svp_board import LIBRARY

FREE = 1 << 20


@needs_servers
class StreamTest(CollectTest):
    def prepare(self, server, n_layers):
        self.double.write_text("".join(
            "layer layer_%04d Convolution AA_CORE 50 400000 320000 260000 20000 12000 40000 8000 96000 "
            "60000 1048576 524288 2000 65\n" % number for number in range(n_layers)))
        needed = sum(path.stat().st_size for path in self.project.rglob("*") if path.is_file())
        needed += LIBRARY.stat().st_size
        return self.board(server, size="%dk" % ((needed + FREE) // 1024 + 100))

    def stream(self, server, times, least):
        board = self.prepare(server, 300)
        done = self.collect("--interval", "1", "--recorder", "strobe", "--json",
                            main="out/main acl.json a.om load execute %d" % times)
        answer = json.loads(done.stdout[done.stdout.index("{"):])
        (job,) = self.jobs()
        info = json.loads((job / "info.json.0").read_text())
        self.assertEqual((info["state"], info["counters"]["captures"],
                          info["counters"]["lost_captures"], info["counters"]["lost_records"]),
                         ("complete", times, 0, 0), done.stderr)
        captures = [path for path in (job / "data").glob("AAcore*") if path.suffix != ".done"]
        self.assertEqual(len(captures), times)
        self.assertGreater(sum(path.stat().st_size for path in captures), least)
        self.assertGreater(answer["fetched_bytes"], least)
        self.check_clean(board)
        return job

    @needs_pool_in_memory
    def test_more_than_there_is_room(self):
        for server in "sshd", "dropbear":
            job = self.stream(server, 60, 8 * FREE)
            shown = json.loads(self.strobe("svp", "show", "-dir", job, "--iter", "50",
                                           "--json").stdout)
            self.assertEqual(len(shown["aa_core_metric"]), 301)
            for path in self.jobs():
                path.rename(self.place / ("of-" + server))

    def stream_calls(self, n_calls, least, **options):
        """The file of calls is cut while it grows: its slices make room for each other."""
        board = self.prepare("dropbear", 3)
        done = self.collect("--interval", "10000", "--recorder", "strobe", "--json", **options,
                            main="out/main acl.json a.om load execute 1 paced %d" % n_calls)
        (job,) = self.jobs()
        info = json.loads((job / "info.json.0").read_text())
        self.assertEqual((info["state"], info["counters"]["lost_records"]), ("complete", 0), done.stderr)
        self.assertGreaterEqual(info["counters"]["records"], n_calls)
        slices = [path for path in (job / "data").glob("AclModule*") if path.suffix != ".done"]
        self.assertGreater(sum(path.stat().st_size for path in slices), least)
        for path in slices:
            self.assertTrue(path.with_name(path.name + ".done").exists(), path)
        shown = json.loads(self.strobe("svp", "show", "-dir", job, "--json").stdout)
        self.assertEqual(sum(row["Count"] for row in shown["acl_statistic"]
                             if row["Name"] in ("svp_acl_rt_malloc", "svp_acl_rt_free")), n_calls)
        self.check_clean(board)

    @needs_pool_in_memory
    def test_calls(self):
        self.stream_calls(40000, 2 * FREE)

    @tap.long_test
    def test_fifty_megabytes(self):
        self.stream("dropbear", 300, 50 << 20)

    @tap.long_test
    def test_fifty_megabytes_of_calls(self):
        self.stream_calls(900000, 50 << 20, timeout=600)


if __name__ == "__main__":
    unittest.main()
