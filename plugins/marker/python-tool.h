/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that the collector passes to the Python package when a window begins, in a capsule
 * with the name below. With these functions the package makes marks like a program that uses mstx.
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
    /* Records the operations of process groups as ranges until the window ends. Returns NULL, or
     * the reason why they cannot be recorded (valid until the next call). */
    const char *(*mark_collectives)(void);
    /* Sets for the calling thread the name of the group of its next sends and receives, and the
     * peer's rank in this group (-1: none). `name` NULL: the group is not known. */
    void (*set_group)(const char *name, int64_t peer);
    /* Sets the group for operations whose group is not known otherwise; NULL: none. */
    void (*set_usual_group)(const char *name);
} MarkerPythonTool;

#endif
