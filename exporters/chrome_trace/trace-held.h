/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of the file that is held back: records that wait to be composed, and text of events that
 * were composed when they came, in the order of both.
 */
#ifndef STROBE_CHROME_TRACE_TRACE_HELD_H
#define STROBE_CHROME_TRACE_TRACE_HELD_H

#include "held-records.h"
#include "trace-out.h"

typedef struct TraceHeld {
    HeldStore *store;
    HeldLog *log;   /* NULL: no record yet */
    TraceOut texts; /* without `bytes`: none yet */
    guint64 n_told; /* bytes of text that the log knows of */
    guint64 n_read;
    int directory;
    gsize most; /* bytes of text in memory */
} TraceHeld;

void trace_held_init(TraceHeld *held, HeldStore *store, int directory, gsize most);
void trace_held_clear(TraceHeld *held); /* zeros are allowed */

/* Numbers of its kind in the store, and of its row. */
void trace_held_add(TraceHeld *held, guint32 kind, guint32 row, const StrobeView *record);
/* Where an event is composed at once. */
TraceOut *trace_held_texts(TraceHeld *held);

gboolean trace_held_has_events(const TraceHeld *held);
int trace_held_error(const TraceHeld *held); /* errno of a failure */

/* No more comes. What stands behind the last record is in texts alone: trace_held_append. */
guint trace_held_n_chunks(TraceHeld *held);
/* Appends the next bytes of text, all that is left at most. */
void trace_held_append(TraceHeld *held, guint64 n, TraceOut *out);

#endif
