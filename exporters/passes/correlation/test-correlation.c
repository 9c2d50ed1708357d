/* SPDX-License-Identifier: Apache-2.0 */
#include "correlation.h"

#include <string.h>

#include "link-table.h"
#include "test-device.h"

#define ID(source_, id_) ((uint64_t)(source_) << STROBE_LINK_BITS | (id_))

static StrobeMockHost *live_host(void)
{
    StrobeMockHost *mock = strobe_mock_new(strobe_plugin_1.components[0], -1);

    strobe_mock_metadata_entry(mock, "link_sources", "cpu_op+opencl+npu");
    return mock;
}

static void add_call(StrobeMockHost *mock, StrobeTrackId thread, int64_t begin_ns, int64_t end_ns,
                     uint64_t id)
{
    TEST_FIELDS(api_call, fields);
    fields.connection = id;
    TEST_ADD(mock, api_call, thread, "launch", begin_ns, end_ns, &fields);
}

static void add_task(StrobeMockHost *mock, StrobeTrackId stream, int64_t begin_ns, uint64_t id)
{
    TEST_FIELDS(device_task, fields);
    fields.connection = id;
    TEST_ADD(mock, device_task, stream, "kernel", begin_ns, begin_ns + 10, &fields);
}

static void add_queue(StrobeMockHost *mock, StrobeTrackId thread, int64_t begin_ns, int64_t end_ns,
                      uint64_t id, uint8_t is_dequeue)
{
    const struct strobe_task_queue fields = {.correlation = id, .is_dequeue = is_dequeue};
    strobe_mock_add(mock, &strobe_kind_task_queue, thread, 0, begin_ns, end_ns, &fields);
}

static void add_operator(StrobeMockHost *mock, StrobeTrackId thread, int64_t begin_ns,
                         int64_t end_ns, int64_t sequence, uint64_t forward_thread)
{
    const struct strobe_cpu_op fields = {.sequence = sequence, .forward_thread = forward_thread};
    strobe_mock_add(mock, &strobe_kind_cpu_op, thread, 0, begin_ns, end_ns, &fields);
}

static void run_mock(StrobeMockHost *mock)
{
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
}

/* Returns the row of a type and source; NULL: there is none. */
static const struct strobe_correlation *find_row(StrobeMockHost *mock, const char *type,
                                                 const char *source)
{
    const StrobeView *views;
    size_t n = strobe_mock_emitted(mock, &views);

    for (size_t i = 0; i < n; i++) {
        const struct strobe_correlation *row = views[i].fields;
        if (!strcmp(views[i].kind->name, "correlation") &&
            !strcmp(strobe_mock_text(mock, views[i].name), type) &&
            !strcmp(strobe_mock_text(mock, row->source), source))
            return row;
    }
    return NULL;
}

static void check_row(StrobeMockHost *mock, const char *type, const char *source, uint64_t linked,
                      uint64_t orphan_cause, uint64_t orphan_effect, uint64_t ambiguous)
{
    const struct strobe_correlation *row = find_row(mock, type, source);

    g_assert_nonnull(row);
    g_assert_cmpuint(row->linked, ==, linked);
    g_assert_cmpuint(row->orphan_cause, ==, orphan_cause);
    g_assert_cmpuint(row->orphan_effect, ==, orphan_effect);
    g_assert_cmpuint(row->ambiguous, ==, ambiguous);
}

/* The ids of two collectors begin with 1: a record of one collector is not linked to a record of
 * the other. */
static void test_sources(void)
{
    StrobeMockHost *mock = live_host();
    StrobeTrackId thread = test_thread(mock, 1);
    StrobeTrackId first = test_stream(mock, 0, 1), second = test_stream(mock, 1, 1);

    add_call(mock, thread, 100, 110, ID(2, 1));
    add_call(mock, thread, 120, 130, ID(2, 2)); /* it launches nothing */
    add_task(mock, second, 150, ID(3, 1));      /* its call was not recorded */
    add_task(mock, second, 160, STROBE_ABSENT_U64);
    add_task(mock, first, 170, ID(2, 1));
    add_task(mock, first, 180, ID(2, 1));
    add_task(mock, first, 190, 0);
    run_mock(mock);
    check_row(mock, "api_to_task", "opencl", 2, 1, 1, 0);
    check_row(mock, "api_to_task", "npu", 0, 0, 2, 0);
    g_assert_null(find_row(mock, "operator_to_api", "opencl")); /* no operator was recorded */
    g_assert_cmpuint(strobe_mock_warnings(mock), ==, 0);
    strobe_mock_free(mock);
}

