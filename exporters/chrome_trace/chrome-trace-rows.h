/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The position of an event: layers (processes in the trace) and their rows, and the M events
 * that name both. A layer of the process itself has the plain pid, any other one (pid << 10) |
 * (sort index << 5) | device in 32 bits. Names, indices and labels depend on the generation that
 * is written.
 */
#ifndef STROBE_CHROME_TRACE_ROWS_H
#define STROBE_CHROME_TRACE_ROWS_H

#include <ascend-trace.h>
#include <glib.h>
#include <strobe/exporter.h>

#include "trace-out.h"

typedef struct TraceLayer {
    char *name;
    const AscendLayer *known; /* NULL: unknown to readers */
    guint number;             /* in order of first use */
    guint64 pid;              /* as written */
    guint32 sort_index;
    gint32 device;         /* -1: host */
    gboolean is_process;   /* plain pid */
    gboolean is_framework; /* key order of the file's framework half */
    gboolean is_named;     /* its own M events are already written */
    GHashTable *by_tid;
    GHashTable *extra; /* by name: rows without a thread */
    GPtrArray *rows;   /* TraceRow, in order of first use */
    guint n_named;     /* number of first rows whose M events are written */
} TraceLayer;

#define TRACE_PLACE_MAX 96u
#define TRACE_PLACE_USUAL 48u

/* The origin of times. */
typedef struct TraceOrigin {
    gint64 base_ns;
    /* times are numbers relative to the base; otherwise the base is 0 and times are texts since the
     * epoch */
    gboolean is_start;
} TraceOrigin;

typedef struct TraceRow {
    const TraceOrigin *origin; /* of the rows */
    TraceLayer *layer;
    guint64 tid;
    guint64 sort_index;
    char *name;            /* NULL: no M events, as for counters */
    guint number;          /* number in its layer, in order of first use */
    guint8 order;          /* position among the framework's rows: TRACE_ROW_* */
    gboolean has_dequeues; /* sorted after all other threads */
    guint place_length;
    char place[TRACE_PLACE_MAX]; /* "pid": 1, "tid": 2, "ts": */
} TraceRow;

enum { TRACE_ROW_OPERATORS = 0, TRACE_ROW_QUEUE = 1, TRACE_ROW_PYTHON = 2, TRACE_ROW_OTHER = 3 };

/* Length of the place without its time: "pid": 1, "tid": 2 */
#define TRACE_WHERE_LENGTH(row_) ((row_)->place_length - strlen(", \"ts\": "))

/* The last request for a row of a layer, and its result. */
typedef struct KnownRow {
    const char *layer; /* the caller's literal; NULL: none yet */
    guint64 tid;
    StrobeTrackId track;
    gint32 device;
    TraceRow *row;
} KnownRow;

#define TRACE_KNOWN_ROWS 64u

typedef struct TraceRows {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    gint32 generation;
    gint32 level;
    TraceOrigin origin; /* from the option with that name */
    gint32 device;      /* of the capture, -1: none */
    gboolean has_names; /* threads have the names of the source */
    GPtrArray *layers;  /* in order of first use */
    GHashTable *by_key;
    GPtrArray *of_track, *of_marker; /* TraceRow, indexed by track id */
    GHashTable *unknown_layers;      /* name -> number */
    guint64 next_extra;
    KnownRow known[TRACE_KNOWN_ROWS]; /* the last one in each slot */
} TraceRows;

/* Above every thread id that the kernel assigns, so that these rows never collide with a thread. */
#define TRACE_FIRST_EXTRA_TID 4194305u

TraceRows *trace_rows_new(const StrobeConsumerHost *host, StrobeInstance *self);
void trace_rows_free(TraceRows *rows);

/* The row of a track: in its process, or in the layer of the track's group. */
TraceRow *trace_rows_of_track(TraceRows *rows, StrobeTrackId track);
/* The row of a thread in the layer of the program's own marks. */
TraceRow *trace_rows_of_marker(TraceRows *rows, StrobeTrackId track);
/* A row without a thread in the process of a track: `name` is a literal. */
TraceRow *trace_rows_extra(TraceRows *rows, StrobeTrackId track, const char *name);
/* A row in a known layer of the host ("Python GC", "CPU Usage") of the track's process. `layer`
 * must stay valid; `name` NULL: without M events. */
TraceRow *trace_rows_in_layer(TraceRows *rows, StrobeTrackId track, const char *layer, guint64 tid,
                              const char *name);
/* A row in a known layer of a device of the track's process. */
TraceRow *trace_rows_of_device(TraceRows *rows, StrobeTrackId track, const char *layer,
                               gint32 device, guint64 tid, const char *name);
/* Makes the rows of all streams, planes and threads in the layers of devices, with events or not.
 */
void trace_rows_of_all(TraceRows *rows);
/* Ensures that there is a layer for the profiled process. */
void trace_rows_need_process(TraceRows *rows);
/* The recorded process of the track. */
guint64 trace_rows_pid(TraceRows *rows, StrobeTrackId track);

/* The content of a row decides where the framework names it: threads of operators come first. */
static inline void trace_row_begins(TraceRow *row, guint8 order)
{
    if (row->order > order)
        row->order = order;
}

enum { TRACE_LAYERS_PROCESS = 1, TRACE_LAYERS_GC = 2, TRACE_LAYERS_OTHER = 3 };

/* row-names.c: writes the M events of one type of layers that are not yet written. */
void trace_rows_write(TraceRows *rows, guint which, TraceOut *out);

#endif
