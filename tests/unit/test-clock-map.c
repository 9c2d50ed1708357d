/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic counters: rate, drift, noise, steps of the wall clock. */
#include <math.h>
#include "clock-map.h"

#define EPOCH 1700000000000000000

static void add(StrobeClockMap *map, guint64 ticks, gint64 monotonic, gint64 offset)
{
    StrobeClockPair pair = {ticks, monotonic, monotonic + offset};
    strobe_clock_map_add(map, &pair);
}

static void test_constant_rate(void)
{
    StrobeClockMap *map = strobe_clock_map_new();

    for (gint64 s = 0; s < 100; s++)
        add(map, 1000 + (guint64)s * 2600000000u, s * 1000000000, EPOCH);
    strobe_clock_map_finish(map);
    for (gint64 ns = 0; ns < 99000000000; ns += 123456789)
        g_assert_cmpint(
            ABS(strobe_clock_map_from_ticks(map, 1000 + (guint64)(ns * 2.6)) - (EPOCH + ns)), <=,
            2);
    strobe_clock_map_free(map);
}

/* 50 ppm of drift that comes and goes, pairs off by up to 50 ns: the error stays below 200 ns. */
static void test_drift(void)
{
    StrobeClockMap *map = strobe_clock_map_new();
    double ticks = 5e12;

    for (gint64 s = 0; s <= 600; s++) {
        add(map, (guint64)ticks, s * 1000000000 + g_test_rand_int_range(-50, 50), EPOCH);
        ticks += 2.6e9 * (1 + 50e-6 * sin((double)s / 100));
    }
    strobe_clock_map_finish(map);
    ticks = 5e12;
    for (gint64 s = 0; s < 600; s++) {
        gint64 error = strobe_clock_map_from_ticks(map, (guint64)ticks) - (EPOCH + s * 1000000000);
        g_assert_cmpint(ABS(error), <, 200);
        ticks += 2.6e9 * (1 + 50e-6 * sin((double)s / 100));
    }
    strobe_clock_map_free(map);
}

static void test_monotonic(void)
{
    StrobeClockMap *map = strobe_clock_map_new();
    gint64 last = G_MININT64;

    for (gint64 s = 0; s < 50; s++)
        add(map, (guint64)s * 1000000000 + (guint64)g_test_rand_int_range(0, 1000),
            s * 1000000000 + g_test_rand_int_range(0, 1000), EPOCH);
    strobe_clock_map_finish(map);
    for (guint64 t = 0; t < 50000000000u; t += 9999991) {
        gint64 now = strobe_clock_map_from_ticks(map, t);
        g_assert_cmpint(now, >=, last);
        last = now;
    }
    strobe_clock_map_free(map);
}

/* NTP sets the wall clock back an hour: times go on without a step. */
static void test_wall_clock_step(void)
{
    StrobeClockMap *map = strobe_clock_map_new();

    for (gint64 s = 0; s < 20; s++)
        add(map, (guint64)s * 1000000000, s * 1000000000, s < 10 ? EPOCH : EPOCH - 3600000000000);
    strobe_clock_map_finish(map);
    g_assert_cmpint(strobe_clock_map_from_ticks(map, 15000000000u), ==, EPOCH + 15000000000);
    strobe_clock_map_free(map);
}

static void test_few_pairs(void)
{
    StrobeClockMap *map = strobe_clock_map_new();

    strobe_clock_map_finish(map);
    g_assert_cmpint(strobe_clock_map_from_ticks(map, 77), ==, 77);
    strobe_clock_map_free(map);
    map = strobe_clock_map_new();
    add(map, 100, 1000, EPOCH);
    strobe_clock_map_finish(map);
    g_assert_cmpint(strobe_clock_map_from_ticks(map, 105), ==, EPOCH + 1005);
    strobe_clock_map_free(map);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/clock-map/constant-rate", test_constant_rate);
    g_test_add_func("/clock-map/drift", test_drift);
    g_test_add_func("/clock-map/monotonic", test_monotonic);
    g_test_add_func("/clock-map/wall-clock-step", test_wall_clock_step);
    g_test_add_func("/clock-map/few-pairs", test_few_pairs);
    return g_test_run();
}
