/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the row of a task or operation in kernel_details.csv by stream, task and begin. The index
 * uses 24 bytes of memory for each row; the rows themselves stay in the file. A row without an
 * event in the trace becomes a separate record. */
#ifndef STROBE_ASCEND_TEXT_KERNELS_H
#define STROBE_ASCEND_TEXT_KERNELS_H

#include "kernel-table.h"

typedef struct Kernels Kernels;

/* Reads the whole file once to build the index. The caller closes `descriptor`. Returns NULL if the
 * header is not that of kernel_details.csv. */
Kernels *kernels_new(Import *import, int descriptor);
void kernels_free(Kernels *kernels);

/* Fill a task, whose stream and number are already set, or an operation from its row, and mark the
 * row as used. Return FALSE if there is no such row or no file. */
gboolean kernels_fill(Kernels *kernels, const char *name, gint64 begin_ns,
                      struct strobe_device_task *task, struct strobe_device_pmu *pmu);
gboolean kernels_fill_operation(Kernels *kernels, const char *name, gint64 begin_ns,
                                struct strobe_comm_op *fields);

/* kernels_begin_table must be called before the first row of a table whose rows belong to kernels.
 * kernels_find then sets the begin and end of a row's kernel; FALSE: there is no such kernel. If
 * several kernels have the same stream and task, each row gets a different one. */
void kernels_begin_table(Kernels *kernels);
gboolean kernels_find(Kernels *kernels, guint32 stream, guint32 task, gint64 *begin_ns,
                      gint64 *end_ns);

/* Emits the rows of kernel_details.csv that were not used. If there are no operators, also emits
 * the steps in the rows. */
void kernels_emit_rest(Kernels *kernels);
/* Emits every row of kernel_details.csv as kernel_detail, with the values that the profiler
 * derived: the step and the wait time. */
void kernels_emit_details(Kernels *kernels);

guint64 kernels_n_rows(const Kernels *kernels);

#endif
