/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the collector hands to the Python package as a window begins, in a capsule of that name:
 * the package's marks come from there on, as those of any program do that has mstx compiled in.
 */
#ifndef STROBE_PLUGINS_MARKER_PYTHON_TOOL_H
#define STROBE_PLUGINS_MARKER_PYTHON_TOOL_H

#include <stdint.h>

#include "mstx-abi.h"

#define MARKER_PYTHON_TOOL "strobe.marker"

typedef struct MarkerPythonTool {
    uint32_t struct_size;
    uint32_t reserved;
    MstxInit *init; /* InitInjectionMstx */
} MarkerPythonTool;

#endif
