# SPDX-License-Identifier: Apache-2.0
"""The rules by which TensorBoard's profiler plugin accepts files and shows them: each acceptance
rule of its last version, as a check. tensorboard_client.py starts the plugin itself."""

import gzip
import json
import pathlib
import re

FILE = re.compile(r"^(.*?)(\.\d+)?\.pt\.trace\.json(?:\.gz)?$")
STEP = "ProfilerStep#"
OPERATORS = ("cpu_op", "operator")
RUNTIMES = ("cuda_runtime", "cuda_driver", "runtime", "privateuse1_runtime", "privateuse1_driver")
DEVICE = {"kernel": "Kernel", "gpu_memcpy": "Memcpy", "memcpy": "Memcpy", "gpu_memset": "Memset",
          "memset": "Memset"}
ANNOTATIONS = ("user_annotation",)
PYTHON = ("python_function", "python")
ON_THREADS = OPERATORS + RUNTIMES + ANNOTATIONS + PYTHON
CLASSES = ("Kernel", "Memcpy", "Memset", "Communication", "Runtime", "DataLoader", "CPU Exec",
           "Other")


class Refused(Exception):
    """The plugin cannot parse the file."""


def runs(logdir):
    """Returns folder -> worker -> names of the files, in the order of their times."""
    found = {}
    for path in sorted(pathlib.Path(logdir).rglob("*")):
        match = FILE.match(path.name)
        if path.is_file() and match:
            worker = found.setdefault(path.parent, {}).setdefault(match.group(1), [])
            worker.append((match.group(2) or "", path.name))
    return {
        folder: {worker: [name for _, name in sorted(files)] for worker, files in workers.items()}
        for folder, workers in found.items()
    }


def load(path):
    opened = gzip.open if str(path).endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as file:
        return Trace(json.load(file))


def _number(event, key):
    if not isinstance(event.get(key, 0), (int, float)):
        raise Refused("%s is no number: %r" % (key, event[key]))


def _innermost(nodes, time):
    for node in nodes:
        if node.begin <= time <= node.end:
            return _innermost(node.children, time) or node.event["name"]
    return None


class Node:
    """A span of a thread, with the spans inside it."""

    def __init__(self, event):
        self.event = event
        self.begin, self.end = event["ts"], event["ts"] + event.get("dur", 0)
        self.children = []


