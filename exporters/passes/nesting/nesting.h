/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which span encloses which, track by track, from spans in the order of their ends.
 *
 * A span is held until a later one encloses it or the records are over. What is held is bounded:
 * at NESTING_PENDING_MAX spans on one track the older ones are folded, 64 neighbours into one
 * entry that only keeps sums. A span that later encloses a fold takes all of it; one that begins
 * inside a fold takes none of it.
 */
#ifndef STROBE_PASSES_NESTING_H
#define STROBE_PASSES_NESTING_H

#include <glib.h>
#include <strobe/exporter.h>

#define NESTING_PENDING_MAX 16384
#define NESTING_RECENT 2048 /* never folded */
#define NESTING_GROUP 64

/* Head of a user's entry. The user sets begin_ns, end_ns and track. */
typedef struct NestingSpan {
    gint64 begin_ns, end_ns;
    gint64 total_ns;    /* duration; of a fold the sum */
    gint64 children_ns; /* sum of the direct children */
    guint32 children;   /* direct children */
    guint32 count;      /* 1; of a fold the spans in it */
    StrobeTrackId track;
    gboolean is_fold;
} NestingSpan;

/* Callbacks; FALSE from any ends the work. */
typedef struct NestingOps {
    gsize entry_size; /* of an entry, which begins with a NestingSpan and is moved by memcpy */
    /* `child`, a fold or a span, has found its parent and is then forgotten. */
    gboolean (*adopt)(void *user, NestingSpan *parent, NestingSpan *child);
    /* `span` is about to become part of a fold: no parent is known, one may still come. */
    gboolean (*fold)(void *user, NestingSpan *span);
    /* `from`, a fold or a span that has been through `fold`, becomes part of `into`. */
    gboolean (*merge)(void *user, NestingSpan *into, NestingSpan *from);
    /* The records are over: nothing encloses `span`, a fold or a span. */
    gboolean (*outermost)(void *user, NestingSpan *span);
} NestingOps;

typedef struct Nesting Nesting;

Nesting *nesting_new(const NestingOps *ops, void *user);
void nesting_free(Nesting *nesting);

/* Takes a span that has ended, at `entry`; the entry is copied. */
gboolean nesting_add(Nesting *nesting, NestingSpan *entry);
/* No more spans: what is held goes to `outermost`, track by track, in order of begin. */
gboolean nesting_finish(Nesting *nesting);

/* Spans that were folded and then found a parent: they had no chance to tell it. */
guint64 nesting_adopted_late(const Nesting *nesting);

#endif
