/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A counter that is simulated: what it does is known, so the map's error can be measured against
 * the bound that the map gives. Drift, slews, sleep, resets, jumps, disturbed readings.
 */
#include <math.h>
#include <string.h>
#include "simulated-clock.h"

#define SECOND G_GINT64_CONSTANT(1000000000)
#define TICK_NS 3000000 /* between two times that are converted */

/* ---- worlds ---- */

static double at_2_6_ghz(double s)
{
    return 2.6;
}

static double at_25_mhz(double s)
{
    return 0.025;
}

/* Room temperature and a fan. */
static double warming_and_cooling(double s)
{
    return 2.6 * (1 + 50e-6 * sin(2 * G_PI * s / 600));
}

/* A time daemon corrects the rate every 16 s. */
static double corrected(double s)
{
    static const double ppm[] = {0, 12, -7, 3, 3.5, 3.2};
    return 2.6 * (1 + 1e-6 * ppm[(int)(s / 16) % 6]);
}

/* adjtime: as fast as the kernel slews. */
static double slewed(double s)
{
    return 2.6 * (1 + (s > 20.37 && s < 31.81 ? 500e-6 : 0));
}

static double migrated(double s)
{
    return s < 17.29 ? 2.6 : 2.1;
}

#define TRILLION 1000000000000ll
#define BOTH_RUN 7200 * SECOND /* the counter ran on while the machine slept */