class Trace:
    """A parsed file."""

    def __init__(self, data):
        if not isinstance(data, dict):
            raise Refused("the outermost value is a list: it has no string keys")
        self.data = data
        self.events = data["traceEvents"]
        self.spans = []
        for event in self.events:
            self._take(event)
        self.steps = self._steps()

    def _take(self, event):
        if "name" not in event:
            raise Refused("an event without a name")
        if event["ph"] != "X":
            return
        if not isinstance(event.get("cat"), str):
            raise Refused("a span without a category")
        _number(event, "ts")
        _number(event, "dur")
        category = event["cat"].lower()
        if category in ON_THREADS:
            try:
                int(event["tid"])
            except (TypeError, ValueError):
                raise Refused("a thread that is no number: %r" % event["tid"]) from None
        self.spans.append((category, event))

    def _steps(self):
        found = []
        for category, event in self.spans:
            if category not in ANNOTATIONS + OPERATORS or not event["name"].startswith(STEP):
                continue
            try:
                number = int(event["name"][len(STEP):])
            except ValueError:
                raise Refused("a step without a number: %s" % event["name"]) from None
            found.append((str(number), event["ts"], event["ts"] + event["dur"]))
        if found:
            return sorted(found, key=lambda each: each[1])
        if not self.spans:
            raise Refused("no events: the Overview shows nonsense")
        begin = min(event["ts"] for _, event in self.spans)
        return [("0", begin, max(event["ts"] + event["dur"] for _, event in self.spans))]

    # ---- views ----

    def views(self):
        found = {"Overview", "Operator", "Trace"}
        if any(category == "kernel" for category, _ in self.spans):
            found.add("Kernel")
        if any(category in PYTHON and {"Python module id", "Python id"} <= set(event["args"])
               for category, event in self.spans):
            found.add("Module")
        if any(event["ph"] == "i" and event["name"] == "[memory]" and
               event["args"].get("Device Type") in (0, 1) for event in self.events):
            found.add("Memory")
        return found

    def trees(self, categories=ON_THREADS):
        """Returns the roots by thread, and the number of spans that were dropped because they cross
        another one."""
        threads, dropped = {}, 0
        for category, event in self.spans:
            if category in categories and category not in PYTHON:
                threads.setdefault(int(event["tid"]), []).append(Node(event))
        roots = {}
        for thread, nodes in threads.items():
            open_nodes, roots[thread] = [], []
            for node in sorted(nodes, key=lambda each: (each.begin, -each.end)):
                while open_nodes and open_nodes[-1].end <= node.begin:
                    open_nodes.pop()
                if open_nodes and node.end > open_nodes[-1].end + 0.0005:
                    dropped += 1
                    continue
                (open_nodes[-1].children if open_nodes else roots[thread]).append(node)
                open_nodes.append(node)
        return roots, dropped

    def crossing_modules(self):
        """The modules that cross spans of the tree; the plugin refuses a file with such modules."""
        threads, found = {}, []
        for category, event in self.spans:
            is_module = category in PYTHON and "Python module id" in event["args"]
            if is_module or category in OPERATORS + RUNTIMES + ANNOTATIONS:
                threads.setdefault(int(event["tid"]), []).append((Node(event), is_module))
        for nodes in threads.values():
            open_nodes = []
            for node, is_module in sorted(nodes, key=lambda each: (each[0].begin, -each[0].end)):
                while open_nodes and open_nodes[-1][0].end <= node.begin:
                    open_nodes.pop()
                if open_nodes and node.end > open_nodes[-1][0].end + 0.0005:
                    if is_module or open_nodes[-1][1]:
                        found.append((node.event["name"], open_nodes[-1][0].event["name"]))
                    continue
                open_nodes.append((node, is_module))
        return found

    def memory(self):
        """Returns operator (None: none) -> bytes that were allocated and released on its thread
        while it was the innermost operator, by device."""
        keys = {"Device Type", "Device Id", "Addr", "Bytes", "Total Allocated", "Total Reserved"}
        roots, _ = self.trees(OPERATORS)
        found = {}
        for event in self.events:
            if event["ph"] != "i" or event["name"] != "[memory]":
                continue
            args = event["args"]
            if any(not isinstance(args.get(key), int) for key in keys):
                raise Refused("memory without one of its numbers: %r" % args)
            name = _innermost(roots.get(int(event["tid"]), ()), event["ts"])
            device = "CPU" if args["Device Type"] == 0 else "GPU%d" % args["Device Id"]
            totals = found.setdefault((name, device), [0, 0])
            totals[args["Bytes"] < 0] += args["Bytes"]
        return found

    def operators(self):
        """Returns name -> calls, self and total time on the host, self time on the device."""
        kernels, launches = {}, {}
        for category, event in self.spans:
            args = event.get("args", {})
            if category in DEVICE and "correlation" in args:
                kernels.setdefault(args["correlation"], []).append(event["dur"])
            elif category in RUNTIMES and "External id" in args:
                launches.setdefault(args["External id"], []).append(args.get("correlation"))
        roots, _ = self.trees(OPERATORS)
        totals = {}

        def visit(node):
            entry = totals.setdefault(node.event["name"], [0, 0.0, 0.0, 0.0])
            inner = sum(child.end - child.begin for child in node.children)
            entry[0] += 1
            entry[1] += node.end - node.begin - inner
            entry[2] += node.end - node.begin
            for correlation in launches.get(node.event.get("args", {}).get("External id"), ()):
                entry[3] += sum(kernels.get(correlation, ()))
            for child in node.children:
                visit(child)

        for nodes in roots.values():
            for node in nodes:
                visit(node)
        return {name: entry for name, entry in totals.items() if not name.startswith(STEP)}

    def kernels(self):
        """Returns name -> calls and total time."""
        totals = {}
        for category, event in self.spans:
            if category == "kernel":
                entry = totals.setdefault(event["name"], [0, 0.0])
                entry[0] += 1
                entry[1] += event["dur"]
        return totals

    def overview(self):
        """Returns step -> time of each class. Each moment counts for the first class that is
        active."""
        return {name: self._step(begin, end) for name, begin, end in self.steps}

    def _class_of(self, category, event):
        name = event["name"]
        if category in DEVICE:
            return "Communication" if name.startswith("nccl") else DEVICE[category]
        if category in RUNTIMES:
            return "Runtime"
        if name.startswith("enumerate(DataLoader)#") and name.endswith(".__next__"):
            return "DataLoader"
        is_step = name.startswith(STEP)
        if category in OPERATORS + ANNOTATIONS and not is_step:
            return "Communication" if name.startswith(("nccl:", "gloo:")) else "CPU Exec"
        return None

    def _step(self, begin, end):
        marks = []
        for category, event in self.spans:
            which = self._class_of(category, event)
            first, last = max(event["ts"], begin), min(event["ts"] + event["dur"], end)
            if which and first < last:
                marks += [(first, 1, which), (last, -1, which)]
        times, active, at = dict.fromkeys(CLASSES, 0.0), dict.fromkeys(CLASSES, 0), begin
        for time, change, which in sorted(marks) + [(end, 0, "Other")]:
            now = next((each for each in CLASSES if active[each]), "Other")
            times[now] += time - at
            at = time
            active[which] += change
        return times

    def module_hierarchy(self):
        """Returns module name -> name of the module around it (or None), by the chain of Python
        ids."""
        calls = {event["args"]["Python id"]: event for category, event in self.spans
                 if category in PYTHON and "Python id" in event["args"]}
        found = {}
        for event in calls.values():
            if "Python module id" not in event["args"]:
                continue
            parent = calls.get(event["args"].get("Python parent id"))
            while parent and "Python module id" not in parent["args"]:
                parent = calls.get(parent["args"].get("Python parent id"))
            found[event["name"]] = parent["name"] if parent else None
        return found
