/* SPDX-License-Identifier: Apache-2.0 */
#include "db-file.h"

#include <fcntl.h>
#include <glib/gstdio.h>

#include <string.h>
#include <unistd.h>

#include "descriptor-vfs.h"

#define PROGRESS_OPS 10000
#define VALUE_BYTES_MAX (16 << 20)

static void free_column(gpointer data)
{
    DbColumn *column = data;

    g_free(column->name);
    g_free(column->type);
    g_free(column);
}

static void free_table(gpointer data)
{
    DbTable *table = data;

    g_free(table->name);
    g_free(table->sql);
    g_ptr_array_unref(table->columns);
    g_free(table);
}

/* Interrupts a statement that does more work than an intact file of this size needs. In a damaged
 * file, the pages of a tree can refer to each other in a cycle. */
static int check_progress(void *user)
{
    DbFile *file = user;

    return ++file->n_calls > 2000 + file->bytes / 64;
}

static void restrict_limits(sqlite3 *sql)
{
    static const struct {
        int limit, value;
    } limits[] = {
        {SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX},
        {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
        {SQLITE_LIMIT_COLUMN, 1000},
        {SQLITE_LIMIT_EXPR_DEPTH, 100},
        {SQLITE_LIMIT_COMPOUND_SELECT, 3},
        {SQLITE_LIMIT_VDBE_OP, 100000},
        {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
        {SQLITE_LIMIT_WORKER_THREADS, 0},
    };

    for (guint i = 0; i < G_N_ELEMENTS(limits); i++)
        sqlite3_limit(sql, limits[i].limit, limits[i].value);
    sqlite3_db_config(sql, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(sql, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(sql, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(sql, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
}

/* Returns whether there is a non-empty file with the database's name and this ending. */
static gboolean has_beside(int descriptor, const char *ending)
{
    g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", descriptor);
    g_autofree char *path = g_file_read_link(link, NULL);
    g_autofree char *beside = g_strconcat(path ? path : "", ending, NULL);
    int fd = g_open(beside, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;

    if (fd >= 0)
        close(fd);
    return size > 0;
}

static sqlite3 *open_sql(int descriptor, const char **left_out, char **error)
{
    unsigned char header[16] = {0};
    sqlite3 *sql;
    int code;

    if (pread(descriptor, header, sizeof header, 0) != sizeof header ||
        memcmp(header, "SQLite format 3", 16)) {
        *error = g_strdup("no SQLite database");
        return NULL;
    }
    if (has_beside(descriptor, "-wal"))
        *left_out = "the write-ahead log beside it is not read: end the program that has it open";
    else if (has_beside(descriptor, "-journal"))
        *left_out = "a transaction is not complete: the data that it changed may be wrong";
    code = descriptor_vfs_open(descriptor, &sql);
    if (code == SQLITE_OK)
        return sql;
    *error = g_strdup(sqlite3_errstr(code));
    sqlite3_close(sql);
    return NULL;
}

void db_file_damage(DbFile *file, const char *table, gint64 row, const char *column,
                    const char *reason)
{
    g_autoptr(GString) place = g_string_new(file->name);

    if (!file->host)
        return;
    if (table)
        g_string_append_printf(place, ", table %s", table);
    if (row != G_MININT64)
        g_string_append_printf(place, ", row %" G_GINT64_FORMAT, row);
    if (column)
        g_string_append_printf(place, ", column %s", column);
    file->host->damage(file->self, place->str, reason);
}

char *db_quote(const char *name)
{
    char *quoted = sqlite3_mprintf("\"%w\"", name);
    char *copy = g_strdup(quoted);

    sqlite3_free(quoted);
    return copy;
}

sqlite3_stmt *db_file_prepare(DbFile *file, const char *table, const char *sql)
{
    sqlite3_stmt *statement = NULL;

    file->n_calls = 0;
    if (sqlite3_prepare_v2(file->sql, sql, -1, &statement, NULL) == SQLITE_OK)
        return statement;
    if (table)
        db_file_damage(file, table, G_MININT64, NULL, sqlite3_errmsg(file->sql));
    sqlite3_finalize(statement);
    return NULL;
}

gboolean db_file_step(DbFile *file, const char *table, sqlite3_stmt *statement)
{
    int code = statement ? sqlite3_step(statement) : SQLITE_DONE;

    if (code == SQLITE_ROW)
        return TRUE;
    if (code != SQLITE_DONE && table)
        db_file_damage(file, table, G_MININT64, NULL, sqlite3_errmsg(file->sql));
    return FALSE;
}

gboolean db_file_run(DbFile *file, const char *sql)
{
    file->n_calls = 0;
    return sqlite3_exec(file->sql, sql, NULL, NULL, NULL) == SQLITE_OK;
}

char *db_file_flaw(DbFile *file)
{
    sqlite3_stmt *statement = NULL;
    const char *said = NULL;
    char *flaw = NULL;

    if (file->left_out)
        return g_strdup(file->left_out);
    file->n_calls = 0;
    if (sqlite3_prepare_v2(file->sql, "PRAGMA main.quick_check(1)", -1, &statement, NULL) ==
            SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        said = (const char *)sqlite3_column_text(statement, 0);
    if (g_strcmp0(said, "ok") != 0)
        flaw = g_strdup(said ? said : sqlite3_errmsg(file->sql));
    sqlite3_finalize(statement);
    for (char *line = flaw; line && (line = strchr(line, '\n'));)
        *line = ' ';
    return flaw;
}

/* ---- schema ---- */

static void add_columns(DbFile *file, DbTable *table)
{
    g_autofree char *quoted = db_quote(table->name);
    g_autofree char *sql = g_strdup_printf("PRAGMA main.table_info(%s)", quoted);
    sqlite3_stmt *statement = db_file_prepare(file, table->name, sql);

    while (db_file_step(file, table->name, statement)) {
        const char *name = (const char *)sqlite3_column_text(statement, 1);
        const char *type = (const char *)sqlite3_column_text(statement, 2);
        DbColumn *column = g_new0(DbColumn, 1);

        column->name = g_strdup(name ? name : "");
        column->type = g_strdup(type ? type : "");
        column->is_key = sqlite3_column_int(statement, 5) == 1;
        g_ptr_array_add(table->columns, column);
    }
    sqlite3_finalize(statement);
}

static gboolean read_schema(DbFile *file, char **error)
{
    sqlite3_stmt *statement = NULL;
    int code;

    if (sqlite3_prepare_v2(file->sql,
                           "SELECT name, sql FROM main.sqlite_master WHERE type = 'table' AND "
                           "rootpage > 0 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
                           -1, &statement, NULL)) {
        *error = g_strdup(sqlite3_errmsg(file->sql));
        return FALSE;
    }
    while ((code = sqlite3_step(statement)) == SQLITE_ROW && file->tables->len < 1000) {
        DbTable *table = g_new0(DbTable, 1);
        const char *sql = (const char *)sqlite3_column_text(statement, 1);

        table->name = g_strdup((const char *)sqlite3_column_text(statement, 0));
        table->sql = g_strdup(sql ? sql : "");
        table->columns = g_ptr_array_new_with_free_func(free_column);
        g_ptr_array_add(file->tables, table);
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        *error = g_strdup(sqlite3_errmsg(file->sql));
    sqlite3_finalize(statement);
    for (guint i = 0; i < file->tables->len; i++)
        add_columns(file, g_ptr_array_index(file->tables, i));
    return *error == NULL;
}

DbFile *db_file_open(int descriptor, const char *name, char **error)
{
    DbFile *file = g_new0(DbFile, 1);
    off_t bytes = lseek(descriptor, 0, SEEK_END);

    *error = NULL;
    file->name = g_strdup(name);
    file->descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    file->bytes = bytes > 0 ? (guint64)bytes : 0;
    file->tables = g_ptr_array_new_with_free_func(free_table);
    file->sql = open_sql(file->descriptor, &file->left_out, error);
    if (!file->left_out && descriptor_vfs_reported_bytes(file->descriptor) > bytes)
        file->left_out = "the file is shorter than its header says: its end is missing";
    if (file->sql) {
        restrict_limits(file->sql);
        sqlite3_progress_handler(file->sql, PROGRESS_OPS, check_progress, file);
        /* without a transaction, each lookup would be a transaction */
        db_file_run(file, "BEGIN");
    }
    if (!file->sql || !read_schema(file, error))
        g_clear_pointer(&file, db_file_free);
    return file;
}

void db_file_free(DbFile *file)
{
    if (!file)
        return;
    sqlite3_close(file->sql);
    if (file->descriptor >= 0)
        close(file->descriptor);
    g_ptr_array_unref(file->tables);
    g_free(file->name);
    g_free(file);
}

DbTable *db_file_table(const DbFile *file, const char *name)
{
    for (guint i = 0; i < file->tables->len; i++) {
        DbTable *table = g_ptr_array_index(file->tables, i);

        if (!strcmp(table->name, name))
            return table;
    }
    return NULL;
}

const DbColumn *db_table_column(const DbTable *table, const char *name)
{
    for (guint i = 0; table && i < table->columns->len; i++) {
        const DbColumn *column = g_ptr_array_index(table->columns, i);

        if (!strcmp(column->name, name))
            return column;
    }
    return NULL;
}

/* ---- scans ---- */

static void start_scan(DbScan *scan)
{
    g_autofree char *quoted = db_quote(scan->table);
    g_autofree char *sql =
        g_strdup_printf("SELECT rowid, %s FROM main.%s WHERE rowid > ?1%s", scan->columns, quoted,
                        scan->is_backward ? " ORDER BY rowid DESC" : " ORDER BY rowid");

    scan->statement = db_file_prepare(scan->file, scan->table, sql);
    if (scan->statement)
        sqlite3_bind_int64(scan->statement, 1, scan->low);
}

void db_scan_init(DbScan *scan, DbFile *file, const char *table, const char *columns)
{
    *scan = (DbScan){.file = file, .table = table, .low = G_MININT64, .high = G_MAXINT64};
    scan->columns = g_strdup(columns);
    start_scan(scan);
}

static gboolean take_row(DbScan *scan)
{
    gint64 row = sqlite3_column_int64(scan->statement, 0);

    /* if the ids are out of order, the tree of pages is damaged */
    if (scan->has_row && (scan->is_backward ? row >= scan->high : row <= scan->low))
        return FALSE;
    if (scan->is_backward)
        scan->high = row;
    else
        scan->low = row;
    scan->has_row = TRUE;
    scan->row = row;
    scan->n++;
    return TRUE;
}

gboolean db_scan_next(DbScan *scan)
{
    int code;

    if (!scan->statement)
        return FALSE;
    code = sqlite3_step(scan->statement);
    if (code == SQLITE_DONE || (code == SQLITE_ROW && take_row(scan)))
        return code == SQLITE_ROW;
    db_file_damage(scan->file, scan->table, scan->has_row ? scan->row : G_MININT64, NULL,
                   code == SQLITE_ROW ? "rows are out of order after this row"
                                      : sqlite3_errmsg(scan->file->sql));
    g_clear_pointer(&scan->statement, sqlite3_finalize);
    if (scan->is_backward)
        return FALSE;
    scan->is_backward = TRUE;
    scan->has_row = FALSE;
    start_scan(scan);
    return db_scan_next(scan);
}

void db_scan_clear(DbScan *scan)
{
    sqlite3_finalize(scan->statement);
    g_free(scan->columns);
    scan->statement = NULL;
}
