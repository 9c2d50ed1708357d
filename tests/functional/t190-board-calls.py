# SPDX-License-Identifier: Apache-2.0
"""Every function of a camera board's runtime: each call is recorded once, in order, by device."""

import json
import re
import shutil
import struct
import subprocess
import time
import unittest

from support import BUILD
from svp_board import LAYERS, LIBRARY, OPENERS, BoardTest

RECORD_BYTES = 64  # of a call in its file
POOL_BYTES = 2 << 20
DOUBLE = BUILD / "tests" / "svp-double" / "libsvp_acl.so"
RUNTIME = """set_device reset_device get_device get_run_mode get_device_count synchronize_device
    create_context destroy_context set_current_context get_current_context create_stream
    destroy_stream synchronize_stream malloc malloc_cached free malloc_host free_host mem_flush
    mem_invalidate subscribe_report unsubscribe_report process_report launch_callback
    set_op_wait_timeout"""
MODEL = """load_from_mem load_with_config execute execute_async unload get_desc
    set_dynamic_batch_size set_dynamic_hw_size set_total_t set_config_opt set_input_aipp
    set_output_aipp init_dump set_dump finalize_dump"""
PROFILING = """init finalize create_config destroy_config start stop model_subscribe
    model_unsubscribe create_subscribe_config destroy_subscribe_config get_op_desc_size get_op_num
    get_op_type_len get_op_type get_op_name_len get_op_name get_op_start get_op_end
    get_op_duration get_model_id"""
MODES = {
    **{"svp_acl_" + name: "others" for name in ("init", "finalize")},
    **{"svp_acl_rt_" + name: "runtime" for name in RUNTIME.split()},
    **{"svp_acl_mdl_" + name: "model" for name in MODEL.split()},
    **{"svp_acl_prof_" + name: "others" for name in PROFILING.split()},
}


def exported(library):
    text = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                          check=True).stdout
    return {line.split()[2] for line in text.splitlines()}


