# SPDX-License-Identifier: Apache-2.0
"""make_corpus.py RECORD_SEED PLUGIN_PATH COMPRESS OUT: writes a small seed corpus, OUT/TARGET/NAME,
for every fuzz target. COMPRESS lists how blocks of captures can be stored: none, or none,zstd. The
captures are real ones of the collector fake."""

import gzip
import json
import os
import pathlib
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from raw_files import RawFiles  # noqa: E402

# Options of fake; each one causes another part of a capture.
CAPTURES = {
    "plain": {"records": 20, "threads": 0},
    "all-kinds": {"records": 60, "threads": 0, "kind": "all"},
    "hostile-names": {"records": 30, "threads": 2, "names": "hostile"},
    "device": {"records": 20, "threads": 1, "track": True, "clock": "realtime"},
    "losses": {"records": 20, "threads": 1, "loss": 5, "late": 4, "unfinished": 6},
    "nothing": {"records": 1, "threads": 0},
}

CONFIGS = {
    "empty": "{}",
    "full": json.dumps({
        "schedule": {"wait": 1, "warmup": 1, "active": 3, "repeat": 1, "skip_first": 0},
        "collectors": {"cpu_op": {"shapes": True, "required": True}, "gc": {"threshold": "1ms"}},
        "exporters": {"chrome_trace": {}, "csv": {}},
        "output": {"directory": "./out", "worker": "name", "report": "/tmp/report"},
        "buffer": {"size": "64MB", "flush_interval": "1s"},
        "metadata": {"key": ["any", 1, 2.5, None, {"deep": {}}]},
        "front_end": {"common_config": {"a": True}},
    }),
    "ascend": json.dumps({
        "activities": ["CPU", "NPU"], "prof_dir": "./", "analyse": True, "async_mode": 1,
        "record_shapes": True, "profile_memory": False, "with_stack": None, "active": 1,
        "warmup": 0, "start_step": -1, "is_rank": True, "rank_list": [0, 1, "x"],
        "metadata": {"k": 1},
        "experimental_config": {
            "profiler_level": "Level1", "aic_metrics": "PipeUtilization", "l2_cache": False,
            "op_attr": True, "gc_detect_threshold": 1.5, "data_simplification": None,
            "export_type": ["text", "db"], "host_sys": ["cpu", "numa"], "mstx": True,
            "mstx_domain_include": ["a", "a"], "mstx_domain_exclude": ["b+c"], "sys_io": True,
        },
    }),
    "acl": json.dumps({"profiler": {
        "switch": "on", "output": "o", "aic_metrics": "Memory", "l2": "on", "task_time": "l0",
        "sys_io_sampling_freq": 50, "host_sys": "cpu,mem", "storage_limit": "200MB",
    }, "dump": {}}),
    "wrong-types": '{"schedule": [], "collectors": {"gc": 1}, "buffer": {"size": -1}}',
    "duplicate-key": '{"output": {}, "output": {}}',
    "deep": '{"metadata": %s1%s}' % ("[" * 70, "]" * 70),
    "escapes": r'{"metadata": {"\u0000\ud83d\ude00\"": "\ud800 \n\\"}}',
    "numbers": '{"schedule": {"active": 1e3, "wait": 9223372036854775808}}',
    "unknown-key": '{"colectors": {}}',
    "comment": '{/* no */ "metadata": {}}',
}

OPTIONS = [
    "gc:threshold=1ms",
    "fake:records=10,kind=all,names=hostile",
    "a:text=with\\,comma,list=one+two,list=three",
    "a:flag=yes,count=-5,factor=1e300,size=3GB,path=/tmp",
    "wait=1,warmup=1,active=3,repeat=1,skip_first=0",
    "active=9223372036854775807",
    "64MB", "1.5GB", "500ms", "2min", "99999999999999999999s", "-1B", "nan", "0x10",
    ":", "=", "a:", "a:=", "a:b", "a:b=", ",", "\\", "a:b=c\\",
]

HOSTILE = [
    b"plain", b'say "hello"\\', b"line\nbreak\r\t", b"nul\0inside", b"\x01\x1b\x7f",
    b"\x80\xbf", b"cut \xe2\x82", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xff\xfe",
    "\u4f60 \U0001f600 \u2028 \u202e".encode(), b"</script>", b"x" * 250,
]


