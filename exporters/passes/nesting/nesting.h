/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds, for each span of a track, the innermost span that encloses it. Spans arrive in the order
 * of their ends. A span is kept until a later span encloses it or the records end. The number of
 * these spans is bounded: when a track has NESTING_PENDING_MAX spans, the older ones are folded,
 * which means that 64 neighbours become one entry with only their sums. A later span that encloses
 * a fold gets the whole fold as a child. A later span that begins inside a fold gets no part of the
 * fold.
 */
#ifndef STROBE_PASSES_NESTING_H
#define STROBE_PASSES_NESTING_H

#include <glib.h>
#include <strobe/exporter.h>

#define NESTING_PENDING_MAX 16384
#define NESTING_RECENT 2048 /* number of the last spans, which are never folded */
#define NESTING_GROUP 64

/* The first member of the user's struct for a span or a fold. The user sets begin_ns, end_ns and
 * track. */
typedef struct NestingSpan {
    gint64 begin_ns, end_ns;
    gint64 total_ns;    /* duration of the span; of a fold: the sum over its spans */
    gint64 children_ns; /* sum of the durations of the direct children */
    guint32 children;   /* number of direct children */
    guint32 count;      /* number of spans in the fold; 1 for a span */
    StrobeTrackId track;
    gboolean is_fold;
} NestingSpan;

/* Callbacks of the user. If a callback returns FALSE, the function that called it returns FALSE at
 * once. */
typedef struct NestingOps {
    /* size of the user's struct, which begins with a NestingSpan and is moved by memcpy */
    gsize entry_size;
    /* Called when the parent of `child` (a fold or a span) is known; `child` is dropped
     * afterwards. */
    gboolean (*adopt)(void *user, NestingSpan *parent, NestingSpan *child);
    /* Is called before `span` becomes part of a fold. The parent of `span` is not known yet, and
     * may still come. */
    gboolean (*fold)(void *user, NestingSpan *span);
    /* Adds `from` to the fold `into`. `from` is a fold, or a span that was passed to `fold`. */
    gboolean (*merge)(void *user, NestingSpan *into, NestingSpan *from);
    /* Called at the end for each `span` (a fold or a span) that nothing encloses. */
    gboolean (*outermost)(void *user, NestingSpan *span);
} NestingOps;

typedef struct Nesting Nesting;

Nesting *nesting_new(const NestingOps *ops, void *user);
void nesting_free(Nesting *nesting);

/* Adds a span that has ended. Copies `entry`. */
gboolean nesting_add(Nesting *nesting, NestingSpan *entry);
/* Passes the kept spans to `outermost`, track by track, in the order of their begins. Must be
 * called after the last span. */
gboolean nesting_finish(Nesting *nesting);

/* Returns the number of spans that were folded before their parent came, so that the parent got
 * only their sums. */
guint64 nesting_adopted_late(const Nesting *nesting);

#endif
