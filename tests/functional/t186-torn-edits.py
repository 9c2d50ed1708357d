# SPDX-License-Identifier: Apache-2.0
"""Dynamic profiling of a program whose profiler_config.json is edited at random, also in pieces."""

import json
import os
import pathlib
import random
import re
import subprocess
import time
import unittest

from support import BUILD, PYTHON, StrobeTest, has_torch, needs_python

N_EDITS = 334 if os.environ.get("STROBE_TEST_LONG") else 17  # for each of the three ways
PROGRAM = pathlib.Path(__file__).with_name("edited_program.py")
RANK = 1


class Expected:
    """The steps that each profile must record, by the explanation of the keys in docs/python.md."""

    def __init__(self):
        self.step = 0
        self.windows = []
        self.asked = None  # a request that no step has used yet
        self._pending = None
        self._busy_until = 0

    def end_step(self):
        self.step += 1
        if self.asked is not None:
            self._pending, self.asked = self.asked, None
        if self.step <= self._busy_until or self._pending is None:
            return
        start = self._pending["start_step"]
        if start <= self.step:
            request, self._pending = self._pending, None
            if start in (-1, self.step) and RANK in request.get("rank_list", [RANK]):
                self._begin(request)

    def start(self, request):
        """dynamic_profile.start(), which ignores start_step and ranks. The rest of the present step
        is the profile's first step."""
        if self.step >= self._busy_until:
            first = self.step + max(request["warmup"], 1)
            self._busy_until = self.step + request["warmup"] + request["active"]
            self.windows.append(list(range(first, self._busy_until)))

    def _begin(self, request):
        first = self.step + request["warmup"]
        self._busy_until = first + request["active"]
        self.windows.append(list(range(first, self._busy_until)))


