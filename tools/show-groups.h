/* SPDX-License-Identifier: Apache-2.0 */
/* Groups the records of a table for `strobe show --group-by`: counts the records of each group, and
 * computes sum, mean, p50, p95 and max of their quantities. */
#ifndef STROBE_TOOLS_SHOW_GROUPS_H
#define STROBE_TOOLS_SHOW_GROUPS_H

#include "show-rows.h"

/* A table whose rows are groups of records. request.group_by names the columns that the records of
 * a group share, request.columns the quantities (NULL: the duration of spans and each number with a
 * unit). p50 and p95 are values of records (nearest rank). Groups and statistics are in memory; the
 * values are sorted by the host, partly on disk. */
typedef struct StrobeGroups StrobeGroups;

StrobeGroups *strobe_groups_new(StrobeRows *rows);
void strobe_groups_free(StrobeGroups *groups);
StrobeShowTable strobe_groups_table(StrobeGroups *groups);

#endif
