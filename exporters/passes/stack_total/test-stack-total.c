/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>
#include <math.h>
#include <mock-consumer-host.h>

#include "nesting.h"

extern const StrobePlugin strobe_plugin_1;

typedef struct Fixture {
    StrobeMockHost *mock;
    StrobeStackId stack;
} Fixture;

static void set_up(Fixture *f, gconstpointer unused)
{
    static const char *const frames[] = {"b.py(2): inner", "a.py(1): outer", NULL};

    f->mock = strobe_mock_new(strobe_plugin_1.components[0], -1);
    f->stack = strobe_mock_stack(f->mock, frames);
}

static void tear_down(Fixture *f, gconstpointer unused)
{
    strobe_mock_free(f->mock);
}

static void add_operator(Fixture *f, const char *name, int64_t begin, int64_t end,
                         StrobeStackId stack)
{
    const struct strobe_cpu_op op = {.sequence = -1, .stack = stack};

    strobe_mock_add(f->mock, &strobe_kind_cpu_op, 1, strobe_mock_string(f->mock, name), begin, end,
                    &op);
}

/* Returns "innermost;...;outermost" of an emitted path. */
static char *path_text(Fixture *f, StrobeStackId path)
{
    GString *text = g_string_new(NULL);
    const StrobeStringId *frames;
    size_t n = strobe_mock_table(f->mock)->stack_frames(f->mock, path, &frames);

    for (size_t i = 0; i < n; i++)
        g_string_append_printf(text, "%s%s", i ? ";" : "", strobe_mock_text(f->mock, frames[i]));
    return g_string_free(text, FALSE);
}

static void check_total(Fixture *f, const char *path, uint64_t calls, int64_t self)
{
    const StrobeView *views;
    size_t n = strobe_mock_emitted(f->mock, &views);
    guint found = 0;

    for (size_t i = 0; i < n; i++) {
        const struct strobe_stack_total *fields = views[i].fields;
        g_autofree char *text = path_text(f, fields->path);

        if (g_strcmp0(text, path))
            continue;
        found++;
        g_assert_cmpuint(fields->calls, ==, calls);
        g_assert_cmpint(fields->host_self, ==, self);
    }
    g_assert_cmpuint(found, ==, 1);
}

static void test_operators(Fixture *f, gconstpointer unused)
{
    add_operator(f, "mm", 10, 20, 0);
    add_operator(f, "add", 20, 25, 0);
    add_operator(f, "mm", 30, 45, 0);
    add_operator(f, "linear", 0, 50, 0); /* its self time is 20 */
    add_operator(f, "mm", 60, 70, 0);
    add_operator(f, "linear", 55, 75, 0); /* its self time is 10 */
    add_operator(f, "mm", 80, 81, 0);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(f->mock, NULL), ==, 4);
    check_total(f, "linear", 2, 30);
    check_total(f, "mm;linear", 3, 35);
    check_total(f, "add;linear", 1, 5);
    check_total(f, "mm", 1, 1);
}

/* Operators that have a Python stack are added to this stack; an inner operator without a stack is
 * added to the path of operator names. */
static void test_python_stack(Fixture *f, gconstpointer unused)
{
    add_operator(f, "mm", 10, 20, f->stack);
    add_operator(f, "copy", 30, 33, 0);
    add_operator(f, "linear", 0, 50, f->stack);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(f->mock, NULL), ==, 2);
    check_total(f, "b.py(2): inner;a.py(1): outer", 2, 10 + 37);
    check_total(f, "copy;linear", 1, 3);
}

/* Folded operators keep their paths, whether a parent comes or not. */
static void test_folds(Fixture *f, gconstpointer unused)
{
    const int64_t n = 3 * NESTING_PENDING_MAX;

    for (int64_t i = 0; i < n; i++) {
        add_operator(f, "inner", 10 * i + 2, 10 * i + 4, 0);
        add_operator(f, i % 2 ? "odd" : "even", 10 * i + 1, 10 * i + 8, 0);
    }
    add_operator(f, "all", 0, 10 * n, 0);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(f->mock, NULL), ==, 5);
    check_total(f, "all", 1, 3 * n);
    check_total(f, "odd;all", (uint64_t)n / 2, 5 * n / 2);
    check_total(f, "inner;even;all", (uint64_t)n / 2, 2 * n / 2);
}

