/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>
#include <string.h>
#include <sys/utsname.h>

#include "../../sdk/check/mock-host.h"

static char *plugin_path;

/* Returns the value that is recorded for a key; NULL: there is none. Sets `n` to the number of
 * values that are recorded for the key. */
static const char *value_of(StrobeMockHost *mock, const char *key, int *n)
{
    const char *value = NULL;
    *n = 0;
    for (size_t i = 0; i < strobe_mock_host_n_records(mock); i++) {
        const StrobeMockRecord *record = strobe_mock_host_record(mock, i);
        if (strcmp(record->name, key) != 0)
            continue;
        g_assert_cmpstr(record->kind->name, ==, "metadata");
        value = strobe_mock_host_text(mock, record, "value");
        (*n)++;
    }
    return value;
}

static StrobeMockHost *run_plugin(const char *env)
{
    StrobeMockHost *mock = strobe_mock_host_load(plugin_path, NULL);
    g_assert_nonnull(mock);
    g_assert_cmpint(strobe_mock_host_option(mock, "env", env), ==, 0);
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_start(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_stop(mock), ==, STROBE_OK);
    g_assert_cmpstr(strobe_mock_host_complaints(mock), ==, "");
    return mock;
}

static void test_variables(void)
{
    int n;
    g_setenv("HCCL_ALGO", "level0:NA;level1:\"ring\"\n", TRUE);
    g_setenv("TEST_GIVEN", "\xff", TRUE);
    g_setenv("TEST_SECRET", "secret", TRUE);
    g_unsetenv("HCCL_RDMA_TC");
    StrobeMockHost *mock = run_plugin("TEST_GIVEN++TEST_UNSET+HCCL_ALGO+");
    g_assert_cmpstr(value_of(mock, "env.HCCL_ALGO", &n), ==, "level0:NA;level1:\"ring\"\n");
    g_assert_cmpint(n, ==, 1);
    g_assert_cmpstr(value_of(mock, "env.HCCL_RDMA_TC", &n), ==, "");
    g_assert_cmpstr(value_of(mock, "env.TEST_GIVEN", &n), ==, "\xff");
    g_assert_cmpstr(value_of(mock, "env.TEST_UNSET", &n), ==, "");
    int n_variables = 0;
    for (size_t i = 0; i < strobe_mock_host_n_records(mock); i++) {
        const StrobeMockRecord *record = strobe_mock_host_record(mock, i);
        n_variables += strncmp(record->name, "env.", 4) == 0;
        g_assert_cmpstr(strobe_mock_host_text(mock, record, "value"), !=, "secret");
    }
    g_assert_cmpint(n_variables, ==, 9 + 2);
    strobe_mock_host_free(mock);
}

/* The job's variables are recorded under their own names, and only if they are set. */
static void test_job(void)
{
    int n;
    g_setenv("PT_PROFILER_JOB_NAME", "a \"job\"", TRUE);
    g_setenv("PT_PROFILER_JOB_ATTEMPT_INDEX", "", TRUE);
    g_unsetenv("PT_PROFILER_JOB_VERSION");
    StrobeMockHost *mock = run_plugin("");
    g_assert_cmpstr(value_of(mock, "PT_PROFILER_JOB_NAME", &n), ==, "a \"job\"");
    g_assert_cmpint(n, ==, 1);
    g_assert_cmpstr(value_of(mock, "PT_PROFILER_JOB_ATTEMPT_INDEX", &n), ==, "");
    g_assert_null(value_of(mock, "PT_PROFILER_JOB_VERSION", &n));
    strobe_mock_host_free(mock);
    g_unsetenv("PT_PROFILER_JOB_NAME");
    g_unsetenv("PT_PROFILER_JOB_ATTEMPT_INDEX");
}

static void test_metadata(void)
{
    int n;
    struct utsname names;
    StrobeMockHost *mock = run_plugin("");
    g_assert_cmpint(uname(&names), ==, 0);
    g_assert_cmpstr(value_of(mock, "host_name", &n), ==, names.nodename);
    g_assert_cmpstr(value_of(mock, "kernel_release", &n), ==, names.release);
    g_assert_cmpstr(value_of(mock, "machine", &n), ==, names.machine);
    g_assert_nonnull(strstr(value_of(mock, "command_line", &n), "metadata"));
    g_assert_cmpint(n, ==, 1);
    g_assert_cmpuint(g_ascii_strtoull(value_of(mock, "processors", &n), NULL, 10), >, 0);
    g_assert_cmpuint(g_ascii_strtoull(value_of(mock, "memory_total", &n), NULL, 10), >, 1000000);
    g_assert_null(value_of(mock, "python_version", &n));
    g_assert_null(value_of(mock, "torch_version", &n));
    strobe_mock_host_free(mock);
}

static void test_bad_names(void)
{
    char *longest = g_strnfill(300, 'A');
    const char *const bad[] = {"A=B", "OK+*", longest};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        StrobeMockHost *mock = strobe_mock_host_load(plugin_path, NULL);
        g_assert_cmpint(strobe_mock_host_option(mock, "env", bad[i]), ==, 0);
        g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_ERROR_CONFIG);
        g_assert_nonnull(strstr(strobe_mock_host_errors(mock), "env"));
        strobe_mock_host_free(mock);
    }
    g_free(longest);
}

static void test_windows(void)
{
    int n;
    StrobeMockHost *mock = run_plugin("");
    for (int window = 2; window <= 20; window++) {
        g_assert_cmpint(strobe_mock_host_start(mock), ==, STROBE_OK);
        g_assert_cmpint(strobe_mock_host_stop(mock), ==, STROBE_OK);
    }
    value_of(mock, "host_name", &n);
    g_assert_cmpint(n, ==, 20);
    strobe_mock_host_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    const char *plugins = g_getenv("STROBE_TEST_PLUGINS");
    plugin_path = g_build_filename(plugins ? plugins : ".", "metadata.so", NULL);
    g_test_add_func("/metadata/variables", test_variables);
    g_test_add_func("/metadata/job", test_job);
    g_test_add_func("/metadata/facts", test_metadata);
    g_test_add_func("/metadata/bad-names", test_bad_names);
    g_test_add_func("/metadata/windows", test_windows);
    int status = g_test_run();
    g_free(plugin_path);
    return status;
}
