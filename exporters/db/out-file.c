/* SPDX-License-Identifier: Apache-2.0 */
#include "out-file.h"

#include <errno.h>
#include <strobe/helpers/record-log.h>
#include <strobe/helpers/safe-file.h>

/* Number of rows in one statement, because starting a statement takes longer than inserting a
 * row. */
#define AT_ONCE 16u

static const char settings[] = "PRAGMA page_size=4096; PRAGMA journal_mode=OFF;"
                               "PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
                               "PRAGMA temp_store=FILE; BEGIN";
static const char file_settings[] = "PRAGMA cache_size=-16384";

struct OutTable {
    OutFile *file;
    guint n_columns;
    gint key;
    char *name, *create;
    sqlite3_stmt *insert; /* statement for one row; NULL: the table has no row yet */
    /* statement for AT_ONCE rows; NULL: the table has a key, or too many columns */
    sqlite3_stmt *insert_many;
    guint n_waiting;
    const guint8 *waiting[AT_ONCE]; /* rows that wait until there are AT_ONCE of them */
};

struct OutFile {
    char *name;
    gboolean is_temporary;
    int directory;
    OutFailure *failure;
    GPtrArray *tables;
    StrobeSafeFile *file;   /* NULL: the database has no row yet, or is temporary */
    sqlite3 *sql;           /* NULL: the database has no row yet */
    StrobeRecordLog *moved; /* rows that get a new key at the end */
};

/* ---- failures ---- */

static gboolean has_failed(const OutFile *file)
{
    return g_atomic_int_get(&file->failure->is_set) != 0;
}

static void fail_file(OutFile *file, const char *reason)
{
    if (!g_atomic_int_compare_and_exchange(&file->failure->is_set, 0, OUT_FAILURE_BEGUN))
        return;
    file->failure->text = g_strdup_printf("file=\"%s\": %s", file->name, reason);
    g_atomic_int_set(&file->failure->is_set, OUT_FAILURE_REPORTED);
}

/* Stores the message of the last failure: the system's message if the operating system caused the
 * failure, else SQLite's. */
void out_file_fail(OutFile *file)
{
    int code = sqlite3_errcode(file->sql), error = 0;

    if (code == SQLITE_FULL)
        error = ENOSPC;
    else if (code == SQLITE_IOERR || code == SQLITE_CANTOPEN)
        error = sqlite3_system_errno(file->sql);
    fail_file(file, error ? g_strerror(error) : sqlite3_errmsg(file->sql));
}

static gboolean run_sql(OutFile *file, const char *sql)
{
    if (sqlite3_exec(file->sql, sql, NULL, NULL, NULL) == SQLITE_OK)
        return TRUE;
    out_file_fail(file);
    return FALSE;
}

/* ---- the database ---- */

OutFile *out_file_new(const char *name, int directory, StrobeStorage *storage, OutFailure *failure)
{
    OutFile *file = g_new0(OutFile, 1);

    file->name = g_strdup(name);
    file->directory = directory;
    file->failure = failure;
    file->tables = g_ptr_array_new();
    file->moved = strobe_record_log_new(storage);
    return file;
}

OutFile *out_file_new_temporary(StrobeStorage *storage, OutFailure *failure)
{
    OutFile *file = out_file_new("a temporary database", -1, storage, failure);

    file->is_temporary = TRUE;
    return file;
}

/* Opens the database. SQLite takes no locks, because only this process knows the file's name. If
 * the path is empty, SQLite makes a temporary database, and removes it when it is closed. */
static gboolean connect_to(OutFile *file, const char *path)
{
    if (sqlite3_open_v2(path, &file->sql,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
                        "unix-none") == SQLITE_OK)
        return run_sql(file, settings) && (file->is_temporary || run_sql(file, file_settings));
    out_file_fail(file);
    return FALSE;
}

static gboolean open_file(OutFile *file)
{
    g_autofree char *path = NULL;

    if (file->is_temporary)
        return connect_to(file, "");
    file->file = strobe_safe_file_create(file->directory, file->name);
    if (!file->file) {
        fail_file(file, g_strerror(errno));
        return FALSE;
    }
    /* the file has only a temporary name so far, so SQLite opens it by this link */
    path = g_strdup_printf("/proc/self/fd/%d", strobe_safe_file_descriptor(file->file));
    return connect_to(file, path);
}

sqlite3 *out_file_sql(OutFile *file)
{
    return has_failed(file) ? NULL : file->sql;
}

/* ---- tables ---- */

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

static sqlite3_stmt *prepare_insert(OutTable *table, guint n_rows)
{
    g_autoptr(GString) text = g_string_new(NULL);
    sqlite3_stmt *insert = NULL;

    g_string_printf(text, "INSERT %sINTO %s VALUES", table->key >= 0 ? "OR IGNORE " : "",
                    table->name);
    for (guint row = 0; row < n_rows; row++) {
        g_string_append(text, row ? ",(?" : "(?");
        for (guint i = 1; i < table->n_columns; i++)
            g_string_append(text, ",?");
        g_string_append_c(text, ')');
    }
    if (sqlite3_prepare_v3(table->file->sql, text->str, -1, SQLITE_PREPARE_PERSISTENT, &insert,
                           NULL) != SQLITE_OK)
        out_file_fail(table->file);
    return insert;
}

/* Prepares the statements of the table. A table with a key inserts its rows one by one, because
 * SQLite does not report which of several rows had a used key. */
