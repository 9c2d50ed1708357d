/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps JSON for the report page in a file without a name. The exporter opens it through the path
 * of its descriptor. */
#ifndef STROBE_TOOLS_REPORT_SCRATCH_H
#define STROBE_TOOLS_REPORT_SCRATCH_H

#include <glib.h>
#include <stdio.h>
#include <strobe/helpers/json-writer.h>

typedef struct ReportScratch {
    int descriptor;
    FILE *file; /* NULL: it could not be made; nothing may be written */
    StrobeJsonWriter json;
} ReportScratch;

void report_scratch_open(ReportScratch *scratch);
/* Returns the descriptor, which the caller closes; -1 with an error that names `what`. */
int report_scratch_finish(ReportScratch *scratch, const char *what, GError **error);

#endif
