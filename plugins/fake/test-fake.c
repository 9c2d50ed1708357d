/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <glib.h>
#include <string.h>

#include <strobe/kinds.h>

#include "../../sdk/check/mock-host.h"
#include "fake-kinds.h"
#include "fake-names.h"
#include "fake-source.h"

static char *plugin_path;

/* `options` has the form "name=value name=value". */
static StrobeMockHost *load_plugin(const char *options)
{
    StrobeMockHost *mock = strobe_mock_host_load(plugin_path, NULL);
    g_assert_nonnull(mock);
    char **pairs = g_strsplit(options, " ", -1);
    for (char **pair = pairs; *pair && **pair; pair++) {
        char *value = strchr(*pair, '=');
        *value = '\0';
        g_assert_cmpint(strobe_mock_host_option(mock, *pair, value + 1), ==, 0);
    }
    g_strfreev(pairs);
    return mock;
}

static StrobeMockHost *run_plugin(const char *options)
{
    StrobeMockHost *mock = load_plugin(options);
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_warm(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_start(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_stop(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_flush(mock, 1000000000), ==, STROBE_OK);
    g_assert_cmpstr(strobe_mock_host_complaints(mock), ==, "");
    return mock;
}

static void check_complaint(const StrobePlugin *plugin, const char *wanted)
{
    StrobeMockHost *mock = strobe_mock_host_new(plugin, NULL);

    g_assert_nonnull(mock);
    g_assert_cmpstr(strobe_mock_host_complaints(mock), ==, wanted);
    strobe_mock_host_free(mock);
}

/* The mock host complains about a plugin that Strobe would refuse to load. */
static void test_complaints(void)
{
    const StrobePlugin *plugin =
        dlsym(dlopen(plugin_path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE), STROBE_PLUGIN_SYMBOL);
    StrobeComponent twin = *plugin->components[0];
    const StrobeComponent *const both[] = {plugin->components[0], &twin};
    StrobePlugin later = *plugin, nameless = *plugin, twins = *plugin;
    StrobeMockHost *mock;

    check_complaint(plugin, "");
    later.abi_minor = STROBE_ABI_MINOR + 1;
    g_autofree char *abi = g_strdup_printf("descriptor: abi_minor is %d, this host has %d\n",
                                           STROBE_ABI_MINOR + 1, STROBE_ABI_MINOR);
    check_complaint(&later, abi);
    nameless.vendor = NULL;
    check_complaint(&nameless, "descriptor: name, version, summary, license or vendor is NULL\n");
    twins.components = both;
    twins.n_components = 2;
    check_complaint(&twins, "descriptor: there are two collectors \"fake\"\n");
    mock = strobe_mock_host_new(plugin, NULL);
    strobe_mock_host_table(mock)->option_int(strobe_mock_host_instance(mock), "nosuch");
    g_assert_cmpstr(strobe_mock_host_complaints(mock), ==, "option: \"nosuch\" was not declared\n");
    strobe_mock_host_free(mock);
}

static gint compare_lines(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the records of a run as sorted lines, without times, ids and the order of threads. */
static char *digest_run(StrobeMockHost *mock)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; i < strobe_mock_host_n_records(mock); i++) {
        const StrobeMockRecord *record = strobe_mock_host_record(mock, i);
        char *name = g_compute_checksum_for_data(G_CHECKSUM_MD5, (const guchar *)record->name,
                                                 record->name_length);
        g_ptr_array_add(lines, g_strdup_printf("%s %s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT, name,
                                               record->kind->name,
                                               strobe_mock_host_integer(record, "check"),
                                               strobe_mock_host_integer(record, "argument")));
        g_free(name);
    }
    g_ptr_array_sort(lines, compare_lines);
    g_ptr_array_add(lines, NULL);
    char *text = g_strjoinv("\n", (char **)lines->pdata);
    g_ptr_array_free(lines, TRUE);
    return text;
}

static void test_deterministic(void)
{
    static const char *const runs[] = {"kind=all records=500 threads=3", "records=500 depth=7",
                                       "names=hostile records=60 threads=0", "bulk=true late=10"};
    for (size_t i = 0; i < G_N_ELEMENTS(runs); i++) {
        char *other = g_strconcat(runs[i], " seed=2", NULL);
        StrobeMockHost *a = run_plugin(runs[i]), *b = run_plugin(runs[i]), *c = run_plugin(other);
        char *of_a = digest_run(a), *of_b = digest_run(b), *of_c = digest_run(c);
        g_assert_cmpstr(of_a, ==, of_b);
        if (i != 2) /* hostile names have the same order with each seed */
            g_assert_cmpstr(of_a, !=, of_c);
        g_free(of_a);
        g_free(of_b);
        g_free(of_c);
        strobe_mock_host_free(a);
        strobe_mock_host_free(b);
        strobe_mock_host_free(c);
        g_free(other);
    }
}

static void test_counts(void)
{
    static const struct {
        const char *options;
        size_t n;
    } cases[] = {{"records=0", 0},
                 {"records=1000 threads=7", 1000},
                 {"records=10 threads=64", 10},
                 {"records=1001 depth=100 threads=2", 1001},
                 {"records=1000 bulk=true", 1000},
                 {"records=100 track=true", 100},
                 {"records=100 late=7", 107},
                 {"records=1 late=1 kind=all", 2},
                 {"records=50 interval=10s threads=2", 50}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        StrobeMockHost *mock = run_plugin(cases[i].options);
        g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, cases[i].n);
        strobe_mock_host_free(mock);
    }
}

