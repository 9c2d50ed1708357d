/* SPDX-License-Identifier: Apache-2.0 */
/* Checks which files are accepted as traces, and each rule for Kineto's events with small
 * traces. */
#include "test-trace-fixture.h"

#include <math.h>
#include <string.h>

/* ---- the files that are accepted ---- */

static void check_score(Fixture *f, const char *text, int least, int most)
{
    int score;

    g_assert_true(g_file_set_contents(f->path, text, -1, NULL));
    score = strobe_mock_importer_probe(f->mock, f->path).score;
    g_assert_cmpint(score, >=, least);
    g_assert_cmpint(score, <=, most);
}

static void test_probe(Fixture *f, gconstpointer unused)
{
    check_score(f, "{\"schemaVersion\": 1, \"deviceProperties\": [], \"traceEvents\": []}", 90,
                100);
    check_score(f, "\xef\xbb\xbf [\n{\"pid\": 1, \"ph\": \"X\"}", 50, 89);
    check_score(f, "{\"traceEvents\": [", 50, 89);
    check_score(f, "{\"otherData\": 1}", 0, 0);
    check_score(f, "SQLite format 3", 0, 0);
    check_score(f, "", 0, 0);
    check_score(f, "\x1f\x8b\x08nothing", 0, 0);
}

/* ---- Kineto's spans ---- */

static void test_operator(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *op;

    import(f, "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 7, "
              "\"tid\": 8, \"ts\": 1000.125, \"dur\": 2.5, \"args\": {\"External id\": 3, "
              "\"Record function id\": 9, \"Concrete Inputs\": [\"\", \"[1]\"], "
              "\"Input type\": [\"float\", \"\"], \"Input Strides\": [[1], []], "
              "\"Input Dims\": [[2, 3], []], \"Sequence number\": 5, \"Fwd thread id\": 1, "
              "\"Ev Idx\": 11, \"Call stack\": \"inner;outer\", \"novel\": {\"a\": [1, null]}, "
              "\"more\": \"t\\\"\"}}");
    op = only(f, "cpu_op");
    check_name(f, op, "aten::mm");
    check_track(f, op, STROBE_TRACK_THREAD, -1, 8, 7);
    g_assert_cmpint(op->begin_ns, ==, 1000125);
    g_assert_cmpint(op->end_ns, ==, 1002625);
    g_assert_cmpint(integer(f, op, "sequence"), ==, 5);
    g_assert_cmpint(integer(f, op, "forward_thread"), ==, 1);
    g_assert_cmpint(integer(f, op, "chrome_trace.external_id"), ==, 3);
    g_assert_cmpint(integer(f, op, "chrome_trace.record_function"), ==, 9);
    g_assert_cmpint(integer(f, op, "chrome_trace.event_index"), ==, 11);
    check_text(f, op, "shapes", "2,3;");
    check_text(f, op, "types", "float;");
    check_text(f, op, "chrome_trace.strides", "[[1], []]");
    check_text(f, op, "chrome_trace.concrete_inputs", "[\"\", \"[1]\"]");
    check_text(f, op, "chrome_trace.arguments",
               "{\"novel\": {\"a\": [1, null]}, \"more\": \"t\\\"\"}");
    g_assert_cmpstr(strobe_mock_importer_metadata(f->mock), ==, "pid=7\n");
    g_assert_cmpstr(strobe_mock_importer_damage(f->mock), ==, "");
}

static void test_operator_without_arguments(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *op;

    import(f, "{\"ph\": \"X\", \"cat\": \"Operator\", \"name\": \"n\", \"pid\": 7, \"tid\": 8, "
              "\"ts\": 1}");
    op = only(f, "cpu_op");
    g_assert_cmpint(op->end_ns, ==, op->begin_ns);
    g_assert_cmpint(integer(f, op, "sequence"), ==, -1);
    g_assert_cmpint(integer(f, op, "forward_thread"), ==, 0);
    check_text(f, op, "shapes", "");
    check_text(f, op, "chrome_trace.arguments", "");
}

static void check_shapes(Fixture *f, guint n, const char *shapes, const char *arguments)
{
    const StrobeMockImported *op = nth(f, "cpu_op", n);

    check_text(f, op, "shapes", shapes);
    check_text(f, op, "chrome_trace.arguments", arguments);
}

