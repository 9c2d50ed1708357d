/* SPDX-License-Identifier: Apache-2.0 */
#include "host-spans.h"

#include <strobe/helpers/keyed-hash.h>

typedef struct Span {
    gint64 begin_ns, end_ns;
    guint64 id;
} Span;

struct HostSpans {
    GHashTable *by_thread; /* thread -> GArray of Span, sorted and without overlap */
    guint64 last_thread;   /* a cache, because successive spans are mostly of the same thread */
    GArray *last;          /* the list of last_thread; NULL: none yet */
};

HostSpans *host_spans_new(void)
{
    HostSpans *spans = g_new0(HostSpans, 1);

    spans->by_thread = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free,
                                             (GDestroyNotify)g_array_unref);
    return spans;
}

void host_spans_free(HostSpans *spans)
{
    if (!spans)
        return;
    g_hash_table_unref(spans->by_thread);
    g_free(spans);
}

gboolean host_spans_is_empty(const HostSpans *spans)
{
    return g_hash_table_size(spans->by_thread) == 0;
}

static GArray *list_of(HostSpans *spans, guint64 thread)
{
    GArray *list;

    if (spans->last && spans->last_thread == thread)
        return spans->last;
    list = g_hash_table_lookup(spans->by_thread, &thread);
    if (!list && g_hash_table_size(spans->by_thread) < HOST_THREADS_MAX) {
        list = g_array_new(FALSE, FALSE, sizeof(Span));
        g_hash_table_insert(spans->by_thread, g_memdup2(&thread, sizeof thread), list);
    }
    spans->last_thread = thread;
    spans->last = list;
    return list;
}

/* Returns the index of the first span that ends at this time or later. */
static guint first_behind(const GArray *list, gint64 ns)
{
    guint low = 0, high = list->len;

    if (high == 0 || g_array_index(list, Span, high - 1).end_ns < ns)
        return high;
    while (low < high) {
        guint middle = (low + high) / 2;
        if (g_array_index(list, Span, middle).end_ns < ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns whether `span` begins and ends before the span from `begin_ns` to `end_ns`. The two spans
 * may touch, or overlap by a rounding error. */
static gboolean is_before(const Span *span, gint64 begin_ns, gint64 end_ns)
{
    return span->begin_ns < begin_ns && span->end_ns < end_ns;
}

void host_spans_add(HostSpans *spans, guint64 thread, gint64 begin_ns, gint64 end_ns, guint64 id)
{
    const Span span = {begin_ns, end_ns, id};
    GArray *list = list_of(spans, thread);
    guint first, end;

    if (!list)
        return;
    first = first_behind(list, begin_ns);
    while (first < list->len && is_before(&g_array_index(list, Span, first), begin_ns, end_ns))
        first++;
    for (end = first; end < list->len && g_array_index(list, Span, end).begin_ns >= begin_ns &&
                      g_array_index(list, Span, end).end_ns <= end_ns;)
        end++;
    if (end == first && end < list->len && g_array_index(list, Span, end).begin_ns <= begin_ns &&
        g_array_index(list, Span, end).end_ns >= end_ns)
        return; /* the new span is inside an earlier one */
    if (end > first)
        g_array_remove_range(list, first, end - first);
    if (list->len >= HOST_SPANS_MAX) {
        g_array_remove_range(list, 0, HOST_SPANS_MAX / 2);
        first -= MIN(first, HOST_SPANS_MAX / 2);
    }
    g_array_insert_val(list, first, span);
}

gboolean host_spans_find(const HostSpans *spans, guint64 thread, gint64 at_ns, guint64 *id)
{
    const GArray *list = g_hash_table_lookup(spans->by_thread, &thread);
    guint at = list ? first_behind(list, at_ns) : 0;

    if (!list || at == list->len || g_array_index(list, Span, at).begin_ns > at_ns)
        return FALSE;
    if (at + 1 < list->len && g_array_index(list, Span, at + 1).begin_ns == at_ns)
        at++; /* if two spans touch at this time, use the later one, which begins here */
    *id = g_array_index(list, Span, at).id;
    return TRUE;
}
