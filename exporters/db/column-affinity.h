/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a column makes of a value: "Type Affinity", sqlite.org/datatype3.html. What is not plain is
 * asked of SQLite itself. One thread.
 */
#ifndef STROBE_DB_COLUMN_AFFINITY_H
#define STROBE_DB_COLUMN_AFFINITY_H

#include <glib.h>
#include <sqlite3.h>

typedef enum Affinity {
    AFFINITY_NONE = 0, /* values stay as they are */
    AFFINITY_TEXT,
    AFFINITY_NUMERIC, /* INTEGER too: they differ in CAST alone */
    AFFINITY_REAL,
} Affinity;

/* That of a column with such a declared type; NULL: without one. */
Affinity affinity_of(const char *type);

/* A text that could be a number for a column of numbers. */
gboolean affinity_may_change(const char *bytes, gsize length);

typedef struct AffinityAsk AffinityAsk;

/* A connection of its own, with nothing but memory behind it; NULL: there is none to be had. */
AffinityAsk *affinity_ask_new(void);
void affinity_ask_free(AffinityAsk *ask); /* NULL is fine */

/* What a column of that affinity holds once the value was put in. The result lives until the next
 * call. NULL: there is not enough memory, or no `ask`. */
sqlite3_value *affinity_ask_real(AffinityAsk *ask, Affinity affinity, double value);
sqlite3_value *affinity_ask_text(AffinityAsk *ask, Affinity affinity, const char *bytes,
                                 gsize length);

#endif