static const SimulatedClock worlds[] = {
    {.name = "constant", .rate = at_2_6_ghz, .limit_ns = 250},
    {.name = "constant/often", .rate = at_2_6_ghz, .pair_ns = SECOND / 100, .limit_ns = 250},
    {.name = "constant/slow", .rate = at_25_mhz, .gap = 2, .limit_ns = 400},
    {.name = "monotonic", .is_monotonic = TRUE, .limit_ns = 0},
    {.name = "temperature", .rate = warming_and_cooling, .seconds = 900, .limit_ns = 2000},
    {.name = "temperature/often",
     .rate = warming_and_cooling,
     .seconds = 300,
     .pair_ns = SECOND / 10,
     .limit_ns = 300},
    {.name = "corrected", .rate = corrected, .seconds = 120, .limit_ns = 30000},
    {.name = "corrected/often",
     .rate = corrected,
     .seconds = 120,
     .pair_ns = SECOND / 20,
     .limit_ns = 5000},
    {.name = "slewed", .rate = slewed, .limit_ns = 800000},
    {.name = "disturbed", .rate = at_2_6_ghz, .disturbed_share = 0.3, .limit_ns = 4000},
    {.name = "disturbed/first", .rate = at_2_6_ghz, .is_first_disturbed = TRUE, .limit_ns = 4000},
    {.name = "disturbed/last", .rate = at_2_6_ghz, .is_last_disturbed = TRUE, .limit_ns = 4000},
    {.name = "duplicates", .rate = at_2_6_ghz, .repeats = 3, .limit_ns = 250},
    {.name = "wall-clock", .rate = at_2_6_ghz, .wall_step_ns = -3600 * SECOND, .limit_ns = 250},
    {.name = "suspend/runs-on",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{30.41, .slept_ns = BOTH_RUN, .ticks = 7200 * 2600000000ll,
                     .cause = STROBE_CLOCK_SUSPEND, .is_broken = TRUE}}},
    {.name = "suspend/stops",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .happenings = {{30.41, .slept_ns = BOTH_RUN, .cause = STROBE_CLOCK_SUSPEND}}},
    {.name = "suspend/resets",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{30.41, .slept_ns = BOTH_RUN, .is_set = TRUE, .ticks = 12345,
                     .cause = STROBE_CLOCK_RESET, .is_broken = TRUE}}},
    {.name = "reset",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{12.34, .is_set = TRUE, .ticks = 0, .cause = STROBE_CLOCK_RESET,
                     .is_broken = TRUE}}},
    {.name = "reset/often",
     .rate = at_2_6_ghz,
     .pair_ns = SECOND / 100,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{12.341, .is_set = TRUE, .ticks = 0, .cause = STROBE_CLOCK_RESET,
                     .is_broken = TRUE}}},
    /* The counts of 5 s to 15 s come again. */
    {.name = "reset/overlap",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{15.2, .ticks = -10 * 2600000000ll, .cause = STROBE_CLOCK_RESET,
                     .is_broken = TRUE}}},
    {.name = "reset/twice",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{12.34, .is_set = TRUE, .ticks = 0, .cause = STROBE_CLOCK_RESET,
                     .is_broken = TRUE},
                    {41.77, .is_set = TRUE, .ticks = 0, .cause = STROBE_CLOCK_RESET,
                     .is_broken = TRUE}}},
    {.name = "jump",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{12.34, .ticks = TRILLION, .cause = STROBE_CLOCK_JUMP, .is_broken = TRUE}}},
    {.name = "jump/often",
     .rate = at_2_6_ghz,
     .pair_ns = SECOND / 50,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{12.34, .ticks = TRILLION, .cause = STROBE_CLOCK_JUMP, .is_broken = TRUE}}},
    {.name = "jump/while-drifting",
     .rate = warming_and_cooling,
     .limit_ns = 2000,
     .inside_ns = 4000,
     .happenings = {{12.34, .ticks = TRILLION, .cause = STROBE_CLOCK_JUMP, .is_broken = TRUE}}},
    {.name = "jump/small",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 11000000,
     .happenings = {{12.34, .ticks = 26000000, .cause = STROBE_CLOCK_JUMP, .is_broken = TRUE}}},
    {.name = "jump/back",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 301000000,
     .goes_back = TRUE, /* and so must the times */
     .happenings = {{12.34, .ticks = -780000000, .cause = STROBE_CLOCK_JUMP, .is_broken = TRUE}}},
    {.name = "jump/twice",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{12.34, .ticks = TRILLION, .cause = STROBE_CLOCK_JUMP, .is_broken = TRUE},
                    {33.03, .ticks = TRILLION, .cause = STROBE_CLOCK_JUMP, .is_broken = TRUE}}},
    {.name = "jump/at-once",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{0.21, .ticks = TRILLION, .cause = STROBE_CLOCK_JUMP, .is_broken = TRUE}}},
    {.name = "jump/at-last",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{59.99, .ticks = TRILLION, .cause = STROBE_CLOCK_JUMP, .is_broken = TRUE}}},
    {.name = "jump/disturbed",
     .rate = at_2_6_ghz,
     .disturbed_share = 0.2,
     .limit_ns = 4000,
     .inside_ns = 4000,
     .happenings = {{12.34, .ticks = TRILLION, .cause = STROBE_CLOCK_JUMP, .is_broken = TRUE}}},
    {.name = "migration",
     .rate = migrated,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{17.29, .cause = STROBE_CLOCK_RATE, .is_broken = TRUE}}},
    {.name = "migration/jump",
     .rate = migrated,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{17.29, .ticks = TRILLION, .cause = STROBE_CLOCK_RATE, .is_broken = TRUE}}},
    {.name = "migration/reset",
     .rate = migrated,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{17.29, .is_set = TRUE, .ticks = TRILLION / 1000, .cause = STROBE_CLOCK_RESET,
                     .is_broken = TRUE}}},
};

/* ---- what must hold in each ---- */

