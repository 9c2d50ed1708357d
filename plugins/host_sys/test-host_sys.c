/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <strobe/kinds.h>

#include "../../sdk/check/test-tree.h"

static char *plugin_path;

static StrobeMockHost *load_plugin(const char *root)
{
    StrobeMockHost *mock = strobe_mock_host_load(plugin_path, NULL);
    g_assert_nonnull(mock);
    if (root) {
        g_assert_cmpint(strobe_mock_host_option(mock, "proc_root", root), ==, 0);
        g_assert_cmpint(strobe_mock_host_option(mock, "sys_root", root), ==, 0);
        /* the clock of a tree does not advance between two samples, so no sample is too early */
        g_assert_cmpint(strobe_mock_host_option(mock, "interval", "1ms"), ==, 0);
    }
    return mock;
}

/* Takes a sample after the time for which the sampler would wait after the last one. */
static void take_sample(StrobeMockHost *mock)
{
    g_usleep(1000);
    strobe_mock_host_sample(mock);
}

static void free_mock(StrobeMockHost *mock)
{
    g_assert_cmpstr(strobe_mock_host_complaints(mock), ==, "");
    strobe_mock_host_free(mock);
}

static void put_sample(const char *root, double uptime, int user, int system)
{
    char text[512];
    g_snprintf(text, sizeof text, "%.2f 9.00\n", uptime);
    tree_put(root, "uptime", text);
    g_snprintf(text, sizeof text,
               "%d (evil ) name 1 2) S 1 2 3 0 -1 4194304 %d 6 %d 8 %d %d 9 9 20 0 7 0 100 1 2\n",
               (int)getpid(), 5 + user, 7 + system, user, system);
    tree_put(root, "%d/stat", text);
}

static char *make_tree(void)
{
    char *root = tree_new();
    tree_put(root, "meminfo", "MemTotal:        4000000 kB\nMemAvailable: 5 kB\n");
    tree_put(root, "%d/statm", "1000 250 100 1 0 500 0\n");
    tree_put(root, "%d/status", "VmSize:\t 1 kB\nVmSwap:\t  12 kB\n");
    put_sample(root, 100.00, 50, 10);
    return root;
}

/* Checks the values for known files. From n samples, n - 1 rows of differences are made. */
static void test_recorded(void)
{
    char *root = make_tree();
    StrobeMockHost *mock = load_plugin(root);
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    strobe_mock_host_start(mock);
    g_assert_null(tree_record(mock, "host_cpu", NULL, 0));
    put_sample(root, 100.20, 60, 15);
    take_sample(mock);
    put_sample(root, 101.20, 60, 15);
    take_sample(mock);
    take_sample(mock); /* no time has passed */
    strobe_mock_host_stop(mock);
    const struct strobe_host_cpu *cpu = tree_record(mock, "host_cpu", NULL, 0)->fields;
    double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
    g_assert_cmpfloat(fabs(cpu->user - 10 * tick / 0.2 * 100), <, 1e-6);
    g_assert_cmpfloat(fabs(cpu->system - 5 * tick / 0.2 * 100), <, 1e-6);
    g_assert_cmpfloat(fabs(cpu->usage - cpu->user - cpu->system), <, 1e-9);
    g_assert_cmpuint(cpu->threads, ==, 7);
    g_assert_cmpuint(cpu->processors, >, 0);
    cpu = tree_record(mock, "host_cpu", NULL, 1)->fields;
    g_assert_cmpfloat(cpu->usage, ==, 0.0);
    g_assert_null(tree_record(mock, "host_cpu", NULL, 2));
    const StrobeMockRecord *record = tree_record(mock, "host_mem", NULL, 1);
    const struct strobe_host_mem *mem = record->fields;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    g_assert_cmpuint(mem->resident, ==, 250 * page);
    g_assert_cmpuint(mem->virtual_size, ==, 1000 * page);
    g_assert_cmpuint(mem->shared, ==, 100 * page);
    g_assert_cmpfloat(fabs(mem->usage - 250.0 * (double)page / 4096e6 * 100), <, 1e-9);
    g_assert_cmpuint(mem->swap, ==, 12 * 1024);
    g_assert_cmpuint(mem->available, ==, 5 * 1024);
    g_assert_cmpuint(mem->minor_faults, ==, 10);
    g_assert_cmpuint(mem->major_faults, ==, 5);
    g_assert_cmpuint(mem->pss, ==, STROBE_ABSENT_U64);
    g_assert_cmpuint(mem->cgroup_limit, ==, STROBE_ABSENT_U64);
    const struct strobe_usage *usage = tree_record(mock, "usage", NULL, 1)->fields;
    g_assert_cmpstr(tree_record(mock, "usage", NULL, 1)->name, ==, "Memory");
    g_assert_cmpfloat(usage->usage, ==, mem->usage);
    g_assert_true(isnan(usage->speed));
    const StrobeTrack *track = strobe_mock_host_track(mock, record->track);
    g_assert_cmpstr(track->group, ==, "Memory Usage");
    g_assert_cmpuint(track->type, ==, STROBE_TRACK_COUNTER);
    free_mock(mock);
    tree_free(root);
}

