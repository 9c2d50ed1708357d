/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the tables of kinds: keeps the rows with the largest values, and sums up the other rows. */
#ifndef STROBE_REPORT_TABLES_H
#define STROBE_REPORT_TABLES_H

#include "report-cells.h"

#define REPORT_ROWS_MAX 500u

typedef struct ReportTables ReportTables;

ReportTables *report_tables_new(void);
void report_tables_free(ReportTables *tables);

/* Adds the record as a row, if its kind is shown as a table. */
void report_tables_add(ReportTables *tables, const StrobeView *record);
/* Writes {kind: {columns, rows, total_rows, rest}}. */
void report_tables_write(ReportTables *tables, const ReportSource *source, StrobeJsonWriter *json);

#endif
