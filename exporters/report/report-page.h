/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the page to a file. */
#ifndef STROBE_REPORT_PAGE_H
#define STROBE_REPORT_PAGE_H

#include <strobe/helpers/safe-file.h>

#include "report-flames.h"
#include "report-memory.h"
#include "report-operators.h"
#include "report-samples.h"
#include "report-series.h"
#include "report-spans.h"
#include "report-tables.h"

typedef struct ReportContent {
    ReportSource source;
    ReportBudget budget;
    ReportTables *tables;
    ReportOperators *operators;
    ReportSeries *series;
    ReportSpans *spans;
    ReportFlames *flames;
    ReportMemory *memory;
    ReportSamples *samples;
} ReportContent;

/* Writes the page. Returns 0 or an errno value. Leaves out content that cannot be put into the
 * page, and logs a warning. */
int report_page_write(ReportContent *content, StrobeSafeFile *file);

#endif