@needs_python
class TornEditsTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.seed = int(os.environ.get("STROBE_TEST_SEED") or random.randrange(1 << 32))
        self.random = random.Random(self.seed)
        self.path = self.work / "dynamic" / "profiler_config.json"
        self.expected = Expected()

    def begin(self, way):
        self.path.parent.mkdir()
        self.errors = open(self.work / "errors", "w+")
        self.addCleanup(self.errors.close)
        self.process = subprocess.Popen(
            [PYTHON, PROGRAM, self.path.parent, way], cwd=self.work, text=True, bufsize=1,
            env={**self.environment, "PYTHONPATH": str(BUILD / "python"), "OMP_NUM_THREADS": "1",
                 "RANK": str(RANK),
                 **({"PROF_CONFIG_PATH": str(self.path.parent)} if way == "environment" else {})},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)
        self.addCleanup(self.end, self.process)
        self.sync()  # now the file exists

    def read_errors(self):
        self.errors.seek(0)
        return self.errors.read()

    # ---- the program ----

    def order(self, word):
        self.process.stdin.write(word + "\n")
        if self.process.stdout.readline() != word + "\n":
            self.fail("seed %d: the program ended: %s" % (self.seed, self.read_errors()[-2000:]))

    def step(self, n=1):
        for _ in range(n):
            self.order("step")
            self.expected.end_step()

    def sync(self):
        self.order("sync")

    # ---- edits ----

    def make_request(self):
        start = self.random.choice(
            (-1, -1, self.expected.step + self.random.randint(1, 4),
             max(0, self.expected.step - self.random.randint(0, 2))))
        request = {
            "activities": ["CPU"], "prof_dir": str(self.out), "start_step": start,
            "warmup": self.random.randint(0, 1), "active": self.random.randint(1, 3),
            "metadata": {"padding": "x" * self.random.choice((1, 100, 5000, 100000))},
        }
        if self.random.random() < 0.3:
            request.update(is_rank=True, rank_list=[self.random.choice((0, RANK)), 5])
        return request

    def pieces_of(self, text):
        """Divides a text at random places within the JSON object."""
        places = sorted(self.random.sample(range(len(text)), self.random.randint(1, 3)))
        return [text[a:b] for a, b in zip([0, *places], [*places, len(text)])]

    def sleep(self):
        """Waits a random time, so that edits meet the watch in any state; no result depends on this
        time."""
        time.sleep(self.random.random() * 0.004)

    def pause(self):
        self.random.choice((lambda: None, self.sleep, self.sleep, self.sync, self.step))()

    def write_torn(self, text, is_new=False):
        if is_new:
            self.path.unlink()
            self.pause()
        with open(self.path, "w") as file:
            for piece in self.pieces_of(text):
                self.pause()
                file.write(piece)
                file.flush()

    def write_whole(self, text):
        new = self.path.with_name("new")
        new.write_text(text)
        os.replace(new, self.path)

    def write_twice(self, text):
        """Writes another request of the same size just before this one: both have the same time of
        the clock."""
        before = re.sub(r'"active": \d', '"active": 9', text)
        self.assertEqual(len(before), len(text))
        with open(self.path, "w") as file:
            file.write(before)
        self.random.choice((lambda: None, self.sleep))()
        with open(self.path, "r+") as file:
            file.write(text)
            file.truncate()

    def leave_torn(self, text):
        self.path.write_text(text[:self.random.randrange(len(text))])

    def edit(self):
        request = self.make_request()
        text = json.dumps(request)
        write = self.random.choice(
            (self.write_torn, self.write_torn, lambda text: self.write_torn(text, is_new=True),
             self.write_whole, self.write_twice, self.leave_torn))
        write(text)
        if write == self.leave_torn:
            self.sync()
            return
        # If the watch can only find this request, continue as soon as it has found one.
        is_alone = write != self.write_twice and self.expected.asked is None
        self.order("found" if is_alone else "sync")
        self.expected.asked = request

    # ---- results ----

    def recorded(self):
        """The steps of each result, in order, and its folder."""
        found = []
        for path in self.out.glob("*_ascend_pt/FRAMEWORK/*.strobe"):
            steps = {int(each) for each in re.findall(rb"work-(\d+);", path.read_bytes())}
            found.append((sorted(steps), path.parents[1]))
        return sorted(found)

    def assertOperators(self, steps, result):
        """Each step has its range once, with PyTorch's operator inside."""
        if not has_torch():  # the range is a mark
            return
        (table,) = self.json("show", result, "--table", "operator_average", "--limit", "100")
        calls = {row["name"]: row["calls"] for row in table["rows"]}
        for step in steps:
            self.assertEqual(calls.pop("work-%d;" % step), 1)
        self.assertEqual(calls.get("aten::add", 0), len(steps))

    def test_file_of_the_script(self):
        self.check_watched("init")

    @unittest.skipUnless(has_torch(), "no torch")
    def test_file_of_the_environment(self):
        self.check_watched("environment")

    def check_watched(self, way):
        self.begin(way)
        for _ in range(N_EDITS):
            self.edit()
            self.step(self.random.randint(0, 3))
        self.step(12)  # no request is pending after these steps
        last = dict(self.make_request(), start_step=-1, is_rank=False)
        last.pop("rank_list", None)
        self.write_torn(json.dumps(last))
        self.sync()
        self.expected.asked = last
        n_before = len(self.expected.windows)
        self.step(6)
        self.assertEqual(len(self.expected.windows), n_before + 1)
        self.assertNotIn("failed", self.check_results())

    def test_started(self):
        """Each call reads the present file; a torn file starts nothing."""
        self.begin("start")
        for _ in range(N_EDITS):
            request = self.make_request()
            text = json.dumps(request)
            is_torn = self.random.random() < 0.3
            if is_torn:
                self.leave_torn(text)
            else:
                self.random.choice((self.write_whole, self.write_twice))(text)
            self.order("start")
            if not is_torn:
                self.expected.start(request)
            self.step(self.random.randint(0, 3))
        self.step(12)
        self.check_results()

    def check_results(self):
        self.process.communicate(timeout=60)  # end of its input
        errors = self.read_errors()
        self.assertEqual(self.process.returncode, 0, errors[-2000:])
        self.assertNotIn("Traceback", errors)
        found = self.recorded()
        self.assertEqual([steps for steps, _ in found], sorted(self.expected.windows),
                         "seed %d" % self.seed)
        for steps, result in self.random.sample(found, min(5, len(found))):
            self.assertOperators(steps, result)
        return errors


if __name__ == "__main__":
    unittest.main()
