/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>
#include <strobe/kinds.h>
#include <unistd.h>

#include "mock-consumer-host.h"
#include "tensorboard.h"

#define BASE ((gint64)1700000000 * 1000000000)

extern const StrobePlugin strobe_plugin_1;

typedef struct Fixture {
    char *folder;
    int directory;
    StrobeMockHost *mock;
    StrobeTrackId thread, stream;
} Fixture;

static void set_up(Fixture *f, gconstpointer unused)
{
    StrobeMetadata *metadata;

    f->folder = g_dir_make_tmp("strobe-tensorboard-XXXXXX", NULL);
    f->directory = open(f->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    f->mock = strobe_mock_new(strobe_plugin_1.components[0], f->directory);
    metadata = strobe_mock_metadata(f->mock);
    metadata->window_begin_ns = BASE + 5;
    metadata->window_end_ns = BASE + 9000000;
    metadata->pid = 42;
    metadata->host = "there";
    f->thread = strobe_mock_track(f->mock, STROBE_TRACK_THREAD, 4711, "main", NULL, -1);
    f->stream = strobe_mock_track(f->mock, STROBE_TRACK_STREAM, 7, NULL, NULL, 1);
}

static void tear_down(Fixture *f, gconstpointer unused)
{
    GDir *dir = g_dir_open(f->folder, 0, NULL);
    const char *name;

    while ((name = g_dir_read_name(dir)))
        unlinkat(f->directory, name, 0);
    g_dir_close(dir);
    g_rmdir(f->folder);
    g_free(f->folder);
    close(f->directory);
    strobe_mock_free(f->mock);
}

/* Returns the name of the only file; NULL: there is none. */
static char *only_file(Fixture *f)
{
    GDir *dir = g_dir_open(f->folder, 0, NULL);
    char *name = g_strdup(g_dir_read_name(dir));

    g_assert_null(g_dir_read_name(dir));
    g_dir_close(dir);
    return name;
}

/* Runs the exporter and returns the parsed trace. */
static JsonObject *export_trace(Fixture *f)
{
    g_autoptr(JsonParser) parser = json_parser_new();
    g_autofree char *name = NULL, *path = NULL;
    g_autoptr(JsonNode) root = NULL;
    g_autoptr(GError) error = NULL;

    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_assert_cmpstr(strobe_mock_error(f->mock), ==, "");
    name = only_file(f);
    g_assert_nonnull(name);
    path = g_build_filename(f->folder, name, NULL);
    json_parser_load_from_file(parser, path, &error);
    g_assert_no_error(error);
    root = json_parser_steal_root(parser);
    return json_object_ref(json_node_get_object(root));
}

/* Returns event number `n` of the category; NULL: there is none. */
static JsonObject *find_event(JsonObject *trace, const char *category, guint n)
{
    JsonArray *events = json_object_get_array_member(trace, "traceEvents");

    for (guint i = 0; i < json_array_get_length(events); i++) {
        JsonObject *each = json_array_get_object_element(events, i);

        if (!strcmp(json_object_get_string_member(each, "cat"), category) && n-- == 0)
            return each;
    }
    return NULL;
}

static char *args_text(JsonObject *each)
{
    JsonNode *node = json_object_get_member(each, "args");

    return json_to_string(node, FALSE);
}

static guint intern_text(Fixture *f, const char *text)
{
    return strobe_mock_string(f->mock, text);
}

/* Fields that cpu_op adds on request have Kineto's names and forms. */
static void test_added_fields(Fixture *f, gconstpointer unused)
{
    static const StrobeField fields[] = {{"cpu_op.flops", STROBE_FIELD_U64, 0, "", ""},
                                         {"cpu_op.values", STROBE_FIELD_STRING, 0, "", ""},
                                         {"cpu_op.modules", STROBE_FIELD_STRING, 0, "", ""}};
    static const StrobeKind kind = {
        sizeof(StrobeKind), STROBE_SHAPE_SPAN, "cpu_op", "", fields, G_N_ELEMENTS(fields), 0};
    const struct {
        guint64 flops;
        guint32 values, modules;
    } values = {1000, intern_text(f, "[\"\", \"1.5\", \"[2, 3]\"]"), intern_text(f, "A.forward")};

    strobe_mock_add(f->mock, &kind, f->thread, intern_text(f, "aten::mm"), BASE + 1000, BASE + 2000,
                    &values);
    g_autoptr(JsonObject) trace = export_trace(f);
    g_autofree char *args = args_text(find_event(trace, "cpu_op", 0));
    g_assert_cmpstr(args, ==,
                    "{\"flops\":1000,\"Concrete Inputs\":[\"\",\"1.5\",\"[2, 3]\"],"
                    "\"Module Hierarchy\":\"A.forward\"}");
}

static void add_operator(Fixture *f, const char *name, const char *shapes, const char *types)
{
    static const char *const frames[] = {"inner", "out\"er", NULL};
    struct strobe_cpu_op op = {.sequence = 5,
                               .shapes = intern_text(f, shapes),
                               .types = intern_text(f, types),
                               .stack = strobe_mock_stack(f->mock, frames)};

    strobe_mock_add(f->mock, &strobe_kind_cpu_op, f->thread, intern_text(f, name), BASE + 1000500,
                    BASE + 1002000, &op);
}

static void test_operator(Fixture *f, gconstpointer unused)
{
    g_autofree char *text = NULL;
    JsonObject *trace, *op;

    add_operator(f, "aten::\"mm\"\xff", "2,3;;[[1],[2]];evil", "float;Sca\"lar");
    trace = export_trace(f);
    op = find_event(trace, "cpu_op", 0);
    g_assert_cmpstr(json_object_get_string_member(op, "name"), ==, "aten::\"mm\"\xef\xbf\xbd");
    g_assert_cmpfloat(json_object_get_double_member(op, "ts"), ==, 1000.5);
    g_assert_cmpfloat(json_object_get_double_member(op, "dur"), ==, 1.5);
    g_assert_cmpint(json_object_get_int_member(op, "pid"), ==, 42);
    g_assert_cmpint(json_object_get_int_member(op, "tid"), ==, 4711);
    text = args_text(op);
    g_assert_cmpstr(text, ==,
                    "{\"Input type\":[\"float\",\"Sca\\\"lar\"],"
                    "\"Input Dims\":[[2,3],[],[[1],[2]],\"evil\"],\"Sequence number\":5,"
                    "\"Fwd thread id\":0,\"Call stack\":\"inner;out\\\"er\"}");
    g_assert_cmpint(json_object_get_int_member(trace, "baseTimeNanoseconds"), ==, BASE);
    g_assert_cmpint(json_object_get_int_member(trace, "schemaVersion"), ==, 1);
    json_object_unref(trace);
}

static void test_absent(Fixture *f, gconstpointer unused)
{
    struct strobe_cpu_op op = {.sequence = -1};
    g_autofree char *text = NULL;
    JsonObject *trace;

    strobe_mock_add(f->mock, &strobe_kind_cpu_op, f->thread, 0, BASE + 10, BASE + 20, &op);
    trace = export_trace(f);
    text = args_text(find_event(trace, "cpu_op", 0));
    g_assert_cmpstr(text, ==, "{}");
    g_assert_cmpstr(json_object_get_string_member(find_event(trace, "cpu_op", 0), "name"), ==,
                    "cpu_op");
    json_object_unref(trace);
}

static void test_step(Fixture *f, gconstpointer unused)
{
    StrobeTrackId steps = strobe_mock_track(f->mock, STROBE_TRACK_STEPS, 0, NULL, NULL, -1);
    struct strobe_step step = {.number = 3, .thread = 4711};
    JsonObject *trace, *found;

    strobe_mock_add(f->mock, &strobe_kind_step, steps, intern_text(f, "anything"), BASE + 10,
                    BASE + 20, &step);
    trace = export_trace(f);
    found = find_event(trace, "user_annotation", 0);
    g_assert_cmpstr(json_object_get_string_member(found, "name"), ==, "ProfilerStep#3");
    g_assert_cmpint(json_object_get_int_member(found, "tid"), ==, 4711);
    json_object_unref(trace);
}

static guint count_named(JsonObject *trace, const char *name)
{
    JsonArray *events = json_object_get_array_member(trace, "traceEvents");
    guint n = 0;

    for (guint i = 0; i < json_array_get_length(events); i++)
        n += !strcmp(
            json_object_get_string_member(json_array_get_object_element(events, i), "name"), name);
    return n;
}

/* Adds two steps. Each step contains a mark with its name, and the range of PyTorch's own
 * profiler. */
static void add_step_ranges(Fixture *f, gboolean has_steps)
{
    StrobeTrackId steps = strobe_mock_track(f->mock, STROBE_TRACK_STEPS, 0, NULL, NULL, -1);
    struct strobe_marker mark = {0};
    struct strobe_cpu_op range = {.sequence = -1, .scope = 7};
    struct strobe_step step = {.thread = 4711};

    for (step.number = 1; step.number <= 2; step.number++) {
        g_autofree char *name = g_strdup_printf("ProfilerStep#%" G_GINT64_FORMAT, step.number);
        const gint64 at = BASE + 1000 * step.number;

        strobe_mock_add(f->mock, &strobe_kind_cpu_op, f->thread, intern_text(f, name), at + 20,
                        at + 30, &range);
        strobe_mock_add(f->mock, &strobe_kind_marker, f->thread, intern_text(f, name), at + 10,
                        at + 40, &mark);
        if (has_steps)
            strobe_mock_add(f->mock, &strobe_kind_step, steps, intern_text(f, name), at, at + 50,
                            &step);
    }
    strobe_mock_add(f->mock, &strobe_kind_marker, f->thread, intern_text(f, "ProfilerStep#x"),
                    BASE + 3000, BASE + 3010, &mark);
}

/* The exporter omits the ranges, because otherwise the reader would show each step three times. */
static void test_step_ranges(Fixture *f, gconstpointer unused)
{
    JsonObject *trace;

    add_step_ranges(f, TRUE);
    trace = export_trace(f);
    g_assert_cmpuint(count_named(trace, "ProfilerStep#1"), ==, 1);
    g_assert_cmpuint(count_named(trace, "ProfilerStep#2"), ==, 1);
    g_assert_cmpuint(count_named(trace, "ProfilerStep#x"), ==, 1);
    g_assert_cmpfloat(json_object_get_double_member(find_event(trace, "user_annotation", 1), "dur"),
                      ==, 0.05);
    json_object_unref(trace);
}

/* Without records of steps the ranges are drawn; they are then the steps. */
static void test_step_ranges_alone(Fixture *f, gconstpointer unused)
{
    JsonObject *trace;

    add_step_ranges(f, FALSE);
    trace = export_trace(f);
    g_assert_cmpuint(count_named(trace, "ProfilerStep#1"), ==, 2);
    g_assert_cmpuint(count_named(trace, "ProfilerStep#2"), ==, 2);
    json_object_unref(trace);
}

/* In a text result of Ascend the steps are among the operators. */
static void test_step_ranges_of_ascend(Fixture *f, gconstpointer unused)
{
    JsonObject *trace;

    strobe_mock_metadata_entry(f->mock, "source", "{\"format\": \"ascend_text\"}");
    add_step_ranges(f, TRUE);
    trace = export_trace(f);
    g_assert_cmpuint(count_named(trace, "ProfilerStep#1"), ==, 1);
    g_assert_nonnull(find_event(trace, "cpu_op", 1));
    json_object_unref(trace);
}

static void add_call(Fixture *f, guint64 connection, gint64 at)
{
    struct strobe_api_call call = {
        .level = intern_text(f, "cuda_runtime"), .connection = connection, .exact_us = NAN};

    strobe_mock_add(f->mock, &strobe_kind_api_call, f->thread, intern_text(f, "launch"), at, at + 5,
                    &call);
}

static struct strobe_device_task make_task(guint64 connection)
{
    struct strobe_device_task task;

    memset(&task, 0xff, sizeof task); /* makes all fields absent, except texts */
    memset(&task.task_type, 0,
           G_STRUCT_OFFSET(struct strobe_device_task, copy_bytes) -
               G_STRUCT_OFFSET(struct strobe_device_task, task_type));
    task.copy_direction = 0;
    task.exact_us = task.copy_bandwidth = NAN;
    task.connection = connection;
    task.is_kernel = 1;
    return task;
}

static void test_device(Fixture *f, gconstpointer unused)
{
    struct strobe_device_task task = make_task(9);
    g_autofree char *text = NULL;
    JsonObject *trace, *begin, *end;

    task.grid_dim = intern_text(f, "1,2,3");
    strobe_mock_add(f->mock, &strobe_kind_device_task, f->stream, intern_text(f, "k"), BASE + 100,
                    BASE + 200, &task);
    task.connection = 10; /* no call has this connection */
    task.is_kernel = 0;
    task.copy_bytes = 64;
    strobe_mock_add(f->mock, &strobe_kind_device_task, f->stream, intern_text(f, "copy"),
                    BASE + 300, BASE + 400, &task);
    add_call(f, 9, BASE + 50); /* a call may end after its task */
    add_call(f, 11, BASE + 60);
    trace = export_trace(f);
    g_assert_cmpint(json_object_get_int_member(find_event(trace, "kernel", 0), "pid"), ==, 1);
    g_assert_cmpint(json_object_get_int_member(find_event(trace, "kernel", 0), "tid"), ==, 7);
    text = args_text(find_event(trace, "kernel", 0));
    g_assert_cmpstr(text, ==, "{\"device\":1,\"correlation\":9,\"grid\":[1,2,3]}");
    g_assert_nonnull(find_event(trace, "gpu_memcpy", 0));
    g_assert_nonnull(find_event(trace, "cuda_runtime", 1));
    begin = find_event(trace, "ac2g", 0);
    end = find_event(trace, "ac2g", 1);
    g_assert_null(find_event(trace, "ac2g", 2));
    g_assert_cmpstr(json_object_get_string_member(begin, "ph"), ==, "s");
    g_assert_cmpint(json_object_get_int_member(begin, "tid"), ==, 4711);
    g_assert_cmpstr(json_object_get_string_member(end, "bp"), ==, "e");
    g_assert_cmpint(json_object_get_int_member(end, "id"), ==, 9);
    g_assert_cmpint(json_object_get_int_member(end, "pid"), ==, 1);
    json_object_unref(trace);
}

static void test_memory(Fixture *f, gconstpointer unused)
{
    struct strobe_memory_event taken = {.address = 64,
                                        .size = 8,
                                        .total_allocated = 8,
                                        .total_reserved = STROBE_ABSENT_I64,
                                        .device = 2};
    struct strobe_memory_event host = {
        .address = 128, .size = -8, .total_reserved = STROBE_ABSENT_I64, .device = -1};
    struct strobe_memory_event state = {.address = 64, .size = STROBE_ABSENT_I64, .device = -1};
    g_autofree char *text = NULL;
    JsonObject *trace;

    strobe_mock_add(f->mock, &strobe_kind_memory_event, f->thread, intern_text(f, "op"), BASE + 10,
                    BASE + 10, &taken);
    strobe_mock_add(f->mock, &strobe_kind_memory_event, f->thread, 0, BASE + 10, BASE + 10, &state);
    strobe_mock_add(f->mock, &strobe_kind_memory_event, f->thread, 0, BASE + 11, BASE + 11, &host);
    trace = export_trace(f);
    text = args_text(find_event(trace, "cpu_instant_event", 0));
    g_assert_cmpstr(text, ==,
                    "{\"Total Allocated\":8,\"Bytes\":8,\"Addr\":64,\"Device Id\":2,"
                    "\"Device Type\":1}");
    g_assert_cmpstr(
        json_object_get_string_member(find_event(trace, "cpu_instant_event", 0), "name"), ==,
        "[memory]");
    g_free(text);
    text = args_text(find_event(trace, "cpu_instant_event", 1));
    g_assert_cmpstr(text, ==,
                    "{\"Total Allocated\":0,\"Bytes\":-8,\"Addr\":128,\"Device Id\":-1,"
                    "\"Device Type\":0,\"Total Reserved\":0}");
    g_assert_null(find_event(trace, "cpu_instant_event", 2));
    json_object_unref(trace);
}

static void add_metadata_entry(Fixture *f, const char *key, const char *value, gboolean is_json,
                               gint64 at)
{
    struct strobe_metadata entry = {.value = intern_text(f, value), .is_json = is_json};

    strobe_mock_add(f->mock, &strobe_kind_metadata, 0, intern_text(f, key), at, at, &entry);
}

static void test_members(Fixture *f, gconstpointer unused)
{
    g_autofree char *text = NULL;
    g_autoptr(GList) keys = NULL;
    JsonObject *trace;

    add_metadata_entry(f, "distributedInfo", "{\"rank\": 3}", TRUE, BASE + 6);
    add_metadata_entry(f, "traceEvents", "[]", TRUE, BASE + 6);
    add_metadata_entry(f, "broken", "{\"a\": ", TRUE, BASE + 6);
    add_operator(f, "op", "1", "a");
    add_metadata_entry(f, "late \"key\"", "text", FALSE, BASE + 7);
    add_metadata_entry(f, "distributedInfo", "{\"rank\": 4}", TRUE, BASE + 8);
    strobe_mock_metadata_entry(f->mock, "trace_id", "a \"trace\"");
    trace = export_trace(f);
    keys = json_object_get_members(trace);
    g_assert_cmpstr(g_list_nth_data(keys, 1), ==, "distributedInfo");
    g_assert_cmpint(
        json_object_get_int_member(json_object_get_object_member(trace, "distributedInfo"), "rank"),
        ==, 3);
    g_assert_cmpstr(json_object_get_string_member(trace, "trace_id"), ==, "a \"trace\"");
    g_assert_cmpstr(json_object_get_string_member(trace, "broken"), ==, "{\"a\": ");
    g_assert_cmpstr(json_object_get_string_member(trace, "late \"key\""), ==, "text");
    g_assert_cmpuint(json_array_get_length(json_object_get_array_member(trace, "deviceProperties")),
                     ==, 0);
    g_assert_cmpuint(json_array_get_length(json_object_get_array_member(trace, "traceEvents")), >,
                     1);
    json_object_unref(trace);
}

static void test_forward_and_backward(Fixture *f, gconstpointer unused)
{
    struct strobe_operator_link link = {
        .sequence = 5, .to_begin = BASE + 700, .to_track = f->thread};
    JsonObject *trace;

    add_operator(f, "op", "1", "a");
    strobe_mock_derived_kind(f->mock, &strobe_kind_operator_link);
    strobe_mock_add(f->mock, &strobe_kind_operator_link, f->thread, 0, BASE + 500, BASE + 500,
                    &link);
    trace = export_trace(f);
    g_assert_cmpfloat(json_object_get_double_member(find_event(trace, "fwdbwd", 0), "ts"), ==, 0.5);
    g_assert_cmpfloat(json_object_get_double_member(find_event(trace, "fwdbwd", 1), "ts"), ==, 0.7);
    json_object_unref(trace);
}

static void add_async(Fixture *f, const char *name, const char *shapes, gint64 begin_ns)
{
    const struct strobe_cpu_op op = {
        .sequence = -1, .shapes = shapes ? intern_text(f, shapes) : 0, .is_async = 1};

    strobe_mock_add(f->mock, &strobe_kind_cpu_op, f->thread, intern_text(f, name), begin_ns,
                    begin_ns + 1000, &op);
}

/* Collectives are annotations, each with its own number; the reader ignores other asynchronous
 * operators. */
static void test_async(Fixture *f, gconstpointer unused)
{
    add_async(f, "gloo:all_reduce", "3,4", BASE + 1000);
    add_async(f, "nccl:broadcast", NULL, BASE + 1500);
    add_async(f, "aten::wait", NULL, BASE + 2000);
    g_autoptr(JsonObject) trace = export_trace(f);
    g_autofree char *first = args_text(find_event(trace, "user_annotation", 0));
    g_autofree char *second = args_text(find_event(trace, "user_annotation", 1));
    g_assert_cmpstr(first, ==, "{\"Input Dims\":[[3,4]],\"External id\":1}");
    g_assert_cmpstr(second, ==, "{\"External id\":2}");
    g_assert_null(find_event(trace, "user_annotation", 2));
    g_assert_cmpstr(json_object_get_string_member(find_event(trace, "cpu_op_async", 0), "name"), ==,
                    "aten::wait");
}

/* All dumps of a flight recorder belong to the same window, so the name has the time of the
 * dump. */
static void test_name_of_a_dump(Fixture *f, gconstpointer unused)
{
    g_autofree char *name = NULL;

    strobe_mock_option(f->mock, "worker", "a");
    strobe_mock_metadata_entry(f->mock, "dump_reason", "signal");
    strobe_mock_metadata_entry(f->mock, "start_realtime_ns", "1700000000300000007");
    add_operator(f, "op", "1", "a");
    json_object_unref(export_trace(f));
    name = only_file(f);
    g_assert_cmpstr(name, ==, "a.1700000000300000007.pt.trace.json");
}

static void test_names(Fixture *f, gconstpointer unused)
{
    g_autofree char *name = NULL;
    JsonObject *trace;

    strobe_mock_option(f->mock, "worker", "../a b");
    add_operator(f, "op", "1", "a");
    trace = export_trace(f);
    name = only_file(f);
    g_assert_cmpstr(name, ==, "_._a b.1700000000000000005.pt.trace.json");
    g_assert_cmpstr(json_object_get_string_member(trace, "traceName"), ==, name);
    g_assert_cmpstr(json_object_get_string_member(find_event(trace, "__metadata", 0), "name"), ==,
                    "process_name");
    json_object_unref(trace);
}

static void test_nothing(Fixture *f, gconstpointer unused)
{
    g_autofree char *name = NULL;

    add_metadata_entry(f, "key", "value", FALSE, BASE + 6);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    name = only_file(f);
    g_assert_null(name);
}

#define TEST(name_, function_)                                                                     \
    g_test_add("/tensorboard/" name_, Fixture, NULL, set_up, function_, tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    TEST("operator", test_operator);
    TEST("added-fields", test_added_fields);
    TEST("absent", test_absent);
    TEST("async", test_async);
    TEST("step", test_step);
    TEST("step-ranges", test_step_ranges);
    TEST("step-ranges/alone", test_step_ranges_alone);
    TEST("step-ranges/ascend", test_step_ranges_of_ascend);
    TEST("device", test_device);
    TEST("memory", test_memory);
    TEST("members", test_members);
    TEST("forward-and-backward", test_forward_and_backward);
    TEST("names", test_names);
    TEST("name-of-a-dump", test_name_of_a_dump);
    TEST("nothing", test_nothing);
    return g_test_run();
}
