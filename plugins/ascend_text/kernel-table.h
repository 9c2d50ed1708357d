/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_details.csv: which column is which field, of three kinds. */
#ifndef STROBE_ASCEND_TEXT_KERNEL_TABLE_H
#define STROBE_ASCEND_TEXT_KERNEL_TABLE_H

#include <strobe/helpers/csv-scanner.h>

#include "ascend-text-import.h"

#define KERNELS_NAME "kernel_details.csv"
#define SUMMARY_TITLE "Task Start Time(us)" /* in op_summary.csv, of which that file is made */

enum { KERNEL_TASK, KERNEL_OPERATION, KERNEL_DETAIL, KERNEL_KINDS };

typedef struct KernelColumn {
    const AscendColumn *row;                          /* NULL: a metric, or not known */
    guint32 offset[KERNEL_KINDS], type[KERNEL_KINDS]; /* type 0: the kind has no such field */
    gint metric;                                      /* place among the metrics, -1: none */
    double factor;
} KernelColumn;

typedef struct KernelTable {
    Import *import;
    StrobeCsvScanner *scanner;
    GArray *columns; /* of KernelColumn */
    guint stream_at, task_at, begin_at, duration_at, name_at, core_at, device_at, step_at;
    StrobeStringId metrics; /* their names, 0: none */
    guint n_metrics;
} KernelTable;

/* The content of a row without its neighbours. */
typedef struct KernelRow {
    const StrobeCsvCell *cells;
    gint64 begin_ns, end_ns, step; /* step STROBE_ABSENT_I64: none */
    double exact_us;               /* STROBE_ABSENT_F64: the times say it */
    guint32 stream, task;          /* G_MAXUINT32: none */
    gint device;
    gboolean is_communication;
} KernelRow;

/* A title of op_summary.csv as it is called in kernel_details.csv; others as they are. */
const char *kernel_table_title(const char *title);
/* Do the metrics begin with this title? Chips without fused tasks have no "Context ID" before it.
 */
gboolean kernel_table_begins_metrics(const char *title);

/* FALSE: it has no header of this file. `descriptor` is lent. */
gboolean kernel_table_open(KernelTable *table, Import *import, int descriptor);
void kernel_table_close(KernelTable *table);

/* The next row: 1, 0 at the end, -1: none that can be read, which is reported. */
int kernel_table_next(KernelTable *table, KernelRow *row);
/* The row at this place of the file. */
gboolean kernel_table_go(KernelTable *table, guint64 place, KernelRow *row);

/* Puts the cells into the fields of KERNEL_TASK, KERNEL_OPERATION or KERNEL_DETAIL. */
void kernel_table_fill(KernelTable *table, const KernelRow *row, guint kind, void *fields);
/* Puts the metrics into `values`, of which there are `n`, and their names into `names`. */
void kernel_table_metrics(KernelTable *table, const KernelRow *row, StrobeStringId *names,
                          double *values, guint n);

#endif
