/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/intervals.h>

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64u
#define FIRST_GAP_NS 1000

void strobe_intervals_clear(StrobeIntervals *set)
{
    free(set->items);
    *set = (StrobeIntervals){0};
}

/* Makes room for `n` intervals. Returns -1 when out of memory. */
static int make_room(StrobeIntervals *set, size_t n)
{
    size_t room = set->room ? set->room : FIRST_ROOM;
    StrobeInterval *grown;

    if (n <= set->room)
        return 0;
    while (room < n)
        room *= 2;
    grown = realloc(set->items, room * sizeof *grown);
    if (!grown) {
        set->is_short = 1;
        return -1;
    }
    set->items = grown;
    set->room = room;
    return 0;
}

void strobe_intervals_add(StrobeIntervals *set, int64_t begin_ns, int64_t end_ns)
{
    if (make_room(set, set->n + 1) == 0)
        set->items[set->n++] = (StrobeInterval){begin_ns, end_ns > begin_ns ? end_ns : begin_ns};
}

void strobe_intervals_append(StrobeIntervals *set, const StrobeIntervals *other)
{
    set->is_short |= other->is_short;
    if (other->n == 0 || make_room(set, set->n + other->n))
        return;
    memcpy(set->items + set->n, other->items, other->n * sizeof *other->items);
    set->n += other->n;
}

static int compare_intervals(const void *a, const void *b)
{
    const StrobeInterval *x = a, *y = b;

    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

/* Is the gap between the intervals at most `gap_ns`? Times come from files, so their difference may
 * not fit an int64_t. */
static int is_near(const StrobeInterval *last, const StrobeInterval *next, int64_t gap_ns)
{
    return next->begin_ns <= last->end_ns ||
           (uint64_t)next->begin_ns - (uint64_t)last->end_ns <= (uint64_t)gap_ns;
}

void strobe_intervals_merge_near(StrobeIntervals *set, int64_t gap_ns)
{
    size_t kept = 0;

    if (set->n == 0)
        return;
    qsort(set->items, set->n, sizeof *set->items, compare_intervals);
    for (size_t i = 1; i < set->n; i++) {
        StrobeInterval *last = &set->items[kept];
        const StrobeInterval next = set->items[i];

        if (!is_near(last, &next, gap_ns))
            set->items[++kept] = next;
        else if (next.end_ns > last->end_ns)
            last->end_ns = next.end_ns;
    }
    set->n = kept + 1;
}

void strobe_intervals_merge(StrobeIntervals *set)
{
    strobe_intervals_merge_near(set, 0);
}

int64_t strobe_intervals_coarsen(StrobeIntervals *set, size_t n, int64_t gap_ns)
{
    strobe_intervals_merge_near(set, gap_ns);
    while (set->n > n) {
        gap_ns = gap_ns ? (gap_ns > INT64_MAX / 2 ? INT64_MAX : 2 * gap_ns) : FIRST_GAP_NS;
        strobe_intervals_merge_near(set, gap_ns);
        if (gap_ns == INT64_MAX)
            break;
    }
    return gap_ns;
}

/* Adds to `out` the parts of `rest` that are in none of the intervals `cuts`, which are compared
 * from index `at` on. */
static void add_uncovered(StrobeIntervals *out, StrobeInterval rest, const StrobeIntervals *cuts,
                          size_t at)
{
    for (; at < cuts->n && cuts->items[at].begin_ns < rest.end_ns; at++) {
        const StrobeInterval *cut = &cuts->items[at];

        if (cut->begin_ns > rest.begin_ns)
            strobe_intervals_add(out, rest.begin_ns, cut->begin_ns);
        if (cut->end_ns > rest.begin_ns)
            rest.begin_ns = cut->end_ns;
        if (rest.begin_ns >= rest.end_ns)
            return;
    }
    if (rest.begin_ns < rest.end_ns)
        strobe_intervals_add(out, rest.begin_ns, rest.end_ns);
}

void strobe_intervals_subtract(const StrobeIntervals *a, const StrobeIntervals *b,
                               StrobeIntervals *out)
{
    size_t at = 0;

    out->is_short |= a->is_short | b->is_short;
    for (size_t i = 0; i < a->n; i++) {
        while (at < b->n && b->items[at].end_ns <= a->items[i].begin_ns)
            at++;
        add_uncovered(out, a->items[i], b, at);
    }
}

void strobe_intervals_unite(const StrobeIntervals *a, const StrobeIntervals *b,
                            StrobeIntervals *out)
{
    strobe_intervals_append(out, a);
    strobe_intervals_append(out, b);
    strobe_intervals_merge(out);
}

int64_t strobe_intervals_length(const StrobeIntervals *set)
{
    uint64_t sum = 0; /* unsigned, so that an overflow is defined: times come from files and may
                         have any value */

    for (size_t i = 0; i < set->n; i++)
        sum += (uint64_t)set->items[i].end_ns - (uint64_t)set->items[i].begin_ns;
    return (int64_t)sum;
}

/* Returns the index of the first interval that ends after the time; the number of intervals if
 * there is none. */
static size_t first_after(const StrobeIntervals *set, int64_t at_ns)
{
    size_t low = 0, high = set->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (set->items[middle].end_ns <= at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t strobe_intervals_covered(const StrobeIntervals *set, int64_t begin_ns, int64_t end_ns)
{
    uint64_t sum = 0;

    for (size_t i = first_after(set, begin_ns); i < set->n && set->items[i].begin_ns < end_ns;
         i++) {
        const StrobeInterval *each = &set->items[i];
        const int64_t from = each->begin_ns > begin_ns ? each->begin_ns : begin_ns;
        const int64_t to = each->end_ns < end_ns ? each->end_ns : end_ns;

        sum += (uint64_t)to - (uint64_t)from;
    }
    return (int64_t)sum;
}
