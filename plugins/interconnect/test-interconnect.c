/* SPDX-License-Identifier: Apache-2.0 */
/* Tests interconnect with a simulated DCMI, and with a recorded tree that has an accelerator on
 * PCIe. */
#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include <strobe/kinds.h>

#include "../../tests/dcmi-double/dcmi-double.h"
#include "../../sdk/check/test-tree.h"

static char *plugin_path;
static const char *double_path;

static DcmiDouble *get_double(void)
{
    void *library = dlopen(double_path, RTLD_NOW | RTLD_LOCAL);
    g_assert_nonnull(library);
    DcmiDoubleFunction *get = (DcmiDoubleFunction *)dlsym(library, "dcmi_double");
    g_assert_nonnull(get);
    DcmiDouble *state = get();
    memset(state, 0, sizeof *state);
    state->n_cards = state->n_in_card = 1;
    state->pcie = -8255;
    return state;
}

static StrobeMockHost *load_plugin(const char *root, const char *dcmi)
{
    StrobeMockHost *mock = strobe_mock_host_load(plugin_path, NULL);
    g_assert_nonnull(mock);
    if (root)
        g_assert_cmpint(strobe_mock_host_option(mock, "sys_root", root), ==, 0);
    g_assert_cmpint(strobe_mock_host_option(mock, "dcmi", dcmi), ==, 0);
    g_assert_cmpint(strobe_mock_host_option(mock, "measuring", "2ms"), ==, 0);
    return mock;
}

static StrobeMockHost *start_mock(StrobeMockHost *mock)
{
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_start(mock), ==, STROBE_OK);
    return mock;
}

static void free_mock(StrobeMockHost *mock)
{
    g_assert_cmpstr(strobe_mock_host_complaints(mock), ==, "");
    strobe_mock_host_free(mock);
}

/* Takes samples until the driver was called `more` times from now on and the results are
 * recorded. */
static void await_calls(StrobeMockHost *mock, const DcmiDouble *state, int more)
{
    int wanted = g_atomic_int_get(&state->n_calls) + more;
    for (int i = 0; g_atomic_int_get(&state->n_calls) < wanted; i++) {
        g_assert_cmpint(i, <, 20000);
        g_usleep(1000);
        strobe_mock_host_sample(mock);
    }
    g_usleep(30000);
}

static gboolean is_near(double value, double expected)
{
    return fabs(value - expected) < 1e-6 * fabs(expected) + 1e-9;
}

/* Checks that tx of each row is twice its rx, and that only one row has traffic. */
static void check_rates(StrobeMockHost *mock)
{
    gsize n = tree_count(mock, "hccs", NULL), n_busy = 0;
    for (gsize i = 0; i < n; i++) {
        const struct strobe_hccs *row = tree_record(mock, "hccs", NULL, i)->fields;
        g_assert_true(is_near(row->tx, 2 * row->rx));
        g_assert_cmpint(row->device, ==, 0);
        n_busy += row->tx > 0;
    }
    g_assert_cmpuint(n_busy, ==, 1);
}

static void test_hccs_totals(void)
{
    DcmiDouble *state = get_double();
    StrobeMockHost *mock = start_mock(load_plugin(NULL, double_path));
    await_calls(mock, state, 3);
    for (int i = 0; i < DOUBLE_LINKS; i++) {
        state->tx[i] += 2000000000000u; /* 40 TB on each link, which exceeds 32 bits */
        state->rx[i] += 1000000000000u;
    }
    await_calls(mock, state, 2);
    check_rates(mock);
    gsize n = tree_count(mock, "hccs", NULL);
    memset(state->tx, 0, sizeof state->tx); /* simulates that the driver was loaded again */
    await_calls(mock, state, 1);
    for (gsize i = n; i < tree_count(mock, "hccs", NULL); i++) {
        const struct strobe_hccs *row = tree_record(mock, "hccs", NULL, i)->fields;
        g_assert_true(row->tx >= 0 && row->rx >= 0);
    }
    free_mock(mock);
}

