# SPDX-License-Identifier: Apache-2.0
"""Traces of PyTorch's profiler: makes small ones, and compares two of them."""

import decimal
import gzip
import json

BASE = 1700000000000000000
#: Arrows that follow from ids of the events; Strobe makes them again.
DERIVED = ("ac2g", "fwdbwd")
#: Members that a writer stores about its own file.
OF_FILE = ("schemaVersion", "traceName", "displayTimeUnit", "baseTimeNanoseconds", "traceEvents")


def read(path):
    """Reads the object of a trace; numbers keep all their digits."""
    opened = gzip.open if str(path).endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as file:
        return json.load(file, parse_float=decimal.Decimal)


def _ns(trace, value):
    return round(decimal.Decimal(value) * 1000) + int(trace.get("baseTimeNanoseconds", 0))


def _plain(value):
    """A form of the value in which different spellings of JSON are equal."""
    if isinstance(value, dict):
        return tuple(sorted((key, _plain(each)) for key, each in value.items()))
    if isinstance(value, list):
        return tuple(_plain(each) for each in value)
    if isinstance(value, decimal.Decimal):
        return int(value) if value == int(value) else float(value)
    return value


def events(trace):
    """The events in a comparable form, without names and derived arrows."""
    found = []
    for event in trace["traceEvents"]:
        if event["ph"] == "M" or event.get("cat") in DERIVED:
            continue
        found.append((
            event["ph"], event.get("cat") or "", event["name"], str(event["pid"]),
            str(event["tid"]), _ns(trace, event["ts"]),
            round(decimal.Decimal(event.get("dur", 0)) * 1000), event.get("id"), event.get("s"),
            _plain(event.get("args", {})),
        ))
    return sorted(found, key=repr)


def whole(found):
    """The arrows that have both ends."""
    ends = {phase: {flow_event[1] for flow_event in found if flow_event[0] == phase} for phase in "sf"}
    return [flow_event for flow_event in found if flow_event[1] in ends["s"] & ends["f"]]


def flow_events(trace, category):
    return sorted(
        (event["ph"], event["id"], event["pid"], event["tid"], _ns(trace, event["ts"]))
        for event in trace["traceEvents"] if event.get("cat") == category
    )


def members(trace):
    return {key: _plain(value) for key, value in trace.items() if key not in OF_FILE}


def _span(category, name, ts, dur, args, pid=100, tid=100):
    return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur,
            "args": args}


