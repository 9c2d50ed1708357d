/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the position of an event: its layer (a process in the trace) and its row. Writes the M
 * events, which give layers and rows their names. In the trace, the layer of the recorded process
 * has the pid of this process; any other layer has a number of 32 bits as its pid: (pid << 10) |
 * (sort index << 5) | device. Names, sort indices and labels depend on the generation of the Ascend
 * profiler whose files are written.
 */
#ifndef STROBE_CHROME_TRACE_ROWS_H
#define STROBE_CHROME_TRACE_ROWS_H

#include <ascend-trace.h>
#include <glib.h>
#include <strobe/exporter.h>

#include "trace-out.h"

typedef struct TraceLayer {
    char *name;
    /* the layer's description in the formats; NULL: readers do not know the layer */
    const AscendLayer *known;
    guint number; /* number of layers that were used before this one */
    guint64 pid;  /* the pid in the trace */
    guint32 sort_index;
    gint32 device;       /* -1: host */
    gboolean is_process; /* the layer of the recorded process */
    /* its M events have their keys in the order that the Ascend profiler uses for the framework */
    gboolean is_framework;
    gboolean is_named; /* its own M events are written (those of its rows may not be) */
    GHashTable *by_tid;
    GHashTable *extra; /* name -> row, for rows without a thread */
    GPtrArray *rows;   /* TraceRow, in order of first use */
    guint n_named;     /* number of rows, from the first, whose M events are written */
} TraceLayer;

#define TRACE_PLACE_MAX 96u
#define TRACE_PLACE_USUAL 48u

/* Defines from which time on times count, and how they are written. */
typedef struct TraceOrigin {
    gint64 base_ns;
    /* TRUE: times are numbers relative to the base. FALSE: the base is 0, and times are texts that
     * count from the epoch */
    gboolean is_start;
} TraceOrigin;

typedef struct TraceRow {
    const TraceOrigin *origin; /* the origin that all rows share */
    TraceLayer *layer;
    guint64 tid;
    guint64 sort_index;
    char *name;   /* NULL: the row has no M events (rows of counters) */
    guint number; /* number of rows of its layer that were used before this one */
    guint8 order; /* position among the framework's rows: TRACE_ROW_* */
    /* the thread runs the queued tasks; the row comes after all other rows */
    gboolean has_dequeues;
    guint place_length;
    /* the text "pid": 1, "tid": 2, "ts": with the numbers of the row */
    char place[TRACE_PLACE_MAX];
} TraceRow;

enum { TRACE_ROW_OPERATORS = 0, TRACE_ROW_QUEUE = 1, TRACE_ROW_PYTHON = 2, TRACE_ROW_OTHER = 3 };

/* Length of the row's text `place` without its key of the time: "pid": 1, "tid": 2 */
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
    TraceOrigin origin; /* from the option "origin" */
    gint32 device;      /* the capture's device, -1: none */
    gboolean has_names; /* threads have the names that the source gives them */
    GPtrArray *layers;  /* in order of first use */
    GHashTable *by_key;
    GPtrArray *of_track, *of_marker; /* TraceRow, indexed by track id */
    GHashTable *unknown_layers;      /* name -> number */
    guint64 next_extra;
    KnownRow known[TRACE_KNOWN_ROWS]; /* a hash table; a new request replaces the one in its slot */
} TraceRows;

/* Larger than every thread id that the kernel assigns, so that rows without a thread never have the
 * id of a thread. */
#define TRACE_FIRST_EXTRA_TID 4194305u

TraceRows *trace_rows_new(const StrobeConsumerHost *host, StrobeInstance *self);
void trace_rows_free(TraceRows *rows);

/* Returns the row of a track: in the layer of its process, or in the layer of its group. */
TraceRow *trace_rows_of_track(TraceRows *rows, StrobeTrackId track);
/* Returns the row of a thread's marks, in the layer that contains the program's marks. */
TraceRow *trace_rows_of_marker(TraceRows *rows, StrobeTrackId track);
/* Returns a row without a thread, in the layer of the track's process. `name` is a literal. */
TraceRow *trace_rows_extra(TraceRows *rows, StrobeTrackId track, const char *name);
/* Returns a row in a layer of the host that readers know ("Python GC", "CPU Usage"), for the
 * track's process. `layer` must stay valid. `name` NULL: the row has no M events. */
TraceRow *trace_rows_in_layer(TraceRows *rows, StrobeTrackId track, const char *layer, guint64 tid,
                              const char *name);
/* Returns a row in a layer of a device that readers know, for the track's process. */
TraceRow *trace_rows_of_device(TraceRows *rows, StrobeTrackId track, const char *layer,
                               gint32 device, guint64 tid, const char *name);
/* Makes the rows of all streams, planes and threads in the layers of devices, even if they have no
 * events. */
void trace_rows_of_all(TraceRows *rows);
/* Ensures that there is a layer for the profiled process. */
void trace_rows_need_process(TraceRows *rows);
/* Returns the pid of the track's process. */
guint64 trace_rows_pid(TraceRows *rows, StrobeTrackId track);

/* Moves the row to a smaller position among the framework's rows, if `order` (TRACE_ROW_*) is
 * smaller than its position: threads with operators come first. */
static inline void trace_row_begins(TraceRow *row, guint8 order)
{
    if (row->order > order)
        row->order = order;
}

enum { TRACE_LAYERS_PROCESS = 1, TRACE_LAYERS_GC = 2, TRACE_LAYERS_OTHER = 3 };

/* Writes the M events of the layers of the type `which` (TRACE_LAYERS_*), and of their rows, if
 * they are not written yet. (row-names.c) */
void trace_rows_write(TraceRows *rows, guint which, TraceOut *out);

#endif
