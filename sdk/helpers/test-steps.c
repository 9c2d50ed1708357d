/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>
#include <mock-consumer-host.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/steps.h>

typedef struct Range {
    int64_t number, begin_ns, end_ns;
    int32_t device;
} Range;

static void add_range(StrobeMockHost *mock, StrobeSteps *steps, const Range *range,
                      gboolean is_joined)
{
    struct strobe_step_range fields;
    const StrobeView *record;

    strobe_fields_absent(&strobe_kind_step_range, &fields);
    fields.number = range->number;
    fields.host_begin = 1000 * range->number;
    fields.device = range->device;
    record = strobe_mock_add(mock, &strobe_kind_step_range, 0, strobe_mock_string(mock, "step"),
                             range->begin_ns, range->end_ns, &fields);
    if (is_joined)
        strobe_steps_add_joined(steps, record);
    else
        strobe_steps_add(steps, record);
}

static StrobeSteps make_steps(const Range *ranges, size_t n, gboolean is_joined)
{
    StrobeMockHost *mock = strobe_mock_new(NULL, -1);
    StrobeSteps steps = {0};

    for (size_t i = 0; i < n; i++)
        add_range(mock, &steps, &ranges[i], is_joined);
    strobe_mock_free(mock);
    return steps;
}

static int64_t number_of(const StrobeStep *step)
{
    return step ? step->number : -1;
}

static void test_ends(void)
{
    static const Range ranges[] = {{1, 100, 200, 0}, {2, 200, 300, 0}, {3, 400, 500, 0}};
    StrobeSteps steps = make_steps(ranges, G_N_ELEMENTS(ranges), FALSE);

    g_assert_false(steps.has_devices);
    g_assert_cmpint(number_of(strobe_steps_find(&steps, 0, 99)), ==, -1);
    g_assert_cmpint(number_of(strobe_steps_find(&steps, 0, 100)), ==, 1);
    g_assert_cmpint(number_of(strobe_steps_find(&steps, 7, 199)), ==, 1);
    g_assert_cmpint(number_of(strobe_steps_find(&steps, 0, 200)), ==, 2);
    g_assert_cmpint(number_of(strobe_steps_find_closed(&steps, 0, 200)), ==, 1);
    g_assert_cmpint(number_of(strobe_steps_find(&steps, 0, 300)), ==, -1);
    g_assert_cmpint(number_of(strobe_steps_find_closed(&steps, 0, 500)), ==, 3);
    g_assert_cmpint(number_of(strobe_steps_find_closed(&steps, 0, 501)), ==, -1);
    g_assert_cmpint(number_of(strobe_steps_find(&steps, 0, INT64_MAX)), ==, -1);
    strobe_steps_clear(&steps);
}

/* Adds the steps of two devices whose clocks differ: each device has its own time ranges of the
 * same steps. */
static void test_devices(void)
{
    static const Range ranges[] = {
        {1, 100, 200, 0}, {1, 150, 250, 1}, {2, 200, 300, 0}, {2, 250, 350, 1}};
    StrobeSteps steps = make_steps(ranges, G_N_ELEMENTS(ranges), FALSE);

    g_assert_true(steps.has_devices);
    g_assert_cmpuint(steps.n, ==, 4);
    g_assert_cmpint(number_of(strobe_steps_find(&steps, 0, 220)), ==, 2);
    g_assert_cmpint(number_of(strobe_steps_find(&steps, 1, 220)), ==, 1);
    g_assert_cmpint(number_of(strobe_steps_find(&steps, 1, 120)), ==, -1);
    g_assert_cmpint(number_of(strobe_steps_find(&steps, 2, 220)), ==, -1);
    strobe_steps_clear(&steps);
}

static void test_joined(void)
{
    static const Range ranges[] = {{1, 100, 200, 0}, {1, 150, 250, 1}, {2, 260, 300, 0}};
    StrobeSteps steps = make_steps(ranges, G_N_ELEMENTS(ranges), TRUE);

    g_assert_cmpuint(steps.n, ==, 2);
    g_assert_cmpint(steps.items[0].begin_ns, ==, 100);
    g_assert_cmpint(steps.items[0].end_ns, ==, 250);
    g_assert_cmpint(number_of(strobe_steps_find(&steps, 5, 249)), ==, 1);
    strobe_steps_clear(&steps);
}

/* Uses a step's begin and the time 100 ns before the begin, which are equal as doubles of
 * microseconds since the epoch. */
static void test_microseconds(void)
{
    const int64_t base = INT64_C(1736412474721516800);
    const Range range = {4, base, base + 1000000, 0};
    StrobeSteps steps = make_steps(&range, 1, FALSE);

    g_assert_null(strobe_steps_find(&steps, 0, base - 100));
    g_assert_cmpint(number_of(strobe_steps_find_us(&steps, 0, base - 100)), ==, 4);
    g_assert_null(strobe_steps_find_us(&steps, 0, base - 1000));
    strobe_steps_clear(&steps);
}

static void test_many(void)
{
    StrobeMockHost *mock = strobe_mock_new(NULL, -1);
    Range range = {0, 0, 1, 0};
    StrobeSteps steps = {0};

    for (int64_t i = 0; i < 1000; i++) {
        range = (Range){i, 10000 * i, 10000 * i + 10000, 0};
        add_range(mock, &steps, &range, FALSE);
    }
    g_assert_cmpuint(steps.n_dropped, ==, 0);
    for (int64_t at = 0; at < 10000000; at += 7001)
        g_assert_cmpint(number_of(strobe_steps_find(&steps, 0, at)), ==, at / 10000);
    strobe_steps_clear(&steps);
    strobe_mock_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/steps/ends", test_ends);
    g_test_add_func("/steps/devices", test_devices);
    g_test_add_func("/steps/joined", test_joined);
    g_test_add_func("/steps/microseconds", test_microseconds);
    g_test_add_func("/steps/many", test_many);
    return g_test_run();
}
