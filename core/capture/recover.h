/* SPDX-License-Identifier: Apache-2.0 */
/* Finishing the capture of a program that died, from its pool. */
#ifndef STROBE_CORE_RECOVER_H
#define STROBE_CORE_RECOVER_H

#include <glib.h>
#include "capture-writer.h"

/* See strobe_result_recover. `capture` is the path of the capture file. */
gboolean strobe_recover(const char *capture, gboolean *live, GError **error);

/* The same for the window that a writer was writing when its program ended: the capture is as
 * `writer` has left it. Returns 0 or an errno value. */
int strobe_recover_window(struct pool_header *pool, const StrobeCaptureWriter *writer);

/* The diagnostic for threads without a track (free it). */
char *strobe_trackless_text(guint32 n_threads);

#endif
