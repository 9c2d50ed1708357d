/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "test-chrome-trace-fixture.h"

#define PYTHON_M                                                                                   \
    "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 4711, \"tid\": 0, \"args\": {\"name\": " \
    "\"Python\"}}, "                                                                               \
    "{\"ph\": \"M\", \"name\": \"process_labels\", \"pid\": 4711, \"tid\": 0, \"args\": "          \
    "{\"labels\": \"CPU\"}}, "                                                                     \
    "{\"ph\": \"M\", \"name\": \"process_sort_index\", \"pid\": 4711, \"tid\": 0, \"args\": "      \
    "{\"sort_index\": 0}}"
#define THREAD_M(tid, name)                                                                        \
    ", {\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 4711, \"tid\": " tid                    \
    ", \"args\": {\"name\": \"" name "\"}}, "                                                      \
    "{\"ph\": \"M\", \"name\": \"thread_sort_index\", \"pid\": 4711, \"tid\": " tid                \
    ", \"args\": {\"sort_index\": " tid "}}"

/* Checks that the whole file has operators, names, flow events and collections in this order. */
static void test_framework(Fixture *f, gconstpointer unused)
{
    static const char *const frames[] = {"m.py(2): f", "m.py(9): <module>", NULL};
    struct strobe_cpu_op to = {-1, 0, 0, 0, 0, 0, 0};
    struct strobe_cpu_op plain = {1376, 1, 0, 0, 0, 1, 0};
    const struct strobe_step step = {50, 4711};
    const struct strobe_gc gc = {2, 0, 10, 0};
    const struct strobe_operator_link link = {1376, T0 + 5000, f->worker};
    const struct strobe_operator_link same = {1377, T0 + 5000, f->thread};
    StrobeTrackId steps = strobe_mock_track(f->mock, STROBE_TRACK_STEPS, 0, NULL, NULL, -1);

    to.shapes = string(f, "160;;");
    to.types = string(f, "bool;Scalar;None");
    to.stack = strobe_mock_stack(f->mock, frames);
    strobe_mock_add(f->mock, &strobe_kind_gc, f->thread, 0, T0 + 100, T0 + 2100, &gc);
    strobe_mock_add(f->mock, &strobe_kind_cpu_op, f->thread, string(f, "aten::to"), T0 + 752818770,
                    T0 + 753119560, &to);
    strobe_mock_add(f->mock, &strobe_kind_cpu_op, f->worker, string(f, "NllLossBackward0"),
                    T0 + 5000, T0 + 315000, &plain);
    strobe_mock_add(f->mock, &strobe_kind_step, steps, string(f, "ProfilerStep#50"), T0, T0 + 96600,
                    &step);
    strobe_mock_add(f->mock, &strobe_kind_operator_link, f->thread, 0, T0 + 1, T0 + 1, &link);
    strobe_mock_add(f->mock, &strobe_kind_operator_link, f->thread, 0, T0 + 1, T0 + 1, &same);
    g_autofree char *text = run(f);

    g_assert_cmpstr(
        text, ==,
        "[{\"ph\": \"X\", \"name\": \"aten::to\", \"pid\": 4711, \"tid\": 4711, \"ts\": "
        "\"1736412474752818.770\", \"dur\": 300.79, \"cat\": \"cpu_op\", \"args\": {\"Sequence "
        "number\": -1, \"Fwd thread id\": 0, \"Input Dims\": \"160;\\r\\n;\\r\\n\", \"Input "
        "type\": \"bool;\\r\\nScalar;\\r\\nNone\", \"Call stack\": \"m.py(2): f;\\r\\nm.py(9): "
        "<module>\"}}, "
        "{\"ph\": \"X\", \"name\": \"NllLossBackward0\", \"pid\": 4711, \"tid\": 4712, \"ts\": "
        "\"1736412474000005.000\", \"dur\": 310.0, \"cat\": \"cpu_op\", \"args\": {\"Sequence "
        "number\": 1376, \"Fwd thread id\": 1}}, "
        "{\"ph\": \"X\", \"name\": \"ProfilerStep#50\", \"pid\": 4711, \"tid\": 0, \"ts\": "
        "\"1736412474000000.000\", \"dur\": 96.6, \"cat\": \"cpu_op\", \"args\": {\"Sequence "
        "number\": -1, \"Fwd thread id\": 0}}, " PYTHON_M THREAD_M("4711", "Thread 4711")
            THREAD_M("4712", "Thread 4712") THREAD_M(
                "0",
                "Steps") ", "
                         "{\"ph\": \"s\", \"bp\": \"e\", \"name\": \"fwdbwd\", \"id\": 1376, "
                         "\"pid\": 4711, "
                         "\"tid\": 4711, \"ts\": \"1736412474000000.001\", \"cat\": \"fwdbwd\"}, "
                         "{\"ph\": \"f\", \"bp\": \"e\", \"name\": \"fwdbwd\", \"id\": 1376, "
                         "\"pid\": 4711, "
                         "\"tid\": 4712, \"ts\": \"1736412474000005.000\", \"cat\": \"fwdbwd\"}, "
                         "{\"ph\": \"X\", \"name\": \"GC\", \"pid\": 4824127, \"tid\": 4711, "
                         "\"ts\": "
                         "\"1736412474000000.100\", \"dur\": 2.0, \"cat\": \"GC\", \"args\": {}}, "
                         "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 4824127, \"tid\": "
                         "0, \"args\": "
                         "{\"name\": \"Python GC\"}}, "
                         "{\"ph\": \"M\", \"name\": \"process_labels\", \"pid\": 4824127, \"tid\": "
                         "0, \"args\": "
                         "{\"labels\": \"CPU\"}}, "
                         "{\"ph\": \"M\", \"name\": \"process_sort_index\", \"pid\": 4824127, "
                         "\"tid\": 0, "
                         "\"args\": {\"sort_index\": 1}}, "
                         "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 4824127, \"tid\": "
                         "4711, \"args\": "
                         "{\"name\": \"Python GC\"}}, "
                         "{\"ph\": \"M\", \"name\": \"thread_sort_index\", \"pid\": 4824127, "
                         "\"tid\": 4711, "
                         "\"args\": {\"sort_index\": 4711}}]");
}

