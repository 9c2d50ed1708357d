/* SPDX-License-Identifier: Apache-2.0 */
#include "test-device.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

typedef struct Made {
    char *folder;
    int directory;
    StrobeMockHost *mock;
} Made;

static void set_up(Made *made, gconstpointer unused)
{
    (void)unused;
    made->folder = g_dir_make_tmp("comm-json-XXXXXX", NULL);
    g_assert_nonnull(made->folder);
    made->directory = open(made->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    made->mock = strobe_mock_new(strobe_plugin_1.components[0], made->directory);
    strobe_mock_metadata(made->mock)->generation = 1;
    strobe_mock_metadata(made->mock)->level = 1;
}

static void tear_down(Made *made, gconstpointer unused)
{
    static const char *const files[] = {"communication.json", "communication_matrix.json"};

    (void)unused;
    strobe_mock_free(made->mock);
    for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(made->folder, files[i], NULL);

        g_unlink(path);
    }
    close(made->directory);
    g_assert_cmpint(g_rmdir(made->folder), ==, 0);
    g_free(made->folder);
}

static char *read_text(const Made *made, const char *name)
{
    g_autofree char *path = g_build_filename(made->folder, name, NULL);
    char *text = NULL;

    g_file_get_contents(path, &text, NULL, NULL);
    return text;
}

static void add_time(StrobeMockHost *mock, const char *name, uint8_t is_total)
{
    TEST_FIELDS(communication_time, fields);
    fields.step = 5;
    fields.type = strobe_mock_string(mock, "collective");
    if (!is_total)
        fields.start = 1736408883732241.5;
    fields.elapse = 2;
    fields.transit = 0.5;
    fields.wait = 1;
    fields.synchronization = 0;
    fields.idle = 0.5;
    fields.is_total = is_total;
    TEST_ADD(mock, communication_time, 0, name, 0, 0, &fields);
}

static void add_bandwidth(StrobeMockHost *mock, const char *name, const char *transport,
                          double package, uint8_t is_total)
{
    TEST_FIELDS(communication_bandwidth, fields);
    fields.step = 5;
    fields.type = strobe_mock_string(mock, "collective");
    fields.transport = strobe_mock_string(mock, transport);
    fields.transit_size = 3;
    fields.transit_time = 0.5;
    fields.bandwidth = 6;
    fields.is_total = is_total;
    fields.package_count = 0;
    if (package > 0) {
        fields.large_ratio = 0;
        fields.package_size = package;
        fields.package_count = 2;
        fields.package_time = 0.25;
    }
    TEST_ADD(mock, communication_bandwidth, 0, name, 0, 0, &fields);
}

#define ZERO(name_)                                                                                \
    "\"" name_ "\": {\"Transit Size(MB)\": 0, \"Transit Time(ms)\": 0, \"Bandwidth(GB/s)\": 0, "   \
    "\"Large Packet Ratio\": 0, \"Size Distribution\": {}}"
#define ZERO_TOTAL(name_)                                                                          \
    "\"" name_ "\": {\"Transit Time(ms)\": 0, \"Transit Size(MB)\": 0, \"Size Distribution\": {}}"
#define RATIOS                                                                                     \
    "\"Elapse Time(ms)\": 2.0, \"Transit Time(ms)\": 0.5, \"Wait Time(ms)\": 1.0, "                \
    "\"Synchronization Time(ms)\": 0.0, \"Idle Time(ms)\": 0.5, \"Wait Time Ratio\": 0.6667, "     \
    "\"Synchronization Time Ratio\": 0.0}, \"Communication Bandwidth Info\": {"

