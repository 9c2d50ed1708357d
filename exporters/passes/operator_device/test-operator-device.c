/* SPDX-License-Identifier: Apache-2.0 */
#include "test-device.h"

#include <math.h>
#include <string.h>

/* Thread 1:   op a 0..1000 with b 100..300 in it, which puts 1 into the queue, a puts 2
 * Thread 2:   op c 400..500, another thread: in the one tree a child of a
 * Thread 9:   takes 1 out at 2000..2100, 2 at 2200..2300
 * Stream 5:   kernel x (from the first), y (from the second, no AI core) */
static void add_op(StrobeMockHost *mock, StrobeTrackId thread, const char *name, int64_t begin_ns,
                   int64_t end_ns)
{
    TEST_FIELDS(cpu_op, fields);
    TEST_ADD(mock, cpu_op, thread, name, begin_ns, end_ns, &fields);
}

static void add_queue(StrobeMockHost *mock, StrobeTrackId thread, int64_t begin_ns, int64_t end_ns,
                      uint64_t correlation, uint8_t is_dequeue)
{
    TEST_FIELDS(task_queue, fields);
    fields.correlation = correlation;
    fields.is_dequeue = is_dequeue;
    TEST_ADD(mock, task_queue, thread, "Queue", begin_ns, end_ns, &fields);
}

static void add_flow(StrobeMockHost *mock, StrobeTrackId from, int64_t from_ns, StrobeTrackId to,
                     int64_t to_ns, const char *id)
{
    TEST_FIELDS(flow_point, fields);
    fields.id = strobe_mock_string(mock, id);
    TEST_ADD(mock, flow_point, from, "HostToDevice", from_ns, from_ns, &fields);
    fields.is_end = 1;
    TEST_ADD(mock, flow_point, to, "HostToDevice", to_ns, to_ns, &fields);
}

static StrobeTrackId fill_host(StrobeMockHost *mock, const char *outer)
{
    StrobeTrackId one = test_thread(mock, 1), nine = test_thread(mock, 9);

    add_op(mock, one, "b", 100, 300);
    add_op(mock, test_thread(mock, 2), "c", 400, 500);
    add_op(mock, one, outer, 0, 1000);
    add_queue(mock, one, 200, 210, 1, 0);
    add_queue(mock, one, 600, 610, 2, 0);
    add_queue(mock, nine, 2000, 2100, 1, 1);
    add_queue(mock, nine, 2200, 2300, 2, 1);
    return nine;
}

static void fill_mock(StrobeMockHost *mock, const char *outer)
{
    StrobeTrackId nine = fill_host(mock, outer), stream = test_stream(mock, 3, 5);

    test_task(mock, stream, "x", "AI_CORE", 3000, 3500, 11);
    test_task(mock, stream, "y", "MIX_AIC", 4000, 4250, 12);
    add_flow(mock, nine, 2050, stream, 3000, "1");
    add_flow(mock, nine, 2250, stream, 4000, "2");
}

static const StrobeView *find_view(StrobeMockHost *mock, const char *kind, const char *name)
{
    const StrobeView *views;
    size_t n = strobe_mock_emitted(mock, &views);

    for (size_t i = 0; i < n; i++)
        if (!strcmp(views[i].kind->name, kind) &&
            !strcmp(strobe_mock_text(mock, views[i].name), name))
            return &views[i];
    return NULL;
}

static const struct strobe_operator_device *find_op(StrobeMockHost *mock, const char *name)
{
    const StrobeView *view = find_view(mock, "operator_device", name);

    g_assert_nonnull(view);
    return view->fields;
}

static void test_tree(void)
{
    StrobeMockHost *mock = test_device_host(1);
    const struct strobe_operator_device *a, *b, *c;

    fill_mock(mock, "a");
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    a = find_op(mock, "a");
    b = find_op(mock, "b");
    c = find_op(mock, "c");
    g_assert_cmpint(a->host_total, ==, 1000);
    g_assert_cmpint(a->host_self, ==, 700);
    g_assert_cmpfloat(a->device_self, ==, 0.25);
    g_assert_cmpfloat(a->device_total, ==, 0.75);
    g_assert_true(isnan(a->device_self_aicore));
    g_assert_cmpfloat(a->device_total_aicore, ==, 0.5);
    g_assert_cmpfloat(b->device_self, ==, 0.5);
    g_assert_true(isnan(c->device_total));
    strobe_mock_free(mock);
}

