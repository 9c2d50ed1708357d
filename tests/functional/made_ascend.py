# SPDX-License-Identifier: Apache-2.0
"""Makes small results of an Ascend host: one step with three operators, two kernels and a
collective operation, as a database and as text."""

import json
import sqlite3

OUTPUT = "ASCEND_PROFILER_OUTPUT"
NONE = 4294967295
BEGIN = 1736410576000000000  # ns
PID, MAIN, RUNNER = 77, 78, 79
FRAMEWORK, MEMORY = 1 << 28, 2 << 28  # the first ids of two groups of strings

# ---- database ----

TABLES = {
    "SESSION_TIME_INFO": "startTimeNs INTEGER,endTimeNs INTEGER",
    "NPU_INFO": "id INTEGER,name TEXT",
    "HOST_INFO": "hostUid TEXT,hostName TEXT",
    "RANK_DEVICE_MAP": "rankId INTEGER,deviceId INTEGER",
    "META_DATA": "name TEXT,value TEXT",
    "ENUM_API_TYPE": "id INTEGER PRIMARY KEY,name TEXT",
    "ENUM_MODULE": "id INTEGER PRIMARY KEY,name TEXT",
    "ENUM_HCCL_DATA_TYPE": "id INTEGER PRIMARY KEY,name TEXT",
    "ENUM_HCCL_LINK_TYPE": "id INTEGER PRIMARY KEY,name TEXT",
    "ENUM_HCCL_TRANSPORT_TYPE": "id INTEGER PRIMARY KEY,name TEXT",
    "ENUM_HCCL_RDMA_TYPE": "id INTEGER PRIMARY KEY,name TEXT",
    "ENUM_MSTX_EVENT_TYPE": "id INTEGER PRIMARY KEY,name TEXT",
    "STRING_IDS": "id INTEGER PRIMARY KEY,value TEXT",
    "TASK": "startNs INTEGER,endNs INTEGER,deviceId INTEGER,connectionId INTEGER,"
            "globalTaskId INTEGER,globalPid INTEGER,taskType INTEGER,contextId INTEGER,"
            "streamId INTEGER,taskId INTEGER,modelId INTEGER",
    "COMPUTE_TASK_INFO": "name INTEGER,globalTaskId INTEGER PRIMARY KEY,blockDim INTEGER,"
                         "mixBlockDim INTEGER,taskType INTEGER,opType INTEGER,"
                         "inputFormats INTEGER,inputDataTypes INTEGER,inputShapes INTEGER,"
                         "outputFormats INTEGER,outputDataTypes INTEGER,outputShapes INTEGER,"
                         "attrInfo INTEGER",
    "TASK_PMU_INFO": "globalTaskId INTEGER,name INTEGER,value NUMERIC",
    "COMMUNICATION_OP": "opName INTEGER,startNs INTEGER,endNs INTEGER,connectionId INTEGER,"
                        "groupName INTEGER,opId INTEGER PRIMARY KEY,relay INTEGER,retry INTEGER,"
                        "dataType INTEGER,algType INTEGER,count NUMERIC,opType INTEGER",
    "COMMUNICATION_TASK_INFO": "name INTEGER,globalTaskId INTEGER,taskType INTEGER,"
                               "planeId INTEGER,groupName INTEGER,notifyId INTEGER,"
                               "rdmaType INTEGER,srcRank INTEGER,dstRank INTEGER,"
                               "transportType INTEGER,size INTEGER,dataType INTEGER,"
                               "linkType INTEGER,opId INTEGER",
    "CANN_API": "startNs INTEGER,endNs INTEGER,type INTEGER,globalTid INTEGER,"
                "connectionId INTEGER PRIMARY KEY,name INTEGER",
    "NPU_MEM": "type INTEGER,ddr NUMERIC,hbm NUMERIC,timestampNs INTEGER,deviceId INTEGER",
    "NPU_MODULE_MEM": "moduleId INTEGER,timestampNs INTEGER,totalReserved NUMERIC,"
                      "deviceId INTEGER",
    "NPU_OP_MEM": "operatorName INTEGER,addr INTEGER,type INTEGER,size INTEGER,"
                  "timestampNs INTEGER,globalTid INTEGER,totalAllocate NUMERIC,"
                  "totalReserve NUMERIC,component INTEGER,deviceId INTEGER",
    "HBM": "deviceId INTEGER,timestampNs INTEGER,bandwidth NUMERIC,hbmId INTEGER,type INTEGER",
    "PYTORCH_API": "startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId INTEGER, "
                   "name INTEGER, sequenceNumber INTEGER, fwdThreadId INTEGER, "
                   "inputDtypes INTEGER, inputShapes INTEGER, callchainId INTEGER, type INTEGER",
    "CONNECTION_IDS": "id INTEGER, connectionId INTEGER",
    "PYTORCH_CALLCHAINS": "id INTEGER, stack INTEGER, stackDepth INTEGER",
    "STEP_TIME": "id INTEGER, startNs INTEGER, endNs INTEGER",
    "MEMORY_RECORD": "component INTEGER, timestamp INTEGER, totalAllocated INTEGER, "
                     "totalReserved INTEGER, totalActive INTEGER, streamPtr INTEGER, "
                     "deviceId INTEGER",
}


