/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-held.h"

void trace_held_init(TraceHeld *held, HeldStore *store, int directory, gsize most)
{
    *held = (TraceHeld){.store = store, .directory = directory, .most = most};
}

void trace_held_clear(TraceHeld *held)
{
    held_log_free(held->log);
    held->log = NULL;
    trace_out_clear(&held->texts);
}

void trace_held_add(TraceHeld *held, guint32 kind, guint32 row, const StrobeView *record)
{
    const guint64 n = trace_out_held_bytes(&held->texts);

    if (G_UNLIKELY(!held->log))
        held->log = held_log_new(held->store);
    if (G_UNLIKELY(n > held->n_told))
        held_log_add_text(held->log, n - held->n_told);
    held->n_told = n;
    held_log_add(held->log, kind, row, record);
}

TraceOut *trace_held_texts(TraceHeld *held)
{
    if (G_UNLIKELY(!held->texts.bytes))
        trace_out_init_held(&held->texts, held->directory, held->most);
    return &held->texts;
}

gboolean trace_held_has_events(const TraceHeld *held)
{
    return held->log || held->texts.has_events;
}

int trace_held_error(const TraceHeld *held)
{
    return held->texts.error;
}

guint trace_held_n_chunks(TraceHeld *held)
{
    return held->log ? held_log_n_chunks(held->log) : 0;
}

void trace_held_append(TraceHeld *held, guint64 n, TraceOut *out)
{
    const guint64 left = trace_out_held_bytes(&held->texts) - held->n_read;

    trace_out_append_part(out, &held->texts, held->n_read, MIN(n, left));
    held->n_read += MIN(n, left);
}
