/* SPDX-License-Identifier: Apache-2.0 */
/* The processes and threads of a trace: a process is one layer of one device, a thread a row in
 * it. */
#ifndef STROBE_ASCEND_TEXT_LAYERS_H
#define STROBE_ASCEND_TEXT_LAYERS_H

#include <ascend-trace.h>

#include "ascend-text-import.h"
#include "trace-event.h"

typedef struct Layer {
    gint64 pid;
    gint32 what; /* ASCEND_LAYER_*, -1: not known */
    char *name;  /* NULL: none */
    gint device; /* -1: the host */
    gboolean is_labelled;
} Layer;

typedef struct Row {
    gint64 pid, tid;
    const Layer *layer;
    char *name;           /* NULL: none */
    gint plane;           /* of communication: -1 the group itself, else the plane */
    gboolean is_steps;    /* the device's own iterations, not its tasks */
    StrobeTrackId track;  /* 0: not yet */
    StrobeStringId group; /* communicator, 0: not told */
} Row;

typedef struct Layers {
    Import *import;
    GHashTable *layers; /* Layer by its pid */
    GHashTable *rows;   /* Row by itself */
    Row *last;          /* the row asked for last */
    Row overflow;       /* what there is no room for */
} Layers;

void layers_init(Layers *layers, Import *import);
void layers_clear(Layers *layers);

/* An M event. */
void layers_take(Layers *layers, const TraceEvent *event);
/* After the last of them: layers that are told by their number, facts of the run. */
void layers_finish(Layers *layers);

/* Returns the row of an event; makes it if the trace does not name it. */
Row *layers_row(Layers *layers, gint64 pid, gint64 tid);
StrobeTrackId layers_track(Layers *layers, Row *row);
/* Rows that have a name stay, also without events. */
void layers_track_all(Layers *layers);

#endif
