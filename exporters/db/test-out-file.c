/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the database while rows are inserted: keys, values, names, failures. */
#include "out-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <mock-storage.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct Fixture {
    char *folder;
    int directory;
    OutFailure failure;
    StrobeStorage storage;
    OutFile *file;
    OutTable *table;
    RowBuffer row;
} Fixture;

static void set_up(Fixture *f, gconstpointer unused)
{
    f->folder = g_dir_make_tmp("strobe-out-XXXXXX", NULL);
    f->storage = strobe_mock_storage(0, 0); /* waiting rows are stored in a file */
    f->directory = open(f->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    f->file = out_file_new("made.db", f->directory, &f->storage, &f->failure);
    f->table =
        out_file_table(f->file, "t", "CREATE TABLE t(key INTEGER PRIMARY KEY, number)", 2, 0);
}

static void tear_down(Fixture *f, gconstpointer unused)
{
    g_autofree char *path = g_build_filename(f->folder, "made.db", NULL);

    out_file_free(f->file);
    g_unlink(path);
    close(f->directory);
    g_assert_cmpint(g_rmdir(f->folder), ==, 0); /* no temporary file may be left */
    g_free(f->failure.text);
    g_free(f->row.bytes);
    g_free(f->folder);
}

static void begin_row(Fixture *f)
{
    f->row.used = 0;
    row_begin(&f->row, f->table);
}

static void put_row(Fixture *f)
{
    row_end(&f->row);
    out_table_put(f->table, f->row.bytes);
    out_file_rest(f->file);
}

/* Adds a row. 0: the row has no key. */
static void add_row(Fixture *f, gint64 key, gint64 number)
{
    begin_row(f);
    key ? row_int(&f->row, key) : row_null(&f->row);
    row_int(&f->row, number);
    put_row(f);
}

static char *run_query(Fixture *f, const char *query)
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
        g_autofree char *answer_ = run_query(f, query_);                                           \
        g_assert_cmpstr(answer_, ==, expected_);                                                   \
    } while (0)

static void finish_file(Fixture *f)
{
    out_file_end(f->file);
    out_file_finish(f->file);
    g_assert_cmpstr(f->failure.text, ==, NULL);
    CHECK("PRAGMA integrity_check", "ok|");
}

/* Rows without a key, or whose key is used, get the next numbers in the order in which they
 * came. */
static void test_moved(Fixture *f, gconstpointer unused)
{
    add_row(f, 17, 1);
    add_row(f, 17, 2);
    add_row(f, 0, 3);
    add_row(f, 5, 4);
    add_row(f, 17, 5);
    add_row(f, 0, 6);
    add_row(f, 18, 7);
    finish_file(f);
    CHECK("SELECT key, number FROM t", "5|4|17|1|18|7|19|2|20|3|21|5|22|6|");
    g_assert_cmpuint(out_file_n_moved(f->file), ==, 4);
}

/* Rows of several tables, which are added in turn and wait for each other, keep their order. */
static void test_in_turn(Fixture *f, gconstpointer unused)
{
    OutTable *tables[] = {
        out_file_table(f->file, "plain", "CREATE TABLE plain(number)", 1, -1),
        out_file_table(f->file, "other", "CREATE TABLE other(number)", 1, -1),
    };
    RowBuffer rows = {0};
    gsize places[100];

    for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
        places[i] = rows.used;
        row_begin(&rows, tables[i % 3 == 0]);
        row_int(&rows, i);
        row_end(&rows);
    }
    for (guint i = 0; i < G_N_ELEMENTS(places); i++)
        out_table_put(tables[i % 3 == 0], rows.bytes + places[i]);
    out_file_rest(f->file);
    g_free(rows.bytes);
    finish_file(f);
    CHECK("SELECT count(*), min(number), max(number) FROM plain", "66|1|98|");
    CHECK("SELECT count(*) FROM plain WHERE number = (rowid - 1) / 2 * 3 + 1 + (rowid - 1) % 2",
          "66|");
    CHECK("SELECT count(*) FROM other WHERE number = (rowid - 1) * 3", "34|");
}

/* Every second key is used; then all keys come again, each twice. */
static void test_taken(Fixture *f, gconstpointer unused)
{
    for (gint64 i = 1; i <= 100; i++)
        add_row(f, i * 2, i);
    for (gint64 i = 1; i <= 200; i++) {
        add_row(f, i, 10000 + i);
        add_row(f, i, 20000 + i);
    }
    finish_file(f);
    CHECK("SELECT count(*), count(DISTINCT number), max(key) FROM t", "500|500|500|");
    CHECK("SELECT count(*) FROM t WHERE key <= 200 AND key % 2 = 0 AND number = key / 2", "100|");
    CHECK("SELECT count(*) FROM t WHERE key <= 200 AND key % 2 AND number = 10000 + key", "100|");
    g_assert_cmpuint(out_file_n_moved(f->file), ==, 300);
}

/* The caller may use the database between two rows. */
static void test_sql_between(Fixture *f, gconstpointer unused)
{
    g_assert_null(out_file_sql(f->file));
    add_row(f, 1, 1);
    g_assert_cmpint(
        sqlite3_exec(out_file_sql(f->file), "UPDATE t SET number = 5", NULL, NULL, NULL), ==,
        SQLITE_OK);
    add_row(f, 2, 2);
    finish_file(f);
    CHECK("SELECT number FROM t", "5|2|");
}

