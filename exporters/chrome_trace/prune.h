/* SPDX-License-Identifier: Apache-2.0 */
/* What the original takes out of a trace of level 0. */
#ifndef STROBE_CHROME_TRACE_PRUNE_H
#define STROBE_CHROME_TRACE_PRUNE_H

#include <glib.h>

/* Is an event of this name left out? */
gboolean prune_has_prefix(const char *name, gsize length);
/* Is an M event left out that gives this name? */
gboolean prune_has_name(const char *name);

#endif
