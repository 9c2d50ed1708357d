/* SPDX-License-Identifier: Apache-2.0 */
#include "equal-spans.h"

#include <strobe/helpers/fields.h>

void equal_spans_init(EqualSpans *s, EqualSpansTaker take, void *user, gboolean is_natural)
{
    *s = (EqualSpans){.take = take,
                      .user = user,
                      .held = g_array_new(FALSE, FALSE, sizeof(StrobeView)),
                      .fields = g_ptr_array_new_with_free_func(g_free),
                      .is_natural = is_natural};
}

void equal_spans_clear(EqualSpans *s)
{
    g_clear_pointer(&s->held, g_array_unref);
    g_clear_pointer(&s->fields, g_ptr_array_unref);
}

/* Returns whether the record may enclose other records. A derived record never does. */
static gboolean may_nest(const StrobeView *record)
{
    return record->kind->shape == STROBE_SHAPE_SPAN && !record->kind->derived;
}

static inline gboolean goes_on(const StrobeView *last, const StrobeView *record)
{
    return G_UNLIKELY(last->begin_ns == record->begin_ns && last->end_ns == record->end_ns) &&
           may_nest(last) && may_nest(record);
}

static void hand_on(const EqualSpans *s, const StrobeView *run, gsize n)
{
    while (n-- > 0)
        s->take(s->user, &run[n]);
}

void equal_spans_flush(EqualSpans *s)
{
    if (!s->is_over)
        hand_on(s, (const StrobeView *)(const void *)s->held->data, s->held->len);
    s->is_over = TRUE;
}

static void keep_record(EqualSpans *s, const StrobeView *record)
{
    StrobeView copy = *record;

    copy.fields = g_memdup2(record->fields, strobe_view_field_bytes(record->kind));
    g_ptr_array_add(s->fields, (gpointer)copy.fields);
    g_array_append_val(s->held, copy);
}

/* Returns the number of records at the begin of the batch that continue the kept run. */
static gsize go_on(EqualSpans *s, const StrobeView *records, gsize n)
{
    gsize i = 0;

    while (i < n && s->held->len < EQUAL_SPANS_MAX &&
           goes_on(&g_array_index(s->held, StrobeView, s->held->len - 1), &records[i]))
        keep_record(s, &records[i++]);
    return i;
}

gsize equal_spans_take(EqualSpans *s, const StrobeView *records, gsize n)
{
    gsize at = 0, end;

    if (s->held->len && !s->is_over) {
        at = go_on(s, records, n);
        if (at == n)
            return 0;
        equal_spans_flush(s);
    }
    for (; at < n; at = end) {
        end = at + 1;
        while (!s->is_natural && end < n && end - at < EQUAL_SPANS_MAX &&
               goes_on(&records[end - 1], &records[end]))
            end++;
        if (end == n && !s->is_natural && may_nest(&records[at]))
            break;
        hand_on(s, records + at, end - at);
    }
    return n - at;
}

void equal_spans_hold(EqualSpans *s, const StrobeView *records, gsize n)
{
    if (s->is_over) {
        g_array_set_size(s->held, 0);
        g_ptr_array_set_size(s->fields, 0);
        s->is_over = FALSE;
    }
    for (gsize i = 0; i < n; i++)
        keep_record(s, &records[i]);
}
