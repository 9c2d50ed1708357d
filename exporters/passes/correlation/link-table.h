/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Causes and effects of one type, by the id that they share, whichever is seen first.
 *
 * Bounded: ids rise, so that the oldest half is taken for complete when LINK_ENTRIES_MAX are known.
 * Effects seen before their cause wait for it, LINK_WAITING_MAX of them in all; what does not fit
 * is linked, but not checked.
 */
#ifndef STROBE_PASSES_LINK_TABLE_H
#define STROBE_PASSES_LINK_TABLE_H

#include <glib.h>
#include <strobe/exporter.h>

#define LINK_ENTRIES_MAX 131072u
#define LINK_WAITING_MAX 1048576u

#define LINK_NOT_CHECKED STROBE_ABSENT_U64

/* When an effect began, and by how much the clocks in between may be off: LINK_NOT_CHECKED if that
 * is not known. */
typedef struct LinkEffect {
    gint64 begin_ns;
    guint64 error_ns;
} LinkEffect;

typedef struct LinkEntry {
    guint64 id;
    gint64 cause_ns; /* begin of the cause */
    guint64 cause_thread;
    guint32 n_effects, n_violations, n_unchecked;
    guint8 has_cause, is_ambiguous, is_reported;
    gint64 worst_ns;  /* the most by which an effect began before its cause */
    guint64 error_ns; /* the largest that was allowed for */
    GArray *waiting;  /* of LinkEffect; NULL: none */
} LinkEntry;

typedef struct LinkTable LinkTable;

/* `done` is told each entry when it is complete; `is_early`: for want of room. */
typedef void (*LinkDone)(void *user, const LinkEntry *entry, gboolean is_early);

LinkTable *link_table_new(LinkDone done, void *user);
void link_table_free(LinkTable *table);

/* The first cause of an id on a thread counts: what follows there only encloses it, or comes after.
 * One on another thread makes the id ambiguous. */
void link_table_cause(LinkTable *table, guint64 id, guint64 thread, gint64 begin_ns);
/* The latest cause counts, wherever it lies. */
void link_table_latest_cause(LinkTable *table, guint64 id, guint64 thread, gint64 begin_ns);
void link_table_effect(LinkTable *table, guint64 id, const LinkEffect *effect);
/* NULL: not seen, or forgotten. Valid until the next call. */
const LinkEntry *link_table_find(const LinkTable *table, guint64 id);
/* No more of them. The table is empty then. */
void link_table_finish(LinkTable *table);

#endif