static void test_shapes(Fixture *f, gconstpointer unused)
{
#define OPERATOR(args_)                                                                            \
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"n\", \"pid\": 1, \"tid\": " G_STRINGIFY(     \
        __COUNTER__) ", \"ts\": 1, \"args\": {" args_ "}}"
    import(
        f,
        OPERATOR("\"Input Dims\": [[[2, 3],\n [4]], [ ], [7 , 8]]") "," OPERATOR(
            "\"Input Dims\": "
            "[]") "," OPERATOR("\"Input Dims\": \"2,3\"") "," OPERATOR("\"Input dims\": "
                                                                       "[[5]]") "," OPERATOR("\"Inp"
                                                                                             "ut "
                                                                                             "Dims"
                                                                                             "\": "
                                                                                             "[["
                                                                                             "\"x\""
                                                                                             "]]") "," OPERATOR("\"Inpu"
                                                                                                                "t "
                                                                                                                "type\""
                                                                                                                ": "
                                                                                                                "[\"a;"
                                                                                                                "b\""
                                                                                                                "]"));
    check_shapes(f, 0, "[[2,3],[4]];;7,8", "");
    check_shapes(f, 1, "", "{\"Input Dims\": []}");
    check_shapes(f, 2, "", "{\"Input Dims\": \"2,3\"}");
    check_shapes(f, 3, "5", "");
    check_shapes(f, 4, "", "{\"Input Dims\": [[\"x\"]]}");
    check_shapes(f, 5, "", "{\"Input type\": [\"a;b\"]}");
}

static void test_device(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *kernel, *copy, *call, *mark, *sync;

    import(
        f,
        "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 2, \"tid\": 7, "
        "\"ts\": 5, \"dur\": 1.00049, \"args\": {\"External id\": 3, \"queued\": 0, "
        "\"device\": 2, \"context\": 1, \"stream\": 7, \"correlation\": 9, "
        "\"registers per thread\": 32, \"shared memory\": 64, \"blocks per SM\": 0.5, "
        "\"warps per SM\": 2, \"grid\": [1, 2, 3], \"block\": [128, 1, 1], "
        "\"est. achieved occupancy %\": 31}},"
        "{\"ph\": \"X\", \"cat\": \"gpu_memcpy\", \"name\": \"Memcpy HtoD (Pageable -> Device)\","
        "\"pid\": 2, \"tid\": 7, \"ts\": 8, \"dur\": 1, \"args\": {\"stream\": 7, "
        "\"correlation\": 10, \"bytes\": 4096, \"memory bandwidth (GB/s)\": 7.744}},"
        "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 7, "
        "\"tid\": 8, \"ts\": 1, \"dur\": 2, \"args\": {\"cbid\": 211, \"correlation\": 9}},"
        "{\"ph\": \"X\", \"cat\": \"gpu_user_annotation\", \"name\": \"ProfilerStep#1\", "
        "\"pid\": 2, \"tid\": 7, \"ts\": 5, \"dur\": 2, \"args\": {}},"
        "{\"ph\": \"X\", \"cat\": \"cuda_sync\", \"name\": \"s\", \"pid\": 2, \"tid\": -1, "
        "\"ts\": 5, \"dur\": 2, \"args\": {}},"
        "{\"ph\": \"s\", \"id\": 9, \"pid\": 7, \"tid\": 8, \"ts\": 1, \"cat\": \"ac2g\", "
        "\"name\": \"ac2g\"}");
    kernel = nth(f, "device_task", 0);
    copy = nth(f, "device_task", 1);
    call = only(f, "api_call");
    mark = only(f, "marker");
    sync = only(f, "chrome_trace.span");
    check_track(f, kernel, STROBE_TRACK_STREAM, 2, 7, 7);
    check_track(f, mark, STROBE_TRACK_STREAM, 2, 7, 7);
    check_track(f, sync, STROBE_TRACK_STREAM, 2, (guint64)-1, 7);
    g_assert_cmpint(integer(f, kernel, "connection"), ==, 9);
    g_assert_cmpint(integer(f, kernel, "connection"), ==, integer(f, call, "connection"));
    g_assert_cmpint(integer(f, kernel, "is_kernel"), ==, 1);
    check_text(f, kernel, "grid_dim", "1,2,3");
    check_text(f, kernel, "task_type", "kernel");
    check_text(f, kernel, "chrome_trace.arguments", "");
    g_assert_cmpfloat(strobe_mock_importer_double(f->mock, kernel, "exact_us"), ==, 1.00049);
    g_assert_cmpint(kernel->end_ns, ==, 6000);
    g_assert_cmpint(integer(f, copy, "is_kernel"), ==, 0);
    g_assert_cmpint(integer(f, copy, "copy_bytes"), ==, 4096);
    check_text(f, copy, "copy_direction", "HtoD");
    g_assert_true(isnan(strobe_mock_importer_double(f->mock, copy, "exact_us")));
    g_assert_cmpint(integer(f, kernel, "task"), !=, integer(f, copy, "task"));
    check_text(f, call, "level", "cuda_runtime");
    /* the connection id is used instead of the arrow */
    g_assert_null(nth(f, "chrome_trace.flow", 0));
}

