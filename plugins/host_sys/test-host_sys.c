/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <strobe/kinds.h>

#include "../../sdk/check/mock-host.h"

static char *plugin_path;

static StrobeMockHost *load(const char *root)
{
    StrobeMockHost *mock = strobe_mock_host_load(plugin_path, NULL);
    g_assert_nonnull(mock);
    if (root)
        g_assert_cmpint(strobe_mock_host_option(mock, "proc_root", root), ==, 0);
    return mock;
}

static void end(StrobeMockHost *mock)
{
    g_assert_cmpstr(strobe_mock_host_complaints(mock), ==, "");
    strobe_mock_host_free(mock);
}

/* Writes into the recorded tree; files are overwritten in place, as a kept descriptor needs. */
static void put(const char *root, const char *name, const char *text)
{
    char *path = g_build_filename(root, name, NULL);
    FILE *file = fopen(path, "r+");
    if (!file)
        file = fopen(path, "w");
    g_assert_nonnull(file);
    fputs(text, file);
    g_assert_cmpint(ftruncate(fileno(file), (off_t)strlen(text)), ==, 0);
    fclose(file);
    g_free(path);
}

static void put_sample(const char *root, double uptime, int user, int system)
{
    char text[512], name[64];
    g_snprintf(text, sizeof text, "%.2f 9.00\n", uptime);
    put(root, "uptime", text);
    g_snprintf(name, sizeof name, "%d/stat", (int)getpid());
    g_snprintf(text, sizeof text,
               "%d (evil ) name 1 2) S 1 2 3 0 -1 4194304 5 6 7 8 %d %d 9 9 20 0 7 0 100 1 2\n",
               (int)getpid(), user, system);
    put(root, name, text);
}

static char *make_tree(void)
{
    char name[64];
    char *root = g_dir_make_tmp("strobe-proc-XXXXXX", NULL);
    char *folder = g_strdup_printf("%s/%d", root, (int)getpid());
    g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
    g_free(folder);
    put(root, "meminfo", "MemTotal:        4000000 kB\nMemFree: 5 kB\n");
    g_snprintf(name, sizeof name, "%d/statm", (int)getpid());
    put(root, name, "1000 250 100 1 0 500 0\n");
    put_sample(root, 100.00, 50, 10);
    return root;
}

static void remove_tree(char *root)
{
    static const char *const names[] = {"uptime", "meminfo"};
    static const char *const own[] = {"stat", "statm", ""};
    for (size_t i = 0; i < G_N_ELEMENTS(own); i++) {
        char *path = g_strdup_printf("%s/%d/%s", root, (int)getpid(), own[i]);
        g_remove(path);
        g_free(path);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        char *path = g_build_filename(root, names[i], NULL);
        g_remove(path);
        g_free(path);
    }
    g_rmdir(root);
    g_free(root);
}

static const StrobeMockRecord *nth(StrobeMockHost *mock, const char *kind, size_t index)
{
    for (size_t i = 0; i < strobe_mock_host_n_records(mock); i++) {
        const StrobeMockRecord *record = strobe_mock_host_record(mock, i);
        if (strcmp(record->kind->name, kind) == 0 && index-- == 0)
            return record;
    }
    return NULL;
}

/* Known files give known numbers, and n samples give n - 1 rows of differences. */
static void test_recorded(void)
{
    char *root = make_tree();
    StrobeMockHost *mock = load(root);
    g_assert_cmpint(strobe_mock_host_option(mock, "interval", "1min"), ==, 0);
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    strobe_mock_host_start(mock);
    g_assert_null(nth(mock, "host_cpu", 0));
    put_sample(root, 100.20, 60, 15);
    strobe_mock_host_sample(mock);
    put_sample(root, 101.20, 60, 15);
    strobe_mock_host_sample(mock);
    strobe_mock_host_sample(mock); /* no time has passed */
    strobe_mock_host_stop(mock);
    const struct strobe_host_cpu *cpu = nth(mock, "host_cpu", 0)->fields;
    double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
    g_assert_cmpfloat(fabs(cpu->user - 10 * tick / 0.2 * 100), <, 1e-6);
    g_assert_cmpfloat(fabs(cpu->system - 5 * tick / 0.2 * 100), <, 1e-6);
    g_assert_cmpfloat(fabs(cpu->usage - cpu->user - cpu->system), <, 1e-9);
    g_assert_cmpuint(cpu->threads, ==, 7);
    g_assert_cmpuint(cpu->processors, >, 0);
    cpu = nth(mock, "host_cpu", 1)->fields;
    g_assert_cmpfloat(cpu->usage, ==, 0.0);
    g_assert_null(nth(mock, "host_cpu", 2));
    const StrobeMockRecord *record = nth(mock, "host_mem", 3);
    const struct strobe_host_mem *mem = record->fields;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    g_assert_cmpuint(mem->resident, ==, 250 * page);
    g_assert_cmpuint(mem->virtual_size, ==, 1000 * page);
    g_assert_cmpuint(mem->shared, ==, 100 * page);
    g_assert_cmpfloat(fabs(mem->usage - 250.0 * (double)page / 4096e6 * 100), <, 1e-9);
    const StrobeTrack *track = strobe_mock_host_track(mock, record->track);
    g_assert_cmpstr(track->group, ==, "Memory Usage");
    g_assert_cmpuint(track->type, ==, STROBE_TRACK_COUNTER);
    end(mock);
    remove_tree(root);
}

