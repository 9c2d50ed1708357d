# SPDX-License-Identifier: Apache-2.0
"""record_op_args, the calls for child threads, and a profile without steps."""

import json
import os
import stat
import threading

import support
from strobe import profiler
from support import FolderTest, messages, needs_torch, results
from trace_file import trace_events

CPU = [profiler.ProfilerActivity.CPU]


def work():
    torch = support.torch
    for _ in range(3):
        torch.ones(3, 4).add(torch.ones(4), alpha=2)
    torch.nn.functional.conv2d(torch.ones(1, 2, 5, 5), torch.ones(3, 2, 3, 3), padding="same")
    torch.cat([torch.ones(2), torch.ones(3)])
    torch.ones(2).div(torch.tensor(3.0), rounding_mode="floor")
    torch.ones(2, dtype=torch.float64).clamp(min=0.1)
    torch.ones(2, requires_grad=False).sum(dim=(0,), keepdim=True)
    torch.full((2,), 1 + 2j)


@needs_torch
class OperatorArgumentsTest(FolderTest):
    def setUp(self):
        super().setUp()
        support.torch.set_num_threads(1)
        self.config = profiler._ExperimentalConfig(record_op_args=True)

    def read(self, result):
        with open(os.path.join(result + "_op_args", "op_args.json")) as file:
            document = json.load(file)
        self.assertEqual(document["version"], 1)
        return document["operators"]

    def test_arguments(self):
        with messages() as told, profiler.profile(
            activities=CPU, experimental_config=self.config,
            on_trace_ready=lambda prof: None,
        ):
            work()
        self.assertEqual([text for _, text in told], [])
        (result,) = results(self.folder)
        found = {o["name"]: o for o in self.read(result)}
        self.assertEqual(found["aten::add"], {"name": "aten::add", "calls": 3, "inputs": [
            {"type": "float", "dims": [3, 4]}, {"type": "float", "dims": [4]},
            {"type": "Scalar", "value": "2"}]})
        values = {name: [i.get("value") for i in o["inputs"]] for name, o in found.items()}
        self.assertEqual(values["aten::conv2d"][3:], ["[1, 1]", "same", "[1, 1]", "1"])
        self.assertEqual(found["aten::cat"]["inputs"],
                         [{"type": "TensorList"}, {"type": "Scalar", "value": "0"}])
        self.assertEqual(values["aten::div"], [None, None, "floor"])
        self.assertEqual(values["aten::clamp"], [None, "0.1", None])
        self.assertEqual(found["aten::clamp"]["inputs"][0]["type"], "double")
        self.assertEqual(values["aten::sum"], [None, "[0]", "True", None])
        self.assertEqual(values["aten::full"][1], "complex(1, 2)")
        folder = result + "_op_args"
        self.assertEqual(stat.S_IMODE(os.stat(folder).st_mode) & ~0o750, 0)
        self.assertEqual(stat.S_IMODE(os.stat(folder + "/op_args.json").st_mode), 0o640)

    def test_every_window_and_no_handler(self):
        with messages(), profiler.profile(
            activities=CPU, experimental_config=self.config,
            schedule=profiler.schedule(wait=0, warmup=0, active=1, repeat=2),
        ) as prof:
            for _ in range(2):
                work()
                prof.step()
        self.assertEqual(len(results(self.folder)), 2)
        for result in results(self.folder):
            self.assertTrue(self.read(result))

    def test_no_operators(self):
        with messages() as told, profiler.profile(
            activities=CPU, experimental_config=self.config, on_trace_ready=lambda prof: None
        ):
            pass
        self.assertEqual([level for level, _ in told if level == "ERROR"], [])
        self.assertFalse([n for n in os.listdir(self.folder) if n.endswith("_op_args")])

    def test_child_threads(self):
        """Every thread is recorded, whether or not it calls the functions for child threads."""
        def child(asks):
            if asks:
                profiler.profile.enable_profiler_in_child_thread(with_stack=True)
            support.torch.ones(2).add(1)
            if asks:
                profiler.profile.disable_profiler_in_child_thread()

        with messages() as told, profiler.profile(activities=CPU, with_stack=True) as prof:
            threads = [threading.Thread(target=child, args=(asks,)) for asks in (True, False)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(told, [])
        adds = [event for event in prof.events() if event.name == "aten::add"]
        self.assertEqual(len({event.thread for event in adds}), 2)
        for event in adds:
            self.assertIn(": child", event.stack[0])

    def test_without_steps(self):
        """_KinetoProfile records everything between start and stop, twice."""
        with messages() as told:
            prof = profiler._KinetoProfile(
                activities=CPU, record_shapes=True, with_stack=True, with_flops=True
            )
            for count in (1, 2):
                prof.start()
                for _ in range(count):
                    support.torch.ones(2, 2) @ support.torch.ones(2, 2)
                prof.stop()
                adds = [e for e in prof.key_averages() if e.key == "aten::mm"]
                self.assertEqual([(e.count, e.flops) for e in adds], [(count, 16 * count)])
            prof.export_stacks("stacks.log")
            prof.export_chrome_trace("trace.json")
        self.assertEqual(told, [])
        with open("trace.json") as file:
            (first, _) = [e for e in trace_events(file.read()) if e["name"] == "aten::mm"]
        self.assertEqual(first["args"]["Input Dims"], "2,2;\r\n2,2")
        self.assertIn(": test_without_steps", first["args"]["Call stack"])
        with open("stacks.log") as file:
            self.assertIn(": test_without_steps", file.read())
