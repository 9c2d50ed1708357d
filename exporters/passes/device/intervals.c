/* SPDX-License-Identifier: Apache-2.0 */
#include "intervals.h"

GArray *intervals_new(void)
{
    return g_array_new(FALSE, FALSE, sizeof(Interval));
}

void intervals_add(GArray *set, gint64 begin_ns, gint64 end_ns)
{
    const Interval added = {begin_ns, MAX(begin_ns, end_ns)};

    g_array_append_val(set, added);
}

static gint compare_intervals(gconstpointer a, gconstpointer b)
{
    const Interval *x = a, *y = b;

    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

void intervals_merge(GArray *set)
{
    guint kept = 0;

    g_array_sort(set, compare_intervals);
    for (guint i = 0; i < set->len; i++) {
        Interval next = g_array_index(set, Interval, i);
        Interval *last = kept ? &g_array_index(set, Interval, kept - 1) : NULL;

        if (last && next.begin_ns <= last->end_ns)
            last->end_ns = MAX(last->end_ns, next.end_ns);
        else
            g_array_index(set, Interval, kept++) = next;
    }
    g_array_set_size(set, kept);
}

GArray *intervals_minus(const GArray *a, const GArray *b)
{
    GArray *out = intervals_new();
    guint at = 0;

    for (guint i = 0; i < a->len; i++) {
        Interval rest = g_array_index(a, Interval, i);

        while (at < b->len && g_array_index(b, Interval, at).end_ns <= rest.begin_ns)
            at++;
        for (guint k = at; k < b->len && rest.begin_ns < rest.end_ns; k++) {
            const Interval *cut = &g_array_index(b, Interval, k);

            if (cut->begin_ns >= rest.end_ns)
                break;
            if (cut->begin_ns > rest.begin_ns)
                intervals_add(out, rest.begin_ns, cut->begin_ns);
            rest.begin_ns = MAX(rest.begin_ns, cut->end_ns);
        }
        if (rest.begin_ns < rest.end_ns)
            g_array_append_val(out, rest);
    }
    return out;
}

GArray *intervals_union(const GArray *a, const GArray *b)
{
    GArray *out = intervals_new();

    g_array_append_vals(out, a->data, a->len);
    g_array_append_vals(out, b->data, b->len);
    intervals_merge(out);
    return out;
}
