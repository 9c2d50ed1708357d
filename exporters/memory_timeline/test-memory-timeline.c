/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stddef.h>
#include <string.h>
#include <strobe/kinds.h>
#include <unistd.h>

#include "mock-consumer-host.h"

extern const StrobePlugin strobe_plugin_1;

/* The kinds of the collector `memory`, as in a capture. */
struct use {
    uint64_t address, bytes;
    uint32_t input;
    uint8_t is_written, is_leaf;
};
struct role {
    uint64_t address, bytes;
    uint32_t role;
};

#define FIELD(name_, type_) {.name = name_, .type = STROBE_FIELD_##type_, .unit = "", .summary = ""}

static const StrobeField use_fields[] = {FIELD("address", U64), FIELD("bytes", U64),
                                         FIELD("input", U32), FIELD("is_written", BOOL),
                                         FIELD("is_leaf", BOOL)};
static const StrobeKind use_kind = {
    sizeof(StrobeKind), STROBE_SHAPE_INSTANT, "memory.tensor_use", "", use_fields, 5, 0};
static const StrobeField role_fields[] = {FIELD("address", U64), FIELD("bytes", U64),
                                          FIELD("role", U32)};
static const StrobeKind role_kind = {
    sizeof(StrobeKind), STROBE_SHAPE_INSTANT, "memory.tensor_role", "", role_fields, 3, 0};

/* An operator, as in raw files of torch_npu. */
struct external_op {
    _Alignas(8) StrobeStringId tensors; /* the size of a record's fields is a multiple of 8 */
    StrobeStringId lists;
    uint8_t scope;
};
static const StrobeField external_op_fields[] = {FIELD("ascend_raw.tensors", STRING),
                                                 FIELD("ascend_raw.tensor_lists", STRING),
                                                 FIELD("scope", U8)};
static const StrobeKind external_op_kind = {
    sizeof(StrobeKind), STROBE_SHAPE_SPAN, "cpu_op", "", external_op_fields, 3, 0};
struct parameter {
    StrobeStringId role, tensor;
};
static const StrobeField parameter_fields[] = {FIELD("role", STRING), FIELD("tensor", STRING)};
static const StrobeKind parameter_kind = {
    sizeof(StrobeKind), STROBE_SHAPE_INSTANT, "ascend_raw.parameter", "", parameter_fields, 2, 0};

enum {
    PARAMETER = 0,
    STATE = 1,
    INPUT = 2,
    TEMPORARY = 3,
    ACTIVATION = 4,
    GRADIENT = 5,
    DETAIL = 6
};
/* Addresses of the small model's memory. */
enum { W = 0x1000, X = 0x2000, Y = 0x3000, TMP = 0x4000, G = 0x5000, D = 0x6000, S = 0x7000 };

typedef struct Made {
    char *folder;
    int directory;
    StrobeMockHost *mock;
    StrobeTrackId thread;
} Made;

static void set_up(Made *made, gconstpointer unused)
{
    made->folder = g_dir_make_tmp("memory-timeline-XXXXXX", NULL);
    g_assert_nonnull(made->folder);
    made->directory = open(made->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    made->mock = strobe_mock_new(strobe_plugin_1.components[0], made->directory);
    made->thread = strobe_mock_track(made->mock, STROBE_TRACK_THREAD, 7, "", "", -1);
}

static void tear_down(Made *made, gconstpointer unused)
{
    static const char *const files[] = {"t.raw.json", "t.json", "t.html"};

    strobe_mock_free(made->mock);
    for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(made->folder, files[i], NULL);

        g_unlink(path);
    }
    close(made->directory);
    g_assert_cmpint(g_rmdir(made->folder), ==, 0);
    g_free(made->folder);
}

/* Returns the text that the exporter wrote; NULL: there is no file. */
static char *export_timeline(Made *made, const char *name)
{
    g_autofree char *path = g_build_filename(made->folder, name, NULL);
    char *text = NULL;

    strobe_mock_option(made->mock, "file", name);
    g_assert_cmpint(strobe_mock_run(made->mock), ==, STROBE_OK);
    g_file_get_contents(path, &text, NULL, NULL);
    return text;
}

/* ---- records ---- */

static void add_operator(Made *made, const char *name, int64_t begin, int64_t end, uint8_t scope)
{
    const struct strobe_cpu_op fields = {.scope = scope};

    strobe_mock_add(made->mock, &strobe_kind_cpu_op, made->thread,
                    strobe_mock_string(made->mock, name), begin, end, &fields);
}

