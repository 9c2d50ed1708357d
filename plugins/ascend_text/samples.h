/* SPDX-License-Identifier: Apache-2.0 */
/* Converts counter events to records: the values of all series at one moment make one record. */
#ifndef STROBE_ASCEND_TEXT_SAMPLES_H
#define STROBE_ASCEND_TEXT_SAMPLES_H

#include "ascend-text-layers.h"

#define SAMPLES_MAX 16384u /* samples that wait for the rest of their series */

typedef struct Samples {
    Import *import;
    GHashTable *series;  /* layer and name of an event to its Series */
    GHashTable *waiting; /* set of Sample */
    GQueue order;        /* of the samples, by arrival */
} Samples;

void samples_init(Samples *samples, Import *import);
void samples_clear(Samples *samples);

/* FALSE: some value of the event has no field in a kind; then nothing of the event is taken. */
gboolean samples_take(Samples *samples, const TraceEvent *event, const Layer *layer,
                      StrobeTrackId track, gint64 time_ns);
/* Emits the waiting samples. */
void samples_finish(Samples *samples);

#endif
