/* SPDX-License-Identifier: Apache-2.0 */
/* Explains why a table has no rows, and which collectors would fill it. */
#ifndef STROBE_TOOLS_SHOW_EMPTY_H
#define STROBE_TOOLS_SHOW_EMPTY_H

#include <glib.h>

#include "pipeline.h"

/* Returns the number of records of a kind in a result; 0 if it could not be read. `passes` (of
 * StrobeConfigComponent): options of passes. */
guint64 strobe_show_count(StrobeRegistry *registry, const StrobeResult *result, const char *kind,
                          const GPtrArray *passes);

/* Returns the names of the operators that took longest, at most ten, in quotes and printable (free
 * it). NULL: there are none. */
char *strobe_show_top_names(StrobeRegistry *registry, const StrobeResult *result);

/* Returns the names of the collectors that record the kind or its inputs, joined by ", "; NULL:
 * none. Free it. */
char *strobe_show_collectors(StrobeRegistry *registry, const char *kind);

/* Returns a sentence that names the collectors which record functions, operators and kernels. Free
 * it. */
char *strobe_show_advice(StrobeRegistry *registry);

#endif