/* The pid of a layer of the host is 4711 << 10 | sort index << 5 | 31. */
static void test_counters_and_markers(Fixture *f, gconstpointer unused)
{
    const struct strobe_host_cpu cpu = {150.5, 100, 50.5, 2, 9, 0};
    const struct strobe_host_mem mem = {.resident = 3u << 20, .swap = STROBE_ABSENT_U64};
    const struct strobe_host_net net = {
        .rx_rate = 1048576, .tx_rate = 2097152, .usage = STROBE_ABSENT_F64};
    const struct strobe_counter counter = {0.125};
    static const StrobeField fields[] = {{"argument", STROBE_FIELD_U64, 0, "", ""},
                                         {"marker.domain", STROBE_FIELD_STRING, 0, "", ""}};
    static const StrobeKind domain_marker = {
        sizeof domain_marker, STROBE_SHAPE_SPAN, "marker", "", fields, 2, 0};
    struct strobe_marker marker = {STROBE_ABSENT_U64};
    struct {
        struct strobe_marker marker;
        StrobeStringId domain;
    } with_all = {{7}, 0};

    with_all.domain = string(f, "io");
    strobe_mock_add(f->mock, &strobe_kind_host_cpu, 0, 0, T0, T0, &cpu);
    strobe_mock_add(f->mock, &strobe_kind_host_mem, 0, 0, T0, T0, &mem);
    strobe_mock_add(f->mock, &strobe_kind_host_net, 0, string(f, "eth0"), T0, T0, &net);
    strobe_mock_add(f->mock, &strobe_kind_counter, f->thread, string(f, "loss"), T0, T0, &counter);
    strobe_mock_add(f->mock, &domain_marker, f->thread, string(f, "load"), T0, T0 + 1500,
                    &with_all);
    strobe_mock_add(f->mock, &strobe_kind_marker_instant, f->thread, string(f, "now"), T0, T0,
                    &marker);
    g_autofree char *text = run(f);

    assert_has(text, "{\"name\": \"CPU Usage\", \"pid\": 4824383, \"tid\": 0, \"ts\": "
                     "\"1736412474000000.000\", \"ph\": \"C\", \"args\": {\"Usage(%)\": 150.5}}");
    assert_has(text, "{\"name\": \"Process Memory\", \"pid\": 4824415, \"tid\": 0, \"ts\": "
                     "\"1736412474000000.000\", \"ph\": \"C\", \"args\": {\"Resident(MB)\": 3.0}}");
    assert_has(text, "{\"name\": \"Interface eth0\", \"pid\": 4824447, \"tid\": 0, \"ts\": "
                     "\"1736412474000000.000\", \"ph\": \"C\", \"args\": {\"Rx(MB/s)\": 1.0, "
                     "\"Tx(MB/s)\": 2.0}}");
    assert_has(text, "{\"name\": \"process_labels\", \"pid\": 4824415, \"tid\": 0, \"ph\": \"M\", "
                     "\"args\": {\"labels\": \"CPU\"}}");
    assert_has(text, "{\"name\": \"loss\", \"pid\": 4711, \"tid\": 4711, \"ts\": "
                     "\"1736412474000000.000\", \"ph\": \"C\", \"args\": {\"value\": 0.125}}");
    assert_has(text, "{\"name\": \"load\", \"pid\": 4824287, \"tid\": 4711, \"ts\": "
                     "\"1736412474000000.000\", \"dur\": 1.5, \"ph\": \"X\", \"args\": "
                     "{\"event_type\": \"start/end\", \"domain\": \"io\", \"argument\": 7}}");
    assert_has(text, "\"dur\": 0.0, \"ph\": \"X\", \"args\": {\"event_type\": \"marker\", "
                     "\"domain\": \"default\"}}");
    assert_has(text, "{\"name\": \"process_name\", \"pid\": 4824287, \"tid\": 0, \"ph\": \"M\", "
                     "\"args\": {\"name\": \"python3\"}}");
}

