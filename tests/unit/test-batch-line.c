/* SPDX-License-Identifier: Apache-2.0 */
#include "batch-line.h"

#define TAKERS 3u
#define BATCHES 5000u

/* Each takes every batch once and in order, whoever is slow, and no more are under way than there
 * is room for. */
static void test_in_order(void)
{
    StrobeBatchLine *line = strobe_batch_line_new(STROBE_BATCHES, TAKERS);
    guint64 put = 0, seen[TAKERS] = {0};
    gboolean has_it[TAKERS] = {FALSE};

    while (put < BATCHES || !strobe_batch_line_is_empty(line)) {
        const gint taker = g_test_rand_bit() ? strobe_batch_line_take(line) : -1;
        const guint other = (guint)g_test_rand_int_range(0, TAKERS);

        if (taker >= 0) {
            g_assert_false(has_it[taker]);
            g_assert_cmpuint(strobe_batch_line_given(line, (guint)taker)->first_turn, ==,
                             seen[taker]);
            has_it[taker] = TRUE;
        }
        if (has_it[other]) {
            strobe_batch_line_done(line, other);
            has_it[other] = FALSE;
            seen[other]++;
        }
        if (put < BATCHES && strobe_batch_line_has_room(line)) {
            strobe_batch_line_next(line)->first_turn = put++;
            strobe_batch_line_put(line);
        }
        for (guint i = 0; i < TAKERS; i++)
            g_assert_cmpuint(put - seen[i], <=, STROBE_BATCHES);
    }
    for (guint i = 0; i < TAKERS; i++)
        g_assert_cmpuint(seen[i], ==, BATCHES);
    strobe_batch_line_free(line);
}

/* The first of those for which the oldest batch waits. */
static void test_oldest_first(void)
{
    StrobeBatchLine *line = strobe_batch_line_new(2, 2);

    g_assert_cmpint(strobe_batch_line_take(line), ==, -1);
    strobe_batch_line_put(line);
    strobe_batch_line_put(line);
    g_assert_false(strobe_batch_line_has_room(line));
    g_assert_cmpint(strobe_batch_line_take(line), ==, 0);
    strobe_batch_line_done(line, 0);
    g_assert_cmpint(strobe_batch_line_take(line), ==, 1);
    g_assert_cmpint(strobe_batch_line_take(line), ==, 0);
    g_assert_cmpint(strobe_batch_line_take(line), ==, -1);
    g_assert_false(strobe_batch_line_has_room(line));
    strobe_batch_line_done(line, 1);
    g_assert_true(strobe_batch_line_has_room(line));
    strobe_batch_line_free(line);
}

/* Where nobody takes records they are gone at once. */
static void test_nobody(void)
{
    StrobeBatchLine *line = strobe_batch_line_new(1, 0);

    strobe_batch_line_put(line);
    g_assert_true(strobe_batch_line_has_room(line));
    strobe_batch_line_free(line);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/batch-line/in-order", test_in_order);
    g_test_add_func("/batch-line/oldest-first", test_oldest_first);
    g_test_add_func("/batch-line/nobody", test_nobody);
    return g_test_run();
}
