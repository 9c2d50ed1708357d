/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where an event is drawn: layers (what the trace calls processes) and the rows in them, and the
 * M events that name both. A layer of the process itself has the plain pid, any other one
 * (pid << 10) | (sort index << 5) | device in 32 bits. Names, indices and labels are those of the
 * generation that is written.
 */
#ifndef STROBE_CHROME_TRACE_ROWS_H
#define STROBE_CHROME_TRACE_ROWS_H

#include <ascend-trace.h>
#include <glib.h>
#include <strobe/exporter.h>

#include "trace-out.h"

typedef struct TraceLayer {
    char *name;
    const AscendLayer *known; /* NULL: one that readers do not know */
    guint number;             /* in order of first use */
    guint64 pid;              /* as written */
    guint32 sort_index;
    gint32 device;         /* -1: host */
    gboolean is_process;   /* plain pid */
    gboolean is_framework; /* key order of the framework's half of the file */
    gboolean is_named;     /* its own M events are written */
    GHashTable *by_tid;
    GHashTable *extra; /* by name: rows that no thread has */
    GPtrArray *rows;   /* TraceRow, in order of first use */
    guint n_named;     /* of these, the first ones have their M events */
} TraceLayer;

#define TRACE_PLACE_MAX 96u
#define TRACE_PLACE_USUAL 48u

/* What times count from. */
typedef struct TraceOrigin {
    gint64 base_ns;
    gboolean is_start; /* times are numbers beyond the base; else texts since the epoch, base 0 */
} TraceOrigin;

typedef struct TraceRow {
    const TraceOrigin *origin; /* of the rows */
    TraceLayer *layer;
    guint64 tid;
    guint64 sort_index;
    char *name;            /* NULL: no M events, as for counters */
    guint number;          /* in its layer, in order of first use */
    guint8 order;          /* among the rows of the framework: TRACE_ROW_* */
    gboolean has_dequeues; /* sorted behind all other threads */
    guint place_length;
    char place[TRACE_PLACE_MAX]; /* "pid": 1, "tid": 2, "ts": */
} TraceRow;

enum { TRACE_ROW_OPERATORS = 0, TRACE_ROW_QUEUE = 1, TRACE_ROW_PYTHON = 2, TRACE_ROW_OTHER = 3 };

/* Length of the place without its time: "pid": 1, "tid": 2 */
#define TRACE_WHERE_LENGTH(row_) ((row_)->place_length - strlen(", \"ts\": "))

/* Who asked for a row of a layer, and what it got. */
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
    TraceOrigin origin; /* by the option of that name */
    gint32 device;      /* of the capture, -1: none */
    gboolean has_names; /* threads have those that the source gave them */
    GPtrArray *layers;  /* in order of first use */
    GHashTable *by_key;
    GPtrArray *of_track, *of_marker; /* TraceRow by track id */
    GHashTable *unknown_layers;      /* name -> number */
    guint64 next_extra;
    KnownRow known[TRACE_KNOWN_ROWS]; /* the one that came last, in its slot */
} TraceRows;

/* Above every thread id that the kernel deals out, so that no thread has such a row. */
#define TRACE_FIRST_EXTRA_TID 4194305u

TraceRows *trace_rows_new(const StrobeConsumerHost *host, StrobeInstance *self);
void trace_rows_free(TraceRows *rows);

/* The row of a track: in its process, or in the layer that the track's group names. */
TraceRow *trace_rows_of_track(TraceRows *rows, StrobeTrackId track);
/* The row of a thread in the layer of the program's own marks. */
TraceRow *trace_rows_of_marker(TraceRows *rows, StrobeTrackId track);
/* A row of the process of a track that no thread has: `name` is a literal. */
TraceRow *trace_rows_extra(TraceRows *rows, StrobeTrackId track, const char *name);
/* A row in a known layer of the host ("Python GC", "CPU Usage") of the track's process. `layer`
 * stays as it is; `name` NULL: without M events. */
TraceRow *trace_rows_in_layer(TraceRows *rows, StrobeTrackId track, const char *layer, guint64 tid,
                              const char *name);
/* A row in a known layer of a device of the track's process. */
TraceRow *trace_rows_of_device(TraceRows *rows, StrobeTrackId track, const char *layer,
                               gint32 device, guint64 tid, const char *name);
/* Makes the rows of all streams, planes and threads in the layers of devices, with events or not.
 */
void trace_rows_of_all(TraceRows *rows);
/* Makes sure that there is a layer for the process that was profiled. */
void trace_rows_need_process(TraceRows *rows);
/* The process that recorded on the track. */
guint64 trace_rows_pid(TraceRows *rows, StrobeTrackId track);

/* What is on a row decides where the framework names it: threads of operators come first. */
static inline void trace_row_begins(TraceRow *row, guint8 order)
{
    if (row->order > order)
        row->order = order;
}

enum { TRACE_LAYERS_PROCESS = 1, TRACE_LAYERS_GC = 2, TRACE_LAYERS_OTHER = 3 };

/* row-names.c: writes the M events, as far as not yet written, of one type of layers. */
void trace_rows_write(TraceRows *rows, guint which, TraceOut *out);

#endif
