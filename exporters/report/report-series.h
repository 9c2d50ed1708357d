/* SPDX-License-Identifier: Apache-2.0 */
/* Collects values over time. Each series has a bounded number of bins, which become wider as the
 * window becomes longer. */
#ifndef STROBE_REPORT_SERIES_H
#define STROBE_REPORT_SERIES_H

#include "report-cells.h"

typedef struct ReportSeries ReportSeries;

ReportSeries *report_series_new(const ReportSource *source);
void report_series_free(ReportSeries *series);
void report_series_add(ReportSeries *series, const StrobeView *record);
/* Returns the number of values that are in no series, because there are too many series. */
guint64 report_series_left_out(const ReportSeries *series);
/* Writes [{group, name, unit, width, bins: [[bin, mean, most], ...]}]. The number of a bin counts
 * from the window's begin; `width` is in ns. */
void report_series_write(ReportSeries *series, StrobeJsonWriter *json);

#endif
