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
    guint64 n_incomplete; /* the part of these that touch a gap */
} StrobeDerivedCount;

typedef struct StrobeConsumer {
    StrobeInstance instance;
    const StrobeComponent *component;
    const StrobeConsumerOps *ops;
    void *state;
    gboolean is_open;
    GError *failure; /* first failure of this run */

    gboolean wants_all_raw;     /* it wants "*" */
    GPtrArray *wants;           /* names of the kinds that it wants, including those in its
                                 * options */
    GHashTable *wanted;         /* the same names */
    StrobeReaderKind *kinds;    /* a pass's derived kinds, n_kinds of the component */
    StrobeDerivedCount *counts; /* counts of the same kinds in this run */

    /* State of the current run. */
    StrobeReader *reader;
    StrobeMetadata metadata;
    StrobeStorage *storage;
    StrobeGaps *gaps;           /* where records were lost; NULL before raw_end: anywhere */
    gboolean *is_stored;        /* for each kind of a pass: does the capture itself contain it? */
    StrobeDerivedLog *log;      /* of a pass */
    StrobeView *views;          /* STROBE_BATCH: the wanted ones of a batch */
    StrobeDerived *newest;      /* last emitted record; NULL: none, or it is not kept */
    guint64 *unkept;            /* fields of a record that is not kept */
    GArray *messages;           /* kept during its thread; NULL: printed at once */
    GHashTable *metadata_texts; /* key -> text, for metadata values that are not strings */
} StrobeConsumer;

#endif
