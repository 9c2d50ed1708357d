/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a sorter in memory: they stay where they are, so that nothing is copied as they grow. */
#ifndef STROBE_HELPERS_HELD_ROWS_H
#define STROBE_HELPERS_HELD_ROWS_H

#include <stdbool.h>
#include <strobe/helpers/row-sorter.h>

/* What stands before a row's bytes, in memory and in a run. */
typedef struct HeldRow {
    StrobeRowKey key;
    uint64_t length;
} HeldRow;

typedef struct RowChunk RowChunk;

/* Starts with zeros. */
typedef struct HeldRows {
    RowChunk *chunks, *chunk; /* all, and the one that is being filled */
    size_t used, n;           /* bytes, and how many rows there are */
    bool is_mixed;            /* they did not come in order */
    StrobeRowKey newest;
} HeldRows;

void held_rows_clear(HeldRows *rows); /* frees */
/* Copies a row. 0 or ENOMEM. */
int held_rows_add(HeldRows *rows, StrobeRowKey key, const char *bytes, size_t length);
/* Of memory, with what it takes to put them in order. */
size_t held_rows_bytes(const HeldRows *rows);
/* Calls for all in order of their keys, those of equal keys as they came, until a call returns an
 * errno value, which is returned. A row's bytes follow its head. */
int held_rows_each(const HeldRows *rows, int (*call)(void *user, const HeldRow *row), void *user);
/* There are none any more; of the memory so much is kept for others. */
void held_rows_forget(HeldRows *rows, size_t bytes);

#endif
