/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the enclosing span of each span, track by track, from spans in the order of their ends.
 *
 * A span is held until a later one encloses it or the records end. The number of held spans is
 * bounded: at NESTING_PENDING_MAX spans on one track the older ones are folded, 64 neighbours
 * into one entry that only keeps sums. A span that later encloses a fold takes all of it; one
 * that begins inside a fold takes none of it.
 */
#ifndef STROBE_PASSES_NESTING_H
#define STROBE_PASSES_NESTING_H

#include <glib.h>
#include <strobe/exporter.h>

#define NESTING_PENDING_MAX 16384
#define NESTING_RECENT 2048 /* never folded */
#define NESTING_GROUP 64

/* First member of a user's entry. The user sets begin_ns, end_ns and track. */
typedef struct NestingSpan {
    gint64 begin_ns, end_ns;
    gint64 total_ns;    /* duration; for a fold the sum */
    gint64 children_ns; /* sum of the direct children */
    guint32 children;   /* direct children */
    guint32 count;      /* 1; for a fold the number of its spans */
    StrobeTrackId track;
    gboolean is_fold;
} NestingSpan;

/* Callbacks; FALSE from any of them ends the work. */
typedef struct NestingOps {
    gsize entry_size; /* of an entry, which begins with a NestingSpan and is moved by memcpy */
    /* `child`, a fold or a span, has found its parent and is dropped afterwards. */
    gboolean (*adopt)(void *user, NestingSpan *parent, NestingSpan *child);
    /* `span` will become part of a fold: its parent is unknown and may still come. */
    gboolean (*fold)(void *user, NestingSpan *span);
    /* `from`, a fold or a span that passed `fold`, becomes part of `into`. */
    gboolean (*merge)(void *user, NestingSpan *into, NestingSpan *from);
    /* The records have ended: nothing encloses `span`, a fold or a span. */
    gboolean (*outermost)(void *user, NestingSpan *span);
} NestingOps;

typedef struct Nesting Nesting;

Nesting *nesting_new(const NestingOps *ops, void *user);
void nesting_free(Nesting *nesting);

/* Takes an ended span at `entry`; the entry is copied. */
gboolean nesting_add(Nesting *nesting, NestingSpan *entry);
/* No more spans follow: the held ones go to `outermost`, track by track, in order of begin. */
gboolean nesting_finish(Nesting *nesting);

/* Number of spans that were folded and then found a parent, which did not receive them singly. */
guint64 nesting_adopted_late(const Nesting *nesting);

#endif
