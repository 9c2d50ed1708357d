/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps processor samples with their times, so that the page can show the samples of one step. */
#ifndef STROBE_REPORT_SAMPLES_H
#define STROBE_REPORT_SAMPLES_H

#include "report-cells.h"

/* Maximum number of samples in the page. If there are more, only every second, fourth, eighth ...
 * is kept. */
#define REPORT_SAMPLES_MAX 12000u

typedef struct ReportSamples ReportSamples;

ReportSamples *report_samples_new(const ReportSource *source);
void report_samples_free(ReportSamples *samples);
void report_samples_add(ReportSamples *samples, const StrobeView *record);
/* Writes {every, samples: [[at, time, path] ...], paths: [[frame ...] ...], frames}. In a path the
 * outermost frame comes first. */
void report_samples_write(ReportSamples *samples, StrobeJsonWriter *json);

#endif
