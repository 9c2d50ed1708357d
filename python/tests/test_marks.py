# SPDX-License-Identifier: Apache-2.0
"""Marks that appear without user code: their calls, and the restoration of the wrapped
functions."""

import io
import json
import unittest

from strobe import _strobe, command, marks, profiler
from strobe.marks.replacements import Replacements
from support import FolderTest, messages, needs_torch, results, torch


class ReplacementsTest(unittest.TestCase):
    class Base:
        def method(self):
            return "base"

    class Derived(Base):
        pass

    def test_own_and_inherited(self):
        before = {kind: dict(vars(kind)) for kind in (self.Base, self.Derived)}
        replacements = Replacements()
        for kind in (self.Derived, self.Base):
            replacements.put(kind, "method", lambda call: lambda self: "our " + call(self))
        self.assertEqual((self.Base().method(), self.Derived().method()), ("our base",) * 2)
        replacements.put(self.Base, "method", lambda call: self.fail("twice"))
        replacements.undo()
        replacements.undo()
        for kind, attributes in before.items():
            self.assertEqual(dict(vars(kind)), attributes)

    def test_replaced_again_by_another(self):
        def theirs(self):
            return "theirs"

        kind = type("Kind", (self.Base,), {})
        replacements = Replacements()
        replacements.put(kind, "method", lambda call: lambda self: "ours")
        kind.method = theirs
        replacements.undo()
        self.assertIs(vars(kind)["method"], theirs)


class MarksTest(FolderTest):
    def session(self, **options):
        config = {
            "output": {"directory": self.folder},
            "collectors": {"marker": options},
            "exporters": {},
        }
        session = _strobe.Session(json.dumps(config), "test")
        self.addCleanup(session.close)
        session.start()
        return session

    def names(self, columns="name"):
        """Returns the marks in the order of their begins."""
        text = command.run(
            ["show", *results(self.folder), "--table", "marker", "--columns", columns + ",begin",
             "--json"]
        )
        rows = sorted(json.loads(text)[0]["rows"], key=lambda row: row["begin"])
        if columns == "name":
            return [row["name"] for row in rows]
        return [tuple(row[name] for name in columns.split(",")) for row in rows]


@needs_torch
class TorchTest(MarksTest):
    def replaced(self):
        from torch.utils.data import dataloader

        return [
            torch.save,
            torch.serialization.save,
            vars(dataloader._BaseDataLoaderIter)["__next__"],
            vars(torch.nn.Module)["__call__"],
            torch.distributed.send,
            torch.distributed.new_group,
        ]

    def test_put_back(self):
        before = self.replaced()
        session = self.session(ranges="communication+dataloader+save_checkpoint+forward")
        from torch import distributed

        is_named = hasattr(distributed.ProcessGroup, "group_name")  # then none is replaced
        for was, now in zip(before, self.replaced()):
            self.assertEqual(was is now, is_named and was.__module__.startswith("torch.distributed"))
        session.stop()
        for was, now in zip(before, self.replaced()):
            self.assertIs(was, now)

    def test_only_what_is_wanted(self):
        before = self.replaced()
        self.session(ranges="")
        self.assertEqual(self.replaced(), before)

    def loader(self, **options):
        data = torch.utils.data.TensorDataset(torch.arange(6.0))
        return torch.utils.data.DataLoader(data, batch_size=2, **options)

    def test_dataloader(self):
        session = self.session()
        self.assertEqual(sum(batch.sum().item() for batch, in self.loader()), 15)
        session.close()
        found = self.names("name,marker.domain,marker.event")
        self.assertEqual([row[:2] for row in found], [("dataloader", "default")] * 4)
        self.assertNotIn(None, [row[2] for row in found])

    def test_dataloader_with_processes(self):
        """Worker processes are forked while a window records; only marks of this process are
        recorded."""
        session = self.session()
        self.assertEqual(sum(batch.sum().item() for batch, in self.loader(num_workers=2)), 15)
        session.close()
        self.assertEqual(self.names(), ["dataloader"] * 4)

    def test_iterator_from_before(self):
        batches = iter(self.loader())
        next(batches)
        session = self.session()
        next(batches)
        session.stop()
        next(batches)
        session.close()
        self.assertEqual(self.names(), ["dataloader"])

    def test_save(self):
        session = self.session()
        torch.save({"a": 1}, io.BytesIO())
        torch.serialization.save({"a": 1}, io.BytesIO())
        with self.assertRaises(Exception):
            torch.save(lambda: None, io.BytesIO())  # cannot be pickled
        session.close()
        self.assertEqual(self.names(), ["save_checkpoint"] * 3)
        self.assertEqual(torch.save.__name__, "save")

    def test_forward(self):
        """Only a call's outermost module has a range. A failing module ends its range, and the next
        call is marked as usual."""

        class Failing(torch.nn.Module):
            def forward(self, values):
                raise KeyError

        inner = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU())
        session = self.session(ranges="forward")
        inner(torch.ones(1, 3))
        self.assertRaises(KeyError, torch.nn.Sequential(inner, Failing()), torch.ones(1, 3))
        inner(torch.ones(1, 3))
        session.close()
        found = self.names("name,marker.event")
        self.assertEqual([name for name, _ in found], ["forward"] * 3)
        self.assertNotIn(None, [end for _, end in found])

    def test_request(self):
        self.addCleanup(marks._asked.clear)
        self.assertRaisesRegex(ValueError, "'forwards'.*forward", marks.request, "forwards")
        session = self.session(ranges="")
        net = torch.nn.Linear(3, 3)
        net(torch.ones(1, 3))
        marks.request("forward")
        net(torch.ones(1, 3))
        session.close()
        session = self.session(ranges="")
        net(torch.ones(1, 3))
        session.close()
        self.assertEqual(len(results(self.folder)), 2)
        marks._asked.clear()
        session = self.session(ranges="")
        net(torch.ones(1, 3))
        session.close()
        names = []
        for result in results(self.folder):
            text = command.run(["show", result, "--table", "marker", "--json"])
            names.append([row["name"] for row in json.loads(text)[0]["rows"]])
        self.assertEqual(names, [["forward"], ["forward"], []])


