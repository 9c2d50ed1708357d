/* SPDX-License-Identifier: Apache-2.0 */
/* Makes several tables of `strobe show` in one run of a pipeline. */
#ifndef STROBE_TOOLS_SHOW_CONSUMER_H
#define STROBE_TOOLS_SHOW_CONSUMER_H

#include "pipeline.h"

/* Source of a run's records. */
typedef struct StrobeShowSource {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    const StrobePipeline *pipeline;
} StrobeShowSource;

/* A table made from the records of one kind. */
typedef struct StrobeShowTable {
    const char *kind;
    void *table; /* for the calls below */
    void (*open)(void *table, const StrobeShowSource *source);
    StrobeStatus (*add)(void *table, const StrobeView *record);
    StrobeStatus (*end)(void *table); /* the source's texts are not valid after it */
    void (*close)(void *table);       /* always follows open */
} StrobeShowTable;

typedef struct StrobeShowConsumer StrobeShowConsumer;

/* `name` is its name in messages. */
StrobeShowConsumer *strobe_show_consumer_new(const char *name);
void strobe_show_consumer_free(StrobeShowConsumer *consumer);

/* The table must outlive the run. */
void strobe_show_consumer_add(StrobeShowConsumer *consumer, StrobeShowTable table);

/* Runs the result once; `passes` of StrobeConfigComponent, NULL: no options. `has_bar`: draws a
 * progress bar. */
gboolean strobe_show_consumer_run(StrobeShowConsumer *consumer, StrobeRegistry *registry,
                                  const StrobeResult *result, const GPtrArray *passes,
                                  gboolean has_bar, GError **error);

#endif
