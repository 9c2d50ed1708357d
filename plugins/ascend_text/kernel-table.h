/* SPDX-License-Identifier: Apache-2.0 */
/* Reads kernel_details.csv, whose columns are fields of three kinds. */
#ifndef STROBE_ASCEND_TEXT_KERNEL_TABLE_H
#define STROBE_ASCEND_TEXT_KERNEL_TABLE_H

#include <strobe/helpers/csv-scanner.h>

#include "ascend-text-import.h"

#define KERNELS_NAME "kernel_details.csv"
/* a title of op_summary.csv, from which the profiler makes kernel_details.csv */
#define SUMMARY_TITLE "Task Start Time(us)"

enum { KERNEL_TASK, KERNEL_OPERATION, KERNEL_DETAIL, KERNEL_KINDS };

typedef struct KernelColumn {
    const AscendColumn *row;                          /* NULL: the column is a metric or unknown */
    guint32 offset[KERNEL_KINDS], type[KERNEL_KINDS]; /* type 0: the kind has no such field */
    gint metric; /* index among the metrics; -1: the column is not a metric */
    double factor;
} KernelColumn;

typedef struct KernelTable {
    Import *import;
    StrobeCsvScanner *scanner;
    GArray *columns; /* elements of type KernelColumn */
    guint stream_at, task_at, begin_at, duration_at, name_at, core_at, device_at, step_at;
    StrobeStringId metrics; /* names of the metrics, joined; 0: there are none */
    guint n_metrics;
} KernelTable;

/* The values of one row. */
typedef struct KernelRow {
    const StrobeCsvCell *cells;
    gint64 begin_ns, end_ns, step; /* step STROBE_ABSENT_I64: the row has no step */
    double exact_us;               /* exact duration; STROBE_ABSENT_F64: the times are exact */
    guint32 stream, task;          /* G_MAXUINT32: the row has none */
    gint device;
    gboolean is_communication;
} KernelRow;

/* Returns the title in kernel_details.csv for a title of op_summary.csv; returns other titles
 * unchanged. */
const char *kernel_table_title(const char *title);
/* Returns whether the metrics begin with this title. The title before the metrics is "Context ID",
 * except for chips without fused tasks. */
gboolean kernel_table_begins_metrics(const char *title);

/* Reads the header. Returns FALSE if it is not that of kernel_details.csv. The caller closes
 * `descriptor`. */
gboolean kernel_table_open(KernelTable *table, Import *import, int descriptor);
void kernel_table_close(KernelTable *table);

/* Reads the next row. Returns 1, or 0 at the end. Reports a damaged row and returns -1. */
int kernel_table_next(KernelTable *table, KernelRow *row);
/* Reads the row at the offset `place` in the file. */
gboolean kernel_table_go(KernelTable *table, guint64 place, KernelRow *row);

/* Stores the cells in the fields of a record; `kind` is KERNEL_TASK, KERNEL_OPERATION or
 * KERNEL_DETAIL. */
void kernel_table_fill(KernelTable *table, const KernelRow *row, guint kind, void *fields);
/* Stores the metrics in `values`, which has room for `n`, and sets `names` to the metrics' joined
 * names. */
void kernel_table_metrics(KernelTable *table, const KernelRow *row, StrobeStringId *names,
                          double *values, guint n);

#endif
