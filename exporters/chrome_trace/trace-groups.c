/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-groups.h"

/* Of the memory of a sorter each may have so much for text. Few are large. */
#define GROUP_SHARE 32u
#define GROUP_BYTES_MIN (64u * 1024)

void trace_groups_init(TraceGroups *groups, const StrobeFacts *facts, HeldStore *store)
{
    const gsize most = MAX(facts->memory_bytes / GROUP_SHARE, GROUP_BYTES_MIN);

    for (guint i = 0; i < TRACE_GROUPS_MAX; i++)
        trace_held_init(&groups->all[i], store, facts->scratch, most);
    trace_sorter_init(&groups->others, facts, store);
}

void trace_groups_clear(TraceGroups *groups)
{
    for (guint i = 0; i < TRACE_GROUPS_MAX; i++)
        trace_held_clear(&groups->all[i]);
    trace_sorter_clear(&groups->others);
}

void trace_groups_add(TraceGroups *groups, guint number, const TraceOut *event)
{
    TraceOut *out;

    if (number >= TRACE_GROUPS_MAX) {
        trace_sorter_add(&groups->others, number, event);
        return;
    }
    out = trace_held_texts(&groups->all[number]);
    out->has_events = TRUE;
    trace_out_done(out, trace_out_text(out, out->bytes + out->used, event->bytes, event->used));
}

void trace_groups_add_record(TraceGroups *groups, guint number, guint32 kind, guint32 row,
                             const StrobeView *record)
{
    if (number < TRACE_GROUPS_MAX)
        trace_held_add(&groups->all[number], kind, row, record);
    else
        trace_sorter_add_record(&groups->others, number, kind, row, record);
}

gboolean trace_groups_has_events(const TraceGroups *groups)
{
    gboolean has_events = groups->others.has_events;

    for (guint i = 0; i < TRACE_GROUPS_MAX; i++)
        has_events |= trace_held_has_events(&groups->all[i]);
    return has_events;
}

int trace_groups_error(const TraceGroups *groups)
{
    int error = groups->others.error;

    for (guint i = 0; i < TRACE_GROUPS_MAX && !error; i++)
        error = trace_held_error(&groups->all[i]);
    return error;
}
