/* SPDX-License-Identifier: Apache-2.0 */
#include "out-db.h"

#include <errno.h>
#include <string.h>
#include <strobe/helpers/safe-file.h>
#include <strobe/helpers/thread.h>
#include <sys/prctl.h>

#include "bulk-load.h"
#include "held-rows.h"
#include "out-vfs.h"
#include "row-insert.h"

#define BLOCKS 6u /* under way between the two threads */

/* A file is made by statements from its opening on only if that is the scratch database. */
static const char settings[] = "PRAGMA page_size=4096; PRAGMA journal_mode=OFF;"
                               "PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
                               "PRAGMA temp_store=FILE; BEGIN";
static const char file_settings[] = "PRAGMA cache_size=-16384";

struct OutTable {
    guint file;
    guint n_columns;
    gint key;
    char *name, *create;
    BulkTable *bulk;   /* the writing thread's, as the next; both NULL: not made yet */
    RowInsert *insert; /* once there is SQL */
};

typedef struct OutFile {
    char *name;
    StrobeSafeFile *file; /* NULL: no row yet, or the scratch database */
    BulkLoad *bulk;       /* NULL: no row yet, or there is SQL */
    HeldRows *late;       /* rows that wait for SQL, for their keys are out of order; NULL: none */
    OutVfs *vfs;
    sqlite3 *sql;
} OutFile;

typedef struct Block {
    RowBuffer rows;
    gboolean is_last;  /* the thread ends */
    gboolean is_asked; /* an answer is waited for */
} Block;

struct OutDb {
    int directory, scratch; /* folders */
    OutFile files[OUT_DATABASES];
    GPtrArray *tables;
    GPtrArray *begun; /* those with rows; the writing thread's */
    pthread_t thread;
    gboolean has_thread; /* FALSE: not started yet, or there is none to be had */
    GAsyncQueue *full, *empty, *answers;
    Block blocks[BLOCKS];
    Block *block;    /* that the caller fills */
    HeldRows *moved; /* rows that wait for another key, NULL: none */
    guint64 n_moved; /* of them */
    gint has_failed; /* atomic; `error` is set before */
    char *error;
};

/* ---- failures ---- */

static void fail(OutDb *db, const char *what, const char *reason)
{
    if (g_atomic_int_get(&db->has_failed))
        return;
    db->error = g_strdup_printf("file=\"%s\": %s", what, reason);
    g_atomic_int_set(&db->has_failed, 1);
}

static void fail_file(OutDb *db, const OutFile *file)
{
    int error = file->vfs ? out_vfs_error(file->vfs) : 0;

    fail(db, file->name, error ? g_strerror(error) : sqlite3_errmsg(file->sql));
}

const char *out_db_error(OutDb *db)
{
    return g_atomic_int_get(&db->has_failed) ? db->error : NULL;
}

void out_db_fail(OutDb *db, guint file)
{
    fail_file(db, &db->files[file]);
}

/* ---- rows that wait ---- */

static void keep(OutDb *db, HeldRows **rows, const guint8 *row)
{
    if (!*rows)
        *rows = held_rows_new(db->scratch, OUT_BLOCK_BYTES, 0);
    held_rows_add(*rows, row);
    if (held_rows_error(*rows))
        fail(db, "rows without a key", g_strerror(held_rows_error(*rows)));
}

/* For the next free key, once all others are known. */
static void keep_for_end(gpointer user, const guint8 *row)
{
    OutDb *db = user;

    keep(db, &db->moved, row);
    db->n_moved++;
}

static void put_kept(OutDb *db, HeldRows *rows, void (*put)(OutDb *db, const guint8 *row))
{
    const void *nothing;
    guint8 *row;
    guint32 bytes;

    while (rows && !out_db_error(db) && held_rows_next(rows, &nothing, &row, &bytes))
        put(db, row);
    if (rows && held_rows_error(rows))
        fail(db, "rows without a key", g_strerror(held_rows_error(rows)));
    held_rows_free(rows);
}

/* ---- rows by statements ---- */

static gboolean make_insert(OutDb *db, OutTable *table, gint64 largest_key)
{
    OutFile *file = &db->files[table->file];

    table->insert = row_insert_new(file->sql, table->name, table->n_columns, table->key,
                                   largest_key, keep_for_end, db);
    if (table->insert)
        g_ptr_array_add(db->begun, table);
    else
        fail_file(db, file);
    return table->insert != NULL;
}

static void insert_row(OutDb *db, const guint8 *row)
{
    RowHead head;

    memcpy(&head, row, sizeof head);
    if (row_insert_put(head.table->insert, row) != SQLITE_OK)
        fail_file(db, &db->files[head.table->file]);
}

