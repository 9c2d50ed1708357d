/* SPDX-License-Identifier: Apache-2.0 */
/* The databases of one run (out-file.h): the caller makes rows, and a separate thread inserts
 * them. */
#ifndef STROBE_DB_OUT_DB_H
#define STROBE_DB_OUT_DB_H

#include "out-file.h"

enum {
    OUT_PROFILER = 0,
    OUT_ANALYSIS = 1,
    OUT_FILES = 2,
    OUT_SCRATCH = 2, /* for look-ups while rows are made; removed afterwards */
    OUT_DATABASES = 3,
};

#define OUT_BLOCK_BYTES (256u * 1024)

typedef struct OutDb OutDb;

/* `names` are copied, the other arguments must outlive it. No file is made before the first row. */
OutDb *out_db_new(int directory, StrobeStorage *storage, const char *const names[OUT_FILES]);
/* Removes databases that were not finished. */
void out_db_free(OutDb *db);

/* A table in one of them: out_file_table. */
OutTable *out_db_table(OutDb *db, guint file, const char *name, const char *create, guint n_columns,
                       gint key);

/* Put the values of a row here, one for each column of the table; call out_db_sent after each
 * row. */
RowBuffer *out_db_rows(OutDb *db);
void out_db_hand_over(OutDb *db);

static inline void out_db_sent(OutDb *db, RowBuffer *rows)
{
    if (G_UNLIKELY(rows->used >= OUT_BLOCK_BYTES))
        out_db_hand_over(db);
}

/* Waits until all rows are inserted. Then the caller may use the database until the next row for
 * it is sent; NULL if that file has no rows. */
sqlite3 *out_db_wait(OutDb *db, guint file);
/* Waits, and runs SQL if there is a database. */
void out_db_run(OutDb *db, guint file, const char *sql);
/* Reports a failure of the caller's own statements. */
void out_db_fail(OutDb *db, guint file);

/* The first failure, NULL: none. */
const char *out_db_error(OutDb *db);

/* Commits, syncs, renames into place. FALSE: out_db_error. */
gboolean out_db_finish(OutDb *db);
/* Number of rows that got a different key. */
guint64 out_db_n_moved(const OutDb *db);

#endif
