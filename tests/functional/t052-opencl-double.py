# SPDX-License-Identifier: Apache-2.0
"""OpenCL with a driver that is made for tests: clocks that go wrong, and calls that fail."""

import os
import subprocess
import unittest

from support import BUILD, TIMEOUT, StrobeTest, program

PROGRAM = program("opencl-program")
DOUBLE = BUILD / "tests" / "opencl-double" / "opencl-double.so"


@unittest.skipUnless(os.path.exists(PROGRAM), "ocl-icd-opencl-dev is not installed")
class DoubleTest(StrobeTest):
    def setUp(self):
        super().setUp()
        icds = self.work / "icds"
        icds.mkdir()
        (icds / "double.icd").write_text(str(DOUBLE) + "\n")
        self.environment["OCL_ICD_VENDORS"] = str(icds)
        self.report = self.work / "report"
        self.environment["OPENCL_DOUBLE_REPORT"] = str(self.report)

    def alone(self, case):
        done = subprocess.run(
            [PROGRAM, case], env=self.environment, capture_output=True, text=True, timeout=TIMEOUT
        )
        return done.returncode, self.lasting(done.stdout), self.take_report()[1]

    def with_strobe(self, case, code, options=""):
        flags = ["--export", "csv"]
        done = self.record(PROGRAM, case, collect=["opencl" + options], flags=flags, code=code)
        return done, self.lasting(done.stdout)

    @staticmethod
    def lasting(text):
        """The output of the program without its times."""
        return [line for line in text.splitlines() if not line.startswith("time ")]

    def take_report(self):
        """Returns the kernels by the device's time of their start, and the number of objects that
        were never released."""
        kernels, live = {}, {}
        for line in self.report.read_text().splitlines() if self.report.exists() else ():
            words = line.split()
            if words[0] == "kernel":
                kernels[int(words[3])] = (int(words[1]), int(words[2]))
            elif words[0] == "live":
                live[words[1]] = int(words[2])
        self.report.unlink(missing_ok=True)
        return kernels, live

    def tasks(self):
        shown = self.json("show", self.out, "--table", "device_task", "--limit", "100000")
        return [row for row in shown[0]["rows"] if row["is_kernel"]]


class ClockTest(DoubleTest):
    def check(self, clock, timer="0"):
        """The error of each kernel's time on the host's clock is at most the reported bound."""
        self.environment["OPENCL_DOUBLE_CLOCK"] = clock
        self.environment["OPENCL_DOUBLE_TIMER"] = timer
        self.with_strobe("paced", 0, ":clock_interval=50ms")
        truth, _ = self.take_report()
        said = self.json("info", self.result())[0]["device_clocks"][0]
        tasks = self.tasks()
        self.assertEqual(len(tasks), 150)
        self.assertEqual({row["opencl.start"] for row in tasks}, set(truth))
        off = [abs(row["begin"] - truth[row["opencl.start"]][0]) for row in tasks]
        # The double reads its own two clocks one after the other.
        self.assertLess(max(off), said["error_ns"] + said["host_error_ns"] + 2000, said)
        return said, tasks, truth

    def test_drift(self):
        said, tasks, truth = self.check("150,0,0")
        self.assertAlmostEqual(said["drift_ppm"], 150, delta=60)
        for row in tasks:
            self.assertAlmostEqual(
                row["duration"], truth[row["opencl.start"]][1] * 1.00015, delta=2
            )

    def test_timer(self):
        said, _, _ = self.check("-80,0,0", timer="1")
        self.assertAlmostEqual(said["drift_ppm"], -80, delta=60)

    def test_markers(self):
        """The driver does not report when commands were queued."""
        self.environment["OPENCL_DOUBLE_NO_QUEUED"] = "1"
        said, tasks, _ = self.check("100,0,0")
        self.assertAlmostEqual(said["drift_ppm"], 100, delta=60)
        self.assertEqual({row["opencl.queued_ns"] for row in tasks}, {None})

    def test_jump_ahead(self):
        said, _, _ = self.check("0,500,3000000000")
        self.assertEqual(said["jumps"], 1)

    def test_jump_back(self):
        said, _, _ = self.check("20,500,-2000000000")
        self.assertEqual(said["jumps"], 1)


class ProbeTest(DoubleTest):
    def test_no_driver(self):
        self.assertIn("works here: yes", self.strobe("plugins", "opencl").stdout)
        (self.work / "icds" / "double.icd").unlink()
        told = self.strobe("plugins", "opencl").stdout
        self.assertIn("No OpenCL driver is registered", told)
        self.assertIn("pocl-opencl-icd", told)


class FailureTest(DoubleTest):
    """If a call fails, the program sees the same as without Strobe, and no object is leaked."""

    def check(self, fails, case="times"):
        self.environment["OPENCL_DOUBLE_FAIL"] = fails
        code, output, live = self.alone(case)
        done, with_strobe = self.with_strobe(case, code)
        self.assertEqual(with_strobe, output)
        self.assertEqual(self.take_report()[1], live)
        return done

    def test_nothing_fails(self):
        for case in ("times", "unasked", "user-event", "never-waits"):
            with self.subTest(case):
                self.check("", case)

    def test_empty_list_of_properties(self):
        """NVIDIA's driver reports an empty list of properties as no list."""
        self.environment["OPENCL_DOUBLE_NO_EMPTY_LIST"] = "1"
        self.check("", "unasked")

    def test_function_by_name(self):
        """The driver's own function pointer bypasses the loader and all layers."""
        self.check("", "extension")
        self.assertEqual(len(self.tasks_of_last()), 1)

    def test_calls_that_only_strobe_makes(self):
        for name in (
            "clGetDeviceAndHostTimer",
            "clGetDeviceInfo",
            "clGetKernelInfo",
            "clSetEventCallback",
        ):
            with self.subTest(name):
                self.check(name)
                self.assertEqual(len(self.tasks_of_last()), 8)

    def test_no_clock(self):
        """No clock can be read: the tasks are kept, and nothing hangs."""
        self.environment["OPENCL_DOUBLE_NO_QUEUED"] = "1"
        self.check("clEnqueueMarker")
        self.assertEqual(self.json("info", self.result())[0]["kinds"]["device_task"], 10)

    def tasks_of_last(self):
        last = self.results()[-1]
        shown = self.json("show", last, "--table", "device_task", "--limit", "100000")
        return [row for row in shown[0]["rows"] if row["is_kernel"]]

    def test_no_profiling(self):
        done = self.check("profiling", "unasked")
        self.assertIn("of queues without profiling", done.stderr)

    def test_no_times(self):
        done = self.check("clGetEventProfilingInfo", "never-waits")
        self.assertIn("have no times", done.stderr)

    def test_no_references(self):
        self.check("clRetainEvent", "times")

    def test_calls_of_the_program(self):
        for name in (
            "clBuildProgram",
            "clCreateBuffer",
            "clCreateCommandQueue",
            "clCreateContext",
            "clCreateKernel",
            "clCreateProgramWithSource",
            "clEnqueueNDRangeKernel",
            "clEnqueueReadBuffer",
            "clEnqueueWriteBuffer:1",
            "clEnqueueNDRangeKernel:5",
            "clFinish",
            "clFlush",
            "clGetCommandQueueInfo",
            "clWaitForEvents",
            "clWaitForEvents:4",
        ):
            with self.subTest(name):
                self.check(name)