class Strings:
    """Ids of texts; each group counts from its own first id."""

    def __init__(self, first):
        self.first, self.texts = first, []

    def __call__(self, text):
        if text not in self.texts:
            self.texts.append(text)
        return self.first + self.texts.index(text)

    def rows(self):
        return [(self.first + place, text) for place, text in enumerate(self.texts)]


def global_tid(thread):
    return PID << 32 | thread


def device_rows(s):
    kernels = [  # begin, end, call, task, name
        (5001, 7262, 101, 0, s("KERNEL_AIVEC"), NONE, 2, 7, NONE),
        (8000, 9500, 102, 1, s("KERNEL_AICORE"), NONE, 2, 8, NONE),
        (12000, 12500, 103, 2, s("SDMA"), 0, 3, 9, NONE),
    ]
    shapes = [s(text) for text in ("ND", "FLOAT", '"2,3;3"', "ND", "FLOAT", '"2,3"', "N/A")]
    yield "TASK", [
        (BEGIN + begin, BEGIN + end, 0, call, task, PID, kind, context, stream, number, model)
        for begin, end, call, task, kind, context, stream, number, model in kernels
    ]
    yield "COMPUTE_TASK_INFO", [
        (s("Add"), 0, 2, 0, s("AI_VECTOR_CORE"), s("Add"), *shapes),
        (s("MatMul"), 1, 8, 0, s("AI_CORE"), s("MatMulV2"), *shapes),
    ]
    yield "TASK_PMU_INFO", [
        (task, s(name), value)
        for task in (0, 1)
        for name, value in (("aic_total_time", 1000.5 * task), ("aic_total_cycles", 1800 * task),
                            ("aiv_vec_ratio", 0.25))
    ]
    name, group = s("hcom_allReduce__586_0_1"), s("10.0.0.1%eth0_60000_0_1")
    yield "COMMUNICATION_OP", [
        (name, BEGIN + 12000, BEGIN + 13000, 103, group, 1, 0, 0, 4, s("MESH-RING"), 1024,
         s("hcom_allReduce_")),
    ]
    yield "COMMUNICATION_TASK_INFO", [
        (name, 2, s("Memcpy"), 1, group, 2**63 - 1, 65535, 0, 1, 0, 4096, 65535, 5, 1),
    ]
    yield "CANN_API", [
        (BEGIN + 2500, BEGIN + 2600, 10000, global_tid(RUNNER), 101, s("launch")),
        (BEGIN + 3500, BEGIN + 3700, 10000, global_tid(RUNNER), 102, s("launch")),
        (BEGIN + 3800, BEGIN + 3900, 10000, global_tid(RUNNER), 103, s("launch")),
        (BEGIN + 2450, BEGIN + 2700, 20000, global_tid(RUNNER), 104, s("aclnnAdd")),
    ]
    yield "NPU_MEM", [(s("app"), 0, 2212077568, BEGIN + 100, 0)]
    yield "NPU_MODULE_MEM", [(0, BEGIN + 200, 0, 0), (7, BEGIN + 200, 4096, 0)]
    yield "NPU_OP_MEM", [
        (s("MatMul"), 4096, s("allocate"), 512, BEGIN + 3550, global_tid(RUNNER), 512, 1024,
         s("GE"), 0),
        (s("MatMul"), 4096, s("release"), 512, BEGIN + 3650, global_tid(RUNNER), 0, 1024,
         s("GE"), 0),
    ]
    yield "HBM", [(0, BEGIN + 300, 5242880, 0, s("read")), (0, BEGIN + 300, 0, 0, s("write"))]


