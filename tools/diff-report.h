/* SPDX-License-Identifier: Apache-2.0 */
/* What `strobe diff` says: a table for people, JSON for programs. */
#ifndef STROBE_TOOLS_DIFF_REPORT_H
#define STROBE_TOOLS_DIFF_REPORT_H

#include <strobe/helpers/json-writer.h>

#include "diff-compare.h"

/* `all`: rows within the noise too. At most `limit` rows. */
void strobe_diff_print(const StrobeDiff *diff, guint limit, gboolean all);
void strobe_diff_write(const StrobeDiff *diff, guint limit, gboolean all, StrobeJsonWriter *json);

/* The name of what is compared, as in --by; NULL beyond the last. */
const char *strobe_diff_by_name(guint by);

#endif
