/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the published tables of the schedule, and every cell of the transition table. */
#include <glib.h>
#include "schedule.h"

struct row {
    gint64 wait, warmup, active, repeat, skip_first, skip_first_wait;
    const char *actions;
};

static const struct row rows[] = {
    {2, 2, 2, 0, 2, 0, "NNNNWWRSNNWWRSNN"}, {2, 2, 2, 1, 2, 0, "NNNNWWRSNNNNNNNN"},
    {2, 2, 2, 2, 2, 0, "NNNNWWRSNNWWRSNN"}, {1, 1, 2, 2, 1, 0, "NNWRSNWRSNNNNNNN"},
    {1, 1, 3, 0, 0, 0, "NWRRSNWRRSNWRRS"},  {1, 1, 1, 1, 0, 0, "NWSNNNN"},
    {5, 2, 1, 1, 0, 0, "NNNNNWWSNNN"},      {3, 0, 2, 1, 2, 0, "NNNNNRSNNN"},
    {0, 0, 1, 0, 0, 0, "SSSSSSSS"},         {0, 0, 1, 1, 0, 0, "SNNNNNN"},
    {0, 0, 3, 2, 0, 0, "RRSRRSNN"},         {0, 1, 1, 2, 0, 0, "WSWSNN"},
    {1, 0, 1, 2, 0, 0, "NSNSNN"},           {0, 2, 1, 0, 0, 0, "WWSWWSWWS"},
    {2, 1, 2, 2, 1, 1, "NWRSNNWRSNN"},      {2, 1, 2, 1, 1, -3, "NWRSNNN"},
};

static void test_rows(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct row *r = &rows[i];
        StrobeScheduleConfig s = {r->wait,   r->warmup,     r->active,
                                  r->repeat, r->skip_first, r->skip_first_wait};
        for (guint step = 0; r->actions[step]; step++) {
            char found = "NWRS"[strobe_schedule_action(&s, step)];
            if (found != r->actions[step])
                g_error("row %u step %u: expected %c, found %c", i, step, r->actions[step], found);
        }
    }
}

static void test_properties(void)
{
    for (guint i = 0; i < 2000; i++) {
        StrobeScheduleConfig s = {g_test_rand_int_range(0, 5), g_test_rand_int_range(0, 5),
                                  g_test_rand_int_range(1, 5), g_test_rand_int_range(1, 4),
                                  g_test_rand_int_range(0, 6), 0};
        gint64 cycle = s.wait + s.warmup + s.active, last = s.skip_first + s.repeat * cycle;
        guint saves = 0, records = 0;
        for (gint64 step = 0; step < last + 10; step++) {
            StrobeAction action = strobe_schedule_action(&s, step);
            saves += action == STROBE_ACTION_RECORD_AND_SAVE;
            records += action >= STROBE_ACTION_RECORD;
            if (step >= last || step < s.skip_first)
                g_assert_cmpint(action, ==, STROBE_ACTION_NONE);
        }
        g_assert_cmpuint(saves, ==, s.repeat);
        g_assert_cmpuint(records, ==, s.repeat * s.active);
    }
}

static void test_far_step(void)
{
    StrobeScheduleConfig endless = {1, 1, 2, 0, 0, 0}, once = {1, 1, 2, 1, 0, 0};

    g_assert_cmpint(strobe_schedule_action(&endless, G_MAXINT64 / 4 * 4 + 3), ==,
                    STROBE_ACTION_RECORD_AND_SAVE);
    g_assert_cmpint(strobe_schedule_action(&once, G_MAXINT64), ==, STROBE_ACTION_NONE);
    g_assert_cmpint(strobe_schedule_action(&once, -1), ==, STROBE_ACTION_NONE);
}

/* The columns of the table are the actions N, W, R, S and the exit. The letters mean: ! warn, s
 * stop, h handler, c cool, w warm, b begin. */
static void test_transitions(void)
{
    static const char *const expected[4][5] = {{"", "w", "b", "b", ""},
                                               {"!c", "", "b", "b", "!c"},
                                               {"!sc", "!sw", "", "", "!shc"},
                                               {"shc", "shw", "shb", "shb", "!shc"}};
    static const char letters[] = "!shcwb";

    for (int previous = 0; previous < 4; previous++)
        for (int next = 0; next < 5; next++) {
            const StrobeTransition *t = strobe_schedule_transition(previous, next);
            GString *found = g_string_new(NULL);
            for (guint bit = 0; letters[bit]; bit++)
                if (t->calls & (1u << bit))
                    g_string_append_c(found, letters[bit]);
            g_assert_cmpstr(found->str, ==, expected[previous][next]);
            g_assert_cmpint((t->calls & STROBE_CALL_WARN) != 0, ==, t->warning != NULL);
            g_string_free(found, TRUE);
        }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/schedule/published-rows", test_rows);
    g_test_add_func("/schedule/properties", test_properties);
    g_test_add_func("/schedule/far-step", test_far_step);
    g_test_add_func("/schedule/transitions", test_transitions);
    return g_test_run();
}
