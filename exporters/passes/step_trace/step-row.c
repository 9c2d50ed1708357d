/* SPDX-License-Identifier: Apache-2.0 */
#include "step-row.h"

#include <math.h>

#include "device-record.h"
#include "intervals.h"

StepRow *step_row_new(gint32 device, const Step *step)
{
    StepRow *row = g_new0(StepRow, 1);

    row->device = device;
    row->step = step;
    row->number = step ? step->number : -1;
    row->first_us = row->first_task_us = INFINITY;
    row->last_us = -INFINITY;
    row->begin_ns = G_MAXINT64;
    row->end_ns = G_MININT64;
    row->computing = intervals_new();
    row->communication = intervals_new();
    return row;
}

void step_row_free(StepRow *row)
{
    g_array_unref(row->computing);
    g_array_unref(row->communication);
    g_free(row);
}

void step_row_add(StepRow *row, const StepSpan *span, gboolean is_exact)
{
    double begin = device_us(span->begin_ns);
    double duration = device_us(span->end_ns - span->begin_ns);

    row->begin_ns = MIN(row->begin_ns, span->begin_ns);
    row->end_ns = MAX(row->end_ns, span->end_ns);
    if (is_exact && span->type == STEP_RECEIVE)
        row->receive_ns += span->end_ns - span->begin_ns;
    else if (is_exact)
        intervals_add(span->type == STEP_COMPUTING ? row->computing : row->communication,
                      span->begin_ns, span->end_ns);
    row->us[span->type] += duration;
    row->n[span->type]++;
    row->first_us = MIN(row->first_us, begin);
    row->last_us = MAX(row->last_us, begin + duration);
    if (span->type == STEP_COMPUTING || span->type == STEP_COMMUNICATION)
        row->first_task_us = MIN(row->first_task_us, begin);
}

/* ---- text ---- */

static double sum_of(const StepRow *row, guint type)
{
    return row->n[type] ? row->us[type] : STROBE_ABSENT_F64; /* nothing: a whole 0 */
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
        return STROBE_ABSENT_F64; /* a step that is only known from its kernels */
    if (row->step)
        return row->first_task_us - device_us(row->step->host_begin_ns);
    if (first_operator_ns == G_MAXINT64)
        return STROBE_ABSENT_F64;
    return row->first_task_us - device_us(first_operator_ns);
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

/* ---- database ---- */

static gint64 length_of(const GArray *set)
{
    gint64 sum = 0;

    for (guint i = 0; i < set->len; i++) {
        const Interval *stretch = &g_array_index(set, Interval, i);

        sum += stretch->end_ns - stretch->begin_ns;
    }
    return sum;
}

static gint64 first_of(const GArray *set)
{
    return set->len ? g_array_index(set, Interval, 0).begin_ns : G_MAXINT64;
}

void step_row_exact(StepRow *row, struct strobe_step_trace *fields)
{
    g_autoptr(GArray) alone = NULL;
    g_autoptr(GArray) busy = NULL;
    gint64 computing, communication, not_overlapped, range = 0;

    intervals_merge(row->computing);
    intervals_merge(row->communication);
    alone = intervals_minus(row->communication, row->computing);
    busy = intervals_union(row->computing, row->communication);
    computing = length_of(row->computing);
    communication = length_of(row->communication);
    not_overlapped = length_of(alone);
    if (busy->len)
        range = g_array_index(busy, Interval, busy->len - 1).end_ns - first_of(busy);
    fields->is_exact = 1;
    fields->computing = device_us(computing);
    fields->communication = device_us(communication);
    fields->communication_not_overlapped = device_us(not_overlapped);
    fields->overlapped = device_us(communication - not_overlapped);
    fields->free = device_us(range - length_of(busy));
    fields->bubble = device_us(row->receive_ns);
    fields->stage = device_us(range - row->receive_ns);
    fields->communication_exclude_receive = device_us(MAX(not_overlapped - row->receive_ns, 0));
    /* Without any kernel the original writes 0. */
    fields->preparing = 0;
    if (row->step && row->computing->len && row->step->host_begin_ns != STROBE_ABSENT_I64)
        fields->preparing = device_us(first_of(busy) - row->step->host_begin_ns);
}
