/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>
#include <mock-consumer-host.h>

extern const StrobePlugin strobe_plugin_1;

static StrobeMockHost *mock;

static void set_up(void)
{
    mock = strobe_mock_new(strobe_plugin_1.components[0], -1);
}

static void add_step(int64_t number, int64_t begin, int64_t end)
{
    const struct strobe_step step = {.number = number, .thread = 1};
    char name[40];

    g_snprintf(name, sizeof name, "ProfilerStep#%d", (int)number);
    strobe_mock_add(mock, &strobe_kind_step, 9, strobe_mock_string(mock, name), begin, end, &step);
}

static void add_operator(int64_t begin, int64_t self)
{
    const struct strobe_operator_detail detail = {.host_self = self, .host_total = 2 * self};

    strobe_mock_add(mock, &strobe_kind_operator_detail, 1, 0, begin, begin + 2 * self, &detail);
}

static void add_other(const StrobeKind *kind, int64_t begin, int64_t end)
{
    strobe_mock_add(mock, kind, 1, 0, begin, end, NULL);
}

static void check_step(size_t index, const char *name, struct strobe_step_summary expected)
{
    const StrobeView *views;
    const struct strobe_step_summary *fields;

    g_assert_cmpuint(strobe_mock_emitted(mock, &views), >, index);
    fields = views[index].fields;
    g_assert_cmpstr(strobe_mock_text(mock, views[index].name), ==, name);
    g_assert_cmpint(fields->number, ==, expected.number);
    g_assert_cmpint(fields->duration, ==, expected.duration);
    g_assert_cmpuint(fields->operators, ==, expected.operators);
    g_assert_cmpint(fields->operator_self, ==, expected.operator_self);
    g_assert_cmpint(fields->gc, ==, expected.gc);
    g_assert_cmpuint(fields->markers, ==, expected.markers);
}

/* A record belongs to the step that contains its begin; the step's end is not part of the step.
 * Records that come before the record of their step also count. */
static void test_membership(void)
{
    set_up();
    add_other(&strobe_kind_gc, 150, 160);
    add_other(&strobe_kind_marker, 199, 250);
    add_other(&strobe_kind_marker_instant, 200, 200);
    add_step(4, 100, 200);
    add_other(&strobe_kind_gc, 120, 125);
    add_step(5, 200, 300);
    add_other(&strobe_kind_gc, 300, 307);
    g_assert_cmpint(strobe_mock_open(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_send(mock), ==, STROBE_OK);
    add_operator(100, 10);
    add_operator(199, 20);
    add_operator(200, 30);
    add_operator(99, 40);
    g_assert_cmpint(strobe_mock_send(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_end(mock), ==, STROBE_OK);
    strobe_mock_close(mock);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 3);
    check_step(0, "ProfilerStep#4", (struct strobe_step_summary){4, 100, 2, 30, 15, 1});
    check_step(1, "ProfilerStep#5", (struct strobe_step_summary){5, 100, 1, 30, 0, 1});
    check_step(2, "outside", (struct strobe_step_summary){-1, 0, 1, 40, 7, 0});
    strobe_mock_free(mock);
}

static void test_out_of_order(void)
{
    set_up();
    add_step(5, 200, 300);
    add_step(4, 100, 200);
    add_operator(150, 1);
    add_operator(250, 2);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 2);
    check_step(0, "ProfilerStep#4", (struct strobe_step_summary){4, 100, 1, 1, 0, 0});
    check_step(1, "ProfilerStep#5", (struct strobe_step_summary){5, 100, 1, 2, 0, 0});
    strobe_mock_free(mock);
}

static void test_nothing(void)
{
    set_up();
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 0);
    strobe_mock_free(mock);
}

/* There are more markers than can wait, in steps that are known in time. */
static void test_bound(void)
{
    set_up();
    for (int64_t step = 0; step < 10; step++) {
        for (int64_t i = 0; i < 50000; i++)
            add_other(&strobe_kind_marker_instant, step * 100000 + i, step * 100000 + i);
        add_step(step, step * 100000, (step + 1) * 100000);
    }
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 10);
    check_step(0, "ProfilerStep#0", (struct strobe_step_summary){0, 100000, 0, 0, 0, 50000});
    check_step(9, "ProfilerStep#9", (struct strobe_step_summary){9, 100000, 0, 0, 0, 50000});
    strobe_mock_free(mock);
}

static void add_loss(StrobeTrackId thread, int64_t begin, int64_t end)
{
    const struct strobe_loss loss = {.count = 3, .thread = thread};

    strobe_mock_add(mock, &strobe_kind_loss, 0, 0, begin, end, &loss);
}

/* Checks the flags of the records for the steps 1, 2 and 3 and for `outside`, with a gap of 5
 * between the steps 2 and 3. A loss is recorded after the step that it affects. */
static void check_flags(int64_t loss_begin, int64_t loss_end, const char *expected)
{
    const StrobeView *views;
    g_autoptr(GString) found = g_string_new(NULL);

    set_up();
    add_step(3, 305, 400);
    add_step(1, 100, 200);
    add_step(2, 200, 300);
    add_other(&strobe_kind_gc, 302, 303);
    add_loss(42, loss_begin, loss_end);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, &views), ==, 4);
    for (size_t i = 0; i < 4; i++)
        g_string_append_c(found, views[i].flags == STROBE_VIEW_INCOMPLETE ? '*' : '.');
    g_assert_cmpstr(found->str, ==, expected);
    strobe_mock_free(mock);
}

static void test_incomplete(void)
{
    check_flags(210, 290, ".*..");
    check_flags(200, 300, ".*..");
    check_flags(199, 201, "**..");
    check_flags(299, 301, ".*.*");
    check_flags(300, 305, "...*");
    check_flags(50, 60, "...*");
    check_flags(400, 500, "...*");
    check_flags(0, 1000, "****");
    check_flags(350, 350, "..*.");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/step-assignment/membership", test_membership);
    g_test_add_func("/step-assignment/out-of-order", test_out_of_order);
    g_test_add_func("/step-assignment/nothing", test_nothing);
    g_test_add_func("/step-assignment/bound", test_bound);
    g_test_add_func("/step-assignment/incomplete", test_incomplete);
    return g_test_run();
}
