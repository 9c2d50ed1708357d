/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of a table's records for `strobe show --group-by`: their number, and sum, mean, p50,
 * p95 and max of their quantities. */
#ifndef STROBE_TOOLS_SHOW_GROUPS_H
#define STROBE_TOOLS_SHOW_GROUPS_H

#include "show-rows.h"

/* The table whose rows are groups: request.group_by names the columns of the group,
 * request.columns the quantities (NULL: the duration of spans and each number with a unit). p50
 * and p95 are values of records (nearest rank). Groups and their statistics are in memory; the
 * host sorts the values. */
typedef struct StrobeGroups StrobeGroups;

StrobeGroups *strobe_groups_new(StrobeRows *rows);
void strobe_groups_free(StrobeGroups *groups);
StrobeShowTable strobe_groups_table(StrobeGroups *groups);

#endif