@needs_torch
class ImportTest(MarksTest):
    def test_profiles_before_the_import(self):
        """Two import hooks that wait for PyTorch do not call each other endlessly."""
        done = self.run_python(
            "from strobe import profiler\n"
            "for _ in range(2):\n"
            "    with profiler.profile(experimental_config=profiler._ExperimentalConfig(mstx=True)):\n"
            "        pass\n"
            "import torch\n"
            "print('done')\n"
        )
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr[-2000:])


class StepsTest(MarksTest):
    def profiled(self, schedule, before_step=lambda: None, **options):
        with messages():
            config = profiler._ExperimentalConfig(profiler_level="Level_none", mstx=True, **options)
            with profiler.profile(
                schedule=schedule,
                on_trace_ready=profiler.tensorboard_trace_handler(self.folder, analyse_flag=False),
                experimental_config=config,
            ) as prof:
                for _ in range(6):
                    before_step()
                    prof.step()

    def test_steps_of_a_schedule(self):
        self.profiled(profiler.schedule(wait=1, warmup=1, active=2, repeat=1))
        self.assertEqual(self.names(), ["ProfilerStep#2", "ProfilerStep#3"])

    def test_two_windows(self):
        self.profiled(profiler.schedule(wait=1, warmup=0, active=1, repeat=2))
        names = []
        for result in results(self.folder):
            text = command.run(["show", result, "--table", "marker", "--json"])
            names.append([row["name"] for row in json.loads(text)[0]["rows"]])
        self.assertEqual(names, [["ProfilerStep#1"], ["ProfilerStep#3"]])

    def test_without_a_schedule(self):
        self.profiled(None)
        self.assertEqual(self.names(), [])

    def test_filter(self):
        self.profiled(
            profiler.schedule(wait=0, warmup=1, active=2, repeat=1),
            mstx_domain_exclude=["default"],
        )
        self.assertEqual(self.names(), [])

    def test_step_on_request(self):
        self.addCleanup(marks._asked.clear)
        marks.request("step")
        self.profiled(profiler.schedule(wait=1, warmup=0, active=2, repeat=1))
        self.assertEqual(
            sorted(self.names()), ["ProfilerStep#1", "ProfilerStep#2", "step 1", "step 2"]
        )


if __name__ == "__main__":
    unittest.main()
