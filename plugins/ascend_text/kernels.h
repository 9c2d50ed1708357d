/* SPDX-License-Identifier: Apache-2.0 */
/* What kernel_details.csv says of a task, found by stream, task and begin: an index of 24 bytes a
 * row, the rows themselves stay in the file. */
#ifndef STROBE_ASCEND_TEXT_KERNELS_H
#define STROBE_ASCEND_TEXT_KERNELS_H

#include <glib.h>
#include <ascend.h>
#include <strobe/helpers/csv-scanner.h>
#include <strobe/importer.h>
#include <strobe/kinds.h>

typedef struct Kernels Kernels;

/* Reads the file through once. `descriptor` is lent; NULL if its header is not that of the file. */
Kernels *kernels_new(const StrobeImporterHost *host, StrobeInstance *self, int descriptor);
void kernels_free(Kernels *kernels);

/* Fills in what a row says of the task; FALSE if there is none. The row is then used. */
gboolean kernels_fill(Kernels *kernels, guint32 stream, guint32 task, gint64 begin_ns,
                      struct strobe_device_task *fields, struct strobe_device_pmu *pmu);
/* Begin and end of the kernel that ran as this task; FALSE if there is none. */
gboolean kernels_find(const Kernels *kernels, guint32 stream, guint32 task, gint64 *begin_ns,
                      gint64 *end_ns);

guint64 kernels_n_rows(const Kernels *kernels);
gint kernels_generation(const Kernels *kernels); /* as the header's columns tell */
gint kernels_level(const Kernels *kernels); /* 0, or 1 where the columns of level 1 are there */

#endif