static void test_collective(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *op;

    import(f, "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"ncclKernel_AllReduce\", "
              "\"pid\": 0, \"tid\": 20, \"ts\": 5, \"dur\": 1, \"args\": {\"stream\": 20, "
              "\"correlation\": 9, \"Collective name\": \"allreduce\", \"In msg nelems\": 10, "
              "\"Group size\": 8, \"dtype\": \"Float\", \"Process Group Name\": \"g\"}}");
    op = only(f, "comm_op");
    check_text(f, op, "op_type", "allreduce");
    check_text(f, op, "group", "g");
    check_text(f, op, "data_type", "Float");
    g_assert_cmpint(integer(f, op, "count"), ==, 10);
    g_assert_cmpint(integer(f, op, "rank_size"), ==, 8);
    check_track(f, op, STROBE_TRACK_STREAM, 0, 20, 0);
}

static void test_step_and_python(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *step, *call;

    import(f, "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#12\", "
              "\"pid\": 7, \"tid\": 8, \"ts\": 5, \"dur\": 9, \"args\": {}},"
              "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#x\", "
              "\"pid\": 7, \"tid\": 8, \"ts\": 5, \"dur\": 9, \"args\": {}},"
              "{\"ph\": \"X\", \"cat\": \"python_function\", \"name\": \"a.py(1): f\", "
              "\"pid\": 7, \"tid\": 8, \"ts\": 4, \"dur\": 2, \"args\": {\"Python id\": 1, "
              "\"Python parent id\": null}},"
              "{\"ph\": \"X\", \"cat\": \"Python\", \"name\": \"nn.Module: L_0\", "
              "\"pid\": 7, \"tid\": 8, \"ts\": 6, \"dur\": 1, \"args\": {\"Python id\": 2, "
              "\"Python parent id\": 1, \"Python module id\": 0}}");
    step = only(f, "step");
    g_assert_cmpint(integer(f, step, "number"), ==, 12);
    g_assert_cmpint(integer(f, step, "thread"), ==, 8);
    check_track(f, step, STROBE_TRACK_STEPS, -1, 0, 7);
    check_name(f, only(f, "marker"), "ProfilerStep#x");
    call = nth(f, "python_call", 0);
    g_assert_cmpint(integer(f, call, "parent"), ==, 0);
    g_assert_cmpint(integer(f, call, "module"), ==, STROBE_ABSENT_I64);
    check_text(f, call, "chrome_trace.arguments", "");
    call = nth(f, "python_call", 1);
    g_assert_cmpint(integer(f, call, "parent"), ==, 1);
    g_assert_cmpint(integer(f, call, "module"), ==, 0);
}

static void test_memory(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *taken, *given;

    import(f, "{\"ph\": \"i\", \"s\": \"t\", \"name\": \"[memory]\", \"pid\": 7, \"tid\": 8, "
              "\"ts\": 5, \"args\": {\"Total Reserved\": 4096, \"Total Allocated\": 512, "
              "\"Bytes\": 512, \"Addr\": 140000, \"Device Id\": 3, \"Device Type\": 1}},"
              "{\"ph\": \"i\", \"s\": \"t\", \"name\": \"[memory]\", \"pid\": 7, \"tid\": 8, "
              "\"ts\": 6, \"args\": {\"Bytes\": -512, \"Addr\": 140000, \"Device Id\": 0, "
              "\"Device Type\": 0}}");
    taken = nth(f, "memory_event", 0);
    given = nth(f, "memory_event", 1);
    g_assert_cmpint(integer(f, taken, "device"), ==, 3);
    check_text(f, taken, "component", "PTA");
    g_assert_cmpint(integer(f, taken, "action"), ==, 0);
    g_assert_cmpint(integer(f, taken, "total_reserved"), ==, 4096);
    g_assert_cmpint(integer(f, given, "device"), ==, -1);
    g_assert_cmpint(integer(f, given, "action"), ==, 1);
    g_assert_cmpint(integer(f, given, "size"), ==, -512);
    g_assert_cmpint(integer(f, given, "total_reserved"), ==, STROBE_ABSENT_I64);
}

