# SPDX-License-Identifier: Apache-2.0
"""./dev demo-board: records a network on a camera board from the desk, once with Mish and once with an
activation that the board's processor supports, and compares both. The board is OpenSSH's server on
127.0.0.1, and its runtime is the double of tests/svp-double. Needs root."""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.setdefault("STROBE_BUILD", str(TOP / "build")))
STROBE = BUILD / "tools" / "strobe"
OUTPUT = BUILD / "demo-board"
sys.path.append(str(TOP / "tests" / "functional"))

from board_servers import Board  # noqa: E402

# Name, type, processor and simulated microseconds of each layer.
NETWORKS = {
    "mish": ("conv Convolution AA_CORE 9000", "mish/Softplus Softplus AA_CORE 5000",
             "mish/Tanh Tanh AA_CORE 6000", "mish/Mul Mul AA_CORE 3299"),
    "leakyrelu": ("conv Convolution AA_CORE 9000", "leakyrelu LeakyRelu AA_CORE 5190"),
}


def make_project(folder, layers):
    """What a developer has on the desk: the program, acl.json, the model."""
    for name in "out", "src", "model":
        (folder / name).mkdir(parents=True)
    for built in "svp-program", "libsvp_acl.so":
        shutil.copy(BUILD / "tests" / "svp-double" / built, folder / "out" / built)
    (folder / "src" / "acl.json").write_text("{}\n")
    (folder / "model" / "a.om").write_bytes(b"model" * 1000)
    (folder / "model" / "layers.txt").write_text("".join("layer %s\n" % layer for layer in layers))


def run(*words):
    """Runs one command of Strobe as a user would type it. Returns its standard output."""
    print("\n$ strobe %s" % shlex.join(map(str, words)), flush=True)
    done = subprocess.run([STROBE, *map(str, words)], text=True, stdout=subprocess.PIPE)
    print(done.stdout, end="", flush=True)
    if done.returncode not in (0, 7):  # 7: `strobe diff` found a difference
        sys.exit("board-demo.py: strobe ended with exit code %d" % done.returncode)
    return done.stdout


def collect(ini, project):
    shown = run("svp", "collect", "--config", ini, "--project", project,
                "--main", "%s/out/svp-program ../src/acl.json a.om load execute 1" % project,
                "--env", "LD_LIBRARY_PATH=.", "--env", "SVP_DOUBLE=../model/layers.txt",
                "--output", OUTPUT / project.name, "--all")
    return shown.splitlines()[-1]


def main():
    if os.geteuid() != 0:
        sys.exit("board-demo.py: the server that plays the board needs root")
    place = pathlib.Path(tempfile.mkdtemp(prefix="strobe_board_"))
    place.chmod(0o755)
    shutil.rmtree(OUTPUT, ignore_errors=True)
    os.environ["XDG_CONFIG_HOME"] = str(place / "config")  # the board's host key is not kept
    board = Board(place / "board")
    try:
        board.start()
        ini = board.ini(place / "board.ini")
        print("A server on 127.0.0.1, port %d, plays the board; all times are simulated." % board.port)
        jobs = []
        for name, layers in NETWORKS.items():
            make_project(place / name, layers)
            jobs.append(collect(ini, place / name))
        print("\nBoth runs are here. Which layers made the difference?")
        run("diff", *jobs, "--by", "kernel")
    finally:
        board.stop()
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
