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

/* Where up to STROBE_BATCH records go before they are fed. Others may be under way meanwhile. */
StrobeView *strobe_consumers_room(StrobeConsumers *consumers);
/* How many batches are under way at most; 1: strobe_consumers_feed returns when all have them. */
guint strobe_consumers_n_batches(const StrobeConsumers *consumers);
/* The first `n` of these; what they point to stays as it is until strobe_consumers_settle, or until
 * there is room for the batch that is strobe_consumers_n_batches behind. */
void strobe_consumers_feed(StrobeConsumers *consumers, gsize n);
/* These return when all consumers have all records behind them, and the call. */
void strobe_consumers_settle(StrobeConsumers *consumers);
void strobe_consumers_call(StrobeConsumers *consumers, void (*step)(StrobeConsumer *));
/* The end of all but passes. */
void strobe_consumers_end(StrobeConsumers *consumers);

#endif