static void test_values(Fixture *f, gconstpointer unused)
{
    static const char text[] = "\xc3\xa4\"';";
    g_autofree char *long_text = g_strnfill(3 << 20, 'x');

    f->table = out_file_table(f->file, "\"a \"\"'; b\"",
                              "CREATE TABLE \"a \"\"'; b\"(a, b, c TEXT, d, e)", 5, -1);
    begin_row(f);
    row_int(&f->row, G_MININT64);
    row_real(&f->row, 0.5);
    row_text(&f->row, text, strlen(text));
    row_null(&f->row);
    row_nothing(&f->row);
    put_row(f);
    begin_row(f);
    row_int(&f->row, G_MAXINT64);
    row_real(&f->row, -1e300);
    row_text(&f->row, long_text, 3 << 20);
    row_text(&f->row, "", 0);
    row_patch(f->row.bytes, row_nothing(&f->row), 7);
    put_row(f);
    finish_file(f);
    CHECK("SELECT a, b, quote(c), d IS NULL, e IS NULL FROM \"a \"\"'; b\" LIMIT 1",
          "-9223372036854775808|0.5|'\xc3\xa4\"'';'|1|1|");
    CHECK("SELECT a, b, length(c), quote(d), e FROM \"a \"\"'; b\" LIMIT 1 OFFSET 1",
          "9223372036854775807|-1.0e+300|3145728|''|7|");
}

/* The file appears only when it is complete, and has its mode. */
static void test_appears_whole(Fixture *f, gconstpointer unused)
{
    g_autofree char *path = g_build_filename(f->folder, "made.db", NULL);
    GStatBuf st;

    add_row(f, 1, 1);
    g_assert_cmpint(g_stat(path, &st), ==, -1);
    out_file_end(f->file);
    g_assert_cmpint(g_stat(path, &st), ==, -1);
    out_file_finish(f->file);
    g_assert_cmpint(g_stat(path, &st), ==, 0);
    g_assert_cmpint(st.st_mode & 0777, ==, 0640);
}

/* The first failure is reported, and no file appears. */
static void test_failure(Fixture *f, gconstpointer unused)
{
    OutTable *bad = out_file_table(f->file, "u", "CREATE TABLE u(", 1, -1);
    OutTable *worse = out_file_table(f->file, "v", "no table", 1, -1);

    add_row(f, 1, 1);
    f->table = bad;
    add_row(f, 1, 1);
    f->table = worse;
    add_row(f, 1, 1);
    g_assert_nonnull(strstr(f->failure.text, "made.db"));
    g_assert_nonnull(strstr(f->failure.text, "incomplete input"));
    g_assert_null(out_file_sql(f->file));
    out_file_end(f->file);
    out_file_finish(f->file);
}

/* The file cannot grow: the error is the system's message, and no file appears. */
static void test_full(Fixture *f, gconstpointer unused)
{
    g_autofree char *path = g_build_filename(f->folder, "made.db", NULL);
    g_autofree char *text = g_strnfill(100000, 'x');
    struct rlimit before, small;

    getrlimit(RLIMIT_FSIZE, &before);
    small = (struct rlimit){.rlim_cur = 1 << 20, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    for (guint i = 1; i <= 300; i++) {
        begin_row(f);
        row_int(&f->row, i);
        row_text(&f->row, text, 100000);
        put_row(f);
    }
    out_file_end(f->file);
    out_file_finish(f->file);
    setrlimit(RLIMIT_FSIZE, &before);
    g_assert_nonnull(f->failure.text);
    g_assert_nonnull(strstr(f->failure.text, g_strerror(EFBIG)));
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
}

/* The folder was removed. */
static void test_no_folder(Fixture *f, gconstpointer unused)
{
    g_assert_cmpint(g_rmdir(f->folder), ==, 0);
    add_row(f, 1, 1);
    g_assert_nonnull(strstr(f->failure.text, g_strerror(ENOENT)));
    g_assert_cmpint(g_mkdir(f->folder, 0700), ==, 0);
}

/* The file of a temporary database has no name, and no longer exists at the end. */
static void test_scratch(Fixture *f, gconstpointer unused)
{
    OutFile *scratch = out_file_new_temporary(&f->storage, &f->failure);
    g_autoptr(GDir) folder = g_dir_open(f->folder, 0, NULL);

    g_setenv("SQLITE_TMPDIR", f->folder, TRUE);
    f->table = out_file_table(scratch, "t", "CREATE TABLE t(a, b)", 2, -1);
    for (guint i = 0; i < 300000; i++) { /* more rows than SQLite keeps in memory */
        add_row(f, i + 1, i);
        out_file_rest(scratch);
    }
    g_assert_nonnull(out_file_sql(scratch));
    g_assert_null(g_dir_read_name(folder));
    out_file_end(scratch);
    out_file_finish(scratch);
    out_file_free(scratch);
    g_assert_cmpstr(f->failure.text, ==, NULL);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define TEST(path, function)                                                                       \
    g_test_add("/db/out-file/" path, Fixture, NULL, set_up, function, tear_down)
    TEST("moved", test_moved);
    TEST("in-turn", test_in_turn);
    TEST("taken", test_taken);
    TEST("sql-between", test_sql_between);
    TEST("values", test_values);
    TEST("appears-whole", test_appears_whole);
    TEST("failure", test_failure);
    TEST("full", test_full);
    TEST("no-folder", test_no_folder);
    TEST("scratch", test_scratch);
    return g_test_run();
}
