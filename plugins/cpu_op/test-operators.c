/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the stack of open functions of cpu_op without libtorch. The test calls this stack as a
 * backend does. */
#include <glib.h>
#include <string.h>

#include <strobe/kinds.h>

#include "../../sdk/check/mock-host.h"
#include "operators.h"

/* The target that a backend would have. */
static StrobeTorchTarget target;

static StrobeStatus test_open(const StrobeHost *host, StrobeInstance *self, void **state)
{
    StrobeKindId kind;
    StrobeStatus status = host->kind(self, &strobe_kind_cpu_op, &kind);
    strobe_operators_attach(host, self, kind, sizeof(struct strobe_cpu_op), &target);
    return status;
}

static StrobeStatus test_start(void *state)
{
    strobe_operators_record(1);
    return STROBE_OK;
}

static StrobeStatus test_stop(void *state)
{
    strobe_operators_record(0);
    return STROBE_OK;
}

static void test_close(void *state)
{
    strobe_operators_detach();
}

static const StrobeCollectorOps ops = {.struct_size = sizeof ops,
                                       .open = test_open,
                                       .start = test_start,
                                       .stop = test_stop,
                                       .close = test_close};
static const StrobeComponent component = {.struct_size = sizeof component,
                                          .type = STROBE_COMPONENT_COLLECTOR,
                                          .name = "test",
                                          .ops = &ops};
static const StrobeComponent *const components[] = {&component};
static const StrobePlugin plugin = {.struct_size = sizeof plugin,
                                    .abi_minor = STROBE_ABI_MINOR,
                                    .record_version = STROBE_RECORD_VERSION,
                                    .n_components = 1,
                                    .name = "test",
                                    .version = "0",
                                    .summary = "A collector of this test's.",
                                    .license = "Apache-2.0",
                                    .vendor = "Strobe",
                                    .components = components};

static StrobeMockHost *begin_session(void)
{
    StrobeMockHost *mock = strobe_mock_host_new(&plugin, NULL);
    g_assert_nonnull(mock);
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_start(mock), ==, STROBE_OK);
    return mock;
}

static void end_session(StrobeMockHost *mock)
{
    g_assert_cmpstr(strobe_mock_host_complaints(mock), ==, "");
    strobe_mock_host_free(mock);
}

/* The keys of functions. Any addresses can be used, if they differ. */
static char keys[512];

static void begin_operator(int key, const char *name)
{
    strobe_torch_begin(&target, &keys[key], name, -1);
}

static void begin_range(int key, const char *name)
{
    strobe_operator_events.begin(&keys[key], name, -1, 7, NULL, 0);
}

static void end_operator(int key)
{
    struct strobe_cpu_op fields = {.sequence = -1};
    strobe_torch_end(&target, &strobe_operator_events, &keys[key], &fields);
}

static void end_range(int key)
{
    struct strobe_cpu_op fields = {.sequence = -1, .scope = 7};
    strobe_operator_events.end(&keys[key], &fields);
}

static const char *name_at(StrobeMockHost *mock, size_t index)
{
    const StrobeMockRecord *record = strobe_mock_host_record(mock, index);
    return record ? record->name : NULL;
}

static void test_nested(void)
{
    StrobeMockHost *mock = begin_session();
    begin_operator(0, "outer");
    begin_operator(1, "inner");
    end_operator(1);
    end_operator(0);
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 2);
    g_assert_cmpstr(name_at(mock, 0), ==, "inner");
    g_assert_cmpstr(name_at(mock, 1), ==, "outer");
    const struct strobe_cpu_op *record = strobe_mock_host_record(mock, 1)->fields;
    g_assert_cmpint(record->sequence, ==, -1);
    g_assert_cmpint(record->is_async, ==, 0);
    g_assert_cmpuint(strobe_mock_host_n_open(mock), ==, 0);
    end_session(mock);
}

static void test_unmatched(void)
{
    StrobeMockHost *mock = begin_session();
    end_operator(3);
    begin_operator(0, "outer");
    end_operator(4);
    begin_operator(1, "never ended");
    end_operator(0);
    end_operator(0);
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 1);
    g_assert_cmpstr(name_at(mock, 0), ==, "outer");
    /* an operator whose own begin is unknown can no longer be recorded; it is counted once */
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_COLLECTOR_DROPPED), ==, 1);
    end_operator(1);
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 1);
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_COLLECTOR_DROPPED), ==, 1);
    end_session(mock);
}

static void test_many_never_ended(void)
{
    StrobeMockHost *mock = begin_session();
    for (int i = 0; i < 100000; i++) {
        begin_operator(0, "outer");
        begin_range(1 + i % 500, "never ended");
        end_operator(0);
    }
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 100000);
    /* all but the last few operators, whose ends may still come */
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_COLLECTOR_DROPPED), ==, 100000 - 64);
    g_assert_cmpuint(strobe_mock_host_n_open(mock), ==, 0);
    end_session(mock);
}

