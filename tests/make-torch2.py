#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a virtual environment with the packages of torch2-requirements.txt: make-torch2.py VENV.

Takes the first interpreter for which pip finds everything with downloads of at most 1 GB: if pip
has no CPU build of PyTorch, it would download several gigabytes for GPUs. If there is no such
interpreter, nothing is made, which is an error if STROBE_REQUIRE lists "torch2".
"""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

REQUIREMENTS = pathlib.Path(__file__).resolve().with_name("torch2-requirements.txt")
MAX_DOWNLOAD = 1_000_000_000


def list_interpreters():
    """The interpreters to try: the one that the caller names, the one in PATH, the system's."""
    named = os.environ.get("STROBE_TORCH2_PYTHON")
    found = [named] if named else [shutil.which("python3"), "/usr/bin/python3"]
    return list(dict.fromkeys(path for path in found if path and os.access(path, os.X_OK)))


def compute_stamp(python):
    """A text that identifies the inputs of an environment; if it changes, the environment is made
    again."""
    version = subprocess.run(
        [python, "-c", "import sys; print(sys.version)"], capture_output=True, text=True, check=True
    ).stdout
    text = os.path.realpath(python) + version + REQUIREMENTS.read_text()
    return hashlib.sha256(text.encode()).hexdigest()


def measure_download(url):
    """The number of bytes that pip would download from an address; 0 for a local file."""
    if urllib.parse.urlsplit(url).scheme == "file":
        return 0
    request = urllib.request.Request(url, method="HEAD")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return int(answer.headers["Content-Length"])


def ask_pip(pip):
    """The total bytes that pip would download. Raises an exception if pip cannot get everything."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        run_quietly([*pip, "install", "--dry-run", "--report", report, "-r", REQUIREMENTS])
        packages = json.loads(report.read_text())["install"]
    total = 0
    for package in packages:
        total += measure_download(package["download_info"]["url"])
        if total > MAX_DOWNLOAD:
            break
    return total


def run_quietly(command):
    """Runs a command. Raises OSError with the end of its output if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        lines = [line for line in done.stdout.splitlines() if "WARNING" not in line]
        raise OSError("%s: %s" % (command[0], " ".join(lines[-3:])))


def make_venv(python, venv):
    """Makes the environment and installs the packages."""
    shutil.rmtree(venv, ignore_errors=True)
    run_quietly([python, "-m", "venv", venv])
    pip = [str(venv / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    size = ask_pip(pip)
    if size > MAX_DOWNLOAD:
        raise OSError("pip would download more than %d MB" % (MAX_DOWNLOAD // 10**6))
    print("downloading up to %d MB for %s" % (size // 10**6, python), flush=True)
    run_quietly([*pip, "install", "-r", REQUIREMENTS])


def main(venv):
    stamp = venv / "made-from"
    wanted = {python: compute_stamp(python) for python in list_interpreters()}
    if stamp.exists() and stamp.read_text() in wanted.values():
        return 0
    for python, text in wanted.items():
        try:
            make_venv(python, venv)
        except (OSError, ValueError, TypeError) as error:
            print("no PyTorch 2 for %s: %s" % (python, error), flush=True)
            shutil.rmtree(venv, ignore_errors=True)
            continue
        stamp.write_text(text)
        return 0
    return 1 if "torch2" in os.environ.get("STROBE_REQUIRE", "").split(",") else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).absolute()))