def framework_rows(s):
    chain = s("b.py(2): g"), s("a.py(1): f")
    operators = [  # begin, end, call, name, shapes, whether it has a stack
        (1000, 4500, None, "aten::linear", "2,3;\r\n3", 0),
        (1100, 2000, None, "aten::add", "2,3;\r\n3", None),
        (3000, 4000, None, "aten::mm", None, 0),
        (900, 20000, None, "ProfilerStep#5", None, None),
    ]
    queue = [
        (1200, 1300, MAIN, 0, "Enqueue"), (3100, 3200, MAIN, 1, "Enqueue"),
        (2400, 2800, RUNNER, 2, "Dequeue@add"), (3400, 3950, RUNNER, 3, "Dequeue@mm"),
    ]
    yield "PYTORCH_API", [
        (str(BEGIN + begin), str(BEGIN + end), global_tid(thread), link, s(name), None, None, None,
         None, None, 50002)
        for begin, end, thread, link, name in queue
    ] + [
        (str(BEGIN + begin), str(BEGIN + end), global_tid(MAIN), link, s(name), -1, 0,
         s("float;\r\nfloat") if shapes else None, s(shapes) if shapes else None, stack, 50001)
        for begin, end, link, name, shapes, stack in operators
    ]
    yield "CONNECTION_IDS", [(0, 8309), (1, 8310), (2, 8309), (3, 8310)]
    yield "PYTORCH_CALLCHAINS", [(0, frame, depth) for depth, frame in enumerate(chain)]
    yield "STEP_TIME", [(5, BEGIN + 900, BEGIN + 20000)]


def memory_rows(s):
    ge, pta, both = s("GE"), s("PTA"), s("PTA+GE")
    yield "MEMORY_RECORD", [
        (name, BEGIN + at, allocated, reserved, active, stream, 0)
        for at, rows in (
            (950, [(pta, 1024, 4096, 1024, 99)] * 2), (1150, [(pta, 3072, 4096, 3072, 99)] * 2),
            (3550, [(ge, 512, 1024, 0, None), (both, 3584, 5120, 3072, 99)]),
            (3650, [(ge, 0, 1024, 0, None), (both, 3072, 5120, 3072, 99)]),
            (4200, [(pta, 1024, 4096, 1024, 99), (both, 1024, 5120, 1024, 99)]),
            (4201, [(pta, 1024, 4096, 1024, 99), (both, 1024, 5120, 1024, 99)]),
        )
        for place, (name, allocated, reserved, active, stream) in enumerate(
            [(both if place and row[0] == pta and rows[0] == rows[1] else row[0], *row[1:])
             for place, row in enumerate(rows)]
        )
    ]


