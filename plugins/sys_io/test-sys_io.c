/* SPDX-License-Identifier: Apache-2.0 */
/* Tests sys_io with the recorded tree of a host that has RDMA adapters, and with a simulated
 * DCMI. */
#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include <strobe/kinds.h>

#include "../../tests/dcmi-double/dcmi-double.h"
#include "../../sdk/check/test-tree.h"

static char *plugin_path;
static const char *double_path;

static StrobeMockHost *load_plugin(const char *root, const char *dcmi)
{
    StrobeMockHost *mock = strobe_mock_host_load(plugin_path, NULL);
    g_assert_nonnull(mock);
    g_assert_cmpint(strobe_mock_host_option(mock, "sys_root", root), ==, 0);
    g_assert_cmpint(strobe_mock_host_option(mock, "dcmi", dcmi), ==, 0);
    g_assert_cmpint(strobe_mock_host_option(mock, "interval", "1ms"), ==, 0);
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_start(mock), ==, STROBE_OK);
    return mock;
}

static void take_sample(StrobeMockHost *mock)
{
    g_usleep(1100);
    strobe_mock_host_sample(mock);
}

static void free_mock(StrobeMockHost *mock)
{
    g_assert_cmpstr(strobe_mock_host_complaints(mock), ==, "");
    strobe_mock_host_free(mock);
}

static void put_number(const char *root, const char *folder, const char *file, guint64 value)
{
    g_autofree char *name = g_strdup_printf("%s/%s", folder, file);
    g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT "\n", value);
    tree_put(root, name, text);
}

static void put_nic(const char *root, const char *folder, guint64 base)
{
    static const char *const files[] = {"rx_packets", "rx_bytes", "rx_errors", "rx_dropped",
                                        "tx_packets", "tx_bytes", "tx_errors", "tx_dropped"};
    for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *name = g_strdup_printf("statistics/%s", files[i]);
        put_number(root, folder, name, base * (i + 1));
    }
}

static void put_rdma(const char *root, const char *folder, guint64 base)
{
    put_number(root, folder, "counters/port_rcv_packets", base);
    put_number(root, folder, "counters/port_rcv_data", base * 100);
    put_number(root, folder, "counters/port_rcv_errors", base / 10);
    put_number(root, folder, "counters/port_xmit_packets", base * 2);
    put_number(root, folder, "counters/port_xmit_data", base * 200);
    put_number(root, folder, "counters/port_xmit_discards", base / 5);
    put_number(root, folder, "hw_counters/out_of_buffer", base / 2);
    put_number(root, folder, "hw_counters/packet_seq_err", base / 20);
    put_number(root, folder, "hw_counters/local_ack_timeout_err", base / 20);
}

static char *rdma_host(void)
{
    char *root = tree_new();
    put_nic(root, "class/net/eth0", 1000);
    put_number(root, "class/net/eth0", "ifindex", 7);
    put_number(root, "class/net/eth0", "speed", 1000);
    tree_put(root, "class/net/eth0/operstate", "up\n");
    put_nic(root, "class/net/down0", 1000);
    tree_put(root, "class/net/down0/operstate", "down\n");
    put_nic(root, "class/net/lo", 5);
    put_rdma(root, "class/infiniband/mlx5_0/ports/1", 1000);
    tree_put(root, "class/infiniband/mlx5_0/ports/1/rate", "100 Gb/sec (4X EDR)\n");
    put_rdma(root, "class/infiniband/mlx5_1/ports/2", 1000);
    return root;
}

static gboolean is_near(double value, double expected)
{
    return fabs(value - expected) < 1e-6 * fabs(expected) + 1e-9;
}

