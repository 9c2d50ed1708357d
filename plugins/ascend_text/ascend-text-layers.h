/* SPDX-License-Identifier: Apache-2.0 */
/* The processes and threads of a trace: a process is one layer of one device, and a thread is a row
 * of this layer. */
#ifndef STROBE_ASCEND_TEXT_LAYERS_H
#define STROBE_ASCEND_TEXT_LAYERS_H

#include <ascend-trace.h>

#include "ascend-text-import.h"
#include "trace-event.h"

typedef struct Layer {
    gint64 pid;
    gint32 what; /* ASCEND_LAYER_*; -1: unknown */
    char *name;  /* NULL: the trace gives no name */
    gint device; /* -1: the host */
    gboolean is_labelled;
} Layer;

typedef struct Row {
    gint64 pid, tid;
    const Layer *layer;
    char *name;           /* NULL: the trace gives no name */
    gint plane;           /* plane in the communication layer; -1: the group itself */
    gboolean is_steps;    /* the row contains the device's iterations, not its tasks */
    StrobeTrackId track;  /* 0: not made yet */
    StrobeStringId group; /* communicator; 0: unknown */
} Row;

typedef struct Layers {
    Import *import;
    GHashTable *layers; /* pid -> its Layer */
    GHashTable *rows;   /* set of Row */
    Row *last;          /* the row that was requested last */
    Row overflow;       /* the row for all events of rows beyond the limit */
} Layers;

void layers_init(Layers *layers, Import *import);
void layers_clear(Layers *layers);

/* Processes an event of phase M, which names a layer or a row. */
void layers_take(Layers *layers, const TraceEvent *event);
/* Recognises layers by their numbers, and finds metadata of the run. Must be called after the last
 * M event. */
void layers_finish(Layers *layers);

/* Returns the row of an event; adds the row if the trace does not name it. */
Row *layers_row(Layers *layers, gint64 pid, gint64 tid);
StrobeTrackId layers_track(Layers *layers, Row *row);
/* Makes the tracks of all named rows of devices and CANN, even if they have no events. */
void layers_track_all(Layers *layers);

#endif
