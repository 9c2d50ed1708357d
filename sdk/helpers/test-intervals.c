/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>
#include <strobe/helpers/intervals.h>

static StrobeIntervals make_set(const int64_t (*times)[2], size_t n)
{
    StrobeIntervals set = {0};

    for (size_t i = 0; i < n; i++)
        strobe_intervals_add(&set, times[i][0], times[i][1]);
    return set;
}

static void check_set(const StrobeIntervals *set, const int64_t (*times)[2], size_t n)
{
    g_assert_cmpuint(set->n, ==, n);
    g_assert_false(set->is_short);
    for (size_t i = 0; i < n; i++) {
        g_assert_cmpint(set->items[i].begin_ns, ==, times[i][0]);
        g_assert_cmpint(set->items[i].end_ns, ==, times[i][1]);
    }
}

#define MAKE(...)                                                                                  \
    make_set((const int64_t[][2]){__VA_ARGS__},                                                    \
             sizeof((const int64_t[][2]){__VA_ARGS__}) / sizeof(int64_t[2]))
#define CHECK(set_, ...)                                                                           \
    check_set(&(set_), (const int64_t[][2]){__VA_ARGS__},                                          \
              sizeof((const int64_t[][2]){__VA_ARGS__}) / sizeof(int64_t[2]))

static void test_merge(void)
{
    StrobeIntervals set = MAKE({50, 60}, {10, 20}, {20, 30}, {12, 15}, {40, 35});

    strobe_intervals_merge(&set);
    CHECK(set, {10, 30}, {40, 40}, {50, 60});
    g_assert_cmpint(strobe_intervals_length(&set), ==, 30);
    strobe_intervals_merge_near(&set, 10);
    CHECK(set, {10, 60});
    strobe_intervals_clear(&set);
    strobe_intervals_merge(&set);
    g_assert_cmpuint(set.n, ==, 0);
}

static void test_subtract(void)
{
    StrobeIntervals a = MAKE({0, 10}, {20, 30}, {40, 50}, {60, 60});
    StrobeIntervals b = MAKE({-5, 2}, {4, 6}, {8, 22}, {40, 50}), out = {0};

    strobe_intervals_subtract(&a, &b, &out);
    CHECK(out, {2, 4}, {6, 8}, {22, 30});
    strobe_intervals_clear(&out);
    strobe_intervals_subtract(&b, &a, &out);
    CHECK(out, {-5, 0}, {10, 20});
    strobe_intervals_clear(&a);
    strobe_intervals_clear(&b);
    strobe_intervals_clear(&out);
}

static void test_unite(void)
{
    StrobeIntervals a = MAKE({0, 10}, {20, 30}), b = MAKE({5, 15}, {30, 35}), out = {0};

    strobe_intervals_unite(&a, &b, &out);
    CHECK(out, {0, 15}, {20, 35});
    strobe_intervals_clear(&a);
    strobe_intervals_clear(&b);
    strobe_intervals_clear(&out);
}

/* Compares every moment of a small range with a table that has one entry for each moment. */
static void test_random_sets(void)
{
    for (guint round = 0; round < 500; round++) {
        StrobeIntervals set = {0};
        gboolean is_in[64] = {0};
        gint covered = 0;

        for (guint i = 0; i < 6; i++) {
            gint begin = g_test_rand_int_range(0, 60), end = g_test_rand_int_range(0, 64);

            strobe_intervals_add(&set, begin, end);
            for (gint at = begin; at < end; at++)
                is_in[at] = TRUE;
        }
        strobe_intervals_merge(&set);
        for (guint at = 0; at < G_N_ELEMENTS(is_in); at++)
            g_assert_cmpint(strobe_intervals_covered(&set, at, at + 1), ==, is_in[at]);
        for (guint at = 8; at < 48; at++)
            covered += is_in[at];
        g_assert_cmpint(strobe_intervals_covered(&set, 8, 48), ==, covered);
        strobe_intervals_clear(&set);
    }
}

static void test_coarsen(void)
{
    StrobeIntervals set = {0};
    int64_t gap = 0;

    for (int64_t i = 0; i < 1000; i++)
        strobe_intervals_add(&set, i * 5000, i * 5000 + 1000);
    gap = strobe_intervals_coarsen(&set, 2000, gap);
    g_assert_cmpuint(set.n, ==, 1000);
    g_assert_cmpint(gap, ==, 0);
    gap = strobe_intervals_coarsen(&set, 100, gap);
    CHECK(set, {0, 999 * 5000 + 1000});
    g_assert_cmpint(gap, ==, 4000);
    strobe_intervals_clear(&set);
}

/* Uses times, as a file may contain them, whose differences do not fit in 64 bits. */
static void test_far_times(void)
{
    StrobeIntervals set = MAKE({INT64_MAX - 1, INT64_MAX}, {INT64_MIN, INT64_MIN + 1});

    strobe_intervals_merge_near(&set, 1000);
    CHECK(set, {INT64_MIN, INT64_MIN + 1}, {INT64_MAX - 1, INT64_MAX});
    g_assert_cmpint(strobe_intervals_covered(&set, INT64_MIN, INT64_MAX), ==, 2);
    g_assert_cmpint(strobe_intervals_coarsen(&set, 1, 0), ==, INT64_MAX);
    strobe_intervals_clear(&set);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/intervals/merge", test_merge);
    g_test_add_func("/intervals/subtract", test_subtract);
    g_test_add_func("/intervals/unite", test_unite);
    g_test_add_func("/intervals/random-sets", test_random_sets);
    g_test_add_func("/intervals/coarsen", test_coarsen);
    g_test_add_func("/intervals/far-times", test_far_times);
    return g_test_run();
}