/* ---- members of the outermost object ---- */

static void test_metadata(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *device;

    import(f, "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"A\"}, "
              "{\"name\": \"B\\u00e4\", \"id\": 1}], \"distributedInfo\": {\"backend\": \"nccl\", "
              "\"pg_config\": [{\"rank\": 9}], \"rank\": 3}, \"host_name\": \"there\", "
              "\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"n\", "
              "\"pid\": 7, \"tid\": 8, \"ts\": 5.5, \"dur\": 1}, {\"ph\": \"M\", \"name\": "
              "\"process_name\", \"pid\": 7, \"args\": {\"name\": \"python3\"}}, {\"ph\": \"M\", "
              "\"name\": \"thread_name\", \"pid\": 7, \"tid\": 8, \"args\": {\"name\": "
              "\"main\"}}], \"traceName\": \"x\", \"displayTimeUnit\": \"ms\", "
              "\"baseTimeNanoseconds\": 1700000000123456789}");
    g_assert_cmpstr(strobe_mock_importer_metadata(f->mock), ==,
                    "rank=3\nhost=there\npid=7\ncommand=python3\n");
    g_assert_cmpint(only(f, "cpu_op")->begin_ns, ==, 1700000000123462289);
    check_name(f, nth(f, "metadata", 0), "deviceProperties");
    check_name(f, nth(f, "metadata", 1), "distributedInfo");
    check_name(f, nth(f, "metadata", 2), "host_name");
    check_text(f, nth(f, "metadata", 2), "value", "there");
    g_assert_cmpint(integer(f, nth(f, "metadata", 2), "is_json"), ==, 0);
    g_assert_cmpint(integer(f, nth(f, "metadata", 1), "is_json"), ==, 1);
    g_assert_null(nth(f, "metadata", 3));
    device = nth(f, "device_info", 1);
    check_name(f, device, "B\xc3\xa4");
    g_assert_cmpint(integer(f, device, "device"), ==, 1);
    g_assert_cmpint(integer(f, device, "rank"), ==, 3);
    g_assert_cmpstr(strobe_mock_importer_track(f->mock, only(f, "cpu_op")->track, NULL)->name, ==,
                    "main");
}

/* In a container the program's process id may be equal to a device's number. Each trace has a label
 * for each device, with the device's number as process id. */
static void test_program_with_the_number_of_a_device(Fixture *f, gconstpointer unused)
{
    import(f,
           "[{\"ph\": \"M\", \"name\": \"process_labels\", \"pid\": 1, \"tid\": 0, \"args\": "
           "{\"labels\": \"CPU\"}}, {\"ph\": \"M\", \"name\": \"process_labels\", \"pid\": 1, "
           "\"tid\": 0, \"args\": {\"labels\": \"GPU 1\"}}, {\"ph\": \"X\", \"cat\": \"cpu_op\", "
           "\"name\": \"a\", \"pid\": 1, \"tid\": 30, \"ts\": 1, \"dur\": 5}, {\"ph\": \"X\", "
           "\"cat\": \"kernel\", \"name\": \"k\", \"pid\": 1, \"tid\": 7, \"ts\": 2, \"dur\": 1, "
           "\"args\": {\"stream\": 7}}, {\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": "
           "\"launch\", \"pid\": 1, \"tid\": 31, \"ts\": 1, \"dur\": 1}]");
    check_track(f, only(f, "cpu_op"), STROBE_TRACK_THREAD, -1, 30, 1);
    check_track(f, only(f, "device_task"), STROBE_TRACK_STREAM, 1, 7, 1);
    check_track(f, only(f, "api_call"), STROBE_TRACK_THREAD, -1, 31, 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    TEST("probe", test_probe);
    TEST("operator", test_operator);
    TEST("operator-without-arguments", test_operator_without_arguments);
    TEST("shapes", test_shapes);
    TEST("device", test_device);
    TEST("collective", test_collective);
    TEST("step-and-python", test_step_and_python);
    TEST("memory", test_memory);
    TEST("metadata", test_metadata);
    TEST("program-with-the-number-of-a-device", test_program_with_the_number_of_a_device);
    return g_test_run();
}
