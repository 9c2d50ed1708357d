/* SPDX-License-Identifier: Apache-2.0 */
/* Completes the capture of a dead program from its pool. */
#ifndef STROBE_CORE_RECOVER_H
#define STROBE_CORE_RECOVER_H

#include <glib.h>
#include "capture-writer.h"

/* See strobe_result_recover. `capture` is the path of the capture file. */
gboolean strobe_recover(const char *capture, gboolean *live, GError **error);

/* The same for the current window of a writer whose program ended: the capture is in the state
 * in which `writer` left it. Returns 0 or an errno value. */
int strobe_recover_window(struct pool_header *pool, const StrobeCaptureWriter *writer);

/* The diagnostic for threads without a track (free it). */
char *strobe_trackless_text(guint32 n_threads);

#endif
