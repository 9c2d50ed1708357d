/* SPDX-License-Identifier: Apache-2.0 */
/* Several tables of `strobe show`, made in one run of a pipeline. */
#ifndef STROBE_TOOLS_SHOW_CONSUMER_H
#define STROBE_TOOLS_SHOW_CONSUMER_H

#include "pipeline.h"

/* Where the records of a run come from. */
typedef struct StrobeShowSource {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    const StrobePipeline *pipeline;
} StrobeShowSource;

/* A table that is made of the records of one kind. */
typedef struct StrobeShowTable {
    const char *kind;
    void *table; /* for the calls below */
    void (*open)(void *table, const StrobeShowSource *source);
    StrobeStatus (*add)(void *table, const StrobeView *record);
    StrobeStatus (*end)(void *table); /* texts of the source are gone after it */
    void (*close)(void *table);       /* always follows open */
} StrobeShowTable;

typedef struct StrobeShowConsumer StrobeShowConsumer;

/* `name` is what messages call it. */
StrobeShowConsumer *strobe_show_consumer_new(const char *name);
void strobe_show_consumer_free(StrobeShowConsumer *consumer);

/* The table must outlive the run. */
void strobe_show_consumer_add(StrobeShowConsumer *consumer, StrobeShowTable table);

/* Runs the result once; `passes` of StrobeConfigComponent, NULL: none has options. With `has_bar`
 * a progress bar is drawn. */
gboolean strobe_show_consumer_run(StrobeShowConsumer *consumer, StrobeRegistry *registry,
                                  const StrobeResult *result, const GPtrArray *passes,
                                  gboolean has_bar, GError **error);

#endif