/* An older driver has counters of 32 bits, which overflow between two readings. */
static void test_hccs_32(void)
{
    DcmiDouble *state = get_double();
    state->hccs_64 = -8255;
    state->tx[0] = G_MAXUINT32 - 100;
    StrobeMockHost *mock = start_mock(load_plugin(NULL, double_path));
    await_calls(mock, state, 4);
    state->tx[0] += 2000;
    state->rx[3] += 1000;
    await_calls(mock, state, 2);
    check_rates(mock);
    free_mock(mock);
}

/* A driver without counters itself measures the rates, and adds them to the values in the caller's
 * struct. */
static void test_hccs_measured(void)
{
    DcmiDouble *state = get_double();
    state->hccs_64 = state->hccs_32 = -8255;
    state->total_tx = 3;
    state->total_rx = 1.5;
    StrobeMockHost *mock = start_mock(load_plugin(NULL, double_path));
    await_calls(mock, state, 6);
    gsize n = tree_count(mock, "hccs", NULL);
    g_assert_cmpuint(n, >=, 2);
    const struct strobe_hccs *row = tree_record(mock, "hccs", NULL, n - 1)->fields;
    g_assert_true(is_near(row->tx, 3 * 1073741824.0) && is_near(row->rx, 1.5 * 1073741824.0));
    g_assert_cmpint(state->last_time, ==, 2);
    free_mock(mock);
}

static void test_pcie(void)
{
    DcmiDouble *state = get_double();
    state->hccs_64 = state->hccs_32 = state->hccs_measured = -8255;
    state->pcie = 0;
    for (guint32 i = 0; i < DOUBLE_PCIE_WORDS; i++)
        state->pcie_words[i] = i + 1;
    state->pcie_words[0] = 4200; /* GB/s; the rate in B/s does not fit in 32 bits */
    state->pcie_words[1] = 4300;
    StrobeMockHost *mock = start_mock(load_plugin(NULL, double_path));
    await_calls(mock, state, 5);
    const struct strobe_pcie *row = tree_record(mock, "pcie", NULL, 0)->fields;
    double step = 1048576.0 * 1000;
    g_assert_cmpfloat(row->resolution, ==, step);
    g_assert_cmpfloat(row->tx_post_min, ==, 4200 * step);
    g_assert_cmpfloat(row->tx_post_max, ==, 4300 * step);
    g_assert_cmpfloat(row->tx_post_avg, ==, 3 * step);
    g_assert_cmpfloat(row->tx_cpl_avg, ==, 9 * step);
    g_assert_cmpfloat(row->tx_nonpost_latency_min, ==, 10);
    g_assert_cmpfloat(row->rx_post_min, ==, 13 * step);
    g_assert_cmpfloat(row->rx_cpl_avg, ==, 21 * step);
    free_mock(mock);
}

/* While the vendor's profiler uses the device, a message reports this once. After the profiler has
 * ended, rows are recorded. */
static void test_occupied(void)
{
    DcmiDouble *state = get_double();
    state->hccs_64 = -8020;
    StrobeMockHost *mock = start_mock(load_plugin(NULL, double_path));
    await_calls(mock, state, 4);
    g_assert_cmpuint(tree_count(mock, "hccs", NULL), ==, 0);
    const char *reported = strstr(strobe_mock_host_messages(mock), "another profiler");
    g_assert_nonnull(reported);
    g_assert_null(strstr(reported + 1, "another profiler"));
    state->hccs_64 = 0;
    await_calls(mock, state, 3);
    g_assert_cmpuint(tree_count(mock, "hccs", NULL), >=, 1);
    free_mock(mock);
}

/* A call of the driver that does not return does not block sampling, and the missing rows are
 * counted as lost. */
