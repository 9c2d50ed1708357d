/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans that begin and end at the same times. A capture has the inner one first, because it ends
 * first; readers of a trace take the first one for the outer one. So a run of them is passed on
 * in reverse order, also across batches.
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
    GArray *held;      /* of StrobeView: the last run, which may continue in the next batch */
    GPtrArray *fields; /* fields of these records */
    /* the run was passed on, but stays in memory because the user may compose it later */
    gboolean is_over;
    gboolean is_natural; /* the records are already in trace order */
} EqualSpans;

void equal_spans_init(EqualSpans *spans, EqualSpansTaker take, void *user, gboolean is_natural);
void equal_spans_clear(EqualSpans *spans); /* zeros are allowed */

/* Passes on all records except the run at the batch's end; returns the number of those left. */
gsize equal_spans_take(EqualSpans *spans, const StrobeView *records, gsize n);
/* Keeps the records that are left. Call it when the passed records are no longer needed. */
void equal_spans_hold(EqualSpans *spans, const StrobeView *records, gsize n);
/* Passes on the kept ones. */
void equal_spans_flush(EqualSpans *spans);

#endif