/* The ids of an import have one source, whatever source their bits name. */
static void test_import(void)
{
    StrobeMockHost *mock = strobe_mock_new(strobe_plugin_1.components[0], -1);
    StrobeTrackId thread = test_thread(mock, 1), stream = test_stream(mock, 0, 1);

    strobe_mock_metadata_entry(mock, "source",
                               "{\"importer\":\"ascend_text\",\"format\":\"text\"}");
    add_call(mock, thread, 100, 110, 7);
    add_call(mock, thread, 120, 130, ID(9, 7));
    add_task(mock, stream, 150, 7);
    add_task(mock, stream, 160, ID(9, 7));
    run_mock(mock);
    check_row(mock, "api_to_task", "ascend_text", 2, 0, 0, 0);
    strobe_mock_free(mock);
}

/* A launch, a call around it, and a later call on its thread may have the same id. The id is
 * ambiguous if calls of two threads have it. */
static void test_ambiguous(void)
{
    StrobeMockHost *mock = live_host();
    StrobeTrackId one = test_thread(mock, 1), two = test_thread(mock, 2);
    StrobeTrackId stream = test_stream(mock, 0, 1);

    add_call(mock, one, 100, 110, ID(3, 1));
    add_call(mock, one, 90, 120, ID(3, 1));
    add_call(mock, one, 130, 140, ID(3, 1));
    add_task(mock, stream, 105, ID(3, 1)); /* after the begin of the launch */
    add_call(mock, one, 200, 210, ID(3, 2));
    add_call(mock, two, 205, 215, ID(3, 2));
    add_task(mock, stream, 300, ID(3, 2));
    add_task(mock, stream, 310, ID(3, 2));
    run_mock(mock);
    check_row(mock, "api_to_task", "npu", 1, 0, 0, 2);
    g_assert_cmpuint(find_row(mock, "api_to_task", "npu")->violations, ==, 0);
    strobe_mock_free(mock);
}

/* A task before its launch is reported, unless the difference is within the clock error. The order
 * in which the records come does not matter. */
static void test_causality(void)
{
    const StrobeClockView good = {.n_pairs = 5, .error_ns = 40, .host_error_ns = 10};
    const StrobeClockView unknown = {.n_pairs = 5, .error_ns = STROBE_ABSENT_U64};

    for (int order = 0; order < 2; order++) {
        StrobeMockHost *mock = live_host();
        StrobeTrackId thread = test_thread(mock, 1), stream = test_stream(mock, 0, 1);
        StrobeTrackId other = test_stream(mock, 1, 1);
        strobe_mock_clock(mock, stream, &good);
        strobe_mock_clock(mock, other, &unknown);
        if (order)
            add_call(mock, thread, 1000, 1010, ID(2, 1));
        add_task(mock, stream, 950, ID(2, 1)); /* still within the error */
        add_task(mock, stream, 949, ID(2, 1));
        add_task(mock, stream, 700, ID(2, 1));
        add_task(mock, other, 100, ID(2, 1)); /* the error of this clock is unknown */
        if (!order)
            add_call(mock, thread, 1000, 1010, ID(2, 1));
        run_mock(mock);
        check_row(mock, "api_to_task", "opencl", 4, 0, 0, 0);
        const struct strobe_correlation *row = find_row(mock, "api_to_task", "opencl");
        g_assert_cmpuint(row->violations, ==, 2);
        g_assert_cmpint(row->worst, ==, 300);
        g_assert_cmpuint(row->error, ==, 50);
        g_assert_cmpuint(row->unchecked, ==, 1);
        g_assert_cmpuint(strobe_mock_warnings(mock), ==, 1);
        strobe_mock_free(mock);
    }
}

