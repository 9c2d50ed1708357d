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

/* A module of the system and its number. */
typedef struct DbModule {
    StrobeStringId name;
    gboolean is_known; /* the module has a number */
    gint64 number;
} DbModule;

typedef struct Db {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    gint32 generation, level; /* level -1: unknown */
    OutDb *out;
    /* the table of each entry of ascend_db_tables; NULL: the table has no row yet */
    OutTable **tables;
    StringIds *strings;
    EnumIds *enums;
    Framework *framework;
    Communication *communication;
    GHashTable *kinds; /* const StrobeKindView * -> DbKind */
    DbKind *last_kind;
    GPtrArray *merging; /* Merge of each kind that has one */
    GHashTable *names;  /* names of tables that are in use, in lower case */
    char **also;        /* names of the derived kinds that an option requests */
    StrobeTrackId last_track;
    const StrobeTrackView *track; /* the track with the id last_track, NULL: none */
    /* a hash table by the id of the name; a new module replaces the one in its slot */
    DbModule modules[256];
    gint64 n_overlaps;
    gint64 next_op;      /* number for the next communication operation that has none */
    gboolean has_device; /* there are records from the device */
    gboolean has_rows;   /* at least one row was made */
    gboolean has_steps;  /* there are records of steps; FALSE: operators may announce steps */
    gboolean has_rank_map;
    guint made_indexes;   /* for each index, a bit that is set when the index is made */
    GString *environment; /* members of a JSON object; NULL: none */
    /* number of names that were not added to an enumeration because it was full */
    guint64 n_dropped_names;
    /* number of kinds with a table of their own, and number of kinds that got none because there
     * were too many */
    guint n_generic, n_skipped;
} Db;

/* Returns the track of a record; NULL: the record has none. */
const StrobeTrackView *db_track(Db *db, StrobeTrackId id);
gint64 db_global_tid(Db *db, StrobeTrackId id);

/* Returns a table of the formats. The first call makes it. `extra`: definitions of `n_extra` more
 * columns, for example "a TEXT,b TEXT"; NULL: none. */
OutTable *db_table(Db *db, const AscendDbTable *format, const char *extra, guint n_extra);
OutTable *db_table_named(Db *db, const char *name);
gboolean db_has_table(const Db *db, const AscendDbTable *format);
/* Makes the table's indexes if it has rows. Must be called after the last row. */
void db_make_index(Db *db, const char *table);
/* Sets `columns` to the columns that the table has in this generation, at most 64. Returns their
 * number. */
guint db_columns(const Db *db, const AscendDbTable *format, const AscendDbColumn **columns);

/* Ends the current row. Passes the row on for insertion, with the rows of its new texts. */
void db_row_done(Db *db, RowBuffer *rows);

/* Passes on the rows of new texts for insertion. Must be called if no row that uses these texts is
 * passed on. */
void db_strings_done(Db *db);

/* Returns a name for a new table: `wanted`, or another name if a table has this name or SQLite
 * refuses it. The name has quotes if it needs them. The caller must free the result with g_free. */
char *db_free_table_name(Db *db, const char *wanted);
/* Reserves the names of the formats' tables, so that tables of other kinds get other names. */
void db_reserve_names(Db *db);
/* Returns the name as an SQL identifier, with quotes if it needs them. The caller must free the
 * result with g_free. */
char *db_quote(const char *name);

/* Returns a small number for an id that the core assigned; returns any other id unchanged. */
static inline gint64 db_link(guint64 id)
{
    return id >= (guint64)1 << 62 && id < (guint64)1 << 63 ? (gint64)(id - ((guint64)1 << 62))
                                                           : (gint64)id;
}

#endif
