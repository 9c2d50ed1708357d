/* SPDX-License-Identifier: Apache-2.0 */
#include "test-device.h"

#include <string.h>

#define NONE STROBE_ABSENT_I64

typedef struct Event {
    const char *component, *name;
    int64_t at_ns;
    uint32_t action;
    uint64_t address;
    int64_t size, allocated, active;
} Event;

static void add_event(StrobeMockHost *mock, StrobeTrackId track, const Event *event)
{
    TEST_FIELDS(memory_event, fields);
    fields.action = event->action;
    fields.address = event->address;
    fields.size = event->size;
    fields.total_allocated = event->allocated;
    fields.total_reserved = 1000;
    fields.total_active = event->active;
    fields.stream = 7;
    fields.device = 0;
    fields.component = strobe_mock_string(mock, event->component);
    TEST_ADD(mock, memory_event, track, event->name ? event->name : "", event->at_ns, event->at_ns,
             &fields);
}

static void add_pta(StrobeMockHost *mock, StrobeTrackId track, int64_t at_ns, uint32_t action,
                    uint64_t address, int64_t size, int64_t allocated)
{
    const Event event = {"PTA", NULL, at_ns, action, address, size, allocated, allocated + 1};

    add_event(mock, track, &event);
}

/* Adds a state as in a database, with totals but no address. */
static void add_state(StrobeMockHost *mock, int64_t at_ns, int64_t allocated, int64_t active)
{
    const Event event = {"PTA", NULL, at_ns, 3, STROBE_ABSENT_U64, NONE, allocated, active};

    add_event(mock, 0, &event);
}

static void add_op(StrobeMockHost *mock, StrobeTrackId thread, const char *name, int64_t begin_ns,
                   int64_t end_ns)
{
    TEST_FIELDS(cpu_op, fields);
    fields.is_async = 0;
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

/* Checks the emitted block number `i`. Returns the block. */
static const struct strobe_memory_block *expect_block(StrobeMockHost *mock, size_t i,
                                                      const char *name, int64_t begin_ns,
                                                      int64_t size, int64_t release_ns,
                                                      int64_t active_ns)
{
    const StrobeView *views;
    const struct strobe_memory_block *fields;

    g_assert_cmpuint(strobe_mock_emitted(mock, &views), >, i);
    fields = views[i].fields;
    g_assert_cmpstr(strobe_mock_text(mock, views[i].name), ==, name);
    g_assert_cmpint(views[i].begin_ns, ==, begin_ns);
    g_assert_cmpint(views[i].end_ns, ==, MAX(begin_ns, MAX(release_ns, active_ns)));
    g_assert_cmpint(fields->size, ==, size);
    g_assert_cmpint(fields->release_time, ==, release_ns);
    g_assert_cmpint(fields->active_release_time, ==, active_ns);
    g_assert_cmpint(fields->duration, ==, release_ns == NONE ? NONE : release_ns - begin_ns);
    g_assert_cmpint(fields->active_duration, ==, active_ns == NONE ? NONE : active_ns - begin_ns);
    return fields;
}

/* One to three records make a block. An allocation, or a record of a type that the block already
 * has, begins the next block. The totals at the release are those after the release; if there is no
 * release, those after the only other record. */
static void test_entries(void)
{
    StrobeMockHost *mock = test_device_host(1);
    StrobeTrackId one = test_thread(mock, 1);
    const struct strobe_memory_block *block;

    add_pta(mock, one, 10, 1, 0xb, -1, 400);  /* allocated before the window */
    add_pta(mock, one, 100, 0, 0xa, 64, 464); /* with the two kinds of releases */
    add_pta(mock, one, 110, 0, 0xb, 32, 496); /* never released */
    add_pta(mock, one, 200, 2, 0xa, -64, 432);
    add_pta(mock, one, 201, 1, 0xa, -64, 433);
    add_pta(mock, one, 300, 0, 0xa, 16, 448); /* only the block is released */
    add_pta(mock, one, 400, 2, 0xa, -16, 416);
    /* released twice; the second release belongs to no block */
    add_pta(mock, one, 500, 0, 0xa, 8, 424);
    add_pta(mock, one, 510, 1, 0xa, -8, 415);
    add_pta(mock, one, 520, 1, 0xa, -8, 414);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 4);
    block = expect_block(mock, 0, "", 100, 64, 201, 200);
    g_assert_cmpint(block->allocation_allocated, ==, 464);
    g_assert_cmpint(block->allocation_active, ==, 465);
    g_assert_cmpint(block->release_allocated, ==, 433);
    g_assert_cmpint(block->release_reserved, ==, 1000);
    g_assert_cmpuint(block->stream, ==, 7);
    block = expect_block(mock, 1, "", 110, 32, NONE, NONE);
    g_assert_cmpint(block->release_allocated, ==, NONE);
    block = expect_block(mock, 2, "", 300, 16, NONE, 400);
    g_assert_cmpint(block->release_allocated, ==, 416);
    block = expect_block(mock, 3, "", 500, 8, 510, NONE);
    g_assert_cmpint(block->release_allocated, ==, 415);
    strobe_mock_free(mock);
}