static void test_range_out_of_order(void)
{
    StrobeMockHost *mock = begin_session();
    begin_operator(0, "operator");
    begin_range(1, "range");
    end_operator(0);
    begin_operator(2, "later");
    end_range(1);
    end_operator(2);
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 3);
    g_assert_cmpstr(name_at(mock, 1), ==, "range");
    const StrobeMockRecord *range = strobe_mock_host_record(mock, 1);
    g_assert_cmpint(strobe_mock_host_integer(range, "is_async"), ==, 1);
    g_assert_cmpuint(range->begin, <=, strobe_mock_host_record(mock, 0)->end);
    g_assert_cmpuint(range->end, >=, strobe_mock_host_record(mock, 0)->end);
    g_assert_cmpstr(name_at(mock, 2), ==, "later");
    g_assert_cmpuint(strobe_mock_host_n_open(mock), ==, 0);
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_COLLECTOR_DROPPED), ==, 0);
    end_session(mock);
}

static void test_bookkeeping_is_hidden(void)
{
    StrobeMockHost *mock = begin_session();
    begin_operator(0, "profiler::_record_function_enter_new");
    begin_range(1, "range");
    end_operator(0);
    begin_operator(2, "profiler::_record_function_exit");
    end_range(1);
    end_operator(2);
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 1);
    const StrobeMockRecord *range = strobe_mock_host_record(mock, 0);
    g_assert_cmpstr(range->name, ==, "range");
    g_assert_cmpint(strobe_mock_host_integer(range, "is_async"), ==, 0);
    end_session(mock);
}

static void test_deep(void)
{
    StrobeMockHost *mock = begin_session();
    for (int i = 0; i < 500; i++)
        begin_operator(i, "deep");
    for (int i = 499; i >= 0; i--)
        end_operator(i);
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 500);
    end_session(mock);
}

static void test_end_after_the_window(void)
{
    StrobeMockHost *mock = begin_session();
    begin_operator(0, "straddles");
    strobe_mock_host_stop(mock);
    begin_operator(1, "outside");
    end_operator(1);
    end_operator(0);
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 0);
    strobe_mock_host_close(mock);
    strobe_mock_host_free(mock);
    mock = begin_session();
    end_operator(0);
    begin_operator(0, "next session");
    end_operator(0);
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 1);
    end_session(mock);
}

static void test_inputs(void)
{
    StrobeMockHost *mock = begin_session();
    StrobeTorchInputs inputs = {
        .shapes = {"2,3;", 4}, .types = {"float;Scalar", 12}, .flops = STROBE_ABSENT_U64};
    struct strobe_cpu_op fields = {.sequence = 3};
    strobe_operator_events.begin(&keys[0], "aten::add", 3, 0, &inputs, 0);
    strobe_operator_events.end(&keys[0], &fields);
    const StrobeMockRecord *record = strobe_mock_host_record(mock, 0);
    g_assert_cmpstr(strobe_mock_host_text(mock, record, "shapes"), ==, "2,3;");
    g_assert_cmpstr(strobe_mock_host_text(mock, record, "types"), ==, "float;Scalar");
    end_session(mock);
}

static gpointer end_elsewhere(gpointer memory)
{
    struct strobe_cpu_op fields = {.sequence = 5};
    strobe_operator_events.end_async(memory, &fields);
    strobe_operator_events.free_async(memory);
    return NULL;
}

/* A range contains an operator that never ends: the range is recorded when it ends, and the
 * operator is counted as lost. */
static void test_range_among_lost(void)
{
    StrobeMockHost *mock = begin_session();
    begin_operator(0, "outer");
    begin_range(1, "range");
    begin_range(2, "inner range");
    begin_operator(3, "never ended");
    end_range(1);
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_COLLECTOR_DROPPED), ==, 1);
    end_operator(0);
    end_range(2);
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 3);
    g_assert_cmpstr(name_at(mock, 0), ==, "range");
    g_assert_cmpstr(name_at(mock, 1), ==, "outer");
    const StrobeMockRecord *range = strobe_mock_host_record(mock, 2);
    g_assert_cmpstr(range->name, ==, "inner range");
    g_assert_cmpint(strobe_mock_host_integer(range, "is_async"), ==, 1);
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_COLLECTOR_DROPPED), ==, 1);
    end_session(mock);
}

/* If inputs are recorded, each open function has a note. A function that is closed by the end of an
 * outer function leaves no note. */
static void test_inputs_of_lost(void)
{
    static const StrobeTorchInputs inputs = {
        .shapes = {"", 0}, .types = {"Scalar", 6}, .flops = STROBE_ABSENT_U64};
    const struct strobe_cpu_op fields = {.sequence = -1};
    StrobeMockHost *mock = begin_session();
    strobe_operator_events.begin(&keys[0], "outer", -1, 0, &inputs, 0);
    strobe_operator_events.begin(&keys[1], "never ended", -1, 0, &inputs, 0);
    strobe_operator_events.end(&keys[0], &fields);
    strobe_operator_events.begin(&keys[1], "same place", -1, 0, &inputs, 0);
    strobe_operator_events.end(&keys[1], &fields);
    strobe_operator_events.end(&keys[1], &fields);
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 2);
    g_assert_cmpstr(name_at(mock, 1), ==, "same place");
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_COLLECTOR_DROPPED), ==, 1);
    end_session(mock);
}

