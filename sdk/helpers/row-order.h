/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that a row sorter has in memory, and their order. No part of the interface. */
#ifndef STROBE_HELPERS_ROW_ORDER_H
#define STROBE_HELPERS_ROW_ORDER_H

#include <stddef.h>
#include <strobe/helpers/row-sorter.h>

/* What stands before a row's bytes where they are written one after another. */
typedef struct StrobeRowHead {
    StrobeRowKey key;
    uint64_t length;
} StrobeRowHead;

/* A row in memory, and where its bytes are, from the end of a block; of later ones it is more. */
typedef struct StrobeRow {
    StrobeRowHead head;
    size_t offset;
} StrobeRow;

static inline int row_order_compare(StrobeRowKey a, StrobeRowKey b)
{
    if (a.major != b.major)
        return a.major < b.major ? -1 : 1;
    return (a.minor > b.minor) - (a.minor < b.minor);
}

/* Those of equal keys stay as they came. Takes memory for half as many meanwhile, or is slower
 * where there is none. */
void strobe_row_order_sort(StrobeRow *rows, size_t n);

#endif