/* The operator is the one that encloses the launch on its thread, or that encloses its enqueue; it
 * is never an operator of another thread. */
static void test_operators(void)
{
    StrobeMockHost *mock = live_host();
    StrobeTrackId one = test_thread(mock, 1), two = test_thread(mock, 2);
    StrobeTrackId worker = test_thread(mock, 3), stream = test_stream(mock, 0, 1);
    /* the same thread, in another layer */
    StrobeTrackId layer = strobe_mock_track(mock, STROBE_TRACK_THREAD, 1, "", "CANN", -1);

    add_call(mock, layer, 100, 110, ID(2, 1)); /* the call is in an operator */
    add_operator(mock, one, 95, 115, -1, 0);
    add_operator(mock, one, 90, 120, -1, 0);
    /* at the same time, but not in the operator of the other thread */
    add_call(mock, two, 100, 110, ID(2, 2));
    add_queue(mock, one, 200, 210, ID(3, 5), 0);
    add_operator(mock, one, 190, 220, -1, 0);
    /* in the dequeue of an entry that an operator has enqueued */
    add_call(mock, worker, 310, 320, ID(2, 3));
    add_queue(mock, worker, 300, 330, ID(3, 5), 1);
    add_queue(mock, worker, 400, 430, ID(3, 6), 1); /* its enqueue was not recorded */
    /* the call has no task, so it needs no operator */
    add_call(mock, one, 500, 510, ID(2, 4));
    for (uint64_t id = 1; id <= 3; id++)
        add_task(mock, stream, 600, ID(2, id));
    run_mock(mock);
    check_row(mock, "api_to_task", "opencl", 3, 1, 0, 0);
    check_row(mock, "operator_to_api", "opencl", 2, 0, 1, 0);
    check_row(mock, "enqueue_to_dequeue", "npu", 1, 0, 1, 0);
    strobe_mock_free(mock);
}

/* A dequeue begins when the previous one ends, or earlier by a rounding error. */
static void test_back_to_back(gconstpointer overlap_ns)
{
    StrobeMockHost *mock = live_host();
    StrobeTrackId one = test_thread(mock, 1), worker = test_thread(mock, 2);
    StrobeTrackId stream = test_stream(mock, 0, 1);

    for (uint64_t id = 1; id <= 3; id++) {
        const int64_t begin_ns = 1000 + 100 * (int64_t)id;

        add_operator(mock, one, 100 * (int64_t)id, 100 * (int64_t)id + 50, -1, 0);
        add_queue(mock, one, 100 * (int64_t)id + 10, 100 * (int64_t)id + 20, ID(3, id), 0);
        add_queue(mock, worker, begin_ns, begin_ns + 100 + GPOINTER_TO_INT(overlap_ns), ID(3, id),
                  1);
        add_call(mock, worker, begin_ns, begin_ns + 10, ID(2, id));
        add_call(mock, worker, begin_ns + 50, begin_ns + 60, ID(2, 3 + id));
        add_task(mock, stream, begin_ns + 400, ID(2, id));
        add_task(mock, stream, begin_ns + 450, ID(2, 3 + id));
    }
    run_mock(mock);
    check_row(mock, "operator_to_api", "opencl", 6, 0, 0, 0);
    strobe_mock_free(mock);
}

static void test_backward(void)
{
    StrobeMockHost *mock = live_host();
    StrobeTrackId one = test_thread(mock, 1), two = test_thread(mock, 2);

    add_operator(mock, one, 10, 15, 5, 0);
    add_operator(mock, one, 20, 25, 6, 0); /* it has no backward operator, so it is not counted */
    add_operator(mock, two, 50, 55, 5, 1);
    add_operator(mock, two, 60, 65, 9, 1); /* its forward operator was not recorded */
    run_mock(mock);
    check_row(mock, "forward_to_backward", "", 1, 0, 1, 0);
    strobe_mock_free(mock);
}

