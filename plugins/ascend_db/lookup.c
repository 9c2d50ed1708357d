/* SPDX-License-Identifier: Apache-2.0 */
#include "lookup.h"

static gboolean index_key(DbFile *file, const char *table, const char *key)
{
    g_autofree char *column = db_quote(key);
    g_autofree char *name = g_strdup_printf("place of %s in %s", key, table);
    g_autofree char *places = db_quote(name);
    g_autofree char *create =
        g_strdup_printf("CREATE TEMP TABLE %s(id INTEGER PRIMARY KEY, place)", places);
    g_autofree char *add = g_strdup_printf("INSERT OR IGNORE INTO temp.%s VALUES(?1, ?2)", places);
    sqlite3_stmt *insert;
    DbScan scan;

    if (!db_file_run(file, create))
        return TRUE; /* the index already exists */
    insert = db_file_prepare(file, table, add);
    if (!insert)
        return FALSE;
    db_scan_init(&scan, file, table, column);
    while (db_scan_next(&scan)) {
        if (sqlite3_column_type(scan.statement, 1) != SQLITE_INTEGER)
            continue;
        sqlite3_bind_int64(insert, 1, sqlite3_column_int64(scan.statement, 1));
        sqlite3_bind_int64(insert, 2, scan.row);
        db_file_step(file, table, insert);
        sqlite3_reset(insert);
    }
    db_scan_clear(&scan);
    sqlite3_finalize(insert);
    return TRUE;
}

sqlite3_stmt *lookup_new(DbFile *file, const char *table, const char *key, const char *columns)
{
    const DbColumn *column = db_table_column(db_file_table(file, table), key);
    g_autofree char *quoted = db_quote(table);
    g_autofree char *sql = NULL;

    if (!column)
        return NULL;
    if (column->is_key && !g_ascii_strcasecmp(column->type, "INTEGER")) {
        sql = g_strdup_printf("SELECT rowid, %s FROM main.%s WHERE rowid = ?1", columns, quoted);
    } else {
        g_autofree char *name = g_strdup_printf("place of %s in %s", key, table);
        g_autofree char *places = db_quote(name);

        if (!index_key(file, table, key))
            return NULL;
        sql = g_strdup_printf("SELECT rowid, %s FROM main.%s WHERE rowid = "
                              "(SELECT place FROM temp.%s WHERE id = ?1)",
                              columns, quoted, places);
    }
    return db_file_prepare(file, table, sql);
}

gboolean lookup_find(sqlite3_stmt *lookup, gint64 key)
{
    if (!lookup)
        return FALSE;
    sqlite3_reset(lookup);
    sqlite3_bind_int64(lookup, 1, key);
    return sqlite3_step(lookup) == SQLITE_ROW;
}