static void add_memory_event(Made *made, int64_t at, uint64_t address, int64_t size)
{
    const struct strobe_memory_event fields = {
        .address = address, .size = size, .action = size < 0, .device = -1};

    strobe_mock_add(made->mock, &strobe_kind_memory_event, made->thread, 0, at, at, &fields);
}

static void add_use(Made *made, const char *name, int64_t at, uint64_t address, uint64_t bytes,
                    gboolean is_written)
{
    const struct use fields = {.address = address,
                               .bytes = bytes,
                               .is_written = (uint8_t)is_written,
                               .is_leaf = address == W};

    strobe_mock_add(made->mock, &use_kind, made->thread, strobe_mock_string(made->mock, name), at,
                    at, &fields);
}

static void add_role(Made *made, int64_t at, uint64_t address, uint32_t role)
{
    const struct role fields = {.address = address, .bytes = 100, .role = role};

    strobe_mock_add(made->mock, &role_kind, made->thread, 0, at, at, &fields);
}

/* Adds a model: y = x W, the backward pass, and a step of an optimiser with one state. An operator
 * is recorded when it ends; the inputs of some operators are recorded just before these begin. */
static void add_model(Made *made)
{
    add_memory_event(made, 1500, X, 40);
    add_operator(made, "aten::randn", 1000, 2000, 0);
    add_use(made, "aten::mm", 2990, X, 40, FALSE);
    add_use(made, "aten::mm", 2991, W, 100, FALSE);
    add_memory_event(made, 3500, Y, 60);
    add_memory_event(made, 3600, TMP, 8);
    add_memory_event(made, 3700, TMP, -8);
    add_operator(made, "aten::mm", 3000, 4000, 0);
    add_use(made, "aten::mm", 5100, X, 40, FALSE);
    add_use(made, "aten::mm", 5101, Y, 60, FALSE);
    add_memory_event(made, 5500, G, 100);
    add_operator(made, "aten::mm", 5050, 5550, 0);
    add_memory_event(made, 5600, D, 24);
    add_operator(made, "MmBackward0", 5000, 6000, 1);
    add_operator(made, "autograd::engine::evaluate_function: MmBackward0", 4900, 6100, 0);
    add_use(made, "torch::autograd::AccumulateGrad", 7000, G, 100, FALSE);
    add_use(made, "aten::detach", 7010, G, 100, FALSE);
    add_operator(made, "aten::detach", 7010, 7020, 0);
    add_operator(made, "torch::autograd::AccumulateGrad", 7000, 7100, 1);
    add_memory_event(made, 7500, D, -24);
    add_memory_event(made, 8150, S, 100);
    add_operator(made, "aten::zeros_like", 8100, 8200, 0);
    add_use(made, "aten::add_", 8300, S, 100, TRUE);
    add_use(made, "aten::add_", 8300, G, 100, FALSE);
    add_operator(made, "aten::add_", 8300, 8400, 0);
    add_use(made, "aten::add_", 8500, W, 100, TRUE);
    add_use(made, "aten::add_", 8500, S, 100, FALSE);
    add_operator(made, "aten::add_", 8500, 8600, 0);
    add_operator(made, "Optimizer.step#SGD.step", 8000, 9000, 7);
    add_memory_event(made, 9500, Y, -60);
}

static const char model_events[] =
    "[[-1, 0, 100, 0], [1500, 1, 40, 2], [3500, 1, 60, 4], [3600, 1, 8, 3], [3700, 3, -8, 3], "
    "[5500, 1, 100, 5], [5600, 1, 24, 6], [7500, 3, -24, 6], [8150, 1, 100, 1], "
    "[8300, 2, -100, 1], [8300, 2, 100, 1], [8500, 2, -100, 0], [8500, 2, 100, 0], "
    "[9500, 3, -60, 4]]";

/* ---- tests ---- */

/* The exporter finds the category of each tensor, although no role is reported. */
static void test_categories(Made *made, gconstpointer unused)
{
    add_model(made);
    g_autofree char *text = export_timeline(made, "t.raw.json");

    g_assert_cmpstr(text, ==, model_events);
}

static void test_reported_roles(Made *made, gconstpointer unused)
{
    add_model(made);
    add_role(made, 9600, W, 0);
    add_role(made, 9600, G, 1);
    add_role(made, 9600, S, 2);
    g_autofree char *text = export_timeline(made, "t.raw.json");

    g_assert_cmpstr(text, ==, model_events);
}

/* A role that the program reports takes precedence over a role that is derived from the flow.
 * Memory without a use is not shown. */
