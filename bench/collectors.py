# SPDX-License-Identifier: Apache-2.0
"""The cost of collectors: marks, calls, samples, kernels, blocks."""

import glob
import json
import pathlib

from rows import Row, added
from workplace import PYTHON, Skipped



def marks(bench):
    environment = dict(bench.environment, STROBE_PLUGIN_PATH=str(bench.build / "plugins"))
    plugin = str(bench.build / "plugins" / "marker.so")
    found = bench.lines([bench.program("marks"), plugin, bench.scratch], environment)
    rows = []
    for name in ("mstx", "nvtx"):
        rows.append(Row("marks_" + name, "ns", found[name], "a Strobe range", found["strobe"],
                        "<= 2 x", "begin and end, in a flight recorder"))
        added = min(found[name + "_idle"]) - min(found["nothing"])
        rows.append(Row("marks_%s_idle" % name, "ns", found[name + "_idle"], "empty loop",
                        found["nothing"], "<= 2 ns added", "a mark without a session adds %.2f ns, "
                        "a call of an empty function %.2f ns"
                        % (added, min(found["empty_call"]) - min(found["nothing"]))))
    return rows


def marks_python(bench):
    environment = dict(bench.environment, STROBE_PLUGIN_PATH=str(bench.build / "plugins"))
    script = str(pathlib.Path(__file__).with_name("marks_python.py"))
    found = bench.lines([PYTHON, script, bench.scratch], environment)
    rows = []
    for what, peer in (("mark", "strobe.mark"), ("range", "strobe.range_begin and _end")):
        rows.append(Row("marks_python_" + what, "ns", found[what], peer, found["peer_" + what],
                        "<= 2 x", "strobe.mstx"))
        rows.append(Row("marks_python_%s_idle" % what, "ns", found[what + "_disabled"],
                        "empty Python call", found["empty"],
                        note="without a session; both with their loop"))
    return rows


def opencl(bench):
    environment = dict(bench.environment, STROBE_PLUGIN_PATH=str(bench.build / "plugins"))
    plugin = str(bench.build / "plugins" / "opencl.so")
    found = bench.lines([bench.program("opencl"), plugin, bench.scratch], environment)
    rows = []
    for what, peer in (("call", "the same, bare"), ("launch", "the same, bare")):
        for name, goal in (("_idle", "<= 2 ns added" if what == "call" else "<= 1.02 x"),
                           ("", "<= 200 ns added" if what == "call" else "<= 1.5 x")):
            own, bare = found[what + name], found[what + "_bare" + name]
            rows.append(Row("opencl_" + what + name, "ns", own, peer, bare, goal,
                            "%s: adds %.1f ns" % ("without a session" if name else "recorded",
                                                  min(own) - min(bare))))
    return rows


def python_calls(bench):
    script = str(pathlib.Path(__file__).with_name("python_calls.py"))
    found = bench.lines([PYTHON, script, bench.scratch])
    rows = [added(found, name, what + "_strobe", what, "cProfile", what + "_cprofile", "<= 1.0 x",
                   "added per call; the call itself %.0f ns" % min(found[what]))
            for name, what in (("python_call", "python"), ("python_builtin", "builtin"))]
    if "module" in found:
        rows.append(added(found, "python_module", "module_strobe", "module", "hand-written hook",
                           "module_hook", "", "added per module; its inner calls recorded, too"))
    return rows


def host_sampling(bench):
    def run(threads, *collectors):
        return bench.lines([bench.program("host"), "sample", bench.scratch, str(threads), "3", *collectors])

    found = {threads: run(threads)["cost"] for threads in (1, 64, 1000)}
    idle, asleep = run(1, ""), bench.lines([bench.program("host"), "sleep", "3"])
    # The figures are % of a core at ten ticks a second, so 1 % is 1,000 us for each tick.
    more = [(many - few) * 1000 / (1000 - 64) for many, few in zip(found[1000], found[64])]
    return [
        Row("host_sampling", "% of a core", found[64], "with one thread", found[1], goal="<= 0.5 %",
            note="the writer with host_sys (all items) and sys_io at 10 Hz, 64 threads"),
        Row("host_sampling_thread", "us", more, goal="<= 5 us", note="for each further thread and tick"),
        Row("writer_idle", "% of a core", idle["cost"], "process that sleeps", asleep["cost"], "<= 0.5 %",
            "the writer, no collector; both wake up every 10 ms"),
        Row("writer_memory", "MB", [n / 1e6 for n in idle["memory"]], goal="<= 10 MB",
            note="its anonymous memory"),
    ]


