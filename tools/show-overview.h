/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the output of `strobe show` without a table: where the time went, from the data in the
 * result. */
#ifndef STROBE_TOOLS_SHOW_OVERVIEW_H
#define STROBE_TOOLS_SHOW_OVERVIEW_H

#include "pipeline.h"

typedef struct StrobeOverview StrobeOverview;

/* Reads the result: operators and kernels; if there are no operators, functions; if there are
 * neither, the ranges that the program marked. `passes` (of StrobeConfigComponent): options of
 * passes. `limit`: number of rows in a table. NULL: the result could not be read. */
StrobeOverview *strobe_overview_read(StrobeRegistry *registry, const StrobeResult *result,
                                     const GPtrArray *passes, guint limit, GError **error);
void strobe_overview_free(StrobeOverview *overview); /* NULL is fine */

/* Whether there is anything to print. */
gboolean strobe_overview_has_rows(const StrobeOverview *overview);
/* Prints each table on stdout, with a line above it that explains its numbers. */
void strobe_overview_print(const StrobeOverview *overview);

#endif
