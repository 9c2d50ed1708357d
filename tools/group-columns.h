/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of groups: the common values of their records, their number, and statistics of
 * their quantities. */
#ifndef STROBE_TOOLS_GROUP_COLUMNS_H
#define STROBE_TOOLS_GROUP_COLUMNS_H

#include "show-rows.h"

#define STROBE_GROUP_BY_MAX 8
/* Number of columns between those of the group and of the quantities. */
#define STROBE_GROUP_COUNT_WIDTH 1

typedef struct StrobeQuantity {
    StrobeColumn column; /* its cell is the stored value */
    const char *unit;
    gboolean is_integer;
} StrobeQuantity;

typedef struct StrobeGroupColumns {
    StrobeRows *rows; /* they receive the titles, and contain the request */
    StrobeColumnChoice choice;
    StrobeColumn by[STROBE_GROUP_BY_MAX];
    guint n_by;
    GArray *quantities; /* of StrobeQuantity */
    guint sort;         /* index of a column */
    gboolean largest_first;
} StrobeGroupColumns;

void strobe_group_columns_init(StrobeGroupColumns *columns, StrobeRows *rows);
void strobe_group_columns_clear(StrobeGroupColumns *columns);

/* Call it when the choice has seen a record or a kind. FALSE: a name is wrong, see rows->misuse. */
gboolean strobe_group_columns_choose(StrobeGroupColumns *columns);

#endif