static const StrobeField vendor_fields[] = {
    {"bytes", STROBE_FIELD_U64, 0, "B", ""},  {"delta", STROBE_FIELD_I32, 0, "", ""},
    {"share", STROBE_FIELD_F64, 0, "%", ""},  {"flag", STROBE_FIELD_BOOL, 0, "", ""},
    {"text", STROBE_FIELD_STRING, 0, "", ""}, {"where", STROBE_FIELD_TRACK, 0, "", ""},
    {"stack", STROBE_FIELD_STACK, 0, "", ""}, {"odd \"name\"\n", STROBE_FIELD_U8, 0, "", ""},
};

struct vendor {
    uint64_t bytes;
    int32_t delta;
    double share;
    uint8_t flag;
    uint32_t text, where, stack;
    uint8_t odd;
};

static const StrobeKind vendor_span = {
    sizeof(StrobeKind), STROBE_SHAPE_SPAN, "vendor.task", "", vendor_fields, 8, 0};
static const StrobeKind vendor_instant = {
    sizeof(StrobeKind), STROBE_SHAPE_MEMORY, "vendor.memory", "", vendor_fields, 8, 0};
static const StrobeKind vendor_counter = {
    sizeof(StrobeKind), STROBE_SHAPE_COUNTER, "vendor.rate", "", vendor_fields, 8, 0};

