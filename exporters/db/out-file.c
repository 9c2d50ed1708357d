/* SPDX-License-Identifier: Apache-2.0 */
#include "out-file.h"

#include <errno.h>
#include <strobe/helpers/safe-file.h>

#include "bulk-load.h"
#include "held-rows.h"
#include "out-vfs.h"
#include "row-insert.h"

#define WAITING_BYTES (256u * 1024) /* of rows that wait, before they go to a scratch file */

static const char settings[] = "PRAGMA page_size=4096; PRAGMA journal_mode=OFF;"
                               "PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
                               "PRAGMA temp_store=FILE; BEGIN";
static const char file_settings[] = "PRAGMA cache_size=-16384";

struct OutTable {
    OutFile *file;
    guint n_columns;
    gint key;
    char *name, *create;
    BulkTable *bulk;
    RowInsert *insert; /* once there is SQL; both NULL: not made yet */
};

struct OutFile {
    char *name;
    gboolean is_scratch;
    int directory, scratch;
    OutFailure *failure;
    GPtrArray *tables;    /* those that were asked for */
    GPtrArray *begun;     /* those with rows */
    StrobeSafeFile *file; /* NULL: no row yet, or it is a scratch file */
    BulkLoad *bulk;       /* NULL: no row yet, or there is SQL */
    HeldRows *late;       /* rows that wait for SQL: without a key, or out of order; NULL: none */
    HeldRows *moved;      /* rows that wait for another key, NULL: none */
    guint64 n_moved;
    OutVfs *vfs;
    sqlite3 *sql;
};

/* ---- failures ---- */

static gboolean has_failed(const OutFile *file)
{
    return g_atomic_int_get(&file->failure->is_set) != 0;
}

static void fail(OutFile *file, const char *reason)
{
    if (!g_atomic_int_compare_and_exchange(&file->failure->is_set, 0, OUT_FAILURE_BEGUN))
        return;
    file->failure->text = g_strdup_printf("file=\"%s\": %s", file->name, reason);
    g_atomic_int_set(&file->failure->is_set, OUT_FAILURE_TOLD);
}

void out_file_fail(OutFile *file)
{
    int error = file->vfs ? out_vfs_error(file->vfs) : 0;

    fail(file, error ? g_strerror(error) : sqlite3_errmsg(file->sql));
}

/* ---- rows that wait ---- */

static void keep(OutFile *file, HeldRows **rows, const guint8 *row)
{
    if (!*rows)
        *rows = held_rows_new(file->scratch, WAITING_BYTES, 0);
    held_rows_add(*rows, row);
    if (held_rows_error(*rows))
        fail(file, g_strerror(held_rows_error(*rows)));
}

/* For the next free key, once all others are known. */
static void keep_for_end(gpointer user, const guint8 *row)
{
    OutFile *file = user;

    keep(file, &file->moved, row);
    file->n_moved++;
}

static void put_kept(OutFile *file, HeldRows *rows, void (*put)(OutTable *table, const guint8 *row))
{
    const void *nothing;
    guint8 *row;
    guint32 bytes;
    RowHead head;

    while (rows && !has_failed(file) && held_rows_next(rows, &nothing, &row, &bytes)) {
        memcpy(&head, row, sizeof head);
        put(head.table, row);
    }
    if (rows && held_rows_error(rows))
        fail(file, g_strerror(held_rows_error(rows)));
    held_rows_free(rows);
}

/* ---- rows by statements ---- */

static gboolean make_insert(OutTable *table, gint64 largest_key)
{
    OutFile *file = table->file;

    table->insert = row_insert_new(file->sql, table->name, table->n_columns, table->key,
                                   largest_key, keep_for_end, file);
    if (!table->insert)
        out_file_fail(file);
    return table->insert != NULL;
}

static void check(OutTable *table, int code)
{
    if (code != SQLITE_OK)
        out_file_fail(table->file);
}

static void insert_now(OutTable *table, const guint8 *row)
{
    check(table, row_insert_put(table->insert, row));
    check(table, row_insert_rest(table->insert));
}

static void insert_late(OutTable *table, const guint8 *row)
{
    check(table, row_insert_late(table->insert, row));
}

void out_file_rest(OutFile *file)
{
    for (guint i = 0; file->sql && i < file->begun->len && !has_failed(file); i++) {
        OutTable *table = g_ptr_array_index(file->begun, i);

        check(table, row_insert_rest(table->insert));
    }
}

static gboolean open_sql(OutFile *file)
{
    int error = 0;

    file->vfs = out_vfs_open(file->file ? strobe_safe_file_descriptor(file->file) : -1,
                             file->scratch, &file->sql, &error);
    if (!file->vfs) {
        fail(file, g_strerror(error));
        return FALSE;
    }
    if (sqlite3_exec(file->sql, settings, NULL, NULL, NULL) == SQLITE_OK &&
        (file->is_scratch || sqlite3_exec(file->sql, file_settings, NULL, NULL, NULL) == SQLITE_OK))
        return TRUE;
    out_file_fail(file);
    return FALSE;
}

static gboolean end_bulk(OutFile *file)
{
    int error = bulk_load_finish(file->bulk);

    if (error)
        fail(file, g_strerror(error));
    return !error;
}