static void test_reported_role_wins(Made *made, gconstpointer unused)
{
    add_model(made);
    add_role(made, 9600, S, 0);
    add_role(made, 9600, 0x9000, 2);
    g_autofree char *text = export_timeline(made, "t.raw.json");

    g_assert_nonnull(strstr(text, "[8150, 1, 100, 0]"));
    g_assert_null(strstr(text, "[-1, 0, 100, 1]"));
}

/* The events are a release that was not recorded, a release of memory from before the window, and a
 * release without a size. */
static void test_odd_events(Made *made, gconstpointer unused)
{
    add_memory_event(made, 1000, X, 40);
    add_memory_event(made, 2000, X, 50);
    add_memory_event(made, 3000, Y, -60);
    add_memory_event(made, 4000, W, STROBE_ABSENT_I64);
    g_autofree char *text = export_timeline(made, "t.raw.json");

    g_assert_cmpstr(text, ==,
                    "[[-1, 0, 60, 7], [1000, 1, 40, 7], [2000, 1, 50, 7], [2000, 3, -40, 7], "
                    "[3000, 3, -60, 7]]");
}

static void test_sums(Made *made, gconstpointer unused)
{
    add_model(made);
    g_autofree char *text = export_timeline(made, "t.json");

    g_assert_cmpstr(text, ==,
                    "[[1, 1, 3, 5, 7, 8, 9], [[0, 100, 0, 0, 0, 0, 0, 0, 0], "
                    "[0, 100, 0, 40, 0, 0, 0, 0, 0], [0, 100, 0, 40, 0, 60, 0, 0, 0], "
                    "[0, 100, 0, 40, 0, 60, 100, 24, 0], [0, 100, 0, 40, 0, 60, 100, 0, 0], "
                    "[0, 100, 100, 40, 0, 60, 100, 0, 0], [0, 100, 100, 40, 0, 0, 100, 0, 0]]]");
}

/* A recorded name cannot end the element that has it. */
static void test_page(Made *made, gconstpointer unused)
{
    add_memory_event(made, 1500, X, 40);
    add_operator(made, "aten::</script><b>", 1000, 2000, 0);
    g_autofree char *text = export_timeline(made, "t.html");

    g_assert_true(g_str_has_prefix(text, "<!DOCTYPE html>"));
    g_assert_nonnull(strstr(text, "\"name\":\"aten::\\u003c/script>\\u003cb>\""));
    g_assert_nonnull(strstr(text, "\"peak\":0,\"times\":[0],\"held\":[[0]"));
    g_assert_null(strstr(text, "@DATA@"));
    g_assert_true(g_str_has_suffix(text, "</html>\n"));
}

/* The totals of the allocator are larger than the sum of the known blocks. The host's allocator
 * reports no reserved memory. */
static void test_maxima(Made *made, gconstpointer unused)
{
    struct strobe_memory_event fields = {.address = X,
                                         .size = 40,
                                         .total_allocated = 5000,
                                         .total_reserved = STROBE_ABSENT_I64,
                                         .device = -1};

    strobe_mock_add(made->mock, &strobe_kind_memory_event, made->thread, 0, 1000, 1000, &fields);
    fields.action = 3; /* an event that has only a state */
    fields.total_allocated = 6000;
    strobe_mock_add(made->mock, &strobe_kind_memory_event, made->thread, 0, 2000, 2000, &fields);
    fields.total_allocated = 4000;
    strobe_mock_add(made->mock, &strobe_kind_memory_event, made->thread, 0, 3000, 3000, &fields);
    fields.device = 1;
    fields.total_allocated = fields.total_reserved = 9000;
    strobe_mock_add(made->mock, &strobe_kind_memory_event, made->thread, 0, 4000, 4000, &fields);
    g_autofree char *text = export_timeline(made, "t.html");

    g_assert_nonnull(strstr(text, "\"most_allocated\":6000,\"most_reserved\":null"));
}

/* There are more samples than columns on a screen: the samples that are drawn include the peak. */
static void test_thinned_page(Made *made, gconstpointer unused)
{
    for (guint i = 0; i < 20000; i++) {
        add_memory_event(made, i * 2000 + 1000, 64 + i * 64, 100);
        add_memory_event(made, i * 2000 + 2500, 64 + i * 64, -100);
    }
    add_memory_event(made, 20001000, 64, 12345);
    g_autofree char *text = export_timeline(made, "t.html");
    const char *times = strstr(text, "\"times\":["), *end = strstr(text, "\"held\"");
    guint n = 1;

    g_assert_nonnull(strstr(text, "\"is_thinned\":true"));
    g_assert_nonnull(strstr(text, "\"bytes\":12345"));
    for (; times < end; times++)
        n += *times == ',';
    g_assert_cmpuint(n, >, 1500);
    g_assert_cmpuint(n, <, 6010);
}