static void prepare_table(OutTable *table)
{
    guint max = (guint)sqlite3_limit(table->file->sql, SQLITE_LIMIT_VARIABLE_NUMBER, -1);

    table->insert = prepare_insert(table, 1);
    if (table->insert && table->key < 0 && table->n_columns * AT_ONCE <= max)
        table->insert_many = prepare_insert(table, AT_ONCE);
}

static gboolean make_table(OutTable *table)
{
    OutFile *file = table->file;

    if (!has_failed(file) && (file->sql || open_file(file)) && run_sql(file, table->create))
        prepare_table(table);
    return !has_failed(file);
}

/* ---- rows ---- */

static void bind_value(sqlite3_stmt *insert, gint column, const RowValue *value)
{
    switch (value->type) {
    case ROW_INT:
        sqlite3_bind_int64(insert, column, value->as.whole);
        break;
    case ROW_REAL:
        sqlite3_bind_double(insert, column, value->as.real);
        break;
    case ROW_TEXT:
        sqlite3_bind_text(insert, column, value->text, (int)value->length, SQLITE_STATIC);
        break;
    default:
        sqlite3_bind_null(insert, column);
    }
}

/* Binds the row's values to the statement's parameters from number `first` on. Returns FALSE if the
 * table has a key, but the row has none. */
static gboolean bind_row(const OutTable *table, sqlite3_stmt *insert, guint first,
                         const guint8 *row)
{
    const guint8 *at = row + sizeof(RowHead);
    gboolean has_key = TRUE;
    RowValue value;

    for (guint i = 0; i < table->n_columns; i++) {
        at = row_value(at, &value);
        bind_value(insert, (gint)(first + i), &value);
        if ((gint)i == table->key && value.type != ROW_INT)
            has_key = FALSE;
    }
    return has_key;
}

static gboolean run_insert(OutTable *table, sqlite3_stmt *insert)
{
    int code = sqlite3_step(insert);

    if (code != SQLITE_DONE)
        out_file_fail(table->file);
    sqlite3_reset(insert);
    return code == SQLITE_DONE;
}

/* Keeps the row until the end, when it gets the next free key. */
static void keep_for_end(OutFile *file, const guint8 *row)
{
    RowHead head;
    int error;

    memcpy(&head, row, sizeof head);
    error = strobe_record_log_add(file->moved, row, head.bytes);
    if (error)
        fail_file(file, g_strerror(error));
}

static void insert_one(OutTable *table, const guint8 *row)
{
    if (!bind_row(table, table->insert, 1, row))
        keep_for_end(table->file, row);
    else if (run_insert(table, table->insert) && table->key >= 0 &&
             !sqlite3_changes(table->file->sql))
        keep_for_end(table->file, row); /* another row already has the key */
}

static void insert_many(OutTable *table)
{
    for (guint i = 0; i < AT_ONCE; i++)
        bind_row(table, table->insert_many, 1 + i * table->n_columns, table->waiting[i]);
    run_insert(table, table->insert_many);
    table->n_waiting = 0;
}

void out_table_put(OutTable *table, const guint8 *row)
{
    if (G_UNLIKELY(!table->insert) && !make_table(table))
        return;
    if (!table->insert_many) {
        insert_one(table, row);
        return;
    }
    table->waiting[table->n_waiting++] = row;
    if (table->n_waiting == AT_ONCE)
        insert_many(table);
}

void out_file_rest(OutFile *file)
{
    for (guint i = 0; i < file->tables->len; i++) {
        OutTable *table = g_ptr_array_index(file->tables, i);

        for (guint j = 0; j < table->n_waiting && !has_failed(file); j++)
            insert_one(table, table->waiting[j]);
        table->n_waiting = 0;
    }
}

/* ---- the end ---- */

static void insert_moved(OutFile *file)
{
    StrobeRecordLogReader *reader = strobe_record_log_read(file->moved);
    const guint8 *row;
    size_t length;
    RowHead head;

    while (!has_failed(file) && (row = strobe_record_log_next(reader, &length))) {
        memcpy(&head, row, sizeof head);
        bind_row(head.table, head.table->insert, 1, row);
        sqlite3_bind_null(head.table->insert, head.table->key + 1);
        run_insert(head.table, head.table->insert);
    }
    if (strobe_record_log_reader_error(reader))
        fail_file(file, g_strerror(strobe_record_log_reader_error(reader)));
    strobe_record_log_reader_free(reader);
}

static void close_sql(OutFile *file)
{
    for (guint i = 0; i < file->tables->len; i++) {
        OutTable *table = g_ptr_array_index(file->tables, i);

        sqlite3_finalize(g_steal_pointer(&table->insert));
        sqlite3_finalize(g_steal_pointer(&table->insert_many));
    }
    if (sqlite3_close(file->sql))
        out_file_fail(file);
    file->sql = NULL;
}

void out_file_end(OutFile *file)
{
    insert_moved(file);
    if (file->sql && !file->is_temporary && !has_failed(file))
        run_sql(file, "COMMIT");
    close_sql(file);
}

void out_file_finish(OutFile *file)
{
    int error;

    if (!file->file || has_failed(file))
        return;
    error = strobe_safe_file_finish(g_steal_pointer(&file->file));
    if (error)
        fail_file(file, g_strerror(error));
}

guint64 out_file_n_moved(const OutFile *file)
{
    return strobe_record_log_count(file->moved);
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
    strobe_record_log_free(file->moved);
    strobe_safe_file_discard(file->file);
    g_ptr_array_foreach(file->tables, free_table, NULL);
    g_ptr_array_unref(file->tables);
    g_free(file->name);
    g_free(file);
}