def osrt(bench):
    preload = str(bench.build / "plugins" / "osrt-preload.so")
    command = [bench.program("host"), "calls", bench.scratch]
    without = bench.lines(command)["shut"]
    found = bench.lines(command, dict(bench.environment, LD_PRELOAD=preload))
    extra = min(found["shut"]) - min(without)
    return [
        Row("osrt_shut", "ns", found["shut"], "without the library", without,
            goal="<= 2 ns more", note="a call that does not wait, no session: %.2g ns more" % extra),
        Row("osrt_recorded", "ns", found["open"], "a span", found["span"], goal="ratio <= 3",
            note="a call recorded at threshold 0"),
    ]


def npu(bench):
    environment = dict(bench.environment, STROBE_PLUGIN_PATH=str(bench.build / "plugins"),
                       ASCEND_HOME_PATH=str(bench.build / "tests" / "mspti-double"))
    found = bench.lines([bench.program("npu"), bench.scratch], environment)
    return [
        Row("npu_emit", "records/s", found["own"], "memset beyond the caches", found["memory"],
            ">= 20 M/s", "simulated kernels from MSPTI's buffers, by the time of one core", best="most"),
        Row("npu_hand_over", "ns", found["hand_over"],
            note="a buffer of 4 MB, on the vendor's thread, including time without a processor"),
    ]


def board_calls(bench):
    """A wrapped call of a camera board's runtime, compared with the call itself."""
    double = str(bench.build / "tests" / "svp-double" / "libsvp_acl.so")
    library = str(bench.build / "board" / "libstrobe-board.so")
    folder = pathlib.Path(bench.scratch)
    config = folder / "acl.json"
    config.write_text(json.dumps({"profiler": {"switch": "on", "output": str(folder)}}))

    def measure(preload, path=""):
        environment = dict(bench.environment, LD_PRELOAD=preload, TMPDIR=str(folder))
        return bench.lines([bench.program("board_calls"), path], environment)["call"]

    plain = measure(double)
    shut = measure(library + " " + double)
    recorded = measure(library + " " + double, config)
    span = bench.lines([bench.program("record"), "span", bench.scratch])["own"]
    own = [sample - min(plain) for sample in recorded]
    return [
        Row("board_call_disabled", "ns", shut, "the runtime's double alone", plain,
            "<= 2 ns added", "a call adds %.2f ns" % (min(shut) - min(plain))),
        Row("board_call", "ns", own, "a Strobe span", span, "<= 3 x",
            "without the time of the runtime's double"),
    ]


def heap(bench):
    preload = str(bench.build / "plugins" / "heap-preload.so")
    command = [bench.program("heap"), bench.scratch]
    without, plain, found = [], [], {}
    for i in range(3):
        without += bench.lines(command)["shut"]
        plain += bench.lines(command, dict(bench.environment, LD_PRELOAD=bench.program("plain-front.so")))["shut"]
        for name, samples in bench.lines(command, dict(bench.environment, LD_PRELOAD=preload)).items():
            found.setdefault(name, []).extend(samples)

    def more(name):
        return (min(found[name]) - min(without)) / 2

    stands_there = (min(plain) - min(without)) / 2
    return [
        Row("heap_shut", "ns", found["shut"], "without the library", without, goal="<= 4 ns more",
            note="malloc and free, no session: %.2g ns more for a call, %.2g of them for a bare wrapper" %
            (more("shut"), stands_there)),
        Row("heap_recorded", "ns", [value / 2 for value in found["every"]], "a span", found["span"],
            goal="<= 2 x", note="a malloc or a free, recorded: %.0f ns more" % more("every")),
        Row("heap_not_recorded", "ns", found["none"], "without the library", without,
            note="below the threshold: %.2g ns more a call" % more("none")),
        Row("heap_sampled", "ns", found["sampled"], "without the library", without,
            note="one block in 512 KB: %.2g ns more a call" % more("sampled")),
        Row("heap_stacks", "ns", found["stacks"], "without call paths", found["every"],
            note="call paths of a few frames"),
    ]


def memory_shut(bench):
    libraries = glob.glob("/usr/lib/*/libc10.so.*")
    if not libraries:
        raise Skipped("libc10 of PyTorch is not installed")
    preload = str(bench.build / "plugins" / "memory-preload.so")
    found = bench.lines([bench.program("report"), min(libraries), preload, bench.program("plain-front.so")])

    def more(name):
        return min(found[name]) - min(found["direct"])

    return [
        Row("memory_shut", "ns", found["front"], "without the library", found["direct"], goal="<= 2 ns more",
            note="an allocator's report to PyTorch, no session: %.2g ns more, %.2g of them for a bare wrapper" %
            (more("front"), more("plain"))),
    ]