static void check_link(const StrobeView *view, int64_t to_begin, uint64_t task)
{
    const struct strobe_kernel_link *fields = view->fields;

    g_assert_cmpint(fields->to_begin, ==, to_begin);
    g_assert_cmpuint(fields->task, ==, task);
}

static void test_links(void)
{
    StrobeMockHost *mock = test_device_host(1);

    fill_mock(mock, "a");
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    check_link(find_view(mock, "kernel_link", "a"), 4000, 12);
    check_link(find_view(mock, "kernel_link", "b"), 3000, 11);
    g_assert_null(find_view(mock, "kernel_link", "c"));
    g_assert_null(find_view(mock, "step_range", "a"));
    strobe_mock_free(mock);
}

/* The range of a step in a text result: from the first kernel of its first entry to the end of its
 * last kernel, or to its end on the host. */
static void test_step_range(void)
{
    StrobeMockHost *mock = test_device_host(1);
    const StrobeView *view;
    const struct strobe_step_range *fields;

    fill_mock(mock, "ProfilerStep#7");
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    view = find_view(mock, "step_range", "ProfilerStep#7");
    g_assert_nonnull(view);
    fields = view->fields;
    g_assert_cmpint(view->begin_ns, ==, 3000);
    g_assert_cmpint(view->end_ns, ==, 4250);
    g_assert_cmpint(fields->number, ==, 7);
    g_assert_cmpint(fields->host_begin, ==, 0);
    g_assert_cmpint(fields->device, ==, 3);
    strobe_mock_free(mock);
}

static void add_call(StrobeMockHost *mock, StrobeTrackId thread, const char *level,
                     int64_t begin_ns, int64_t end_ns, uint64_t connection)
{
    TEST_FIELDS(api_call, fields);
    fields.level = strobe_mock_string(mock, level);
    fields.connection = connection;
    TEST_ADD(mock, api_call, thread, "launch", begin_ns, end_ns, &fields);
}

static void add_connected(StrobeMockHost *mock, int64_t begin_ns, int64_t end_ns,
                          uint64_t connection)
{
    TEST_FIELDS(device_task, fields);
    fields.is_kernel = 1;
    fields.task = connection + 100;
    fields.connection = connection;
    fields.core = strobe_mock_string(mock, "AI_CORE");
    TEST_ADD(mock, device_task, test_stream(mock, 0, 5), "x", begin_ns, end_ns, &fields);
}

/* Without flow events in the source, the launch is the call that has the task's id; only the first
 * task of an id counts. */
static void test_connections(void)
{
    StrobeMockHost *mock = test_device_host(3);
    StrobeTrackId nine = fill_host(mock, "a");

    strobe_mock_metadata_entry(mock, "source", "{\"importer\": \"ascend_text\"}");
    add_call(mock, nine, "node", 2050, 2060, 1);
    add_connected(mock, 3000, 3500, 1);
    add_connected(mock, 3600, 3700, 1);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    check_link(find_view(mock, "kernel_link", "b"), 3000, 101);
    g_assert_cmpfloat(find_op(mock, "a")->device_total, ==, 0.5);
    strobe_mock_free(mock);
}

static void check_step(StrobeMockHost *mock, const char *name, int64_t begin_ns, int64_t end_ns)
{
    const StrobeView *view = find_view(mock, "step_range", name);

    g_assert_nonnull(view);
    g_assert_cmpint(view->begin_ns, ==, begin_ns);
    g_assert_cmpint(view->end_ns, ==, end_ns);
}

/* The range of a step in a database: all tasks of the calls of the node level in the step. */
static void test_database_step(void)
{
    StrobeMockHost *mock = test_device_host(1);
    StrobeTrackId nine = test_thread(mock, 9);
    const struct strobe_step step = {.number = 8};

    strobe_mock_metadata_entry(mock, "source", "{\"importer\": \"ascend_db\"}");
    add_call(mock, nine, "node", 2050, 2060, 1);
    add_call(mock, nine, "node", 2950, 3050, 2);
    add_call(mock, nine, "acl", 2100, 2110, 3);
    add_connected(mock, 2500, 2600, 1);
    add_connected(mock, 3600, 3700, 1);
    add_connected(mock, 9600, 9700, 2);
    add_connected(mock, 100, 200, 3);
    TEST_ADD(mock, step, nine, "ProfilerStep#8", 2000, 3000, &step);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    check_step(mock, "ProfilerStep#8", 2500, 3700);
    strobe_mock_free(mock);
}