static void check_events(const SimulatedClock *world, StrobeClockMap *map)
{
    const StrobeClockSummary *summary = strobe_clock_map_summary(map);
    guint n, expected = 0, jumps = 0;
    guint64 slept = 0;
    const StrobeClockEvent *events = strobe_clock_map_events(map, &n);

    for (const SimulatedHappening *h = world->happenings; h->cause; h++, expected++) {
        gint64 at = simulated_time((gint64)(h->second * 1e9));
        g_assert_cmpuint(expected, <, n);
        g_assert_cmpuint(events[expected].cause, ==, h->cause);
        g_assert_cmpint(events[expected].is_broken, ==, h->is_broken);
        g_assert_cmpint(events[expected].begin_ns, <=, at);
        g_assert_cmpint(events[expected].end_ns, >=, at);
        if (h->cause == STROBE_CLOCK_JUMP)
            g_assert_cmpfloat(
                ABS((double)events[expected].amount_ns - (double)h->ticks / world->rate(0)), <,
                1e5 + 1e-4 * (double)ABS(h->ticks));
        slept += (guint64)h->slept_ns;
        jumps += h->cause != STROBE_CLOCK_SUSPEND;
    }
    g_assert_cmpuint(n, ==, expected);
    g_assert_cmpuint(summary->n_jumps, ==, jumps);
    g_assert_cmpuint(summary->suspended_ns / 1000000, ==, slept / 1000000);
    g_assert_cmpint(summary->broken_ns > 0, ==, expected && world->happenings[0].is_broken);
}

static const StrobeClockEvent *broken_at(StrobeClockMap *map, gint64 ns)
{
    guint n;
    const StrobeClockEvent *events = strobe_clock_map_events(map, &n);

    for (guint i = 0; i < n; i++)
        if (events[i].is_broken && events[i].begin_ns <= ns && ns <= events[i].end_ns)
            return &events[i];
    return NULL;
}

struct errors {
    gint64 largest, inside; /* outside of broken links, and in them */
};

/* Converts a time every few milliseconds, each in the light of the next pair. */
static struct errors check_times(const SimulatedClock *world, const SimulatedPairs *pairs,
                                 StrobeClockMap *map)
{
    SimulatedCounter counter = simulated_counter_new(world);
    struct errors errors = {0, 0};
    gint64 last = G_MININT64;
    guint next = 0;

    for (gint64 ns = pairs->at[0]; ns < pairs->at[pairs->n - 1]; ns += TICK_NS) {
        while (pairs->at[next] < ns)
            next++;
        strobe_clock_map_seek(map, &pairs->pairs[next]);
        guint64 ticks = simulated_counter_at(&counter, ns);
        gint64 found = strobe_clock_map_from_ticks(map, ticks), true_ns = simulated_time(ns);
        g_assert_cmpint(strobe_clock_map_from_ticks(map, ticks), ==, found);
        gint64 error = ABS(found - true_ns);
        const StrobeClockEvent *event = broken_at(map, true_ns);
        if (event) {
            g_assert_cmpint(error, <=, event->end_ns - event->begin_ns);
            errors.inside = MAX(errors.inside, error);
        } else {
            errors.largest = MAX(errors.largest, error);
        }
        if (!world->goes_back)
            g_assert_cmpint(found, >=, last);
        last = found;
    }
    return errors;
}

static void test_world(gconstpointer data)
{
    const SimulatedClock *world = data;

    for (guint seed = 1; seed <= 4; seed++) {
        SimulatedPairs *pairs = simulated_pairs_new(world, seed);
        StrobeClockMap *map = strobe_clock_map_new();
        for (guint i = 0; i < pairs->n; i++)
            strobe_clock_map_add(map, &pairs->pairs[i]);
        strobe_clock_map_finish(map, 0);
        guint64 bound = strobe_clock_map_summary(map)->error_ns;
        struct errors errors = check_times(world, pairs, map);
        g_test_message("error %" G_GINT64_FORMAT " <= %" G_GUINT64_FORMAT
                       " ns, inside %" G_GINT64_FORMAT " ns",
                       errors.largest, bound, errors.inside);
        g_assert_cmpuint((guint64)errors.largest, <=, bound);
        g_assert_cmpuint(bound, <=, (guint64)world->limit_ns);
        g_assert_cmpint(errors.inside, <=, world->inside_ns);
        check_events(world, map);
        strobe_clock_map_free(map);
        simulated_pairs_free(pairs);
    }
}

