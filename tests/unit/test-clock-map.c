/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the clock map with simulated counters of known behaviour, so that its errors can be
 * compared with its bound: drift, slews, sleep, resets, jumps, disturbed readings. */
#include <string.h>
#include "simulated-clock.h"

#define TICK_NS 3000000 /* time between two converted times */

/* ---- all simulated clocks ---- */

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
    gint64 largest, inside; /* largest error outside of broken events, and inside of them */
};

/* Converts a time every TICK_NS, as of a block with the next pair, and returns the largest
 * errors. */
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
        for (guint i = 0; i < pairs->n; i++) {
            if (seed % 2 && !world->needs_known)
                pairs->pairs[i].ns_per_tick = 0;
            strobe_clock_map_add(map, &pairs->pairs[i]);
        }
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

/* ---- resets ---- */

static const SimulatedClock *world_named(const char *name)
{
    for (guint i = 0; i < n_simulated_clocks; i++)
        if (strcmp(simulated_clocks[i].name, name) == 0)
            return &simulated_clocks[i];
    g_assert_not_reached();
}

/* Converts the begin of a span that began long before a reset and is stored long after it. */
static void test_old_begin(void)
{
    static const struct {
        const char *name;
        double begin, block; /* s */
    } cases[] = {
        {"reset", 1.5, 50},       {"reset", 12.3, 12.4},     {"suspend/resets", 2, 59},
        {"reset/overlap", 2, 50}, {"reset/overlap", 14, 17}, {"reset/twice", 1.5, 50},
        {"reset/twice", 40, 50},  {"reset/twice", 50, 59},
    };

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        const SimulatedClock *world = world_named(cases[i].name);
        SimulatedPairs *pairs = simulated_pairs_new(world, 1);
        SimulatedCounter counter = simulated_counter_new(world);
        gint64 begin = (gint64)(cases[i].begin * 1e9), block = (gint64)(cases[i].block * 1e9);
        StrobeClockMap *map = strobe_clock_map_new();
        guint at = 0;
        for (guint k = pairs->n; k-- > 0;) /* the pairs may be added in any order */
            strobe_clock_map_add(map, &pairs->pairs[k]);
        strobe_clock_map_finish(map, 0);
        while (pairs->at[at] < block)
            at++;
        strobe_clock_map_seek(map, &pairs->pairs[at]);
        guint64 ticks = simulated_counter_at(&counter, begin);
        gint64 error = strobe_clock_map_from_ticks(map, ticks) - simulated_time(begin);
        g_test_message("case %u", i);
        g_assert_cmpint(ABS(error), <, 2000);
        strobe_clock_map_free(map);
        simulated_pairs_free(pairs);
    }
}

/* A count of a block always gets the same time, even if times of other blocks are converted in
 * between. */
static void test_memory(void)
{
    const SimulatedClock *world = world_named("reset/overlap-often");
    SimulatedPairs *pairs = simulated_pairs_new(world, 1);
    StrobeClockMap *map = strobe_clock_map_new(), *other = strobe_clock_map_new();
    const StrobeClockPair *block = &pairs->pairs[1203];

    for (guint i = 0; i < pairs->n; i++) {
        strobe_clock_map_add(map, &pairs->pairs[i]);
        strobe_clock_map_add(other, &pairs->pairs[i]);
    }
    strobe_clock_map_finish(map, 0);
    strobe_clock_map_finish(other, 0);
    strobe_clock_map_seek(map, block);
    GRand *rand = g_rand_new_with_seed(3);
    for (guint i = 0; i < 20000; i++) {
        guint64 ticks = block->ticks + 1000000000 - (guint64)(g_rand_double(rand) * 2e9);
        strobe_clock_map_seek(other, &pairs->pairs[g_rand_int_range(rand, 0, (gint32)pairs->n)]);
        strobe_clock_map_from_ticks(other, ticks);
        strobe_clock_map_seek(other, block);
        gint64 found = strobe_clock_map_from_ticks(map, ticks);
        if (!broken_at(map, found))
            g_assert_cmpint(strobe_clock_map_from_ticks(other, ticks), ==, found);
    }
    g_rand_free(rand);
    strobe_clock_map_free(map);
    strobe_clock_map_free(other);
    simulated_pairs_free(pairs);
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
    /* the bound of a time 1 ms after the only pair, whose rate is as exact as its reading says */
    map = strobe_clock_map_new();
    strobe_clock_map_add(map, &known);
    strobe_clock_map_finish(map, 2000100);
    g_assert_cmpuint(strobe_clock_map_summary(map)->error_ns, >=, 100);
    g_assert_cmpuint(strobe_clock_map_summary(map)->error_ns, <=, 120);
    strobe_clock_map_free(map);
}

/* In a window of some milliseconds, the rate follows from two pairs, and the bound from the
 * durations of their readings. */
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

/* If there are more pairs than are kept, times stay right within the bound. */
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
    for (guint i = 0; i < n_simulated_clocks; i++) {
        g_autofree char *path = g_strconcat("/clock-map/", simulated_clocks[i].name, NULL);
        g_test_add_data_func(path, &simulated_clocks[i], test_world);
    }
    g_test_add_func("/clock-map/old-begin", test_old_begin);
    g_test_add_func("/clock-map/memory", test_memory);
    g_test_add_func("/clock-map/few-pairs", test_few_pairs);
    g_test_add_func("/clock-map/short-window", test_short_window);
    g_test_add_func("/clock-map/many-pairs", test_many_pairs);
    return g_test_run();
}
