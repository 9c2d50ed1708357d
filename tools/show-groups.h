/* SPDX-License-Identifier: Apache-2.0 */
/* Records of a table in groups, of `strobe show --group-by`: how many there are of each, and sum,
 * mean, p50, p95 and max of its quantities. */
#ifndef STROBE_TOOLS_SHOW_GROUPS_H
#define STROBE_TOOLS_SHOW_GROUPS_H

#include "show-rows.h"

/* The table that makes the rows of their groups: request.group_by names the columns that the
 * records of a group have in common, request.columns the quantities (NULL: the duration of spans
 * and each number that has a unit). p50 and p95 are values of records (nearest rank). Groups and
 * what is known of them are kept in memory, the values are sorted by the host. */
typedef struct StrobeGroups StrobeGroups;

StrobeGroups *strobe_groups_new(StrobeRows *rows);
void strobe_groups_free(StrobeGroups *groups);
StrobeShowTable strobe_groups_table(StrobeGroups *groups);

#endif
