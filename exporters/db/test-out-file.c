/* SPDX-License-Identifier: Apache-2.0 */
/* A database whose rows are pages first and go in by statements later. */
#include "out-file.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

typedef struct Fixture {
    char *folder;
    int directory;
    OutFailure failure;
    OutFile *file;
    OutTable *table;
    RowBuffer rows; /* all that were put, for they wait */
} Fixture;

static void set_up(Fixture *f, gconstpointer unused)
{
    f->folder = g_dir_make_tmp("strobe-out-XXXXXX", NULL);
    f->directory = open(f->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    f->file = out_file_new("made.db", FALSE, f->directory, f->directory, &f->failure);
    f->table =
        out_file_table(f->file, "t", "CREATE TABLE t(key INTEGER PRIMARY KEY, number)", 2, 0);
    row_room(&f->rows, 1 << 20);
    f->rows.used = 0;
}

static void tear_down(Fixture *f, gconstpointer unused)
{
    g_autofree char *path = g_build_filename(f->folder, "made.db", NULL);

    out_file_free(f->file);
    g_unlink(path);
    close(f->directory);
    g_assert_cmpint(g_rmdir(f->folder), ==, 0); /* no scratch file is left */
    g_free(f->failure.text);
    g_free(f->rows.bytes);
    g_free(f->folder);
}

/* `key` 0: none. */
static void put(Fixture *f, gint64 key, gint64 number)
{
    const gsize at = f->rows.used;

    row_begin(&f->rows, f->table);
    key ? row_int(&f->rows, key) : row_null(&f->rows);
    row_int(&f->rows, number);
    row_end(&f->rows);
    out_table_put(f->table, f->rows.bytes + at);
}

static char *ask(Fixture *f, const char *query)
{
    g_autofree char *path = g_build_filename(f->folder, "made.db", NULL);
    GString *out = g_string_new(NULL);
    sqlite3_stmt *statement = NULL;
    sqlite3 *sql = NULL;

    g_assert_cmpint(sqlite3_open_v2(path, &sql, SQLITE_OPEN_READONLY, NULL), ==, SQLITE_OK);
    g_assert_cmpint(sqlite3_prepare_v2(sql, query, -1, &statement, NULL), ==, SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(statement); i++)
            g_string_append_printf(out, "%s|", (const char *)sqlite3_column_text(statement, i));
    sqlite3_finalize(statement);
    sqlite3_close(sql);
    return g_string_free(out, FALSE);
}

#define CHECK(query_, expected_)                                                                   \
    do {                                                                                           \
        g_autofree char *answer_ = ask(f, query_);                                                 \
        g_assert_cmpstr(answer_, ==, expected_);                                                   \
    } while (0)

static void finish(Fixture *f)
{
    out_file_rest(f->file);
    out_file_end(f->file);
    out_file_finish(f->file);
    g_assert_cmpstr(f->failure.text, ==, NULL);
    CHECK("PRAGMA integrity_check", "ok|");
}

/* Rows without a key and those of a taken one get the next numbers in the order in which they came.
 */
static void test_moved(Fixture *f, gconstpointer unused)
{
    put(f, 17, 1);
    put(f, 17, 2);
    put(f, 0, 3);
    put(f, 5, 4);
    put(f, 17, 5);
    put(f, 0, 6);
    put(f, 18, 7);
    finish(f);
    CHECK("SELECT key, number FROM t", "5|4|17|1|18|7|19|2|20|3|21|5|22|6|");
    g_assert_cmpuint(out_file_n_moved(f->file), ==, 4);
}

/* More rows by statements than go in with one, some of which the pages have, or one another. */
static void test_pages_then_statements(Fixture *f, gconstpointer unused)
{
    for (gint64 i = 1; i <= 100; i++)
        put(f, i * 2, i);
    put(f, 3, 1000); /* waits */
    g_assert_nonnull(out_file_sql(f->file));
    for (gint64 i = 1; i <= 200; i++)
        put(f, i, 10000 + i);
    for (gint64 i = 201; i <= 300; i++) {
        put(f, i, 20000 + i);
        put(f, i, 30000 + i);
    }
    finish(f);
    CHECK("SELECT count(*), count(DISTINCT number) FROM t", "501|501|");
    CHECK("SELECT count(*) FROM t WHERE key <= 200 AND key % 2 = 0 AND number = key / 2", "100|");
    CHECK("SELECT number FROM t WHERE key = 3", "1000|");
    CHECK("SELECT count(*) FROM t WHERE key BETWEEN 201 AND 300 AND number = key + 20000", "100|");
    g_assert_cmpuint(out_file_n_moved(f->file), ==, 201);
}

/* The first failure is told, and nothing appears. */
static void test_failure(Fixture *f, gconstpointer unused)
{
    OutTable *bad = out_file_table(f->file, "u", "CREATE TABLE u(", 1, -1);
    OutTable *worse = out_file_table(f->file, "v", "no table", 1, -1);

    put(f, 1, 1);
    f->table = bad;
    put(f, 1, 1);
    f->table = worse;
    put(f, 1, 1);
    g_assert_nonnull(strstr(f->failure.text, "made.db"));
    g_assert_nonnull(strstr(f->failure.text, "CREATE TABLE u("));
    g_assert_null(out_file_sql(f->file));
    out_file_rest(f->file);
    out_file_end(f->file);
    out_file_finish(f->file);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define TEST(path, function)                                                                       \
    g_test_add("/db/out-file/" path, Fixture, NULL, set_up, function, tear_down)
    TEST("moved", test_moved);
    TEST("pages-then-statements", test_pages_then_statements);
    TEST("failure", test_failure);
    return g_test_run();
}
