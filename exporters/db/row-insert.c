/* SPDX-License-Identifier: Apache-2.0 */
#include "row-insert.h"

#include <string.h>

#define AT_ONCE 16u /* rows; more gain nothing */

struct RowInsert {
    sqlite3 *sql;
    sqlite3_stmt *one, *many;
    guint n_columns;
    gint key;
    gint64 largest_key; /* of all rows so far */
    RowTaken taken;
    gpointer user;
    guint n_waiting;
    const guint8 *waiting[AT_ONCE];
};

static sqlite3_stmt *prepare(sqlite3 *sql, const char *table, guint n_columns, gint key,
                             guint n_rows)
{
    g_autoptr(GString) text = g_string_new(NULL);
    sqlite3_stmt *statement = NULL;

    g_string_printf(text, "INSERT %sINTO %s VALUES", key >= 0 ? "OR IGNORE " : "", table);
    for (guint row = 0; row < n_rows; row++) {
        g_string_append(text, row ? ",(?" : "(?");
        for (guint i = 1; i < n_columns; i++)
            g_string_append(text, ",?");
        g_string_append_c(text, ')');
    }
    sqlite3_prepare_v3(sql, text->str, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
    return statement;
}

RowInsert *row_insert_new(sqlite3 *sql, const char *table, guint n_columns, gint key,
                          gint64 largest_key, RowTaken taken, gpointer user)
{
    RowInsert *insert = g_new0(RowInsert, 1);

    *insert = (RowInsert){.sql = sql,
                          .n_columns = n_columns,
                          .key = key,
                          .largest_key = largest_key,
                          .taken = taken,
                          .user = user};
    insert->one = prepare(sql, table, n_columns, key, 1);
    if (n_columns * AT_ONCE <= (guint)sqlite3_limit(sql, SQLITE_LIMIT_VARIABLE_NUMBER, -1))
        insert->many = prepare(sql, table, n_columns, key, AT_ONCE);
    if (!insert->one)
        g_clear_pointer(&insert, row_insert_free);
    return insert;
}

void row_insert_free(RowInsert *insert)
{
    if (!insert)
        return;
    sqlite3_finalize(insert->one);
    sqlite3_finalize(insert->many);
    g_free(insert);
}

/* ---- values ---- */

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

/* Binds a row's values from the statement's `first` on. */
static void bind_row(const RowInsert *insert, sqlite3_stmt *statement, guint first,
                     const guint8 *row)
{
    const guint8 *at = row + sizeof(RowHead);
    RowValue value;

    for (guint i = 0; i < insert->n_columns; i++) {
        at = row_value(at, &value);
        bind_value(statement, (gint)(first + i), &value);
    }
}

/* FALSE: the row has no key. */
static gboolean find_key(const RowInsert *insert, const guint8 *row, gint64 *key)
{
    const guint8 *at = row + sizeof(RowHead);
    RowValue value;

    for (gint i = 0; i <= insert->key; i++)
        at = row_value(at, &value);
    *key = value.as.whole;
    return value.type == ROW_INT;
}

/* ---- statements ---- */

static int run(sqlite3_stmt *statement)
{
    int code = sqlite3_step(statement);

    sqlite3_reset(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int put_one(RowInsert *insert, const guint8 *row)
{
    bind_row(insert, insert->one, 1, row);
    int code = run(insert->one);
    if (code == SQLITE_OK && insert->key >= 0 && !sqlite3_changes(insert->sql))
        insert->taken(insert->user, row);
    return code;
}

static int put_many(RowInsert *insert)
{
    for (guint i = 0; i < AT_ONCE; i++)
        bind_row(insert, insert->many, 1 + i * insert->n_columns, insert->waiting[i]);
    insert->n_waiting = 0;
    return run(insert->many);
}

int row_insert_rest(RowInsert *insert)
{
    int code = SQLITE_OK;

    for (guint i = 0; i < insert->n_waiting && code == SQLITE_OK; i++)
        code = put_one(insert, insert->waiting[i]);
    insert->n_waiting = 0;
    return code;
}

/* Only rows that are all put in wait for each other: of many with one statement SQLite does not say
 * which had a key that was taken. */
int row_insert_put(RowInsert *insert, const guint8 *row)
{
    gboolean may_wait = insert->many != NULL;

    if (insert->key >= 0) {
        gint64 key;
        if (!find_key(insert, row, &key)) {
            insert->taken(insert->user, row);
            return SQLITE_OK;
        }
        may_wait &= key > insert->largest_key;
        insert->largest_key = MAX(insert->largest_key, key);
    }
    if (!may_wait) {
        int code = row_insert_rest(insert);
        return code == SQLITE_OK ? put_one(insert, row) : code;
    }
    insert->waiting[insert->n_waiting++] = row;
    return insert->n_waiting == AT_ONCE ? put_many(insert) : SQLITE_OK;
}

int row_insert_late(RowInsert *insert, const guint8 *row)
{
    bind_row(insert, insert->one, 1, row);
    sqlite3_bind_null(insert->one, insert->key + 1);
    return run(insert->one);
}
