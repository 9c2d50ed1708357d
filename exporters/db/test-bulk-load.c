/* SPDX-License-Identifier: Apache-2.0 */
/* Databases made of pages: what SQLite reads in them is what it would have put in itself. */
#include "bulk-load.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "row-insert.h"

typedef struct Fixture {
    char *folder;
    int directory;
    StrobeSafeFile *file;
    BulkLoad *load;
    sqlite3 *peer; /* gets the same rows by statements */
    sqlite3 *made;
    RowBuffer row;
} Fixture;

static void set_up(Fixture *f, gconstpointer unused)
{
    f->folder = g_dir_make_tmp("strobe-bulk-XXXXXX", NULL);
    f->directory = open(f->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    f->file = strobe_safe_file_create(f->directory, "made.db");
    f->load = bulk_load_new(f->file);
    g_assert_cmpint(sqlite3_open(":memory:", &f->peer), ==, SQLITE_OK);
}

static void tear_down(Fixture *f, gconstpointer unused)
{
    g_autofree char *path = g_build_filename(f->folder, "made.db", NULL);

    bulk_load_free(f->load);
    strobe_safe_file_discard(f->file);
    sqlite3_close(f->made);
    sqlite3_close(f->peer);
    g_unlink(path);
    close(f->directory);
    g_assert_cmpint(g_rmdir(f->folder), ==, 0);
    g_free(f->row.bytes);
    g_free(f->folder);
}

static BulkTable *table_of(Fixture *f, const char *create, guint n_columns, gint key)
{
    char *error = NULL;
    BulkTable *table = bulk_load_table(f->load, create, n_columns, key, &error);

    g_assert_cmpstr(error, ==, NULL);
    g_assert_cmpint(sqlite3_exec(f->peer, create, NULL, NULL, NULL), ==, SQLITE_OK);
    return table;
}

/* What SQLite forgives: the count of pages, and that it is of this state. */
static void check_head(const char *path)
{
    g_autofree char *bytes = NULL;
    guint32 pages;
    gsize n;

    g_assert_true(g_file_get_contents(path, &bytes, &n, NULL));
    memcpy(&pages, bytes + 28, sizeof pages);
    g_assert_cmpuint(GUINT32_FROM_BE(pages), ==, n / 4096);
    g_assert_cmpuint(n % 4096, ==, 0);
    g_assert_cmpint(memcmp(bytes + 24, bytes + 92, 4), ==, 0);
}

static void finish(Fixture *f)
{
    g_autofree char *path = g_build_filename(f->folder, "made.db", NULL);

    g_assert_cmpint(bulk_load_finish(f->load), ==, 0);
    g_assert_cmpint(strobe_safe_file_finish(g_steal_pointer(&f->file)), ==, 0);
    check_head(path);
    g_assert_cmpint(sqlite3_open(path, &f->made), ==, SQLITE_OK);
}

static char *ask(sqlite3 *sql, const char *query)
{
    GString *out = g_string_new(NULL);
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(sql, query, -1, &statement, NULL))
        g_string_append(out, sqlite3_errmsg(sql));
    while (statement && sqlite3_step(statement) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(statement); i++)
            g_string_append_printf(out, "%s|", (const char *)sqlite3_column_text(statement, i));
    sqlite3_finalize(statement);
    return g_string_free(out, FALSE);
}

#define CHECK(query_, expected_)                                                                   \
    do {                                                                                           \
        g_autofree char *answer_ = ask(f->made, query_);                                           \
        g_assert_cmpstr(answer_, ==, expected_);                                                   \
    } while (0)

static void check_as_peer(Fixture *f, const char *query)
{
    g_autofree char *expected = ask(f->peer, query);

    CHECK("PRAGMA integrity_check", "ok|");
    g_assert_cmpstr(expected, !=, "");
    CHECK(query, expected);
}

static void never(gpointer user, const guint8 *row)
{
    g_assert_not_reached();
}

/* ---- values ---- */

#define COLUMNS 8u

