# SPDX-License-Identifier: Apache-2.0
"""OpenCL as the device of a profile: finds out whether there is a driver, and names the layer that
records."""

import glob
import os

_DRIVERS = "/etc/OpenCL/vendors/*.icd"
_OTHER_DRIVERS = ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES")
_VARIABLE = "OPENCL_LAYERS"
_LIBRARY = "/opencl.so"


def is_installed():
    """Whether there is an OpenCL driver."""
    return any(os.environ.get(name) for name in _OTHER_DRIVERS) or bool(glob.glob(_DRIVERS))


def name_layer():
    """Sets the variable that the OpenCL loader reads at the program's first call to the layer's
    path. The collector must be loaded."""
    path = _find_loaded()
    layers = [each for each in os.environ.get(_VARIABLE, "").split(":") if each]
    if path is not None and path not in layers:
        os.environ[_VARIABLE] = ":".join([path] + layers)


def _find_loaded():
    """The path of the collector's loaded file."""
    with open("/proc/self/maps") as file:
        for line in file:
            words = line.split(maxsplit=5)
            if len(words) == 6 and words[5].rstrip("\n").endswith(_LIBRARY):
                return words[5].rstrip("\n")
    return None
