/* SPDX-License-Identifier: Apache-2.0 */
/* Imports databases with unknown tables and columns, with wrong values, and with damaged pages. */
#include "test-ascend-db-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

/* ---- unknown tables and columns ---- */

static void test_unknown(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *row;

    fixture_make(
        f->path, test_strings, test_tasks_g1,
        "CREATE TABLE NewThing (\"odd name\" TEXT, odd_name REAL, startNs INTEGER, endNs INTEGER);"
        "INSERT INTO NewThing VALUES('x',1.5,1000,1001),(NULL,NULL,1002,1003),(NULL,2,1005,1004);"
        "CREATE TABLE new_thing (a);INSERT INTO new_thing VALUES(1),('b');"
        "ALTER TABLE TASK ADD newColumn INTEGER;UPDATE TASK SET newColumn = 12 WHERE taskId = 12;"
        "CREATE TABLE status_info (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT);"
        "INSERT INTO status_info VALUES(1,'k');"
        "CREATE TABLE OVERLAP_ANALYSIS (id INTEGER PRIMARY KEY AUTOINCREMENT, deviceId integer);",
        NULL);
    fixture_import(f);
    row = fixture_record(f, "ascend_db.new_thing", 0);
    g_assert_cmpstr(TEXT(row, "odd_name"), ==, "x");
    g_assert_cmpfloat(DOUBLE(row, "odd_name.1"), ==, 1.5);
    g_assert_cmpint(row->begin_ns, ==, 1000);
    g_assert_cmpint(row->end_ns, ==, 1001);
    g_assert_cmpstr(row->kind->summary, ==, "NewThing");
    g_assert_cmpstr(row->kind->fields[0].summary, ==, "odd name");
    g_assert_cmpint(INTEGER(fixture_record(f, "ascend_db.new_thing", 1), "odd_name"), ==, 0);
    g_assert_cmpstr(TEXT(fixture_record(f, "ascend_db.new_thing.1", 1), "a"), ==, "b");
    g_assert_cmpstr(TEXT(fixture_record(f, "device_task", 1), "ascend_db.new_column"), ==, "12");
    g_assert_cmpint(INTEGER(fixture_record(f, "device_task", 0), "ascend_db.new_column"), ==, 0);
    fixture_assert_line(strobe_mock_importer_unknown(f->mock), "anything_4.bin: NewThing: 3\n");
    fixture_assert_line(strobe_mock_importer_damage(f->mock),
                        "table NewThing, row 3: ends before it begins");
    fixture_assert_line(strobe_mock_importer_unknown(f->mock),
                        "anything_4.bin: TASK.newColumn: 0\n");
    g_assert_null(strstr(strobe_mock_importer_unknown(f->mock), "status_info"));
    g_assert_null(strstr(strobe_mock_importer_unknown(f->mock), "OVERLAP"));
}

/* A known table with an unknown column is imported, and is also stored as an unknown table. */
static void test_unknown_column(Fixture *f, gconstpointer unused)
{
    fixture_make(f->path, test_framework_tables, "ALTER TABLE PYTORCH_API ADD novel TEXT;",
                 "UPDATE PYTORCH_API SET novel = 'n' WHERE type = 50003;"
                 "ALTER TABLE MEMORY_RECORD ADD novel TEXT",
                 NULL);
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "cpu_op"), ==, 2);
    g_assert_cmpuint(fixture_count(f, "ascend_db.pytorch_api"), ==, 5);
    g_assert_cmpstr(TEXT(fixture_record(f, "ascend_db.pytorch_api", 2), "novel"), ==, "n");
    g_assert_cmpint(fixture_record(f, "ascend_db.pytorch_api", 2)->begin_ns, ==, 990);
    g_assert_cmpuint(fixture_count(f, "ascend_db.memory_record"), ==, 4);
    g_assert_cmpuint(fixture_count(f, "ascend_db.connection_ids"), ==, 0);
    fixture_assert_line(strobe_mock_importer_unknown(f->mock),
                        "anything_4.bin: PYTORCH_API.novel: 0\n");
}