/* The operator is the innermost one of the thread that has begun and not ended. Operators that only
 * allocate do not count. */
static void test_operators(void)
{
    StrobeMockHost *mock = test_device_host(1);
    StrobeTrackId one = test_thread(mock, 1), two = test_thread(mock, 2);

    add_pta(mock, one, 150, 0, 1, 8, 8);
    add_op(mock, one, "empty_tensor", 140, 160);
    add_op(mock, two, "aten::other", 120, 180);
    add_op(mock, one, "aten::add", 100, 200);
    add_pta(mock, one, 250, 0, 2, 8, 16);
    add_op(mock, one, "aten::late", 260, 280);
    add_op(mock, one, "outer", 50, 300);
    add_pta(mock, one, 400, 0, 3, 8, 24);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    expect_block(mock, 0, "aten::add", 150, 8, NONE, NONE);
    expect_block(mock, 1, "outer", 250, 8, NONE, NONE);
    expect_block(mock, 2, "", 400, 8, NONE, NONE);
    strobe_mock_free(mock);
}

/* Thread 9 runs the entries that thread 1 enqueues. The operator that enqueues entry 1 ends after
 * the entry has run. Entry 2 is enqueued after the end of an inner operator, which is the last one
 * that began. */
static void test_queue(void)
{
    StrobeMockHost *mock = test_device_host(1);
    StrobeTrackId one = test_thread(mock, 1), nine = test_thread(mock, 9);

    add_queue(mock, one, 110, 120, 1, 0);
    add_pta(mock, nine, 130, 0, 1, 8, 8);
    add_op(mock, nine, "aten::inside", 125, 135);
    add_queue(mock, nine, 120, 140, 1, 1);
    add_op(mock, one, "not_a_call", 105, 150);
    add_op(mock, one, "aten::mm", 100, 200);
    add_op(mock, one, "npu::child", 310, 320);
    add_queue(mock, one, 330, 340, 2, 0);
    add_op(mock, one, "aten::parent", 300, 350);
    add_pta(mock, nine, 360, 0, 2, 8, 16);
    add_queue(mock, nine, 355, 370, 2, 1);
    add_pta(mock, nine, 380, 0, 3, 8, 24);
    add_op(mock, nine, "own", 375, 390);
    add_queue(mock, nine, 400, 410, 3, 1);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    /* Before the thread's first entry it is unknown that the thread runs the queue. */
    expect_block(mock, 0, "aten::inside", 130, 8, NONE, NONE);
    expect_block(mock, 1, "npu::child", 360, 8, NONE, NONE);
    expect_block(mock, 2, "own", 380, 8, NONE, NONE);
    strobe_mock_free(mock);

    mock = test_device_host(1);
    one = test_thread(mock, 1);
    nine = test_thread(mock, 9);
    add_queue(mock, nine, 10, 20, 7, 1);
    add_queue(mock, one, 110, 120, 1, 0);
    add_pta(mock, nine, 130, 0, 1, 8, 8);
    add_op(mock, nine, "aten::inside", 125, 135);
    add_queue(mock, nine, 120, 140, 1, 1);
    add_op(mock, one, "not_a_call", 105, 150);
    add_op(mock, one, "aten::mm", 100, 200);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    expect_block(mock, 0, "aten::mm", 130, 8, NONE, NONE);
    strobe_mock_free(mock);
}

/* The device's allocator reports the operators' names. Released blocks are sorted by their
 * releases; the others come last. */
static void test_device_allocator(void)
{
    StrobeMockHost *mock = test_device_host(1);
    StrobeTrackId one = test_thread(mock, 1);
    const Event events[] = {
        {"GE", "never", 90, 0, 3, 4, 4, NONE},   {"GE", "Conv", 100, 0, 1, 8, 12, NONE},
        {"GE", "Trans", 110, 0, 2, 8, 20, NONE}, {"GE", "Trans", 120, 1, 2, -8, 12, NONE},
        {"GE", "Add", 125, 1, 1, -8, 4, NONE}, /* the address of another operator's block */
        {"GE", "Conv", 130, 1, 1, -8, 4, NONE},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(events); i++)
        add_event(mock, one, &events[i]);
    add_pta(mock, one, 500, 0, 1, 8, 8);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 4);
    expect_block(mock, 0, "", 500, 8, NONE, NONE);
    g_assert_cmpint(expect_block(mock, 1, "Trans", 110, 8, 120, NONE)->release_allocated, ==, 12);
    expect_block(mock, 2, "Conv", 100, 8, 130, NONE);
    g_assert_cmpint(expect_block(mock, 3, "never", 90, 4, NONE, NONE)->allocation_active, ==, NONE);
    strobe_mock_free(mock);
}