/* Ranges that an earlier window left open are not closed by functions of this window. */
static void test_range_of_another_window(void)
{
    StrobeMockHost *mock = begin_session();
    begin_operator(0, "outer");
    for (int i = 1; i < 5; i++)
        begin_range(i, "left open");
    strobe_mock_host_stop(mock);
    strobe_mock_host_close(mock);
    strobe_mock_host_free(mock);
    mock = begin_session();
    begin_operator(5, "outer");
    begin_operator(6, "never ended");
    end_operator(5);
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_COLLECTOR_DROPPED), ==, 1);
    end_range(1);
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 1);
    end_session(mock);
}

static void test_fields(void)
{
    struct strobe_cpu_op fields = strobe_torch_fields(-5, 7, 9, 3, 11);
    g_assert_cmpint(fields.sequence, ==, -5);
    g_assert_cmpuint(fields.forward_thread, ==, 7);
    g_assert_cmpuint(fields.logical_thread, ==, 9);
    g_assert_cmpuint(fields.scope, ==, 3);
    g_assert_cmpuint(fields.stack, ==, 11);
    g_assert_cmpuint(fields.shapes | fields.types | fields.is_async, ==, 0);
}

static void test_async(void)
{
    StrobeMockHost *mock = begin_session();
    void *memory = strobe_operator_events.begin_async("nccl:all_reduce", NULL, 0);
    g_assert_nonnull(memory);
    g_assert_cmpuint((guintptr)memory % 16, ==, 0);
    g_thread_join(g_thread_new("end", end_elsewhere, memory));
    const StrobeMockRecord *record = strobe_mock_host_record(mock, 0);
    g_assert_cmpstr(record->name, ==, "nccl:all_reduce");
    g_assert_cmpint(strobe_mock_host_integer(record, "is_async"), ==, 1);
    g_assert_cmpint(strobe_mock_host_integer(record, "sequence"), ==, 5);
    const StrobeTrack *track = strobe_mock_host_track(mock, record->track);
    g_assert_cmpuint(track->type, ==, STROBE_TRACK_THREAD);
    g_assert_cmpuint(track->id, !=, record->thread);
    end_session(mock);
}

static void test_async_memory_is_bounded(void)
{
    StrobeMockHost *mock = begin_session();
    void *memory[400];
    size_t n = 0;
    for (int round = 0; round < 3; round++) {
        for (n = 0; n < G_N_ELEMENTS(memory); n++)
            if (!(memory[n] = strobe_operator_events.begin_async("async", NULL, 0)))
                break;
        g_assert_cmpuint(n, ==, 256);
        for (size_t i = 0; i < n; i++)
            strobe_operator_events.free_async(memory[i]);
    }
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_COLLECTOR_DROPPED), ==, 3);
    end_session(mock);
}

static gpointer run_operators(gpointer data)
{
    for (int i = 0; i < 1000; i++) {
        begin_operator(0, "outer");
        begin_operator(1, "inner");
        end_operator(1);
        end_operator(0);
    }
    return NULL;
}

/* Threads start and end; all of them use the same keys. */
static void test_threads(void)
{
    StrobeMockHost *mock = begin_session();
    for (int round = 0; round < 10; round++) {
        GThread *threads[4];
        for (size_t i = 0; i < G_N_ELEMENTS(threads); i++)
            threads[i] = g_thread_new("run", run_operators, NULL);
        for (size_t i = 0; i < G_N_ELEMENTS(threads); i++)
            g_thread_join(threads[i]);
    }
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 80000);
    g_assert_cmpuint(strobe_mock_host_n_dropped(mock), ==, 0);
    end_session(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/operators/nested", test_nested);
    g_test_add_func("/operators/unmatched", test_unmatched);
    g_test_add_func("/operators/many-never-ended", test_many_never_ended);
    g_test_add_func("/operators/range-out-of-order", test_range_out_of_order);
    g_test_add_func("/operators/bookkeeping-is-hidden", test_bookkeeping_is_hidden);
    g_test_add_func("/operators/deep", test_deep);
    g_test_add_func("/operators/end-after-the-window", test_end_after_the_window);
    g_test_add_func("/operators/inputs", test_inputs);
    g_test_add_func("/operators/range-among-lost", test_range_among_lost);
    g_test_add_func("/operators/inputs-of-lost", test_inputs_of_lost);
    g_test_add_func("/operators/range-of-another-window", test_range_of_another_window);
    g_test_add_func("/operators/fields", test_fields);
    g_test_add_func("/operators/async", test_async);
    g_test_add_func("/operators/async-memory-is-bounded", test_async_memory_is_bounded);
    g_test_add_func("/operators/threads", test_threads);
    return g_test_run();
}
