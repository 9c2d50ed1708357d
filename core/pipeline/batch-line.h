/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of records on their way through consumers: each consumer takes one after the other, and
 * does not wait for the others. Whoever calls holds a lock, but for the records themselves. */
#ifndef STROBE_CORE_BATCH_LINE_H
#define STROBE_CORE_BATCH_LINE_H

#include "view-runs.h"

#define STROBE_BATCHES 4u /* on their way at most */

typedef struct StrobeBatch {
    StrobeView views[STROBE_BATCH];
    StrobeViewRuns runs;
    guint64 first_turn; /* of the consumers that take it */
} StrobeBatch;

typedef struct StrobeBatchLine {
    StrobeBatch *batches[STROBE_BATCHES]; /* each at the remainder of its number */
    guint n_batches;
    guint64 first, end; /* numbers of those that are on their way */
    guint n_takers;
    struct {
        guint64 next; /* batch that it has or takes next */
        gboolean has_it;
    } *takers;
} StrobeBatchLine;

StrobeBatchLine *strobe_batch_line_new(guint n_batches, guint n_takers);
void strobe_batch_line_free(StrobeBatchLine *line);

/* Is there one to be filled? */
gboolean strobe_batch_line_has_room(const StrobeBatchLine *line);
StrobeBatch *strobe_batch_line_next(const StrobeBatchLine *line);
/* Sends the one that was filled on its way. */
void strobe_batch_line_put(StrobeBatchLine *line);
gboolean strobe_batch_line_is_empty(const StrobeBatchLine *line);

/* A taker for which a batch waits, and which has it now: of the oldest batch the first one. -1:
 * there is none. */
gint strobe_batch_line_take(StrobeBatchLine *line);
const StrobeBatch *strobe_batch_line_given(const StrobeBatchLine *line, guint taker);
/* Has it behind it. */
void strobe_batch_line_done(StrobeBatchLine *line, guint taker);

#endif
