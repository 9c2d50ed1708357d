/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-sorter.h"

void trace_sorter_init(TraceSorter *sorter, const StrobeFacts *facts)
{
    *sorter = (TraceSorter){.rows = strobe_row_sorter_new(facts->scratch, facts->memory_bytes / 4)};
}

void trace_sorter_clear(TraceSorter *sorter)
{
    strobe_row_sorter_free(sorter->rows);
    sorter->rows = NULL;
}

void trace_sorter_add(TraceSorter *sorter, gint64 key, TraceOut *event)
{
    sorter->has_events = TRUE;
    if (!sorter->error)
        sorter->error =
            strobe_row_sorter_add(sorter->rows, (StrobeRowKey){0, key}, event->bytes, event->used);
}

/* Bits of a double are in its order, negative ones but for their sign. */
static gint64 order_of(gint64 time_ns)
{
    double us = (double)((long double)time_ns / 1000.0L);
    gint64 bits;

    memcpy(&bits, &us, sizeof bits);
    return bits < 0 ? G_MININT64 - bits : bits;
}

void trace_sorter_add_at(TraceSorter *sorter, gint64 time_ns, TraceOut *event)
{
    trace_sorter_add(sorter, order_of(time_ns), event);
}

/* What was composed begins with the separator, and something comes before it. */
void trace_sorter_append(TraceSorter *sorter, TraceOut *out)
{
    if (!sorter->error)
        sorter->error = strobe_row_sorter_finish(sorter->rows, trace_out_sink, out);
}
