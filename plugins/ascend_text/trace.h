/* SPDX-License-Identifier: Apache-2.0 */
/* trace_view.json into records, by the rows of formats/ascend-trace.c. */
#ifndef STROBE_ASCEND_TEXT_TRACE_H
#define STROBE_ASCEND_TEXT_TRACE_H

#include "kernels.h"
#include "trace-kinds.h"

typedef struct TraceFacts {
    gint64 pid;      /* of the Python layer, 0: not told */
    gint device;     /* -1: not told */
    gint generation; /* by the names of the layers, 0: cannot be told */
    gint level;      /* by the layers that are there */
} TraceFacts;

/* Reads the file through twice: layers and threads first, then the events. `kernels` may be NULL.
 * Fails only if the file cannot be read at all, or the capture has no room. */
StrobeStatus trace_import(const StrobeImporterHost *host, StrobeInstance *self, int descriptor,
                          Kernels *kernels, TraceFacts *facts);

#endif