static void test_all_kinds(void)
{
    StrobeMockHost *mock = run_plugin("kind=all records=1500 track=true clock=realtime");
    GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; i < strobe_mock_host_n_records(mock); i++) {
        const StrobeMockRecord *record = strobe_mock_host_record(mock, i);
        g_hash_table_add(seen, (gpointer)record->kind->name);
        if (strcmp(record->kind->name, "fake.pulse") == 0) {
            const struct fake_pulse *pulse = record->fields;
            g_assert_cmpuint(pulse->check, ==, fake_check(1, 1, 1, pulse->count));
            g_assert_cmpuint(pulse->flag, ==, pulse->count % 2);
            g_assert_cmpint(pulse->difference, ==, -(int)pulse->count);
            g_assert_cmpuint(pulse->place, ==, record->track);
        } else if (strcmp(record->kind->name, "cpu_op") == 0) {
            g_assert_cmpuint(record->kind->n_fields, ==, strobe_kind_cpu_op.n_fields + 1);
            g_assert_cmpint(strobe_mock_host_integer(record, FAKE_EXTRA_FIELD) % 15, ==, 1);
        }
    }
    g_assert_cmpuint(g_hash_table_size(seen), ==, FAKE_N_KINDS);
    const StrobeTrack *track = strobe_mock_host_track(mock, 1);
    g_assert_cmpuint(track->type, ==, STROBE_TRACK_STREAM);
    g_assert_cmpuint(track->clock, ==, STROBE_CLOCK_REALTIME);
    g_hash_table_destroy(seen);
    strobe_mock_host_free(mock);
}

static void test_hostile_names(void)
{
    StrobeMockHost *mock = run_plugin("names=hostile threads=0 records=200");
    gboolean has_nul = FALSE, has_long = FALSE, has_invalid = FALSE;
    for (size_t i = 0; i < strobe_mock_host_n_records(mock); i++) {
        const StrobeMockRecord *record = strobe_mock_host_record(mock, i);
        has_nul |= strlen(record->name) < record->name_length;
        has_long |= record->name_length == FAKE_LONG_NAME;
        has_invalid |= !g_utf8_validate(record->name, (gssize)record->name_length, NULL);
    }
    g_assert_true(has_nul && has_long && has_invalid);
    strobe_mock_host_free(mock);
}

