/* SPDX-License-Identifier: Apache-2.0 */
#include "../svp/test-svp-fixture.h"

#include <sqlite3.h>

/* Returns one value as a text. */
static char *query_text(const char *path, const char *question)
{
    sqlite3 *sql;
    sqlite3_stmt *statement;
    char *answer = NULL;

    g_assert_cmpint(sqlite3_open_v2(path, &sql, SQLITE_OPEN_READONLY, NULL), ==, SQLITE_OK);
    g_assert_cmpint(sqlite3_prepare_v2(sql, question, -1, &statement, NULL), ==, SQLITE_OK);
    if (sqlite3_step(statement) == SQLITE_ROW)
        answer = g_strdup((const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    sqlite3_close(sql);
    return answer;
}

static void test_example(SvpFixture *f, gconstpointer unused)
{
    static const char *const answers[][2] = {
        {"PRAGMA user_version", "1"},
        {"SELECT count(*) FROM task", "4"},
        {"SELECT count(*) FROM task_counter", "3"},
        {"SELECT mac_busy FROM task_counter JOIN task ON task_pk = task.id WHERE name = 'conv1'",
         "320000"},
        {"SELECT cycles FROM task LEFT JOIN task_counter ON task_pk = task.id"
         " WHERE name = 'detect'",
         NULL},
        {"SELECT group_concat(name, ' ') FROM layer ORDER BY layer_id",
         "conv1 pool1 detect conv2+relu2"},
        {"SELECT name FROM model WHERE model_id = 1", "resnet50"},
        {"SELECT first_capture + complete FROM capture", "2"},
        {"SELECT sum(end_ns - begin_ns) FROM acl_call WHERE name = 'svp_acl_mdl_execute'",
         "37489000"},
        {"SELECT mhz FROM freq", "1000.0"},
        {"SELECT value FROM meta WHERE key = 'svp.job'", "JOBX"},
        {"SELECT records || name FROM source_file", "12AAcore.0 a"},
        {"SELECT count(*) FROM lost", "0"},
        {"PRAGMA integrity_check", "ok"},
        {"SELECT count(*) FROM pragma_foreign_key_check", "0"},
    };
    g_autofree char *path = g_build_filename(f->folder, "svp_profile.db", NULL);

    strobe_mock_metadata_entry(f->mock, "svp.job", "JOBX");
    strobe_mock_metadata_entry(f->mock, "svp.file.0", "12 777 1 AAcore.0 a");
    svp_fixture_add_layers(f, "resnet50", 1, 1041000000);
    svp_fixture_add_calls(f);
    svp_fixture_add_frequency(f, 1000000000, 1000);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    for (guint i = 0; i < G_N_ELEMENTS(answers); i++) {
        g_autofree char *answer = query_text(path, answers[i][0]);
        g_assert_cmpstr(answer, ==, answers[i][1]);
    }
    g_free(svp_fixture_take(f, "svp_profile.db"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/svp_db/example", SvpFixture, NULL, svp_fixture_set_up, test_example,
               svp_fixture_tear_down);
    return g_test_run();
}