def made():
    """A trace with one event of each type that Kineto has."""
    return {
        "schemaVersion": 1,
        "deviceProperties": [{"id": 0, "name": "A \"device\"", "numSms": 108}],
        "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8,
                            "pg_config": [{"rank": 9}]},
        "record_shapes": 1,
        "user": "a text; \u00e4",
        "traceEvents": [
            _span("user_annotation", "ProfilerStep#7", 10, 500.5, {"External id": 1, "Ev Idx": 0}),
            _span("cpu_op", "aten::mm", 20.125, 100, {
                "External id": 2, "Record function id": 1,
                "Concrete Inputs": ["", "[1, 2]"], "Input type": ["float", "Scalar"],
                "Input Strides": [[3, 1], []], "Input Dims": [[2, 3], []],
                "Sequence number": 5, "Fwd thread id": 0, "Ev Idx": 1}),
            _span("cpu_op", "aten::cat", 200, 10, {
                "External id": 3, "Input Dims": [[[2, 3], [4]], [], [7]],
                "Input type": ["TensorList", "Scalar", "long int"], "novel": {"a": [1, 2.5]}}),
            _span("cpu_op", "MmBackward0", 300, 20, {
                "External id": 4, "Sequence number": 5, "Fwd thread id": 1, "Ev Idx": 2}, tid=101),
            _span("python_function", "a.py(1): main", 11, 490, {
                "Python parent id": None, "Python id": 1, "Ev Idx": 3}),
            _span("python_function", "nn.Module: Linear_0", 15, 200, {
                "Python parent id": 1, "Python id": 2, "Python module id": 0, "Ev Idx": 4}),
            _span("cuda_runtime", "cudaLaunchKernel", 30, 5, {
                "External id": 2, "cbid": 211, "correlation": 50}),
            _span("kernel", "void gemm<float>(int)", 40, 30.001, {
                "External id": 2, "queued": 0, "device": 0, "context": 1, "stream": 7,
                "correlation": 50, "registers per thread": 32, "shared memory": 0,
                "blocks per SM": 0.5, "warps per SM": 2, "grid": [1, 2, 3], "block": [128, 1, 1],
                "est. achieved occupancy %": 31}, pid=0, tid=7),
            _span("kernel", "ncclKernel_AllReduce", 80, 9, {
                "External id": 2, "device": 0, "stream": 20, "correlation": 51,
                "Collective name": "allreduce", "In msg nelems": 10, "Group size": 8,
                "dtype": "Float", "Process Group Name": "default"}, pid=0, tid=20),
            _span("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 90, 2, {
                "External id": 2, "device": 0, "context": 1, "stream": 7, "correlation": 52,
                "bytes": 92928, "memory bandwidth (GB/s)": 7.744}, pid=0, tid=7),
            _span("gpu_user_annotation", "ProfilerStep#7", 40, 60, {"External id": 1}, pid=0, tid=7),
            _span("overhead", "Activity Buffer Request", 12, 1, {}, pid=-1, tid=0),
            _span("cuda_sync", "Stream Sync", 95, 1, {"stream": 7, "device": 0}, pid=0, tid=7),
            _span("Trace", "PyTorch Profiler (0)", 10, 510, {"Op count": 0}, pid="Spans",
                  tid="PyTorch Profiler"),
            {"ph": "s", "id": 50, "pid": 100, "tid": 100, "ts": 30, "cat": "ac2g", "name": "ac2g"},
            {"ph": "f", "id": 50, "pid": 0, "tid": 7, "ts": 40, "cat": "ac2g", "name": "ac2g",
             "bp": "e"},
            {"ph": "s", "id": 53, "pid": 100, "tid": 100, "ts": 94, "cat": "ac2g", "name": "ac2g"},
            {"ph": "f", "id": 53, "pid": 0, "tid": 7, "ts": 95, "cat": "ac2g", "name": "ac2g",
             "bp": "e"},
            {"ph": "s", "id": 1, "pid": 100, "tid": 100, "ts": 20.125, "cat": "fwdbwd",
             "name": "fwdbwd"},
            {"ph": "f", "id": 1, "pid": 100, "tid": 101, "ts": 300, "cat": "fwdbwd",
             "name": "fwdbwd", "bp": "e"},
            {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 100,
             "tid": 100, "ts": 25, "args": {
                 "Total Reserved": 4096, "Total Allocated": 512, "Bytes": -512, "Addr": 140000,
                 "Device Id": 0, "Device Type": 1, "Ev Idx": 5}},
            {"ph": "C", "cat": "sampled", "name": "GPU use", "pid": 100, "tid": 100, "ts": 26,
             "args": {"percent": 12.5}},
            {"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": 520},
            {"ph": "M", "name": "process_name", "pid": 100, "tid": 0, "ts": 1,
             "args": {"name": "python3"}},
            {"ph": "M", "name": "process_labels", "pid": 100, "tid": 0, "ts": 1,
             "args": {"labels": "CPU"}},
            {"ph": "M", "name": "thread_name", "pid": 100, "tid": 101, "ts": 1,
             "args": {"name": "thread 101 (autograd)"}},
        ],
        "traceName": "made.json",
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": BASE,
    }


# ---- a training: what the clients need for every view and analysis ----

def _launch(number, name, ts, dur, launched, stream, **more):
    """A call and the kernel that it launches."""
    call = _span("cuda_runtime", "cudaLaunchKernel", launched, 4, {
        "External id": number, "cbid": 211, "correlation": number}, tid=200)
    kernel = _span("kernel", name, ts, dur, {
        "External id": number, "queued": 0, "device": 0, "context": 1, "stream": stream,
        "correlation": number, "registers per thread": 32, "shared memory": 0,
        "blocks per SM": 0.5, "warps per SM": 2, "grid": [64, 1, 1], "block": [128, 1, 1],
        "est. achieved occupancy %": 31, **more}, pid=0, tid=stream)
    flow_events = [
        {"ph": "s", "id": number, "pid": 100, "tid": 200, "ts": launched, "cat": "ac2g",
         "name": "ac2g"},
        {"ph": "f", "id": number, "pid": 0, "tid": stream, "ts": ts, "cat": "ac2g", "name": "ac2g",
         "bp": "e"}]
    return [call, kernel] + flow_events


