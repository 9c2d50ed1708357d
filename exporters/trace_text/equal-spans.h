/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans that begin and end at the same times. A capture has the inner one first, which ends first;
 * whoever reads a trace takes the one that stands first for the outer one. So a run of them is
 * handed on from its last one to its first, wherever a batch ends.
 */
#ifndef STROBE_TRACE_TEXT_EQUAL_SPANS_H
#define STROBE_TRACE_TEXT_EQUAL_SPANS_H

#include <glib.h>
#include <strobe/exporter.h>

#define EQUAL_SPANS_MAX 1024u /* of a run; of more the rest is a run of its own */

typedef void (*EqualSpansTaker)(void *user, const StrobeView *record);

typedef struct EqualSpans {
    EqualSpansTaker take;
    void *user;
    GArray *held;        /* of StrobeView: the last run, which the next batch may go on with */
    GPtrArray *fields;   /* of these */
    gboolean is_over;    /* it was handed on, and is kept for who has not composed it yet */
    gboolean is_natural; /* what comes is in the order of a trace already */
} EqualSpans;

void equal_spans_init(EqualSpans *spans, EqualSpansTaker take, void *user, gboolean is_natural);
void equal_spans_clear(EqualSpans *spans); /* zeros are allowed */

/* Hands on all but the run that the batch ends with; how many of the batch are left. */
gsize equal_spans_take(EqualSpans *spans, const StrobeView *records, gsize n);
/* Keeps those that are left, when what was handed on is not needed any more. */
void equal_spans_hold(EqualSpans *spans, const StrobeView *records, gsize n);
/* Hands on what is kept. */
void equal_spans_flush(EqualSpans *spans);

#endif
