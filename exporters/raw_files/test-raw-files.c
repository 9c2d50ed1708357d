/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <string.h>
#include <strobe/kinds.h>
#include <unistd.h>

#include "../fixture/test-export-fixture.h"

#define PID 42
#define THREAD 43

/* Returns the bytes of a file in hexadecimal, and removes the file. */
static char *take_hex(ExportFixture *f, const char *name)
{
    g_autofree char *path = g_build_filename("FRAMEWORK", name, NULL);
    gsize length;
    g_autofree char *bytes = export_fixture_take(f, path, &length);
    GString *text = g_string_new(NULL);

    for (gsize i = 0; bytes && i < length; i++)
        g_string_append_printf(text, "%02x", (guchar)bytes[i]);
    return g_string_free(text, FALSE);
}

static void check_file(ExportFixture *f, const char *name, const char *expected)
{
    g_autofree char *found = take_hex(f, name);

    g_assert_cmpstr(found, ==, expected);
}

static void run_mock(ExportFixture *f)
{
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_assert_cmpstr(strobe_mock_error(f->mock), ==, "");
}

/* Removes the files that every run makes, and the folders. */
static void clear_folder(ExportFixture *f)
{
    g_autofree char *info = export_fixture_take(f, "profiler_info.json", NULL);

    export_fixture_expect(info, "\"MonotonicTimeEnd\": 9000");
    g_assert_cmpint(unlinkat(f->directory, "FRAMEWORK", AT_REMOVEDIR), ==, 0);
}

static StrobeTrackId add_thread(ExportFixture *f)
{
    StrobeMetadata *metadata = strobe_mock_metadata(f->mock);

    metadata->pid = PID;
    metadata->rank = -1;
    metadata->window_end_ns = 9000;
    return strobe_mock_track(f->mock, STROBE_TRACK_THREAD, THREAD, NULL, NULL, -1);
}

#define U64(low_) low_ "00000000000000"
#define U64_2(low_, next_) low_ next_ "000000000000"

static void test_operator(ExportFixture *f, gconstpointer unused)
{
    const struct strobe_cpu_op op = {.sequence = 7,
                                     .types = strobe_mock_string(f->mock, "float;float"),
                                     .shapes = strobe_mock_string(f->mock, "2,3;3,4")};
    StrobeTrackId thread = add_thread(f);

    strobe_mock_add(f->mock, &strobe_kind_cpu_op, thread, strobe_mock_string(f->mock, "aten::mm"),
                    1000, 5000, &op);
    run_mock(f);
    /* the sample of the reference, which has 108 bytes */
    check_file(f, "torch.op_range",
               "010066000000" U64_2("e8", "03") U64_2("88", "13") U64("07") U64("2a") U64("2b")
                   U64("2b") U64("00") "0000"
                                       "020008000000"
                                       "6174656e3a3a6d6d"
                                       "03000b000000"
                                       "666c6f61743b666c6f6174"
                                       "040007000000"
                                       "322c333b332c34");
    clear_folder(f);
}

static void test_step(ExportFixture *f, gconstpointer unused)
{
    const struct strobe_step step = {.number = 3, .thread = 7};

    strobe_mock_add(f->mock, &strobe_kind_step, add_thread(f), 0, 1, 2, &step);
    run_mock(f);
    check_file(f, "torch.op_range",
               "01004e000000" U64("01") U64("02") "ffffffffffffffff" U64("2a") U64("07") U64("07")
                   U64("00") "070002000e00000050726f66696c65725374657023"
                             "33");
    clear_folder(f);
}

/* In results of the profiler each step is also an operator. */
static void test_step_that_is_an_operator(ExportFixture *f, gconstpointer unused)
{
    const struct strobe_step step = {.number = 3, .thread = 7};

    strobe_mock_metadata_entry(f->mock, "source", "{\"importer\": \"ascend_raw\"}");
    strobe_mock_add(f->mock, &strobe_kind_step, add_thread(f), 0, 1, 2, &step);
    run_mock(f);
    g_assert_cmpint(faccessat(f->directory, "FRAMEWORK", F_OK, 0), ==, -1);
}

static void test_stack(ExportFixture *f, gconstpointer unused)
{
    static const char *const frames[] = {"a.py(2): g", "a.py(1): f", NULL};
    const struct strobe_cpu_op op = {.sequence = -1, .stack = strobe_mock_stack(f->mock, frames)};
    StrobeTrackId thread = add_thread(f);

    strobe_mock_add(f->mock, &strobe_kind_cpu_op, thread, strobe_mock_string(f->mock, "x"), 1, 2,
                    &op);
    run_mock(f);
    g_autofree char *found = take_hex(f, "torch.op_range");
    g_assert_true(g_str_has_suffix(found, "02000100000078"
                                          "080015000000"
                                          "612e70792832293a20673b"
                                          "612e70792831293a2066"));
    clear_folder(f);
}

