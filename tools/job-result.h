/* SPDX-License-Identifier: Apache-2.0 */
/* The results that a command reads; a JOB directory of a camera board is imported for it. */
#ifndef STROBE_TOOLS_JOB_RESULT_H
#define STROBE_TOOLS_JOB_RESULT_H

#include "folder.h"
#include "registry.h"
#include "result.h"

typedef struct StrobeReadResults {
    GPtrArray *results;        /* of StrobeResult, never empty */
    StrobeFreshFolder scratch; /* has the capture of a JOB */
    const char *job;           /* NULL: none; else its path, lent, for what people read: the path
                                  of the temporary capture helps no one */
} StrobeReadResults;

/* As strobe_result_find(). Of a JOB it imports the data into a temporary capture, and prints on
 * stderr what is damaged; the result's directory is the JOB, into which nothing is written. FALSE
 * with the error set, nothing held. */
gboolean strobe_read_results_find(StrobeReadResults *found, const char *path,
                                  StrobeRegistry *registry, GError **error);
void strobe_read_results_clear(StrobeReadResults *found);

#endif
