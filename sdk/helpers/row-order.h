/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the row sorter as they lie in memory, and how they are put in order. */
#ifndef STROBE_HELPERS_ROW_ORDER_H
#define STROBE_HELPERS_ROW_ORDER_H

#include <strobe/helpers/row-sorter.h>

/* What stands before a row's bytes in a run. */
typedef struct StrobeRowHead {
    StrobeRowKey key;
    uint64_t length;
} StrobeRowHead;

/* Its bytes lie at `offset`, behind those of the rows that came before it. */
typedef struct StrobeRow {
    StrobeRowHead head;
    size_t offset;
} StrobeRow;

static inline int strobe_row_keys_compare(StrobeRowKey a, StrobeRowKey b)
{
    if (a.major != b.major)
        return a.major < b.major ? -1 : 1;
    return (a.minor > b.minor) - (a.minor < b.minor);
}

/* By key, those of equal keys as they came. Takes memory for as many rows meanwhile, or is slower
 * where there is none. */
void strobe_rows_order(StrobeRow *rows, size_t n);

#endif
