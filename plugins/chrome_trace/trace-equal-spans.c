/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-equal-spans.h"

/* maximum number of spans with the same times in a run; further spans begin a new run */
#define RUN_MAX 1024u

typedef struct Entry {
    guint32 bytes, bytes_before; /* sizes of this entry and of the previous entry */
    guint32 record_type;
    StrobeTrackId track;
    StrobeStringId name;
    guint64 fields[];
} Entry;

/* Returns room for a new span after the waiting spans. */
static Entry *new_entry(EqualSpans *run, guint32 bytes)
{
    Entry *entry;

    if (G_UNLIKELY(run->used + bytes > run->room)) {
        run->room = MAX(2 * run->room, run->used + bytes);
        run->entries = g_realloc(run->entries, run->room);
    }
    entry = (Entry *)(void *)(run->entries + run->used);
    entry->bytes = bytes;
    entry->bytes_before = run->last_bytes;
    run->used += bytes;
    run->last_bytes = bytes;
    run->n++;
    return entry;
}

void equal_spans_flush(Import *import, Row *row)
{
    EqualSpans *run = &row->equal;

    if (run->n == 0) /* `entries` may be NULL */
        return;
    const char *at = run->entries + run->used - run->last_bytes;
    for (; run->n; run->n--) {
        const Entry *entry = (const Entry *)(const void *)at;
        void *fields = import->is_full ? NULL
                                       : import_emit(import, entry->record_type, entry->track,
                                                     entry->name, run->begin, run->end);

        if (fields)
            memcpy(fields, entry->fields, import->record_types[entry->record_type].n_bytes);
        at -= entry->bytes_before;
    }
    run->used = run->last_bytes = 0;
}

void *equal_spans_add(Import *import, Row *row, guint record_type, StrobeTrackId track,
                      StrobeStringId name, gint64 begin, gint64 end)
{
    EqualSpans *run = &row->equal;
    const guint32 n_bytes = import->record_types[record_type].n_bytes;
    Entry *entry;

    if (run->n && (run->begin != begin || run->end != end || run->n == RUN_MAX))
        equal_spans_flush(import, row);
    if (G_UNLIKELY(import->is_full || !import_declare(import, record_type)))
        return NULL;
    run->begin = begin;
    run->end = end;
    entry = new_entry(run, (guint32)(sizeof *entry + n_bytes + 7) & ~7u);
    entry->record_type = record_type;
    entry->track = track;
    entry->name = name;
    memcpy(entry->fields, import->record_types[record_type].absent, n_bytes);
    return entry->fields;
}

static void finish_row(Import *import, Row *row, gpointer user)
{
    (void)user;
    equal_spans_flush(import, row);
}

void equal_spans_finish(Import *import)
{
    rows_for_each(import->rows, finish_row, NULL);
}