ENUMS = {
    "ENUM_API_TYPE": [(10000, "node"), (20000, "acl"), (50001, "op"), (50002, "queue")],
    "ENUM_MODULE": [(0, "SLOG"), (7, "RUNTIME")],
    "ENUM_HCCL_DATA_TYPE": [(4, "FP32"), (65535, "INVALID_TYPE")],
    "ENUM_HCCL_LINK_TYPE": [(0, "ON_CHIP"), (5, "HCCS_SW"), (65535, "INVALID_TYPE")],
    "ENUM_HCCL_TRANSPORT_TYPE": [(0, "SDMA"), (65535, "INVALID_TYPE")],
    "ENUM_HCCL_RDMA_TYPE": [(65535, "INVALID_TYPE")],
    "SESSION_TIME_INFO": [(BEGIN, BEGIN + 30000)],
    "NPU_INFO": [(0, "Ascend910B")],
    "HOST_INFO": [("3538958389648580163", "ubuntu")],
    "RANK_DEVICE_MAP": [(0, 0)],
    "META_DATA": [("SCHEMA_VERSION", "1.0.0"), ("SCHEMA_VERSION_MAJOR", "1"),
                  ("SCHEMA_VERSION_MINOR", "0"), ("SCHEMA_VERSION_MICRO", "0")],
}


def make_database(folder):
    """Makes a result directory with the database in `folder`; returns the directory."""
    path = folder / "made_db" / OUTPUT / "ascend_pytorch_profiler_0.db"
    path.parent.mkdir(parents=True)
    groups = [(Strings(0), device_rows), (Strings(FRAMEWORK), framework_rows),
              (Strings(MEMORY), memory_rows)]
    rows = dict(ENUMS)
    for strings, make in groups:
        rows.update(make(strings))
    rows["STRING_IDS"] = [row for strings, _ in groups for row in strings.rows()]
    database = sqlite3.connect(path)
    for name, columns in TABLES.items():
        database.execute("CREATE TABLE %s (%s)" % (name, columns))
        for row in rows.get(name, ()):
            database.execute("INSERT INTO %s VALUES(%s)" % (name, ",".join("?" * len(row))), row)
    database.commit()
    database.close()
    return path.parent.parent


# ---- text ----

CANN, HARDWARE = PID << 10 | 7 << 5, PID << 10 | 13 << 5


def us(ns):
    return "%d.%03d" % divmod(BEGIN + ns, 1000)


def span(name, pid, tid, begin, end, args, **more):
    return {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": us(begin),
            "dur": (end - begin) / 1000, **more, "args": args}


def named(what, pid, key, value, tid=0):
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {key: value}}


def framework_events():
    frames = "b.py(2): g;\r\na.py(1): f"
    shapes = {"Input Dims": "2,3;\r\n3", "Input type": "float;\r\nfloat"}
    for name, begin, end, args in (
        ("ProfilerStep#5", 900, 20000, {}),
        ("aten::linear", 1000, 4500, {**shapes, "Call stack": frames}),
        ("aten::add", 1100, 2000, shapes), ("aten::mm", 3000, 4000, {"Call stack": frames}),
    ):
        base = {"Sequence number": -1, "Fwd thread id": 0}
        yield span(name, PID, MAIN, begin, end, {**base, **args}, cat="cpu_op")
    for number, enqueued, dequeued, word in ((9, 1200, 2400, "add"), (10, 3100, 3400, "mm")):
        for phase, tid, at in (("s", MAIN, enqueued), ("f", RUNNER, dequeued)):
            name = "Enqueue" if phase == "s" else "Dequeue@" + word
            yield span(name, PID, tid, at, at + (100 if phase == "s" else 550),
                       {"correlation_id": number}, cat="enqueue" if phase == "s" else "dequeue")
            yield {"ph": phase, "bp": "e", "name": "enqueue_to_dequeue", "id": number, "pid": PID,
                   "tid": tid, "ts": us(at), "cat": "async_task_queue"}
    yield named("process_name", PID, "name", "Python")
    yield named("process_labels", PID, "labels", "CPU")
    yield named("process_sort_index", PID, "sort_index", 0)