/* Kinds that the exporter does not know get their own layers. */
static void test_generic(Fixture *f, gconstpointer unused)
{
    struct vendor full = {18446744073709551614u, -3, 0.5, 1, 0, f->worker, 0, 9};
    const struct vendor absent = {STROBE_ABSENT_U64, STROBE_ABSENT_I32, NAN, 0, 0, 0, 0, 0};
    StrobeTrackId stream =
        strobe_mock_track(f->mock, STROBE_TRACK_STREAM, 3, NULL, "Ascend Hardware", 1);
    StrobeTrackId other = strobe_mock_track(f->mock, STROBE_TRACK_STREAM, 3, "q\"1", "GPU", 0);

    full.text = string(f, "a\xff;b");
    strobe_mock_add(f->mock, &vendor_span, stream, string(f, "kernel"), T0, T0 + 2260, &full);
    strobe_mock_add(f->mock, &vendor_instant, other, 0, T0, T0 + 99, &absent);
    strobe_mock_add(f->mock, &vendor_counter, stream, 0, T0, T0, &full)->flags =
        STROBE_VIEW_STRADDLES;
    g_autofree char *text = run(f);

    assert_has(text,
               "{\"ph\": \"X\", \"name\": \"kernel\", \"pid\": 4824513, \"tid\": 3, \"ts\": "
               "\"1736412474000000.000\", \"dur\": 2.26, \"cat\": \"vendor.task\", \"args\": "
               "{\"bytes\": 18446744073709551614, \"delta\": -3, \"share\": 0.5, \"flag\": true, "
               "\"text\": \"a\xef\xbf\xbd;b\", \"where\": 4712, \"odd \\\"name\\\"\\n\": 9}}");
    assert_has(text, "{\"ph\": \"i\", \"s\": \"t\", \"name\": \"vendor.memory\", \"pid\": 4824128, "
                     "\"tid\": 3, "
                     "\"ts\": \"1736412474000000.000\", \"cat\": \"vendor.memory\", "
                     "\"args\": {\"flag\": false, \"odd \\\"name\\\"\\n\": 0}}");
    assert_has(text, "\"ph\": \"C\", \"args\": {\"bytes\": 18446744073709551614, \"delta\": -3, "
                     "\"share\": 0.5, \"flag\": 1, \"odd \\\"name\\\"\\n\": 9}}");
    assert_has(text, "{\"name\": \"process_labels\", \"pid\": 4824513, \"tid\": 0, \"ph\": \"M\", "
                     "\"args\": {\"labels\": \"NPU 1\"}}");
    assert_has(text, "{\"name\": \"thread_name\", \"pid\": 4824128, \"tid\": 3, \"ph\": \"M\", "
                     "\"args\": {\"name\": \"q\\\"1\"}}");
    assert_has(text, "\"args\": {\"name\": \"Stream 3\"}}");
    assert_has(text, "[{\"ph\": \"X\", \"name\": \"kernel\"");
    assert_has(text, ", {\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 4711");
}

/* Samples are not drawn, because a sample has no length. */
static void test_samples(Fixture *f, gconstpointer unused)
{
    const struct strobe_cpu_sample sample = {.time = 1000};
    const struct strobe_metadata metadata = {0, 0};

    strobe_mock_add(f->mock, &strobe_kind_cpu_sample, f->thread, string(f, "main"), T0, T0,
                    &sample);
    strobe_mock_add(f->mock, &strobe_kind_metadata, f->thread, string(f, "args"), T0, T0,
                    &metadata);
    g_autofree char *text = run(f);

    assert_has(text, "\"cat\": \"metadata\"");
    g_assert_null(strstr(text, "cpu_sample"));
}

/* Records about the run itself are also drawn. */
static void test_core_kinds(Fixture *f, gconstpointer unused)
{
    struct strobe_metadata metadata = {0, 1};
    struct strobe_diagnostic diagnostic = {0, 2};
    const struct strobe_loss loss = {12, 3, f->thread};
    const struct strobe_collector_call call = {STROBE_OK};
    StrobeTrackId process = strobe_mock_track(f->mock, STROBE_TRACK_PROCESS, 0, NULL, NULL, -1);

    metadata.value = string(f, "{\"rank\": 1");
    diagnostic.text = string(f, "no libtorch");
    strobe_mock_metadata(f->mock)->n_lost = 12;
    strobe_mock_metadata(f->mock)->n_stored = 30;
    strobe_mock_metadata(f->mock)->window_begin_ns = T0;
    strobe_mock_metadata(f->mock)->window_end_ns = T0 + 1000000;
    strobe_mock_add(f->mock, &strobe_kind_metadata, process, string(f, "args"), T0, T0, &metadata);
    strobe_mock_add(f->mock, &strobe_kind_diagnostic, process, string(f, "cpu_op"), T0, T0,
                    &diagnostic);
    strobe_mock_add(f->mock, &strobe_kind_collector_call, f->thread, string(f, "memory"), T0,
                    T0 + 20, &call);
    strobe_mock_add(f->mock, &strobe_kind_loss, process, string(f, "nested"), T0, T0 + 10, &loss);
    g_autofree char *text = run(f);

    assert_has(
        text,
        "{\"ph\": \"i\", \"s\": \"t\", \"name\": \"args\", \"pid\": 4711, \"tid\": 4194305, ");
    assert_has(
        text,
        "{\"ph\": \"i\", \"s\": \"t\", \"name\": \"cpu_op\", \"pid\": 4711, \"tid\": 4194305, ");
    assert_has(text, "{\"ph\": \"X\", \"name\": \"memory\", \"pid\": 4711, \"tid\": 4194305, ");
    assert_has(text, "\"tid\": 4194305, \"args\": {\"name\": \"Strobe\"}}");
    assert_has(text, "\"args\": {\"value\": \"{\\\"rank\\\": 1\", \"is_json\": true}}");
    assert_has(text, "\"args\": {\"text\": \"no libtorch\", \"level\": 2}}");
    assert_has(text, "\"dur\": 0.01, \"cat\": \"loss\", \"args\": {\"count\": 12, \"cause\": 3, "
                     "\"thread\": 4711}}");
    assert_has(text, "\"args\": {\"name\": \"Strobe losses\"}}");
    assert_has(text, "\"name\": \"Incomplete\", \"pid\": 4711, \"tid\": 4194306, \"ts\": "
                     "\"1736412474000000.000\", \"dur\": 1000.0, \"cat\": \"loss\", \"args\": "
                     "{\"offered\": 42, \"stored\": 30, \"lost\": 12, "
                     "\"capture_complete\": true}}");
}