class CallsTest(BoardTest):
    def events(self, job):
        """The calls of a JOB, as its timeline has them."""
        self.strobe("svp", "export", "timeline", "-dir", job)
        return [event for path in sorted((job / "timeline").glob("acl_*.json"))
                for event in json.loads(path.read_text()) if event["ph"] == "X"]

    def test_names(self):
        """The library and the test double have exactly the same functions."""
        self.assertEqual(exported(LIBRARY), set(MODES) | OPENERS)
        self.assertEqual({name for name in exported(DOUBLE) if name.startswith("svp_acl_")},
                         set(MODES))

    def test_each_once(self):
        self.configure()
        output, errors = self.run_program("load", "every")
        self.assertEqual(output, "failed 0\n", errors)
        events = self.events(self.job())
        self.assertEqual({event["name"]: event["args"]["Mode"] for event in events}, MODES)
        self.assertEqual(sorted(event["name"] for event in events), sorted(MODES))

    def test_each_without_profiling(self):
        self.configure(switch="off")
        output, errors = self.run_program("load", "every")
        self.assertEqual(output, "failed 0\n", errors)

    def test_missing_function(self):
        """If the runtime lacks a function, there is an error code and a message, and the program
        does not end."""
        program = self.work / "program.c"
        program.write_text("int svp_acl_rt_set_op_wait_timeout(unsigned);\n"
                           "int main(void) { return svp_acl_rt_set_op_wait_timeout(1) != 148049; }")
        built = self.work / "program"
        subprocess.run(["cc", "-o", built, program, LIBRARY], check=True)
        done = subprocess.run([built], env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("svp_acl_rt_set_op_wait_timeout: libsvp_acl.so is not loaded", done.stderr)

    def test_threads_in_order(self):
        """16 threads with 10,000 calls each: malloc and free of each thread alternate, and none is
        lost."""
        self.configure(double="devices 2\n" + LAYERS, interval="1")
        output, errors = self.run_program("load", "execute", 1, "device", 1, "execute", 1,
                                          "threads", 16, 10000)
        self.assertEqual(output, "failed 0\n", errors)
        by_number = {int(path.name.rsplit(".", 1)[1]): path.parent
                     for path in self.jobs.glob("JOB*/info.json.*")}
        self.assertEqual(sorted(by_number), [0, 1])
        self.assertEqual([re.sub(r"^AAcore\.", "", path.name) for path in sorted(
            self.jobs.glob("JOB*/data/AAcore.*")) if path.suffix != ".done" and
            path.parent.parent == by_number[1]], ["1.a.b-c.1.1.1.1.1"])
        info = json.loads((by_number[0] / "info.json.0").read_text())
        self.assertEqual(info["counters"]["lost_records"], 0)
        threads = {}
        for event in self.events(by_number[0]):
            if event["name"] in ("svp_acl_rt_malloc", "svp_acl_rt_free"):
                threads.setdefault(event["tid"], []).append(event)
        self.assertEqual([len(events) for events in threads.values()], [10000] * 16)
        for events in threads.values():
            self.assertEqual([event["name"] for event in events],
                             ["svp_acl_rt_malloc", "svp_acl_rt_free"] * 5000)
            for event, following in zip(events, events[1:]):
                self.assertLessEqual(round((event["ts"] + event["dur"]) * 1000),
                                     round(following["ts"] * 1000) + 1)

    # ---- as fast as can be ----

    def flood(self, n_threads, n_calls, **keys):
        """Threads that call without a pause are killed after this number of calls. Returns the
        number of calls of each thread."""
        returned = self.work / "returned"
        self.configure(**keys)
        process = self.begin("load", "execute", 1, "flood", returned, n_threads)
        counts = lambda: [struct.unpack_from("<Q", returned.read_bytes(), 64 * index)[0]
                          for index in range(n_threads)]
        while not returned.exists() or returned.stat().st_size < 64 * n_threads or sum(
                counts()) < n_calls:
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        self.pools = self.pools_of(process.pid)
        process.kill()
        process.communicate()
        return counts()

    def count_found(self):
        """The number of recorded calls, and of those that are counted as lost."""
        shown = json.loads(self.strobe("svp", "show", "-dir", self.job(), "--json").stdout)
        return sum(row["Count"] for row in shown["acl_statistic"]
                   if row["Name"] in ("svp_acl_rt_malloc", "svp_acl_rt_free")), shown["lost"]

    def test_killed_at_full_speed(self):
        """All calls that had returned are stored or counted as lost."""
        for n_threads in 1, 4, 40:
            offered = self.flood(n_threads, 100000)
            found, lost = self.count_found()
            self.assertLessEqual(sum(offered), found + lost, n_threads)
            self.assertLessEqual(found + lost, sum(offered) + 2 * n_threads, n_threads)
            shutil.rmtree(self.job())

    def test_killed_at_full_speed_without_pool(self):
        """The pool disappears with the program and its writer: the missing calls were in its 2
        MiB."""
        for n_threads in 1, 4, 16:
            offered = self.flood(n_threads, 100000)
            for pool in self.pools:
                pool.unlink()
            found, lost = self.count_found()
            self.assertLessEqual((sum(offered) - found - lost) * RECORD_BYTES, POOL_BYTES, n_threads)
            shutil.rmtree(self.job())

    def test_limit(self):
        """Only the last calls are kept, on the rows of their threads; the others are counted as
        lost."""
        self.configure(double=LAYERS, acl_api_limit="8")
        output, errors = self.run_program("load", "execute", 1, "threads", 1, 16)
        self.assertEqual(output, "failed 0\n", errors)
        events = self.events(self.job())
        self.assertEqual([event["name"] for event in events],
                         ["svp_acl_rt_free"] + ["svp_acl_rt_malloc", "svp_acl_rt_free"] * 3 +
                         ["svp_acl_finalize"])
        self.assertEqual([len({event["tid"] for event in some})
                          for some in (events[:7], events)], [1, 2])
        counters = self.info()["counters"]
        self.assertEqual((counters["records"] - 12 + counters["lost_records"],
                          counters["lost_records"]), (21, 13))
        self.assertIn("13 lost", self.strobe("svp", "show", "-dir", self.job()).stdout)

    # ---- slices ----

    def slices(self):
        return [name for name in self.data() if name.startswith("AclModule")]

    def test_slices(self):
        """Files of 1 MiB: each is complete by itself, and no call is missing or occurs twice."""
        self.configure(double=LAYERS, strobe_slice_mb="1")
        output, errors = self.run_program("load", "execute", 1, "threads", 4, 50000)
        self.assertEqual(output, "failed 0\n", errors)
        names = ["AclModule.0.a.b-c.1.1.slice_%d" % number for number in range(len(self.slices()))]
        self.assertEqual(sorted(names), self.slices())
        self.assertGreater(len(names), 3)
        data = self.job() / "data"
        marks = [dict(line.split(":") for line in (data / (name + ".done")).read_text().split())
                 for name in names]
        self.assertEqual(sum(int(mark["records"]) for mark in marks), 200005)
        for name in names[:-1]:
            self.assertLess((data / name).stat().st_size, 4 << 20)
        self.assertEqual(self.info()["counters"]["records"], 200005 + 12)
        self.assertEqual(sorted(path.name for path in data.iterdir() if path.suffix == ".new"), [])
        done = self.strobe("svp", "show", "-dir", self.job())
        self.assertNotIn("damaged", done.stderr)
        self.assertIn(" 0 lost; complete", done.stdout)
        self.assertEqual(sum(self.calls().values()) + 3 * 50000, 200005)
        (imported,) = self.json("import", "-o", self.out, self.job())
        self.assertEqual([part["part"] for part in imported["found"][1:]], names)

    def test_killed_between_slices(self):
        """Recovered calls go into the newest file, and none occurs twice."""
        for n_threads in 1, 4:
            offered = self.flood(n_threads, 200000, strobe_slice_mb="1")
            self.assertGreater(len(self.slices()), 2)
            found, lost = self.count_found()
            self.assertLessEqual(sum(offered), found + lost, n_threads)
            self.assertLessEqual(found + lost, sum(offered) + 2 * n_threads, n_threads)
            shutil.rmtree(self.job())

    # ---- a subscription of the program's own ----

    def test_own_subscription(self):
        """The program gets the runtime's codes; an inference in the program's own subscription is
        not captured, but counted."""
        codes = "0 148046 100011 0 100043 failed 0\n"
        for switch in "off", "on":
            self.configure(switch=switch, interval="1")
            output, errors = self.run_program("load", "subscribe", "execute", 1)
            self.assertEqual(output, codes, errors)
        counters = self.info()["counters"]
        self.assertEqual((counters["captures"], counters["lost_captures"]), (1, 1))
        self.assertIn("lost: 1 captures", errors)
        self.assertEqual(self.calls()["svp_acl_prof_model_subscribe"], 3)

    # ---- names of models ----

    def test_model_from_memory(self):
        """The model has the name of the file that the thread read before; otherwise its name is
        "model"."""
        (self.work / "yolo v5.om").write_text("network")
        for path, name in (self.work / "yolo v5.om", "yolo_v5"), ("", "model"):
            self.configure()
            output, errors = self.run_program("load-memory", path, "execute", 1)
            self.assertEqual(output, "failed 0\n", errors)
            self.assertEqual(self.data(), ["AAcore.0.%s.1.1.1.0" % name, "AclModule.0.%s.1" % name])
            shutil.rmtree(self.job())


if __name__ == "__main__":
    unittest.main()
