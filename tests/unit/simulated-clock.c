/* SPDX-License-Identifier: Apache-2.0 */
#include "simulated-clock.h"

#define SECOND 1000000000
#define STEP_NS 500000 /* step in which the counter's rate is integrated */
#define FIRST_TICKS 7000000000000ll
#define FIRST_MONOTONIC (4321ll * SECOND)
#define EPOCH 1700000000000000000ll

static gint64 get_happening_ns(const SimulatedHappening *happening)
{
    return (gint64)(happening->second * SECOND);
}

SimulatedCounter simulated_counter_new(const SimulatedClock *clock)
{
    return (SimulatedCounter){.clock = clock, .ticks = FIRST_TICKS};
}

static void go_to(SimulatedCounter *c, gint64 ns)
{
    while (c->ns < ns) {
        gint64 to = MIN(ns, c->ns + STEP_NS);
        double middle = ((double)c->ns + (double)to) / 2 / SECOND;
        c->ticks += (long double)(to - c->ns) * c->clock->rate(middle);
        c->ns = to;
    }
}

guint64 simulated_counter_at(SimulatedCounter *c, gint64 ns)
{
    if (c->clock->is_monotonic)
        return (guint64)(FIRST_MONOTONIC + ns);
    for (const SimulatedHappening *h = &c->clock->happenings[c->happened];
         h->cause && get_happening_ns(h) <= ns; h++, c->happened++) {
        go_to(c, get_happening_ns(h));
        c->ticks = (h->is_set ? 0 : c->ticks) + (long double)h->ticks;
    }
    go_to(c, ns);
    return (guint64)c->ticks;
}

gint64 simulated_time(gint64 ns)
{
    return EPOCH + FIRST_MONOTONIC + ns;
}

static gint64 slept_until(const SimulatedClock *clock, gint64 ns)
{
    gint64 slept = 0;

    for (const SimulatedHappening *h = clock->happenings; h->cause && get_happening_ns(h) <= ns;
         h++)
        slept += h->slept_ns;
    return slept;
}

/* Makes a clock pair as a writer takes it: reads the counter before and after CLOCK_MONOTONIC, and
 * uses the middle. The count at the time of CLOCK_MONOTONIC may be anywhere between the two. */
static StrobeClockPair take_pair(const SimulatedClock *clock, SimulatedCounter *counter, gint64 ns,
                                 gboolean is_disturbed, GRand *rand)
{
    gint64 end = clock->seconds ? (gint64)(clock->seconds * SECOND) : 60ll * SECOND;
    guint32 gap = clock->gap ? clock->gap : (guint32)g_rand_int_range(rand, 80, 140);
    StrobeClockPair pair = {.ticks = simulated_counter_at(counter, ns),
                            .monotonic_ns = FIRST_MONOTONIC + ns,
                            .realtime_ns = simulated_time(ns),
                            .boottime_ns = FIRST_MONOTONIC + ns + slept_until(clock, ns)};

    if (ns > end / 2)
        pair.realtime_ns += clock->wall_step_ns;
    if (clock->is_monotonic)
        return pair;
    if (is_disturbed)
        gap = (guint32)g_rand_int_range(rand, 5000, 130000);
    pair.gap = gap;
    pair.ticks +=
        (guint64)(gint64)g_rand_int_range(rand, -(gint32)(gap / 2), (gint32)(gap / 2) + 1);
    /* the rate from before, because the session began earlier */
    pair.ns_per_tick = 1 / clock->rate(0);
    return pair;
}

SimulatedPairs *simulated_pairs_new(const SimulatedClock *clock, guint seed)
{
    gint64 end = clock->seconds ? (gint64)(clock->seconds * SECOND) : 60ll * SECOND;
    gint64 distance = clock->pair_ns ? clock->pair_ns : SECOND;
    SimulatedPairs *pairs = g_new0(SimulatedPairs, 1);
    SimulatedCounter counter = simulated_counter_new(clock);
    GArray *at = g_array_new(FALSE, FALSE, sizeof(gint64));
    GArray *all = g_array_new(FALSE, FALSE, sizeof(StrobeClockPair));
    GRand *rand = g_rand_new_with_seed(seed);

    for (gint64 ns = 0; ns <= end;) {
        gint64 next = ns + (gint64)((double)distance * g_rand_double_range(rand, 0.9, 1.1));
        if (next > end && ns < end)
            next = end;
        gboolean is_disturbed = g_rand_double(rand) < clock->disturbed_share ||
                                (ns == 0 && clock->is_first_disturbed) ||
                                (ns == end && clock->is_last_disturbed);
        StrobeClockPair pair = take_pair(clock, &counter, ns, is_disturbed, rand);
        for (guint i = 0; i < MAX(clock->repeats, 1); i++) {
            g_array_append_val(all, pair);
            g_array_append_val(at, ns);
        }
        ns = next;
    }
    g_rand_free(rand);
    pairs->n = all->len;
    pairs->at = (gint64 *)(void *)g_array_free(at, FALSE);
    pairs->pairs = (StrobeClockPair *)(void *)g_array_free(all, FALSE);
    return pairs;
}

void simulated_pairs_free(SimulatedPairs *pairs)
{
    g_free(pairs->at);
    g_free(pairs->pairs);
    g_free(pairs);
}