/* Counts without strstr, because with a sanitizer each call of strstr reads the whole rest of the
 * text. */
static guint count_occurrences(const char *text, const char *what)
{
    const char *end = text + strlen(text);
    guint n = 0;

    for (const char *at = text; (at = memmem(at, (gsize)(end - at), what, strlen(what))); at++)
        n++;
    return n;
}

/* A record with details of an operator has the operator's name, but is not drawn as an event. */
static void test_one_event_an_operator(Fixture *f, gconstpointer unused)
{
    static const StrobeKind use = {
        sizeof use, STROBE_SHAPE_INSTANT, "memory.tensor_use", "", NULL, 0, 0};
    static const StrobeKind role = {
        sizeof role, STROBE_SHAPE_INSTANT, "memory.tensor_role", "", NULL, 0, 0};
    const struct strobe_cpu_op op = {-1, 0, 0, 0, 0, 0, 0};

    strobe_mock_add(f->mock, &use, f->thread, string(f, "aten::addmm"), T0, T0, NULL);
    strobe_mock_add(f->mock, &role, f->thread, string(f, "aten::addmm"), T0, T0, NULL);
    strobe_mock_add(f->mock, &strobe_kind_cpu_op, f->thread, string(f, "aten::addmm"), T0, T0 + 1,
                    &op);
    g_autofree char *text = run(f);

    g_assert_cmpuint(count_occurrences(text, "aten::addmm"), ==, 1);
}

/* Names and stacks may have any bytes and any length; records may have flags. */
static void test_hostile_names(Fixture *f, gconstpointer unused)
{
    g_autofree char *longest = g_strnfill(100 * 1024, '"');
    const char *frames[] = {longest, "a\nb", NULL};
    struct strobe_cpu_op op = {-1, 0, 0, 0, 0, 0, 0};
    const char bytes[] = "\x00\x1f\\\"\xed\xa0\x80\xf0\x9f\x98";

    op.stack = strobe_mock_stack(f->mock, frames);
    op.shapes = strobe_mock_string(f->mock, longest);
    for (int i = 0; i < 3; i++) {
        strobe_mock_add(f->mock, &strobe_kind_cpu_op, f->thread, string(f, longest), T0, T0, &op);
        strobe_mock_add(f->mock, &strobe_kind_cpu_op, 77777,
                        strobe_mock_bytes(f->mock, bytes, sizeof bytes - 1), T0, T0 - 5, NULL)
            ->flags = STROBE_VIEW_UNFINISHED;
    }
    g_autofree char *text = run(f);

    assert_has(text, "\"name\": \"\\u0000\\u001f\\\\\\\"" /* followed by four invalid parts */
                     "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\", ");
    assert_has(text, "\"dur\": 0.0, ");
    assert_has(text, "\"Fwd thread id\": 0, \"Unfinished\": true}}");
    g_assert_cmpuint(strlen(text), >, 3 * 3 * 2 * 100 * 1024);
}

