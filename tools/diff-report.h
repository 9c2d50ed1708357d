/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the output of `strobe diff`: a table for people, JSON for programs. */
#ifndef STROBE_TOOLS_DIFF_REPORT_H
#define STROBE_TOOLS_DIFF_REPORT_H

#include <strobe/helpers/json-writer.h>

#include "diff-compare.h"

/* Prints the table, with at most `limit` rows. `all`: also prints rows whose difference is within
 * the noise. */
void strobe_diff_print(const StrobeDiff *diff, guint limit, gboolean all);
void strobe_diff_write(const StrobeDiff *diff, guint limit, gboolean all, StrobeJsonWriter *json);

/* Returns the word for --by that requests the comparison `by` (StrobeDiffBy). NULL: `by` is larger
 * than the last one. */
const char *strobe_diff_by_name(guint by);

#endif