/* The number of an enqueue is known when the enqueue ends. */
static void test_marks(ExportFixture *f, gconstpointer unused)
{
    StrobeTrackId thread = add_thread(f);

    for (guint8 is_dequeue = 0; is_dequeue < 2; is_dequeue++) {
        const struct strobe_task_queue mark = {.correlation = 9, .is_dequeue = is_dequeue};

        strobe_mock_add(f->mock, &strobe_kind_task_queue, thread,
                        strobe_mock_string(f->mock, is_dequeue ? "Dequeue@mm" : "Enqueue"), 1, 2,
                        &mark);
    }
    run_mock(f);
    check_file(f, "torch.op_mark",
               "020035000000" U64("01") U64("00") U64("00") U64("2b")
                   U64("2a") "010007000000456e7175657565"
                             "020035000000" U64("02") U64("01") U64("09") U64("2b")
                                 U64("2a") "010007000000456e7175657565"
                                           "020030000000" U64("01") U64("02") U64("09") U64("2b")
                                               U64("2a") "0100020000006d6d"
                                                         "020030000000" U64("02") U64("03")
                                                             U64("09") U64("2b")
                                                                 U64("2a") "0100020000006d6d");
    clear_folder(f);
}

static void add_memory(ExportFixture *f, StrobeTrackId thread, const char *component, gint32 device,
                       guint32 action)
{
    const struct strobe_memory_event event = {.address = 5,
                                              .size = 16,
                                              .total_allocated = 32,
                                              .total_reserved = 48,
                                              .total_active = STROBE_ABSENT_I64,
                                              .stream = STROBE_ABSENT_U64,
                                              .action = action,
                                              .device = device,
                                              .component = strobe_mock_string(f->mock, component)};

    strobe_mock_add(f->mock, &strobe_kind_memory_event, thread, 0, 3, 3, &event);
}

static void test_memory(ExportFixture *f, gconstpointer unused)
{
    StrobeTrackId thread = add_thread(f);

    add_memory(f, thread, "PTA", -1, 1);
    add_memory(f, thread, "WORKSPACE", 2, 1);
    add_memory(f, thread, "GE", 2, 0);
    add_memory(f, thread, "PTA", 2, 3);
    run_mock(f);
    check_file(f, "torch.memory_usage",
               "03004d000000" U64("05") U64("03") U64("10") U64("20") U64("30") U64("00")
                   U64("00") "00ff000000" U64("2b") U64("2a") "03004d000000" U64("05") U64("03")
                       U64("10") U64("20") U64("30") U64("00") U64("00") "1402010100" U64("2b")
                           U64("2a"));
    clear_folder(f);
}

static void add_call(ExportFixture *f, StrobeTrackId thread, const char *name, gint64 begin,
                     gint64 end)
{
    const struct strobe_python_call call = {.module = STROBE_ABSENT_I64};

    strobe_mock_add(f->mock, &strobe_kind_python_call, thread, strobe_mock_string(f->mock, name),
                    begin, end, &call);
}

/* Inner calls are recorded before outer ones; the order of the events is that of the calls. */
static void test_calls(ExportFixture *f, gconstpointer unused)
{
    static const char order[] = "0x0 1x0 1x1 2x0 2x1 2x0 2x1 0x1 ";
    StrobeTrackId thread = add_thread(f);
    GString *found = g_string_new(NULL);
    gsize length;

    add_call(f, thread, "nn.Module: Linear_3", 10, 20);
    add_call(f, thread, "empty", 20, 20);
    add_call(f, thread, "empty", 20, 20);
    add_call(f, thread, "f", 10, 21);
    run_mock(f);
    g_autofree char *hash = export_fixture_take(f, "FRAMEWORK/torch.python_tracer_hash", NULL);
    g_autofree char *events = export_fixture_take(f, "FRAMEWORK/torch.python_tracer_func", &length);
    g_assert_nonnull(hash);
    g_assert_cmpuint(length, ==, 8 * 33);
    for (gsize i = 0; i < length; i += 33) {
        guint64 key;

        memcpy(&key, events + i + 24, sizeof key);
        const char *name = strobe_mock_text(f->mock, (StrobeStringId)GUINT64_FROM_LE(key));
        g_string_append_printf(found, "%dx%d ",
                               *name == 'f'   ? 0
                               : *name == 'n' ? 1
                                              : 2,
                               events[i + 32]);
    }
    g_assert_cmpstr(found->str, ==, order);
    g_string_free(found, TRUE);
    clear_folder(f);
}

/* Each module has its own number, whatever its class is. Modules of the same class have the same
 * text before the number. */
