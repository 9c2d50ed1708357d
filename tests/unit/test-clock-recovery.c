/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the clock of a capture that another process finishes: whether the clock can be continued,
 * and which pair is used. */
#include "clock-recovery.h"

#define SECOND G_GINT64_CONSTANT(1000000000)
#define RATE 2.5 /* ticks per ns */

static StrobeClockPair pair_at(double second)
{
    gint64 ns = 4000 * SECOND + (gint64)(second * 1e9);

    return (StrobeClockPair){.ticks = 7000000000 + (guint64)(second * 1e9 * RATE),
                             .monotonic_ns = ns,
                             .realtime_ns = ns + 1700000000 * SECOND,
                             .boottime_ns = ns,
                             .gap = 100};
}

static StrobeClockRecovery clock_of(guint seconds)
{
    StrobeClockRecovery clock = {.n = 0};

    for (guint i = 0; i <= seconds; i++) {
        StrobeClockPair pair = pair_at(i);
        strobe_clock_recovery_follow(&clock, &pair);
    }
    return clock;
}

static void test_goes_on(void)
{
    StrobeClockRecovery clock = clock_of(10);
    StrobeClockPair now = pair_at(86400);

    g_assert_cmpint(clock.pair.monotonic_ns, ==, pair_at(10).monotonic_ns);
    g_assert_true(strobe_clock_recovery_goes_on(&clock, &now));
    now.ticks += 3600 * 2500000000; /* the counter continued while the machine slept */
    g_assert_false(strobe_clock_recovery_goes_on(&clock, &now));
    now.ticks = 5;
    g_assert_false(strobe_clock_recovery_goes_on(&clock, &now));
    now = pair_at(9); /* a time before the last pair, as after another boot */
    g_assert_false(strobe_clock_recovery_goes_on(&clock, &now));
    now = pair_at(86400);
    now.monotonic_ns = 5;
    g_assert_false(strobe_clock_recovery_goes_on(&clock, &now));
}

static void test_limit(void)
{
    StrobeClockRecovery clock = clock_of(10);
    StrobeClockPair now = pair_at(20);

    g_assert_cmpuint(strobe_clock_recovery_limit(&clock, &now), ==, now.ticks);
    g_assert_cmpuint(strobe_clock_recovery_limit(&clock, NULL), >, pair_at(69).ticks);
    g_assert_cmpuint(strobe_clock_recovery_limit(&clock, NULL), <, pair_at(71).ticks);
}

static void test_at(void)
{
    StrobeClockRecovery clock = clock_of(10);
    StrobeClockPair now = pair_at(1000000), expected = pair_at(10.5);
    StrobeClockPair found = strobe_clock_recovery_at(&clock, expected.ticks, &now);

    g_assert_cmpuint(found.ticks, ==, expected.ticks);
    g_assert_cmpint(ABS(found.monotonic_ns - expected.monotonic_ns), <, 100);
    g_assert_cmpint(found.realtime_ns - found.monotonic_ns, ==,
                    expected.realtime_ns - expected.monotonic_ns);
    g_assert_cmpuint(found.gap, >, 1000); /* the gap says that the pair is less exact */
    found = strobe_clock_recovery_at(&clock, expected.ticks, NULL);
    g_assert_cmpint(ABS(found.monotonic_ns - expected.monotonic_ns), <, 100);
    g_assert_cmpuint(found.gap, ==, STROBE_CLOCK_COMPUTED);
    /* a count before the last pair gives the last pair */
    found = strobe_clock_recovery_at(&clock, 3, &now);
    g_assert_cmpuint(found.ticks, ==, pair_at(10).ticks);
    g_assert_cmpint(found.monotonic_ns, ==, pair_at(10).monotonic_ns);
}

/* If there is only one pair, its rate is used. */
static void test_one_pair(void)
{
    StrobeClockRecovery clock = {.n = 0};
    StrobeClockPair pair = pair_at(0), expected = pair_at(0.5);

    pair.ns_per_tick = 1 / RATE;
    strobe_clock_recovery_follow(&clock, &pair);
    StrobeClockPair found = strobe_clock_recovery_at(&clock, expected.ticks, NULL);
    g_assert_cmpint(ABS(found.monotonic_ns - expected.monotonic_ns), <, 100);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/clock-recovery/goes-on", test_goes_on);
    g_test_add_func("/clock-recovery/limit", test_limit);
    g_test_add_func("/clock-recovery/at", test_at);
    g_test_add_func("/clock-recovery/one-pair", test_one_pair);
    return g_test_run();
}
