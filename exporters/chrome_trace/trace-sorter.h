/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of the file that is put in another order than its records come in: records that wait to be
 * composed, and text of events that were composed when they came.
 */
#ifndef STROBE_CHROME_TRACE_TRACE_SORTER_H
#define STROBE_CHROME_TRACE_TRACE_SORTER_H

#include <strobe/exporter.h>
#include <strobe/helpers/row-sorter.h>

#include "held-records.h"
#include "trace-out.h"

typedef struct TraceSorter {
    StrobeRowSorter *rows;
    const HeldStore *store; /* whose kinds the records are of */
    GPtrArray *firsts;      /* by number of the kind: its first record */
    gboolean has_events;
    int error; /* errno of the first failure */
} TraceSorter;

/* A record, as it comes in order. */
typedef struct TraceSorted {
    guint32 kind, row; /* by number */
    StrobeView view;   /* but for its kind */
} TraceSorted;

void trace_sorter_init(TraceSorter *sorter, const StrobeFacts *facts, const HeldStore *store);
void trace_sorter_clear(TraceSorter *sorter);
/* A key in the order of time as a double of microseconds, which is what the original compares. */
gint64 trace_sorter_key_of_time(gint64 time_ns);
void trace_sorter_add(TraceSorter *sorter, gint64 key, const TraceOut *event);
void trace_sorter_add_record(TraceSorter *sorter, gint64 key, guint32 kind, guint32 row,
                             const StrobeView *record);
/* Hands rows to the sink, those of equal keys as they came. */
void trace_sorter_finish(TraceSorter *sorter, StrobeSink sink, void *user);
/* What the bytes of one say: a record of so many words, 0: an event, which begins with its
 * separator; and that record, whose fields stay in `words`. */
guint trace_sorter_n_words(const TraceSorter *sorter, const char *bytes);
void trace_sorter_read(const TraceSorter *sorter, TraceSorted *sorted, const char *bytes,
                       guint32 *words);

#endif