static void test_modules(ExportFixture *f, gconstpointer unused)
{
    static const char *const names[] = {"nn.Module: Linear_0", "nn.Module: My_Net_0",
                                        "nn.Module: Linear_1", "nn.Module: not numbered"};
    static const char *const classes[] = {"Linear", "My_Net", "Linear"};
    StrobeTrackId thread = add_thread(f);
    g_autoptr(GString) expected = g_string_new(NULL);
    gsize length;

    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        const guint64 key = strobe_mock_string(f->mock, names[i]);
        g_autofree char *text = i < G_N_ELEMENTS(classes)
                                    ? g_strdup_printf("%s######%" G_GUINT64_FORMAT, classes[i], key)
                                    : g_strdup(names[i]);

        add_call(f, thread, names[i], i, i + 1);
        g_string_append_printf(expected, "%" G_GUINT64_FORMAT "=%s ", key, text);
    }
    run_mock(f);
    g_autofree char *hash = export_fixture_take(f, "FRAMEWORK/torch.python_tracer_hash", &length);
    g_autoptr(GString) found = g_string_new(NULL);
    /* type, length, key, type of the text, its length, the text */
    for (gsize at = 0; at < length;) {
        guint64 key;
        guint32 text_length;

        memcpy(&key, hash + at + 6, sizeof key);
        memcpy(&text_length, hash + at + 16, sizeof text_length);
        text_length = GUINT32_FROM_LE(text_length);
        g_string_append_printf(found, "%" G_GUINT64_FORMAT "=%.*s ", GUINT64_FROM_LE(key),
                               (int)text_length, hash + at + 20);
        at += 20 + text_length;
    }
    g_assert_cmpstr(found->str, ==, expected->str);
    g_free(export_fixture_take(f, "FRAMEWORK/torch.python_tracer_func", NULL));
    clear_folder(f);
}

static void test_collections(ExportFixture *f, gconstpointer unused)
{
    const struct strobe_gc gc = {.generation = 2};

    strobe_mock_add(f->mock, &strobe_kind_gc, add_thread(f), 0, 4, 6, &gc);
    run_mock(f);
    check_file(f, "torch.gc_record", U64("2a") U64("04") U64("06"));
    clear_folder(f);
}

static void test_clock(ExportFixture *f, gconstpointer unused)
{
    const struct strobe_gc gc = {.generation = 2};

    strobe_mock_metadata_entry(f->mock, "start_realtime_ns", "1100");
    strobe_mock_metadata_entry(f->mock, "start_raw_ns", "100");
    strobe_mock_add(f->mock, &strobe_kind_gc, add_thread(f), 0, 1004, 1006, &gc);
    run_mock(f);
    check_file(f, "torch.gc_record", U64("2a") U64("04") U64("06"));
    g_autofree char *info = export_fixture_take(f, "profiler_info.json", NULL);
    export_fixture_expect(info, "\"collectionTimeEnd\": 9000, \"MonotonicTimeEnd\": 8000}");
    export_fixture_expect(info, "\"activities\": [\"ProfilerActivity.CPU\"]");
    export_fixture_expect(info, "\"_profiler_level\": \"Level0\"");
    g_assert_cmpint(unlinkat(f->directory, "FRAMEWORK", AT_REMOVEDIR), ==, 0);
}

/* The folder of CANN is read with the host's files, at the level of the recording. */
static void test_devices(ExportFixture *f, gconstpointer unused)
{
    const struct strobe_gc gc = {.generation = 2};
    StrobeTrackId thread = add_thread(f);

    strobe_mock_metadata(f->mock)->level = 2;
    strobe_mock_metadata_entry(f->mock, "external", "[{\"directory\": \"PROF_000001_1_A\"}]");
    strobe_mock_add(f->mock, &strobe_kind_gc, thread, 0, 4, 6, &gc);
    run_mock(f);
    check_file(f, "torch.gc_record", U64("2a") U64("04") U64("06"));
    g_autofree char *info = export_fixture_take(f, "profiler_info.json", NULL);
    export_fixture_expect(info,
                          "\"activities\": [\"ProfilerActivity.CPU\", \"ProfilerActivity.NPU\"]");
    export_fixture_expect(info, "\"_profiler_level\": \"Level2\"");
    g_assert_cmpint(unlinkat(f->directory, "FRAMEWORK", AT_REMOVEDIR), ==, 0);
}

/* No file is made, which the fixture checks, and no folder. */
static void test_nothing(ExportFixture *f, gconstpointer unused)
{
    add_thread(f);
    run_mock(f);
    g_assert_cmpint(faccessat(f->directory, "FRAMEWORK", F_OK, 0), ==, -1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name_, function_)                                                                      \
    g_test_add("/raw_files/" name_, ExportFixture, NULL, export_fixture_set_up, function_,         \
               export_fixture_tear_down)
    ADD("operator", test_operator);
    ADD("step", test_step);
    ADD("step-that-is-an-operator", test_step_that_is_an_operator);
    ADD("stack", test_stack);
    ADD("marks", test_marks);
    ADD("memory", test_memory);
    ADD("calls", test_calls);
    ADD("modules", test_modules);
    ADD("collections", test_collections);
    ADD("clock", test_clock);
    ADD("devices", test_devices);
    ADD("nothing", test_nothing);
    return g_test_run();
}
