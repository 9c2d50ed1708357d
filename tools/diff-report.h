/* SPDX-License-Identifier: Apache-2.0 */
/* Output of `strobe diff`: a table for people, JSON for programs. */
#ifndef STROBE_TOOLS_DIFF_REPORT_H
#define STROBE_TOOLS_DIFF_REPORT_H

#include <strobe/helpers/json-writer.h>

#include "diff-compare.h"

/* `all`: includes rows within the noise. At most `limit` rows. */
void strobe_diff_print(const StrobeDiff *diff, guint limit, gboolean all);
void strobe_diff_write(const StrobeDiff *diff, guint limit, gboolean all, StrobeJsonWriter *json);

/* The --by name of the comparison; NULL after the last. */
const char *strobe_diff_by_name(guint by);

#endif
