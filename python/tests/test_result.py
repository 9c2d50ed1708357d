# SPDX-License-Identifier: Apache-2.0
"""The result of a profile, however its process ends."""

import json
import os
import unittest

import tap
from support import FolderTest, messages, needs_torch, results, without_fork_warning
from strobe import profiler


@needs_torch
class Results(FolderTest):
    """The metadata of a result directory."""

    def _json(self, directory, name):
        with open(os.path.join(directory, name)) as file:
            return json.load(file)

    def test_info_and_metadata_of_every_cycle(self):
        schedule = profiler.schedule(wait=0, warmup=1, active=1, repeat=2)
        ids = []
        with messages():
            prof = profiler.profile(
                schedule=schedule,
                on_trace_ready=lambda prof: ids.append(prof.get_trace_id()),
                record_shapes=True,
            )
            prof.add_metadata("early", 'te"xt\n')
            with prof:
                prof.add_metadata_json("late", '{"a": [1, 2.5, null]}')
                for _ in range(5):
                    prof.step()
        found = results(self.folder)
        self.assertEqual(len(found), 2)
        self.assertEqual(len(set(ids)), 2)
        for directory, trace_id in zip(found, ids):
            metadata = self._json(directory, "profiler_metadata.json")
            self.assertEqual(metadata["early"], 'te"xt\n')
            self.assertEqual(metadata["late"], {"a": [1, 2.5, None]})
            self.assertEqual(metadata["trace_id"], trace_id)
            common = self._json(directory, "profiler_info.json")["config"]["common_config"]
            self.assertEqual(common["schedule"], schedule.settings())
            self.assertEqual(
                list(common["schedule"]),
                ["wait", "active", "warmup", "repeat", "skip_first", "skip_first_wait"],
            )
            self.assertIs(common["record_shapes"], True)
            experimental = self._json(directory, "profiler_info.json")["config"][
                "experimental_config"
            ]
            self.assertEqual(experimental["_profiler_level"], "Level0")


@needs_torch
class Processes(FolderTest):
    """Forks, exits."""

    _IMPORTS = """
import os, sys
import torch
from strobe import profiler
def handler():
    return profiler.tensorboard_trace_handler("out", analyse_flag=False)
"""

    def check(self, text, code=0, n_results=1):
        done = self.run_python(self._IMPORTS + text)
        self.assertEqual(done.returncode, code, done.stderr)
        found = results(os.path.join(self.folder, "out"))
        self.assertEqual(len(found), n_results, done.stderr)
        return done

    def test_fork_in_the_middle(self):
        done = self.check("""
with profiler.profile(on_trace_ready=handler()) as prof:
    torch.ones(1).mul(2)
    child = os.fork()
    if child == 0:
        torch.ones(1).mul(2)
        prof.step()
        sys.exit(7)  # leaves the block: stop() of a child
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    torch.ones(1).mul(2)
print(sum(each.count for each in prof.key_averages() if each.key == "aten::mul"))
""")
        self.assertEqual((done.stdout, without_fork_warning(done.stderr)), ("7\n2\n", ""))

    def test_worker_processes(self):
        done = self.check("""
class Data(torch.utils.data.Dataset):
    def __len__(self): return 8
    def __getitem__(self, i): return torch.ones(2) * i
with profiler.profile(on_trace_ready=handler()) as prof:
    total = sum(batch.sum().item() for batch in torch.utils.data.DataLoader(
        Data(), batch_size=2, num_workers=2))
print(total)
""")
        self.assertEqual((done.stdout, done.stderr), ("56.0\n", ""))

    @tap.once_test
    def test_not_stopped(self):
        self.check("""
prof = profiler.profile(on_trace_ready=handler())
prof.start()
torch.ones(1).mul(2)
""")

    @tap.once_test
    def test_dropped_without_stop(self):
        self.check("""
def work():
    prof = profiler.profile(on_trace_ready=handler())
    prof.start()
    torch.ones(1).mul(2)
work()
with profiler.profile(on_trace_ready=handler()): pass
""", n_results=2)

    @tap.once_test
    def test_exit_in_the_body(self):
        self.check("""
with profiler.profile(on_trace_ready=handler()):
    sys.exit(3)
""", code=3)

    @tap.once_test
    def test_uncaught_exception(self):
        done = self.check("""
with profiler.profile(on_trace_ready=handler()):
    raise KeyError("mine")
""", code=1)
        self.assertTrue(done.stderr.endswith("KeyError: 'mine'\n"))


if __name__ == "__main__":
    unittest.main()
