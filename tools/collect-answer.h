/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the outcome of `strobe svp collect`. */
#ifndef STROBE_TOOLS_COLLECT_ANSWER_H
#define STROBE_TOOLS_COLLECT_ANSWER_H

#include "board-properties.h"
#include "board-run.h"
#include "job-fetch.h"
#include "upload.h"

typedef struct StrobeCollectAnswer {
    const GPtrArray *jobs; /* paths of the JOBs */
    const StrobeBoardProperties *properties;
    gint64 clock_error_ns;
    const StrobeChannelEnd *end; /* NULL: the program did not run */
    const char *recorder;
    const StrobeUploadTotals *sent;
    const StrobeFetchTotals *fetched;
} StrobeCollectAnswer;

/* Prints the path of each JOB on a line. If `is_json`, prints one JSON object about the whole
 * collect instead. */
void strobe_collect_answer_print(const StrobeCollectAnswer *answer, gboolean is_json);

#endif
