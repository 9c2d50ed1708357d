# SPDX-License-Identifier: Apache-2.0
"""A second reader of torch_npu's raw files, written from the format's rules and independent of
Strobe's. It returns the expected records of a folder FRAMEWORK as lines in the form of
dump-capture. It does not save time or memory."""

import os
import struct

TIME_MAX = (1 << 61) - 1
NAMES = ("torch.op_range", "torch.op_mark", "torch.memory_usage", "torch.python_tracer_func",
         "torch.python_tracer_hash", "torch.param_tensor_info", "torch.gc_record")
ABSENT = {"sequence": -(1 << 63), "forward_thread": (1 << 64) - 1, "address": (1 << 64) - 1,
          "stream": (1 << 64) - 1, "correlation": (1 << 64) - 1, "size": -(1 << 63),
          "total_allocated": -(1 << 63), "total_reserved": -(1 << 63), "total_active": -(1 << 63),
          "key": (1 << 64) - 1, "ascend_raw.end_thread": (1 << 64) - 1, "thread": (1 << 64) - 1}


def escape(value):
    return "".join(chr(b) if 32 <= b < 127 and b != 92 else "\\x%02x" % b for b in value.encode())


def text_of(data):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return "N/A"


def tlv(data, layout):
    """Returns (fixed part, {field type: text}) of each record; a torn end ends the list."""
    fixed, at = struct.Struct(layout), 0
    while at + 6 <= len(data):
        length = struct.unpack_from("<HI", data, at)[1]
        body = data[at + 6:at + 6 + length]
        if len(body) < length:
            return
        at += 6 + length
        if length < fixed.size:
            continue
        fields, place = {}, fixed.size
        while place + 6 <= length:
            kind, size = struct.unpack_from("<HI", body, place)
            fields[kind] = text_of(body[place + 6:place + 6 + size])
            place += 6 + size
        yield fixed.unpack_from(body), fields