def write(folder, name, data):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def record(program, plugin_path, folder, options, compress, *more):
    """Records a capture of the collector fake. Returns its path."""
    environment = dict(os.environ, STROBE_PLUGIN_PATH=plugin_path, ASAN_OPTIONS="detect_leaks=0")
    done = subprocess.run([program, folder, json.dumps({"fake": options}), compress, *more], env=environment,
                          check=True, stdout=subprocess.PIPE, text=True)
    return pathlib.Path(done.stdout.strip())


def captures(program, plugin_path, compressions, out):
    for name, options in CAPTURES.items():
        for compress in compressions:
            with tempfile.TemporaryDirectory(prefix="strobe-seed-") as folder:
                path = record(program, plugin_path, folder, options, compress)
                write(out / "reader", name if compress == "none" else "compressed-" + name, path.read_bytes())
    with tempfile.TemporaryDirectory(prefix="strobe-seed-") as folder:
        path = record(program, plugin_path, folder, {"records": 20, "threads": 0}, "none", "killed")
        write(out / "reader", "recovered", path.read_bytes())
        write(out / "reader", "open", (pathlib.Path(folder) / "open.strobe").read_bytes())


def pairs_moved(capture, move):
    """The capture with other clock pairs; the fuzz target corrects the checksums."""
    data, at, index = bytearray(capture), 0, 0
    while at + 104 <= len(data):
        (length,) = struct.unpack_from("<I", data, at + 20)
        pair = list(struct.unpack_from("<Q3qd2I", data, at + 56))
        struct.pack_into("<Q3qd2I", data, at + 56, *move(index, pair))
        at, index = at + 104 + length, index + 1
    return bytes(data)


def clock_captures(out):
    plain = (out / "reader" / "plain").read_bytes()
    second = 1000000000

    def later(index, pair):  # puts the blocks of a short capture a second apart
        times = [ns + index * second for ns in pair[1:4]]
        return [pair[0] + index * 2600000000, *times, *pair[4:]]

    def reset(index, pair):
        moved = later(index, pair)
        return [moved[0] if index < 3 else index * 1000, *moved[1:]]

    def jump(index, pair):
        moved = later(index, pair)
        return [moved[0] + (10**12 if index > 3 else 0), *moved[1:]]

    for move in (later, reset, jump):
        write(out / "reader", "clock-" + move.__name__, pairs_moved(plain, move))


def clock_scripts(out):
    """Scripts of steps for fuzz-clock-map.c."""
    pair = [struct.pack("<BIHB", 0, 1000000000 + i, 100 + i % 7, i) for i in range(40)]
    close = [struct.pack("<BIHB", 0, 20000000 + i, 100, i) for i in range(60)]
    half = len(pair) // 2
    for name, happening in {
        "steady": b"",
        "jump": struct.pack("<BQ", 1, 10**12),
        "small-jump": struct.pack("<BQ", 1, 10**7),
        "back": struct.pack("<Bq", 1, -(10**9)),
        "reset": struct.pack("<BQ", 2, 0),
        "suspend": struct.pack("<BQ", 1, 10**13) + b"\3" + struct.pack("<Q", 10**12)[:5],
        "raw": struct.pack("<BQ3qd2I", 4, 1 << 63, -1, 1 << 62, 5, 1e-300, 1 << 31, 0),
        "disturbed": struct.pack("<BIHB", 0, 1000000000, 65535, 255) * 3,
    }.items():
        write(out / "clock-map", name, b"".join(pair[:half]) + happening + b"".join(pair[half:]))
        write(out / "clock-map", name + "-close", b"".join(close) + happening + b"".join(close))


def text(data):
    """A text in a script for the JSON writer."""
    return bytes([min(len(data), 254)]) + data[:254]


def json_scripts(out):
    flat = b"".join(b"\0" + text(name) for name in HOSTILE)
    keyed = b"".join(text(name) + b"\0" + text(name) for name in HOSTILE)
    numbers = b"".join(
        bytes([call]) + value
        for call in (3, 4, 5, 6)
        for value in (bytes(8), b"\xff" * 8, struct.pack("<d", 0.1), struct.pack("<d", 1e300),
                      struct.pack("<d", float("nan")), struct.pack("<q", -1 << 63))
    )
    for flags in range(8):
        write(out / "json-writer", "texts-%d" % flags, bytes([flags]) + flat)
    nested = b"\x07".join([b"\0\x08"] * 12)
    for name, script in {
        "keys": b"\0\x07" + keyed,
        "numbers": b"\0" + numbers,
        "nested": b"\2" + nested + flat + b"\x09" * 30,
        "parts": b"\0" + b"\2" + text(b"a\xe2") + text(b"\x82\xac") + text(b'"'),
        "long": b"\0\0\xff" + b"\xff\"\n" * 9000,
    }.items():
        write(out / "json-writer", name, script)


