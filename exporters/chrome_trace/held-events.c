/* SPDX-License-Identifier: Apache-2.0 */
#include "held-events.h"

static void compose_entry(ChromeTrace *trace, HeldEntry *entry)
{
    const TraceKind *kind = trace->all_kinds->pdata[entry->kind];

    entry->view.kind = kind->view;
    kind->compose(trace, kind, &entry->view, trace->rows->all->pdata[entry->row]);
}

static void write_chunk(ChromeTrace *trace, TraceHeld *held, HeldReader *reader)
{
    HeldEntry entry;

    while (held_reader_next(reader, &entry))
        if (entry.n_text)
            trace_held_append(held, entry.n_text, &trace->main);
        else
            compose_entry(trace, &entry);
}

void held_events_write(ChromeTrace *trace, TraceHeld *held)
{
    const guint n = trace_held_n_chunks(held);
    char chunk[HELD_CHUNK];
    HeldReader reader;
    gsize length;

    held_reader_init(&reader, &trace->store);
    trace->straight = &trace->main;
    for (guint i = 0; i < n && !trace->main.error; i++) {
        if (held_log_read(held->log, i, chunk, &length))
            break; /* which the store's error says */
        held_reader_begin(&reader, chunk, length);
        write_chunk(trace, held, &reader);
    }
    trace->straight = NULL;
    held_reader_clear(&reader);
    trace_held_append(held, G_MAXUINT64, &trace->main);
}

typedef struct Sorting {
    ChromeTrace *trace;
    const TraceSorter *sorter;
    GArray *words; /* of one record */
} Sorting;

/* A record, or an event that was composed when it came. */
static int write_row(void *user, const char *bytes, size_t length)
{
    const Sorting *sorting = user;
    ChromeTrace *trace = sorting->trace;
    TraceSorted sorted;
    const TraceKind *kind;

    g_array_set_size(sorting->words, trace_sorter_n_words(sorting->sorter, bytes));
    if (sorting->words->len == 0)
        return trace_out_sink(&trace->main, bytes, length);
    trace_sorter_read(sorting->sorter, &sorted, bytes, (guint32 *)(gpointer)sorting->words->data);
    kind = trace->all_kinds->pdata[sorted.kind];
    sorted.view.kind = kind->view;
    kind->compose(trace, kind, &sorted.view, trace->rows->all->pdata[sorted.row]);
    return trace->main.error;
}

void held_events_write_sorted(ChromeTrace *trace, TraceSorter *sorter)
{
    Sorting sorting = {trace, sorter, NULL};

    if (!sorter->has_events)
        return;
    sorting.words = g_array_new(FALSE, FALSE, sizeof(guint32));
    trace->straight = &trace->main;
    trace_sorter_finish(sorter, write_row, &sorting);
    trace->straight = NULL;
    g_array_unref(sorting.words);
}
