#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unpacks the Python files of torch_npu, of torch-npu-requirements.txt: make-torch-npu.py VENV FOLDER.

The pip of VENV downloads the wheel (44 MB); the hash in the requirements says which file, so its size is
known. Nothing is installed. Makes nothing where pip cannot get it, which is an error if STROBE_REQUIRE
lists "torch2".
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

REQUIREMENTS = pathlib.Path(__file__).resolve().with_name("torch-npu-requirements.txt")
# The wheel of one interpreter: the others have the same Python files.
WHEEL = ["--python-version", "3.11", "--platform", "manylinux_2_28_x86_64", "--only-binary", ":all:", "--no-deps"]


def download_wheel(python, folder):
    """The path of the wheel; raises OSError with the last lines of the output of pip."""
    command = [python, "-m", "pip", "--disable-pip-version-check", "download", *WHEEL, "--dest", folder,
               "--requirement", REQUIREMENTS]  # fmt: skip
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise OSError("pip: %s" % " ".join(done.stdout.splitlines()[-3:]))
    (wheel,) = pathlib.Path(folder).glob("*.whl")
    return wheel


def unpack_sources(wheel, folder):
    """The package's Python files and its licence."""
    shutil.rmtree(folder, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.endswith(".py") or "/licenses/" in name]
        archive.extractall(folder, [name for name in names if name.startswith("torch_npu")])


def main(venv, folder):
    stamp = folder / "made-from"
    text = REQUIREMENTS.read_text()
    if stamp.exists() and stamp.read_text() == text:
        return 0
    try:
        with tempfile.TemporaryDirectory() as downloads:
            unpack_sources(download_wheel(venv / "bin" / "python", downloads), folder)
    except (OSError, ValueError) as error:
        print("no torch_npu: %s" % error, flush=True)
        return 1 if "torch2" in os.environ.get("STROBE_REQUIRE", "").split(",") else 0
    stamp.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(*(pathlib.Path(word).absolute() for word in sys.argv[1:])))
