# SPDX-License-Identifier: Apache-2.0
"""make_corpus.py RECORD_SEED PLUGIN_PATH OUT: writes a small seed corpus, OUT/TARGET/NAME for every
fuzz target. The captures are real ones of the collector fake."""

import json
import os
import pathlib
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

# Options of fake; every one makes another part of a capture appear.
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


def captures(program, plugin_path, out):
    environment = dict(os.environ, STROBE_PLUGIN_PATH=plugin_path, ASAN_OPTIONS="detect_leaks=0")
    for name, options in CAPTURES.items():
        with tempfile.TemporaryDirectory(prefix="strobe-seed-") as folder:
            collectors = json.dumps({"fake": options})
            done = subprocess.run([program, folder, collectors], env=environment, check=True,
                                  stdout=subprocess.PIPE, text=True)
            write(out / "reader", name, pathlib.Path(done.stdout.strip()).read_bytes())
    with tempfile.TemporaryDirectory(prefix="strobe-seed-") as folder:
        collectors = json.dumps({"fake": {"records": 20, "threads": 0}})
        done = subprocess.run([program, folder, collectors, "killed"], env=environment, check=True,
                              stdout=subprocess.PIPE, text=True)
        write(out / "reader", "recovered", pathlib.Path(done.stdout.strip()).read_bytes())
        write(out / "reader", "open", (pathlib.Path(folder) / "open.strobe").read_bytes())


def pairs_moved(capture, move):
    """The capture with other clock pairs; the checksums are wrong then, and made right by the
    target."""
    data, at, index = bytearray(capture), 0, 0
    while at + 96 <= len(data):
        (length,) = struct.unpack_from("<I", data, at + 20)
        pair = list(struct.unpack_from("<Q3qd2I", data, at + 48))
        struct.pack_into("<Q3qd2I", data, at + 48, *move(index, pair))
        at, index = at + 96 + length, index + 1
    return bytes(data)


def clock_captures(out):
    plain = (out / "reader" / "plain").read_bytes()
    second = 1000000000

    def later(index, pair):  # the blocks of a short capture, a second apart
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
    """Steps of fuzz-clock-map.c."""
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
    """A text in a script of the JSON writer."""
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
    """Changes of a pool: see fuzz-recover.c."""
    write(out / "recover", "sound", b"")
    write(out / "recover", "header", b"".join(
        change(8 + 4 * i, struct.pack("<I", 0xFFFFFFFF >> i)) for i in range(30)))
    for at in range(0, 224, 8):
        write(out / "recover", "header-%03d" % at, change(at, b"\xff" * 8))
        write(out / "recover", "small-%03d" % at, change(at, struct.pack("<Q", 65)))
    for at in range(4320, 4320 + 6144 * 3, 1024):
        write(out / "recover", "lane-%05d" % at, change(at, bytes(range(64))))
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


def databases(out):
    for name, page, more in (
        ("plain", 1024, ""),
        ("pages", 512, "INSERT INTO TASK SELECT startNs + 1, endNs + 1, 0, 5, globalTaskId + 50, 7,"
                       " 0, 0, 1, 1, 1 FROM TASK, STRING_IDS;"),
        ("wrong", 512, "UPDATE TASK SET startNs = 'x', endNs = zeroblob(3000), taskType = 1e300;"),
    ):
        with tempfile.TemporaryDirectory(prefix="strobe-seed-") as folder:
            path = pathlib.Path(folder) / "seed.db"
            database = sqlite3.connect(path)
            database.executescript("PRAGMA page_size=%d;" % page + DATABASE + more)
            database.close()
            write(out / "ascend-db", name, path.read_bytes())


def main():
    program, plugin_path, out = sys.argv[1:]
    out = pathlib.Path(out)
    shutil.rmtree(out, ignore_errors=True)
    captures(os.path.abspath(program), plugin_path, out)
    clock_captures(out)
    clock_scripts(out)
    for name, config in CONFIGS.items():
        write(out / "config", name, config)
    for number, option in enumerate(OPTIONS):
        write(out / "options", "%02d" % number, option)
    databases(out)
    json_scripts(out)
    recover_scripts(out)
    write(out, "complete", "")


if __name__ == "__main__":
    main()
