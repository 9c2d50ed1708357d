# SPDX-License-Identifier: Apache-2.0
"""The report page when all of its sections have more than they show, with long hostile names: under 5 MB, complete in
Chromium, and it says how much is left out."""

import functools
import json
import pathlib
import re
import unittest

import chromium
from made_capture import STEPS, STREAM, THREAD, MadeCapture
from support import StrobeTest

MAX_BYTES = 5000000
MS = 1000000
STEP = 20 * MS
N_STEPS, N_NAMES, N_DEVICES, N_THREADS = 520, 2500, 40, 60
D3 = pathlib.Path("/usr/share/nodejs/d3/dist/d3.min.js")
TABLES = ("step_part", "operator_average", "op_statistic", "api_statistic", "function", "step_trace",
          "communication_time", "heap_path", "memory_block", "loss", "diagnostic", "metadata")  # fmt: skip


@functools.lru_cache(maxsize=None)
def name(kind, number):
    """Long, in three scripts, with what would end the element."""
    return "%s-%d</script><!--\"\\ прогон 计算 %s" % (kind, number, "ab<T>::" * 50)


@functools.lru_cache(maxsize=None)
def stack(made, kind, number):
    return made.stack([name(kind, (number + depth) % N_NAMES) for depth in range(90)])


class PageBoundTest(StrobeTest):
    def make_capture(self, path, n_steps, factor=1):
        made = MadeCapture(n_steps * STEP)
        made.steps = made.track(STEPS, 1)
        made.threads = [made.track(THREAD, 1 + i) for i in range(N_THREADS)]
        made.streams = [made.track(STREAM, 7, device) for device in range(N_DEVICES)]
        for number in range(n_steps):
            made.step(made.steps, number, number * STEP, (number + 1) * STEP)
            self.add_work(made, number, factor)
        self.add_memory(made)
        for i in range(600):
            made.loss(made.threads[0], 1, 1, 0, i, i + 1)
            made.add_fields("diagnostic", made.threads[0], name("part", i), i, text=name("text", i))
            made.add_fields("metadata", made.threads[0], name("key", i), i, value=name("value", i))
        return made.write(path)

    @staticmethod
    def add_work(made, number, factor):
        """Of one step: operators, calls, tasks of devices, communication, samples, counters."""
        begin = number * STEP
        for i in range(30):
            thread, at = made.threads[i * 2], begin + i * MS // 2
            serial = (number * 30 + i) % N_NAMES
            made.operator(thread, name("op", serial), at, at + 400000 * factor)
            made.operator(thread, name("inner", serial), at + 1000, at + 380000 * factor)
            made.operator(thread, name("innermost", serial), at + 2000, at + 370000 * factor)
            made.add_fields("api_call", thread, name("call", serial), at, at + 200, level="runtime",
                            mode="launch", item=name("item", serial),
                            connection=1 + number * 30 + i)  # fmt: skip
            made.add_fields("cpu_sample", thread, name("thread", i), at, time=MS,
                            stack=stack(made, "frame", serial))  # fmt: skip
            made.add_fields("counter", thread, name("counter", serial % 70), at, value=1e9 / (i + 7))
        for device, stream in enumerate(made.streams):
            serial = (number * N_DEVICES + device) % N_NAMES
            made.add_fields("device_task", stream, name("kernel", serial), begin,
                            begin + 50000 + serial * 400,
                            task=number * N_DEVICES + device, connection=1 + number * 30,
                            stream=7, op_type=name("type", serial), core="AI_CORE",
                            is_kernel=True)  # fmt: skip
            made.add_fields("comm_op", stream, name("allReduce", serial), begin + 40000,
                            begin + 90000 + serial * 100, op=number * N_DEVICES + device, count=1,
                            group=name("group", device), op_type="hcom_allReduce_")  # fmt: skip

    @staticmethod
    def add_memory(made):
        total = 0
        for i in range(12000):
            size = 1000003 * (1 + i % 89)
            total += size
            made.add_fields("memory_event", made.threads[0], name("block", i % N_NAMES), i * 800000,
                            address=i, size=size, total_allocated=total, total_reserved=2 * total,
                            device=i % 5)  # fmt: skip
        for i in range(N_NAMES):
            made.add_fields("heap.block", made.threads[0], None, i * MS, address=i, size=i + 1,
                            total=i, weight=1.0, stack=stack(made, "holder", i))  # fmt: skip

    def report(self, *paths):
        page = self.work / "page.html"
        self.strobe("report", *paths, "-o", page)
        size = page.stat().st_size
        text = re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.S)
        data = json.loads(text.group(1))
        print("# a page of %.2f MB, limits halved: %d" % (size / 1e6, data["halvings"]))
        self.assertLess(size, MAX_BYTES)
        return page, data

    def check_rows(self, data):
        for kind in TABLES:
            table = data["tables"][kind]
            self.assertGreater(table["total_rows"], 500, kind)
            self.assertEqual(len(table["rows"]), 500, kind)
        self.assertGreater(data["timeline"]["left_out"], 0)
        self.assertGreater(data["series_left_out"], 0)
        for series in data["series"]:  # wider bins reach as far
            self.assertGreater((series["bins"][-1][0] + 1) * series["width"], 0.98 * N_STEPS * STEP, series["name"])
        self.assertGreater(data["samples"]["every"], 1)
        self.assertEqual(data["memory"]["devices_left_out"], 1)
        self.assertTrue(all(source["left_out"] for source in data["flames"]["sources"]))
        self.assertFalse(data["has_all_texts"])

    @unittest.skipUnless(chromium.PROGRAM and D3.exists(), "no chromium or no node-d3")
    def test_all_sections_full(self):
        before = self.make_capture(self.work / "a" / "capture.strobe", N_STEPS // 5)
        after = self.make_capture(self.work / "b" / "capture.strobe", N_STEPS, factor=2)
        path, data = self.report(before, after)
        self.check_rows(data)
        # 500 rows of these long paths would be too large.
        self.assertEqual(len(data["comparison"]["rows"]), 250)
        self.assertGreater(data["comparison"]["total_rows"], 500)
        with chromium.Page(path) as page:
            page.wait_for("document.body.dataset.ready === 'yes'")
            self.assertEqual(page.complaints, [])
            self.assertEqual(page.value("document.querySelectorAll('main > section[hidden]').length"), 0)
            self.assertLessEqual(page.value("document.documentElement.scrollWidth"), page.value("innerWidth"))
            self.assertGreater(page.value("(view => data.timeline.spans.filter(span => span[3] >= view[0] && span[3] < "
                                          "view[1]).length)(document.getElementById('time').view())"), 0)
            for said in ("more rows, summed up", "more paths with", "spans of at most", "more devices are left out",
                         "values of others are left out", "The page has the first 250 rows", "more threads and streams"):
                self.assertTrue(page.value("document.body.innerText.includes('%s')" % said), said)

    def test_many_ranks(self):
        """The 500 rows with the longest stages, and the sum of the others."""
        for rank in range(2):
            made = MadeCapture(STEP)
            for device in range(260):
                made.add_fields("device_task", made.track(STREAM, 7, device), "kernel", 0,
                                MS + device * 1000 + rank, task=device, is_kernel=True)  # fmt: skip
            made.write(self.work / "job" / ("rank-%d_ascend_pt" % rank) / "FRAMEWORK" / "capture.strobe")
            (self.work / "job" / ("rank-%d_ascend_pt" % rank) / ("profiler_info_%d.json" % rank)).write_text("{}")
        _, data = self.report(self.work / "job")
        *rows, rest = data["ranks"]
        self.assertEqual((len(rows), rest["summed"]), (500, 20))
        self.assertEqual([(row["rank"], row["device"]) for row in rows],
                         [(rank, device) for rank in range(2) for device in range(10, 260)])
        self.assertAlmostEqual(rest["computing"], sum(1000 + device + rank / 1000 for rank in range(2)
                                                      for device in range(10)))  # fmt: skip


if __name__ == "__main__":
    unittest.main()