/* ---- hostile input ---- */

static void test_wrong_values(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *task;

    fixture_make(
        f->path, test_strings, test_tasks_g1,
        "INSERT INTO TASK VALUES('x',x'00',-5,1e300,99,'p',12345,NULL,-7,'4',99999999999,0),"
        "(2000,1000,3,-1,100,7,zeroblob(300000),0,2,1,1,0);"
        "INSERT INTO TASK_PMU_INFO VALUES(0,'text',1),(77,8,5);"
        "INSERT INTO COMPUTE_TASK_INFO(globalTaskId, name) VALUES(555, 2);",
        NULL);
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "device_task"), ==, 6);
    task = fixture_record(f, "device_task", 3);
    g_assert_cmpint(task->begin_ns, ==, 900); /* the session's begin */
    g_assert_cmpint(INTEGER(task, "task_id"), ==, 4);
    g_assert_cmpint(INTEGER(task, "model"), ==, STROBE_ABSENT_U32);
    g_assert_cmpstr(TEXT(task, "host_type"), ==, "12345");
    task = fixture_record(f, "device_task", 4);
    g_assert_cmpint(task->begin_ns, ==, task->end_ns);
    task = fixture_record(f, "device_task", 5); /* counters of a task that is not in TASK */
    g_assert_cmpint(INTEGER(task, "task"), ==, 555);
    g_assert_cmpstr(NAME(task), ==, "mm");
    fixture_assert_line(strobe_mock_importer_damage(f->mock),
                        "table TASK, row 4, column startNs: expected a time");
    fixture_assert_line(strobe_mock_importer_damage(f->mock),
                        "table TASK, row 4, column modelId: the number is out of range");
    fixture_assert_line(strobe_mock_importer_damage(f->mock),
                        "table TASK, row 5: ends before it begins");
    fixture_assert_line(strobe_mock_importer_damage(f->mock),
                        "table TASK_PMU_INFO, row 4: expected three numbers");
}

/* A view could execute code of the database, so the importer does not read it, although it has a
 * table's name. A table without row ids is reported as damaged. */
static void test_no_tables(Fixture *f, gconstpointer unused)
{
    fixture_make(
        f->path, test_strings,
        "CREATE VIEW TASK AS WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) "
        "SELECT a AS startNs, a AS endNs, a AS globalTaskId FROM n;"
        "CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, name TEXT, connectionId INTEGER, "
        "PRIMARY KEY(connectionId)) WITHOUT ROWID;"
        "INSERT INTO CANN_API VALUES(1,2,'a',1);"
        "CREATE TABLE SESSION_TIME_INFO (startTimeNs INTEGER, endTimeNs INTEGER);"
        "INSERT INTO SESSION_TIME_INFO VALUES(1,2)",
        NULL);
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "device_task"), ==, 0);
    fixture_assert_line(strobe_mock_importer_damage(f->mock),
                        "table CANN_API: no such column: rowid");
}

/* A write-ahead log in the database's folder is reported, and the importer creates no file
 * there. */
static void test_write_ahead(Fixture *f, gconstpointer unused)
{
    g_autofree char *log = g_strconcat(f->path, "-wal", NULL);
    g_autofree char *index = g_strconcat(f->path, "-shm", NULL);

    fixture_make(f->path, "PRAGMA journal_mode=WAL", test_strings, test_tasks_g1, NULL);
    g_unlink(index);
    g_assert_true(g_file_set_contents(log, "something", -1, NULL));
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "device_task"), ==, 3);
    fixture_assert_line(strobe_mock_importer_damage(f->mock),
                        "the write-ahead log beside it is not read");
    g_assert_false(g_file_test(index, G_FILE_TEST_EXISTS));
}

/* Cuts the file off at each page, and overwrites each page: the damage is reported, and the other
 * rows are imported. */