/* From now on the file is SQLite's; what waited for that goes in. */
static void begin_sql(OutFile *file)
{
    gboolean is_open = end_bulk(file) && open_sql(file);

    for (guint i = 0; i < file->begun->len; i++) {
        OutTable *table = g_ptr_array_index(file->begun, i);

        is_open = is_open && make_insert(table, bulk_table_largest_key(table->bulk));
        table->bulk = NULL;
    }
    g_clear_pointer(&file->bulk, bulk_load_free);
    if (is_open)
        put_kept(file, g_steal_pointer(&file->late), insert_now);
}

sqlite3 *out_file_sql(OutFile *file)
{
    if (file->bulk && !has_failed(file))
        begin_sql(file);
    return has_failed(file) ? NULL : file->sql;
}

/* ---- tables ---- */

OutFile *out_file_new(const char *name, gboolean is_scratch, int directory, int scratch,
                      OutFailure *failure)
{
    OutFile *file = g_new0(OutFile, 1);

    file->name = g_strdup(name);
    file->is_scratch = is_scratch;
    file->directory = directory;
    file->scratch = scratch;
    file->failure = failure;
    file->tables = g_ptr_array_new();
    file->begun = g_ptr_array_new();
    return file;
}

OutTable *out_file_table(OutFile *file, const char *name, const char *create, guint n_columns,
                         gint key)
{
    OutTable *table = g_new0(OutTable, 1);

    table->file = file;
    table->n_columns = n_columns;
    table->key = key;
    table->name = g_strdup(name);
    table->create = g_strdup(create);
    g_ptr_array_add(file->tables, table);
    return table;
}

guint out_table_n_columns(const OutTable *table)
{
    return table->n_columns;
}

static gboolean open_file(OutFile *file)
{
    if (file->sql || file->bulk)
        return TRUE;
    if (file->is_scratch)
        return open_sql(file);
    file->file = strobe_safe_file_create(file->directory, file->name);
    if (!file->file) {
        fail(file, g_strerror(errno));
        return FALSE;
    }
    file->bulk = bulk_load_new(file->file);
    return TRUE;
}

static gboolean make_table(OutTable *table)
{
    OutFile *file = table->file;
    g_autofree char *error = NULL;

    if (has_failed(file) || !open_file(file))
        return FALSE;
    if (file->bulk) {
        table->bulk =
            bulk_load_table(file->bulk, table->create, table->n_columns, table->key, &error);
        if (!table->bulk)
            fail(file, error);
    } else if (sqlite3_exec(file->sql, table->create, NULL, NULL, NULL) == SQLITE_OK) {
        make_insert(table, G_MININT64);
    } else {
        out_file_fail(file);
    }
    if (!table->bulk && !table->insert)
        return FALSE;
    g_ptr_array_add(file->begun, table);
    return TRUE;
}

void out_table_put(OutTable *table, const guint8 *row)
{
    OutFile *file = table->file;

    if (G_UNLIKELY(!table->bulk && !table->insert) && !make_table(table))
        return;
    if (table->insert) {
        check(table, row_insert_put(table->insert, row));
        return;
    }
    switch (bulk_table_put(table->bulk, row)) {
    case BULK_PUT:
        break;
    case BULK_OUT_OF_ORDER:
        keep(file, &file->late, row);
        break;
    case BULK_FAILED:
        fail(file, g_strerror(bulk_load_error(file->bulk)));
    }
}

/* ---- the end ---- */

static void close_sql(OutFile *file)
{
    for (guint i = 0; i < file->begun->len; i++) {
        OutTable *table = g_ptr_array_index(file->begun, i);

        g_clear_pointer(&table->insert, row_insert_free);
    }
    if (file->sql && sqlite3_close(file->sql))
        out_file_fail(file);
    file->sql = NULL;
    g_clear_pointer(&file->vfs, out_vfs_free);
}

/* What waited for all other rows, the last of it for a free key. */
static void put_last(OutFile *file)
{
    if (file->late)
        out_file_sql(file);
    out_file_rest(file);
    put_kept(file, g_steal_pointer(&file->moved), insert_late);
    if (file->bulk && !has_failed(file))
        end_bulk(file);
    if (file->sql && !has_failed(file) && sqlite3_exec(file->sql, "COMMIT", NULL, NULL, NULL))
        out_file_fail(file);
}

void out_file_end(OutFile *file)
{
    if (!file->is_scratch && !has_failed(file))
        put_last(file);
    close_sql(file);
}

void out_file_finish(OutFile *file)
{
    StrobeSafeFile *done;
    int error;

    if (!file->file || has_failed(file))
        return;
    done = g_steal_pointer(&file->file);
    error = strobe_safe_file_finish(done);
    if (error)
        fail(file, g_strerror(error));
}

guint64 out_file_n_moved(const OutFile *file)
{
    return file->n_moved;
}

static void free_table(gpointer data, gpointer unused)
{
    OutTable *table = data;

    g_free(table->name);
    g_free(table->create);
    g_free(table);
}

void out_file_free(OutFile *file)
{
    close_sql(file);
    bulk_load_free(file->bulk);
    held_rows_free(file->late);
    held_rows_free(file->moved);
    strobe_safe_file_discard(file->file);
    g_ptr_array_foreach(file->tables, free_table, NULL);
    g_ptr_array_unref(file->tables);
    g_ptr_array_unref(file->begun);
    g_free(file->name);
    g_free(file);
}
