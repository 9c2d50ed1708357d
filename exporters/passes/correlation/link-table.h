/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links causes to effects of one type by their common id, in any order of arrival. The memory is
 * bounded. Ids increase, so when there are LINK_ENTRIES_MAX entries, the oldest half counts as
 * complete. At most LINK_WAITING_MAX effects wait for their cause; further effects are linked, but
 * their times are not checked.
 */
#ifndef STROBE_PASSES_LINK_TABLE_H
#define STROBE_PASSES_LINK_TABLE_H

#include <glib.h>
#include <strobe/exporter.h>

#define LINK_ENTRIES_MAX 131072u
#define LINK_WAITING_MAX 1048576u

#define LINK_NOT_CHECKED STROBE_ABSENT_U64

/* An effect: its begin, and the possible error of its clock relative to the clock of its cause.
 * LINK_NOT_CHECKED: the error is unknown. */
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
    gint64 worst_ns;  /* largest time by which an effect began before its cause */
    guint64 error_ns; /* largest clock error of a checked effect */
    GArray *waiting;  /* elements of type LinkEffect; NULL: none */
} LinkEntry;

typedef struct LinkTable LinkTable;

/* Called with each complete entry. `is_early`: the entry was dropped to make room. */
typedef void (*LinkDone)(void *user, const LinkEntry *entry, gboolean is_early);

LinkTable *link_table_new(LinkDone done, void *user);
void link_table_free(LinkTable *table);

/* Adds a cause. The first cause of an id on a thread is used, because later ones enclose or follow
 * it. A cause on another thread makes the id ambiguous. */
void link_table_cause(LinkTable *table, guint64 id, guint64 thread, gint64 begin_ns);
/* Adds a cause, and uses it instead of an earlier cause of the id on any thread. */
void link_table_latest_cause(LinkTable *table, guint64 id, guint64 thread, gint64 begin_ns);
void link_table_effect(LinkTable *table, guint64 id, const LinkEffect *effect);
/* Finds the entry of an id. Returns NULL if the id has not occurred, or was dropped. The result is
 * valid until the next call. */
const LinkEntry *link_table_find(const LinkTable *table, guint64 id);
/* Completes all entries. The table is then empty. Must be called after the last record. */
void link_table_finish(LinkTable *table);

#endif
