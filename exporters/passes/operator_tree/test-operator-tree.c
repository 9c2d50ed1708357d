/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>
#include <mock-consumer-host.h>

#include "nesting.h"

extern const StrobePlugin strobe_plugin_1;

typedef struct Fixture {
    StrobeMockHost *mock;
    StrobeTrackId thread, other;
} Fixture;

static void set_up(Fixture *f, gconstpointer unused)
{
    f->mock = strobe_mock_new(strobe_plugin_1.components[0], -1);
    f->thread = strobe_mock_track(f->mock, STROBE_TRACK_THREAD, 1, NULL, NULL, -1);
    f->other = strobe_mock_track(f->mock, STROBE_TRACK_THREAD, 2, NULL, NULL, -1);
}

static void tear_down(Fixture *f, gconstpointer unused)
{
    strobe_mock_free(f->mock);
}

static void add_operator(Fixture *f, StrobeTrackId track, const char *name, int64_t begin,
                         int64_t end)
{
    struct strobe_cpu_op op = {.sequence = 7, .forward_thread = 3, .scope = 1};

    op.shapes = strobe_mock_string(f->mock, "2;3");
    strobe_mock_add(f->mock, &strobe_kind_cpu_op, track, strobe_mock_string(f->mock, name), begin,
                    end, &op);
}

/* Checks the self time, the children and is_top of the emitted operator that has this name. */
static void check_operator(Fixture *f, const char *name, int64_t self, uint32_t children,
                           int is_top)
{
    const StrobeView *views;
    size_t n = strobe_mock_emitted(f->mock, &views);
    const struct strobe_operator_detail *detail = NULL;
    const StrobeView *view = NULL;

    for (size_t i = 0; i < n; i++)
        if (!g_strcmp0(strobe_mock_text(f->mock, views[i].name), name)) {
            view = &views[i];
            detail = view->fields;
        }
    g_assert_nonnull(detail);
    g_assert_cmpint(detail->host_total, ==, view->end_ns - view->begin_ns);
    g_assert_cmpint(detail->host_self, ==, self);
    g_assert_cmpuint(detail->children, ==, children);
    g_assert_cmpint(detail->is_top, ==, is_top);
    g_assert_cmpint(detail->sequence, ==, 7);
    g_assert_cmpuint(detail->forward_thread, ==, 3);
    g_assert_cmpstr(strobe_mock_text(f->mock, detail->shapes), ==, "2;3");
    g_assert_cmpuint(detail->scope, ==, 1);
}

/*  a: 0................100   top: 200..210
 *     b 10..40   c 50..90
 *       d 20..30  e 50..60 (same begin as c)                    other thread: x 5..95 */
static void test_tree(Fixture *f, gconstpointer unused)
{
    add_operator(f, f->thread, "d", 20, 30);
    add_operator(f, f->other, "x", 5, 95);
    add_operator(f, f->thread, "b", 10, 40);
    add_operator(f, f->thread, "e", 50, 60);
    add_operator(f, f->thread, "c", 50, 90);
    add_operator(f, f->thread, "a", 0, 100);
    add_operator(f, f->thread, "top", 200, 210);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(f->mock, NULL), ==, 7);
    check_operator(f, "a", 30, 2, 1);
    check_operator(f, "b", 20, 1, 0);
    check_operator(f, "c", 30, 1, 0);
    check_operator(f, "d", 10, 0, 0);
    check_operator(f, "e", 10, 0, 0);
    check_operator(f, "x", 90, 0, 1);
    check_operator(f, "top", 10, 0, 1);
}

/* An operator that begins when its neighbour ends is not a child of this neighbour. */
static void test_neighbours(Fixture *f, gconstpointer unused)
{
    add_operator(f, f->thread, "first", 0, 10);
    add_operator(f, f->thread, "second", 10, 20);
    add_operator(f, f->thread, "instant", 20, 20);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_operator(f, "first", 10, 0, 1);
    check_operator(f, "second", 10, 0, 1);
    check_operator(f, "instant", 0, 0, 1);
}

