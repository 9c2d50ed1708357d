/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `strobe show` without a table: where the time went, from the data in the result. */
#ifndef STROBE_TOOLS_SHOW_OVERVIEW_H
#define STROBE_TOOLS_SHOW_OVERVIEW_H

#include "pipeline.h"

typedef struct StrobeOverview StrobeOverview;

/* Reads the result: operators and kernels; without operators functions; without both the ranges
 * that the program marked. `passes` of StrobeConfigComponent, `limit` rows in a table. NULL: it
 * could not be read. */
StrobeOverview *strobe_overview_read(StrobeRegistry *registry, const StrobeResult *result,
                                     const GPtrArray *passes, guint limit, GError **error);
void strobe_overview_free(StrobeOverview *overview); /* NULL is fine */

/* FALSE: there is nothing to print. */
gboolean strobe_overview_has_rows(const StrobeOverview *overview);
/* To stdout: each table with a line above that explains its numbers. */
void strobe_overview_print(const StrobeOverview *overview);

#endif
