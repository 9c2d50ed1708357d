/* SPDX-License-Identifier: Apache-2.0 */
/* State of a pass or exporter in a pipeline. */
#ifndef STROBE_CORE_CONSUMER_STATE_H
#define STROBE_CORE_CONSUMER_STATE_H

#include <strobe/helpers/gaps.h>
#include "derived-log.h"
#include "instance.h"
#include "reader-definitions.h"
#include "reader.h"

/* Number of records of one kind that a pass derived. */
typedef struct StrobeDerivedCount {
    const char *kind;
    guint64 n;
    guint64 n_incomplete; /* number of these records that touch a gap */
} StrobeDerivedCount;

typedef struct StrobeConsumer {
    StrobeInstance instance;
    const StrobeComponent *component;
    const StrobeConsumerOps *ops;
    void *state;
    gboolean is_open;
    GError *failure; /* first failure of this run */

    gboolean wants_all_raw; /* the consumer wants "*" */
    /* names of the kinds that the consumer wants, including those in its options */
    GPtrArray *wants;
    GHashTable *wanted;         /* the names in `wants`, as a set */
    StrobeReaderKind *kinds;    /* a pass's derived kinds, n_kinds of the component */
    StrobeDerivedCount *counts; /* counts for these kinds in this run */

    /* State of the current run. */
    StrobeReader *reader;
    StrobeMetadata metadata;
    StrobeStorage *storage;
    /* times in which records were lost; NULL before raw_end: not known yet, so any time counts as a
     * gap */
    StrobeGaps *gaps;
    gboolean *is_stored;   /* for each kind of a pass: does the capture itself contain it? */
    StrobeDerivedLog *log; /* the pass's output; NULL for an exporter */
    StrobeView *views; /* room for STROBE_BATCH: the records of a batch that the consumer wants */
    StrobeDerived *newest; /* last emitted record; NULL: there is none, or it was not kept */
    guint64 *unkept;       /* room for the fields of a record that is not kept */
    GArray *messages; /* messages kept until the consumer's thread has ended; NULL: messages are
                         printed at once */
    GHashTable *metadata_texts; /* key -> text, for metadata values that are not strings */
} StrobeConsumer;

#endif
