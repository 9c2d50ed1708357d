/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the results that a command reads. Imports the JOB directory of a camera board for that. */
#ifndef STROBE_TOOLS_JOB_RESULT_H
#define STROBE_TOOLS_JOB_RESULT_H

#include "folder.h"
#include "registry.h"
#include "result.h"

typedef struct StrobeReadResults {
    GPtrArray *results;        /* of StrobeResult, never empty */
    StrobeFreshFolder scratch; /* contains the capture of a JOB */
    /* path of the JOB (borrowed), which is shown instead of the temporary capture's path; NULL:
     * there is no JOB */
    const char *job;
} StrobeReadResults;

/* Finds results like strobe_result_find(). Imports the data of a JOB into a temporary capture, and
 * prints on stderr which data are damaged. The result's directory is the JOB, which is not changed.
 * FALSE with the error set: there is nothing to free. */
gboolean strobe_read_results_find(StrobeReadResults *found, const char *path,
                                  StrobeRegistry *registry, GError **error);
void strobe_read_results_clear(StrobeReadResults *found);

#endif
