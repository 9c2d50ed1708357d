/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the events that the Ascend profiler removes from a trace of level 0. */
#ifndef STROBE_CHROME_TRACE_PRUNE_H
#define STROBE_CHROME_TRACE_PRUNE_H

#include <glib.h>

/* Returns whether events with this name are removed. */
gboolean prune_has_prefix(const char *name, gsize length);
/* Returns whether M events that set this name are removed. */
gboolean prune_has_name(const char *name);

#endif
