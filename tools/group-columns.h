/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of groups of records: the values that the records of a group share, their number, and
 * statistics of their quantities. */
#ifndef STROBE_TOOLS_GROUP_COLUMNS_H
#define STROBE_TOOLS_GROUP_COLUMNS_H

#include "show-rows.h"

#define STROBE_GROUP_BY_MAX 8
/* Number of columns between the columns of the group and those of the quantities. */
#define STROBE_GROUP_COUNT_WIDTH 1

typedef struct StrobeQuantity {
    StrobeColumn column; /* the column that has the stored value */
    const char *unit;
    gboolean is_integer;
} StrobeQuantity;

typedef struct StrobeGroupColumns {
    StrobeRows *rows; /* contains the request, and gets the titles */
    StrobeColumnChoice choice;
    StrobeColumn by[STROBE_GROUP_BY_MAX];
    guint n_by;
    GArray *quantities; /* of StrobeQuantity */
    guint sort;         /* index of the column by which groups are sorted */
    gboolean largest_first;
} StrobeGroupColumns;

void strobe_group_columns_init(StrobeGroupColumns *columns, StrobeRows *rows);
void strobe_group_columns_clear(StrobeGroupColumns *columns);

/* Chooses the columns that the request names, or the default ones. The caller must first give a
 * record or a kind to the StrobeColumnChoice. FALSE: a requested name is wrong; rows->misuse has
 * the message. */
gboolean strobe_group_columns_choose(StrobeGroupColumns *columns);

#endif