def _memory(ts, number, device, size, total):
    return {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 100,
            "tid": 200, "ts": ts, "args": {
                "Total Reserved": 1 << 22, "Total Allocated": total, "Bytes": size,
                "Addr": 0x700000 + number * 4096, "Device Id": 0 if device else -1,
                "Device Type": device, "Ev Idx": number}}


def _training_step(step):
    """Two products, one queued after the other, a reduction at the same time as the second one, and
    a copy."""
    number, at = 100 * step, 1000.125 * step
    shapes = {"Input Dims": [[64, 32], [32, 16]], "Input type": ["float", "float"]}
    module = {"Python parent id": None, "Python id": number, "Python module id": 0}
    inner = {"Python parent id": number, "Python id": number + 1, "Python module id": 1}
    events = [
        _span("user_annotation", "ProfilerStep#%d" % step, at, 900.5, {"External id": number},
              tid=200),
        _span("python_function", "nn.Module: Net_0", at + 5, 395, module, tid=200),
        _span("python_function", "nn.Module: Linear_0", at + 8, 200, inner, tid=200),
        _span("cpu_op", "aten::mm", at + 10, 40, {"External id": number + 1, **shapes}, tid=200),
        _span("cpu_op", "aten::addmm", at + 55, 40, {"External id": number + 2, **shapes},
              tid=200),
        _span("cpu_op", "nccl:all_reduce", at + 220, 60, {
            "External id": number + 3, "Input Dims": [[64, 16]], "Input type": ["float"]}, tid=200),
        _memory(at + 20, number, 0, 2048, 2048), _memory(at + 150, number, 0, -2048, 0),
        _memory(at + 21, number + 1, 1, 4096, 4096), _memory(at + 600, number + 1, 1, -4096, 0),
        _span("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", at + 700, 25, {
            "External id": number + 4, "device": 0, "context": 1, "stream": 7,
            "correlation": number + 4, "bytes": 4096, "memory bandwidth (GB/s)": 0.16},
              pid=0, tid=7),
        _span("cuda_runtime", "cudaMemcpyAsync", at + 400, 10, {
            "External id": number + 4, "cbid": 41, "correlation": number + 4}, tid=200),
    ]
    events += _launch(number + 1, "void gemm<float>(int)", at + 110, 150, at + 15, 7)
    events += _launch(number + 2, "void gemm<float>(int)", at + 262, 100.25 + step, at + 60, 7)
    events += _launch(number + 3, "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", at + 300,
                      150, at + 230, 20, **{"Collective name": "allreduce", "Group size": 2})
    return events


def training(rank=0):
    """Four steps on a device, of one of two ranks."""
    late = 7 * rank
    events = [event for step in range(1, 5) for event in _training_step(step)]
    for event in events:
        event["ts"] += late
    return {
        "schemaVersion": 1,
        "deviceProperties": [{
            "id": 0, "name": "A device", "totalGlobalMem": 1 << 34, "computeMajor": 8,
            "computeMinor": 0, "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048,
            "regsPerBlock": 65536, "warpSize": 32, "sharedMemPerBlock": 49152, "numSms": 108}],
        "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2},
        "record_shapes": 1, "profile_memory": 1, "with_modules": 1,
        "traceEvents": events + [
            {"ph": "M", "name": "process_name", "pid": 100, "tid": 0, "ts": 1,
             "args": {"name": "python3"}},
            {"ph": "M", "name": "process_labels", "pid": 100, "tid": 0, "ts": 1,
             "args": {"labels": "CPU"}}],
        "traceName": "training.json",
        "baseTimeNanoseconds": BASE,
    }
