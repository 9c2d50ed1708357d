/* SPDX-License-Identifier: Apache-2.0 */
/* Finding result directories and captures; finishing those of programs that died. */
#ifndef STROBE_CORE_RESULT_H
#define STROBE_CORE_RESULT_H

#include <glib.h>
#include "segments.h"

#define STROBE_OUTPUT_DIR "ASCEND_PROFILER_OUTPUT"

/* A window's results on disk. */
typedef struct StrobeResult {
    char *directory; /* the result directory; NULL when a bare capture, or one segment, was named */
    char *capture;   /* the capture's file; of several segments the newest */
    char *source;    /* for strobe_reader_open: the folder of all segments, or the file named */
} StrobeResult;

/* `path` is a result directory, the parent of result directories, a capture, or one segment of a
 * capture, which then is taken alone. Returns a GPtrArray of StrobeResult, sorted by name, never
 * empty. */
GPtrArray *strobe_result_find(const char *path, GError **error);

/* The rank in the name of the result's profiler_info_RANK.json, which is written last; -1 if there
 * is none. A program may learn its rank when its capture has begun. */
gint strobe_result_rank(const StrobeResult *result);

/* If the program that wrote the capture is gone and left it open, adds what its pool still holds,
 * seals it and removes the pool. Does nothing to a sealed capture, to one still being written
 * (*live is set, may be NULL) and to another user's. Idempotent. */
gboolean strobe_result_recover(const StrobeResult *result, gboolean *live, GError **error);

#endif
