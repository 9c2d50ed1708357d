/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the records for the exporters of a board: captured inferences, their tasks with layers and
 * counters, calls, clocks. There may be very many tasks and calls, so they are kept in external
 * sorters. Captures are kept in memory.
 */
#ifndef STROBE_EXPORTERS_SVP_ROWS_H
#define STROBE_EXPORTERS_SVP_ROWS_H

#include <glib.h>
#include <strobe/exporter.h>
#include <strobe/helpers/external-sorter.h>
#include <svp-names.h>
#include <svp-numbers.h>
#include <svp.h>

typedef struct SvpCapture {
    guint64 id;
    gint64 begin_ns, end_ns; /* on the board's CLOCK_MONOTONIC, like all times in this file */
    guint64 current_pic;
    guint32 device, model, number, batch, pics;
    /* tasks: number of tasks that the capture reported (STROBE_ABSENT_U32: unknown). n_tasks:
     * number of tasks in the records. */
    guint32 tasks, n_tasks;
    gboolean is_first;
    /* a record of the capture itself exists; FALSE: only its tasks name the capture */
    gboolean is_reported;
    StrobeStringId name; /* name of the model */
} SvpCapture;

/* A task with its layer and its counters. Texts are ids of the host. */
typedef struct SvpTask {
    gint64 begin_ns, end_ns;
    guint64 counters[SVP_COUNTERS]; /* SVP_ABSENT: not measured */
    guint32 capture;                /* index of the capture */
    guint32 device, stream, task_id, layer_id;
    guint32 unit; /* SVP_UNIT_*; SVP_UNITS: another unit, which `core` names */
    guint32 has_layer;
    StrobeStringId name, ori_name, type, core;
} SvpTask;

typedef struct SvpCall {
    gint64 begin_ns, end_ns;
    guint64 pid, tid; /* SVP_ABSENT: unknown */
    guint32 device;
    guint64 connection; /* id of the capture; STROBE_ABSENT_U64: none */
    gint32 status;      /* return value of the call */
    guint32 model;      /* for a call that names no model: the first model of its process, or 0 */
    StrobeStringId name, mode, item;
} SvpCall;

typedef struct SvpFrequency {
    gint64 time_ns;
    guint32 device, core;
    double mhz;
} SvpFrequency;

typedef struct SvpRows SvpRows;

/* The kinds that svp_rows_take reads, for the `wants` of an exporter. */
extern const char *const svp_rows_wants[];

SvpRows *svp_rows_new(const StrobeConsumerHost *host, StrobeInstance *self);
void svp_rows_free(SvpRows *rows);
/* Adds the records of these kinds to `rows`. Returns 0 or an errno value. */
int svp_rows_take(SvpRows *rows, const StrobeView *records, size_t n);
/* Joins tasks with their layers and counters. Returns 0 or an errno value. Must be called after the
 * last record. */
int svp_rows_join(SvpRows *rows);

guint svp_rows_n_captures(const SvpRows *rows);
const SvpCapture *svp_rows_capture(const SvpRows *rows, guint index);
/* Returns the number of pictures in a batch of the model, from the run's metadata or from the
 * model's captures. */
guint32 svp_rows_batch(const SvpRows *rows, guint32 model);
/* Returns the frequencies (SvpFrequency), sorted by device and time. */
const GArray *svp_rows_frequencies(const SvpRows *rows);
/* Returns whether tasks of the capture are missing. */
gboolean svp_capture_is_cut(const SvpCapture *capture);
/* Returns the clock frequency of the device in the capture in MHz, rounded; SVP_ABSENT: unknown. */
guint64 svp_rows_capture_mhz(const SvpRows *rows, const SvpCapture *capture);

/* svp_rows_next_task returns the next task in the order of captures and task ids,
 * svp_rows_next_call the next call in the order of begins; NULL: there are no more. The result is
 * valid until the next call of the function. All tasks and all calls can be read only once. */
const SvpTask *svp_rows_next_task(SvpRows *rows);
const SvpCall *svp_rows_next_call(SvpRows *rows);
int svp_rows_error(const SvpRows *rows); /* 0, or the errno value of a sorter */

/* Writes the model's name to `out` in the form that file names need. */
void svp_rows_model_name(const SvpRows *rows, StrobeStringId name, char out[SVP_MODEL_MAX + 1]);

#endif
