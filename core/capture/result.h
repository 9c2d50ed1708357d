/* SPDX-License-Identifier: Apache-2.0 */
/* Finds result directories and captures; completes the captures of programs that have ended. */
#ifndef STROBE_CORE_RESULT_H
#define STROBE_CORE_RESULT_H

#include <glib.h>
#include "segments.h"

#define STROBE_OUTPUT_DIR "ASCEND_PROFILER_OUTPUT"

/* The files of a window. */
typedef struct StrobeResult {
    char *directory; /* the result directory; NULL if a capture or one segment was named */
    char *capture;   /* the capture's file; the newest segment if there are several */
    char *source;    /* for strobe_reader_open: the folder of all segments, or the named file */
} StrobeResult;

/* Finds the results at `path`: a result directory, a parent of result directories, a capture, or
 * one segment of a capture, which is then read alone. Returns a GPtrArray of StrobeResult, sorted
 * by name, never empty. */
GPtrArray *strobe_result_find(const char *path, GError **error);

/* Returns the rank in the name of the result's profiler_info_RANK.json, which is written last; -1
 * if there is none. A program may learn its rank after its capture has begun. */
gint strobe_result_rank(const StrobeResult *result);

/* If the program that wrote the capture has ended without completing it, adds the rest from the
 * program's pool, seals the capture and removes the pool. Does nothing for a sealed capture, for a
 * capture that is still being written (then sets *live, which may be NULL) and for a capture of
 * another user. May be called again. Waits up to a minute for a program that writes the rest of
 * the capture, and up to a second for the kernel to release a killed program. */
gboolean strobe_result_recover(const StrobeResult *result, gboolean *live, GError **error);

#endif
