/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the row of a task or operation in kernel_details.csv by stream, task and begin. The
 * index takes 24 bytes a row; the rows stay in the file. A row without an event in the trace
 * becomes a record of its own. */
#ifndef STROBE_ASCEND_TEXT_KERNELS_H
#define STROBE_ASCEND_TEXT_KERNELS_H

#include "kernel-table.h"

typedef struct Kernels Kernels;

/* Reads the file through once. `descriptor` is lent; NULL if its header is not that of the file. */
Kernels *kernels_new(Import *import, int descriptor);
void kernels_free(Kernels *kernels);

/* Fills in the row's details of the task, whose stream and number are set already. Returns FALSE
 * if there is no row or no file. The row is then used. */
gboolean kernels_fill(Kernels *kernels, const char *name, gint64 begin_ns,
                      struct strobe_device_task *task, struct strobe_device_pmu *pmu);
gboolean kernels_fill_operation(Kernels *kernels, const char *name, gint64 begin_ns,
                                struct strobe_comm_op *fields);

/* Begin and end of the kernel that ran as this task; FALSE if there is none. A row of a table is a
 * kernel of its own. */
void kernels_begin_table(Kernels *kernels);
gboolean kernels_find(Kernels *kernels, guint32 stream, guint32 task, gint64 *begin_ns,
                      gint64 *end_ns);

/* Emits the rows that were not used; without operators the steps that the rows name, too. */
void kernels_emit_rest(Kernels *kernels);
/* Emits every row as the tool derived it: with step and wait time. */
void kernels_emit_details(Kernels *kernels);

guint64 kernels_n_rows(const Kernels *kernels);

#endif
