/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-groups.h"

/* Of the memory of a sorter each may have so much. Few are large. */
#define GROUP_SHARE 32u
#define GROUP_BYTES_MIN (64u * 1024)

void trace_groups_init(TraceGroups *groups, const StrobeFacts *facts)
{
    *groups =
        (TraceGroups){.directory = facts->scratch,
                      .memory_bytes = MAX(facts->memory_bytes / GROUP_SHARE, GROUP_BYTES_MIN)};
    trace_sorter_init(&groups->others, facts);
}

void trace_groups_init_memory(TraceGroups *groups)
{
    *groups = (TraceGroups){.directory = -1, .memory_bytes = G_MAXSIZE};
}

void trace_groups_take(TraceGroups *groups, TraceGroups *from)
{
    for (guint i = 0; i < TRACE_GROUPS_MAX; i++)
        if (from->outs[i].used)
            trace_out_take(trace_groups_begin(groups, i, NULL), &from->outs[i]);
}

gsize trace_groups_bytes(const TraceGroups *groups)
{
    gsize bytes = 0;

    for (guint i = 0; i < TRACE_GROUPS_MAX; i++)
        bytes += groups->outs[i].used;
    return bytes;
}

void trace_groups_clear(TraceGroups *groups)
{
    for (guint i = 0; i < TRACE_GROUPS_MAX; i++)
        trace_out_clear(&groups->outs[i]);
    trace_sorter_clear(&groups->others);
}

TraceOut *trace_groups_begin(TraceGroups *groups, guint number, TraceOut *event)
{
    TraceOut *out = &groups->outs[MIN(number, TRACE_GROUPS_MAX - 1)];

    if (number >= TRACE_GROUPS_MAX) {
        event->used = 0;
        return event;
    }
    if (G_UNLIKELY(!out->bytes))
        trace_out_init_held(out, groups->directory, groups->memory_bytes);
    return out;
}

void trace_groups_end(TraceGroups *groups, guint number, TraceOut *out)
{
    if (number >= TRACE_GROUPS_MAX)
        trace_sorter_add(&groups->others, number, out);
}

void trace_groups_add(TraceGroups *groups, guint number, TraceOut *event)
{
    TraceOut *out = number < TRACE_GROUPS_MAX ? trace_groups_begin(groups, number, event) : event;

    if (out != event) {
        out->has_events = TRUE;
        trace_out_done(out, trace_out_text(out, out->bytes + out->used, event->bytes, event->used));
    }
    trace_groups_end(groups, number, out);
}

gboolean trace_groups_has_events(const TraceGroups *groups)
{
    gboolean has_events = groups->others.has_events;

    for (guint i = 0; i < TRACE_GROUPS_MAX; i++)
        has_events |= groups->outs[i].has_events;
    return has_events;
}

int trace_groups_error(const TraceGroups *groups)
{
    int error = groups->others.error;

    for (guint i = 0; i < TRACE_GROUPS_MAX && !error; i++)
        error = groups->outs[i].error;
    return error;
}

void trace_groups_append(TraceGroups *groups, TraceOut *out)
{
    for (guint i = 0; i < TRACE_GROUPS_MAX; i++)
        trace_out_append(out, &groups->outs[i]);
    trace_sorter_append(&groups->others, out);
}
