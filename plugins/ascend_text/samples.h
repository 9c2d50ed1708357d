/* SPDX-License-Identifier: Apache-2.0 */
/* Converts counter events to records: the values of all series at one time make one record. */
#ifndef STROBE_ASCEND_TEXT_SAMPLES_H
#define STROBE_ASCEND_TEXT_SAMPLES_H

#include "ascend-text-layers.h"

#define SAMPLES_MAX 16384u /* samples that wait for the rest of their series */

typedef struct Samples {
    Import *import;
    GHashTable *series;  /* from an event's layer and name to its Series */
    GHashTable *waiting; /* set of Sample */
    GQueue order;        /* the samples in order of arrival */
} Samples;

void samples_init(Samples *samples, Import *import);
void samples_clear(Samples *samples);

/* Returns FALSE, and takes no value of the event, if one of the values has no field in a kind. */
gboolean samples_take(Samples *samples, const TraceEvent *event, const Layer *layer,
                      StrobeTrackId track, gint64 time_ns);
/* Emits the waiting samples. */
void samples_finish(Samples *samples);

#endif
