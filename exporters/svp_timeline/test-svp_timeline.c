/* SPDX-License-Identifier: Apache-2.0 */
#include "../svp/test-svp-fixture.h"

#include <string.h>
#include <strobe/kinds.h>

static const char tasks[] =
    "[{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,\"tid\":0,\"args\":{\"name\":\"Task "
    "Scheduler (device 0)\"}},\n"
    "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":0,\"args\":{\"name\":\"Stream 0 AA "
    "CORE\"}},\n"
    "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":0,\"tid\":0,\"args\":{\"sort_index\":0}},"
    "\n"
    "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":1,\"args\":{\"name\":\"Stream 0 AA "
    "CPU\"}},\n"
    "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":0,\"tid\":1,\"args\":{\"sort_index\":1}},"
    "\n"
    "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":3,\"args\":{\"name\":\"Captures\"}},"
    "\n"
    "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":0,\"tid\":3,\"args\":{\"sort_index\":3}},"
    "\n"
    "{\"name\":\"capture 1\",\"ph\":\"X\",\"pid\":0,\"tid\":3,\"ts\":1041000.000,\"dur\":1000.000,"
    "\"args\":{\"Batch Num\":1,\"Input Pic Num\":1,\"Current Pic Count\":0}},\n"
    "{\"name\":\"conv1\",\"ph\":\"X\",\"pid\":0,\"tid\":0,\"ts\":1041000.000,\"dur\":400.000,"
    "\"args\":{\"Task Type\":\"AA CORE\",\"Stream Id\":0,\"Task Id\":0}},\n"
    "{\"name\":\"pool1\",\"ph\":\"X\",\"pid\":0,\"tid\":0,\"ts\":1041400.000,\"dur\":200.000,"
    "\"args\":{\"Task Type\":\"AA CORE\",\"Stream Id\":0,\"Task Id\":1}},\n"
    "{\"name\":\"detect\",\"ph\":\"X\",\"pid\":0,\"tid\":1,\"ts\":1041600.000,\"dur\":300.000,"
    "\"args\":{\"Task Type\":\"AA CPU\",\"Stream Id\":0,\"Task Id\":2}},\n"
    "{\"name\":\"conv2+relu2\",\"ph\":\"X\",\"pid\":0,\"tid\":0,\"ts\":1041900.000,"
    "\"dur\":100.000,\"args\":{\"Task Type\":\"AA CORE\",\"Stream Id\":0,\"Task Id\":3}}\n"
    "]";

static const char calls_begin[] =
    "[{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":4242,\"tid\":4242,\"args\":{\"name\":"
    "\"ACL\"}},\n"
    "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":4242,\"tid\":4242,\"args\":{\"name\":\"Thread "
    "4242\"}},\n"
    "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":4242,\"tid\":4242,\"args\":{"
    "\"sort_index\":4242}},\n"
    "{\"name\":\"svp_acl_rt_malloc\",\"ph\":\"X\",\"pid\":4242,\"tid\":4242,\"ts\":1000000.000,"
    "\"dur\":10.000,\"args\":{\"Mode\":\"runtime\",\"Process_Id\":4242,\"Thread_Id\":4242}},\n";

static const char call[] =
    "{\"name\":\"svp_acl_mdl_execute\",\"ph\":\"X\",\"pid\":4242,\"tid\":4242,\"ts\":1040000.000,"
    "\"dur\":23299.000,\"args\":{\"Mode\":\"model\",\"Process_Id\":4242,\"Thread_Id\":4242}},\n";

static void run_mock(SvpFixture *f)
{
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_assert_cmpstr(strobe_mock_error(f->mock), ==, "");
}

static void test_example(SvpFixture *f, gconstpointer unused)
{
    svp_fixture_add_layers(f, "resnet50", 1, 1041000000);
    svp_fixture_add_calls(f);
    run_mock(f);
    g_autofree char *task_time = svp_fixture_take(f, "task_time_0.resnet50.1.1.json");
    g_autofree char *acl = svp_fixture_take(f, "acl_0.resnet50.1.1.json");

    g_assert_cmpstr(task_time, ==, tasks);
    g_assert_true(g_str_has_prefix(acl, calls_begin));
    g_assert_nonnull(strstr(acl, call));
    g_assert_cmpuint(strlen(acl) - strlen(g_strstr_len(acl, -1, "\n]")), >, 800);
}

/* Times that the importer converted to the time of day are converted back. */
static void test_clock(SvpFixture *f, gconstpointer unused)
{
    strobe_mock_metadata_entry(f->mock, "monotonic_offset_ns", "1700000000000000000");
    svp_fixture_add_layers(f, "resnet50", 1, 1700000000000000000 + 1041000000);
    run_mock(f);
    g_autofree char *task_time = svp_fixture_take(f, "task_time_0.resnet50.1.1.json");
    g_assert_cmpstr(task_time, ==, tasks);
}

/* Only files with data are written: without calls there is no file of calls, and without tasks no
 * file of tasks. */
static void test_parts(SvpFixture *f, gconstpointer which)
{
    const gboolean has_calls = GPOINTER_TO_INT(which);

    if (has_calls)
        svp_fixture_add_calls(f);
    else
        svp_fixture_add_layers(f, "resnet50", 1, 1000);
    run_mock(f);
    g_autofree char *acl = svp_fixture_take(f, "acl_0.resnet50.1.1.json");
    g_autofree char *task_time = svp_fixture_take(f, "task_time_0.resnet50.1.1.json");
    g_assert_true((acl != NULL) == has_calls);
    g_assert_true((task_time != NULL) == !has_calls);
}

static void test_nothing(SvpFixture *f, gconstpointer unused)
{
    run_mock(f);
}

/* All captures of a model are in one file, sorted by time. Each capture has its own bar. */
static void test_captures(SvpFixture *f, gconstpointer unused)
{
    svp_fixture_add_layers(f, "a.b-c.1", 2, 9000000);
    svp_fixture_add_layers(f, "a.b-c.1", 1, 1000000);
    run_mock(f);
    g_autofree char *text = svp_fixture_take(f, "task_time_0.a.b-c.1.1.1.json");
    g_assert_nonnull(text);
    const char *first = strstr(text, "\"capture 1\""), *second = strstr(text, "\"capture 2\"");
    const char *task = strstr(text, "\"conv1\"");
    g_assert_true(first && second && task && first < task && task < second);
    g_assert_nonnull(strstr(second, "\"conv1\""));
    g_assert_nonnull(strstr(text, "\"Current Pic Count\":200"));
}

/* Names from a board may have any characters. */
static void test_names(SvpFixture *f, gconstpointer unused)
{
    svp_fixture_add_call(f, "a\"b\\\n\xff", "model", 1, 7, 5, 6);
    run_mock(f);
    g_autofree char *text = svp_fixture_take(f, "acl_0.resnet50.1.1.json");
    g_assert_nonnull(strstr(text, "\"a\\\"b\\\\\\n\xef\xbf\xbd\""));
}

#define TEST(name, data, function)                                                                 \
    g_test_add("/svp_timeline/" name, SvpFixture, data, svp_fixture_set_up, function,              \
               svp_fixture_tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    TEST("example", NULL, test_example);
    TEST("clock", NULL, test_clock);
    TEST("calls-only", GINT_TO_POINTER(TRUE), test_parts);
    TEST("tasks-only", GINT_TO_POINTER(FALSE), test_parts);
    TEST("nothing", NULL, test_nothing);
    TEST("captures", NULL, test_captures);
    TEST("names", NULL, test_names);
    return g_test_run();
}