/* All spans that are open at the end of the window end there, so the outer span may come first. */
static void test_unfinished(Fixture *f, gconstpointer unused)
{
    add_operator(f, f->thread, "done", 10, 20);
    add_operator(f, f->thread, "outer", 0, 100);
    add_operator(f, f->thread, "inner", 30, 100);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_operator(f, "done", 10, 0, 0);
    check_operator(f, "outer", 20, 2, 1);
    check_operator(f, "inner", 70, 0, 0);
}

static void test_async(Fixture *f, gconstpointer unused)
{
    struct strobe_cpu_op op = {.sequence = 7, .forward_thread = 3, .scope = 1, .is_async = 1};

    op.shapes = strobe_mock_string(f->mock, "2;3");
    strobe_mock_add(f->mock, &strobe_kind_cpu_op, f->thread, strobe_mock_string(f->mock, "async"),
                    10, 90, &op);
    add_operator(f, f->thread, "sync", 0, 100);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_operator(f, "async", 0, 0, 0);
    check_operator(f, "sync", 100, 0, 1);
}

static void test_partial_overlap(Fixture *f, gconstpointer unused)
{
    add_operator(f, f->thread, "left", 0, 10);
    add_operator(f, f->thread, "right", 5, 15);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_operator(f, "left", 10, 0, 1);
    check_operator(f, "right", 10, 0, 1);
}

/* More operators than can wait have the same parent; nevertheless the parent's self time is
 * right. */
static void test_bound(Fixture *f, gconstpointer unused)
{
    const int64_t n = 40 * NESTING_PENDING_MAX / 10;
    const StrobeView *views;
    size_t emitted;
    int64_t self = 0;

    for (int64_t i = 0; i < n; i++)
        add_operator(f, f->thread, "child", 10 * i + 1, 10 * i + 8);
    add_operator(f, f->thread, "parent", 0, 10 * n);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_operator(f, "parent", 10 * n - 7 * n, (uint32_t)n, 1);
    emitted = strobe_mock_emitted(f->mock, &views);
    g_assert_cmpuint(emitted, ==, (size_t)n + 1);
    for (size_t i = 0; i < emitted; i++)
        self += ((const struct strobe_operator_detail *)views[i].fields)->host_self;
    g_assert_cmpint(self, ==, 10 * n);
    g_assert_cmpuint(strobe_mock_warnings(f->mock), ==, 1);
}

/* The kind cpu_op has other fields: the pass does not read missing fields. */
static void test_external_kind(Fixture *f, gconstpointer unused)
{
    static const StrobeField fields[] = {{"sequence", STROBE_FIELD_F64, 0, "", ""},
                                         {"is_async", STROBE_FIELD_U64, 0, "", ""}};
    static const StrobeKind external = {
        sizeof(StrobeKind), STROBE_SHAPE_SPAN, "cpu_op", "", fields, 2, 0};
    static const StrobeKind empty = {
        sizeof(StrobeKind), STROBE_SHAPE_SPAN, "cpu_op", "", NULL, 0, 0};
    static const StrobeKind unknown = {
        sizeof(StrobeKind), STROBE_SHAPE_SPAN, "test.other", "", fields, 2, 0};
    const uint64_t values[2] = {1, 1};
    const StrobeView *views;

    strobe_mock_add(f->mock, &external, f->thread, 0, 10, 20, values);
    strobe_mock_add(f->mock, &empty, 12345, 0, 20, 10, NULL);
    strobe_mock_add(f->mock, &unknown, f->thread, 0, 0, 100, values);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(f->mock, &views), ==, 2);
    for (int i = 0; i < 2; i++)
        g_assert_cmpint(((const struct strobe_operator_detail *)views[i].fields)->sequence, ==, -1);
    g_assert_cmpint(((const struct strobe_operator_detail *)views[1].fields)->host_self, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, function)                                                                        \
    g_test_add("/operator-tree/" path, Fixture, NULL, set_up, function, tear_down)
    ADD("tree", test_tree);
    ADD("neighbours", test_neighbours);
    ADD("unfinished", test_unfinished);
    ADD("async", test_async);
    ADD("partial-overlap", test_partial_overlap);
    ADD("bound", test_bound);
    ADD("external-kind", test_external_kind);
    return g_test_run();
}