class Double:
    def __init__(self, top, info):
        self.folder = os.path.join(top, "FRAMEWORK")
        self.start, self.offset = info["start_info"], 0
        end = info["end_info"]
        self.offset = end["collectionTimeEnd"] - end["MonotonicTimeEnd"]
        self.lines, self.pid = [], 0

    def read(self, name):
        for found in sorted(os.listdir(self.folder)):
            if found.startswith(name):
                with open(os.path.join(self.folder, found), "rb") as file:
                    return file.read()
        return b""

    def ns(self, raw):
        if self.start["syscnt_enable"]:
            raw = int((raw - self.start["start_cnt"]) * 1000 / self.start["freq"])
            raw += self.start["start_monotonic"]
        return raw + self.offset

    def add(self, kind, begin, end, group, pid, tid, name, **fields):
        begin = min(max(begin, 0), TIME_MAX)
        end = min(max(end, begin), TIME_MAX)
        self.pid = self.pid or pid
        parts = [kind, str(begin), str(end), group, str(pid), str(tid), escape(name)]
        parts += ["%s=%s" % (key, escape(value) if isinstance(value, str) else int(value))
                  for key, value in fields.items()
                  if value is not None and ABSENT.get(key) != value]
        self.lines.append("\t".join(parts))

    def operators(self):
        for fixed, fields in tlv(self.read("torch.op_range"), "<3q4QB?"):
            begin, end, sequence, pid, tid, end_tid, forward, scope, is_async = fixed
            name = fields.get(2, "")
            self.add("cpu_op", self.ns(begin), self.ns(end), "", pid, tid, name, sequence=sequence,
                     forward_thread=forward, shapes=fields.get(4), types=fields.get(3),
                     stack=fields.get(8), scope=scope, is_async=is_async,
                     **{"ascend_raw.modules": fields.get(9), "ascend_raw.tensors": fields.get(5),
                        "ascend_raw.tensor_lists": fields.get(6),
                        "ascend_raw.scalars": fields.get(7), "ascend_raw.extra": fields.get(10),
                        "ascend_raw.end_thread": end_tid if end_tid != tid else None})
            number = name[len("ProfilerStep#"):]
            if name.startswith("ProfilerStep#") and number.isascii() and number.isdigit():
                self.add("step", self.ns(begin), self.ns(end), "", pid, 0, name,
                         number=int(number), thread=tid)

    def marks(self):
        marks = [(fixed, fields.get(1, "")) for fixed, fields in tlv(self.read("torch.op_mark"),
                                                                     "<q4Q")]
        marks.sort(key=lambda mark: mark[0][0])
        starts, enqueues, dequeues, names = {}, [], [], {}
        for (time, category, correlation, tid, pid), name in marks:
            if category in (0, 2):
                starts.setdefault((tid, name), []).append(time)
            elif category in (1, 3) and starts.get((tid, name)):
                begin = starts[tid, name].pop()
                starts[tid, name].clear()
                self.pid = self.pid or pid
                row = (begin, time, pid, tid, correlation, name)
                (enqueues if category == 1 else dequeues).append(row)
                if category == 3:
                    names.setdefault(correlation, name)
        for begin, end, pid, tid, correlation, name in dequeues:
            self.add("task_queue", self.ns(begin), self.ns(end), "", pid, tid, "Dequeue@" + name,
                     correlation=correlation, is_dequeue=1)
        for begin, end, pid, tid, correlation, _ in enqueues:
            known = names.get(correlation)
            self.add("task_queue", self.ns(begin), self.ns(end), "", pid, tid,
                     "Enqueue" if known is None else "Enqueue@" + known, correlation=correlation,
                     is_dequeue=0)

    def memory(self):
        for fixed, _ in tlv(self.read("torch.memory_usage"), "<7q2b3B2Q"):
            (pointer, time, size, allocated, reserved, active, stream, kind, index, component,
             action, allocator, tid, pid) = fixed
            is_npu = kind == 20
            self.add("memory_event", self.ns(time), self.ns(time), "", pid, tid, "",
                     address=pointer % (1 << 64), size=size, total_allocated=allocated,
                     total_reserved=reserved, total_active=active, stream=stream % (1 << 64),
                     action=action, device=index if is_npu else -1,
                     component=("WORKSPACE" if component == 1 else "PTA") if is_npu else "CPU",
                     **{"ascend_raw.is_external": 1 if allocator else None})

    def python(self):
        texts = {fixed[0]: fields.get(1, "") for fixed, fields in
                 tlv(self.read("torch.python_tracer_hash"), "<Q")}
        data, threads = self.read("torch.python_tracer_func"), {}
        for time, tid, pid, key, tag in struct.iter_unpack("<4QB", data[:len(data) // 33 * 33]):
            threads.setdefault((tid, pid), []).append((time, key, tag))
            self.pid = self.pid or pid
        for (tid, pid), events in threads.items():
            events.sort(key=lambda event: event[0])
            self.replay(tid, pid, events, texts)

    def replay(self, tid, pid, events, texts):
        frames, modules, counts = [], {}, {}

        def leave(end):
            begin, index, parent, name, module = frames.pop()
            begin, end = (min(time, (1 << 63) - 1) for time in (begin, end))
            self.add("python_call", self.ns(begin), self.ns(end), "", pid, tid, name, id=index,
                     parent=parent, module=module)

        for index, (time, key, tag) in enumerate(events):
            if tag in (0, 2):
                name, module = texts.get(key, str(key)), None
                kind, mark, address = name.partition("######")
                if (key in texts and mark and address.isascii() and address.isdigit()
                        and int(address) < 1 << 64 and "\0" not in name):
                    module = modules.get((kind, int(address)))
                    if module is None:
                        module = modules[kind, int(address)] = counts.get(kind, 0)
                        counts[kind] = module + 1
                    name = "nn.Module: %s_%d" % (kind, module)
                frames.append((time, index, frames[-1][1] if frames else 0, name, module))
            elif tag in (1, 3) and frames:
                leave(time)
        while frames:
            leave(events[-1][0])

    def collections(self):
        data = self.read("torch.gc_record")
        for pid, begin, end in struct.iter_unpack("<3Q", data[:len(data) // 24 * 24]):
            begin, end = (min(time, (1 << 63) - 1) for time in (begin, end))
            self.add("gc", self.ns(begin), self.ns(end), "Python GC", pid, pid, "GC")

    def parameters(self, pid):
        at = max(self.start["start_monotonic"] + self.offset, 0)

        def put(key, role, name, tensor, gradient=""):
            self.add("ascend_raw.parameter", at, at, "", pid, 0, name, key=key, role=role,
                     tensor=tensor, gradient=gradient or None)

        for (key,), fields in tlv(self.read("torch.param_tensor_info"), "<Q"):
            for entry in (fields.get(1) or "").split("}") if fields.get(1) else ():
                parts = entry.split(")")
                if len(parts) > 2:
                    put(key, "module", parts[0], parts[1], parts[2])
            for entry in (fields.get(2) or "").split("}") if fields.get(2) else ():
                parts = entry.split(")", 2)
                if len(parts) < 3:
                    continue
                put(key, "optimizer", "", parts[0], parts[1])
                for state in parts[2].split("]"):
                    name, mark, tensor = state.partition(">")
                    if mark:
                        put(key, "state", name, tensor)

    def decode(self):
        self.operators()
        self.marks()
        self.memory()
        self.python()
        self.collections()
        self.parameters(self.pid)
        return sorted(self.lines)
