/* SPDX-License-Identifier: Apache-2.0 */
#include "step-row.h"

#include <glib.h>
#include <math.h>
#include <strobe/helpers/cell-number.h>
#include <strobe/helpers/intervals.h>
#include <strobe/helpers/steps.h>
#include <strobe/kinds.h>

StepRow *step_row_new(gint32 device, const StrobeStep *step)
{
    StepRow *row = g_new0(StepRow, 1);

    row->device = device;
    row->step = step;
    row->number = step ? step->number : -1;
    row->first_us = row->first_task_us = INFINITY;
    row->last_us = -INFINITY;
    row->begin_ns = G_MAXINT64;
    row->end_ns = G_MININT64;
    return row;
}

void step_row_free(StepRow *row)
{
    strobe_intervals_clear(&row->computing);
    strobe_intervals_clear(&row->communication);
    g_free(row);
}

void step_row_add(StepRow *row, const StepSpan *span, gboolean is_exact)
{
    double begin = strobe_us_of_ns(span->begin_ns);
    double duration = strobe_us_of_ns(span->end_ns - span->begin_ns);

    row->begin_ns = MIN(row->begin_ns, span->begin_ns);
    row->end_ns = MAX(row->end_ns, span->end_ns);
    if (is_exact && span->type == STEP_RECEIVE)
        row->receive_ns += span->end_ns - span->begin_ns;
    else if (is_exact)
        strobe_intervals_add(span->type == STEP_COMPUTING ? &row->computing : &row->communication,
                             span->begin_ns, span->end_ns);
    row->us[span->type] += duration;
    row->n[span->type]++;
    row->first_us = MIN(row->first_us, begin);
    row->last_us = MAX(row->last_us, begin + duration);
    if (span->type == STEP_COMPUTING || span->type == STEP_COMMUNICATION)
        row->first_task_us = MIN(row->first_task_us, begin);
}

/* ---- the text form ---- */

static double sum_of(const StepRow *row, guint type)
{
    /* an absent value is written as the integer 0 */
    return row->n[type] ? row->us[type] : STROBE_ABSENT_F64;
}

static double or_zero(double value)
{
    return isnan(value) ? 0 : value;
}

static double preparing_us(const StepRow *row, gint64 first_operator_ns)
{
    if (!isfinite(row->first_task_us))
        return STROBE_ABSENT_F64;
    if (row->step && row->step->host_begin_ns == STROBE_ABSENT_I64)
        return STROBE_ABSENT_F64; /* the step is known only from its kernels */
    if (row->step)
        return row->first_task_us - strobe_us_of_ns(row->step->host_begin_ns);
    if (first_operator_ns == G_MAXINT64)
        return STROBE_ABSENT_F64;
    return row->first_task_us - strobe_us_of_ns(first_operator_ns);
}

void step_row_text(const StepRow *row, gint64 first_operator_ns, struct strobe_step_trace *fields)
{
    double bubble = or_zero(sum_of(row, STEP_RECEIVE));
    double alone = or_zero(sum_of(row, STEP_NOT_OVERLAPPED));

    fields->is_exact = 0;
    fields->computing = sum_of(row, STEP_COMPUTING);
    fields->communication = sum_of(row, STEP_COMMUNICATION);
    fields->communication_not_overlapped = sum_of(row, STEP_NOT_OVERLAPPED);
    fields->free = sum_of(row, STEP_FREE);
    fields->bubble = sum_of(row, STEP_RECEIVE);
    if (row->n[STEP_COMMUNICATION] || row->n[STEP_NOT_OVERLAPPED])
        fields->overlapped = or_zero(fields->communication) - alone;
    fields->stage = row->last_us - row->first_us - bubble;
    if ((row->n[STEP_NOT_OVERLAPPED] || row->n[STEP_RECEIVE]) && alone >= bubble)
        fields->communication_exclude_receive = alone - bubble;
    fields->preparing = preparing_us(row, first_operator_ns);
}

/* ---- the database form ---- */

void step_row_exact(StepRow *row, struct strobe_step_trace *fields)
{
    StrobeIntervals alone = {0}, busy = {0};
    gint64 computing, communication, not_overlapped, range = 0;

    strobe_intervals_merge(&row->computing);
    strobe_intervals_merge(&row->communication);
    strobe_intervals_subtract(&row->communication, &row->computing, &alone);
    strobe_intervals_unite(&row->computing, &row->communication, &busy);
    computing = strobe_intervals_length(&row->computing);
    communication = strobe_intervals_length(&row->communication);
    not_overlapped = strobe_intervals_length(&alone);
    if (busy.n)
        range = busy.items[busy.n - 1].end_ns - busy.items[0].begin_ns;
    fields->is_exact = 1;
    fields->computing = strobe_us_of_ns(computing);
    fields->communication = strobe_us_of_ns(communication);
    fields->communication_not_overlapped = strobe_us_of_ns(not_overlapped);
    fields->overlapped = strobe_us_of_ns(communication - not_overlapped);
    fields->free = strobe_us_of_ns(range - strobe_intervals_length(&busy));
    fields->bubble = strobe_us_of_ns(row->receive_ns);
    fields->stage = strobe_us_of_ns(range - row->receive_ns);
    fields->communication_exclude_receive =
        strobe_us_of_ns(MAX(not_overlapped - row->receive_ns, 0));
    /* The Ascend profiler writes 0 if there is no kernel. */
    fields->preparing = 0;
    if (row->step && row->computing.n && row->step->host_begin_ns != STROBE_ABSENT_I64)
        fields->preparing = strobe_us_of_ns(busy.items[0].begin_ns - row->step->host_begin_ns);
    strobe_intervals_clear(&alone);
    strobe_intervals_clear(&busy);
}