/* A file that can no longer be read at the second sample is reported once and gives no record. */
static void test_damaged_later(void)
{
    char *root = make_tree();
    StrobeMockHost *mock = load_plugin(root);
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    strobe_mock_host_start(mock);
    static const char *const bad[] = {"", "1", "1 (x", "1 (x) S 1", ")))"};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        tree_put(root, "%d/stat", bad[i]);
        take_sample(mock);
    }
    g_assert_null(tree_record(mock, "host_cpu", NULL, 0));
    const char *messages = strobe_mock_host_messages(mock);
    g_assert_nonnull(strstr(messages, "stat"));
    g_assert_cmpuint(strcspn(messages, "\n"), ==, strlen(messages) - 1);
    free_mock(mock);
    tree_free(root);
}

static void test_unusable_root(void)
{
    StrobeMockHost *mock = load_plugin("/nonexistent/tree");
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_UNAVAILABLE);
    g_assert_nonnull(strstr(strobe_mock_host_errors(mock), "/nonexistent/tree/uptime"));
    free_mock(mock);
}

static double read_seconds(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Keeps a processor busy. Returns the share of the processor's time that the thread got, in
 * percent. */
static double keep_busy(double seconds)
{
    const double begin = read_seconds(CLOCK_MONOTONIC);
    const double used = read_seconds(CLOCK_PROCESS_CPUTIME_ID);
    volatile double x = 1;

    while (read_seconds(CLOCK_PROCESS_CPUTIME_ID) - used < seconds)
        for (int i = 0; i < 1000; i++)
            x = x * 1.0000001 + 1e-9;
    return 100 * (read_seconds(CLOCK_PROCESS_CPUTIME_ID) - used) /
           (read_seconds(CLOCK_MONOTONIC) - begin);
}

static void test_live(void)
{
    StrobeMockHost *mock = load_plugin(NULL);
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_sample_interval(mock), ==, 20000000);
    strobe_mock_host_start(mock);
    double share = keep_busy(0.3);
    take_sample(mock);
    g_usleep(100000);
    strobe_mock_host_stop(mock);
    const struct strobe_host_cpu *worked = tree_record(mock, "host_cpu", NULL, 0)->fields;
    const struct strobe_host_cpu *slept = tree_record(mock, "host_cpu", NULL, 1)->fields;
    /* the system counts ticks of 10 ms */
    g_assert_cmpfloat(worked->usage, >, share * 0.7);
    g_assert_cmpfloat(worked->usage, <, share * 1.3);
    g_assert_cmpfloat(slept->usage, <, 25);
    const struct strobe_host_mem *mem = tree_record(mock, "host_mem", NULL, 0)->fields;
    g_assert_cmpuint(mem->resident, >, 500000);
    g_assert_cmpuint(mem->virtual_size, >=, mem->resident);
    g_assert_cmpfloat(mem->usage, >, 0);
    g_assert_cmpfloat(mem->usage, <, 100);
    free_mock(mock);
}

static void test_items(void)
{
    StrobeMockHost *mock = load_plugin(NULL);
    g_assert_cmpint(strobe_mock_host_option(mock, "items", "disc"), ==, -1);
    g_assert_cmpint(strobe_mock_host_option(mock, "interval", "100us"), ==, -1);
    g_assert_cmpint(strobe_mock_host_option(mock, "items", "mem"), ==, 0);
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    strobe_mock_host_start(mock);
    g_usleep(10000);
    strobe_mock_host_sample(mock);
    strobe_mock_host_stop(mock);
    g_assert_null(tree_record(mock, "host_cpu", NULL, 0));
    g_assert_nonnull(tree_record(mock, "host_mem", NULL, 1));
    g_assert_cmpuint(strobe_mock_host_n_tracks(mock), ==, 1);
    free_mock(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    const char *plugins = g_getenv("STROBE_TEST_PLUGINS");
    plugin_path = g_build_filename(plugins ? plugins : ".", "host_sys.so", NULL);
    g_test_add_func("/host_sys/recorded", test_recorded);
    g_test_add_func("/host_sys/damaged-later", test_damaged_later);
    g_test_add_func("/host_sys/unusable-root", test_unusable_root);
    g_test_add_func("/host_sys/live", test_live);
    g_test_add_func("/host_sys/items", test_items);
    int status = g_test_run();
    g_free(plugin_path);
    return status;
}
