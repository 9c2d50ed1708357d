/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reverses the order of spans that begin and end at the same times. In a capture the inner span
 * comes first, because it ends first, but for readers of a trace the first span is the outer one.
 * Such spans form a run, which may continue in the next batch.
 */
#ifndef STROBE_TRACE_TEXT_EQUAL_SPANS_H
#define STROBE_TRACE_TEXT_EQUAL_SPANS_H

#include <glib.h>
#include <strobe/exporter.h>

#define EQUAL_SPANS_MAX 1024u /* maximum length of a run; further spans begin a new run */

typedef void (*EqualSpansTaker)(void *user, const StrobeView *record);

typedef struct EqualSpans {
    EqualSpansTaker take;
    void *user;
    /* elements of type StrobeView: the last run, which may continue in the next batch */
    GArray *held;
    GPtrArray *fields; /* the fields of the records in `held` */
    /* the run was passed on; its records stay in memory, because the user may read them later */
    gboolean is_over;
    gboolean is_natural; /* the records come in the order of a trace and need no reversing */
} EqualSpans;

void equal_spans_init(EqualSpans *spans, EqualSpansTaker take, void *user, gboolean is_natural);
void equal_spans_clear(EqualSpans *spans); /* `spans` may consist of zeros */

/* Passes on all records except the run at the end of the batch; returns the number of records in
 * this run. */
gsize equal_spans_take(EqualSpans *spans, const StrobeView *records, gsize n);
/* Keeps the last run, which has `n` records. Must be called when the records that were passed on
 * are no longer needed. */
void equal_spans_hold(EqualSpans *spans, const StrobeView *records, gsize n);
/* Passes on the records that are kept. */
void equal_spans_flush(EqualSpans *spans);

#endif
