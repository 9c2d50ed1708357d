/* SPDX-License-Identifier: Apache-2.0 */
#include "bulk-load.h"

#include <errno.h>
#include <sqlite3.h>

#include "row-record.h"
#include "table-tree.h"

struct BulkLoad {
    PageFile *pages;
    sqlite3 *schema; /* the tables without rows, in memory; NULL: no table yet */
    RowRecord *record;
    GPtrArray *tables;
    int error;
};

struct BulkTable {
    BulkLoad *load;
    char *name, *sql; /* as SQLite keeps them */
    RowShape shape;
    gint64 last_key;
    TableTree *tree;
};

static void free_table(gpointer data)
{
    BulkTable *table = data;

    g_free(table->name);
    g_free(table->sql);
    g_free(table->shape.affinities);
    table_tree_free(table->tree);
    g_free(table);
}

BulkLoad *bulk_load_new(StrobeSafeFile *file)
{
    BulkLoad *load = g_new0(BulkLoad, 1);

    load->pages = page_file_new(file);
    load->record = row_record_new();
    load->tables = g_ptr_array_new_with_free_func(free_table);
    return load;
}

void bulk_load_free(BulkLoad *load)
{
    if (!load)
        return;
    sqlite3_close(load->schema);
    g_ptr_array_unref(load->tables);
    row_record_free(load->record);
    page_file_free(load->pages);
    g_free(load);
}

/* ---- tables ---- */

/* The schema's last row: what SQLite makes of the text. */
static gboolean read_table(BulkLoad *load, BulkTable *table)
{
    sqlite3_stmt *statement = NULL;
    gboolean is_one = FALSE;

    if (!sqlite3_prepare_v2(load->schema, "SELECT name, sql FROM sqlite_master WHERE rowid > ?1",
                            -1, &statement, NULL) &&
        !sqlite3_bind_int64(statement, 1, load->tables->len) &&
        sqlite3_step(statement) == SQLITE_ROW) {
        table->name = g_strdup((const char *)sqlite3_column_text(statement, 0));
        table->sql = g_strdup((const char *)sqlite3_column_text(statement, 1));
        is_one = table->sql && sqlite3_step(statement) == SQLITE_DONE; /* no index came with it */
    }
    sqlite3_finalize(statement);
    return is_one;
}

/* By a statement, for a table may have the name of the function. */
static gboolean read_columns(BulkLoad *load, BulkTable *table)
{
    char *query = sqlite3_mprintf("PRAGMA main.table_info(%Q)", table->name);
    sqlite3_stmt *statement = NULL;
    int code = query ? sqlite3_prepare_v2(load->schema, query, -1, &statement, NULL) : SQLITE_NOMEM;
    guint n = 0;

    sqlite3_free(query);
    table->shape.affinities = g_new(Affinity, table->shape.n_columns);
    while (code != SQLITE_NOMEM && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (n < table->shape.n_columns)
            table->shape.affinities[n] =
                affinity_of((const char *)sqlite3_column_text(statement, 2));
        n++;
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE && n == table->shape.n_columns;
}

static gboolean open_schema(BulkLoad *load)
{
    return load->schema ||
           !sqlite3_open_v2(":memory:", &load->schema,
                            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
}

static gboolean make_table(BulkLoad *load, BulkTable *table, const char *create, char **error)
{
    if (!open_schema(load) || sqlite3_exec(load->schema, create, NULL, NULL, NULL))
        *error = g_strdup_printf("no table by %.200s: %s", create,
                                 load->schema ? sqlite3_errmsg(load->schema) : g_strerror(ENOMEM));
    else if (!read_table(load, table) || !read_columns(load, table))
        *error = g_strdup_printf("no table by %.200s: expected %u columns without an index", create,
                                 table->shape.n_columns);
    return *error == NULL;
}

BulkTable *bulk_load_table(BulkLoad *load, const char *create, guint n_columns, gint key,
                           char **error)
{
    BulkTable *table = g_new0(BulkTable, 1);

    *error = NULL;
    table->load = load;
    table->shape.n_columns = n_columns;
    table->shape.key = key;
    table->last_key = key >= 0 ? G_MININT64 : 0;
    if (!make_table(load, table, create, error)) {
        free_table(table);
        return NULL;
    }
    table->tree = table_tree_new(load->pages, 0);
    g_ptr_array_add(load->tables, table);
    return table;
}

/* ---- rows ---- */

BulkPut bulk_table_put(BulkTable *table, const guint8 *row)
{
    BulkLoad *load = table->load;
    gboolean is_keyed = table->shape.key >= 0, has_key;
    const guint8 *bytes;
    gint64 key = 0;
    gsize n;
    int error = row_record_make(load->record, &table->shape, row, &bytes, &n, &key, &has_key);

    if (G_UNLIKELY(error)) {
        load->error = error;
        return BULK_FAILED;
    }
    if (is_keyed && (!has_key || key <= table->last_key))
        return BULK_OUT_OF_ORDER;
    table->last_key = is_keyed ? key : table->last_key + 1;
    table_tree_add(table->tree, table->last_key, bytes, n);
    return bulk_load_error(load) ? BULK_FAILED : BULK_PUT;
}

gint64 bulk_table_largest_key(const BulkTable *table)
{
    return table->last_key;
}

int bulk_load_error(const BulkLoad *load)
{
    return load->error ? load->error : page_file_error(load->pages);
}

/* ---- the end ---- */

/* A row of the table of tables. */
static void put_schema_row(RowBuffer *row, const BulkTable *table, guint32 first_page)
{
    row->used = 0;
    row_begin(row, NULL);
    row_text(row, "table", strlen("table"));
    row_text(row, table->name, strlen(table->name));
    row_text(row, table->name, strlen(table->name));
    row_int(row, first_page);
    row_text(row, table->sql, strlen(table->sql));
    row_end(row);
}

int bulk_load_finish(BulkLoad *load)
{
    Affinity affinities[5] = {AFFINITY_NONE};
    const RowShape shape = {G_N_ELEMENTS(affinities), -1, affinities};
    TableTree *schema = table_tree_new(load->pages, PAGE_FILE_HEAD);
    guint8 first[PAGE_BYTES];
    RowBuffer row = {0};

    for (guint i = 0; i < load->tables->len && !bulk_load_error(load); i++) {
        const BulkTable *table = g_ptr_array_index(load->tables, i);
        gboolean has_key;
        const guint8 *bytes;
        gint64 key;
        gsize n;

        put_schema_row(&row, table, table_tree_finish(table->tree));
        load->error = row_record_make(load->record, &shape, row.bytes, &bytes, &n, &key, &has_key);
        table_tree_add(schema, i + 1, bytes, n);
    }
    if (!bulk_load_error(load)) {
        table_tree_finish_schema(schema, first);
        load->error = page_file_finish(load->pages, first, load->tables->len);
    }
    table_tree_free(schema);
    g_free(row.bytes);
    return bulk_load_error(load);
}
