/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of groups: what their records have in common, their number, and statistics of their
 * quantities. */
#ifndef STROBE_TOOLS_GROUP_COLUMNS_H
#define STROBE_TOOLS_GROUP_COLUMNS_H

#include "show-rows.h"

#define STROBE_GROUP_BY_MAX 8
#define STROBE_GROUP_COUNT_WIDTH 1 /* columns between those of the group and of the quantities */

typedef struct StrobeQuantity {
    StrobeColumn column; /* its cell is the value as stored */
    const char *unit;
    gboolean is_integer;
} StrobeQuantity;

typedef struct StrobeGroupColumns {
    StrobeRows *rows; /* whose titles they become, and whose request says what is wanted */
    StrobeColumnChoice choice;
    StrobeColumn by[STROBE_GROUP_BY_MAX];
    guint n_by;
    GArray *quantities; /* of StrobeQuantity */
    guint sort;         /* column of the rows */
    gboolean largest_first;
} StrobeGroupColumns;

void strobe_group_columns_init(StrobeGroupColumns *columns, StrobeRows *rows);
void strobe_group_columns_clear(StrobeGroupColumns *columns);

/* Once the choice has seen a record or a kind. FALSE: a name is wrong, see rows->misuse. */
gboolean strobe_group_columns_choose(StrobeGroupColumns *columns);

#endif