static void test_ports(void)
{
    char *root = rdma_host();
    StrobeMockHost *mock = load_plugin(root, "/nonexistent/libdcmi.so");
    put_nic(root, "class/net/eth0", 3000);
    put_rdma(root, "class/infiniband/mlx5_0/ports/1", 3000);
    take_sample(mock);
    const StrobeMockRecord *record = tree_record(mock, "nic", NULL, 0);
    const struct strobe_port *nic = record->fields;
    g_assert_cmpstr(record->name, ==, "eth0");
    g_assert_cmpuint(nic->port, ==, 7);
    g_assert_cmpint(nic->device, ==, -1);
    g_assert_cmpfloat(nic->bandwidth, ==, 125e6);
    g_assert_cmpuint(nic->rx_packets, ==, 3000);
    g_assert_cmpuint(nic->rx_bytes, ==, 6000);
    g_assert_cmpuint(nic->tx_dropped, ==, 24000);
    /* The rates belong to the same interval, so bytes and packets have the ratio of the
     * counters. */
    g_assert_true(is_near(nic->rx_byte_rate, nic->rx_packet_rate * 2));
    g_assert_true(is_near(nic->rx_error_rate, 300) && is_near(nic->rx_dropped_rate, 400));
    g_assert_true(is_near(nic->rx_efficiency, nic->rx_byte_rate * 100 / 125e6));
    g_assert_null(tree_record(mock, "nic", "lo", 0));
    g_assert_null(tree_record(mock, "nic", "down0", 0));
    const struct strobe_port *roce = tree_record(mock, "roce", "mlx5_0/1", 0)->fields;
    g_assert_cmpuint(roce->rx_bytes, ==, 3000 * 100 * 4);
    g_assert_cmpuint(roce->tx_bytes, ==, 3000 * 200 * 4);
    g_assert_cmpuint(roce->tx_errors, ==, 300); /* only two of its three counters exist */
    g_assert_cmpuint(roce->rx_dropped, ==, 1500);
    g_assert_cmpfloat(roce->bandwidth, ==, 12.5e9);
    g_assert_cmpuint(roce->port, ==, 1);
    const struct strobe_port *other = tree_record(mock, "roce", "mlx5_1/2", 0)->fields;
    g_assert_cmpuint(other->port, ==, 102);
    g_assert_true(isnan(other->bandwidth) && isnan(other->rx_efficiency));
    g_assert_cmpfloat(other->rx_packet_rate, ==, 0);
    free_mock(mock);
    tree_free(root);
}

/* Counters are reset or missing, a port disappears and comes back, and a file is a FIFO. */
static void test_changes(void)
{
    char *root = rdma_host();
    tree_remove(root, "class/net/eth0/statistics/rx_errors");
    tree_put_fifo(root, "class/net/eth0/speed");
    StrobeMockHost *mock = load_plugin(root, "/nonexistent/libdcmi.so");
    put_nic(root, "class/net/eth0", 10); /* smaller than before */
    tree_remove(root, "class/net/eth0/statistics/rx_errors");
    take_sample(mock);
    g_assert_null(tree_record(mock, "nic", "eth0", 0));
    put_nic(root, "class/net/eth0", 20);
    tree_remove(root, "class/net/eth0/statistics/rx_errors");
    take_sample(mock);
    const struct strobe_port *nic = tree_record(mock, "nic", "eth0", 0)->fields;
    g_assert_cmpuint(nic->rx_errors, ==, STROBE_ABSENT_U64);
    g_assert_true(isnan(nic->rx_error_rate) && isnan(nic->bandwidth));
    g_assert_cmpfloat(nic->rx_packet_rate, >, 0);
    gsize n = tree_count(mock, "roce", "mlx5_0/1");
    tree_remove(root, "class/infiniband/mlx5_0");
    g_usleep(1010000); /* until the plugin lists the ports again */
    take_sample(mock);
    take_sample(mock);
    g_assert_cmpuint(tree_count(mock, "roce", "mlx5_0/1") - n, <=, 1);
    free_mock(mock);
    tree_free(root);
}

/* It is no error if a host has no ports. */
static void test_nothing(void)
{
    char *root = tree_new();
    StrobeMockHost *mock = load_plugin(root, "/nonexistent/libdcmi.so");
    take_sample(mock);
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 0);
    free_mock(mock);
    tree_free(root);
}

static DcmiDouble *get_double(void)
{
    void *library = dlopen(double_path, RTLD_NOW | RTLD_LOCAL);
    g_assert_nonnull(library);
    DcmiDoubleFunction *get = (DcmiDoubleFunction *)dlsym(library, "dcmi_double");
    g_assert_nonnull(get);
    DcmiDouble *state = get();
    memset(state, 0, sizeof *state);
    state->n_cards = state->n_in_card = 1;
    return state;
}

static void await_calls(StrobeMockHost *mock, const DcmiDouble *state, int more)
{
    int wanted = g_atomic_int_get(&state->n_calls) + more;
    for (int i = 0; g_atomic_int_get(&state->n_calls) < wanted; i++) {
        g_assert_cmpint(i, <, 20000);
        take_sample(mock);
    }
    g_usleep(20000); /* wait for the results of the last call */
}

