/* SPDX-License-Identifier: Apache-2.0 */
/* Completes the capture of a program that has ended, from the program's pool. */
#ifndef STROBE_CORE_RECOVER_H
#define STROBE_CORE_RECOVER_H

#include <glib.h>
#include "capture-writer.h"

/* Does what strobe_result_recover describes, for the capture file at the path `capture`. */
gboolean strobe_recover(const char *capture, gboolean *live, GError **error);

/* Completes the current window's capture in the writer, after the program has ended; `writer` has
 * written the capture so far. Returns 0 or an errno value. */
int strobe_recover_window(struct pool_header *pool, const StrobeCaptureWriter *writer);

/* Returns the text of the diagnostic for threads without a track (free it). */
char *strobe_trackless_text(guint32 n_threads);

#endif
