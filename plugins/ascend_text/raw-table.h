/* SPDX-License-Identifier: Apache-2.0 */
/* CSV files of which every row is a record, by the rows of formats/ascend-csv.c. */
#ifndef STROBE_ASCEND_TEXT_RAW_TABLE_H
#define STROBE_ASCEND_TEXT_RAW_TABLE_H

#include "kernels.h"

/* Reads a file through. Rows without a time of their own have that of the kernel that they name by
 * stream and task; `kernels` may be NULL. `device` is that of rows without a device. */
StrobeStatus raw_table_import(const StrobeImporterHost *host, StrobeInstance *self, int descriptor,
                              const AscendFile *file, const StrobeKind *kind, guint64 pid,
                              gint device, const Kernels *kernels);

#endif