/* One of each affinity, and of the names of types that say it. */
static const char create[] = "CREATE TABLE IF NOT EXISTS \"a table\" (key INTEGER PRIMARY KEY, "
                             "bare, whole BIGINT,text VARCHAR(20), number NUMERIC, real DOUBLE, "
                             "first CHARINT, second REALBLOB)";
static const char values[] =
    "SELECT key, quote(bare), typeof(bare), quote(whole), typeof(whole), quote(text), "
    "typeof(text), quote(number), typeof(number), quote(real), typeof(real), quote(first), "
    "typeof(first), quote(second), typeof(second) FROM \"a table\" "
    "ORDER BY key";

static gint64 some_int(void)
{
    gint64 value = (gint64)1 << g_test_rand_int_range(0, 63);

    value += g_test_rand_int_range(-2, 3);
    return g_test_rand_bit() ? value : -value;
}

static double some_real(void)
{
    static const double odd[] = {0.0,      -0.0,    0.5,         -1.5,
                                 1e308,    0x1p47,  0x1p47 - 1,  -0x1p47,
                                 0x1p63,   -0x1p63, 9e15,        123456789012345.0,
                                 HUGE_VAL, 1e-300,  (double)NAN, 0x1p53 + 2};

    return g_test_rand_bit() ? odd[g_test_rand_int_range(0, G_N_ELEMENTS(odd))]
                             : (double)some_int() / 8;
}

static void put_some_text(RowBuffer *row)
{
    static const char *const odd[] = {"",     "12",  " 12 ", "-3",   "+4.50",
                                      "1e3",  ".5",  "-",    "0x10", "1.",
                                      "abc",  "12a", "\v7",  "Inf",  "9223372036854775808",
                                      "1e400"};
    const char *text = odd[g_test_rand_int_range(0, G_N_ELEMENTS(odd))];

    row_text(row, text, strlen(text));
}

static void put_some(RowBuffer *row)
{
    switch (g_test_rand_int_range(0, 6)) {
    case 0:
        row_null(row);
        break;
    case 1:
        row_nothing(row);
        break;
    case 2:
        row_real(row, some_real());
        break;
    case 3:
        put_some_text(row);
        break;
    default:
        row_int(row, some_int());
    }
}

static void test_values(Fixture *f, gconstpointer unused)
{
    BulkTable *table = table_of(f, create, COLUMNS, 0);
    RowInsert *peer = row_insert_new(f->peer, "\"a table\"", COLUMNS, 0, G_MININT64, never, NULL);
    gint64 key = -0x7fffffffffffffff;

    for (guint i = 0; i < 5000; i++, key += key < -300 ? -key / 3 : 1) {
        f->row.used = 0;
        row_begin(&f->row, NULL);
        row_int(&f->row, key);
        for (guint column = 1; column < COLUMNS; column++)
            put_some(&f->row);
        row_end(&f->row);
        g_assert_cmpint(bulk_table_put(table, f->row.bytes), ==, BULK_PUT);
        g_assert_cmpint(row_insert_put(peer, f->row.bytes), ==, SQLITE_OK);
        g_assert_cmpint(row_insert_rest(peer), ==, SQLITE_OK);
    }
    g_assert_cmpint(bulk_table_largest_key(table), ==, key - 1);
    row_insert_free(peer);
    finish(f);
    check_as_peer(f, values);
    check_as_peer(f, "SELECT type, name, tbl_name, sql FROM sqlite_master");
}

/* Keys of each length. */
static void test_large_keys(Fixture *f, gconstpointer unused)
{
    BulkTable *table = table_of(f, "CREATE TABLE t(key INTEGER PRIMARY KEY)", 1, 0);
    g_autoptr(GString) expected = g_string_new(NULL);

    for (guint bit = 4; bit < 63; bit++)
        for (gint64 beside = -1; beside < 2; beside++) {
            gint64 key = ((gint64)1 << bit) + beside;

            f->row.used = 0;
            row_begin(&f->row, NULL);
            row_int(&f->row, key);
            row_end(&f->row);
            g_assert_cmpint(bulk_table_put(table, f->row.bytes), ==, BULK_PUT);
            g_string_append_printf(expected, "%" G_GINT64_FORMAT "|", key);
        }
    finish(f);
    CHECK("PRAGMA integrity_check", "ok|");
    CHECK("SELECT key FROM t", expected->str);
}

