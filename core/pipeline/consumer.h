/* SPDX-License-Identifier: Apache-2.0 */
/* One pass or exporter in a pipeline: what it wants, its state, what it emits. */
#ifndef STROBE_CORE_CONSUMER_H
#define STROBE_CORE_CONSUMER_H

#include <strobe/helpers/gaps.h>
#include "crew.h"
#include "instance.h"
#include "reader-definitions.h"
#include "reader.h"
#include "spool.h"
#include "turns.h"
#include "view-runs.h"

/* How many records a pass derived of one kind. */
typedef struct StrobeDerivedCount {
    const char *kind;
    guint64 n;
    guint64 n_incomplete; /* of these, touching a gap */
} StrobeDerivedCount;

/* Of a pass that ends in a thread of its own: waits for the passes before it. See pass-ends.h. */
typedef struct StrobePassEnd {
    void (*await)(struct StrobePassEnd *end);
    void (*await_texts)(struct StrobePassEnd *end); /* before it interns a text */
} StrobePassEnd;

#define STROBE_RECENT_KINDS 32u

/* Whether a consumer wants a kind. */
typedef struct StrobeVerdict {
    const StrobeKindView *kind; /* NULL: none yet */
    gboolean is_wanted;
} StrobeVerdict;

typedef struct StrobeConsumer {
    StrobeInstance instance;
    const StrobeComponent *component;
    const StrobeConsumerOps *ops;
    gboolean is_pass;
    gboolean is_of_caller; /* called by the pipeline's own thread alone */
    void *state;
    gboolean is_open;
    GError *failure; /* first one of this run */

    /* Of the run. */
    StrobeReader *reader;
    const StrobeFacts *facts;
    StrobeGaps *gaps;       /* where records were lost; the pipeline's */
    gboolean wants_all_raw; /* it asked for "*" */
    GPtrArray *wants;       /* kind names that it asks for, by itself and by its options */
    GHashTable *wanted;     /* the same names */
    GHashTable *verdicts;   /* StrobeKindView* to wanted (1) or not (2) */
    StrobeVerdict recent[STROBE_RECENT_KINDS]; /* of them, by the kind's address */
    StrobeReaderKind *kinds;    /* a pass's derived kinds, n_kinds of the component */
    StrobeDerivedCount *counts; /* of the same kinds, of the run */
    StrobeSpool *spool;         /* a pass's derived records */
    StrobeView *batch;          /* matching records on their way */
    gsize n_batch;
    StrobeTurns *turns; /* of passes that are called side by side; NULL: not now */
    guint64 turn;
    void (*settle)(gpointer user); /* until others have all before what it is called for behind
                                      them, of the caller's own; NULL: nobody is at it */
    gpointer settle_user;
    GPtrArray *left;    /* of the derived kinds that it wants, those that may still come; a NULL
                           behind them. NULL: nothing new about that */
    guint n_left;       /* as it knows */
    StrobeCrew *crew;   /* that takes pieces of its calls; NULL: its thread does all */
    StrobePassEnd *end; /* of a pass that ends in a thread of its own: it takes no records any more;
                           NULL: it does not */
    gboolean interns_alone; /* while it ends: nobody interns who takes what it derives */
    GHashTable *fact_texts; /* key to text, of facts that are no texts */
} StrobeConsumer;

StrobeConsumer *strobe_consumer_new(const StrobeComponent *component,
                                    const StrobeConfigComponent *wanted, GError **error);
void strobe_consumer_free(gpointer consumer);

/* A run: open, any number of records, raw_end, more records and kinds_left, end, close. After a
 * failure the other calls do nothing. */
void strobe_consumer_open(StrobeConsumer *consumer, StrobeReader *reader, const StrobeFacts *facts,
                          StrobeGaps *gaps);
void strobe_consumer_feed(StrobeConsumer *consumer, const StrobeViewRuns *runs);
void strobe_consumer_raw_end(StrobeConsumer *consumer);
/* Tells an exporter what is left, if there is news. */
void strobe_consumer_kinds_left(StrobeConsumer *consumer);
void strobe_consumer_end(StrobeConsumer *consumer);
void strobe_consumer_close(StrobeConsumer *consumer);

#endif