/* The kinds have known names, but fields of other types or no fields. */
static void test_external_kinds(Fixture *f, gconstpointer unused)
{
    static const char *const names[] = {"cpu_op",        "step",     "gc",
                                        "operator_link", "marker",   "marker_instant",
                                        "host_cpu",      "host_mem", "loss"};
    static const StrobeField fields[] = {
        {"usage", STROBE_FIELD_U8, 0, "", ""},       {"sequence", STROBE_FIELD_STRING, 0, "", ""},
        {"domain", STROBE_FIELD_F64, 0, "", ""},     {"to_track", STROBE_FIELD_U8, 0, "", ""},
        {"mine.extra", STROBE_FIELD_U32, 0, "", ""}, {"future", 200, 0, "", ""}};
    StrobeKind kinds[G_N_ELEMENTS(names) * 6 * 2];
    const uint64_t values[8] = {0};
    gsize n = 0;

    for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
        for (uint32_t shape = 0; shape < 6; shape++)
            for (uint32_t some = 0; some < 2; some++) {
                kinds[n] =
                    (StrobeKind){sizeof(StrobeKind), shape, names[i], "", fields, some ? 5 : 0, 0};
                strobe_mock_add(f->mock, &kinds[n++], f->thread, 0, T0, T0, some ? values : NULL);
            }
    g_autofree char *text = run(f);

    assert_has(text, "\"Fwd thread id\": 0, \"mine.extra\": 0}}");
    assert_has(text, "\"cat\": \"host_cpu\", \"args\": {\"usage\": 0, ");
}

/* Waiting records are stored in a file. */
static void test_many_held(Fixture *f, gconstpointer unused)
{
    const struct strobe_gc gc = {2, 0, 10, 0};
    const struct strobe_marker marker = {STROBE_ABSENT_U64};
    const guint n = 60000;
    guint found = 0;

    strobe_mock_table(f->mock)->storage(f->mock)->log_bytes = 0;
    for (guint i = 0; i < n; i++)
        strobe_mock_add(f->mock, &strobe_kind_gc, f->thread, 0, T0 + i * 1000, T0 + i * 1000 + 1,
                        &gc);
    strobe_mock_add(f->mock, &strobe_kind_marker, f->thread, string(f, "last"), T0, T0, &marker);
    g_autofree char *text = run(f);

    g_assert_cmpuint(strlen(text), >, 5 * 1024 * 1024);
    assert_has(text, "[{\"name\": \"last\"");
    /* strstr would read the whole rest of the text under AddressSanitizer */
    for (const char *at = text; *at; at++)
        found += *at == '"' && strncmp(at, "\"name\": \"GC\"", 12) == 0;
    g_assert_cmpuint(found, ==, n);
}

static void test_nothing(Fixture *f, gconstpointer unused)
{
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *text = read_file(f, "trace_view.json");

    g_assert_null(text);
}

static void test_file_option(Fixture *f, gconstpointer unused)
{
    strobe_mock_option(f->mock, "file", "../escape.json");
    g_assert_cmpint(strobe_mock_open(f->mock), ==, STROBE_ERROR_IO);
    assert_has(strobe_mock_error(f->mock), "../escape.json");
    strobe_mock_option(f->mock, "file", "mine.json");
    strobe_mock_add(f->mock, &strobe_kind_cpu_op, f->thread, 0, T0, T0, NULL);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *text = read_file(f, "mine.json");

    assert_has(text, "\"name\": \"cpu_op\"");
}

/* With an origin, the file is an object, and its times are numbers relative to the second in which
 * the window begins. */
static void test_origin(Fixture *f, gconstpointer unused)
{
    const struct strobe_operator_link link = {1, T0 + 5000, f->worker};
    const char *const origins[] = {"start", "auto"};

    strobe_mock_metadata(f->mock)->window_begin_ns = T0 + 999;
    strobe_mock_add(f->mock, &strobe_kind_cpu_op, f->thread, 0, T0 - 1500, T0 + 999, NULL);
    strobe_mock_add(f->mock, &strobe_kind_cpu_op, f->worker, 0, T0 + 5000, T0 + 6000, NULL);
    strobe_mock_add(f->mock, &strobe_kind_operator_link, f->thread, 0, T0 + 1, T0 + 1, &link);
    for (guint i = 0; i < G_N_ELEMENTS(origins); i++) {
        strobe_mock_option(f->mock, "origin", origins[i]);
        g_autofree char *text = run_as(f, '{');

        g_assert_true(g_str_has_prefix(text,
                                       "{\"displayTimeUnit\": \"ms\", \"baseTimeNanoseconds\": "
                                       "1736412474000000000, \"traceEvents\": [{"));
        assert_has(text, "\"tid\": 4711, \"ts\": -1.500, \"dur\": 2.499, ");
        assert_has(text, "\"tid\": 4712, \"ts\": 5.000, \"dur\": 1.0, ");
        assert_has(text, "\"tid\": 4711, \"ts\": 0.001, \"cat\": \"fwdbwd\"}");
    }
}