/* Records whose head is as long as one byte can say, and longer. */
static void make_wide(guint n_columns)
{
    Fixture fixture = {0}, *f = &fixture;
    g_autoptr(GString) text = g_string_new("CREATE TABLE t(c0");
    g_autofree char *expected = NULL;
    BulkTable *table;

    set_up(f, NULL);
    for (guint i = 1; i < n_columns; i++)
        g_string_append_printf(text, ",c%u TEXT", i);
    g_string_append_c(text, ')');
    table = table_of(f, text->str, n_columns, -1);
    row_begin(&f->row, NULL);
    for (guint i = 0; i < n_columns; i++)
        row_int(&f->row, G_MININT64 + i);
    row_end(&f->row);
    g_assert_cmpint(bulk_table_put(table, f->row.bytes), ==, BULK_PUT);
    finish(f);
    g_string_printf(text, "SELECT c0, c%u + 0 - c0 FROM t", n_columns - 1);
    expected = g_strdup_printf("-9223372036854775808|%u|", n_columns - 1);
    CHECK("PRAGMA integrity_check", "ok|");
    CHECK(text->str, expected);
    tear_down(f, NULL);
}

static void test_wide(void)
{
    for (guint n = 125; n < 130; n++)
        make_wide(n);
    make_wide(2000);
}

static void test_keys(Fixture *f, gconstpointer unused)
{
    BulkTable *table = table_of(f, "CREATE TABLE t(text TEXT, key INTEGER PRIMARY KEY)", 2, 1);
    static const struct {
        gint64 key; /* 0: none */
        BulkPut put;
    } rows[] = {{5, BULK_PUT},           {5, BULK_OUT_OF_ORDER}, {0, BULK_OUT_OF_ORDER},
                {-5, BULK_OUT_OF_ORDER}, {6, BULK_PUT},          {G_MAXINT64, BULK_PUT}};

    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        f->row.used = 0;
        row_begin(&f->row, NULL);
        row_text(&f->row, "x", 1);
        rows[i].key ? row_int(&f->row, rows[i].key) : row_null(&f->row);
        row_end(&f->row);
        g_assert_cmpint(bulk_table_put(table, f->row.bytes), ==, rows[i].put);
    }
    finish(f);
    CHECK("PRAGMA integrity_check", "ok|");
    CHECK("SELECT key FROM t", "5|6|9223372036854775807|");
}

/* ---- pages ---- */

static void put_text(Fixture *f, BulkTable *table, const char *bytes, gsize n)
{
    f->row.used = 0;
    row_begin(&f->row, NULL);
    row_text(&f->row, bytes, n);
    row_end(&f->row);
    g_assert_cmpint(bulk_table_put(table, f->row.bytes), ==, BULK_PUT);
}

/* Around each length at which a record goes on in one more page. */
#define LEAF_TEXT 4055 /* about the longest that lies in a leaf */

static void test_long_texts(Fixture *f, gconstpointer unused)
{
    BulkTable *table = table_of(f, "CREATE TABLE t(text)", 1, -1);
    g_autofree char *bytes = g_malloc(100000);
    g_autoptr(GString) lengths = g_string_new(NULL);
    guint n = 0;

    for (gsize i = 0; i < 100000; i++)
        bytes[i] = (char)('a' + (i * 7 + i / 4092) % 26);
    for (gsize pages = 0; pages < 20; pages++)
        for (gsize length = pages * 4092 + 440; length < pages * 4092 + 520; length++, n += 2) {
            put_text(f, table, bytes, length);
            put_text(f, table, bytes, length + LEAF_TEXT - 480);
        }
    finish(f);
    CHECK("PRAGMA integrity_check", "ok|");
    g_string_printf(lengths, "%u|", n);
    CHECK("SELECT count(*) FROM t", lengths->str);
    g_string_printf(lengths, "SELECT count(*) FROM t WHERE text = substr(?1, 1, length(text))");
    sqlite3_stmt *statement = NULL;
    g_assert_cmpint(sqlite3_prepare_v2(f->made, lengths->str, -1, &statement, NULL), ==, SQLITE_OK);
    sqlite3_bind_text(statement, 1, bytes, 100000, SQLITE_STATIC);
    g_assert_cmpint(sqlite3_step(statement), ==, SQLITE_ROW);
    g_assert_cmpuint((guint)sqlite3_column_int(statement, 0), ==, n);
    sqlite3_finalize(statement);
}

