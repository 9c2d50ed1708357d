/* SPDX-License-Identifier: Apache-2.0 */
#include "out-db.h"

#include <strobe/helpers/thread.h>
#include <sys/prctl.h>

#define BLOCKS 6u /* number of blocks that the caller and the writing thread share */

typedef struct Block {
    RowBuffer rows;
    gboolean is_last;  /* the thread ends after this block */
    gboolean is_asked; /* the caller waits until the thread has inserted this block */
} Block;

struct OutDb {
    OutFile *files[OUT_DATABASES];
    OutFailure failure;
    pthread_t thread;
    gboolean has_thread; /* FALSE: the thread has not been started yet, or could not be started */
    GAsyncQueue *full, *empty, *answers;
    Block blocks[BLOCKS];
    Block *block; /* the block that the caller fills */
};

const char *out_db_error(OutDb *db)
{
    return g_atomic_int_get(&db->failure.is_set) == OUT_FAILURE_REPORTED ? db->failure.text : NULL;
}

void out_db_fail(OutDb *db, guint file)
{
    out_file_fail(db->files[file]);
}

/* ---- the writing thread ---- */

static void put_rows(OutDb *db, const RowBuffer *rows)
{
    RowHead head;

    for (gsize at = 0; at < rows->used && !g_atomic_int_get(&db->failure.is_set);
         at += head.bytes) {
        memcpy(&head, rows->bytes + at, sizeof head);
        out_table_put(head.table, rows->bytes + at);
    }
    for (guint i = 0; i < OUT_DATABASES; i++)
        out_file_rest(db->files[i]);
}

static void work_off(OutDb *db, Block *block)
{
    put_rows(db, &block->rows);
    if (block->is_asked)
        g_async_queue_push(db->answers, db);
    block->rows.used = 0;
    block->is_asked = FALSE;
    g_async_queue_push(db->empty, block);
}

static gpointer write_blocks(gpointer user)
{
    OutDb *db = user;
    gboolean is_last = FALSE;

    prctl(PR_SET_NAME, "strobe-db");
    while (!is_last) {
        Block *block = g_async_queue_pop(db->full);

        is_last = block->is_last;
        work_off(db, block);
    }
    return NULL;
}

/* ---- the caller's side ---- */

OutDb *out_db_new(int directory, StrobeStorage *storage, const char *const names[OUT_FILES])
{
    OutDb *db = g_new0(OutDb, 1);

    for (guint i = 0; i < OUT_FILES; i++)
        db->files[i] = out_file_new(names[i], directory, storage, &db->failure);
    db->files[OUT_SCRATCH] = out_file_new_temporary(storage, &db->failure);
    db->full = g_async_queue_new();
    db->empty = g_async_queue_new();
    db->answers = g_async_queue_new();
    for (guint i = 1; i < BLOCKS; i++)
        g_async_queue_push(db->empty, &db->blocks[i]);
    db->block = &db->blocks[0];
    return db;
}

OutTable *out_db_table(OutDb *db, guint file, const char *name, const char *create, guint n_columns,
                       gint key)
{
    return out_file_table(db->files[file], name, create, n_columns, key);
}

RowBuffer *out_db_rows(OutDb *db)
{
    return &db->block->rows;
}

/* Frees the memory of a block that a long text made large. */
static void trim_rows(RowBuffer *rows)
{
    if (rows->size <= 4 * OUT_BLOCK_BYTES)
        return;
    g_clear_pointer(&rows->bytes, g_free);
    rows->size = 0;
}

void out_db_hand_over(OutDb *db)
{
    if (!db->has_thread)
        db->has_thread = strobe_thread_start(&db->thread, write_blocks, db) == 0;
    if (db->has_thread)
        g_async_queue_push(db->full, db->block);
    else
        work_off(db, db->block);
    db->block = g_async_queue_pop(db->empty);
    trim_rows(&db->block->rows);
}

sqlite3 *out_db_wait(OutDb *db, guint file)
{
    db->block->is_asked = TRUE;
    out_db_hand_over(db);
    g_async_queue_pop(db->answers);
    return out_file_sql(db->files[file]);
}

void out_db_run(OutDb *db, guint file, const char *sql)
{
    sqlite3 *out = out_db_wait(db, file);

    if (out && sqlite3_exec(out, sql, NULL, NULL, NULL))
        out_file_fail(db->files[file]);
}

guint64 out_db_n_moved(const OutDb *db)
{
    guint64 n = 0;

    for (guint i = 0; i < OUT_DATABASES; i++)
        n += out_file_n_moved(db->files[i]);
    return n;
}

/* ---- the end ---- */

static void end_thread(OutDb *db)
{
    if (!db->has_thread)
        return;
    db->block->is_last = TRUE;
    g_async_queue_push(db->full, db->block);
    pthread_join(db->thread, NULL);
    db->has_thread = FALSE;
    db->block = g_async_queue_pop(db->empty);
    db->block->is_last = FALSE;
}

gboolean out_db_finish(OutDb *db)
{
    if (db->block->rows.used)
        out_db_hand_over(db);
    end_thread(db);
    for (guint i = 0; i < OUT_DATABASES; i++)
        out_file_end(db->files[i]);
    for (guint i = 0; i < OUT_DATABASES; i++)
        out_file_finish(db->files[i]);
    return out_db_error(db) == NULL;
}

void out_db_free(OutDb *db)
{
    db->block->rows.used = 0;
    end_thread(db);
    for (guint i = 0; i < OUT_DATABASES; i++)
        out_file_free(db->files[i]);
    for (guint i = 0; i < BLOCKS; i++)
        g_free(db->blocks[i].rows.bytes);
    g_async_queue_unref(db->full);
    g_async_queue_unref(db->empty);
    g_async_queue_unref(db->answers);
    g_free(db->failure.text);
    g_free(db);
}
