/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of a file that contain metrics. The records determine which metrics there are. */
#ifndef STROBE_CSV_METRIC_COLUMNS_H
#define STROBE_CSV_METRIC_COLUMNS_H

#include <glib.h>
#include <strobe/exporter.h>

#include "csv-file.h"

typedef struct MetricColumns MetricColumns;

/* `absent` is the text of a cell without a value. */
MetricColumns *metric_columns_new(CsvFile *file, gint generation, const char *absent);
void metric_columns_free(MetricColumns *columns);

/* Writes the cells of a record's metrics. `names` is the text of its field "metrics". `id` is the
 * id of this text; 0: the record has no metrics. `values` is the offset of the field value_00, the
 * first of `n` fields with values. */
void metric_columns_write(MetricColumns *columns, CsvCells *cells, const StrobeView *record,
                          guint32 id, StrobeText names, guint32 values, guint n);

#endif
