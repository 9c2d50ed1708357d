/* SPDX-License-Identifier: Apache-2.0 */
#include "crew.h"
#include "turns.h"
#include "view-runs.h"

#define CALLS 9u
#define RUNS 500u

typedef struct Line {
    StrobeTurns *turns;
    guint64 first;     /* turn of the run's call 0 */
    guint said[CALLS]; /* plain: those who have their turn write it */
    guint n;
} Line;

/* Those with an odd number do nothing in their turn, as passes that intern nothing. */
static void say(gpointer user, guint index)
{
    Line *line = user;

    if (index % 2 == 0) {
        strobe_turns_wait(line->turns, line->first + index);
        line->said[line->n++] = index;
    }
    strobe_turns_end(line->turns, line->first + index);
}

static void test_in_order(void)
{
    StrobeCrew *crew = strobe_crew_new(3);
    Line line = {.turns = strobe_turns_new(CALLS)};

    for (guint run = 0; run < RUNS; run++) {
        line.n = 0;
        line.first = run * CALLS;
        strobe_crew_run(crew, say, &line, CALLS);
        g_assert_cmpuint(line.n, ==, (CALLS + 1) / 2);
        for (guint i = 0; i < line.n; i++)
            g_assert_cmpuint(line.said[i], ==, 2 * i);
    }
    strobe_turns_free(line.turns);
    strobe_crew_free(crew);
}

/* Every view in one run of its kind, with more kinds than there are slots for their addresses. */
static void test_runs(void)
{
    static StrobeKindView kinds[200];
    static StrobeView views[STROBE_BATCH];
    static StrobeViewRuns runs;
    const StrobeView *at = views;

    for (guint i = 0; i < STROBE_BATCH; i++)
        views[i].kind = &kinds[g_test_rand_bit() && i ? (views[i - 1].kind - kinds)
                                                      : g_test_rand_int_range(0, 200)];
    for (guint turn = 0; turn < 2; turn++) { /* what is left of the batch before does no harm */
        strobe_view_runs_find(&runs, views + turn * 100, STROBE_BATCH - turn * 100);
        at = views + turn * 100;
        for (guint i = 0; i < runs.n_runs; i++)
            for (guint n = runs.runs[i].n; n; n--)
                g_assert_true(runs.kinds[runs.runs[i].kind] == at++->kind);
        g_assert_true(at == views + STROBE_BATCH);
        for (guint i = 0; i < runs.n_kinds; i++)
            for (guint j = 0; j < i; j++)
                g_assert_true(runs.kinds[i] != runs.kinds[j]);
    }
    strobe_view_runs_find(&runs, views, 0);
    g_assert_cmpuint(runs.n_runs, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/turns/in-order", test_in_order);
    g_test_add_func("/turns/view-runs", test_runs);
    return g_test_run();
}
