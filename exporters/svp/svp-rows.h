/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input shared by the board's exporters: captured inferences, their tasks with layers and
 * counters, calls, clocks. Tasks and calls are as many as the records, so they are in external
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
    gint64 begin_ns, end_ns; /* on the board's CLOCK_MONOTONIC, like all times here */
    guint64 current_pic;
    guint32 device, model, number, batch, pics;
    guint32 tasks, n_tasks; /* number that it had (STROBE_ABSENT_U32: unknown), and number of
                             * existing ones */
    gboolean is_first;
    gboolean is_reported; /* it has a record; otherwise only tasks name it */
    StrobeStringId name;  /* of the model */
} SvpCapture;

/* A task with its related data. Texts are ids of the host. */
typedef struct SvpTask {
    gint64 begin_ns, end_ns;
    guint64 counters[SVP_COUNTERS]; /* SVP_ABSENT: not measured */
    guint32 capture;                /* index */
    guint32 device, stream, task_id, layer_id;
    guint32 unit; /* SVP_UNIT_*, SVP_UNITS: see `core` */
    guint32 has_layer;
    StrobeStringId name, ori_name, type, core;
} SvpTask;

typedef struct SvpCall {
    gint64 begin_ns, end_ns;
    guint64 pid, tid; /* SVP_ABSENT: not known */
    guint32 device;
    guint64 connection; /* the capture's id; STROBE_ABSENT_U64: none */
    gint32 status;      /* the call's return value */
    guint32 model;      /* a call without a model counts for the first model of its process,
                         * otherwise 0 */
    StrobeStringId name, mode, item;
} SvpCall;

typedef struct SvpFrequency {
    gint64 time_ns;
    guint32 device, core;
    double mhz;
} SvpFrequency;

typedef struct SvpRows SvpRows;

/* The kinds that svp_rows_take reads; for the `wants` of an exporter. */
extern const char *const svp_rows_wants[];

SvpRows *svp_rows_new(const StrobeConsumerHost *host, StrobeInstance *self);
void svp_rows_free(SvpRows *rows);
/* Takes records of those kinds. 0 or an errno value. */
int svp_rows_take(SvpRows *rows, const StrobeView *records, size_t n);
/* No more records follow: joins tasks with their layers and counters. 0 or an errno value. */
int svp_rows_join(SvpRows *rows);

guint svp_rows_n_captures(const SvpRows *rows);
const SvpCapture *svp_rows_capture(const SvpRows *rows, guint index);
/* Pictures in a batch of the model, from the run or from its captures. */
guint32 svp_rows_batch(const SvpRows *rows, guint32 model);
const GArray *svp_rows_frequencies(const SvpRows *rows); /* of SvpFrequency, by device and time */
/* Whether tasks of the capture are missing. */
gboolean svp_capture_is_cut(const SvpCapture *capture);
/* Clock of the capture in MHz, rounded; SVP_ABSENT: unknown. */
guint64 svp_rows_capture_mhz(const SvpRows *rows, const SvpCapture *capture);

/* Tasks by capture and task id; calls in order of their begins. NULL at the end; valid until the
 * next call. Each may be read only once. */
const SvpTask *svp_rows_next_task(SvpRows *rows);
const SvpCall *svp_rows_next_call(SvpRows *rows);
int svp_rows_error(const SvpRows *rows); /* 0, or the errno value of a sorter */

/* The model's name in the form for file names. */
void svp_rows_model_name(const SvpRows *rows, StrobeStringId name, char out[SVP_MODEL_MAX + 1]);

#endif
