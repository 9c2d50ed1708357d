# SPDX-License-Identifier: Apache-2.0
"""A command with several processes."""

import itertools

import tap
from support import PYTHON, StrobeTest, needs_python

TWO = "%s -c 'import gc; gc.collect()' a; %s -c 'import gc; gc.collect()' b" % (PYTHON, PYTHON)


class FollowTest(StrobeTest):
    @needs_python
    def test_first_process_that_suits_records(self):
        self.record("bash", "-c", TWO, collect=["gc"])
        self.assertEqual(self.command_of(self.result()).split()[-1], "a")
        self.assertNothingLeft()

    @needs_python
    def test_follow_records_each_into_its_own_directory(self):
        self.record("bash", "-c", TWO, collect=["gc"], flags=["--follow"])
        commands = [self.command_of(result).split()[-1] for result in self.results()]
        self.assertEqual(sorted(commands), ["a", "b"])
        for result in self.results():
            self.assertGreaterEqual(self.records_of(result, "gc"), 1)
            self.assertTrue((result / "ASCEND_PROFILER_OUTPUT" / "analyse.done").exists())

    @needs_python
    def test_spawned_workers(self):
        script = self.script(
            "spawn.py",
            "import gc, multiprocessing\n"
            "def work(number):\n"
            "    gc.collect()\n"
            "if __name__ == '__main__':\n"
            "    context = multiprocessing.get_context('spawn')\n"
            "    workers = [context.Process(target=work, args=(i,)) for i in range(2)]\n"
            "    for worker in workers: worker.start()\n"
            "    for worker in workers: worker.join()\n",
        )
        self.record(PYTHON, script, collect=["gc"])
        self.assertEqual(len(self.results()), 1)
        self.record(PYTHON, script, collect=["gc"], flags=["--follow"])
        # The parent and both workers; the resource tracker of multiprocessing is a Python process
        # too.
        self.assertGreaterEqual(len(self.results()), 1 + 3)

    @needs_python
    def test_busy_children_are_named(self):
        script = self.script(
            "busy.py",
            "import os, time\n"
            "if os.fork() == 0:\n"
            "    while time.process_time() < 0.3: pass\n"
            "    os._exit(0)\n"
            "os.wait()\n",
        )
        says = r"\d+ % of the processor time was spent in child processes.*--follow"
        self.assertRegex(self.record(PYTHON, script, collect=["gc"]).stderr, says)
        self.assertNotRegex(self.record(PYTHON, script, collect=["gc"], flags=["--follow"]).stderr, says)

    def test_collector_for_any_process_records_the_first(self):
        self.record("sh", "-c", "/bin/true; /bin/true")
        self.assertTrue(self.command_of(self.result()).startswith("sh"))

    def test_collector_for_any_process_follows_too(self):
        self.record("sh", "-c", "/bin/true; /bin/true; exit", flags=["--follow"])
        self.assertEqual(len(self.results()), 3)


@needs_python
class PairsTest(StrobeTest):
    """Pairs of collectors do not disturb the program."""

    def check(self, pairs):
        for pair in pairs:
            for flags in ((), ("--follow",)):
                with self.subTest(pair=pair, flags=flags):
                    collect = [word for name in pair for word in ("--collect", name)]
                    done = self.strobe("run", "-o", self.out, *flags, *collect, "--",
                                       PYTHON, "-c", "print(1)")  # fmt: skip
                    self.assertEqual(done.stdout, "1\n")

    def collectors(self):
        return [component["name"] for file in self.json("plugins")
                for component in file.get("components", ()) if component["type"] == "collector"]

    def test_collector_that_makes_a_mark_while_it_is_loaded(self):
        self.check([("gc", "marker"), ("marker", "python_call")])

    @tap.long_test
    def test_all(self):
        self.check(itertools.combinations(self.collectors(), 2))
