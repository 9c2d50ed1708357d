/* SPDX-License-Identifier: Apache-2.0 */
/* Processor samples with their times, so that the page can show those of one step. */
#ifndef STROBE_REPORT_SAMPLES_H
#define STROBE_REPORT_SAMPLES_H

#include "report-cells.h"

/* in the page; if there are more, only every second, fourth ... is kept */
#define REPORT_SAMPLES_MAX 12000u

typedef struct ReportSamples ReportSamples;

ReportSamples *report_samples_new(const ReportSource *source);
void report_samples_free(ReportSamples *samples);
void report_samples_add(ReportSamples *samples, const StrobeView *record);
/* {every, samples: [[at, time, path] ...], paths: [[frame ...] ...], frames}; a path has the
 * outermost frame first. */
void report_samples_write(ReportSamples *samples, StrobeJsonWriter *json);

#endif