/* Keys of nine bytes: 272 pages below one. A row a page, so many that one more level begins. */
static void make_levels(guint n_rows)
{
    Fixture fixture = {0}, *f = &fixture;
    g_autofree char *bytes = g_strnfill(4000, 'x'), *expected = NULL;
    BulkTable *table;

    set_up(f, NULL);
    table = table_of(f, "CREATE TABLE t(key INTEGER PRIMARY KEY, text)", 2, 0);
    for (guint i = 0; i < n_rows; i++) {
        f->row.used = 0;
        row_begin(&f->row, NULL);
        row_int(&f->row, (gint64)i - 0x7000000000000000);
        row_text(&f->row, bytes, 4000);
        row_end(&f->row);
        g_assert_cmpint(bulk_table_put(table, f->row.bytes), ==, BULK_PUT);
    }
    finish(f);
    CHECK("PRAGMA integrity_check", "ok|");
    expected = g_strdup_printf("%u|%u|", n_rows, n_rows - 1);
    CHECK("SELECT count(*), max(key) - min(key) FROM t", expected);
    tear_down(f, NULL);
}

static void test_levels(void)
{
    for (guint n = 1; n < 4; n++)
        make_levels(n);
    for (guint pages = 1; pages < 4; pages++)
        for (guint n = pages * 272 - 6; n < pages * 272 + 6; n++)
            make_levels(n);
}

/* ---- the table of tables ---- */

static void make_schema(guint n_tables, gsize bytes_each)
{
    Fixture fixture = {0}, *f = &fixture;
    g_autofree char *type = g_strnfill(bytes_each, 'x');

    set_up(f, NULL);
    for (guint i = 0; i < n_tables; i++) {
        g_autofree char *text = g_strdup_printf("CREATE TABLE t%u(text %s)", i, type);
        BulkTable *table = table_of(f, text, 1, -1);

        put_text(f, table, "x", i % 2);
    }
    finish(f);
    check_as_peer(f, "SELECT rowid, type, name, tbl_name, sql FROM sqlite_master");
    CHECK("SELECT text FROM t0", "|");
    g_assert_cmpint(sqlite3_exec(f->made, "CREATE INDEX i ON t0(text)", NULL, NULL, NULL), ==,
                    SQLITE_OK);
    CHECK("PRAGMA integrity_check", "ok|");
    tear_down(f, NULL);
}

/* From one that fits page 1 on: there the file's head takes 100 bytes. */
static void test_schema(void)
{
    make_schema(1, 1);
    for (gsize length = 3920; length < 3990; length++)
        make_schema(1, length);
    make_schema(2, 1970);
    make_schema(3, 9000);
    for (guint n = 500; n < 535; n += 5) /* so many that page 1 cannot lead to all */
        make_schema(n, 3000);
}

/* Tables named as what SQLite tells of tables. */
static void test_names(Fixture *f, gconstpointer unused)
{
    put_text(f, table_of(f, "CREATE TABLE pragma_table_info(type INTEGER)", 1, -1), "1", 1);
    put_text(f, table_of(f, "CREATE TABLE \"a 'b' \"\"c\"\"\"(text INTEGER)", 1, -1), "2", 1);
    finish(f);
    CHECK("PRAGMA integrity_check", "ok|");
    CHECK("SELECT typeof(type) FROM pragma_table_info", "integer|");
    CHECK("SELECT typeof(text) FROM \"a 'b' \"\"c\"\"\"", "integer|");
}