/* There are overlapping steps, a step without calls, a call across the end of a step, and an id
 * that two calls have. */
static void test_database_steps(void)
{
    StrobeMockHost *mock = test_device_host(1);
    StrobeTrackId nine = test_thread(mock, 9);
    const struct strobe_step step = {.number = 8};

    strobe_mock_metadata_entry(mock, "source", "{\"importer\": \"ascend_db\"}");
    add_call(mock, nine, "node", 1900, 2100, 3);
    add_call(mock, nine, "node", 1100, 1200, 1);
    add_call(mock, nine, "node", 1600, 1700, 2);
    add_call(mock, nine, "node", 4100, 4200, 1);
    add_connected(mock, 9000, 9100, 1);
    add_connected(mock, 5000, 5100, 1);
    add_connected(mock, 5200, 5300, 2);
    add_connected(mock, 5400, 5500, 3);
    TEST_ADD(mock, step, nine, "first", 1000, 2000, &step);
    TEST_ADD(mock, step, nine, "none", 2000, 3000, &step);
    TEST_ADD(mock, step, nine, "across", 1500, 2500, &step);
    TEST_ADD(mock, step, nine, "again", 4000, 5000, &step);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    check_step(mock, "first", 5000, 9100);
    check_step(mock, "none", 2000, 3000);
    check_step(mock, "across", 5200, 5500);
    check_step(mock, "again", 5000, 9100);
    strobe_mock_free(mock);
}

static void add_call_of(StrobeMockHost *mock, StrobeTrackId thread, int64_t begin_ns,
                        uint64_t connection)
{
    TEST_FIELDS(api_call, fields);
    fields.level = strobe_mock_string(mock, "opencl");
    fields.connection = connection;
    TEST_ADD(mock, api_call, thread, "clEnqueueNDRangeKernel", begin_ns, begin_ns + 5, &fields);
}

static void add_task_of(StrobeMockHost *mock, StrobeTrackId stream, int64_t begin_ns,
                        int64_t end_ns, uint64_t connection, uint8_t is_kernel)
{
    TEST_FIELDS(device_task, fields);
    fields.task = fields.connection = connection;
    fields.is_kernel = is_kernel;
    TEST_ADD(mock, device_task, stream, "task", begin_ns, end_ns, &fields);
}

/* In a recording of Strobe a launch belongs to an operator of its own thread, even if an operator
 * of another thread began later; copies also count. */
static void test_recorded(void)
{
    StrobeMockHost *mock = test_device_host(3);
    StrobeTrackId one = test_thread(mock, 1), two = test_thread(mock, 2);
    StrobeTrackId stream = test_stream(mock, 0, 1);

    add_call_of(mock, one, 450, 1); /* while the operator c of thread 2 is open */
    add_call_of(mock, two, 460, 2);
    add_call_of(mock, two, 950, 3); /* in no operator of its thread */
    add_op(mock, two, "c", 400, 500);
    add_op(mock, one, "a", 0, 1000);
    for (int64_t number = 4; number <= 5; number++) {
        const struct strobe_step fields = {.number = number};
        g_autofree char *name = g_strdup_printf("ProfilerStep#%d", (int)number);
        TEST_ADD(mock, step, one, name, (number - 4) * 1000, (number - 3) * 1000, &fields);
    }
    add_task_of(mock, stream, 2000, 2100, 1, 1);
    add_task_of(mock, stream, 3000, 3010, 2, 0);
    add_task_of(mock, stream, 4000, 5000, 3, 1);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpfloat(find_op(mock, "a")->device_self, ==, 0.1);
    g_assert_cmpfloat(find_op(mock, "a")->device_total, ==, 0.1);
    g_assert_cmpfloat(find_op(mock, "c")->device_self, ==, 0.01);
    g_assert_cmpint(find_op(mock, "a")->host_self, ==, 1000); /* c is not a child of a */
    const StrobeView *step = find_view(mock, "step_range", "ProfilerStep#4");
    g_assert_nonnull(step);
    g_assert_cmpint(step->begin_ns, ==, 2000);
    g_assert_cmpint(step->end_ns, ==, 5000);
    /* nothing was launched in this step */
    g_assert_null(find_view(mock, "step_range", "ProfilerStep#5"));
    check_link(find_view(mock, "kernel_link", "a"), 2000, 1);
    check_link(find_view(mock, "kernel_link", "c"), 3000, 2);
    strobe_mock_free(mock);
}