static void test_devices(void)
{
    char *root = tree_new();
    DcmiDouble *state = get_double();
    for (int i = 0; i < DOUBLE_NET_WORDS; i++)
        state->net_words[i] = 1000000;
    StrobeMockHost *mock = load_plugin(root, double_path);
    await_calls(mock, state, 1);
    for (int i = 0; i < DOUBLE_NET_WORDS; i++)
        state->net_words[i] += (guint64)i; /* each word grows by its index */
    await_calls(mock, state, 1);
    const struct strobe_mac *mac = NULL;
    for (gsize i = 0; i < tree_count(mock, "mac", NULL); i++) {
        const struct strobe_mac *row = tree_record(mock, "mac", NULL, i)->fields;
        if (row->mac_tx_bytes)
            mac = row;
    }
    g_assert_nonnull(mac);
    /* A word's index is its documented offset divided by 8. */
    g_assert_cmpuint(mac->mac_tx_pfc_packets, ==, 16 / 8);
    g_assert_cmpuint(mac->mac_rx_pfc_packets, ==, 88 / 8);
    g_assert_cmpuint(mac->mac_tx_bytes, ==, 168 / 8);
    g_assert_cmpuint(mac->mac_rx_bytes, ==, 200 / 8);
    g_assert_cmpuint(mac->mac_rx_bad_bytes, ==, 216 / 8);
    g_assert_cmpuint(mac->roce_rx_packets, ==, 240 / 8);
    g_assert_cmpuint(mac->roce_tx_errors, ==, 272 / 8);
    g_assert_cmpuint(mac->roce_rx_cnp, ==, 288 / 8);
    g_assert_cmpuint(mac->roce_retries, ==, 336 / 8);
    g_assert_cmpuint(mac->nic_tx_bytes, ==, 360 / 8);
    g_assert_cmpuint(mac->nic_rx_bytes, ==, 376 / 8);
    g_assert_true(is_near(mac->nic_rx_bandwidth / mac->mac_tx_bandwidth, 47.0 / 21.0));
    gsize last = tree_count(mock, "roce", NULL) - 1;
    const struct strobe_port *roce = tree_record(mock, "roce", NULL, last)->fields;
    g_assert_cmpuint(roce->rx_packets, ==, 1000000 + 240 / 8);
    g_assert_cmpuint(roce->rx_bytes, ==, STROBE_ABSENT_U64);
    g_assert_cmpuint(roce->rx_dropped, ==, STROBE_ABSENT_U64);
    g_assert_true(isnan(roce->rx_byte_rate));
    const struct strobe_port *nic = tree_record(mock, "nic", NULL, last)->fields;
    g_assert_cmpuint(nic->tx_packets, ==, 1000000 + 352 / 8);
    g_assert_cmpint(nic->device, ==, 0);
    free_mock(mock);
    tree_free(root);
}

static void test_not_supported(void)
{
    char *root = tree_new();
    DcmiDouble *state = get_double();
    state->net = -8255;
    StrobeMockHost *mock = load_plugin(root, double_path);
    g_usleep(50000);
    int calls = g_atomic_int_get(&state->n_calls);
    g_assert_cmpint(calls, ==, 1);
    take_sample(mock);
    g_usleep(50000);
    /* the driver is not called again */
    g_assert_cmpint(g_atomic_int_get(&state->n_calls), ==, 1);
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 0);
    g_assert_nonnull(strstr(strobe_mock_host_messages(mock), "does not support"));
    free_mock(mock);
    tree_free(root);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    const char *plugins = g_getenv("STROBE_TEST_PLUGINS");
    double_path = g_getenv("STROBE_TEST_DCMI");
    plugin_path = g_build_filename(plugins ? plugins : ".", "sys_io.so", NULL);
    g_test_add_func("/sys_io/ports", test_ports);
    g_test_add_func("/sys_io/changes", test_changes);
    g_test_add_func("/sys_io/nothing", test_nothing);
    if (double_path) {
        g_test_add_func("/sys_io/devices", test_devices);
        g_test_add_func("/sys_io/not-supported", test_not_supported);
    }
    int status = g_test_run();
    g_free(plugin_path);
    return status;
}
