/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the collector hands to the Python package as a window begins, in a capsule of that name:
 * the package's marks come from there on, as those of any program do that has mstx compiled in.
 */
#ifndef STROBE_PLUGINS_MARKER_PYTHON_TOOL_H
#define STROBE_PLUGINS_MARKER_PYTHON_TOOL_H

#include <stdint.h>

#include <strobe/helpers/mstx-abi.h>

#define MARKER_PYTHON_TOOL "strobe.marker"

typedef struct MarkerPythonTool {
    uint32_t struct_size;
    uint32_t reserved;
    MstxInit *init; /* InitInjectionMstx */
    /* Marks what process groups do, from now to the window's end; NULL, or why not (valid until the
     * next call). */
    const char *(*mark_collectives)(void);
    /* The group of what this thread sends and receives itself, and the rank in it that it goes to
     * or comes from, -1: none; NULL: it is not known. */
    void (*set_group)(const char *name, int64_t peer);
    /* The group of operations of which nothing else is known; NULL: not known either. */
    void (*set_usual_group)(const char *name);
} MarkerPythonTool;

#endif