def device_events():
    for pid, name, label, index in ((CANN, "CANN", "CPU", 7),
                                    (HARDWARE, "Ascend Hardware", "NPU", 13)):
        yield named("process_name", pid, "name", name)
        yield named("process_labels", pid, "labels", label)
        yield named("process_sort_index", pid, "sort_index", index)
    for call, kernel in (((101, 2500, 2600, "Add"), ("Add", 7, 5001, 7262, "AI_VECTOR_CORE")),
                         ((102, 3500, 3700, "MatMul"), ("MatMul", 8, 8000, 9500, "AI_CORE"))):
        flow = str(call[0] << 32)
        yield span("Node@launch", CANN, RUNNER, call[1], call[2], {
            "Thread Id": RUNNER, "Mode": "launch", "level": "node", "id": "0", "item_id": call[3],
            "connection_id": call[0]})
        yield {"name": "HostToDevice" + flow, "ph": "s", "cat": "HostToDevice", "id": flow,
               "pid": CANN, "tid": RUNNER, "ts": us(call[1])}
        yield span(kernel[0], HARDWARE, 2, kernel[2], kernel[3], {
            "Model Id": NONE, "Task Type": kernel[4], "Physic Stream Id": 2, "Task Id": kernel[1],
            "Batch Id": 0, "Subtask Id": NONE, "connection_id": call[0]})
        yield {"name": "HostToDevice" + flow, "ph": "f", "id": flow, "ts": us(kernel[2]),
               "cat": "HostToDevice", "pid": HARDWARE, "tid": 2, "bp": "e"}


KERNELS = (
    "Step Id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),"
    "Duration(us),Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,"
    "Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID,"
    "aicore_time(us),aic_total_cycles\r\n"
    '5,4294967295,7,2,Add,Add,dynamic,AI_VECTOR_CORE,%s\t,2.261,0,2,0,NO,"""2,3;3""",FLOAT;FLOAT,'
    'ND;ND,"""2,3""",FLOAT,ND,N/A,0.0,0\r\n'
    '5,4294967295,8,2,MatMul,MatMulV2,static,AI_CORE,%s\t,1.5,0.738,8,0,NO,"""2,3;3""",'
    'FLOAT;FLOAT,ND;ND,"""2,3""",FLOAT,ND,N/A,1.0,1800\r\n'
) % (us(5001), us(8000))

MODULES = "Component,Timestamp(us),Total Reserved(MB),Device\r\nSLOG,%s\t,0.0,NPU:0\r\n" \
    "RUNTIME,%s\t,0.00390625,NPU:0\r\n" % (us(200), us(200))

RECORDS = (
    "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Stream Ptr,"
    "Device Type\r\n" + "".join(
        "%s,%s\t,%s,%s,%s,99,NPU:0\r\n" % (name, us(at), mb, 4.0, mb)
        for at, mb in ((950, 1.0), (1150, 3.0), (4200, 1.0), (4201, 1.0))
        for name in ("PTA", "PTA+GE")))

BLOCKS = (
    "Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),"
    "Active Duration(us),Allocation Total Allocated(MB),Allocation Total Reserved(MB),"
    "Allocation Total Active(MB),Release Total Allocated(MB),Release Total Reserved(MB),"
    "Release Total Active(MB),Stream Ptr,Device Type\r\n"
    "aten::add,2048.0,%s\t,%s\t,%s\t,3.051\t,3.050\t,3.0,4.0,3.0,1.0,4.0,1.0,99,NPU:0\r\n"
) % (us(1150), us(4201), us(4200))


def make_text(folder):
    """Makes a result directory with text files in `folder`; returns the directory."""
    output = folder / "made_text" / OUTPUT
    output.mkdir(parents=True)
    events = [*framework_events(), *device_events()]
    (output / "trace_view.json").write_text(json.dumps(events), encoding="utf-8")
    for name, text in (("kernel_details.csv", KERNELS), ("npu_module_mem.csv", MODULES),
                       ("memory_record.csv", RECORDS), ("operator_memory.csv", BLOCKS)):
        (output / name).write_bytes(text.encode())
    return output.parent
