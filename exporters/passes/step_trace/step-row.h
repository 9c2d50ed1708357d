/* SPDX-License-Identifier: Apache-2.0 */
/* Divides the time of a step on one device into parts, in the two forms of the Ascend profiler. The
 * text form sums up microseconds of the trace's overlap layer; the database form computes ns from
 * kernels and operations. */
#ifndef STROBE_PASSES_STEP_ROW_H
#define STROBE_PASSES_STEP_ROW_H

#include <glib.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/intervals.h>
#include <strobe/helpers/steps.h>
#include <strobe/kinds.h>

#define STEP_SPANS_MAX 16777216u

/* The types of spans. The first four are the types of the kind overlap. */
enum {
    STEP_COMPUTING,
    STEP_COMMUNICATION,
    STEP_NOT_OVERLAPPED,
    STEP_FREE,
    STEP_RECEIVE,
    STEP_TYPES
};

typedef struct StepSpan {
    gint64 begin_ns, end_ns;
    gint32 device;
    guint8 type;
} StepSpan;

typedef struct StepTrace {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeKindNames kinds;
    StrobeBinder tasks, overlaps;
    GArray *spans; /* elements of type StepSpan */
    StrobeSteps steps;
    gint64 first_operator_ns;
    gboolean is_database;
    guint64 n_dropped;
} StepTrace;

typedef struct StepRow {
    const StrobeStep *step; /* NULL: the capture has no steps */
    gint64 number;
    gint32 device;
    double us[STEP_TYPES];
    guint n[STEP_TYPES];
    /* first begin and last end of all spans; first begin of a span of computing or communication */
    double first_us, last_us, first_task_us;
    gint64 begin_ns, end_ns;
    gint64 receive_ns;
    StrobeIntervals computing, communication; /* used only for the database form */
} StepRow;

StepRow *step_row_new(gint32 device, const StrobeStep *step);
void step_row_free(StepRow *row);
void step_row_add(StepRow *row, const StepSpan *span, gboolean is_exact);
void step_row_text(const StepRow *row, gint64 first_operator_ns, struct strobe_step_trace *fields);
void step_row_exact(StepRow *row, struct strobe_step_trace *fields);

#endif
