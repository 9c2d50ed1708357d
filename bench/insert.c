/* SPDX-License-Identifier: Apache-2.0 */
/* insert DATABASE FOLDER [REPEATS]: measures the seconds in which a simple loop of prepared
 * statements makes a copy of DATABASE in FOLDER, with the same tables, rows, settings and indexes,
 * in one transaction, synced and renamed. All rows are read into memory before the measurement. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "measure.h"

#define TABLES_MAX 200
#define SETTINGS                                                                                   \
    "PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"                      \
    "PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-16384; PRAGMA temp_store=FILE; BEGIN"

typedef struct Value {
    int type, length;
    union {
        sqlite3_int64 whole;
        double real;
        char *text;
    } as;
} Value;

typedef struct Table {
    char *name, *create;
    Value *values;
    size_t n_values, room;
    int n_columns;
} Table;

static Table tables[TABLES_MAX];
static unsigned n_tables;
static char *indexes[TABLES_MAX];
static unsigned n_indexes;

static void check_sqlite(sqlite3 *db, int code)
{
    if (code != SQLITE_OK && code != SQLITE_DONE)
        fail("sqlite", sqlite3_errmsg(db));
}

static char *copy_bytes(const void *bytes, int length)
{
    char *made = malloc((size_t)length + 1);

    if (!made)
        fail("memory", "there is not enough");
    memcpy(made, bytes, (size_t)length);
    made[length] = '\0';
    return made;
}

static char *text_at(sqlite3_stmt *statement, int column)
{
    return copy_bytes(sqlite3_column_text(statement, column),
                      sqlite3_column_bytes(statement, column));
}

/* ---- reading ---- */

static void take_value(Table *table, sqlite3_stmt *statement, int column)
{
    Value *value;

    if (table->n_values == table->room) {
        table->room = table->room ? table->room * 2 : 1024;
        table->values = realloc(table->values, table->room * sizeof *table->values);
        if (!table->values)
            fail("memory", "there is not enough");
    }
    value = &table->values[table->n_values++];
    value->type = sqlite3_column_type(statement, column);
    value->length = 0;
    if (value->type == SQLITE_INTEGER) {
        value->as.whole = sqlite3_column_int64(statement, column);
    } else if (value->type == SQLITE_FLOAT) {
        value->as.real = sqlite3_column_double(statement, column);
    } else if (value->type != SQLITE_NULL) {
        value->type = SQLITE_TEXT;
        value->length = sqlite3_column_bytes(statement, column);
        value->as.text = text_at(statement, column);
    }
}

static void read_rows(sqlite3 *db, Table *table)
{
    char *sql = sqlite3_mprintf("SELECT * FROM \"%w\" ORDER BY rowid", table->name);
    sqlite3_stmt *statement;

    check_sqlite(db, sqlite3_prepare_v2(db, sql, -1, &statement, NULL));
    table->n_columns = sqlite3_column_count(statement);
    while (sqlite3_step(statement) == SQLITE_ROW)
        for (int i = 0; i < table->n_columns; i++)
            take_value(table, statement, i);
    check_sqlite(db, sqlite3_finalize(statement));
    sqlite3_free(sql);
}

static void read_all(const char *path)
{
    sqlite3 *db;
    sqlite3_stmt *statement;

    check_sqlite(NULL, sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL));
    check_sqlite(db, sqlite3_prepare_v2(db, "SELECT name, sql, type FROM sqlite_master", -1,
                                        &statement, NULL));
    while (sqlite3_step(statement) == SQLITE_ROW) {
        if (n_tables == TABLES_MAX || n_indexes == TABLES_MAX)
            fail("tables", "there are too many");
        if (strcmp((const char *)sqlite3_column_text(statement, 2), "table")) {
            indexes[n_indexes++] = text_at(statement, 1);
            continue;
        }
        tables[n_tables].name = text_at(statement, 0);
        tables[n_tables++].create = text_at(statement, 1);
    }
    check_sqlite(db, sqlite3_finalize(statement));
    for (unsigned i = 0; i < n_tables; i++)
        read_rows(db, &tables[i]);
    sqlite3_close(db);
}

/* ---- writing ---- */

static sqlite3_stmt *prepare_insert(sqlite3 *db, const Table *table)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    sqlite3_stmt *statement;
    char *text;

    sqlite3_str_appendf(sql, "INSERT INTO \"%w\" VALUES(?", table->name);
    for (int i = 1; i < table->n_columns; i++)
        sqlite3_str_appendall(sql, ",?");
    sqlite3_str_appendall(sql, ")");
    text = sqlite3_str_finish(sql);
    check_sqlite(db, sqlite3_prepare_v2(db, text, -1, &statement, NULL));
    sqlite3_free(text);
    return statement;
}

static void write_rows(sqlite3 *db, const Table *table)
{
    sqlite3_stmt *insert;

    check_sqlite(db, sqlite3_exec(db, table->create, NULL, NULL, NULL));
    insert = prepare_insert(db, table);
    for (const Value *value = table->values, *end = value + table->n_values; value < end;) {
        for (int i = 1; i <= table->n_columns; i++, value++) {
            if (value->type == SQLITE_INTEGER)
                sqlite3_bind_int64(insert, i, value->as.whole);
            else if (value->type == SQLITE_FLOAT)
                sqlite3_bind_double(insert, i, value->as.real);
            else if (value->type == SQLITE_TEXT)
                sqlite3_bind_text(insert, i, value->as.text, value->length, SQLITE_STATIC);
            else
                sqlite3_bind_null(insert, i);
        }
        if (sqlite3_step(insert) != SQLITE_DONE)
            fail("insert", sqlite3_errmsg(db));
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
}

static double write_all(const char *folder)
{
    char *part = sqlite3_mprintf("%s/plain.part", folder);
    char *path = sqlite3_mprintf("%s/plain.db", folder);
    double begin = now_ns();
    sqlite3 *db;
    int file;

    check_sqlite(NULL, sqlite3_open_v2(
                           part, &db,
                           SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL));
    check_sqlite(db, sqlite3_exec(db, SETTINGS, NULL, NULL, NULL));
    for (unsigned i = 0; i < n_tables; i++)
        write_rows(db, &tables[i]);
    for (unsigned i = 0; i < n_indexes; i++)
        check_sqlite(db, sqlite3_exec(db, indexes[i], NULL, NULL, NULL));
    check_sqlite(db, sqlite3_exec(db, "COMMIT", NULL, NULL, NULL));
    sqlite3_close(db);
    file = open(part, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fsync(file) || rename(part, path))
        fail("file", path);
    close(file);
    begin = now_ns() - begin;
    unlink(path);
    sqlite3_free(part);
    sqlite3_free(path);
    return begin / 1e9;
}

int main(int argc, char **argv)
{
    static Samples seconds = {.name = "seconds"}, rows = {.name = "rows"};
    double n = 0;

    if (argc < 3)
        fail("usage", "insert DATABASE FOLDER [REPEATS]");
    read_all(argv[1]);
    for (long i = number_argument(argc, argv, 3, 1); i > 0; i--)
        samples_add(&seconds, write_all(argv[2]));
    for (unsigned i = 0; i < n_tables; i++)
        n += (double)tables[i].n_values / tables[i].n_columns;
    samples_add(&rows, n);
    samples_print(&seconds);
    samples_print(&rows);
    return 0;
}
