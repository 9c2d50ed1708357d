/* SPDX-License-Identifier: Apache-2.0 */
/* A pass or exporter in a pipeline, and the calls of a run. */
#ifndef STROBE_CORE_CONSUMER_H
#define STROBE_CORE_CONSUMER_H

#include "batch.h"
#include "consumer-state.h"

StrobeConsumer *strobe_consumer_new(const StrobeComponent *component,
                                    const StrobeConfigComponent *wanted, GError **error);
void strobe_consumer_free(gpointer consumer);

gboolean strobe_consumer_is_pass(const StrobeConsumer *consumer);
gboolean strobe_consumer_wants(const StrobeConsumer *consumer, const StrobeKindView *kind);

/* Begins a run. The calls of a run are: open, any number of records, raw_end, more records, end,
 * close. After a failure all further calls do nothing. `metadata` is copied; `storage` must outlive
 * the run. */
void strobe_consumer_open(StrobeConsumer *consumer, StrobeReader *reader,
                          const StrobeMetadata *metadata, StrobeStorage *storage);
void strobe_consumer_take(StrobeConsumer *consumer, const StrobeBatch *batch);
/* Informs the consumer that no more raw records follow; `gaps` must outlive the run. */
void strobe_consumer_raw_end(StrobeConsumer *consumer, const StrobeMetadata *metadata,
                             StrobeGaps *gaps);
/* Passes the records of a pass that has ended to the consumer. */
void strobe_consumer_take_derived(StrobeConsumer *consumer, const StrobeConsumer *pass,
                                  StrobeDerivedLog *log);
void strobe_consumer_end(StrobeConsumer *consumer);
void strobe_consumer_close(StrobeConsumer *consumer);
/* Counts the records of `consumer`, a pass that has ended, that touch a gap. */
void strobe_consumer_count_incomplete(StrobeConsumer *consumer);

#endif