/* A path of extreme depth neither overflows the stack nor takes much time. */
static void test_deep(Fixture *f, gconstpointer unused)
{
    const int64_t n = 100000;
    const StrobeView *views;
    size_t emitted;
    int64_t self = 0;
    uint64_t calls = 0;

    for (int64_t i = n; i-- > 0;)
        add_operator(f, "deep", i, 2 * n - i, 0);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    emitted = strobe_mock_emitted(f->mock, &views);
    g_assert_cmpuint(emitted, <=, 513);
    for (size_t i = 0; i < emitted; i++) {
        const struct strobe_stack_total *fields = views[i].fields;

        self += fields->host_self;
        calls += fields->calls;
    }
    g_assert_cmpint(self, ==, 2 * n);
    g_assert_cmpuint(calls, ==, (uint64_t)n);
    g_assert_cmpuint(strobe_mock_warnings(f->mock), ==, 1);
}

/* Each call has another name: the memory is limited, and the pass takes little time. */
static void test_wide(Fixture *f, gconstpointer unused)
{
    const int64_t n = 50000;
    const StrobeView *views;
    size_t emitted;
    int64_t self = 0;

    for (int64_t i = 0; i < n; i++) {
        char name[32];

        g_snprintf(name, sizeof name, "iteration %d", (int)i);
        add_operator(f, name, 10 * i, 10 * i + 3, 0);
    }
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    emitted = strobe_mock_emitted(f->mock, &views);
    g_assert_cmpuint(emitted, <=, 4097);
    for (size_t i = 0; i < emitted; i++)
        self += ((const struct strobe_stack_total *)views[i].fields)->host_self;
    g_assert_cmpint(self, ==, 3 * n);
}

/* Merges lists that are so long that they have an index: afterwards they have each name once. */
static void test_merged(Fixture *f, gconstpointer unused)
{
    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < 40; i++) {
            g_autofree char *name = g_strdup_printf("op%d", i + 10 * step);

            add_operator(f, name, 1000 * step + 10 * i, 1000 * step + 10 * i + 3, 0);
        }
        add_operator(f, "step", 1000 * step, 1000 * step + 500, 0);
    }
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(f->mock, NULL), ==, 61);
    check_total(f, "step", 3, 3 * (500 - 40 * 3));
    check_total(f, "op0;step", 1, 3);
    check_total(f, "op15;step", 2, 6);
    check_total(f, "op39;step", 3, 9);
    check_total(f, "op59;step", 1, 3);
}

/* Each call has another Python stack: the memory is limited, a message is logged, and the pass
 * takes little time. */
static void test_many_stacks(Fixture *f, gconstpointer unused)
{
    const int64_t n = 300010;
    const StrobeView *views;
    size_t emitted;
    int64_t self = 0;

    for (int64_t i = 0; i < n; i++)
        add_operator(f, "mm", 10 * i, 10 * i + 3, (StrobeStackId)(1000 + i));
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    emitted = strobe_mock_emitted(f->mock, &views);
    g_assert_cmpuint(emitted, ==, 300001);
    for (size_t i = 0; i < emitted; i++)
        self += ((const struct strobe_stack_total *)views[i].fields)->host_self;
    g_assert_cmpint(self, ==, 3 * n);
    check_total(f, "(others)", 10, 30);
    g_assert_cmpuint(strobe_mock_warnings(f->mock), ==, 1);
}

static void add_device(Fixture *f, StrobeTrackId track, const char *name, int64_t begin,
                       int64_t end, StrobeStackId stack, double us)
{
    const struct strobe_operator_device op = {.device_self = us, .stack = stack};

    strobe_mock_add(f->mock, &strobe_kind_operator_device, track, strobe_mock_string(f->mock, name),
                    begin, end, &op);
}

static double device_of(Fixture *f, const char *path)
{
    const StrobeView *views;
    size_t n = strobe_mock_emitted(f->mock, &views);

    for (size_t i = 0; i < n; i++) {
        const struct strobe_stack_total *fields = views[i].fields;
        g_autofree char *text = path_text(f, fields->path);

        if (!g_strcmp0(text, path))
            return fields->device_self;
    }
    g_assert_not_reached();
}

/* The device's time is added to the same path as the operator's time on the host. These operators
 * come in the order of their begins. */