/* Workspaces are blocks like others. The memory of an allocator of the program itself makes no
 * block. */
static void test_workspace(void)
{
    static const StrobeField more[] = {{"size", STROBE_FIELD_I64, 0, "B", ""},
                                       {"ascend_raw.is_external", STROBE_FIELD_BOOL, 0, "", ""}};
    static const StrobeKind extended = {
        sizeof(StrobeKind), STROBE_SHAPE_MEMORY, "memory_event", "", more, 2, 0};
    static const struct {
        int64_t size;
        uint8_t is_external;
    } external = {64, 1};
    StrobeMockHost *mock = test_device_host(1);
    const Event event = {"WORKSPACE", NULL, 100, 0, 1, 8, 8, 8};

    add_event(mock, test_thread(mock, 1), &event);
    strobe_mock_add(mock, &extended, 0, 0, 200, 200, &external);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 1);
    g_assert_cmpstr(
        strobe_mock_text(mock, expect_block(mock, 0, "", 100, 8, NONE, NONE)->component), ==,
        "PTA");
    strobe_mock_free(mock);
}

/* There are only totals. 100: a block of 10; 200: another block of 10; 300 and 301: its memory is
 * released, then the block; 400: a block is released while it is in use; 450: it is no longer in
 * use. */
static void test_states(void)
{
    StrobeMockHost *mock = test_device_host(1);
    const struct strobe_memory_block *block;

    add_state(mock, 50, 100, 100);
    add_state(mock, 60, 90, 90); /* allocated before the window */
    add_state(mock, 61, 90, 90);
    add_state(mock, 100, 100, 100);
    add_state(mock, 200, 110, 110);
    add_state(mock, 300, 100, 100);
    add_state(mock, 301, 100, 100);
    add_state(mock, 400, 90, 100);
    add_state(mock, 420, 94, 104);
    add_state(mock, 450, 94, 94);
    add_op(mock, test_thread(mock, 5), "aten::add", 90, 250);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 3);
    block = expect_block(mock, 0, "aten::add", 100, 10, 400, 450);
    g_assert_cmpint(block->release_allocated, ==, 90);
    g_assert_cmpint(block->release_active, ==, 100);
    block = expect_block(mock, 1, "aten::add", 200, 10, 301, 300);
    g_assert_cmpint(block->allocation_allocated, ==, 110);
    expect_block(mock, 2, "", 420, 4, NONE, NONE);
    strobe_mock_free(mock);
}

/* The first totals are those of an allocation if nothing was allocated before. The allocation's
 * release shows this, unless it is the release of memory that was allocated before. */
static void test_first_totals(void)
{
    static const struct {
        int64_t first_active, second;
    } cases[] = {{8, 8} /* the end of a release */, {8, 7} /* another release */, {9, 8}};

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        StrobeMockHost *mock = test_device_host(1);

        add_state(mock, 100, 8, cases[i].first_active);
        add_op(mock, test_thread(mock, 5), "aten::empty", 90, 110);
        add_state(mock, 200, cases[i].second, cases[i].second);
        add_state(mock, 300, cases[i].second + 4, cases[i].second + 4);
        if (cases[i].second == 8) {
            add_state(mock, 400, 4, 4);
            add_state(mock, 401, 4, 4);
        }
        g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
        g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 1);
        expect_block(mock, 0, "", 300, 4, NONE, NONE);
        strobe_mock_free(mock);
    }
    StrobeMockHost *mock = test_device_host(1);
    const struct strobe_memory_block *block;
    add_state(mock, 100, 8, 8);
    add_op(mock, test_thread(mock, 5), "aten::empty", 90, 110);
    add_state(mock, 300, 12, 12);
    add_state(mock, 400, 4, 4);
    add_state(mock, 401, 4, 4);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 2);
    block = expect_block(mock, 0, "aten::empty", 100, 8, 401, 400);
    g_assert_cmpint(block->allocation_allocated, ==, 8);
    g_assert_cmpint(block->release_allocated, ==, 4);
    expect_block(mock, 1, "", 300, 4, NONE, NONE);
    strobe_mock_free(mock);
}

/* A node of the backward graph releases the block that it was given, not the one that it has
 * allocated. */