static void test_other_device(Made *made, gconstpointer unused)
{
    struct strobe_memory_event fields = {.address = 8, .size = 16, .device = 3};

    add_memory_event(made, 1000, X, 40);
    strobe_mock_add(made->mock, &strobe_kind_memory_event, made->thread, 0, 50, 50, &fields);
    strobe_mock_option(made->mock, "device", "npu:3");
    g_autofree char *text = export_timeline(made, "t.raw.json");

    g_assert_cmpstr(text, ==, "[[50, 1, 16, 7]]");
}

static void add_external_op(Made *made, const char *name, int64_t begin, int64_t end,
                            const char *tensors, const char *lists)
{
    const struct external_op fields = {.tensors = strobe_mock_string(made->mock, tensors),
                                       .lists = strobe_mock_string(made->mock, lists)};

    strobe_mock_add(made->mock, &external_op_kind, made->thread,
                    strobe_mock_string(made->mock, name), begin, end, &fields);
}

static void device_event(Made *made, int64_t at, uint64_t address, int64_t size, uint32_t action)
{
    const struct strobe_memory_event fields = {
        .address = address, .size = size, .action = action, .device = 0};

    strobe_mock_add(made->mock, &strobe_kind_memory_event, made->thread, 0, at, at, &fields);
}

/* Tensors are given as texts. Those of an operator precede those of the operators in it. One tensor
 * is on another device. */
static void test_raw_files(Made *made, gconstpointer unused)
{
    static const char weight[] = "0x1;0x1000;float;4;5,5;5,1;20;0",
                      state[] = "0x2;0x7000;float;4;5,5;;20;0";
    const struct parameter reported[] = {
        {strobe_mock_string(made->mock, "optimizer"), strobe_mock_string(made->mock, weight)},
        {strobe_mock_string(made->mock, "state"), strobe_mock_string(made->mock, state)},
    };

    for (guint i = 0; i < 2; i++)
        strobe_mock_add(made->mock, &parameter_kind, 0, 0, 0, 0, &reported[i]);
    add_external_op(made, "aten::zeros_like", 1000, 2000, weight, "");
    add_external_op(made, "aten::empty_like", 1100, 1200, weight, "");
    device_event(made, 1150, 0x7000, 100, 0);
    add_external_op(made, "aten::_foreach_add_", 3000, 4000,
                    "0x9;0x9000;float;4;7;1;0;-1)strange;text)0x9;0xzz;float;4;7;1;20;0",
                    "0x2;0x7000;float;4;5,5;5,1;20;0)}0x1;0x1000;float;4;5,5;5,1;20;0)");
    device_event(made, 5000, 0x7000, -100, 1);
    device_event(made, 5100, 0x7000, -100, 2);
    device_event(made, 6000, 0x7000, 100, 0);
    strobe_mock_option(made->mock, "device", "npu:0");
    g_autofree char *text = export_timeline(made, "t.raw.json");

    g_assert_cmpstr(text, ==,
                    "[[-1, 0, 100, 0], [1150, 1, 100, 7], [3000, 2, -100, 7], [3000, 2, 100, 7], "
                    "[5000, 3, -100, 7], [6000, 1, 100, 1]]");
}

static void test_unknown_device(Made *made, gconstpointer unused)
{
    strobe_mock_option(made->mock, "device", "gpu");
    g_assert_cmpint(strobe_mock_open(made->mock), ==, STROBE_ERROR_CONFIG);
    g_assert_nonnull(strstr(strobe_mock_error(made->mock), "expected cpu or npu:NUMBER"));
}

static void test_nothing(Made *made, gconstpointer unused)
{
    add_operator(made, "aten::mm", 0, 10, 0);
    g_assert_null(export_timeline(made, "t.json"));
    g_assert_cmpuint(strobe_mock_warnings(made->mock), ==, 1);
}

#define ADD(name_, function_)                                                                      \
    g_test_add("/memory-timeline/" name_, Made, NULL, set_up, function_, tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("categories", test_categories);
    ADD("told-roles", test_reported_roles);
    ADD("told-role-wins", test_reported_role_wins);
    ADD("odd-events", test_odd_events);
    ADD("sums", test_sums);
    ADD("page", test_page);
    ADD("maxima", test_maxima);
    ADD("thinned-page", test_thinned_page);
    ADD("other-device", test_other_device);
    ADD("raw-files", test_raw_files);
    ADD("unknown-device", test_unknown_device);
    ADD("nothing", test_nothing);
    return g_test_run();
}
