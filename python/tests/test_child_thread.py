# SPDX-License-Identifier: Apache-2.0
"""Threads that set their own options for their operators."""

import threading
import unittest

from strobe import profiler
from support import FolderTest, messages, needs_torch, torch


def in_thread(function):
    """Runs the function in a new thread; raises an exception of the function here."""
    failed = []

    def run():
        try:
            function()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


@needs_torch
class ChildThreadTest(FolderTest):
    def events(self, prof, name):
        """Returns shapes and stacks of the operators of that name, in the order of their begins."""
        return [(each.input_shapes, bool(each.stack)) for each in prof.events() if each.name == name]

    def profile(self, **options):
        return profiler.profile(activities=[profiler.ProfilerActivity.CPU], **options)

    def add(self, n=2):
        return torch.ones(n).add(torch.ones(n))

    def test_shapes_of_one_thread(self):
        def child():
            self.add(3)
            profiler.profile.enable_profiler_in_child_thread(record_shapes=True)
            self.add(4)
            profiler.profile.disable_profiler_in_child_thread()
            self.add(5)

        with self.profile() as prof:
            in_thread(child)
            self.add(6)
        self.assertEqual([shapes for shapes, _ in self.events(prof, "aten::add")],
                         [[], [[4], [4], []], [], []])

    def test_thread_without_shapes_and_stacks(self):
        def child():
            profiler.profile.enable_profiler_in_child_thread()
            self.add(3)
            profiler.profile.disable_profiler_in_child_thread()
            self.add(4)

        with self.profile(record_shapes=True, with_stack=True) as prof:
            in_thread(child)
            self.add(5)
        self.assertEqual(self.events(prof, "aten::add"),
                         [([], False), ([[4], [4], []], True), ([[5], [5], []], True)])

    def test_stack_without_shapes(self):
        def child():
            profiler.profile.enable_profiler_in_child_thread(with_stack=True)
            self.add(3)

        with self.profile(record_shapes=True, with_stack=True) as prof:
            in_thread(child)
        self.assertEqual(self.events(prof, "aten::add"), [([], True)])

    def test_operations(self):
        def child():
            profiler.profile.enable_profiler_in_child_thread(with_flops=True)
            torch.ones(2, 3) @ torch.ones(3, 4)
            profiler.profile.disable_profiler_in_child_thread()
            profiler.profile.enable_profiler_in_child_thread()
            torch.ones(2, 3) @ torch.ones(3, 4)

        with self.profile(with_flops=True) as prof:
            in_thread(child)
        counts = [each.flops for each in prof.events() if each.name == "aten::mm"]
        self.assertEqual(counts[0], 48)
        self.assertFalse(counts[1])

    def test_all_threads_are_recorded(self):
        """Threads with and without own options are recorded, each operator once."""
        def child(number):
            if number % 2:
                profiler.profile.enable_profiler_in_child_thread(record_shapes=True)
            for _ in range(100):
                torch.ones(number + 1).sub(1)

        with self.profile() as prof:
            threads = [threading.Thread(target=child, args=(number,)) for number in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        found = self.events(prof, "aten::sub")
        self.assertEqual(len(found), 600)
        for number in range(6):
            own = [shapes for shapes, _ in found if shapes and shapes[0] == [number + 1]]
            self.assertEqual(len(own), 100 * (number % 2), number)

    def test_goes_on_in_the_next_window(self):
        """A thread's options stay set when the profile's next window begins."""
        orders = [threading.Event() for _ in range(3)]
        done = threading.Event()

        def child():
            for order in orders:
                order.wait()
                order.clear()
                if order is orders[0]:
                    profiler.profile.enable_profiler_in_child_thread(record_shapes=True)
                else:
                    self.add(3)
                done.set()

        def tell(order):
            done.clear()
            order.set()
            self.assertTrue(done.wait(60))

        thread = threading.Thread(target=child)
        with self.profile() as first:
            thread.start()
            tell(orders[0])
            tell(orders[1])
        self.assertEqual(self.events(first, "aten::add"), [([[3], [3], []], False)])
        with self.profile() as second:
            tell(orders[2])
        thread.join()
        self.assertEqual(self.events(second, "aten::add"), [([[3], [3], []], False)])

    def test_messages(self):
        def child():
            prof = profiler.profile
            prof.disable_profiler_in_child_thread()
            prof.enable_profiler_in_child_thread(record_shapes=1)
            prof.enable_profiler_in_child_thread()
            prof.disable_profiler_in_child_thread()
            prof.disable_profiler_in_child_thread()

        with self.profile():
            with messages() as told:
                in_thread(child)
        texts = [text for _, text in told]
        self.assertIn("nothing to undo", texts[0])
        self.assertIn("Parameter record_shapes is of boolean type", texts[1])
        self.assertIn("was called in this thread before", texts[2])
        self.assertIn("nothing to undo", texts[3])
        self.assertEqual(len(texts), 4)

    def test_before_any_profile(self):
        done = self.run_python(
            "from strobe import profiler\n"
            "profiler.profile.enable_profiler_in_child_thread(record_shapes=True)\n")
        self.assertIn("has no effect before a profile records operators", done.stderr)
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
