# SPDX-License-Identifier: Apache-2.0
"""Kits for boards with other processors: built with a cross file, run under qemu-user with the test
double."""

import json
import pathlib
import re
import shutil
import subprocess
import unittest

import tap
from support import without_sanitizer
from svp_board import LAYERS, BoardTest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
OLDEST_GLIBC = 2, 28
EMULATORS = {"aarch64-linux-gnu": "qemu-aarch64", "arm-linux-gnueabihf": "qemu-arm"}


class KitTest(BoardTest):
    def build(self, machine):
        for tool in machine + "-gcc", "meson", "ninja":
            if not shutil.which(tool):
                self.skipTest("%s is not installed" % tool)
        kit = self.work / machine
        for command in (["meson", "setup", kit, SOURCE, "-Dboard_kit=true", "--cross-file",
                         SOURCE / "board" / "kit" / (machine + ".ini")], ["ninja", "-C", kit]):
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return kit

    def check_libraries(self, library):
        """Only libraries of the C library are used, and none of their functions that are newer than
        2.28."""
        text = subprocess.run(["readelf", "-dW", library], capture_output=True, text=True,
                              check=True).stdout
        names = re.findall(r"NEEDED.*\[(.*)\]", text)
        self.assertIn("libc.so.6", names)
        self.assertEqual([name for name in names if not re.match(
            r"lib(c|pthread|dl|rt)\.so|ld-linux", name)], [])
        text = subprocess.run(["readelf", "--dyn-syms", "-W", library], capture_output=True,
                              text=True, check=True).stdout
        versions = re.findall(r"(\S+)@GLIBC_(\d+)\.(\d+)", text)
        self.assertGreater(len(versions), 15)
        self.assertEqual([found for found in versions
                          if (int(found[1]), int(found[2])) > OLDEST_GLIBC], [])

    def check_run(self, kit, machine):
        emulator = shutil.which(EMULATORS[machine])
        if not emulator:
            self.skipTest("%s is not installed" % EMULATORS[machine])
        self.configure(interval="1")
        done = subprocess.run(
            [emulator, "-L", "/usr/" + machine, "-E",
             "LD_PRELOAD=%s" % (kit / "board" / "libstrobe-board.so"),
             kit / "tests" / "svp-double" / "svp-program", self.config, "/models/a.b-c.1.om",
             "load", "execute", "2", "threads", "4", "1000"],
            env={**self.environment, "SVP_DOUBLE": str(self.double)}, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "failed 0\n"), done.stderr)
        self.assertEqual(self.data(), ["AAcore.0.a.b-c.1.1.1.1.0", "AAcore.0.a.b-c.1.1.1.1.1",
                                       "AclModule.0.a.b-c.1.1"])
        info = self.info()
        counters = info["counters"]
        self.assertEqual((info["state"], info["simulated"], counters["captures"],
                          counters["lost_captures"], counters["lost_records"]),
                         ("complete", True, 2, 0, 0))
        shown = json.loads(self.strobe("svp", "show", "-dir", self.job(), "--json").stdout)
        self.assertEqual([row["OP Name"] for row in shown["op_statistic"]][:4],
                         [line.split()[1] for line in LAYERS.splitlines()])
        count = sum(row["Count"] for row in shown["acl_statistic"]
                    if row["Name"] in ("svp_acl_rt_malloc", "svp_acl_rt_free"))
        self.assertEqual(count, 4000)

    def check_recorder(self, kit, machine):
        """What the host did is recorded of a program that runs beside the emulated recorder."""
        options = {"items": "cpu+mem", "interval": "20000000", "proc_root": "/proc",
                   "sys_root": "/sys", "pss_interval": "0", "loopback": "0"}
        folder = self.work / "capture"
        folder.mkdir()
        done = subprocess.run(
            [shutil.which(EMULATORS[machine]), "-L", "/usr/" + machine,
             kit / "board" / "strobe-board-run", "--folder", folder,
             "--metadata", '{"scheduled":false}',
             "--collect", "host_sys=%s" % (kit / "board" / "kit" / "host_sys.so"),
             *("--option=%s=%s" % item for item in options.items()),
             "--", "sh", "-c", "sleep 1; exit 7"],
            env=self.environment, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (7, "", ""))
        info, = json.loads(self.strobe("info", folder / "capture.strobe", "--json").stdout)
        self.assertGreater(info["kinds"]["host_cpu"], 3)
        self.assertEqual(info["offered"], info["stored"])

    def check_marks(self, kit, machine):
        """Marks of an emulated program."""
        folder, library = self.work / "marked", self.work / "libstrobe.so.0"
        folder.mkdir()
        shutil.copy(kit / "board" / "libstrobe-marks.so", library)
        program = self.work / "program"
        subprocess.run([machine + "-gcc", "-O1", "-I%s/core/include" % SOURCE, "-I%s/sdk/include" % SOURCE,
                        "-o", program, SOURCE / "tests" / "functional" / "marked-program.c", library],
                       check=True)
        emulate = [shutil.which(EMULATORS[machine]), "-L", "/usr/" + machine]
        done = subprocess.run(
            [*emulate, kit / "board" / "strobe-board-run", "--folder", folder,
             "--metadata", '{"scheduled":false}', "--marks", self.work, "--",
             *emulate, program, "100", "2"],
            env=self.environment, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        info, = json.loads(self.strobe("info", folder / "capture.strobe", "--json").stdout)
        kinds = info["kinds"]
        self.assertEqual((kinds["marker"], kinds["marker_instant"], kinds["counter"]), (200, 102, 100))

    def check_kit(self, machine):
        kit = self.build(machine)
        for file in ("libstrobe-board.so", "strobe-board-run", "libstrobe-marks.so",
                     "kit/cpu_sample.so", "kit/cpu_sample-preload.so", "kit/host_sys.so"):
            self.check_libraries(kit / "board" / file)
        self.check_run(kit, machine)
        self.check_recorder(kit, machine)
        self.check_marks(kit, machine)

    @without_sanitizer
    def test_aarch64(self):
        self.check_kit("aarch64-linux-gnu")

    @tap.long_test
    def test_armhf(self):
        self.check_kit("arm-linux-gnueabihf")


if __name__ == "__main__":
    unittest.main()