/* A table without a row, a file without a table. */
static void test_nothing(Fixture *f, gconstpointer unused)
{
    table_of(f, "CREATE TABLE t(a, b)", 2, -1);
    finish(f);
    CHECK("PRAGMA integrity_check", "ok|");
    CHECK("SELECT count(*) FROM t", "0|");
}

static void test_no_table(Fixture *f, gconstpointer unused)
{
    finish(f);
    CHECK("PRAGMA integrity_check", "ok|");
    CHECK("SELECT count(*) FROM sqlite_master", "0|");
}

/* ---- failures ---- */

static void test_refused(Fixture *f, gconstpointer unused)
{
    static const struct {
        const char *create;
        guint n_columns;
    } tables[] = {{"CREATE TABLE t(", 1},
                  {"CREATE TABLE more(a, b)", 3},
                  {"CREATE TABLE fewer(a, b)", 1},
                  {"CREATE TABLE sqlite_x(a)", 1},
                  {"CREATE TABLE indexed(a UNIQUE)", 1}};

    for (guint i = 0; i < G_N_ELEMENTS(tables); i++) {
        g_autofree char *error = NULL;

        g_assert_null(bulk_load_table(f->load, tables[i].create, tables[i].n_columns, -1, &error));
        g_assert_nonnull(strstr(error, tables[i].create));
        g_assert_null(strstr(error, "not an error"));
    }
}

static void test_full(Fixture *f, gconstpointer unused)
{
    BulkTable *table = table_of(f, "CREATE TABLE t(a)", 1, -1);
    g_autofree char *bytes = g_strnfill(100000, 'x');
    struct rlimit before, small;
    int error;

    getrlimit(RLIMIT_FSIZE, &before);
    small = (struct rlimit){.rlim_cur = 1 << 20, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    for (guint i = 0; i < 100; i++) {
        f->row.used = 0;
        row_begin(&f->row, NULL);
        row_text(&f->row, bytes, 100000);
        row_end(&f->row);
        bulk_table_put(table, f->row.bytes);
    }
    error = bulk_load_finish(f->load);
    setrlimit(RLIMIT_FSIZE, &before);
    g_assert_cmpint(error, ==, EFBIG);
    g_assert_cmpint(bulk_load_error(f->load), ==, EFBIG);
}

/* ---- the page that SQLite never uses, behind 1 GiB ---- */

static void make_large(gsize bytes_each, guint n_rows)
{
    Fixture fixture = {0}, *f = &fixture;
    g_autofree char *bytes = g_strnfill(bytes_each, 'x'), *expected = NULL;
    BulkTable *table;

    set_up(f, NULL);
    table = table_of(f, "CREATE TABLE t(text)", 1, -1);
    for (guint i = 0; i < n_rows; i++)
        put_text(f, table, bytes, bytes_each);
    finish(f);
    CHECK("PRAGMA integrity_check", "ok|");
    expected = g_strdup_printf("%u|%" G_GUINT64_FORMAT "|", n_rows, (guint64)n_rows * bytes_each);
    CHECK("SELECT count(*), sum(length(text)) FROM t", expected);
    tear_down(f, NULL);
}

static void test_large(void)
{
    if (!g_test_thorough()) {
        g_test_skip("writes 2 GB: -m thorough");
        return;
    }
    make_large(4000, 275000);  /* it comes between leaves */
    make_large(10000000, 110); /* and within a long record */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define TEST(path, function)                                                                       \
    g_test_add("/db/bulk-load/" path, Fixture, NULL, set_up, function, tear_down)
    TEST("values", test_values);
    TEST("keys", test_keys);
    TEST("large-keys", test_large_keys);
    g_test_add_func("/db/bulk-load/wide", test_wide);
    TEST("long-texts", test_long_texts);
    g_test_add_func("/db/bulk-load/levels", test_levels);
    g_test_add_func("/db/bulk-load/schema", test_schema);
    TEST("names", test_names);
    TEST("nothing", test_nothing);
    TEST("no-table", test_no_table);
    TEST("refused", test_refused);
    TEST("full", test_full);
    g_test_add_func("/db/bulk-load/large", test_large);
    return g_test_run();
}
