/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts the rows of a file in order of a time, rows of equal time as they came, in bounded memory:
 * what does not fit is sorted in runs into a scratch file and merged.
 */
#ifndef STROBE_CSV_ROW_SORTER_H
#define STROBE_CSV_ROW_SORTER_H

#include <glib.h>
#include <strobe/helpers/json-writer.h> /* StrobeSink */

typedef struct RowSorter RowSorter;

/* `run_bytes`: memory that rows may take before they go to the scratch file. */
RowSorter *row_sorter_new(int directory, gsize run_bytes);
void row_sorter_free(RowSorter *sorter);

/* Both return 0 or an errno value. */
int row_sorter_add(RowSorter *sorter, gint64 time_ns, const char *row, gsize length);
/* Hands all rows to the sink, in order. */
int row_sorter_finish(RowSorter *sorter, StrobeSink sink, void *user);

#endif
