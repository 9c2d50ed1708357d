/* SPDX-License-Identifier: Apache-2.0 */
/* One pass or exporter in a pipeline: what it wants, its state, what it emits. */
#ifndef STROBE_CORE_CONSUMER_H
#define STROBE_CORE_CONSUMER_H

#include <strobe/helpers/gaps.h>
#include "batch.h"
#include "derived-log.h"
#include "instance.h"
#include "reader-definitions.h"
#include "reader.h"

/* How many records a pass derived of one kind. */
typedef struct StrobeDerivedCount {
    const char *kind;
    guint64 n;
    guint64 n_incomplete; /* of these, touching a gap */
} StrobeDerivedCount;

typedef struct StrobeConsumer {
    StrobeInstance instance;
    const StrobeComponent *component;
    const StrobeConsumerOps *ops;
    void *state;
    gboolean is_open;
    GError *failure; /* first one of this run */

    gboolean wants_all_raw;     /* it asked for "*" */
    GPtrArray *wants;           /* kind names that it asks for, by itself and by its options */
    GHashTable *wanted;         /* the same names */
    StrobeReaderKind *kinds;    /* a pass's derived kinds, n_kinds of the component */
    StrobeDerivedCount *counts; /* of the same kinds, of the run */

    /* Of the run. */
    StrobeReader *reader;
    StrobeFacts facts;
    StrobeGaps *gaps;             /* where records were lost; NULL until raw_end: anywhere */
    gboolean *is_stored;          /* of a pass's kinds, whether the capture holds it itself */
    StrobeDerivedLog *log;        /* of a pass */
    StrobeView *views;            /* STROBE_BATCH: those wanted of a batch */
    struct StrobeSpooled *newest; /* record emitted last; NULL: none that is kept */
    guint64 *unkept;              /* fields of a record that is not kept */
    GHashTable *fact_texts;       /* key to text, of facts that are no texts */
} StrobeConsumer;

StrobeConsumer *strobe_consumer_new(const StrobeComponent *component,
                                    const StrobeConfigComponent *wanted, GError **error);
void strobe_consumer_free(gpointer consumer);

gboolean strobe_consumer_is_pass(const StrobeConsumer *consumer);
gboolean strobe_consumer_wants(const StrobeConsumer *consumer, const StrobeKindView *kind);

/* A run: open, any number of records, raw_end, more records, end, close. After a failure the other
 * calls do nothing. `facts` are copied. */
void strobe_consumer_open(StrobeConsumer *consumer, StrobeReader *reader, const StrobeFacts *facts);
void strobe_consumer_take(StrobeConsumer *consumer, const StrobeBatch *batch);
/* All that is known of the raw records; `gaps` must outlive the run. */
void strobe_consumer_raw_end(StrobeConsumer *consumer, const StrobeFacts *facts, StrobeGaps *gaps);
/* What a pass emitted, when it has ended. */
void strobe_consumer_take_derived(StrobeConsumer *consumer, const StrobeConsumer *pass,
                                  StrobeDerivedLog *log);
void strobe_consumer_end(StrobeConsumer *consumer);
void strobe_consumer_close(StrobeConsumer *consumer);
/* Of a pass that has ended: how many of its records touch a gap, into its counts. */
void strobe_consumer_count_incomplete(StrobeConsumer *consumer);

#endif