static void test_figures(Made *made, gconstpointer unused)
{
    g_autofree char *text = NULL;

    (void)unused;
    add_time(made->mock, "hcom_\"x@1", 0);
    add_bandwidth(made->mock, "hcom_\"x@1", "HCCS", 1, 0);
    add_bandwidth(made->mock, "hcom_\"x@1", "HCCS", 0.5, 0);
    add_bandwidth(made->mock, "hcom_\"x@1", "SDMA", 0, 0);
    add_time(made->mock, "Total Op Info", 1);
    add_bandwidth(made->mock, "Total Op Info", "SDMA", 0, 1);
    g_assert_cmpint(strobe_mock_run(made->mock), ==, STROBE_OK);
    text = read_text(made, "communication.json");
    g_assert_cmpstr(
        text, ==,
        "{\"step5\": {\"p2p\": {}, \"collective\": {\"hcom_\\\"x@1\": "
        "{\"Communication Time Info\": {\"Start Timestamp(us)\": 1736408883732241.5, " RATIOS ZERO(
            "RDMA") ", \"HCCS\": {\"Transit Size(MB)\": 3.0, \"Transit Time(ms)\": 0.5, "
                    "\"Bandwidth(GB/s)\": 6.0, \"Large Packet Ratio\": 0.0, "
                    "\"Size Distribution\": {\"1.0\": [2, 0.25], \"0.5\": [2, 0.25]}}, " ZERO(
                        "PCIE") ", \"SDMA\": {\"Transit Size(MB)\": 3.0, \"Transit Time(ms)\": "
                                "0.5, "
                                "\"Bandwidth(GB/s)\": 6.0, \"Large Packet Ratio\": 0, "
                                "\"Size Distribution\": {}}, " ZERO(
                                    "SIO") "}}, \"Total Op Info\": "
                                           "{\"Communication Time Info\": {" RATIOS
                                               ZERO_TOTAL("RDMA") ", " ZERO_TOTAL(
                                                   "HCCS") ", " ZERO_TOTAL("PCIE") ", \"SDMA\": "
                                                                                   "{\"Transit "
                                                                                   "Time(ms)\": "
                                                                                   "0.5, \"Transit "
                                                                                   "Size(MB)\": "
                                                                                   "3.0, "
                                                                                   "\"Size "
                                                                                   "Distribution\":"
                                                                                   " {}},"
                                                                                   " " ZERO_TOTAL(
                                                                                       "SIO") "}}}}"
                                                                                              "}");
    g_assert_null(read_text(made, "communication_matrix.json"));
}

static void add_link(StrobeMockHost *mock, const char *name, const char *op_name)
{
    TEST_FIELDS(communication_matrix, fields);
    fields.type = strobe_mock_string(mock, "p2p");
    fields.source = strobe_mock_string(mock, "0");
    fields.target = strobe_mock_string(mock, "1");
    fields.transport = strobe_mock_string(mock, "HCCS");
    fields.transit_size = 4;
    fields.transit_time = 2;
    fields.bandwidth = 2;
    fields.op_name = op_name ? strobe_mock_string(mock, op_name) : 0;
    TEST_ADD(mock, communication_matrix, 0, name, 0, 0, &fields);
}

/* Without steps the key is "step". A total has no operation's name. */
static void test_matrix(Made *made, gconstpointer unused)
{
    g_autofree char *text = NULL;

    (void)unused;
    add_link(made->mock, "send-top1@1", "hcom_send__1");
    add_link(made->mock, "send-total@1", NULL);
    g_assert_cmpint(strobe_mock_run(made->mock), ==, STROBE_OK);
    text = read_text(made, "communication_matrix.json");
    g_assert_cmpstr(text, ==,
                    "{\"step\": {\"p2p\": {\"send-top1@1\": {\"0-1\": {\"Transport Type\": "
                    "\"HCCS\", \"Transit Size(MB)\": 4.0, \"Transit Time(ms)\": 2.0, "
                    "\"Bandwidth(GB/s)\": 2.0, \"Op Name\": \"hcom_send__1\"}}, "
                    "\"send-total@1\": {\"0-1\": {\"Transport Type\": \"HCCS\", "
                    "\"Transit Size(MB)\": 4.0, \"Transit Time(ms)\": 2.0, "
                    "\"Bandwidth(GB/s)\": 2.0}}}, \"collective\": {}}}");
}

static void test_level_0(Made *made, gconstpointer unused)
{
    (void)unused;
    strobe_mock_metadata(made->mock)->level = 0;
    add_link(made->mock, "send-top1@1", "hcom_send__1");
    add_time(made->mock, "hcom_send__1@1", 0);
    g_assert_cmpint(strobe_mock_run(made->mock), ==, STROBE_OK);
    g_assert_null(read_text(made, "communication.json"));
    g_assert_null(read_text(made, "communication_matrix.json"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/comm-json/figures", Made, NULL, set_up, test_figures, tear_down);
    g_test_add("/comm-json/matrix", Made, NULL, set_up, test_matrix, tear_down);
    g_test_add("/comm-json/level-0", Made, NULL, set_up, test_level_0, tear_down);
    return g_test_run();
}
