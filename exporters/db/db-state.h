/* SPDX-License-Identifier: Apache-2.0 */
/* One run of the exporter, shared by its parts. */
#ifndef STROBE_DB_DB_STATE_H
#define STROBE_DB_DB_STATE_H

#include <ascend-db.h>
#include <strobe/exporter.h>

#include "enum-ids.h"
#include "out-db.h"
#include "string-ids.h"

typedef struct Framework Framework;
typedef struct Communication Communication;
typedef struct DbKind DbKind;

/* A part of the system by its name. */
typedef struct DbModule {
    StrobeStringId name;
    gboolean is_known; /* whether it has a number */
    gint64 number;
} DbModule;

typedef struct Db {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    gint32 generation, level; /* level -1: not known */
    OutDb *out;
    OutTable **tables; /* of ascend_db_tables, NULL: no row yet */
    StringIds *strings;
    EnumIds *enums;
    Framework *framework;
    Communication *communication;
    GHashTable *kinds; /* StrobeKindView to DbKind */
    DbKind *last_kind;
    GPtrArray *merging; /* of Merge, the kinds' */
    GHashTable *names;  /* of tables, in lower case */
    char **also;        /* requested derived kinds */
    StrobeTrackId last_track;
    const StrobeTrackView *track; /* of that id, NULL: none */
    DbModule modules[256];        /* those that came last, by the name's number */
    gint64 n_overlaps;
    gint64 next_op;      /* communication operations without a number of their own */
    gboolean has_device; /* something that the device's tool writes */
    gboolean has_rows;   /* anything at all */
    gboolean has_steps;  /* records of them; else operators tell */
    gboolean has_rank_map;
    guint made_indexes;         /* a bit each */
    GString *environment;       /* members of a JSON object, NULL: none */
    guint64 n_dropped_names;    /* of enumerations */
    guint n_generic, n_skipped; /* kinds */
} Db;

/* The track of a record, NULL if it has none. */
const StrobeTrackView *db_track(Db *db, StrobeTrackId id);
gint64 db_global_tid(Db *db, StrobeTrackId id);

/* The table of the formats, made when it is first asked for. `extra`: more columns, "a TEXT,b
 * TEXT", NULL: none. */
OutTable *db_table(Db *db, const AscendDbTable *format, const char *extra, guint n_extra);
OutTable *db_table_named(Db *db, const char *name);
gboolean db_has_table(const Db *db, const AscendDbTable *format);
/* Makes the indexes of a table that has rows, all of which are in by then. */
void db_make_index(Db *db, const char *table);
/* The columns that a table has in this generation; at most 64. */
guint db_columns(const Db *db, const AscendDbTable *format, const AscendDbColumn **columns);

/* Ends the row under way, and moves the rows of its new texts on. */
void db_row_done(Db *db, RowBuffer *rows);

/* The latter alone, after a row that went elsewhere. */
void db_strings_done(Db *db);

/* A free name for a table, quoted: as wanted, but for what SQLite refuses. Freed with g_free. */
char *db_free_table_name(Db *db, const char *wanted);
/* Names that a table of another kind must not have. */
void db_reserve_names(Db *db);
/* As an identifier in SQL, in quotes where it needs them. Freed with g_free. */
char *db_quote(const char *name);

/* An id that the core dealt out, as a small number; others as they are. */
static inline gint64 db_link(guint64 id)
{
    return id >= (guint64)1 << 62 && id < (guint64)1 << 63 ? (gint64)(id - ((guint64)1 << 62))
                                                           : (gint64)id;
}

#endif