static void test_late(void)
{
    StrobeMockHost *mock = load_plugin("records=1 late=5 threads=0");
    strobe_mock_host_open(mock);
    strobe_mock_host_start(mock);
    strobe_mock_host_stop(mock);
    uint64_t stopped = strobe_mock_host_table(mock)->now();
    g_assert_cmpint(strobe_mock_host_flush(mock, 0), ==, STROBE_AGAIN);
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 3);
    g_assert_cmpint(strobe_mock_host_flush(mock, 0), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 6);
    for (size_t i = 0; i < 6; i++)
        g_assert_cmpuint(strobe_mock_host_record(mock, i)->end, <, stopped);
    strobe_mock_host_free(mock);
}

static void test_losses_and_unfinished(void)
{
    StrobeMockHost *mock = run_plugin("loss=42 unfinished=3 records=2");
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_COLLECTOR_DROPPED), ==, 42);
    g_assert_cmpuint(strobe_mock_host_n_open(mock), ==, 3);
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 2);
    strobe_mock_host_free(mock);
}

static StrobeStatus call_step(StrobeMockHost *mock, int index)
{
    switch (index) {
    case 0:
        return strobe_mock_host_open(mock);
    case 1:
        return strobe_mock_host_warm(mock);
    case 2:
        return strobe_mock_host_start(mock);
    case 3:
        return strobe_mock_host_stop(mock);
    default:
        return strobe_mock_host_flush(mock, 1000000);
    }
}

static void test_failures(void)
{
    static const char *const calls[] = {"open", "warm", "start", "stop", "flush"};
    for (int failing = 0; failing < (int)G_N_ELEMENTS(calls); failing++) {
        char *option = g_strconcat("fail=", calls[failing], NULL);
        StrobeMockHost *mock = load_plugin(option);
        for (int i = 0; i < failing; i++)
            g_assert_cmpint(call_step(mock, i), ==, STROBE_OK);
        g_assert_cmpint(call_step(mock, failing), ==, STROBE_ERROR_FAILED);
        g_assert_nonnull(strstr(strobe_mock_host_errors(mock), calls[failing]));
        strobe_mock_host_free(mock);
        g_free(option);
    }
}

static void test_again(void)
{
    for (int round = 0; round < 2; round++) {
        StrobeMockHost *mock = load_plugin("again=2");
        g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_AGAIN);
        g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_AGAIN);
        g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
        strobe_mock_host_free(mock);
    }
}

static void test_sample(void)
{
    StrobeMockHost *mock = load_plugin("records=0 threads=0 sample=5ms");
    strobe_mock_host_open(mock);
    g_assert_cmpint(strobe_mock_host_sample_interval(mock), ==, 5000000);
    strobe_mock_host_start(mock);
    for (int i = 0; i < 3; i++)
        strobe_mock_host_sample(mock);
    strobe_mock_host_stop(mock);
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 3);
    g_assert_cmpstr(strobe_mock_host_record(mock, 2)->name, ==, "fake.sample");
    g_assert_cmpfloat(strobe_mock_host_double(strobe_mock_host_record(mock, 2), "value"), ==, 2);
    strobe_mock_host_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    const char *plugins = g_getenv("STROBE_TEST_PLUGINS");
    plugin_path = g_build_filename(plugins ? plugins : ".", "fake.so", NULL);
    g_test_add_func("/fake/complaints", test_complaints);
    g_test_add_func("/fake/deterministic", test_deterministic);
    g_test_add_func("/fake/counts", test_counts);
    g_test_add_func("/fake/all-kinds", test_all_kinds);
    g_test_add_func("/fake/hostile-names", test_hostile_names);
    g_test_add_func("/fake/late", test_late);
    g_test_add_func("/fake/losses-and-unfinished", test_losses_and_unfinished);
    g_test_add_func("/fake/failures", test_failures);
    g_test_add_func("/fake/again", test_again);
    g_test_add_func("/fake/sample", test_sample);
    int status = g_test_run();
    g_free(plugin_path);
    return status;
}
