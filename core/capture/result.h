/* SPDX-License-Identifier: Apache-2.0 */
/* Finds result directories and captures; completes those of dead programs. */
#ifndef STROBE_CORE_RESULT_H
#define STROBE_CORE_RESULT_H

#include <glib.h>
#include "segments.h"

#define STROBE_OUTPUT_DIR "ASCEND_PROFILER_OUTPUT"

/* The files of a window. */
typedef struct StrobeResult {
    char *directory; /* the result directory; NULL if a capture or one segment was named */
    char *capture;   /* the capture's file; the newest if there are several segments */
    char *source;    /* for strobe_reader_open: the folder of all segments, or the named file */
} StrobeResult;

/* `path` is a result directory, a parent of result directories, a capture, or one segment of a
 * capture, which is then read alone. Returns a GPtrArray of StrobeResult, sorted by name, never
 * empty. */
GPtrArray *strobe_result_find(const char *path, GError **error);

/* The rank in the name of the result's profiler_info_RANK.json, which is written last; -1 if
 * there is none. A program may learn its rank after its capture has begun. */
gint strobe_result_rank(const StrobeResult *result);

/* If the program that wrote the capture is gone and left it open, adds the rest from its pool,
 * seals it and removes the pool. Does nothing for a sealed capture, for one that is still being
 * written (then sets *live, which may be NULL) and for another user's. Idempotent. */
gboolean strobe_result_recover(const StrobeResult *result, gboolean *live, GError **error);

#endif