def change(at, data):
    return struct.pack("<IB", at, len(data)) + data


def recover_scripts(out):
    """Scripts of changes to a pool; see fuzz-recover.c."""
    write(out / "recover", "sound", b"")
    write(out / "recover", "header", b"".join(
        change(8 + 4 * i, struct.pack("<I", 0xFFFFFFFF >> i)) for i in range(30)))
    for at in range(0, 224, 8):
        write(out / "recover", "header-%03d" % at, change(at, b"\xff" * 8))
        write(out / "recover", "small-%03d" % at, change(at, struct.pack("<Q", 65)))
        write(out / "recover", "moved-%03d" % at, change(at, struct.pack("<Q", 16392)))
    for at in range(8640, 8640 + 10496 * 3, 1024):
        write(out / "recover", "thread-buffer-%05d" % at, change(at, bytes(range(64))))
    block = struct.pack("<8s6IQ2IQ3qd2I", b"StrobeB1", 0, 0, 5, 40, 1, 0, 1, 0, 1,
                        400, 400, 400, 400, 0, 0, 0)
    write(out / "recover", "capture",
          change(0xFFFFFFFF, block + struct.pack("<5Q", 2 << 32 | 4 << 16 | 5, 1, 2, 3, 0)))
    write(out / "recover", "torn", change(0xFFFFFFFF, b"StrobeB1torn"))


# Tables of a database, each with a row that refers to STRING_IDS.
DATABASE = """
CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY,value TEXT);
INSERT INTO STRING_IDS VALUES(0,'mm'),(1,'aten::mm'),(2,'N/A'),(3,'2,3;'),(4,'GE'),(5,'PTA');
CREATE TABLE ENUM_API_TYPE (id INTEGER PRIMARY KEY,name TEXT);
INSERT INTO ENUM_API_TYPE VALUES(10000,'node');
CREATE TABLE META_DATA (name TEXT,value TEXT);
INSERT INTO META_DATA VALUES('SCHEMA_VERSION','1.0.0'),('ENV_VARIABLES','{}');
CREATE TABLE SESSION_TIME_INFO (startTimeNs INTEGER,endTimeNs INTEGER);
INSERT INTO SESSION_TIME_INFO VALUES(900,5000);
CREATE TABLE NPU_INFO (id INTEGER,name TEXT);
INSERT INTO NPU_INFO VALUES(0,'Ascend910B');
CREATE TABLE RANK_DEVICE_MAP (rankId INTEGER, deviceId INTEGER);
INSERT INTO RANK_DEVICE_MAP VALUES(0,0);
CREATE TABLE TASK (startNs INTEGER,endNs INTEGER,deviceId INTEGER,connectionId INTEGER,
 globalTaskId INTEGER,globalPid INTEGER,taskType INTEGER,contextId INTEGER,streamId INTEGER,
 taskId INTEGER,modelId INTEGER);
INSERT INTO TASK VALUES(1000,1010,0,40,0,7,0,4294967295,2,11,4294967295);
INSERT INTO TASK VALUES(1020,1030,0,41,1,7,0,1,2,12,4294967295);
CREATE TABLE COMPUTE_TASK_INFO (name INTEGER,globalTaskId INTEGER PRIMARY KEY,blockDim INTEGER,
 taskType INTEGER,inputShapes INTEGER);
INSERT INTO COMPUTE_TASK_INFO VALUES(0,0,20,2,3);
CREATE TABLE TASK_PMU_INFO (globalTaskId INTEGER,name INTEGER,value NUMERIC);
INSERT INTO TASK_PMU_INFO VALUES(0,0,1.5),(1,0,2),(0,1,0);
CREATE TABLE COMMUNICATION_OP (opName INTEGER,startNs INTEGER,endNs INTEGER,groupName INTEGER,
 opId INTEGER PRIMARY KEY,dataType INTEGER);
INSERT INTO COMMUNICATION_OP VALUES(0,1020,1030,1,1,4);
CREATE TABLE COMMUNICATION_TASK_INFO (name INTEGER,globalTaskId INTEGER,taskType INTEGER,
 planeId INTEGER,groupName INTEGER,notifyId INTEGER,opId INTEGER);
INSERT INTO COMMUNICATION_TASK_INFO VALUES(0,1,0,3,1,9223372036854775807,1);
CREATE TABLE CANN_API (startNs INTEGER,endNs INTEGER,type INTEGER,globalTid INTEGER,
 connectionId INTEGER PRIMARY KEY,name INTEGER);
INSERT INTO CANN_API VALUES(990,995,10000,30064771080,40,0);
CREATE TABLE PYTORCH_API (startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId INTEGER,
 name INTEGER, inputDtypes INTEGER, inputShapes INTEGER, callchainId INTEGER, type INTEGER);
INSERT INTO PYTORCH_API VALUES('980','996',30064771080,0,1,3,2,0,50001),
 ('981','982',30064771080,0,1,NULL,NULL,NULL,50002);
CREATE TABLE CONNECTION_IDS (id INTEGER, connectionId INTEGER);
INSERT INTO CONNECTION_IDS VALUES(0,8309);
CREATE TABLE PYTORCH_CALLCHAINS (id INTEGER, stack INTEGER, stackDepth INTEGER);
INSERT INTO PYTORCH_CALLCHAINS VALUES(0,0,0),(0,1,1);
CREATE TABLE MEMORY_RECORD (component INTEGER, timestamp INTEGER, totalAllocated INTEGER);
INSERT INTO MEMORY_RECORD VALUES(5,1001,10),(4,1002,11);
CREATE TABLE HBM (deviceId INTEGER,timestampNs INTEGER,bandwidth NUMERIC,hbmId INTEGER,type INTEGER);
INSERT INTO HBM VALUES(0,1000,1.5,1,0);
CREATE TABLE MSTX_EVENTS (startNs INTEGER,endNs INTEGER,eventType INTEGER,message INTEGER);
INSERT INTO MSTX_EVENTS VALUES(1000,1001,1,0);
CREATE TABLE OP_MEMORY (name INTEGER, size INTEGER, allocationTime INTEGER);
INSERT INTO OP_MEMORY VALUES(0,512,1000);
CREATE TABLE Novel (startNs INTEGER, endNs INTEGER, what TEXT);
INSERT INTO Novel VALUES(1000,1001,'x');
"""