/* Data are Ascend's if an importer of Ascend's results or a collector of Ascend's devices has
 * recorded them. */
static void test_origin_of_ascend(Fixture *f, gconstpointer unused)
{
    static const struct {
        const char *key, *value;
    } entries[] = {{"source", "{\"importer\": \"ascend_text\"}"},
                   {"source", "{\"importer\": \"prof_raw\"}"},
                   {"collectors", "{\"cpu_op\": {}, \"npu_task\": {}}"}};

    strobe_mock_option(f->mock, "origin", "auto");
    strobe_mock_add(f->mock, &strobe_kind_cpu_op, f->thread, 0, T0, T0 + 999, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(entries); i++) {
        strobe_mock_metadata_entry(f->mock, entries[i].key, entries[i].value);
        g_autofree char *text = run(f);

        assert_has(text, "\"ts\": \"1736412474000000.000\", ");
        strobe_mock_metadata_entry(f->mock, entries[i].key, "");
    }
}

/* If the exporter does not reach its end, it makes no file. */
static void test_no_end(Fixture *f, gconstpointer unused)
{
    strobe_mock_add(f->mock, &strobe_kind_cpu_op, f->thread, 0, T0, T0, NULL);
    g_assert_cmpint(strobe_mock_open(f->mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_send(f->mock), ==, STROBE_OK);
    strobe_mock_close(f->mock);
    g_autoptr(GDir) dir = g_dir_open(f->folder, 0, NULL);

    g_assert_null(g_dir_read_name(dir));
}

/* Each row with events is named once, in a time proportional to the number of rows; with another
 * algorithm this test would take too long. */
static void test_many_threads(Fixture *f, gconstpointer unused)
{
    enum { THREADS = 100000 };
    const struct strobe_cpu_op op = {-1, 0, 0, 0, 0, 0, 0};
    const struct strobe_loss loss = {1, 3, 0};

    for (guint i = 0; i < THREADS; i++) {
        StrobeTrackId track =
            strobe_mock_track(f->mock, STROBE_TRACK_THREAD, 10000 + i, NULL, NULL, -1);
        if (i % 2)
            strobe_mock_add(f->mock, &strobe_kind_cpu_op, track, 0, T0, T0 + 1, &op);
    }
    for (guint i = 0; i < THREADS / 2; i++) {
        const struct strobe_operator_link link = {i, T0, f->thread};
        strobe_mock_add(f->mock, &strobe_kind_operator_link, f->thread, 0, T0, T0, &link);
        strobe_mock_add(f->mock, &strobe_kind_loss, f->thread, 0, T0, T0, &loss);
    }
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *text = read_file(f, "trace_view.json");
    g_assert_cmpuint(count_occurrences(text, "\"thread_name\""), ==, THREADS / 2 + 2);
    g_assert_cmpuint(count_occurrences(text, "\"Strobe losses\""), ==, 1);
    g_assert_cmpuint(count_occurrences(text, "\"Thread 10002\""), ==, 0);
    g_assert_cmpuint(count_occurrences(text, "\"Thread 10001\""), ==, 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, function)                                                                        \
    g_test_add("/chrome-trace/" path, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
    ADD("framework", test_framework);
    ADD("counters-and-markers", test_counters_and_markers);
    ADD("generic", test_generic);
    ADD("samples", test_samples);
    ADD("core-kinds", test_core_kinds);
    ADD("one-event-an-operator", test_one_event_an_operator);
    ADD("hostile-names", test_hostile_names);
    ADD("external-kinds", test_external_kinds);
    ADD("many-held", test_many_held);
    ADD("nothing", test_nothing);
    ADD("file-option", test_file_option);
    ADD("origin", test_origin);
    ADD("origin-of-ascend", test_origin_of_ascend);
    ADD("no-end", test_no_end);
    ADD("many-threads", test_many_threads);
    return g_test_run();
}
