/* SPDX-License-Identifier: Apache-2.0 */
/* Median and 95th percentile of durations, exact for steps, within 9 % for operators and kernels.
 */
#ifndef STROBE_REPORT_OPERATORS_H
#define STROBE_REPORT_OPERATORS_H

#include "report-cells.h"

typedef struct ReportOperators ReportOperators;

ReportOperators *report_operators_new(void);
void report_operators_free(ReportOperators *operators);

void report_operators_add(ReportOperators *operators, const StrobeView *record);
/* {count, median, p95}, in ns. */
void report_operators_write_steps(ReportOperators *operators, StrobeJsonWriter *json);
/* {kind: [[name, p50, p95, count, total]], left_out: {kind: [count, total]}}, in ns, the longest
 * first. */
void report_operators_write(const ReportOperators *operators, const ReportSource *source,
                            StrobeJsonWriter *json);

#endif
