/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that in older files flow events from calls to tasks are made in whatever order the call
 * and the task come. */
#include <math.h>

#include "test-chrome-trace-fixture.h"

typedef struct Launches {
    StrobeTrackId host, stream;
    struct strobe_api_call call;
    struct strobe_device_task task;
} Launches;

static Launches make_launches(Fixture *f, guint64 connection)
{
    strobe_mock_metadata(f->mock)->generation = 1;
    strobe_mock_metadata(f->mock)->level = 1;
    strobe_mock_metadata_entry(f->mock, "source", "{}");
    return (Launches){
        .host = strobe_mock_track(f->mock, STROBE_TRACK_THREAD, 4711, NULL, "CANN", -1),
        .stream = strobe_mock_track(f->mock, STROBE_TRACK_STREAM, 2, NULL, "Ascend Hardware", 1),
        .call = {string(f, "acl"), string(f, "launch"), 0, connection, NAN},
        .task = {.task = 9,
                 .connection = connection,
                 .task_id = 7,
                 .stream = 2,
                 .context = STROBE_ABSENT_U32,
                 .model = STROBE_ABSENT_U32,
                 .task_type = string(f, "AI_CORE"),
                 .copy_bytes = STROBE_ABSENT_U64,
                 .copy_bandwidth = NAN,
                 .exact_us = NAN}};
}

static void add_call(Fixture *f, const Launches *l, const char *name, gint64 begin, gint64 end)
{
    strobe_mock_add(f->mock, &strobe_kind_api_call, l->host, string(f, name), T0 + begin, T0 + end,
                    &l->call);
}

static void add_task(Fixture *f, const Launches *l, const char *name, gint64 begin, gint64 end)
{
    strobe_mock_add(f->mock, &strobe_kind_device_task, l->stream, string(f, name), T0 + begin,
                    T0 + end, &l->task);
}

/* The device's wait ends before its call ends. */
static void test_task_first(Fixture *f, gconstpointer unused)
{
    const Launches l = make_launches(f, 15);

    add_task(f, &l, "EVENT_WAIT", 50, 60);
    add_call(f, &l, "aclrtStreamWaitEvent", 0, 100);
    g_autofree char *text = run(f);

    assert_has(text, "\"HostToDevice15\", \"ph\": \"s\"");
    assert_has(text, "\"HostToDevice15\", \"ph\": \"f\"");
}

/* The id is that of the kernel: (1 << 80) + (2 << 64) + (7 << 48) + context. */
static void test_two_kernels(Fixture *f, gconstpointer unused)
{
    Launches l = make_launches(f, 16);

    l.task.is_kernel = 1;
    add_call(f, &l, "launch", 200, 300);
    for (l.task.context = 1; l.task.context <= 2; l.task.context++)
        add_task(f, &l, "mm", 500 + l.task.context, 700);
    g_autofree char *text = run(f);

    assert_has(text, "\"HostToDevice1208962715073101430784001\", \"ph\": \"s\"");
    assert_has(text, "\"HostToDevice1208962715073101430784002\", \"ph\": \"s\"");
    assert_has(text, "\"HostToDevice1208962715073101430784002\", \"ph\": \"f\"");
}

/* A call without a task has no flow event. */
static void test_call_alone(Fixture *f, gconstpointer unused)
{
    const Launches l = make_launches(f, 17);

    add_call(f, &l, "aclnnAdd", 0, 100);
    g_autofree char *text = run(f);

    assert_has_not(text, "HostToDevice");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, function)                                                                        \
    g_test_add("/chrome-trace/launches/" path, Fixture, NULL, fixture_set_up, function,            \
               fixture_tear_down)
    ADD("task-first", test_task_first);
    ADD("two-kernels", test_two_kernels);
    ADD("call-alone", test_call_alone);
    return g_test_run();
}
