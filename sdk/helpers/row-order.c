/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows mostly come nearly in order, or as a few ordered sequences one after another. So they are
 * merged from short sorted stretches, and of two neighbours only what overlaps is touched.
 */
#include "row-order.h"

#include <stdlib.h>
#include <string.h>

#define STRETCH ((size_t)32) /* is put in order by moving rows one by one */

static inline int is_before(const StrobeRow *a, const StrobeRow *b)
{
    return row_order_compare(a->head.key, b->head.key) < 0;
}

/* For qsort, which does not keep equal rows as they came. */
static int compare_rows(const void *a, const void *b)
{
    const StrobeRow *x = a, *y = b;
    int order = row_order_compare(x->head.key, y->head.key);

    return order ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

static void sort_stretch(StrobeRow *rows, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        StrobeRow moved;
        size_t to = i;

        if (!is_before(&rows[i], &rows[i - 1]))
            continue;
        moved = rows[i];
        for (; to > 0 && is_before(&moved, &rows[to - 1]); to--)
            rows[to] = rows[to - 1];
        rows[to] = moved;
    }
}

/* How many of the sorted rows are not behind `row`, or with `or_equal` 0, before it. */
static size_t count_before(const StrobeRow *rows, size_t n, const StrobeRow *row, int or_equal)
{
    size_t from = 0;

    while (n) {
        const size_t half = n / 2;
        const int is_in =
            or_equal ? !is_before(row, &rows[from + half]) : is_before(&rows[from + half], row);

        if (is_in) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return from;
}

/* Two that overlap; the first one, no longer than the second, makes room for both. */
static void merge_up(StrobeRow *rows, size_t n_first, size_t n, StrobeRow *room)
{
    const StrobeRow *first = room, *end = room + n_first;
    const StrobeRow *second = rows + n_first, *second_end = rows + n;

    memcpy(room, rows, n_first * sizeof *room);
    while (first < end)
        *rows++ = second < second_end && is_before(second, first) ? *second++ : *first++;
}

/* The same from the end, where the second one is shorter. */
static void merge_down(StrobeRow *rows, size_t n_first, size_t n, StrobeRow *room)
{
    const StrobeRow *second = room + (n - n_first);
    const StrobeRow *first = rows + n_first;
    StrobeRow *to = rows + n;

    memcpy(room, first, (n - n_first) * sizeof *room);
    while (second > room)
        *--to = first > rows && is_before(second - 1, first - 1) ? *--first : *--second;
}

static void merge(StrobeRow *rows, size_t n_first, size_t n, StrobeRow *room)
{
    size_t skipped, n_second;

    if (!is_before(&rows[n_first], &rows[n_first - 1]))
        return;
    skipped = count_before(rows, n_first, &rows[n_first], 1);
    n_second = count_before(rows + n_first, n - n_first, &rows[n_first - 1], 0);
    rows += skipped;
    n_first -= skipped;
    if (n_first <= n_second)
        merge_up(rows, n_first, n_first + n_second, room);
    else
        merge_down(rows, n_first, n_first + n_second, room);
}

void strobe_row_order_sort(StrobeRow *rows, size_t n)
{
    StrobeRow *room = n > STRETCH ? malloc(n / 2 * sizeof *room) : NULL;

    if (n > STRETCH && !room) {
        qsort(rows, n, sizeof *rows, compare_rows);
        return;
    }
    for (size_t i = 0; i < n; i += STRETCH)
        sort_stretch(rows + i, n - i < STRETCH ? n - i : STRETCH);
    for (size_t length = STRETCH; length < n; length *= 2)
        for (size_t i = 0; n - i > length; i += 2 * length) {
            merge(rows + i, length, n - i < 2 * length ? n - i : 2 * length, room);
            if (n - i < 2 * length)
                break;
        }
    free(room);
}
