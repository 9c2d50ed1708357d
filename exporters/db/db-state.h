/* SPDX-License-Identifier: Apache-2.0 */
/* State of one run of the exporter, which its parts share. */
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

/* The number of a module of the system, by its name. */
typedef struct DbModule {
    StrobeStringId name;
    gboolean is_known; /* the module has a number */
    gint64 number;
} DbModule;

typedef struct Db {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    gint32 generation, level; /* level -1: not known */
    OutDb *out;
    OutTable **tables; /* indexed like ascend_db_tables, NULL: the table has no row yet */
    StringIds *strings;
    EnumIds *enums;
    Framework *framework;
    Communication *communication;
    GHashTable *kinds; /* const StrobeKindView * -> DbKind */
    DbKind *last_kind;
    GPtrArray *merging; /* the kinds' Merge */
    GHashTable *names;  /* used names of tables, in lower case */
    char **also;        /* derived kinds that an option requests */
    StrobeTrackId last_track;
    const StrobeTrackView *track; /* the track with the id last_track, NULL: none */
    DbModule modules[256];        /* a hash table of the last modules, by the id of the name */
    gint64 n_overlaps;
    gint64 next_op;      /* the next number for a communication operation that has none */
    gboolean has_device; /* there are records of the device's tool */
    gboolean has_rows;   /* at least one row was made */
    gboolean has_steps;  /* there are records of steps; otherwise operators announce them */
    gboolean has_rank_map;
    guint made_indexes;   /* a bit for each index */
    GString *environment; /* members of a JSON object, NULL: none */
    /* names that were not added to an enumeration, because it had too many */
    guint64 n_dropped_names;
    /* kinds with a table of their own, and kinds for which there was no room */
    guint n_generic, n_skipped;
} Db;

/* The track of a record, NULL if it has none. */
const StrobeTrackView *db_track(Db *db, StrobeTrackId id);
gint64 db_global_tid(Db *db, StrobeTrackId id);

/* Returns a table of the formats, created at the first call. `extra`: definitions of `n_extra` more
 * columns, "a TEXT,b TEXT"; NULL: none. */
OutTable *db_table(Db *db, const AscendDbTable *format, const char *extra, guint n_extra);
OutTable *db_table_named(Db *db, const char *name);
gboolean db_has_table(const Db *db, const AscendDbTable *format);
/* Makes the table's indexes if it has rows. Call this after the last row. */
void db_make_index(Db *db, const char *table);
/* Returns in `columns` the columns that the table has in this generation, at most 64. */
guint db_columns(const Db *db, const AscendDbTable *format, const AscendDbColumn **columns);

/* Ends the current row. Passes it on, with the rows of its new texts. */
void db_row_done(Db *db, RowBuffer *rows);

/* Passes on the rows of new texts, if the row that uses them is not passed on now. */
void db_strings_done(Db *db);

/* Returns a name for a table, with quotes if it needs them: the wanted one, or another one if a
 * table has it or SQLite would refuse it. Freed with g_free. */
char *db_free_table_name(Db *db, const char *wanted);
/* Reserves the names of the formats' tables, so that no other kind's table gets them. */
void db_reserve_names(Db *db);
/* Returns the name as an SQL identifier, with quotes if it needs them. Freed with g_free. */
char *db_quote(const char *name);

/* Converts an id that the core assigned to a small number; keeps any other. */
static inline gint64 db_link(guint64 id)
{
    return id >= (guint64)1 << 62 && id < (guint64)1 << 63 ? (gint64)(id - ((guint64)1 << 62))
                                                           : (gint64)id;
}

#endif
