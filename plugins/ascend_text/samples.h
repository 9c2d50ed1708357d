/* SPDX-License-Identifier: Apache-2.0 */
/* Converts counter events to records: the values of all series at the same time become one
 * record. */
#ifndef STROBE_ASCEND_TEXT_SAMPLES_H
#define STROBE_ASCEND_TEXT_SAMPLES_H

#include "ascend-text-layers.h"

/* maximum number of samples that wait for the other values of their time */
#define SAMPLES_MAX 16384u

typedef struct Samples {
    Import *import;
    GHashTable *series;  /* layer and name of an event -> its Series */
    GHashTable *waiting; /* set of Sample */
    GQueue order;        /* the samples in order of arrival */
} Samples;

void samples_init(Samples *samples, Import *import);
void samples_clear(Samples *samples);

/* Adds the values of the event to its sample. Returns FALSE, and adds no value, if one of the
 * values has no field in a kind. */
gboolean samples_take(Samples *samples, const TraceEvent *event, const Layer *layer,
                      StrobeTrackId track, gint64 time_ns);
/* Emits the waiting samples. */
void samples_finish(Samples *samples);

#endif
