/* SPDX-License-Identifier: Apache-2.0 */
/* Why a table has no rows, and what would fill it. */
#ifndef STROBE_TOOLS_SHOW_EMPTY_H
#define STROBE_TOOLS_SHOW_EMPTY_H

#include <glib.h>

#include "pipeline.h"

/* How many records of a kind a result has; `passes` of StrobeConfigComponent. 0: it could not be
 * read, too. */
guint64 strobe_show_count(StrobeRegistry *registry, const StrobeResult *result, const char *kind,
                          const GPtrArray *passes);

/* The names of the operators that took longest, ten at most, in quotes and printable; NULL: there
 * are none. */
char *strobe_show_top_names(StrobeRegistry *registry, const StrobeResult *result);

/* Names of the collectors that record what the kind is, or is derived from, joined by ", "; NULL:
 * there are none. Free it. */
char *strobe_show_collectors(StrobeRegistry *registry, const char *kind);

/* A sentence: which collectors record functions, operators and kernels. Free it. */
char *strobe_show_advice(StrobeRegistry *registry);

#endif
