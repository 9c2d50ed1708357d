/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of one pass or exporter in a pipeline. */
#ifndef STROBE_CORE_CONSUMER_STATE_H
#define STROBE_CORE_CONSUMER_STATE_H

#include <strobe/helpers/gaps.h>
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
    StrobeMetadata metadata;
    StrobeStorage *storage;
    StrobeGaps *gaps;           /* where records were lost; NULL until raw_end: anywhere */
    gboolean *is_stored;        /* of a pass's kinds, whether the capture holds it itself */
    StrobeDerivedLog *log;      /* of a pass */
    StrobeView *views;          /* STROBE_BATCH: those wanted of a batch */
    StrobeDerived *newest;      /* record emitted last; NULL: none that is kept */
    guint64 *unkept;            /* fields of a record that is not kept */
    GArray *messages;           /* kept in its thread; NULL: printed at once */
    GHashTable *metadata_texts; /* key to text, for metadata values that are not strings */
} StrobeConsumer;

#endif