static void test_backward(void)
{
    StrobeMockHost *mock = test_device_host(1);
    StrobeTrackId one = test_thread(mock, 1);

    add_state(mock, 10, 0, 0);
    add_state(mock, 100, 8, 8);
    add_op(mock, one, "aten::relu", 90, 110);
    add_state(mock, 210, 16, 16);
    add_op(mock, one, "aten::threshold_backward", 205, 220);
    add_state(mock, 230, 8, 8);
    add_state(mock, 231, 8, 8);
    add_op(mock, one, "autograd::engine::evaluate_function: ReluBackward0", 200, 240);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    expect_block(mock, 0, "aten::relu", 100, 8, 231, 230);
    expect_block(mock, 1, "aten::threshold_backward", 210, 8, NONE, NONE);
    strobe_mock_free(mock);
}

/* A text result has an event and a state at the same time: they make one block, which is not
 * derived from totals. */
static void test_reported_twice(void)
{
    StrobeMockHost *mock = test_device_host(1);

    add_state(mock, 10, 0, 0);
    for (int i = 0; i < 2; i++) {
        TEST_FIELDS(memory_event, fields);
        fields.action = i ? 1 : 0;
        fields.size = i ? -8 : 8;
        fields.device = 0;
        fields.component = strobe_mock_string(mock, "PTA");
        fields.block = 3;
        add_state(mock, 100 + 100 * i, i ? 0 : 8, i ? 0 : 8);
        TEST_ADD(mock, memory_event, 0, "", 100 + 100 * i, 100 + 100 * i, &fields);
    }
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 1);
    expect_block(mock, 0, "", 100, 8, 200, NONE);
    strobe_mock_free(mock);
}

/* A source has all data of some events and only the state of others, for example of a release of
 * memory from before the window: the totals continue from an event or a state. */
static void test_states_between(void)
{
    StrobeMockHost *mock = test_device_host(1);
    StrobeTrackId one = test_thread(mock, 1);

    add_state(mock, 10, 100, 101);
    add_pta(mock, one, 100, 0, 0xa, 64, 164);
    add_state(mock, 200, 150, 151); /* allocated before the window */
    add_state(mock, 201, 150, 151);
    add_pta(mock, one, 300, 1, 0xa, -64, 86);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 1);
    expect_block(mock, 0, "", 100, 64, 300, NONE);
    strobe_mock_free(mock);
}

/* There are more events than can wait for an operator: the first events get no operator, but no
 * block is lost. */
static void test_bound(void)
{
    StrobeMockHost *mock = test_device_host(1);
    StrobeTrackId one = test_thread(mock, 1);
    const StrobeView *views;
    size_t n = 300000;

    for (size_t i = 0; i < n; i++) {
        add_pta(mock, one, (int64_t)(100 + i), 0, i, 8, 8);
        if (i % 4096 == 0)
            g_assert_cmpint(i ? strobe_mock_send(mock) : strobe_mock_open(mock), ==, STROBE_OK);
    }
    add_op(mock, one, "aten::all", 0, (int64_t)(200 + n));
    g_assert_cmpint(strobe_mock_send(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_end(mock), ==, STROBE_OK);
    strobe_mock_close(mock);
    g_assert_cmpuint(strobe_mock_emitted(mock, &views), ==, n);
    g_assert_cmpstr(strobe_mock_text(mock, views[0].name), ==, "");
    g_assert_cmpstr(strobe_mock_text(mock, views[n - 1].name), ==, "aten::all");
    strobe_mock_free(mock);
}

/* One thread releases a block of another thread, and its records come first. */
static void test_threads(void)
{
    StrobeMockHost *mock = test_device_host(1);
    StrobeTrackId one = test_thread(mock, 1), other = test_thread(mock, 2);

    add_pta(mock, other, 300, 1, 64, -10, 0);
    add_pta(mock, other, 310, 2, 64, -10, 0);
    add_pta(mock, one, 100, 0, 64, 10, 10);
    add_pta(mock, one, 400, 0, 64, 30, 30); /* at the address of another block */
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 2);
    expect_block(mock, 0, "", 100, 10, 300, 310);
    expect_block(mock, 1, "", 400, 30, NONE, NONE);
    strobe_mock_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/memory-block/entries", test_entries);
    g_test_add_func("/memory-block/operators", test_operators);
    g_test_add_func("/memory-block/queue", test_queue);
    g_test_add_func("/memory-block/device-allocator", test_device_allocator);
    g_test_add_func("/memory-block/workspace", test_workspace);
    g_test_add_func("/memory-block/states", test_states);
    g_test_add_func("/memory-block/first-totals", test_first_totals);
    g_test_add_func("/memory-block/backward", test_backward);
    g_test_add_func("/memory-block/told-twice", test_reported_twice);
    g_test_add_func("/memory-block/states-between", test_states_between);
    g_test_add_func("/memory-block/threads", test_threads);
    g_test_add_func("/memory-block/bound", test_bound);
    return g_test_run();
}
