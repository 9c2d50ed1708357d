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
    const StrobeTrackView *track; /* track with that id, NULL: none */
    DbModule modules[256];        /* the last ones, indexed by the name's number */
    gint64 n_overlaps;
    gint64 next_op;      /* number for communication operations without one of their own */
    gboolean has_device; /* there are records of the device's tool */
    gboolean has_rows;   /* at least one row was made */
    gboolean has_steps;  /* there are records of steps; otherwise operators announce them */
    gboolean has_rank_map;
    guint made_indexes;         /* a bit for each index */
    GString *environment;       /* members of a JSON object, NULL: none */
    guint64 n_dropped_names;    /* of enumerations */
    guint n_generic, n_skipped; /* kinds */
} Db;

/* The track of a record, NULL if it has none. */
const StrobeTrackView *db_track(Db *db, StrobeTrackId id);
gint64 db_global_tid(Db *db, StrobeTrackId id);

/* The table of the formats, created at the first call. `extra`: more columns, "a TEXT,b TEXT",
 * NULL: none. */
OutTable *db_table(Db *db, const AscendDbTable *format, const char *extra, guint n_extra);
OutTable *db_table_named(Db *db, const char *name);
gboolean db_has_table(const Db *db, const AscendDbTable *format);
/* Makes the indexes of a table, if it has rows. Call it after the last row. */
void db_make_index(Db *db, const char *table);
/* The columns that a table has in this generation; at most 64. */
guint db_columns(const Db *db, const AscendDbTable *format, const AscendDbColumn **columns);

/* Ends the current row, and passes on the rows of its new texts. */
void db_row_done(Db *db, RowBuffer *rows);

/* Passes on only the rows of new texts, after a row that went elsewhere. */
void db_strings_done(Db *db);

/* A free, quoted name for a table: the wanted one, unless SQLite refuses it. Freed with g_free. */
char *db_free_table_name(Db *db, const char *wanted);
/* Reserves the names of the formats' tables, so that no other kind's table gets them. */
void db_reserve_names(Db *db);
/* As an SQL identifier, quoted if needed. Freed with g_free. */
char *db_quote(const char *name);

/* An id that the core assigned, as a small number; others unchanged. */
static inline gint64 db_link(guint64 id)
{
    return id >= (guint64)1 << 62 && id < (guint64)1 << 63 ? (gint64)(id - ((guint64)1 << 62))
                                                           : (gint64)id;
}

#endif
