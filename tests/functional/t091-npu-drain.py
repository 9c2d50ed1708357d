# SPDX-License-Identifier: Apache-2.0
"""Records that the test double of MSPTI reports out of order, late or never, and the messages of
the result about them."""

import shutil
import subprocess
import unittest

from npu import MARK, NpuTest
from support import BUILD, PROGRAMS, PYTHON, TIMEOUT

THREAD = 70001
# After a pause of 100 ms between a call and its record, or of 250 ms at the step, the records no longer show on which
# side of the step they are (plugins/npu_task/epochs.c).
PREEMPTED_MS = 50


# Opens its own session, in a process whose wall clock is set back after two of four kernels.
STEPPED = """
import ctypes, json, os, sys, time
home = os.environ["ASCEND_HOME_PATH"] + "/lib64/"
ctypes.CDLL(home + "libascendcl.so", mode=ctypes.RTLD_GLOBAL)
from strobe import _strobe
session = _strobe.Session(json.dumps({"collectors": {"npu_task": {"flush_interval": "60s"}},
                                      "exporters": {},
                                      "output": {"directory": sys.argv[1]}}), "test")
session.start()
mspti = ctypes.CDLL(home + "libmspti.so", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
wall = ctypes.CDLL(None)
wall.wall_clock_now.restype = ctypes.c_uint64
def launch(i):
    while True: # both clocks at one moment, and not before and after a pause
        before = time.monotonic_ns()
        base = ctypes.c_uint64(wall.wall_clock_now())
        if time.monotonic_ns() - before < 5000000:
            break
    for line in ("launch 7 0 3 KERNEL_AICORE k%d 1000 5" % i, "call 11 7 launch 0 100"):
        assert mspti.mspti_double_play(line.encode(), base) == 0
    print(before / 1e6, time.monotonic_ns() / 1e6)
launch(1)
time.sleep(.1)
launch(2)
wall.wall_clock_move(ctypes.c_int64(int(sys.argv[2]) * 10 ** 6))
launch(3)
time.sleep(.1)
launch(4)
time.sleep(.6)
session.stop()
session.close()
"""


class StepTest(NpuTest):
    def stepped(self, by_ms):
        """Returns the log, and by how many ms the recorded time from each kernel to the next
        exceeds the true time. None: the program was preempted for so long that the records do not
        show on which side of the step they are."""
        shutil.rmtree(self.out, ignore_errors=True)
        script = self.script("stepped.py", STEPPED)
        self.preload(PROGRAMS / "wall_clock.so")
        environment = dict(self.environment, PYTHONPATH=str(BUILD / "python"),
                           STROBE_PLUGIN_PATH=str(BUILD / "plugins"))
        self.preload()
        self.out.mkdir()
        done = subprocess.run([PYTHON, script, self.out, str(by_ms)], env=environment,
                              capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stderr)
        times = list(map(float, done.stdout.split()))
        truth, reported = times[::2], times[1::2]
        self.assertEqual((len(truth), len(reported)), (4, 4))
        if truth[2] - reported[1] > PREEMPTED_MS or any(
                end - begin > PREEMPTED_MS for begin, end in zip(truth, reported)):
            return None
        info = self.json("info", self.result())[0]
        self.assertEqual((info["kinds"].get("device_task"), info["kinds"].get("api_call")), (4, 4))
        self.assertEqual(sum(info["lost"].values()), 0, info["lost"])
        begins = [row["begin"] / 1e6 for row in sorted(self.rows("device_task"),
                                                       key=lambda row: row["name"])]
        self.assertEqual(len(begins), 4)
        return self.log(), [begins[i + 1] - begins[i] - truth[i + 1] + truth[i] for i in range(3)]

    def check_steps(self, by_ms):
        log, off = self.wait_until(lambda: self.stepped(by_ms), "a program that is not preempted")
        for ms in off:
            self.assertLess(abs(ms), 100)
        self.assertNotIn("The wall clock was set", log)

    def test_a_wall_clock_that_is_set_back(self):
        """Times that were reported before the step are as exact as those after it."""
        self.check_steps(-10000)

    def test_a_wall_clock_that_is_set_back_a_little(self):
        """The same times occur again, and the buffers arrive when the times could be old or new
        ones."""
        self.check_steps(-500)


class OrderTest(NpuTest):
    def test_buffers_that_overtake_others(self):
        """Calls after a launch have its id but launch nothing, whichever buffer arrives first."""
        n, lines = 600, ["sleep 10"]
        for i in range(n):
            at = i * 10000
            lines.append("launch %d 0 3 KERNEL_AICORE mm %d 5" % (THREAD, at + 60))
            lines.append("call 11 %d launch %d 50" % (THREAD, at))
            lines += ["call 10 %d aclrtQuery %d 5" % (THREAD, at + 100 + 10 * k) for k in range(4)]
        self.play(lines + ["sleep 400"], ":buffer_size=64KB,flush_interval=60s", wrong="swap")
        calls = self.rows("api_call")
        self.assertEqual(len(calls), 5 * n)
        for row in calls:
            launches = row["name"] == MARK + "launch"
            self.assertEqual(row["connection"] not in (None, ""), launches, row)
        linked = next(row for row in self.rows("correlation") if row["name"] == "api_to_task")
        self.assertEqual((linked["linked"], linked["orphan_effect"]), (n, 0))


class RoomTest(NpuTest):
    def test_too_many_open_marks(self):
        """Marks for which there is no room are lost and counted, and their ends are recognised."""
        n, room = 7000, 6144
        lines = ["sleep 20"]
        lines += ["marker 2 0 %d 1 %d open default %d" % (i, THREAD, i) for i in range(1, n + 1)]
        lines += ["sleep 20"]
        lines += ["marker 4 0 %d 1 %d - - %d" % (i, THREAD, 10000 + i) for i in range(1, n + 1)]
        self.play(lines + ["sleep 20"], ":profiler_level=Level_none")
        self.assertEqual(self.records_of(self.result(), "marker"), room)
        info = self.json("info", self.result())[0]
        self.assertEqual(info["lost"]["collector_dropped"], n - room)
        self.assertIn("%d marks are lost: more than %d marks were open at once" % (n - room, room), self.log())
        self.assertNotIn("have no begin", self.log())

    def launches(self, n, thread):
        for i in range(n):
            at = i * 100
            yield "launch %d 0 3 KERNEL_AICORE mm %d 5" % (thread, at + 10)
            yield "call 11 %d launch %d 50" % (thread, at)

    def test_external_ids_of_kernels_alone(self):
        """The second thread is noticed even if calls are not recorded, and many ids wait for it."""
        lines = ["sleep 30", "push 2 1", *self.launches(17000, THREAD),
                 *self.launches(1, THREAD + 1), "sleep 20"]
        self.play(lines, ":activities=kernel,external_ids=true,flush_interval=10ms")
        self.assertEqual(self.records_of(self.result(), "npu_task.external_id"), 0)
        self.assertEqual(self.records_of(self.result(), "api_call"), 0)
        self.assertEqual(self.records_of(self.result(), "device_task"), 17001)
        self.assertIn("17001 external ids are not recorded: more than one thread", self.log())


if __name__ == "__main__":
    unittest.main()
