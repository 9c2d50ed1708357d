/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a board's exporters read alike: captured inferences, their tasks with layers and counters,
 * calls, clocks. Tasks and calls are as many as the records; they lie in external sorters. Captures
 * are kept.
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
    gint64 begin_ns, end_ns; /* of the board's CLOCK_MONOTONIC, as all times here */
    guint64 current_pic;
    guint32 device, model, number, batch, pics;
    guint32 tasks, n_tasks; /* that it had (STROBE_ABSENT_U32: not known); that are there */
    gboolean is_first;
    gboolean is_reported; /* there is a record of it; else only tasks that name it */
    StrobeStringId name;  /* of the model */
} SvpCapture;

/* A task with what belongs to it. Texts are ids of the host. */
typedef struct SvpTask {
    gint64 begin_ns, end_ns;
    guint64 counters[SVP_COUNTERS]; /* SVP_ABSENT: not measured */
    guint32 capture;                /* index */
    guint32 device, stream, task_id, layer_id;
    guint32 unit; /* SVP_UNIT_*, SVP_UNITS: `core` says which */
    guint32 has_layer;
    StrobeStringId name, ori_name, type, core;
} SvpTask;

typedef struct SvpCall {
    gint64 begin_ns, end_ns;
    guint64 pid, tid; /* SVP_ABSENT: not known */
    guint32 device;
    guint64 connection; /* the capture's id; STROBE_ABSENT_U64: of none */
    gint32 status;      /* what it returned */
    guint32 model;      /* a call of no model counts to the first one of its process, else to 0 */
    StrobeStringId name, mode, item;
} SvpCall;

typedef struct SvpFrequency {
    gint64 time_ns;
    guint32 device, core;
    double mhz;
} SvpFrequency;

typedef struct SvpRows SvpRows;

/* The kinds that svp_rows_take knows; the `wants` of an exporter. */
extern const char *const svp_rows_wants[];

SvpRows *svp_rows_new(const StrobeConsumerHost *host, StrobeInstance *self);
void svp_rows_free(SvpRows *rows);
/* Takes records of those kinds. 0 or an errno value. */
int svp_rows_take(SvpRows *rows, const StrobeView *records, size_t n);
/* No more come: joins tasks with their layers and counters. 0 or an errno value. */
int svp_rows_join(SvpRows *rows);

guint svp_rows_n_captures(const SvpRows *rows);
const SvpCapture *svp_rows_capture(const SvpRows *rows, guint index);
/* Pictures in a batch of the model, as the run says, or its captures. */
guint32 svp_rows_batch(const SvpRows *rows, guint32 model);
const GArray *svp_rows_frequencies(const SvpRows *rows); /* of SvpFrequency, by device and time */
/* Are tasks of it missing? */
gboolean svp_capture_is_cut(const SvpCapture *capture);
/* Of the capture in MHz, rounded; SVP_ABSENT: not known. */
guint64 svp_rows_capture_mhz(const SvpRows *rows, const SvpCapture *capture);

/* Tasks by capture and task id; calls in order of their begins. NULL at the end; valid until the
 * next call. Each may be read once. */
const SvpTask *svp_rows_next_task(SvpRows *rows);
const SvpCall *svp_rows_next_call(SvpRows *rows);
int svp_rows_error(const SvpRows *rows); /* 0, or the errno value of a sorter */

/* The model's name as it stands in names of files. */
void svp_rows_model_name(const SvpRows *rows, StrobeStringId name, char out[SVP_MODEL_MAX + 1]);

#endif
