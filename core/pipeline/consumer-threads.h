/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of a run, one for each pass and exporter.
 *
 * A thread takes batches from its queue until the last raw record. Then it reads the output of each
 * pass that makes kinds which its consumer wants, one pass after the other; for each pass it waits
 * until the pass has ended. Then it ends its own consumer.
 */
#ifndef STROBE_CORE_CONSUMER_THREADS_H
#define STROBE_CORE_CONSUMER_THREADS_H

#include "consumer.h"

typedef struct StrobeConsumerThreads StrobeConsumerThreads;

/* Starts a thread for each of these opened StrobeConsumers. In `passes`, a pass must come after the
 * passes whose kinds it wants. Each consumer is closed when its thread ends. A consumer whose
 * thread cannot be started fails. */
StrobeConsumerThreads *strobe_consumer_threads_start(const GPtrArray *passes,
                                                     const GPtrArray *exporters);

/* Pushes the batch to each consumer that wants any of its kinds. */
void strobe_consumer_threads_push(StrobeConsumerThreads *threads, StrobeBatch *batch);
/* Call it when no more raw records follow. `metadata` and `gaps` must stay valid until the threads
 * have ended. `metadata` NULL: the capture cannot be read; no consumer's `raw_end` or `end` is
 * called. */
void strobe_consumer_threads_raw_end(StrobeConsumerThreads *threads, const StrobeMetadata *metadata,
                                     StrobeGaps *gaps);

/* Waits for all threads. Calls `on_pass` with the fraction of passes that have ended. */
void strobe_consumer_threads_join(StrobeConsumerThreads *threads,
                                  void (*on_pass)(gpointer user, double share), gpointer user);

#endif
