/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the databases of one run (out-file.h): the caller makes rows, and a separate thread
 * inserts them. */
#ifndef STROBE_DB_OUT_DB_H
#define STROBE_DB_OUT_DB_H

#include "out-file.h"

enum {
    OUT_PROFILER = 0,
    OUT_ANALYSIS = 1,
    OUT_FILES = 2,
    OUT_SCRATCH = 2, /* temporary database, in which the exporter looks values up */
    OUT_DATABASES = 3,
};

#define OUT_BLOCK_BYTES (256u * 1024)

typedef struct OutDb OutDb;

/* `names` are copied; `directory` and `storage` must outlive the result. The first row of a
 * database makes its file. */
OutDb *out_db_new(int directory, StrobeStorage *storage, const char *const names[OUT_FILES]);
/* Removes databases that were not finished. */
void out_db_free(OutDb *db);

/* Adds a table to the database `file`, like out_file_table. */
OutTable *out_db_table(OutDb *db, guint file, const char *name, const char *create, guint n_columns,
                       gint key);

/* Returns the buffer for the next row. The caller adds one value for each column of the table to
 * the buffer, and then calls out_db_sent. */
RowBuffer *out_db_rows(OutDb *db);
void out_db_hand_over(OutDb *db);

static inline void out_db_sent(OutDb *db, RowBuffer *rows)
{
    if (G_UNLIKELY(rows->used >= OUT_BLOCK_BYTES))
        out_db_hand_over(db);
}

/* Waits until all rows are inserted. Returns the database; NULL: it has no rows. The caller may use
 * the database until it sends the next row. */
sqlite3 *out_db_wait(OutDb *db, guint file);
/* Waits like out_db_wait; then runs `sql` in the database, if the database has rows. */
void out_db_run(OutDb *db, guint file, const char *sql);
/* Stores that an SQL statement of the caller in this database has failed. */
void out_db_fail(OutDb *db, guint file);

/* Returns the message of the first failure; NULL: none. */
const char *out_db_error(OutDb *db);

/* Commits the databases, syncs them to disk and renames them into place. Returns FALSE if this
 * fails; out_db_error then has the reason. */
gboolean out_db_finish(OutDb *db);
/* Returns the number of rows that got another key because their own was used. */
guint64 out_db_n_moved(const OutDb *db);

#endif