/* Without a queue the launch itself is found; an operator that ends when the launch begins does not
 * contain it. */
static void test_no_queue(void)
{
    StrobeMockHost *mock = test_device_host(1);
    StrobeTrackId one = test_thread(mock, 1), stream = test_stream(mock, 0, 5);

    add_op(mock, one, "b", 100, 300);
    add_op(mock, one, "a", 0, 1000);
    test_task(mock, stream, "x", "AI_CORE", 3000, 3500, 11);
    test_task(mock, stream, "y", "AI_CORE", 4000, 4250, 12);
    add_flow(mock, one, 200, stream, 3000, "1");
    add_flow(mock, one, 300, stream, 4000, "2");
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpfloat(find_op(mock, "b")->device_total, ==, 0.5);
    g_assert_cmpfloat(find_op(mock, "a")->device_self, ==, 0.25);
    strobe_mock_free(mock);
}

/* A recording without data of a device: operator_tree makes the tables of its operators. */
static void test_host_only(void)
{
    for (int is_imported = 0; is_imported < 2; is_imported++) {
        StrobeMockHost *mock = test_device_host(3);
        const int n = is_imported ? 1000 : 70000;

        if (is_imported)
            strobe_mock_metadata_entry(mock, "source", "{\"importer\": \"ascend_text\"}");
        g_assert_cmpint(strobe_mock_open(mock), ==, STROBE_OK);
        for (int i = 0; i < n; i++) {
            add_op(mock, test_thread(mock, 1), "a", i, i + 1);
            if (i % 1000 == 999)
                g_assert_cmpint(strobe_mock_send(mock), ==, STROBE_OK);
        }
        g_assert_cmpint(strobe_mock_raw_end(mock), ==, STROBE_OK);
        g_assert_cmpint(strobe_mock_end(mock), ==, STROBE_OK);
        g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, is_imported ? n : 0);
        strobe_mock_close(mock);
        strobe_mock_free(mock);
    }
}

/* Communication on the host is not work of a device; the steps are those of the host. */
static void test_host_groups(void)
{
    StrobeMockHost *mock = test_device_host(3);
    StrobeTrackId one = test_thread(mock, 1);
    StrobeTrackId group = strobe_mock_track(mock, STROBE_TRACK_STREAM, 0, "Group 0 Communication",
                                            "Communication", -1);
    const struct strobe_step step = {.number = 7};
    const StrobeView *views;
    TEST_FIELDS(comm_op, fields);

    add_op(mock, one, "c10d::allreduce_", 100, 300);
    TEST_ADD(mock, comm_op, group, "hcom_allReduce__0_1_1", 150, 900, &fields);
    TEST_ADD(mock, step, one, "ProfilerStep#7", 50, 1200, &step);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, &views), ==, 1);
    g_assert_cmpstr(views[0].kind->name, ==, "step_range");
    g_assert_cmpint(views[0].begin_ns, ==, 50);
    g_assert_cmpint(views[0].end_ns, ==, 1200);
    g_assert_cmpint(((const struct strobe_step_range *)views[0].fields)->device, ==, -1);
    g_assert_cmpint(((const struct strobe_step_range *)views[0].fields)->number, ==, 7);
    strobe_mock_free(mock);
}

/* In a recording with a queue, the entries determine what was launched in a step, on whatever
 * thread. */
static void test_recorded_queue(void)
{
    StrobeMockHost *mock = test_device_host(3);
    StrobeTrackId one = test_thread(mock, 1), two = test_thread(mock, 2);
    StrobeTrackId nine = test_thread(mock, 9), stream = test_stream(mock, 0, 1);
    const struct strobe_step fields = {.number = 7};

    add_op(mock, one, "a", 0, 1000);
    add_queue(mock, one, 200, 210, 1, 0);
    add_queue(mock, two, 600, 610, 2, 0);
    add_queue(mock, one, 1500, 1510, 3, 0); /* after the step */
    TEST_ADD(mock, step, one, "ProfilerStep#7", 100, 1200, &fields);
    for (uint64_t i = 1; i <= 3; i++) {
        int64_t at = 2000 + 100 * (int64_t)i;
        add_call_of(mock, nine, at + 10, i);
        add_queue(mock, nine, at, at + 50, i, 1);
        add_task_of(mock, stream, 1000 * (int64_t)i + 5000, 1000 * (int64_t)i + 5100, i, 1);
    }
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpfloat(find_op(mock, "a")->device_self, ==, 0.1);
    const StrobeView *step = find_view(mock, "step_range", "ProfilerStep#7");
    g_assert_nonnull(step);
    g_assert_cmpint(step->begin_ns, ==, 6000);
    g_assert_cmpint(step->end_ns, ==, 7100);
    strobe_mock_free(mock);
}

