#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes raw files of torch_npu's profiler with any number of operators, and lists their content.

raw_files.py FOLDER OPERATORS writes FOLDER/FRAMEWORK and FOLDER/profiler_info_0.json. The file of --truth gets a line
for each record that a reader must make of the raw files, in the form of dump-capture. The same seed makes the same
bytes. damage() damages the files."""

import argparse
import os
import random
import struct

START_COUNT = 470002538790308
START_NS = 4699801002845430
OFFSET = 1764246878131995320 - 4699802061975030
PID, MAIN, BACKWARD, CONSUMER = 4711, 4711, 4790, 4801
ABSENT = None
KINDS = ("Tensor", "aten::", "npu::", "autograd::engine::evaluate_function: ")
DTYPES = ("float", "c10::Half", "long int", "c10::BFloat16", "bool", "Scalar", "None", "TensorList")
NAMES = ("add", "mm", "view", "relu", "linear", "copy_", "t", "mul", "conv2d", "empty", "sum", "cat",
         "to", "addmm", "slice", "select", "div", "bmm", "softmax", "gelu", "permute", "zero_")
PREFIX = struct.Struct("<HI")
OP = struct.Struct("<3q4QB?")
MARK = struct.Struct("<q4Q")
MEMORY = struct.Struct("<7q2b3B2Q")
CALL = struct.Struct("<4QB")


def text(kind, value):
    data = value.encode()
    return PREFIX.pack(kind, len(data)) + data


def record(kind, fixed, *fields):
    body = fixed + b"".join(fields)
    return PREFIX.pack(kind, len(body)) + body


def escape(value):
    """The text, escaped as dump-capture prints it."""
    if isinstance(value, str):
        value = value.encode()
    if all(32 <= byte < 127 and byte != 92 for byte in value):
        return value.decode()
    return "".join(chr(b) if 32 <= b < 127 and b != 92 else "\\x%02x" % b for b in value)


def line(kind, begin, end, group, pid, tid, name, **fields):
    """The line of an expected record; fields that are None are absent."""
    parts = [kind, str(begin), str(end), group, str(pid), str(tid), escape(name)]
    for key, value in fields.items():
        if value is not None:
            parts.append("%s=%s" % (key, escape(value) if isinstance(value, str) else value))
    return "\t".join(parts) + "\n"


class RawFiles:
    """A run of a synthetic training loop. Times are ns since its start, in multiples of 10."""

    def __init__(self, folder, seed=1, truth=None, python=False, stacks=False, details=False,
                 queue=0.1, memory=0.1):
        self.random = random.Random(seed)
        self.folder = os.path.join(folder, "FRAMEWORK")
        os.makedirs(self.folder, exist_ok=True)
        self.top = folder
        self.truth = open(truth, "w", encoding="ascii") if truth else None
        self.files = {}
        self.has_python, self.has_stacks, self.has_details = python, stacks, details
        self.queue, self.memory = queue, memory
        self.now, self.consumer, self.correlation, self.sequence = 1000, 1000, 0, 0
        self.n, self.allocated, self.late_marks = 0, 0, []
        self.make_pools()

    def make_pools(self):
        r = self.random
        self.names = [r.choice(KINDS) + r.choice(NAMES) + ("" if i < 40 else "_%d" % i)
                      for i in range(300)]
        self.inputs = []
        for _ in range(500):
            n = r.randint(1, 3)
            types = [r.choice(DTYPES) for _ in range(n)]
            shapes = [",".join(str(r.choice((1, 2, 8, 32, 64, 768, 1024))) for _ in range(
                r.randint(1, 3))) if kind not in ("Scalar", "None", "TensorList") else ""
                for kind in types]
            self.inputs.append((";".join(types), ";".join(shapes)))
        frames = ["/train/module_%d.py(%d): forward_%d" % (i, 10 * i, i) for i in range(60)]
        frames.append("/train/caf\u00e9.py(1): <module>")
        self.stacks = [";".join(r.choice(frames) for _ in range(r.randint(1, 12)))
                       for _ in range(200)]
        self.packed_names = [text(2, name) for name in self.names]
        self.packed_inputs = [text(3, types) + text(4, shapes) for types, shapes in self.inputs]
        self.packed_stacks = [text(8, stack) for stack in self.stacks]

    # ---- output ----

    def put(self, name, data):
        if name not in self.files:
            self.files[name] = open(os.path.join(self.folder, name), "wb", buffering=1 << 20)
        self.files[name].write(data)

    def expect(self, *args, **fields):
        if self.truth:
            self.truth.write(line(*args, **fields))

    @staticmethod
    def raw(ns):
        return START_COUNT + ns // 10

    @staticmethod
    def wall(ns):
        return START_NS + OFFSET + ns

    def spend(self):
        self.now += 10 * self.random.randint(20, 300)
        return self.now

    # ---- operators ----

    def operator(self, begin, end, thread, scope=0, sequence=-1, forward=0, name=None):
        r = self.random
        index = r.randrange(len(self.names))
        field = text(2, name) if name else self.packed_names[index]
        name = name or self.names[index]
        types, shapes = ABSENT, ABSENT
        if scope != 7:
            chosen = r.randrange(len(self.inputs))
            types, shapes = self.inputs[chosen]
            field += self.packed_inputs[chosen]
        more = {}
        if self.has_details and scope != 7:
            more, extra = self.details()
            field += extra
        stack = ABSENT
        if self.has_stacks and scope != 1:
            chosen = r.randrange(len(self.stacks))
            stack = self.stacks[chosen]
            field += self.packed_stacks[chosen]
        self.put("torch.op_range", record(1, OP.pack(
            self.raw(begin), self.raw(end), sequence, PID, thread, thread, forward, scope, False),
            field))
        self.n += 1
        if self.truth:
            self.expect("cpu_op", self.wall(begin), self.wall(end), "", PID, thread, name,
                        sequence=sequence, forward_thread=forward, shapes=shapes, types=types,
                        stack=stack, scope=scope, is_async=0, **more)

    def details(self):
        r = self.random
        tensor = "0x%x;0x%x;float;4;2,3;3,1;20;0" % (r.getrandbits(44), r.getrandbits(44))
        values = {"ascend_raw.tensors": tensor + ")" + tensor, "ascend_raw.scalars": "Int;Double"}
        data = text(5, values["ascend_raw.tensors"]) + text(7, "Int;Double")
        if r.random() < 0.3:
            values["ascend_raw.modules"] = "top;inner"
            data += text(9, "top;inner")
        order = ("ascend_raw.modules", "ascend_raw.tensors", "ascend_raw.scalars")
        return {key: values[key] for key in order if key in values}, data

    def group(self):
        """Adds an operator with others inside. Some of these add an entry to the queue, some allocate memory."""
        r = self.random
        is_backward = r.random() < 0.3
        thread = BACKWARD if is_backward else MAIN
        scope = 1 if is_backward else 0
        self.sequence += 0 if is_backward else 1
        sequence = r.randint(0, self.sequence) if is_backward else self.sequence
        begin = self.spend()
        for _ in range(r.randrange(4)):
            inner = self.spend()
            self.spend()
            if r.random() < self.queue * 1.7:
                self.launch(thread)
            if r.random() < self.memory * 1.7:
                self.allocate(thread)
            self.operator(inner, self.spend(), thread)
        self.operator(begin, self.spend(), thread, scope, sequence, 1 if is_backward else 0)

    def step(self, number, groups, limit):
        begin = self.spend()
        for _ in range(groups):
            if self.n < limit:
                self.group()
        end = self.spend()
        name = "ProfilerStep#%d" % number
        self.operator(begin, end, MAIN, 7, name=name)
        self.expect("step", self.wall(begin), self.wall(end), "", PID, 0, name, number=number,
                    thread=MAIN)

    # ---- the task queue ----

    def mark(self, time, category, correlation, thread, name):
        return record(2, MARK.pack(self.raw(time), category, correlation, thread, PID),
                      text(1, name))

    def launch(self, thread):
        r = self.random
        name = "aclnn" + r.choice(NAMES).capitalize()
        begin, end = self.spend(), self.spend()
        self.correlation += 1
        self.put("torch.op_mark", self.mark(begin, 0, 0, thread, name) +
                 self.mark(end, 1, self.correlation, thread, name))
        self.consumer = max(self.consumer, end) + 10 * r.randint(1, 40)
        started = self.consumer
        self.consumer += 10 * r.randint(10, 80)
        is_taken = r.random() > 0.001
        if is_taken:
            self.late_marks.append(self.mark(started, 2, self.correlation, CONSUMER, name) +
                                   self.mark(self.consumer, 3, self.correlation, CONSUMER, name))
        self.expect("task_queue", self.wall(begin), self.wall(end), "", PID, thread,
                    "Enqueue@" + name if is_taken else "Enqueue", correlation=self.correlation,
                    is_dequeue=0)
        if is_taken:
            self.expect("task_queue", self.wall(started), self.wall(self.consumer), "", PID,
                        CONSUMER, "Dequeue@" + name, correlation=self.correlation, is_dequeue=1)
        while len(self.late_marks) > r.randrange(30):
            self.put("torch.op_mark", self.late_marks.pop(0))

    # ---- memory ----

    def allocate(self, thread):
        r = self.random
        size, address = 512 * r.randint(1, 4000), 0x124000000000 + 512 * r.getrandbits(24)
        is_host = r.random() < 0.1
        for action in (0,) if is_host else (0, 1, 2)[:r.choice((1, 2, 3))]:
            time = self.spend()
            signed = size if action == 0 else -size
            self.allocated = max(self.allocated + signed, 0)
            self.put("torch.memory_usage", record(3, MEMORY.pack(
                address, self.raw(time), signed, self.allocated, 2 * self.allocated,
                0 if is_host else self.allocated, 0 if is_host else 77, 0 if is_host else 20,
                -1 if is_host else 3, 0, action, 0, thread, PID)))
            self.expect("memory_event", self.wall(time), self.wall(time), "", PID, thread, "",
                        address=address, size=signed, total_allocated=self.allocated,
                        total_reserved=2 * self.allocated,
                        total_active=0 if is_host else self.allocated, stream=0 if is_host else 77,
                        action=action, device=-1 if is_host else 3,
                        component="CPU" if is_host else "PTA")

    # ---- Python ----

    def hash_entry(self, key, value):
        self.put("torch.python_tracer_hash", record(4, struct.pack("<Q", key), text(1, value)))

    def python(self, n):
        """Adds n calls in the thread MAIN, two frames that were open before, and modules of two classes."""
        r = self.random
        keys = [r.getrandbits(63) for _ in range(40)]
        names = {}
        for i, key in enumerate(keys):
            names[key] = ("Linear######%d" % (1000 + i) if i % 5 == 1 else
                          "<built-in function f%d>" % i if i % 5 == 2 else
                          "train.py(%d): call_%d" % (i, i))
            if i != 7:  # this name is never written
                self.hash_entry(key, names[key])
        events, opened = [], [(10, keys[0]), (20, keys[3])]
        time, stack, numbers = 2000, [], {}
        for time0, key in opened:
            events.append((time0, key, 0))
        body = []
        for _ in range(n):
            time += 10 * r.randint(1, 90)
            if stack and (len(stack) > 30 or r.random() < 0.5):
                body.append((time, 1, 1 if stack.pop() else 3))
            else:
                key = r.choice(keys)
                stack.append(not names[key].startswith("<"))
                body.append((time, key, 0 if stack[-1] else 2))
        data = [CALL.pack(self.raw(at), MAIN, PID, key, tag) for at, key, tag in body + events]
        for i in range(0, len(data), 4096):
            self.put("torch.python_tracer_func", b"".join(data[i:i + 4096]))
        self.replay(events + body, names, keys[7], numbers)

    def replay(self, events, names, untold, numbers):
        frames, last = [], events[-1][0]

        def leave(frame, end):
            begin, index, parent, key = frame
            name, module = names[key], None
            if key == untold:
                name = str(key)
            elif "######" in name:
                module = numbers[key]
                name = "nn.Module: Linear_%d" % module
            self.expect("python_call", self.wall(begin), self.wall(end), "", PID, MAIN, name,
                        id=index, parent=parent, module=module)

        for index, (time, key, tag) in enumerate(events):
            if tag in (0, 2):
                if "######" in names[key] and key != untold:
                    numbers.setdefault(key, len(numbers))
                frames.append((time, index, frames[-1][1] if frames else 0, key))
            elif frames:
                leave(frames.pop(), time)
        while frames:
            leave(frames.pop(), last)

    # ---- the rest ----

    def collections(self, n):
        for _ in range(n):
            begin = self.spend()
            end = self.spend()
            self.put("torch.gc_record", struct.pack("<3Q", PID, self.raw(begin), self.raw(end)))
            self.expect("gc", self.wall(begin), self.wall(end), "Python GC", PID, PID, "GC")

    def parameters(self, n):
        start = self.wall(0)
        for key in range(1, n + 1):
            tensor = "0x%x;0x%x;float;4;64,64;64,1;20;3" % (4096 * key, 8192 * key)
            entries = ["weight)%s)%s" % (tensor, tensor), "bias)%s)" % tensor]
            self.put("torch.param_tensor_info", record(5, struct.pack("<Q", key),
                                                       text(1, "}".join(entries))))
            self.expect("ascend_raw.parameter", start, start, "", PID, 0, "weight", key=key,
                        role="module", tensor=tensor, gradient=tensor)
            self.expect("ascend_raw.parameter", start, start, "", PID, 0, "bias", key=key,
                        role="module", tensor=tensor)
        tensor = "0x1;0x2;float;4;2;1;20;3"
        self.put("torch.param_tensor_info", record(
            5, struct.pack("<Q", 0), text(2, "%s))momentum>%s]step>%s]}%s)%s)" % ((tensor,) * 5))))
        for role, name, gradient in (("optimizer", "", None), ("state", "momentum", None),
                                     ("state", "step", None), ("optimizer", "", tensor)):
            self.expect("ascend_raw.parameter", start, start, "", PID, 0, name, key=0, role=role,
                        tensor=tensor, gradient=gradient)

    def info(self):
        with open(os.path.join(self.top, "profiler_info_0.json"), "w", encoding="ascii") as file:
            file.write('{"config": {"common_config": {}, "experimental_config": {"_profiler_level":'
                       ' "Level1"}}, "start_info": {"syscnt_enable": true, "freq": 100,'
                       ' "start_cnt": %d, "start_monotonic": %d}, "end_info": {"collectionTimeEnd":'
                       ' %d, "MonotonicTimeEnd": %d}, "torch_npu_version": "2.7.1", "rank_id": "0"}'
                       % (START_COUNT, START_NS, OFFSET + 4699802061975030, 4699802061975030))

    def make(self, operators):
        number = 1
        while self.n < operators:
            self.step(number, 400, operators - 1)
            number += 1
        while self.late_marks:
            self.put("torch.op_mark", self.late_marks.pop(0))
        self.collections(max(operators // 50000, 2))
        self.parameters(max(min(operators // 100, 2000), 2))
        if self.has_python:
            self.python(2 * operators)
        self.info()
        for file in self.files.values():
            file.close()
        if self.truth:
            self.truth.close()


FIXED = {"torch.op_range": 58, "torch.op_mark": 40, "torch.memory_usage": 77,
         "torch.python_tracer_hash": 8, "torch.param_tensor_info": 8}
PLAIN = {"torch.python_tracer_func": 33, "torch.gc_record": 24}


def split(data):
    """Splits the bytes of a file into its TLV records."""
    out, at = [], 0
    while at < len(data):
        length = 6 + PREFIX.unpack_from(data, at)[1]
        out.append(data[at:at + length])
        at += length
    return out


def damage(path, mode, seed):
    """Damages a file in one of these modes. cut: the end is missing. text: a text is not UTF-8. short: a record is
    shorter than its fixed part. twice: a field occurs twice. flip: random bits are inverted. shuffle: the records
    are in another order."""
    name, r = os.path.basename(path), random.Random(seed)
    with open(path, "rb") as file:
        data = bytearray(file.read())
    plain = PLAIN.get(name)
    if mode == "cut":
        del data[r.randrange(len(data)):]
    elif mode == "flip":
        for _ in range(r.randint(1, 20)):
            data[r.randrange(len(data))] ^= 1 << r.randrange(8)
    elif plain:
        parts = [data[i:i + plain] for i in range(0, len(data), plain)]
        r.shuffle(parts)
        data = b"".join(parts)
    else:
        parts = split(bytes(data))
        fixed = 6 + FIXED[name]
        for _ in range(r.randint(1, 10)):
            at = r.randrange(len(parts))
            kind, length = PREFIX.unpack_from(parts[at])
            body = parts[at][6:]
            if mode == "short":
                body = body[:r.randrange(fixed - 6)]
            elif mode == "text" and len(body) > fixed:
                body = body[:-1] + b"\xff"
            elif mode == "twice":
                body += text(r.choice((1, 2, 3, 8)), "again") + text(30, "reserved")
            parts[at] = PREFIX.pack(kind, len(body)) + body
        if mode == "shuffle":
            r.shuffle(parts)
        data = b"".join(parts)
    with open(path, "wb") as file:
        file.write(data)


MODES = ("cut", "text", "short", "twice", "flip", "shuffle")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("operators", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--truth", help="write the expected records to this file")
    for flag in ("python", "stacks", "details"):
        parser.add_argument("--" + flag, action="store_true")
    parser.add_argument("--damage", choices=MODES, help="damage every file in this way")
    args = parser.parse_args()
    RawFiles(args.folder, args.seed, args.truth, args.python, args.stacks,
             args.details).make(args.operators)
    if args.damage:
        folder = os.path.join(args.folder, "FRAMEWORK")
        for name in sorted(os.listdir(folder)):
            damage(os.path.join(folder, name), args.damage, args.seed)


if __name__ == "__main__":
    main()
