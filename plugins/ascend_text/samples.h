/* SPDX-License-Identifier: Apache-2.0 */
/* Counter events into records: what the series of one instant say is one record. */
#ifndef STROBE_ASCEND_TEXT_SAMPLES_H
#define STROBE_ASCEND_TEXT_SAMPLES_H

#include "ascend-text-layers.h"

#define SAMPLES_MAX 16384u /* that wait for the rest of their series */

typedef struct Samples {
    Import *import;
    GHashTable *series;  /* what an event of this layer and name is, by both */
    GHashTable *waiting; /* Sample by itself */
    GQueue order;        /* of them, by arrival */
} Samples;

void samples_init(Samples *samples, Import *import);
void samples_clear(Samples *samples);

/* FALSE: not all of the event has a place in a kind; nothing of it is taken then. */
gboolean samples_take(Samples *samples, const TraceEvent *event, const Layer *layer,
                      StrobeTrackId track, gint64 time_ns);
/* Emits what waits. */
void samples_finish(Samples *samples);

#endif