/* In a result of a tool other than Ascend's, a launch belongs to an operator of its own thread,
 * whichever operator began last on other threads. */
static void test_external_threads(void)
{
    StrobeMockHost *mock = test_device_host(3);
    StrobeTrackId one = test_thread(mock, 1), two = test_thread(mock, 2);
    StrobeTrackId stream = test_stream(mock, 0, 1);

    strobe_mock_metadata_entry(mock, "source", "{\"importer\": \"chrome_trace\"}");
    add_op(mock, one, "a", 0, 1000);
    add_op(mock, two, "b", 100, 900);
    add_call_of(mock, one, 500, 1);
    add_task_of(mock, stream, 5000, 5100, 1, 1);
    add_task_of(mock, stream, 5200, 5400, 1, 1);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpfloat(find_op(mock, "a")->device_self, ==, 0.1 + 0.2);
    g_assert_true(isnan(find_op(mock, "b")->device_self) || find_op(mock, "b")->device_self == 0);
    strobe_mock_free(mock);
}

/* Two threads launch in the same ns, each in its own operator; a graph runs again; and a call
 * launches outside of the queue while another thread dequeues. */
static void test_recorded_threads(void)
{
    StrobeMockHost *mock = test_device_host(3);
    StrobeTrackId one = test_thread(mock, 1), two = test_thread(mock, 2);
    StrobeTrackId stream = test_stream(mock, 0, 1);

    add_op(mock, one, "a", 0, 1000);
    add_op(mock, two, "b", 0, 1000);
    add_call_of(mock, two, 500, 2);
    add_call_of(mock, one, 500, 1);
    add_task_of(mock, stream, 5000, 5100, 1, 1);
    add_task_of(mock, stream, 6000, 6200, 2, 1);
    add_task_of(mock, stream, 7000, 7400, 2, 1);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpfloat(find_op(mock, "a")->device_self, ==, 0.1);
    g_assert_cmpfloat(find_op(mock, "b")->device_self, ==, 0.2 + 0.4);
    strobe_mock_free(mock);
}

static void test_recorded_beside_queue(void)
{
    StrobeMockHost *mock = test_device_host(3);
    StrobeTrackId one = test_thread(mock, 1), two = test_thread(mock, 2);
    StrobeTrackId nine = test_thread(mock, 9), stream = test_stream(mock, 0, 1);

    add_op(mock, one, "a", 0, 1000);
    add_queue(mock, one, 200, 210, 7, 0);
    add_op(mock, two, "b", 2000, 3000);
    add_queue(mock, nine, 2400, 2600, 7, 1);
    add_call_of(mock, two, 2500, 2); /* while the other thread dequeues */
    add_call_of(mock, nine, 2510, 1);
    add_task_of(mock, stream, 5000, 5100, 1, 1);
    add_task_of(mock, stream, 6000, 6200, 2, 1);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpfloat(find_op(mock, "a")->device_self, ==, 0.1);
    g_assert_cmpfloat(find_op(mock, "b")->device_self, ==, 0.2);
    strobe_mock_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/operator-device/tree", test_tree);
    g_test_add_func("/operator-device/links", test_links);
    g_test_add_func("/operator-device/step", test_step_range);
    g_test_add_func("/operator-device/connections", test_connections);
    g_test_add_func("/operator-device/database-step", test_database_step);
    g_test_add_func("/operator-device/database-steps", test_database_steps);
    g_test_add_func("/operator-device/no-queue", test_no_queue);
    g_test_add_func("/operator-device/host-only", test_host_only);
    g_test_add_func("/operator-device/host-groups", test_host_groups);
    g_test_add_func("/operator-device/recorded", test_recorded);
    g_test_add_func("/operator-device/recorded-queue", test_recorded_queue);
    g_test_add_func("/operator-device/recorded-threads", test_recorded_threads);
    g_test_add_func("/operator-device/external-threads", test_external_threads);
    g_test_add_func("/operator-device/recorded-beside-queue", test_recorded_beside_queue);
    return g_test_run();
}
