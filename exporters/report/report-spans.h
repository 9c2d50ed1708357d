/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the longest spans, and the links between them, for the timeline. */
#ifndef STROBE_REPORT_SPANS_H
#define STROBE_REPORT_SPANS_H

#include "report-cells.h"

#define REPORT_SPANS_MAX 12000u
#define REPORT_LINKS_MAX 2000u

typedef struct ReportSpans ReportSpans;

ReportSpans *report_spans_new(const ReportSource *source);
void report_spans_free(ReportSpans *spans);
void report_spans_add(ReportSpans *spans, const StrobeView *record);
/* Writes {names, kinds, tracks, spans: [[track, name, kind, begin, duration]], left_out, least,
 * links}. */
void report_spans_write(ReportSpans *spans, StrobeJsonWriter *json);

#endif
