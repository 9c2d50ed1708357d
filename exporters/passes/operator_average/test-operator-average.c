/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>
#include <math.h>
#include <mock-consumer-host.h>

extern const StrobePlugin strobe_plugin_1;

static void add_operator(StrobeMockHost *mock, const char *name, const char *shapes, int64_t total,
                         int64_t self)
{
    struct strobe_operator_detail fields = {.host_total = total, .host_self = self};

    fields.shapes = strobe_mock_string(mock, shapes);
    strobe_mock_add(mock, &strobe_kind_operator_detail, 0, strobe_mock_string(mock, name), 0, total,
                    &fields);
}

static void check_row(StrobeMockHost *mock, size_t index, const char *name, const char *shapes,
                      uint64_t calls, int64_t self, int64_t total, double share)
{
    const StrobeView *views;
    const struct strobe_operator_average *fields;

    g_assert_cmpuint(strobe_mock_emitted(mock, &views), >, index);
    fields = views[index].fields;
    g_assert_cmpstr(strobe_mock_text(mock, views[index].name), ==, name);
    g_assert_cmpstr(strobe_mock_text(mock, fields->shapes), ==, shapes);
    g_assert_cmpuint(fields->calls, ==, calls);
    g_assert_cmpint(fields->host_self, ==, self);
    g_assert_cmpint(fields->host_total, ==, total);
    g_assert_cmpfloat(fields->host_average, ==, (double)total / (double)calls);
    g_assert_cmpfloat(fields->self_share, ==, share);
}

static void add_operators(StrobeMockHost *mock)
{
    add_operator(mock, "mm", "2,2", 100, 60);
    add_operator(mock, "mm", "4,4", 300, 340);
    add_operator(mock, "add", "2,2", 50, 50);
    add_operator(mock, "mm", "2,2", 200, 50);
}

static void test_by_name(void)
{
    StrobeMockHost *mock = strobe_mock_new(strobe_plugin_1.components[0], -1);
    const StrobeView *views;
    const struct strobe_operator_average *fields;

    add_operators(mock);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, &views), ==, 2);
    check_row(mock, 0, "mm", "", 3, 450, 600, 90.0);
    check_row(mock, 1, "add", "", 1, 50, 50, 10.0);
    fields = views[0].fields;
    g_assert_cmpint(fields->host_min, ==, 100);
    g_assert_cmpint(fields->host_max, ==, 300);
    strobe_mock_free(mock);
}

static void test_by_shapes(void)
{
    StrobeMockHost *mock = strobe_mock_new(strobe_plugin_1.components[0], -1);

    strobe_mock_option(mock, "group_by_shapes", "true");
    add_operators(mock);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 3);
    check_row(mock, 0, "mm", "4,4", 1, 340, 300, 68.0);
    check_row(mock, 1, "mm", "2,2", 2, 110, 300, 22.0);
    check_row(mock, 2, "add", "2,2", 1, 50, 50, 10.0);
    strobe_mock_free(mock);
}

/* If there is no self time, the share is absent, and not 0 or the result of a division by 0. */
static void test_no_time(void)
{
    StrobeMockHost *mock = strobe_mock_new(strobe_plugin_1.components[0], -1);
    const StrobeView *views;

    add_operator(mock, "nothing", "", 0, 0);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, &views), ==, 1);
    g_assert_true(isnan(((const struct strobe_operator_average *)views[0].fields)->self_share));
    strobe_mock_free(mock);
}

static void test_limit(void)
{
    StrobeMockHost *mock = strobe_mock_new(strobe_plugin_1.components[0], -1);
    const StrobeView *views;
    size_t n;
    uint64_t calls = 0;

    for (int i = 0; i < 262144 + 10; i++) {
        char name[32];

        g_snprintf(name, sizeof name, "op %d", i);
        add_operator(mock, name, "", 1, 1);
    }
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    n = strobe_mock_emitted(mock, &views);
    g_assert_cmpuint(n, ==, 262144 + 1);
    check_row(mock, 0, "(others)", "", 10, 10, 10, 100.0 * 10 / (262144 + 10));
    for (size_t i = 0; i < n; i++)
        calls += ((const struct strobe_operator_average *)views[i].fields)->calls;
    g_assert_cmpuint(calls, ==, 262144 + 10);
    g_assert_cmpuint(strobe_mock_warnings(mock), ==, 1);
    strobe_mock_free(mock);
}

/* Any lost record may have been a call of any operator, so all rows are incomplete. */
static void test_incomplete(void)
{
    for (uint64_t lost = 0; lost < 2; lost++) {
        StrobeMockHost *mock = strobe_mock_new(strobe_plugin_1.components[0], -1);
        const struct strobe_loss loss = {.count = lost, .thread = 77};
        const StrobeView *views;

        add_operators(mock);
        strobe_mock_add(mock, &strobe_kind_loss, 0, 0, 5000, 6000, &loss);
        g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
        g_assert_cmpuint(strobe_mock_emitted(mock, &views), ==, 2);
        for (size_t i = 0; i < 2; i++)
            g_assert_cmpuint(views[i].flags, ==, lost ? STROBE_VIEW_INCOMPLETE : 0);
        strobe_mock_free(mock);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/operator-average/by-name", test_by_name);
    g_test_add_func("/operator-average/by-shapes", test_by_shapes);
    g_test_add_func("/operator-average/no-time", test_no_time);
    g_test_add_func("/operator-average/limit", test_limit);
    g_test_add_func("/operator-average/incomplete", test_incomplete);
    return g_test_run();
}
