/* SPDX-License-Identifier: Apache-2.0 */
/* All consumers of a run, called side by side where there are processors. */
#ifndef STROBE_CORE_CONSUMERS_H
#define STROBE_CORE_CONSUMERS_H

#include "consumer.h"

typedef struct StrobeConsumers StrobeConsumers;

/* Of StrobeConsumer each; lent until the end. Consumers that are the pipeline's caller's are called
 * by the calling thread; exporters and passes by whichever thread is free, passes begun in their
 * order. */
StrobeConsumers *strobe_consumers_new(const GPtrArray *passes, const GPtrArray *others);
void strobe_consumers_free(StrobeConsumers *consumers);
/* Threads besides the caller's. */
guint strobe_consumers_n_threads(const StrobeConsumers *consumers);

/* Both return when all consumers have. */
void strobe_consumers_call(StrobeConsumers *consumers, void (*step)(StrobeConsumer *));
void strobe_consumers_feed(StrobeConsumers *consumers, const StrobeView *views, gsize n);

#endif
