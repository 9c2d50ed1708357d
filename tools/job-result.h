/* SPDX-License-Identifier: Apache-2.0 */
/* The results that a command reads; a camera board's JOB directory is imported for it. */
#ifndef STROBE_TOOLS_JOB_RESULT_H
#define STROBE_TOOLS_JOB_RESULT_H

#include "folder.h"
#include "registry.h"
#include "result.h"

typedef struct StrobeReadResults {
    GPtrArray *results;        /* of StrobeResult, never empty */
    StrobeFreshFolder scratch; /* has the capture of a JOB */
    const char *job;           /* NULL: none; otherwise its path (lent), to show instead of the
                                  temporary capture's path */
} StrobeReadResults;

/* Like strobe_result_find(). Imports a JOB's data into a temporary capture, and prints damage on
 * stderr; the result's directory is the JOB, which is not changed. FALSE with the error set and
 * nothing to free. */
gboolean strobe_read_results_find(StrobeReadResults *found, const char *path,
                                  StrobeRegistry *registry, GError **error);
void strobe_read_results_clear(StrobeReadResults *found);

#endif