static void test_damaged_pages(Fixture *f, gconstpointer unused)
{
    g_autofree char *bytes = NULL;
    guint silent = 0, n_read[2] = {0}, n_tasks[2] = {0};
    gsize n;

    fixture_make(f->path, "PRAGMA page_size=512", test_strings, test_tasks_g1, test_tables_g3,
                 "WITH RECURSIVE n(a) AS (SELECT 10 UNION ALL SELECT a + 1 FROM n WHERE a < 300) "
                 "INSERT INTO TASK SELECT 1000 + a, 1001 + a, 3, a, a, 7, 0, 1, 2, a, 1, 0 FROM n",
                 NULL);
    g_assert_true(g_file_get_contents(f->path, &bytes, &n, NULL));
    for (gsize page = 1; page < n / 512; page++) {
        g_autofree char *broken = g_memdup2(bytes, n);

        for (guint is_cut = 0; is_cut < 2; is_cut++) {
            fixture_again(f);
            memset(broken + page * 512, 0xa5, 512);
            g_assert_true(g_file_set_contents(f->path, is_cut ? bytes : broken,
                                              (gssize)(is_cut ? page * 512 : n), NULL));
            gboolean is_read = strobe_mock_importer_run(f->mock, f->path) == STROBE_OK;
            g_assert_cmpstr(strobe_mock_importer_complaints(f->mock), ==, "");
            silent += is_read && !*strobe_mock_importer_damage(f->mock);
            n_tasks[is_cut] += fixture_count(f, "device_task");
            n_read[is_cut] += is_read;
        }
    }
    /* Damage may be unreported in only one page, that of the derived table, which is not read.
     * Damage after the page of the schema loses only the rows of the damaged page, not the whole
     * table. */
    g_assert_cmpuint(silent, <=, 1);
    g_assert_cmpuint(n_read[0], >, 30);
    g_assert_cmpuint(n_tasks[0], >, n_read[0] * 270);
    g_assert_cmpuint(n_read[1], >, 15);
    g_assert_cmpuint(n_tasks[1], >, n_read[1] * 100);
}

/* If a page in the middle of a table is damaged, the rows before and after this page are
 * imported. */
static void test_both_sides_of_damage(Fixture *f, gconstpointer unused)
{
    g_autofree char *bytes = NULL;
    guint n_before = 0, n_behind = 0;
    gint64 page = 0;
    gsize n;

    fixture_make(f->path, "PRAGMA page_size=512", test_strings, test_tasks_g1,
                 "WITH RECURSIVE n(a) AS (SELECT 10 UNION ALL SELECT a + 1 FROM n WHERE a < 300) "
                 "INSERT INTO TASK SELECT 1000 + a, 1001 + a, 3, a, a, 7, 0, 1, 2, a, 1, 0 FROM n",
                 NULL);
    g_assert_true(g_file_get_contents(f->path, &bytes, &n, NULL));
    for (gsize at = 512; at + 512 <= n; at += 512) /* finds the leaf page that has row 155 */
        if (bytes[at] == 13 && memmem(bytes + at, 512, "\x04\x83\x04\x84\x00\x9b", 6))
            page = (gint64)at;
    for (gsize at = 512; at + 512 <= n && !page; at += 512)
        if (bytes[at] == 13 && at > n / 2)
            page = (gint64)at;
    memset(bytes + page, 0xff, 512);
    g_assert_true(g_file_set_contents(f->path, bytes, (gssize)n, NULL));
    fixture_import(f);
    for (guint i = 0; i < fixture_count(f, "device_task"); i++) {
        gint64 id = INTEGER(fixture_record(f, "device_task", i), "task");

        n_before += id == 12;
        n_behind += id == 299;
    }
    g_assert_cmpuint(n_before, ==, 1);
    g_assert_cmpuint(n_behind, ==, 1);
    fixture_assert_line(strobe_mock_importer_damage(f->mock), "malformed");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("unknown", test_unknown);
    ADD("unknown-column", test_unknown_column);
    ADD("hostile/wrong-values", test_wrong_values);
    ADD("hostile/no-tables", test_no_tables);
    ADD("hostile/write-ahead", test_write_ahead);
    ADD("hostile/damaged-pages", test_damaged_pages);
    ADD("hostile/both-sides-of-damage", test_both_sides_of_damage);
    return g_test_run();
}
