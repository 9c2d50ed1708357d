/* SPDX-License-Identifier: Apache-2.0 */
/* Finding result directories and captures; finishing those of programs that died. */
#ifndef STROBE_CORE_RESULT_H
#define STROBE_CORE_RESULT_H

#include <glib.h>

#define STROBE_CAPTURE_NAME "capture.strobe"
#define STROBE_FRAMEWORK_DIR "FRAMEWORK"
#define STROBE_OUTPUT_DIR "ASCEND_PROFILER_OUTPUT"

/* A window's results on disk. */
typedef struct StrobeResult {
    char *directory; /* the result directory; NULL when a bare capture was named */
    char *capture;
} StrobeResult;

/* `path` is a result directory, the parent of result directories, or a capture. Returns a GPtrArray
 * of StrobeResult, sorted by name, never empty. */
GPtrArray *strobe_result_find(const char *path, GError **error);

/* If the program that wrote the capture is gone and left it open, adds what its pool still holds,
 * seals it and removes the pool. Does nothing to a sealed capture or one still being written
 * (*live is set, may be NULL). Idempotent. */
gboolean strobe_result_recover(const StrobeResult *result, gboolean *live, GError **error);

#endif
