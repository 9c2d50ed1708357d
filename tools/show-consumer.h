/* SPDX-License-Identifier: Apache-2.0 */
/* Makes several tables of `strobe show` in one run of a pipeline. */
#ifndef STROBE_TOOLS_SHOW_CONSUMER_H
#define STROBE_TOOLS_SHOW_CONSUMER_H

#include "pipeline.h"

/* The source of the records of a run. */
typedef struct StrobeShowSource {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    const StrobePipeline *pipeline;
} StrobeShowSource;

/* A table made from the records of one kind. */
typedef struct StrobeShowTable {
    const char *kind;
    void *table; /* argument of the functions below */
    void (*open)(void *table, const StrobeShowSource *source);
    StrobeStatus (*add)(void *table, const StrobeView *record);
    /* called after the last record; the texts of the source are not valid after this call */
    StrobeStatus (*end)(void *table);
    void (*close)(void *table); /* called after each `open`, even if the run failed */
} StrobeShowTable;

typedef struct StrobeShowConsumer StrobeShowConsumer;

/* `name` is the name of the consumer in messages. */
StrobeShowConsumer *strobe_show_consumer_new(const char *name);
void strobe_show_consumer_free(StrobeShowConsumer *consumer);

/* Adds a table, which must outlive the run. */
void strobe_show_consumer_add(StrobeShowConsumer *consumer, StrobeShowTable table);

/* Runs the pipeline over the result once. `passes` (of StrobeConfigComponent): options of passes,
 * NULL: none. `has_bar`: draws a progress bar. */
gboolean strobe_show_consumer_run(StrobeShowConsumer *consumer, StrobeRegistry *registry,
                                  const StrobeResult *result, const GPtrArray *passes,
                                  gboolean has_bar, GError **error);

#endif