/* ---- few pairs ---- */

static StrobeClockMap *map_of(const StrobeClockPair *pairs, guint n)
{
    StrobeClockMap *map = strobe_clock_map_new();

    for (guint i = 0; i < n; i++)
        strobe_clock_map_add(map, &pairs[i]);
    strobe_clock_map_finish(map, 0);
    return map;
}

static void test_few_pairs(void)
{
    static const StrobeClockPair one = {.ticks = 100, .monotonic_ns = 1000, .realtime_ns = 5000};
    static const StrobeClockPair known = {
        .ticks = 100, .monotonic_ns = 1000, .realtime_ns = 5000, .ns_per_tick = 0.5, .gap = 10};
    StrobeClockMap *map = map_of(&one, 0);

    g_assert_cmpint(strobe_clock_map_from_ticks(map, 77), ==, 77);
    strobe_clock_map_free(map);
    map = map_of(&one, 1);
    g_assert_cmpint(strobe_clock_map_from_ticks(map, 105), ==, 5005);
    g_assert_true(strobe_clock_map_summary(map)->error_ns == STROBE_CLOCK_ERROR_UNKNOWN);
    strobe_clock_map_free(map);
    map = map_of(&known, 1);
    g_assert_cmpint(strobe_clock_map_from_ticks(map, 106), ==, 5003);
    g_assert_cmpint(strobe_clock_map_from_ticks(map, 90), ==, 4995);
    strobe_clock_map_free(map);
}

/* Some milliseconds: the rate from two pairs, the bound from their readings. */
static void test_short_window(void)
{
    static const StrobeClockPair pairs[] = {
        {.ticks = 5000000000, .monotonic_ns = 1000000000, .realtime_ns = 1000000000, .gap = 100},
        {.ticks = 5026000000, .monotonic_ns = 1010000000, .realtime_ns = 1010000000, .gap = 100}};
    StrobeClockMap *map = map_of(pairs, 2);

    g_assert_cmpint(strobe_clock_map_from_ticks(map, 5013000000), ==, 1005000000);
    g_assert_cmpuint(strobe_clock_map_summary(map)->error_ns, >=, 20);
    g_assert_cmpuint(strobe_clock_map_summary(map)->error_ns, <=, 40);
    strobe_clock_map_free(map);
}

/* More pairs than are kept: nothing but resolution is lost. */
static void test_many_pairs(void)
{
    StrobeClockMap *map = strobe_clock_map_new();

    for (gint64 i = 0; i < 300000; i++) {
        gint64 ns = i * 10000000;
        StrobeClockPair pair = {
            .ticks = (guint64)ns * 3, .monotonic_ns = ns, .realtime_ns = ns, .gap = 60};
        strobe_clock_map_add(map, &pair);
    }
    strobe_clock_map_finish(map, 0);
    g_assert_cmpuint(strobe_clock_map_summary(map)->n_knots, <=, 16386);
    g_assert_cmpuint(strobe_clock_map_summary(map)->n_knots, >=, 8000);
    for (guint64 ns = 0; ns < 3000000000000; ns += 7777777777)
        g_assert_cmpint(ABS(strobe_clock_map_from_ticks(map, ns * 3) - (gint64)ns), <=, 1);
    strobe_clock_map_free(map);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(worlds); i++) {
        g_autofree char *path = g_strconcat("/clock-map/", worlds[i].name, NULL);
        g_test_add_data_func(path, &worlds[i], test_world);
    }
    g_test_add_func("/clock-map/few-pairs", test_few_pairs);
    g_test_add_func("/clock-map/short-window", test_short_window);
    g_test_add_func("/clock-map/many-pairs", test_many_pairs);
    return g_test_run();
}