static void test_markers(void)
{
    static const StrobeField fields[] = {{"argument", STROBE_FIELD_U64, 0, "", ""},
                                         {"marker.connection", STROBE_FIELD_LINK, 0, "", ""}};
    static const StrobeKind kind = {sizeof kind, STROBE_SHAPE_SPAN, "marker", "", fields, 2, 0};
    StrobeMockHost *mock = live_host();
    StrobeTrackId thread = test_thread(mock, 1), stream = test_stream(mock, 0, 1);
    const uint64_t first[] = {0, ID(3, 1)}, second[] = {0, ID(3, 2)}, none[] = {0, 0};

    strobe_mock_add(mock, &kind, thread, 0, 10, 20, first);
    strobe_mock_add(mock, &kind, thread, 0, 30, 40, none); /* a mark that has no mark on a device */
    strobe_mock_add(mock, &kind, stream, 0, 15, 25, first);
    strobe_mock_add(mock, &kind, stream, 0, 35, 45, second);
    run_mock(mock);
    check_row(mock, "host_to_device_marker", "npu", 1, 0, 1, 0);
    strobe_mock_free(mock);
}

/* If there are very many ids, the oldest ones are dropped and reported as dropped; ids that were
 * linked are counted correctly. */
static void test_bounded(void)
{
    StrobeMockHost *mock = live_host();
    StrobeTrackId thread = test_thread(mock, 1), stream = test_stream(mock, 0, 1);
    const uint64_t n = LINK_ENTRIES_MAX + 10;

    add_call(mock, thread, 0, 1, ID(2, 1000000)); /* its task comes too late */
    for (uint64_t id = 1; id <= n; id++) {
        add_call(mock, thread, (int64_t)id * 10, (int64_t)id * 10 + 5, ID(2, id));
        add_task(mock, stream, (int64_t)id * 10 + 7, ID(2, id));
    }
    add_task(mock, stream, (int64_t)n * 20, ID(2, 1000000));
    run_mock(mock);
    check_row(mock, "api_to_task", "opencl", n, 1, 1, 0);
    g_assert_cmpuint(find_row(mock, "api_to_task", "opencl")->forgotten, ==, 1);
    strobe_mock_free(mock);
}

static void test_clocks(void)
{
    StrobeMockHost *mock = live_host();
    StrobeTrackId device = test_stream(mock, 0, 0), queue_track = test_stream(mock, 0, 1);
    StrobeTrackId lost = test_stream(mock, 1, 0);
    const StrobeClockView good = {
        .track = device, .n_pairs = 5, .n_knots = 3, .error_ns = 40, .drift = 12.5, .n_jumps = 2};
    const StrobeClockView none = {.track = lost, .error_ns = STROBE_ABSENT_U64};
    const StrobeView *views;

    strobe_mock_clock(mock, device, &good);
    strobe_mock_clock(mock, queue_track, &good);
    strobe_mock_clock(mock, lost, &none);
    run_mock(mock);
    g_assert_cmpuint(strobe_mock_emitted(mock, &views), ==, 2);
    const struct strobe_device_clock *row = views[0].fields;
    g_assert_cmpuint(views[0].track, ==, device);
    g_assert_cmpuint(row->pairs, ==, 5);
    g_assert_cmpuint(row->error, ==, 40);
    g_assert_cmpuint(row->jumps, ==, 2);
    g_assert_cmpfloat(row->drift, ==, 12.5);
    g_assert_cmpuint(views[1].track, ==, lost);
    g_assert_cmpuint(strobe_mock_warnings(mock), ==, 1);
    strobe_mock_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/correlation/sources", test_sources);
    g_test_add_func("/correlation/import", test_import);
    g_test_add_func("/correlation/ambiguous", test_ambiguous);
    g_test_add_func("/correlation/causality", test_causality);
    g_test_add_func("/correlation/operators", test_operators);
    g_test_add_data_func("/correlation/back_to_back", GINT_TO_POINTER(0), test_back_to_back);
    g_test_add_data_func("/correlation/overlapping", GINT_TO_POINTER(1), test_back_to_back);
    g_test_add_func("/correlation/backward", test_backward);
    g_test_add_func("/correlation/markers", test_markers);
    g_test_add_func("/correlation/bounded", test_bounded);
    g_test_add_func("/correlation/clocks", test_clocks);
    return g_test_run();
}