/* A row that does not stay where it is. */
static void insert_now(OutDb *db, const guint8 *row)
{
    RowHead head;

    insert_row(db, row);
    memcpy(&head, row, sizeof head);
    if (row_insert_rest(head.table->insert) != SQLITE_OK)
        fail_file(db, &db->files[head.table->file]);
}

static void insert_rest(OutDb *db)
{
    for (guint i = 0; i < db->begun->len && !g_atomic_int_get(&db->has_failed); i++) {
        const OutTable *table = g_ptr_array_index(db->begun, i);
        if (row_insert_rest(table->insert) != SQLITE_OK)
            fail_file(db, &db->files[table->file]);
    }
}

static gboolean open_sql(OutDb *db, OutFile *file)
{
    int error = 0;

    file->vfs = out_vfs_open(file->file ? strobe_safe_file_descriptor(file->file) : -1, db->scratch,
                             &file->sql, &error);
    if (!file->vfs) {
        fail(db, file->name, g_strerror(error));
        return FALSE;
    }
    if (sqlite3_exec(file->sql, settings, NULL, NULL, NULL) == SQLITE_OK &&
        (!file->file || sqlite3_exec(file->sql, file_settings, NULL, NULL, NULL) == SQLITE_OK))
        return TRUE;
    fail_file(db, file);
    return FALSE;
}

static gboolean end_bulk(OutDb *db, OutFile *file)
{
    int error = bulk_load_finish(file->bulk);

    g_clear_pointer(&file->bulk, bulk_load_free);
    if (error)
        fail(db, file->name, g_strerror(error));
    return !error;
}

/* From now on a file is SQLite's; what waited for that goes in. */
static void begin_sql(OutDb *db, OutFile *file)
{
    g_autofree gint64 *largest = g_new(gint64, db->tables->len);

    for (guint i = 0; i < db->tables->len; i++) {
        const OutTable *table = g_ptr_array_index(db->tables, i);

        largest[i] = table->bulk ? bulk_table_largest_key(table->bulk) : G_MININT64;
    }
    if (!end_bulk(db, file) || !open_sql(db, file))
        return;
    for (guint i = 0; i < db->tables->len; i++) {
        OutTable *table = g_ptr_array_index(db->tables, i);

        if (&db->files[table->file] != file || !table->bulk)
            continue;
        table->bulk = NULL;
        if (!make_insert(db, table, largest[i]))
            return;
    }
    put_kept(db, g_steal_pointer(&file->late), insert_now);
}

/* ---- the writing thread ---- */

static gboolean open_file(OutDb *db, OutFile *file)
{
    if (file->sql || file->bulk)
        return TRUE;
    if (file->file || file->vfs) /* it failed before */
        return FALSE;
    if (file == &db->files[OUT_SCRATCH])
        return open_sql(db, file);
    file->file = strobe_safe_file_create(db->directory, file->name);
    if (!file->file) {
        fail(db, file->name, g_strerror(errno));
        return FALSE;
    }
    file->bulk = bulk_load_new(file->file);
    return TRUE;
}

static gboolean make_table(OutDb *db, OutTable *table)
{
    OutFile *file = &db->files[table->file];
    g_autofree char *error = NULL;

    if (!open_file(db, file))
        return FALSE;
    if (file->bulk) {
        table->bulk =
            bulk_load_table(file->bulk, table->create, table->n_columns, table->key, &error);
        if (!table->bulk)
            fail(db, file->name, error);
        return table->bulk != NULL;
    }
    if (sqlite3_exec(file->sql, table->create, NULL, NULL, NULL) == SQLITE_OK)
        return make_insert(db, table, G_MININT64);
    fail_file(db, file);
    return FALSE;
}

static void put_row(OutDb *db, const guint8 *row)
{
    OutFile *file;
    RowHead head;

    memcpy(&head, row, sizeof head);
    if (G_UNLIKELY(!head.table->bulk && !head.table->insert) && !make_table(db, head.table))
        return;
    if (head.table->insert) {
        insert_row(db, row);
        return;
    }
    file = &db->files[head.table->file];
    switch (bulk_table_put(head.table->bulk, row)) {
    case BULK_PUT:
        break;
    case BULK_NO_KEY:
        keep_for_end(db, row);
        break;
    case BULK_OUT_OF_ORDER:
        keep(db, &file->late, row);
        break;
    case BULK_FAILED:
        fail(db, file->name, g_strerror(bulk_load_error(file->bulk)));
    }
}

