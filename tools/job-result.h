/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the results that a command reads. If the path is the JOB directory of a camera board,
 * imports the JOB. */
#ifndef STROBE_TOOLS_JOB_RESULT_H
#define STROBE_TOOLS_JOB_RESULT_H

#include "folder.h"
#include "registry.h"
#include "result.h"

typedef struct StrobeReadResults {
    GPtrArray *results;        /* of StrobeResult, never empty */
    StrobeFreshFolder scratch; /* contains the temporary capture of a JOB */
    /* path of the JOB (borrowed), which messages name instead of the temporary capture; NULL: the
     * results are not from a JOB */
    const char *job;
} StrobeReadResults;

/* Finds the results at `path` like strobe_result_find(). If `path` is a JOB, imports its data into
 * a temporary capture, and prints on stderr which data are damaged; the result's directory is then
 * the JOB, which is not changed. FALSE with an error: there is nothing to free. */
gboolean strobe_read_results_find(StrobeReadResults *found, const char *path,
                                  StrobeRegistry *registry, GError **error);
void strobe_read_results_clear(StrobeReadResults *found);

#endif
