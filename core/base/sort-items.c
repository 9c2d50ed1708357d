/* SPDX-License-Identifier: Apache-2.0 */
#include "sort-items.h"

#include <stdlib.h>
#include <string.h>

#define DIGIT_BITS 11u
#define DIGITS (1u << DIGIT_BITS)
#define FEW 4096u /* a comparing sort is as fast for so many */

static int compare_items(const void *a, const void *b)
{
    return strobe_sort_item_before(a, b) ? -1 : strobe_sort_item_before(b, a);
}

/* One round: by the digit at `shift` of the end, those of one digit as they lie. */
static void sort_digit(const StrobeSortItem *from, StrobeSortItem *to, gsize n, gint64 least,
                       guint shift)
{
    gsize places[DIGITS] = {0}, at = 0;

    for (gsize i = 0; i < n; i++)
        places[((guint64)from[i].end - (guint64)least) >> shift & (DIGITS - 1)]++;
    for (guint i = 0; i < DIGITS; i++) {
        gsize count = places[i];

        places[i] = at;
        at += count;
    }
    for (gsize i = 0; i < n; i++)
        to[places[((guint64)from[i].end - (guint64)least) >> shift & (DIGITS - 1)]++] = from[i];
}

/* Those of one end. */
static void sort_equal(StrobeSortItem *items, gsize n)
{
    for (gsize begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && items[end].end == items[begin].end;)
            end++;
        if (end > begin + 1)
            qsort(items + begin, end - begin, sizeof *items, compare_items);
    }
}

void strobe_sort_items(StrobeSortItem *items, gsize n)
{
    StrobeSortItem *other = n > FEW ? g_try_new(StrobeSortItem, n) : NULL;
    StrobeSortItem *from = items, *to = other;
    gint64 least = G_MAXINT64, most = G_MININT64;

    if (!other) {
        qsort(items, n, sizeof *items, compare_items);
        return;
    }
    for (gsize i = 0; i < n; i++) {
        least = MIN(least, items[i].end);
        most = MAX(most, items[i].end);
    }
    for (guint shift = 0; shift < 64 && ((guint64)most - (guint64)least) >> shift;
         shift += DIGIT_BITS) {
        StrobeSortItem *sorted = to;

        sort_digit(from, to, n, least, shift);
        to = from;
        from = sorted;
    }
    if (from != items)
        memcpy(items, from, n * sizeof *items);
    g_free(other);
    sort_equal(items, n);
}
