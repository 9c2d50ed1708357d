# SPDX-License-Identifier: Apache-2.0
"""Makes JOB directories of a camera board: the two worked examples of docs/board.md, and others."""

import json
import struct

from made_capture import BOOL, REALTIME, STRING, U32, U64, padded, text
from capture_format import (  # found by made_capture
    METADATA, HAS_TRACK, HEADER, KINDS, PAIR, RECORDS, SEAL, SEAL_STRUCT, STRINGS, TRACK, TRACKS, crc32c,
)

SPAN, INSTANT, COUNTER = 1, 2, 3
THREAD, STREAM = 1, 2
I32, F64, LINK = 3, 6, 11
ABSENT_U32, ABSENT_U64 = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF
SIZES = {BOOL: 1, U32: 4, I32: 4, STRING: 4, U64: 8, F64: 8, LINK: 8}
METRICS = ("cycles;mac_busy;mac_ppen;vec_busy;vec_ppen;dstr;dtrans;dld;wld;ddr_read_bytes;"
           "ddr_write_bytes;icache_req;icache_miss")
JOB = "JOBABCDEFGHIJKLMNOPQRSTUVWXYZABC"

TASK_TEXTS = ("op_state", "hf32", "input_shapes", "input_types", "input_formats", "output_shapes",
              "output_types", "output_formats", "attributes", "grid_dim", "block_dim")
DECLARED = {
    "api_call": (SPAN, [
        ("level", STRING), ("mode", STRING), ("item", STRING), ("connection", LINK),
        ("exact_us", F64), ("svp.device", U32), ("svp.model", U32), ("svp.status", I32)]),
    "device_task": (SPAN, [
        ("task", LINK), ("connection", LINK), ("batch", U32), ("task_id", U32), ("stream", U32),
        ("context", U32), ("model", U32), ("block_num", U32), ("mix_block_num", U32),
        ("task_type", STRING), ("host_type", STRING), ("core", STRING), ("op_type", STRING)]
        + [(name, STRING) for name in TASK_TEXTS]
        + [("copy_bytes", U64), ("copy_direction", STRING), ("copy_bandwidth", F64),
           ("is_kernel", BOOL), ("exact_us", F64)]),
    "device_pmu": (SPAN, [("task", LINK), ("metrics", STRING), ("frequency", U32)]
                   + [("value_%02d" % number, F64) for number in range(48)]),
    "svp.capture": (SPAN, [
        ("id", LINK), ("current_pic", U64), ("device", U32), ("model", U32), ("number", U32),
        ("batch", U32), ("pics", U32), ("tasks", U32), ("is_first", BOOL)]),
    "svp.layer": (INSTANT, [
        ("task", LINK), ("layer_id", U32), ("ori_name", STRING), ("fused", STRING)]),
    "svp.frequency": (COUNTER, [("frequency", F64), ("device", U32), ("core", U32)]),
}
IDS = {name: number for number, name in enumerate(DECLARED, 1)}
ABSENT = {U32: ABSENT_U32, U64: ABSENT_U64, LINK: ABSENT_U64, F64: float("nan"), I32: -(1 << 31)}
FORMS = {BOOL: "B", U32: "I", I32: "i", STRING: "I", U64: "Q", F64: "d", LINK: "Q"}

# The layers of the worked example: original name, name, type, unit, us, counters.
LAYERS = (
    ("conv1", "conv1", "Convolution", "AA_CORE", 400,
     (400000, 320000, 260000, 20000, 12000, 40000, 8000, 96000, 60000, 1048576, 524288, 2000, 65)),
    ("pool1", "pool1", "Pooling", "AA_CORE", 200,
     (200000, 0, 0, 180000, 120000, 140000, 2000, 90000, 0, 409600, 102400, 1000, 35)),
    ("detect", "detect", "DetectionOutput", "AA_CPU", 300, None),
    ("conv2;relu2", "conv2+relu2", "Convolution", "AA_CORE", 100,
     (100000, 50000, 40000, 10000, 0, 5000, 1000, 60000, 20000, 204800, 51200, 1000, 30)),
)
# name, mode, model, begin and duration in ns
CALLS = (
    ("svp_acl_rt_malloc", "runtime", None, 1000000000, 10000),
    ("svp_acl_rt_malloc", "runtime", None, 1000020000, 20000),
    ("svp_acl_rt_malloc", "runtime", None, 1000050000, 30000),
    ("svp_acl_mdl_load_from_mem", "model", 1, 1001000000, 30000000),
    ("svp_acl_mdl_execute", "model", 1, 1040000000, 23299000),
    ("svp_acl_mdl_execute", "model", 1, 1070000000, 14190000),
)