def result_trace():
    """A trace with events of every type, which the fuzz target damages."""
    device, calls, comm, marks, counters, overlap = (77 << 10 | i << 5 for i in (13, 7, 15, 6, 19, 23))
    events = [{"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}}
              for pid, name in ((77, "Python"), (device, "Ascend Hardware"), (calls, "CANN"),
                                (comm, "HCCL"), (marks, "python3"), (counters, "NPU MEM"),
                                (overlap, "Overlap Analysis"))]
    events += [{"ph": "M", "name": "process_labels", "pid": device, "tid": 0,
                "args": {"labels": "NPU 3"}},
               {"ph": "M", "name": "thread_name", "pid": comm, "tid": 0,
                "args": {"name": "Group a%b Communication"}},
               {"ph": "M", "name": "thread_name", "pid": comm, "tid": 1,
                "args": {"name": "Plane 0"}}]

    def span(name, pid, tid, **more):
        events.append({"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": "1000000.500",
                       "dur": 2.2600625, **more})

    span("mm", 77, 78, cat="cpu_op", args={"Sequence number": 4, "Input Dims": "2,3;\r\n3",
                                           "Call stack": "a;\r\nb", "novel": [1, {"a": 2.5}]})
    span("Enqueue", 77, 78, cat="enqueue", args={"correlation_id": 9})
    span("f", 77, 78, cat="python_function", args={"Python id": 1, "Python parent id": 0})
    span("mm", device, 2, args={"Task Type": "AI_CORE", "Physic Stream Id": 2, "Task Id": 7})
    span("Node@launch", calls, 78, args={"level": "node", "connection_id": 12})
    span("hcom_allReduce__1", comm, 0, args={"count": 9, "relay": "yes"})
    span("Notify_Wait", comm, 1, args={"notify_id": "1", "size(Byte)": 4})
    span("mark", marks, 78, args={"event_type": "push/pop", "domain": "d", "x": None})
    span("Free", overlap, 3)
    for name, value in (("APP/DDR", 1.5), ("APP/HBM", 2), ("novel", "x")):
        events.append({"ph": "C", "name": name, "pid": counters, "tid": 0, "ts": "1000000.500",
                       "args": {"KB": value}})
    for phase in "sf":
        for category in ("async_npu", "fwdbwd", "HostToDevice"):
            events.append({"ph": phase, "name": "n", "cat": category, "id": 5, "pid": 77,
                           "tid": 78, "ts": "1000000.500"})
    return json.dumps(events)


KERNELS = ("Step Id,Device_id,Task ID,Stream ID,Name,Type,Accelerator Core,Start Time(us),"
           "Duration(us),Wait Time(us),Block Num,Input Shapes,Context ID,aicore_time(us)\r\n"
           '5,3,7,2,mm,MatMul,AI_CORE,1000000.500\t,2.260,0,8,"""2,3;3""",N/A,2.0\r\n'
           "5,3,N/A,N/A,hcom_allReduce__1,hcom,HCCL,1000004.000\t,4.5,1.5,0,N/A,N/A,N/A\r\n")
CACHE = "Stream Id,Task Id,Hit Rate,Victim Rate,Op Name,New\r\n2,7,N/A,0.25,mm,x\r\n"
RECORDS = ("Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),"
           "Stream Ptr,Device Type\r\nAPP,900.000\t,,8.0,,,NPU:4\r\n"
           "PTA,1000.000\t,2.0,4.0,2.0,99,NPU:4\r\nGE,1001.000\t,0.5,0.75,,,NPU:4\r\n")
BLOCKS = ("Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),"
          "Active Duration(us),Allocation Total Allocated(MB),Release Total Active(MB),Stream Ptr,"
          "Device Type\r\naten::mm,1.0,1000.000\t,1003.000\t,1002.500\t,3.000\t,2.500\t,2.0,1.5,"
          "99,NPU:4\r\ncann::x,2.0,1001.000\t,1005.000\t,,4.0,,0.5,,,NPU:4\r\n")
DETAILS = ("Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us),"
           'Device Self Duration(us)\r\nmm,"2,3;\r\n3","a;\r\nb",1.5,2.5,0\r\n')
STATISTIC = "OP Type,Core Type,Count,Total Time(us),Ratio(%)\r\nMatMul,AI_CORE,3,19.5,22.0\r\n"
TASK_TIME = ("Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),"
             "task_stop(us)\r\n4,mm,AI_CORE,2,7,2.260,1000000.500\t,1000002.760\t\r\n")
INFO = json.dumps({"config": {"experimental_config": {"_profiler_level": "Level1"}},
                   "start_info": {"start_monotonic": 5}, "rank_id": "1",
                   "end_info": {"collectionTimeEnd": 50, "MonotonicTimeEnd": 9}})
METADATA = json.dumps({"ENV_VARIABLES": {"a": "b"}, "parallel_group_info": [1, {"x": None}]})
COMMUNICATION = json.dumps({"step5": {"p2p": {}, "collective": {"all@17": {
    "Communication Time Info": {"Elapse Time(ms)": 6.5, "Idle Time(ms)": 0},
    "Communication Bandwidth Info": {"HCCS": {"Transit Size(MB)": 28.5, "Large Packet Ratio": 0,
                                              "Size Distribution": {"1.5": [3, 0.125]}}}}}}})
MATRIX = json.dumps({"step": {"p2p": {}, "collective": {"allreduce-top1@17": {
    "1-0": {"Transport Type": "HCCS", "Transit Size(MB)": 2.5, "Op Name": "all"}}}}})


def result_directories(out):
    """The files of one source, one after the other; if n is odd, the importer also reads the data
    that the source derived."""
    for name, files in {
        "trace": (result_trace(), KERNELS, CACHE, RECORDS, BLOCKS, INFO, METADATA),
        "tables": (KERNELS, TASK_TIME, CACHE, RECORDS, BLOCKS, "a,b\r\n1,\"x\ny\"\r\n"),
        "derived": (DETAILS, STATISTIC, KERNELS, BLOCKS, RECORDS, COMMUNICATION, MATRIX),
        "memory": (RECORDS, BLOCKS),
        "events": (result_trace(),),
    }.items():
        text = "\x1e".join(files)
        write(out / "ascend-text", name, text)
        write(out / "ascend-text", name + "-padded", text + " ")


def databases(out):
    for name, page, more in (
        ("plain", 1024, ""),
        ("pages", 512, "INSERT INTO TASK SELECT startNs + 1, endNs + 1, 0, 5, globalTaskId + 50, 7,"
                       " 0, 0, 1, 1, 1 FROM TASK, STRING_IDS;"),
        ("own", 512, "CREATE TABLE counter (name, startNs, endNs, globalTid, deviceId, value REAL);"
                     "INSERT INTO counter VALUES (NULL, 5, 5, NULL, NULL, 1.5);"),
        ("wrong", 512, "UPDATE TASK SET startNs = 'x', endNs = zeroblob(3000), taskType = 1e300;"),
    ):
        with tempfile.TemporaryDirectory(prefix="strobe-seed-") as folder:
            path = pathlib.Path(folder) / "seed.db"
            database = sqlite3.connect(path)
            database.executescript("PRAGMA page_size=%d;" % page + DATABASE + more)
            database.close()
            write(out / "ascend-db", name, path.read_bytes())


def pass_scripts(out):
    """Records for every pass: first near each other in time, then with extreme values."""
    for number in range(20):  # the first byte chooses the pass
        for name, spread in (("calm", 60), ("wild", 256)):
            chance = random.Random(number * 2 + spread)
            data = bytes([number, chance.randrange(64)])
            data += bytes(chance.randrange(spread) for _ in range(1500))
            write(out / "passes", "%02d-%s" % (number, name), data)


def pack_folder(files):
    """An input of folder-input.c: files by their number."""
    return b"".join(struct.pack("<BI", number, len(data)) + data for number, data in files)


def raw_results(out):
    """Folders for ascend_raw in fuzz-raw.c."""
    order = ("torch.op_range", "torch.op_mark", "torch.memory_usage", "torch.python_tracer_func",
             "torch.python_tracer_hash", "torch.param_tensor_info", "torch.gc_record")
    host = [(9, b'{"CPU": [{"Frequency": "100.0"}]}'),
            (10, b'{"collectionTimeBegin": "1764246878131995", "clockMonotonicRaw": "46998020619"}'),
            (11, b"[Host]\ncntvct: 47000\nclock_monotonic_raw: 46998\n")]
    for operators, details in ((8, False), (40, True)):
        with tempfile.TemporaryDirectory(prefix="strobe-seed-") as folder:
            RawFiles(folder, operators, python=True, stacks=details, details=details,
                     queue=0.3, memory=0.3).make(operators)
            top = pathlib.Path(folder)
            files = [(i, (top / "FRAMEWORK" / name).read_bytes()) for i, name in enumerate(order)
                     if (top / "FRAMEWORK" / name).exists()]
            info = [(7, (top / "profiler_info_0.json").read_bytes()), (8, b'{"trace_id": "a"}')]
        write(out / "ascend-raw", "host-%d" % operators, pack_folder(files + info))
        write(out / "ascend-raw", "joined-%d" % operators, pack_folder(files + info + host))
        for number, data in files:
            write(out / "ascend-raw", "%s-%d" % (order[number], operators),
                  pack_folder([(number, data)] + info))


def prof_results(out):
    """Folders for prof_raw in fuzz-raw.c."""
    stat = "%d (a) b) S " + "0 " * 10 + "%d 3 " + "0 " * 23 + "2 0\n"
    samples = "".join("time %d\n%d.00 1.00\n" % (1000 * i, i) + stat % (11, 9 * i) + stat % (12, i)
                      for i in range(1, 4))
    port = "".join("%d: 100 1.5 2 3 4 5 6 7 8 9 10 11 12 %d\n" % (i, i) for i in range(4))
    network = "".join("time %d\n eth0: %d 0 0 0 0 0 0 0 5 0 0 0 0 0 0 0\n" % (i * 10**7, i * 99)
                      for i in range(1, 4))
    files = [
        (0, b"1000: 1 2\n2000: 3"), (1, b" 4\n3000: 9 9\n"),
        (2, struct.pack("<QI21I", 5, 0, *range(21))), (3, struct.pack("<QI21I", 6, 0, *range(21))),
        (4, b"heading\n" + port.encode()), (5, port.encode()),
        (6, struct.pack("<4H8Q", 1, 2, 3, 0, *range(8))), (7, b'{"platform_version": "5"}'),
        (8, b'{"l2CacheTaskProfilingEvents": "0xfb,0xfc,0x90,0x91,0x9c"}'),
        (9, b'{"collectionTimeBegin": "1764246878131995", "clockMonotonicRaw": "46998020619"}'),
        (10, samples.encode()), (11, b"1000 900 250 3\n"), (12, network.encode()),
        (13, b"start_time 5\n 1 be/4 root 2.00 K/s 1.50 M/s 0.00 % 7.50 % python\n"),
        (14, b" 1000.125 ( 0.003 ms): a/12 futex(op: 2) = -110\n 7.0 (  ): a/12 read(3) ...\n"),
        (15, b"13 1764246878.131995 pthread_create(0x1) = 0 <0.000012>\n"),
        (16, b'{"pid": 7, "cpuNums": 4, "memoryTotal": 1000, "netCard": '
             b'[{"netCardName": "eth0", "speed": 1000}]}'),
        (17, b'{"collectionTimeBegin": "1764246878131995", "clockMonotonicRaw": "46998020619"}'),
    ]
    write(out / "prof-raw", "all", pack_folder(files))
    for number, data in files:
        write(out / "prof-raw", "file-%02d" % number, pack_folder([(number, data), files[16]]))


def targets(out):
    """Ini files of boards."""
    head = "[ssh_config]\nip = 10.0.0.2\nusername = root\n"
    for number, text in enumerate((
            head + "pwd = p %#;=w\"x\nport = 2222\n",
            "\ufeff# c\r\n; c\r\n[ssh_config]\r\nip=[fe80::1%eth0]\r\nusername=a\r\npwd=\r\n",
            head + "pwd_command = pass show board\nkeepalive = 7\nhost_keys = strict\n",
            head + "identity = ~/.ssh/key\nknown_hosts = /k\n[other]\nport = 0\n",
            head + "pwd = \u00e4\u4e2d\nprt = 1\nport = 65536\n")):
        write(out / "board-target", "%02d" % number, text)


def jobs(out):
    """Files of a board: acl.json, and folders for fuzz-svp-job.c."""
    profiler = ('"profiler": {"output": "out", "aacpu": "on", "aic_metrics": "ArithmeticUtilization", '
                '"interval": "2", "acl_api": "off", "switch": "on", "strobe_interval_zero": "every"}')
    for number, config in enumerate((
            "{%s}" % profiler, '{"dump": {"dump_path": "x"}, %s, "a": [1, {"b": null}]}' % profiler,
            '\ufeff{"profiler": {"interval": 7, "switch": "off", "switch": "on", "aicpu": true}}',
            '{"profiler": {"sw\\u0069tch": "on", "x": {"switch": "on"}}, "switch": "on"}', "{}")):
        write(out / "svp-config", "%02d" % number, config)
    info = ('{"format": "SVPR", "version": {"major": 1, "minor": 0}, "pid": 7, "hostname": "b", '
            '"sync": [{"mono_ns": 5, "real_ns": 172800000000000}], "models": [{"model_id": 1, '
            '"batch_num": 100}], "frequency_mhz": 1000, "counters": {"lost_captures": 2}}')
    net = b'{"model": "m", "model_id": 1, "batch_num": 4, "input_pic_num": 1}'
    files = [(0, info.encode()), (2, net), (3, b"StrobeB1" + bytes(200)), (4, b"filesize:208\n")]
    write(out / "svp-job", "plain", pack_folder(files))
    write(out / "svp-job", "two", pack_folder(files + [(1, info.encode())]))
    write(out / "svp-job", "new", pack_folder([(0, info.replace('r": 1', 'r": 2').encode())]
                                              + files[1:]))
    tasks = b'[{"name": "a", "ph": "X", "pid": 0, "tid": 1, "ts": 5.125, "dur": 2.000, "args": ' \
            b'{"Task Type": "AA CPU", "Stream Id": 0, "Task Id": 0}}, {"name": "m", "ph": "M"}]'
    calls = b'[{"name": "f", "ph": "X", "pid": 7, "tid": 8, "ts": 1.5, "dur": 0, "args": ' \
            b'{"Mode": "model", "Process_Id": 7, "Thread_Id": 8}}]'
    write(out / "svp-job", "vendor", pack_folder([files[0], (5, b"vendor"), (7, tasks), (8, calls)]))
    write(out / "svp-job", "external", pack_folder([files[0], (5, bytes(range(64)))]))
    titles = b"Layer Id,Ori Layer Name,Layer Name,Layer Type,Time(us),Mac Busy Ratio,DDR Read(byte)\r\n"
    table = titles + b'0,a,a,Conv,2.000,80.000,7\r\n1,"b,c",b,Pool,1.5,N/A,N/A\r\n-,-,-,-,3.5,80.0,7\r\n'
    external = (5, b"vendor")
    write(out / "svp-job", "summary", pack_folder([files[0], external, (9, table), (10, table),
                                                   (11, b"Process ID,Name\r\n1,f\r\n")]))
    write(out / "svp-job", "joined", pack_folder([files[0], external, (7, tasks), (9, table)]))
    call = struct.pack("<HHIQQII64s32x", 0x5a5a, 0, 2, 5, 9, 7, 8, b"aclmdlExecute")
    write(out / "svp-job", "calls", pack_folder([files[0], (12, call * 2 + b"x" * 128 + call[:9])]))


TRACES = {
    "kineto": """{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "a"}],
"distributedInfo": {"rank": 1}, "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 2, "ts": 5.125, "dur": 2,
 "args": {"External id": 3, "Input Dims": [[2, 3], [], [[1], [2]]], "Input type": ["a", "b"],
 "Call stack": "f;g", "Sequence number": 4, "Fwd thread id": 1, "novel": {"a": [1, null]}}},
{"ph": "X", "cat": "kernel", "name": "ncclX", "pid": 0, "tid": 7, "ts": 6, "dur": 1.0005,
 "args": {"correlation": 9, "stream": 7, "grid": [1, 2, 3], "warps per SM": 0.5}},
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 1, "tid": 2, "ts": 5,
 "dur": 3, "args": {}},
{"ph": "X", "cat": "python_function", "name": "f", "pid": 1, "tid": 2, "ts": 5, "dur": 3,
 "args": {"Python id": 1, "Python parent id": null}},
{"ph": "i", "s": "t", "name": "[memory]", "pid": 1, "tid": 2, "ts": 6,
 "args": {"Bytes": -8, "Addr": 9, "Device Type": 0}},
{"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "main"}}],
"baseTimeNanoseconds": 1700000000000000000, "user": "text"}""",
    "array": """[{"ph": "B", "name": "a\\u00e4", "pid": "p", "tid": "t", "ts": "1.5", "args": {"x": 1}},
{"ph": "E", "pid": "p", "tid": "t", "ts": 2e3},
{"ph": "b", "cat": "c", "id": "0x1", "name": "n", "pid": 1, "tid": -1, "ts": 3},
{"ph": "e", "cat": "c", "id": "0x1", "name": "n", "pid": 1, "tid": -1, "ts": 4},
{"ph": "C", "name": "c", "pid": 1, "ts": 4, "args": {"a": 1, "b": 2.5}},
{"ph": "s", "cat": "c", "id": 1, "name": "n", "pid": 1, "tid": 1, "ts": 3},
{"ph": "Z", "name": "z", "ts": 3},""",
    "frames-behind": """{"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "sf": 3, "esf": "1"},
{"ph": "B", "name": "b", "pid": 1, "tid": 1, "ts": 2, "stack": ["o", "i"]},
{"ph": "E", "pid": 1, "tid": 1, "ts": 3, "sf": 4},
{"ph": "C", "name": "c", "pid": 1, "ts": 4, "args": {"v": 1}, "sf": 9, "estack": [1, "x"]}],
"m": 1, "stackFrames": {"1": {"name": "f", "category": "c"}, "3": {"parent": 1, "name": "g"},
"4": {"name": "h", "parent": "5"}, "5": {"name": "i", "parent": 4}}}""",
    "frames-before": '{"stackFrames": {"x": {"name": "f", "parent": 7}}, "traceEvents": [{"ph": '
                     '"I", "name": "n", "ts": 1, "sf": "x"}]}',
    "nested": '{"traceEvents": [{"ph": "i", "name": "n", "ts": 1, "args": {"a": %s1%s}}]}'
              % ("[" * 40, "]" * 40),
}


def traces(out):
    for name, text in TRACES.items():
        write(out / "chrome-trace", name, text)
    packed = gzip.compress(TRACES["kineto"].encode(), mtime=0)
    write(out / "chrome-trace", "packed", packed)
    write(out / "chrome-trace", "packed-twice", packed + gzip.compress(b"\n", mtime=0))


def main():
    program, plugin_path, compress, out = sys.argv[1:]
    out = pathlib.Path(out)
    shutil.rmtree(out, ignore_errors=True)
    captures(os.path.abspath(program), plugin_path, compress.split(","), out)
    clock_captures(out)
    clock_scripts(out)
    for name, config in CONFIGS.items():
        write(out / "config", name, config)
    for number, option in enumerate(OPTIONS):
        write(out / "options", "%02d" % number, option)
    databases(out)
    result_directories(out)
    raw_results(out)
    prof_results(out)
    targets(out)
    jobs(out)
    traces(out)
    json_scripts(out)
    recover_scripts(out)
    pass_scripts(out)
    write(out, "complete", "")


if __name__ == "__main__":
    main()
