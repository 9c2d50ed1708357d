/* SPDX-License-Identifier: Apache-2.0 */
#include "duration-counts.h"
#include "test-device.h"

static void add_call(StrobeMockHost *mock, const char *level, const char *name, int64_t ns)
{
    TEST_FIELDS(api_call, fields);
    fields.level = strobe_mock_string(mock, level);
    TEST_ADD(mock, api_call, test_thread(mock, 1), name, 0, ns, &fields);
}

/* For 1.0, 2.0 and 2.005 us the mean is 1.668 (rounded), the squares are 0.446224, 0.110224 and
 * 0.113569, their sum 0.670017. Generation 1 rounds each square: 0.446 + 0.11 + 0.114 = 0.67. */
static void test_variance(void)
{
    for (int32_t generation = 1; generation <= 2; generation++) {
        StrobeMockHost *mock = test_device_host(generation);
        const StrobeView *views;
        const struct strobe_api_statistic *fields;

        add_call(mock, "acl", "aclnnMm", 1000);
        add_call(mock, "acl", "aclnnMm", 2000);
        add_call(mock, "acl", "aclnnMm", 2005);
        g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
        g_assert_cmpuint(strobe_mock_emitted(mock, &views), ==, 1);
        fields = views[0].fields;
        g_assert_cmpuint(fields->count, ==, 3);
        g_assert_cmpfloat(fields->total, ==, 5.005);
        g_assert_cmpfloat(fields->avg, ==, 1.668);
        g_assert_cmpfloat(fields->min, ==, 1.0);
        g_assert_cmpfloat(fields->max, ==, 2.005);
        g_assert_cmpfloat(fields->variance, ==, 0.223);
        strobe_mock_free(mock);
    }
}

/* For 1.14 and 2.24 us around 1.69, the squares of the doubles are slightly above 0.3025 and are
 * rounded up. With the double next to 1.14 one of them would be rounded down. */
static void test_nearest_doubles(void)
{
    StrobeMockHost *mock = test_device_host(1);
    const StrobeView *views;

    add_call(mock, "acl", "a", 1140);
    add_call(mock, "acl", "a", 2240);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, &views), ==, 1);
    g_assert_cmpfloat(((const struct strobe_api_statistic *)views[0].fields)->min, ==, 1.14);
    g_assert_cmpfloat(((const struct strobe_api_statistic *)views[0].fields)->variance, ==, 0.303);
    strobe_mock_free(mock);
}

/* For 0, 0 and 0.048 us the mean is 0.016, the squares are twice 0.000256 and 0.001024, their mean
 * 0.000512. Generation 1 rounds the squares to 0, 0 and 0.001, whose mean is 0.00033. */
static void test_small(void)
{
    static const double variances[] = {0.0, 0.001};

    for (int32_t generation = 1; generation <= 2; generation++) {
        StrobeMockHost *mock = test_device_host(generation);
        const StrobeView *views;

        add_call(mock, "acl", "a", 0);
        add_call(mock, "acl", "a", 0);
        add_call(mock, "acl", "a", 48);
        g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
        g_assert_cmpuint(strobe_mock_emitted(mock, &views), ==, 1);
        g_assert_cmpfloat(((const struct strobe_api_statistic *)views[0].fields)->variance, ==,
                          variances[generation - 1]);
        strobe_mock_free(mock);
    }
}

/* Rows are sorted by name, capitals first, then by level. */
static void test_order(void)
{
    static const char *const expected[] = {"Launch hccl", "launch runtime", "launch node",
                                           "launch other"};
    StrobeMockHost *mock = test_device_host(3);
    const StrobeView *views;

    add_call(mock, "other", "launch", 1);
    add_call(mock, "node", "launch", 1);
    add_call(mock, "runtime", "launch", 1);
    add_call(mock, "hccl", "Launch", 1);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, &views), ==, 4);
    for (int i = 0; i < 4; i++) {
        const struct strobe_api_statistic *fields = views[i].fields;
        g_autofree char *text = g_strdup_printf("%s %s", strobe_mock_text(mock, views[i].name),
                                                strobe_mock_text(mock, fields->level));

        g_assert_cmpstr(text, ==, expected[i]);
    }
    strobe_mock_free(mock);
}

/* Durations may come from a hostile file: they must not have colliding hashes. */
static void test_hostile(void)
{
    /* the last number is the inverse of the factor of a simple hash */
    static const guint64 steps[] = {1, (guint64)1 << 32, 0xf1de83e19937733du};
    const guint n = 20000;

    for (guint at = 0; at < G_N_ELEMENTS(steps); at++) {
        DurationCounts counts = {0};

        for (guint i = 0; i < n; i++)
            g_assert_true(duration_counts_add(&counts, (gint64)(i * steps[at])));
        for (guint i = 0; i < n; i++)
            g_assert_false(duration_counts_add(&counts, (gint64)(i * steps[at])));
        g_assert_cmpuint(counts.n, ==, n);
        g_assert_cmpuint(duration_counts_steps(&counts), <, 8 * n);
        duration_counts_clear(&counts);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/api-statistic/variance", test_variance);
    g_test_add_func("/api-statistic/nearest-doubles", test_nearest_doubles);
    g_test_add_func("/api-statistic/small", test_small);
    g_test_add_func("/api-statistic/order", test_order);
    g_test_add_func("/api-statistic/hostile", test_hostile);
    return g_test_run();
}
