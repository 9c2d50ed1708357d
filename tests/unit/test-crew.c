/* SPDX-License-Identifier: Apache-2.0 */
#include "crew.h"

#include <sched.h>

#define CALLS 50u
#define RUNS 2000u

typedef struct Sums {
    guint counts[CALLS]; /* plain: one call of a run writes each, the next run's reads it */
    guint wrong;
    GThread *caller;
} Sums;

static void count(gpointer user, guint index)
{
    Sums *sums = user;

    sums->counts[index]++;
    if (index == 0)
        sums->wrong += g_thread_self() != sums->caller;
}

/* Each call once a run, and a run is over when all of its calls are. */
static void test_each_once(gconstpointer data)
{
    StrobeCrew *crew = strobe_crew_new(GPOINTER_TO_UINT(data));
    Sums sums = {.caller = g_thread_self()};
    guint expected[CALLS] = {0};

    for (guint run = 0; run < RUNS; run++) {
        guint n = run % (CALLS + 1);

        strobe_crew_run(crew, count, &sums, n);
        for (guint i = 0; i < CALLS; i++) {
            expected[i] += i < n;
            g_assert_cmpuint(sums.counts[i], ==, expected[i]);
        }
    }
    g_assert_cmpuint(sums.wrong, ==, 0);
    strobe_crew_free(crew);
}

/* Waits until the other call runs as well. */
static void meet(gpointer user, guint index)
{
    gint *n_there = user; /* atomic */
    gint64 until = g_get_monotonic_time() + 10 * G_TIME_SPAN_SECOND;

    (void)index;
    g_atomic_int_inc(n_there);
    while (g_atomic_int_get(n_there) < 2) {
        g_assert_cmpint(g_get_monotonic_time(), <, until);
        g_thread_yield();
    }
}

static void test_side_by_side(void)
{
    StrobeCrew *crew = strobe_crew_new(1);
    gint n_there = 0, n_met;

    if (!crew) {
        g_test_skip("one processor");
        return;
    }
    strobe_crew_run(crew, meet, &n_there, 2);
    n_met = g_atomic_int_get(&n_there);
    g_assert_cmpint(n_met, ==, 2);
    strobe_crew_free(crew);
}

typedef struct Shared {
    StrobeCrew *crew;
    guint call;             /* that shares what it does */
    guint counts[6][CALLS]; /* plain, as those of Sums */
} Shared;

static void count_part(gpointer user, guint index)
{
    guint *counts = user;

    counts[index]++;
}

static void share(gpointer user, guint index)
{
    Shared *shared = user;

    strobe_crew_share(shared->crew, count_part, shared->counts[index], CALLS);
    for (guint i = 1; i < CALLS; i++) /* all of it is done, not only begun */
        g_assert_cmpuint(shared->counts[index][i], ==, shared->counts[index][0]);
}

/* Calls that share what they do, side by side. */
static void test_shared(gconstpointer data)
{
    Shared shared = {.crew = strobe_crew_new(GPOINTER_TO_UINT(data))};

    for (guint run = 1; run <= RUNS; run++) {
        strobe_crew_run(shared.crew, share, &shared, G_N_ELEMENTS(shared.counts));
        for (guint i = 0; i < G_N_ELEMENTS(shared.counts); i++)
            for (guint k = 0; k < CALLS; k++)
                g_assert_cmpuint(shared.counts[i][k], ==, run);
    }
    strobe_crew_free(shared.crew);
}

/* A call whose parts wait for each other: the thread that has nothing else to do takes one. */
static void share_meeting(gpointer user, guint index)
{
    Shared *shared = user;
    gint n_there = 0;

    if (index == shared->call)
        strobe_crew_share(shared->crew, meet, &n_there, 2);
}

static void test_shared_side_by_side(void)
{
    Shared shared = {.crew = strobe_crew_new(1)};

    if (!shared.crew) {
        g_test_skip("one processor");
        return;
    }
    for (shared.call = 0; shared.call < 4; shared.call++)
        strobe_crew_run(shared.crew, share_meeting, &shared, 4);
    strobe_crew_free(shared.crew);
}

/* Whichever processor it is that may be used. */
static void test_one_processor(void)
{
    cpu_set_t all, one;

    g_assert_cmpint(sched_getaffinity(0, sizeof all, &all), ==, 0);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (!CPU_ISSET(i, &all))
            continue;
        CPU_ZERO(&one);
        CPU_SET(i, &one);
        g_assert_cmpint(sched_setaffinity(0, sizeof one, &one), ==, 0);
        g_assert_null(strobe_crew_new(3));
    }
    g_assert_cmpint(sched_setaffinity(0, sizeof all, &all), ==, 0);
}

static void test_none(void)
{
    Sums sums = {.caller = g_thread_self()};

    g_assert_null(strobe_crew_new(0));
    strobe_crew_run(NULL, count, &sums, 3);
    g_assert_cmpuint(sums.counts[0] + sums.counts[1] + sums.counts[2], ==, 3);
    strobe_crew_free(NULL);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/crew/each-once", GUINT_TO_POINTER(1), test_each_once);
    g_test_add_data_func("/crew/each-once-of-more", GUINT_TO_POINTER(5), test_each_once);
    g_test_add_func("/crew/side-by-side", test_side_by_side);
    g_test_add_data_func("/crew/shared", GUINT_TO_POINTER(1), test_shared);
    g_test_add_data_func("/crew/shared-by-more", GUINT_TO_POINTER(5), test_shared);
    g_test_add_func("/crew/shared-side-by-side", test_shared_side_by_side);
    g_test_add_func("/crew/one-processor", test_one_processor);
    g_test_add_func("/crew/none", test_none);
    return g_test_run();
}
