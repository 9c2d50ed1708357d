/* SPDX-License-Identifier: Apache-2.0 */
/* Writes files that have one row for each mode and device. The row summarises all samples of the
 * mode and the device. */
#ifndef STROBE_CSV_MODE_ROWS_H
#define STROBE_CSV_MODE_ROWS_H

#include <ascend.h>
#include <glib.h>

#include "csv-file.h"

typedef struct ModeRows ModeRows;

/* `entry` has modes; `columns` are the file's `n` columns. `entry` and `columns` must outlive the
 * result. */
ModeRows *mode_rows_new(CsvFile *file, const AscendFile *entry, const StrobeColumn *columns,
                        guint32 n);
void mode_rows_free(ModeRows *rows);

void mode_rows_add(ModeRows *rows, const StrobeView *record);
/* Writes the rows to the file. Returns 0 or an errno value. */
int mode_rows_end(ModeRows *rows);

#endif
