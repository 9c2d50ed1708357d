/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the time of one step on one device, in the two forms of the Ascend profiler: sums of
 * microseconds over the trace (text), and integer ns over kernels and operations (database). */
#ifndef STROBE_PASSES_STEP_ROW_H
#define STROBE_PASSES_STEP_ROW_H

#include <glib.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/intervals.h>
#include <strobe/helpers/steps.h>
#include <strobe/kinds.h>

#define STEP_SPANS_MAX 16777216u

/* The first four as in the kind overlap. */
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
    GArray *spans; /* of StepSpan */
    StrobeSteps steps;
    gint64 first_operator_ns;
    gboolean is_database;
    guint64 n_dropped;
} StepTrace;

typedef struct StepRow {
    const StrobeStep *step; /* NULL: no steps */
    gint64 number;
    gint32 device;
    double us[STEP_TYPES];
    guint n[STEP_TYPES];
    double first_us, last_us, first_task_us; /* of all records, and of tasks */
    gint64 begin_ns, end_ns;
    gint64 receive_ns;
    StrobeIntervals computing, communication; /* only for the database form */
} StepRow;

StepRow *step_row_new(gint32 device, const StrobeStep *step);
void step_row_free(StepRow *row);
void step_row_add(StepRow *row, const StepSpan *span, gboolean is_exact);
void step_row_text(const StepRow *row, gint64 first_operator_ns, struct strobe_step_trace *fields);
void step_row_exact(StepRow *row, struct strobe_step_trace *fields);

#endif
