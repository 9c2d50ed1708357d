/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the median and the 95th percentile of durations: exact for steps, with an error of at
 * most 9 % for operators and kernels. */
#ifndef STROBE_REPORT_OPERATORS_H
#define STROBE_REPORT_OPERATORS_H

#include "report-cells.h"

typedef struct ReportOperators ReportOperators;

ReportOperators *report_operators_new(void);
void report_operators_free(ReportOperators *operators);

void report_operators_add(ReportOperators *operators, const StrobeView *record);
/* Writes {count, median, p95}; the durations are in ns. */
void report_operators_write_steps(ReportOperators *operators, StrobeJsonWriter *json);
/* Writes {kind: [[name, p50, p95, count, total]], left_out: {kind: [count, total]}}. Durations are
 * in ns; the names with the longest total come first. */
void report_operators_write(const ReportOperators *operators, const ReportSource *source,
                            StrobeJsonWriter *json);

#endif