static void test_overrun(void)
{
    DcmiDouble *state = get_double();
    state->block_ms = 1500;
    StrobeMockHost *mock = load_plugin(NULL, double_path);
    g_assert_cmpint(strobe_mock_host_option(mock, "deadline", "50ms"), ==, 0);
    start_mock(mock);
    gint64 longest = 0;
    while (strobe_mock_host_n_lost(mock, STROBE_LOSS_COLLECTOR_DROPPED) == 0) {
        gint64 before = g_get_monotonic_time();
        strobe_mock_host_sample(mock);
        longest = MAX(longest, g_get_monotonic_time() - before);
        g_usleep(5000);
    }
    g_assert_cmpint(longest, <, 1200000); /* less than the time of the call */
    g_assert_nonnull(strstr(strobe_mock_host_messages(mock), "has not returned"));
    free_mock(mock);
}

static void test_cards(void)
{
    DcmiDouble *state = get_double();
    state->n_cards = 2;
    state->n_in_card = 2;
    state->hccs_64 = state->hccs_32 = -8255;
    state->total_tx = 1;
    StrobeMockHost *mock = start_mock(load_plugin(NULL, double_path));
    await_calls(mock, state, 40);
    gboolean seen[4] = {FALSE};
    for (gsize i = 0; i < tree_count(mock, "hccs", NULL); i++)
        seen[strobe_mock_host_integer(tree_record(mock, "hccs", NULL, i), "device")] = TRUE;
    g_assert_true(seen[0] && seen[1] && seen[2] && seen[3]);
    free_mock(mock);
}

static void test_slots(void)
{
    char *root = tree_new();
    tree_put(root, "bus/pci/devices/0000:3b:00.0/class", "0x120000\n");
    tree_put(root, "bus/pci/devices/0000:3b:00.0/current_link_speed", "16.0 GT/s PCIe\n");
    tree_put(root, "bus/pci/devices/0000:3b:00.0/current_link_width", "8\n");
    tree_put(root, "bus/pci/devices/0000:3b:00.0/max_link_speed", "5.0 GT/s PCIe\n");
    tree_put(root, "bus/pci/devices/0000:3b:00.0/max_link_width", "4\n");
    tree_put(root, "bus/pci/devices/0000:00:1f.0/class", "0x060100\n");
    StrobeMockHost *mock = start_mock(load_plugin(root, "/nonexistent/libdcmi.so"));
    g_assert_cmpint(strobe_mock_host_sample_interval(mock), ==, 0);
    const StrobeMockRecord *record = tree_record(mock, "metadata", NULL, 0);
    g_assert_cmpstr(record->name, ==, "pcie.0000:3b:00.0");
    g_assert_cmpstr(strobe_mock_host_text(mock, record, "value"), ==,
                    "current: 16.0 GT/s x8, 15.754 GB/s; max: 5.0 GT/s x4, 2.000 GB/s");
    g_assert_null(tree_record(mock, "metadata", NULL, 1));
    free_mock(mock);
    tree_free(root);
}

static void test_nothing(void)
{
    char *root = tree_new();
    StrobeMockHost *mock = load_plugin(root, "/nonexistent/libdcmi.so");
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_UNAVAILABLE);
    g_assert_nonnull(strstr(strobe_mock_host_errors(mock), "/nonexistent/libdcmi.so"));
    free_mock(mock);
    tree_free(root);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    const char *plugins = g_getenv("STROBE_TEST_PLUGINS");
    double_path = g_getenv("STROBE_TEST_DCMI");
    plugin_path = g_build_filename(plugins ? plugins : ".", "interconnect.so", NULL);
    g_test_add_func("/interconnect/slots", test_slots);
    g_test_add_func("/interconnect/nothing", test_nothing);
    if (double_path) {
        g_test_add_func("/interconnect/hccs-totals", test_hccs_totals);
        g_test_add_func("/interconnect/hccs-32", test_hccs_32);
        g_test_add_func("/interconnect/hccs-measured", test_hccs_measured);
        g_test_add_func("/interconnect/pcie", test_pcie);
        g_test_add_func("/interconnect/occupied", test_occupied);
        g_test_add_func("/interconnect/overrun", test_overrun);
        g_test_add_func("/interconnect/cards", test_cards);
    }
    int status = g_test_run();
    g_free(plugin_path);
    return status;
}