static void put_rows(OutDb *db, const RowBuffer *rows)
{
    RowHead head;

    for (gsize at = 0; at < rows->used && !g_atomic_int_get(&db->has_failed); at += head.bytes) {
        memcpy(&head, rows->bytes + at, sizeof head);
        put_row(db, rows->bytes + at);
    }
    insert_rest(db);
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

OutDb *out_db_new(int directory, int scratch, const char *const names[OUT_FILES])
{
    OutDb *db = g_new0(OutDb, 1);

    db->directory = directory;
    db->scratch = scratch;
    for (guint i = 0; i < OUT_DATABASES; i++)
        db->files[i].name = g_strdup(i < OUT_FILES ? names[i] : "a temporary database");
    db->tables = g_ptr_array_new();
    db->begun = g_ptr_array_new();
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
    OutTable *table = g_new0(OutTable, 1);

    table->file = file;
    table->n_columns = n_columns;
    table->key = key;
    table->name = g_strdup(name);
    table->create = g_strdup(create);
    g_ptr_array_add(db->tables, table);
    return table;
}

guint out_table_n_columns(const OutTable *table)
{
    return table->n_columns;
}

RowBuffer *out_db_rows(OutDb *db)
{
    return &db->block->rows;
}

/* A block that a long text made large does not stay so. */
static void trim(RowBuffer *rows)
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
    trim(&db->block->rows);
}

sqlite3 *out_db_wait(OutDb *db, guint file)
{
    db->block->is_asked = TRUE;
    out_db_hand_over(db);
    g_async_queue_pop(db->answers);
    if (db->files[file].bulk && !out_db_error(db))
        begin_sql(db, &db->files[file]);
    return out_db_error(db) ? NULL : db->files[file].sql;
}

void out_db_run(OutDb *db, guint file, const char *sql)
{
    OutFile *out = &db->files[file];

    if (out->sql && !out_db_error(db) && sqlite3_exec(out->sql, sql, NULL, NULL, NULL))
        fail_file(db, out);
}

guint64 out_db_n_moved(const OutDb *db)
{
    return db->n_moved;
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

static void insert_moved(OutDb *db, const guint8 *row)
{
    OutFile *file;
    RowHead head;

    memcpy(&head, row, sizeof head);
    file = &db->files[head.table->file];
    if (file->bulk)
        begin_sql(db, file);
    if (!out_db_error(db) && row_insert_late(head.table->insert, row) != SQLITE_OK)
        fail_file(db, file);
}

/* What waited for all other rows, in this order: the last of them for a free key. */
static void put_last(OutDb *db)
{
    for (guint i = 0; i < OUT_FILES && !out_db_error(db); i++)
        if (db->files[i].late)
            begin_sql(db, &db->files[i]);
    insert_rest(db);
    put_kept(db, g_steal_pointer(&db->moved), insert_moved);
    for (guint i = 0; i < OUT_FILES && !out_db_error(db); i++)
        if (db->files[i].bulk)
            end_bulk(db, &db->files[i]);
}

static void close_sql(OutDb *db, gboolean commits)
{
    for (guint i = 0; i < db->tables->len; i++) {
        OutTable *table = g_ptr_array_index(db->tables, i);

        g_clear_pointer(&table->insert, row_insert_free);
    }
    for (guint i = 0; i < OUT_DATABASES; i++) {
        OutFile *file = &db->files[i];

        if (file->sql && commits && i != OUT_SCRATCH && !out_db_error(db) &&
            sqlite3_exec(file->sql, "COMMIT", NULL, NULL, NULL))
            fail_file(db, file);
        if (file->sql && sqlite3_close(file->sql))
            fail_file(db, file);
        file->sql = NULL;
        g_clear_pointer(&file->vfs, out_vfs_free);
    }
}

gboolean out_db_finish(OutDb *db)
{
    if (db->block->rows.used)
        out_db_hand_over(db);
    end_thread(db);
    put_last(db);
    close_sql(db, TRUE);
    for (guint i = 0; i < OUT_FILES && !out_db_error(db); i++) {
        StrobeSafeFile *file = g_steal_pointer(&db->files[i].file);
        int error = file ? strobe_safe_file_finish(file) : 0;

        if (error)
            fail(db, db->files[i].name, g_strerror(error));
    }
    return out_db_error(db) == NULL;
}

static void free_table(gpointer data, gpointer unused)
{
    OutTable *table = data;

    g_free(table->name);
    g_free(table->create);
    g_free(table);
}

void out_db_free(OutDb *db)
{
    db->block->rows.used = 0;
    end_thread(db);
    close_sql(db, FALSE);
    held_rows_free(db->moved);
    for (guint i = 0; i < OUT_DATABASES; i++) {
        bulk_load_free(db->files[i].bulk);
        held_rows_free(db->files[i].late);
        strobe_safe_file_discard(db->files[i].file);
        g_free(db->files[i].name);
    }
    g_ptr_array_foreach(db->tables, free_table, NULL);
    g_ptr_array_unref(db->tables);
    g_ptr_array_unref(db->begun);
    for (guint i = 0; i < BLOCKS; i++)
        g_free(db->blocks[i].rows.bytes);
    g_async_queue_unref(db->full);
    g_async_queue_unref(db->empty);
    g_async_queue_unref(db->answers);
    g_free(db->error);
    g_free(db);
}
