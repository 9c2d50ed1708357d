# SPDX-License-Identifier: Apache-2.0
"""make_corpus.py RECORD_SEED PLUGIN_PATH OUT: writes a small seed corpus, OUT/TARGET/NAME for every
fuzz target. The captures are real ones of the collector fake."""

import json
import os
import pathlib
import shutil
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
    block = struct.pack("<8s8I4Q", b"StrobeB1", 0, 0, 5, 40, 1, 0, 1, 0, 0, 0, 400, 400)
    write(out / "recover", "capture",
          change(0xFFFFFFFF, block[:72] + struct.pack("<5Q", 2 << 32 | 4 << 16 | 5, 1, 2, 3, 0)))
    write(out / "recover", "torn", change(0xFFFFFFFF, b"StrobeB1torn"))


def main():
    program, plugin_path, out = sys.argv[1:]
    out = pathlib.Path(out)
    shutil.rmtree(out, ignore_errors=True)
    captures(os.path.abspath(program), plugin_path, out)
    for name, config in CONFIGS.items():
        write(out / "config", name, config)
    for number, option in enumerate(OPTIONS):
        write(out / "options", "%02d" % number, option)
    json_scripts(out)
    recover_scripts(out)
    write(out, "complete", "")


if __name__ == "__main__":
    main()