class DataFile:
    """One data file of a JOB, which is a capture. Its times are the board's CLOCK_MONOTONIC in
    ns."""

    def __init__(self):
        self.tracks, self.strings, self.records = [], [], []

    def track(self, kind, number, device=-1, pid=4242):
        place = (kind, REALTIME, device, pid, number, 0, 0)
        if place not in self.tracks:
            self.tracks.append(place)
        return 1 + self.tracks.index(place)

    def string(self, value):
        if not value:
            return 0
        if value not in self.strings:
            self.strings.append(value)
        return 2 + self.strings.index(value)

    def pack(self, kind, values):
        data = b""
        for name, form in DECLARED[kind][1]:
            data = padded(data, SIZES[form])
            value = values.get(name, ABSENT.get(form, 0))
            value = self.string(value) if form == STRING else value
            data += struct.pack("<" + FORMS[form], value)
        return padded(data, 8)

    def add(self, kind, track, name, begin, end=None, **values):
        values = {key.replace("svp_", "svp."): value for key, value in values.items()}
        fields = self.pack(kind, values)
        has_end = DECLARED[kind][0] == SPAN
        times = struct.pack("<QQ", begin, end) if has_end else struct.pack("<Q", begin)
        words = 1 + len(times) // 8 + 1 + len(fields) // 8
        head = words | HAS_TRACK | IDS[kind] << 16 | self.string(name) << 32
        self.records.append(struct.pack("<Q", head) + times + struct.pack("<Q", track) + fields)

    def call(self, name, mode, model, begin, duration, tid=4242, device=0, status=0):
        self.add("api_call", self.track(THREAD, tid), name, begin, begin + duration, level="acl",
                 mode=mode, item="" if model is None else self.model,
                 svp_device=device, svp_model=ABSENT_U32 if model is None else model,
                 svp_status=status)

    # ---- the file ----

    @staticmethod
    def block(kind, payload):
        parts = (b"StrobeB1", 0, crc32c(payload), kind, len(payload), 1, 0xFFFFFFFF, 0, 0, 0, 0)
        pair = PAIR.pack(0, 0, 0, 0, 1, 0, 0)
        parts = parts[:1] + (crc32c(HEADER.pack(*parts) + pair),) + parts[2:]
        return HEADER.pack(*parts) + pair + payload

    @staticmethod
    def kinds():
        payload = b""
        for name, (shape, fields) in DECLARED.items():
            texts = text(name) + text("")
            for field, form in fields:
                texts += bytes([form]) + text(field) + text("") + text("")
            size = len(padded(bytes(16) + texts, 8))
            payload += padded(struct.pack("<IIII", size, IDS[name], shape, len(fields)) + texts, 8)
        return payload

    def write(self, path, sealed=True):
        metadata = json.dumps({"pid": 4242, "host": "board", "command": "main"}).encode()
        strings = struct.pack("<II", 1, 0)
        for number, value in enumerate(self.strings, 2):
            data = value.encode()
            strings += padded(struct.pack("<II", number, len(data)) + data, 4)
        tracks = b"".join(TRACK.pack(number, *place) for number, place in enumerate(self.tracks, 1))
        data = b"".join(self.block(*block) for block in (
            (METADATA, metadata), (KINDS, self.kinds()), (STRINGS, strings), (TRACKS, tracks)))
        # one record in each block, so that a torn file loses single records
        for record in self.records:
            data += self.block(RECORDS, record)
        if sealed:
            data += self.block(SEAL, SEAL_STRUCT.pack(0, 1 << 60, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        path.write_bytes(data)
        return path


def core_file(model, number, begin, current_pic=0, batch=1, layers=LAYERS, model_id=1, device=0):
    """Makes the data file of a captured inference."""
    file = DataFile()
    file.model = model
    track = file.track(STREAM, 0, device)
    capture = (model_id << 12) + number
    total = sum(layer[4] for layer in layers) * 1000
    file.add("svp.capture", track, model, begin, begin + total, id=capture, current_pic=current_pic,
             device=device, model=model_id, number=number, batch=batch, pics=1, tasks=len(layers),
             is_first=number == 1)
    at = begin
    for index, (ori_name, name, kind, core, us, counters) in enumerate(layers):
        task, end = capture << 20 | index, at + us * 1000
        file.add("device_task", track, name, at, end, task=task, connection=capture, task_id=index,
                 stream=0, model=model_id, core=core, op_type=kind, is_kernel=1)
        file.add("svp.layer", track, name, at, task=task, layer_id=index, ori_name=ori_name,
                 fused=ori_name if ";" in ori_name else "")
        if counters:
            values = {"value_%02d" % place: float(value) for place, value in enumerate(counters)}
            file.add("device_pmu", track, None, at, end, task=task, metrics=METRICS, **values)
        at = end
    return file


def calls_file(model="resnet50", calls=CALLS, **options):
    file = DataFile()
    file.model = model
    for call in calls:
        file.call(*call, **options)
    return file


def info(device=0, **more):
    return {"format": "SVPR", "version": {"major": 1, "minor": 0},
            "producer": {"name": "made", "version": "1"}, "job": JOB, "state": "complete",
            "mode": "acl_json", "device_id": device, "soc": "", "pid": 4242, "process": "main",
            "hostname": "board", "clock": {"id": "monotonic", "resolution_ns": 1},
            "sync": [{"mono_ns": 1000000000, "real_ns": 172801000000000}],  # 1970-01-03
            "config": {}, "models": [], "frequency_mhz": 1000,
            "counters": {"records": 0, "bytes": 0, "lost_records": 0, "lost_captures": 0}, **more}


def make_job(parent, device=0, name=JOB, **more):
    """Makes an empty JOB."""
    job = parent / name
    (job / "data").mkdir(parents=True)
    write_info(job, device, **more)
    return job


def write_info(job, device=0, **more):
    (job / ("info.json.%d" % device)).write_text(json.dumps(info(device, **more)))


def make_example(parent, name=JOB, slow=True):
    """Makes the first worked example: one captured inference, calls, a clock."""
    job = make_job(parent, name=name)
    core_file("resnet50", 1, 1041000000).write(job / "data" / "AAcore.0.resnet50.1.1.1.0")
    calls_file().write(job / "data" / "AclModule.0.resnet50.1")
    clock = DataFile()
    clock.add("svp.frequency", clock.track(STREAM, 0, 0), None, 1000000000, frequency=1000.0,
              device=0, core=0)
    clock.write(job / "data" / "Freq.0")
    return job


def make_captures(parent, name=JOB):
    """Makes the second worked example: ten executions with 100 pictures each, every second one
    captured, the last one torn."""
    job = make_job(parent, name=name, models=[
        {"name": "a.b-c.1", "model_id": 1, "batch_num": 100, "input_pic_num": 1}])
    for number in range(1, 6):
        current = (number - 1) * 200
        path = job / "data" / ("AAcore.0.a.b-c.1.1.100.1.%d" % current)
        core_file("a.b-c.1", number, number * 100000000, current, 100).write(path)
    torn = path.read_bytes()
    path.write_bytes(torn[:-1000])  # cuts off the seal and the counters of the last task
    calls = [("svp_acl_mdl_execute", "model", 1, 95000000 + 50000000 * number, 20000000)
             for number in range(10)]
    calls_file("a.b-c.1", calls).write(job / "data" / "AclModule.0.a.b-c.1.1")
    return job