/* A file that turns bad while it is read: said once, no record, no crash. */
static void test_damaged_later(void)
{
    char *root = make_tree(), name[64];
    StrobeMockHost *mock = load(root);
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    strobe_mock_host_start(mock);
    g_snprintf(name, sizeof name, "%d/stat", (int)getpid());
    static const char *const bad[] = {"", "1", "1 (x", "1 (x) S 1", ")))"};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        put(root, name, bad[i]);
        strobe_mock_host_sample(mock);
    }
    g_assert_null(nth(mock, "host_cpu", 0));
    const char *messages = strobe_mock_host_messages(mock);
    g_assert_nonnull(strstr(messages, "stat"));
    g_assert_cmpuint(strcspn(messages, "\n"), ==, strlen(messages) - 1);
    end(mock);
    remove_tree(root);
}

static void test_unusable_root(void)
{
    StrobeMockHost *mock = load("/nonexistent/tree");
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_UNAVAILABLE);
    g_assert_nonnull(strstr(strobe_mock_host_errors(mock), "/nonexistent/tree/meminfo"));
    end(mock);
}

static double busy(double seconds)
{
    double x = 1;
    GTimer *timer = g_timer_new();
    while (g_timer_elapsed(timer, NULL) < seconds)
        for (int i = 0; i < 1000; i++)
            x = x * 1.0000001 + 1e-9;
    g_timer_destroy(timer);
    return x;
}

static void test_live(void)
{
    StrobeMockHost *mock = load(NULL);
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_sample_interval(mock), ==, 20000000);
    strobe_mock_host_start(mock);
    g_assert_cmpfloat(busy(0.2), >, 0);
    strobe_mock_host_sample(mock);
    g_usleep(100000);
    strobe_mock_host_stop(mock);
    const struct strobe_host_cpu *worked = nth(mock, "host_cpu", 0)->fields;
    const struct strobe_host_cpu *slept = nth(mock, "host_cpu", 1)->fields;
    g_assert_cmpfloat(worked->usage, >, 10);
    g_assert_cmpfloat(worked->usage, <, 120);
    g_assert_cmpfloat(slept->usage, <, worked->usage);
    const struct strobe_host_mem *mem = nth(mock, "host_mem", 0)->fields;
    g_assert_cmpuint(mem->resident, >, 500000);
    g_assert_cmpuint(mem->virtual_size, >=, mem->resident);
    g_assert_cmpfloat(mem->usage, >, 0);
    g_assert_cmpfloat(mem->usage, <, 100);
    end(mock);
}

static void test_items(void)
{
    StrobeMockHost *mock = load(NULL);
    g_assert_cmpint(strobe_mock_host_option(mock, "items", "disk"), ==, -1);
    g_assert_cmpint(strobe_mock_host_option(mock, "interval", "100us"), ==, -1);
    g_assert_cmpint(strobe_mock_host_option(mock, "items", "mem"), ==, 0);
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    strobe_mock_host_start(mock);
    strobe_mock_host_sample(mock);
    strobe_mock_host_stop(mock);
    g_assert_null(nth(mock, "host_cpu", 0));
    g_assert_nonnull(nth(mock, "host_mem", 1));
    g_assert_cmpuint(strobe_mock_host_n_tracks(mock), ==, 1);
    end(mock);
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