static void test_device(Fixture *f, gconstpointer unused)
{
    const double none = STROBE_ABSENT_F64;

    add_operator(f, "mm", 10, 20, 0);
    add_operator(f, "add", 20, 25, 0);
    add_operator(f, "mm", 30, 45, 0);
    add_operator(f, "linear", 0, 50, 0);
    add_operator(f, "copy", 60, 70, f->stack);
    add_operator(f, "mm", 80, 90, 0);
    g_assert_cmpint(strobe_mock_open(f->mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_send(f->mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_raw_end(f->mock), ==, STROBE_OK);
    add_device(f, 1, "linear", 0, 50, 0, none);
    add_device(f, 1, "mm", 10, 20, 0, 1.5);
    add_device(f, 2, "mm", 11, 12, 0, none); /* on another thread */
    add_device(f, 1, "add", 20, 25, 0, none);
    add_device(f, 1, "mm", 30, 45, 0, 2.25);
    add_device(f, 1, "copy", 60, 70, f->stack, 7.0);
    add_device(f, 1, "mm", 80, 90, 0, 0.0);
    add_device(f, 3, "never_seen", 0, 1, 0, 9.0);
    g_assert_cmpint(strobe_mock_send(f->mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_end(f->mock), ==, STROBE_OK);
    strobe_mock_close(f->mock);
    g_assert_cmpfloat(device_of(f, "mm;linear"), ==, 3.75);
    g_assert_true(isnan(device_of(f, "linear")));
    g_assert_true(isnan(device_of(f, "add;linear")));
    g_assert_cmpfloat(device_of(f, "mm"), ==, 0.0);
    g_assert_cmpfloat(device_of(f, "b.py(2): inner;a.py(1): outer"), ==, 7.0);
    g_assert_cmpfloat(device_of(f, "(others)"), ==, 9.0);
    check_total(f, "mm;linear", 2, 25);
}

/* Rows of a table without threads and times are added to a path with only the operator's name. */
static void test_device_of_table(Fixture *f, gconstpointer unused)
{
    StrobeTrackId table;

    strobe_mock_track(f->mock, STROBE_TRACK_THREAD, 1, NULL, NULL, -1);
    table = strobe_mock_track(f->mock, STROBE_TRACK_COUNTER, 0, NULL, "operator_device", 0);
    add_operator(f, "linear", 0, 50, 0);
    g_assert_cmpint(strobe_mock_open(f->mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_send(f->mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_raw_end(f->mock), ==, STROBE_OK);
    add_device(f, table, "linear", 0, 0, 0, 1.5);
    add_device(f, table, "mm", 0, 0, 0, 2.0);
    add_device(f, table, "mm", 0, 0, 0, 2.25);
    add_device(f, table, "add", 0, 0, 0, STROBE_ABSENT_F64);
    g_assert_cmpint(strobe_mock_send(f->mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_end(f->mock), ==, STROBE_OK);
    strobe_mock_close(f->mock);
    g_assert_cmpuint(strobe_mock_emitted(f->mock, NULL), ==, 2);
    g_assert_cmpfloat(device_of(f, "linear"), ==, 1.5);
    g_assert_cmpfloat(device_of(f, "mm"), ==, 4.25);
}

/* A lost operator may have been on any path, so all rows are incomplete. */
static void test_incomplete(Fixture *f, gconstpointer unused)
{
    const struct strobe_loss loss = {.count = 1};
    const StrobeView *views;
    size_t n;

    add_operator(f, "outer", 0, 10, 0);
    add_operator(f, "other", 20, 30, f->stack);
    strobe_mock_add(f->mock, &strobe_kind_loss, 0, 0, 50, 60, &loss);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    n = strobe_mock_emitted(f->mock, &views);
    g_assert_cmpuint(n, ==, 2);
    for (size_t i = 0; i < n; i++)
        g_assert_cmpuint(views[i].flags, ==, STROBE_VIEW_INCOMPLETE);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, function)                                                                        \
    g_test_add("/stack-total/" path, Fixture, NULL, set_up, function, tear_down)
    ADD("operators", test_operators);
    ADD("python-stack", test_python_stack);
    ADD("folds", test_folds);
    ADD("deep", test_deep);
    ADD("wide", test_wide);
    ADD("merged", test_merged);
    ADD("many-stacks", test_many_stacks);
    ADD("device", test_device);
    ADD("device-of-table", test_device_of_table);
    ADD("incomplete", test_incomplete);
    return g_test_run();
}
