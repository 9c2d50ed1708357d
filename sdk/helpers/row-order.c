/* SPDX-License-Identifier: Apache-2.0 */
#include "row-order.h"

#include <stdlib.h>
#include <string.h>

#define DIGIT_BITS 11u
#define DIGITS (1u << DIGIT_BITS)
#define FEW 1024u /* a comparing sort is as fast for so many */

/* Numbers in the order of the signed ones. */
typedef uint64_t (*KeyPart)(const StrobeRow *row);

static uint64_t major_of(const StrobeRow *row)
{
    return (uint64_t)row->head.key.major ^ (uint64_t)1 << 63;
}

static uint64_t minor_of(const StrobeRow *row)
{
    return (uint64_t)row->head.key.minor ^ (uint64_t)1 << 63;
}

static int compare_rows(const void *a, const void *b)
{
    const StrobeRow *x = a, *y = b;
    int order = strobe_row_keys_compare(x->head.key, y->head.key);

    return order ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

/* One round: by the digit at `shift`, those of one digit as they lie. */
static inline void order_by_digit(const StrobeRow *from, StrobeRow *to, size_t n, KeyPart part,
                                  uint64_t least, unsigned shift)
{
    size_t places[DIGITS] = {0}, at = 0;

    for (size_t i = 0; i < n; i++)
        places[(part(&from[i]) - least) >> shift & (DIGITS - 1)]++;
    for (unsigned i = 0; i < DIGITS; i++) {
        size_t count = places[i];

        places[i] = at;
        at += count;
    }
    for (size_t i = 0; i < n; i++)
        to[places[(part(&from[i]) - least) >> shift & (DIGITS - 1)]++] = from[i];
}

/* Keys of one sorter lie close together: a few rounds. Returns which of both has the rows then. */
static inline StrobeRow *order_by_part(StrobeRow *from, StrobeRow *to, size_t n, KeyPart part)
{
    uint64_t least = UINT64_MAX, most = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t key = part(&from[i]);

        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    for (unsigned shift = 0; shift < 64 && (most - least) >> shift; shift += DIGIT_BITS) {
        StrobeRow *ordered = to;

        order_by_digit(from, to, n, part, least, shift);
        to = from;
        from = ordered;
    }
    return from;
}

void strobe_rows_order(StrobeRow *rows, size_t n)
{
    StrobeRow *other = n > FEW ? malloc(n * sizeof *other) : NULL, *ordered;

    if (!other) {
        qsort(rows, n, sizeof *rows, compare_rows);
        return;
    }
    ordered = order_by_part(rows, other, n, minor_of);
    ordered = order_by_part(ordered, ordered == rows ? other : rows, n, major_of);
    if (ordered != rows)
        memcpy(rows, ordered, n * sizeof *rows);
    free(other);
}
