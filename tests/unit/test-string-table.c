/* SPDX-License-Identifier: Apache-2.0 */
#include "string-table.h"
#include <string.h>

static void test_set_and_intern(void)
{
    StrobeStringTable *table = strobe_string_table_new(100);
    guint32 frames[] = {7, 8};
    const StrobeStringId *found;

    strobe_string_table_set(table, 7, "abc", 3, FALSE);
    strobe_string_table_set(table, 7, "other", 5, FALSE);
    strobe_string_table_set(table, 9, (char *)frames, sizeof frames, TRUE);
    g_assert_cmpstr(strobe_string_table_text(table, 7).bytes, ==, "abc");
    g_assert_cmpuint(strobe_string_table_intern(table, "abc", 3, FALSE), ==, 7);
    guint32 id = strobe_string_table_intern(table, "a\0b", 3, FALSE);
    g_assert_cmpuint(id, >=, 100);
    g_assert_cmpuint(strobe_string_table_intern(table, "a\0b", 3, FALSE), ==, id);
    g_assert_cmpuint(strobe_string_table_text(table, id).length, ==, 3);
    g_assert_cmpuint(strobe_string_table_stack(table, 9, &found), ==, 2);
    g_assert_cmpuint(found[1], ==, 8);
    g_assert_cmpuint(strobe_string_table_stack(table, 7, &found), ==, 0);
    g_assert_cmpstr(strobe_string_table_text(table, 9).bytes, ==, "");
    g_assert_cmpstr(strobe_string_table_text(table, 4000000).bytes, ==, "");
    strobe_string_table_free(table);
}

/* A string with an id that is set later cannot be a frame of a stack that was set before. */
static void test_undefined_frames(void)
{
    StrobeStringTable *table = strobe_string_table_new(10);
    const StrobeStringId frames[] = {2, 10, 11, 0x80000005u}, sound[] = {2, 0, 0, 0x80000005u};
    const StrobeStringId *found;

    strobe_string_table_set(table, 3, (const char *)frames, sizeof frames, TRUE);
    g_assert_cmpuint(strobe_string_table_end_stored(table), ==, 10);
    g_assert_cmpuint(strobe_string_table_intern(table, "new", 3, FALSE), ==, 10);
    gsize n = strobe_string_table_stack(table, 3, &found);
    g_assert_cmpmem(found, n * sizeof *found, sound, sizeof sound);
    g_assert_cmpuint(strobe_string_table_intern(table, (const char *)sound, sizeof sound, TRUE), ==,
                     3);
    strobe_string_table_free(table);
}

/* Sets more strings than can wait for their slots at the same time, some of them twice. */
static void test_many_set(void)
{
    enum { IDS = 300000, DIFFERENT = 200000 };
    StrobeStringTable *table = strobe_string_table_new(IDS + 1);
    char text[16];

    for (guint32 id = 1; id <= IDS; id++) {
        gsize n = (gsize)g_snprintf(text, sizeof text, "text %u", id % DIFFERENT);
        strobe_string_table_set(table, id, text, n, FALSE);
    }
    for (guint32 id = 1; id <= DIFFERENT; id += 7) {
        gsize n = (gsize)g_snprintf(text, sizeof text, "text %u", id % DIFFERENT);
        g_assert_cmpuint(strobe_string_table_intern(table, text, n, FALSE), ==, id);
    }
    g_assert_cmpuint(strobe_string_table_intern(table, "new", 3, FALSE), ==, IDS + 1);
    strobe_string_table_free(table);
}

/* Texts for which the heap has no room are in temporary files, and are not changed. */
static void test_in_files(void)
{
    enum { N = 300, SIZE = 100 << 10 };
    StrobeStringTable *table = strobe_string_table_new(1);
    g_autofree char *text = g_malloc(SIZE);

    memset(text, 'x', SIZE);
    for (guint i = 0; i < N; i++) {
        memcpy(text, &i, sizeof i);
        g_assert_cmpuint(strobe_string_table_intern(table, text, SIZE, FALSE), ==, i + 1);
    }
    for (guint i = 0; i < N; i++) {
        memcpy(text, &i, sizeof i);
        g_assert_cmpmem(strobe_string_table_text(table, i + 1).bytes, SIZE, text, SIZE);
    }
    strobe_string_table_free(table);
}

#define INTERNED 20000u

/* Interns texts, and looks each up at once. All threads use the same texts. */
static gpointer intern_all(gpointer table)
{
    guint32 *ids = g_new(guint32, INTERNED);
    char text[32];

    for (guint i = 0; i < INTERNED; i++) {
        const gsize n = (gsize)g_snprintf(text, sizeof text, "text %u", i);

        ids[i] = strobe_string_table_intern(table, text, n, FALSE);
        g_assert_cmpstr(strobe_string_table_text(table, ids[i]).bytes, ==, text);
    }
    return ids;
}

static void test_threads(void)
{
    StrobeStringTable *table = strobe_string_table_new(1);
    GThread *threads[4];
    guint32 *ids[G_N_ELEMENTS(threads)];

    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        threads[i] = g_thread_new("intern", intern_all, table);
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        ids[i] = g_thread_join(threads[i]);
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++) {
        g_assert_cmpmem(ids[i], INTERNED * sizeof **ids, ids[0], INTERNED * sizeof **ids);
        if (i)
            g_free(ids[i]);
    }
    g_free(ids[0]);
    g_assert_cmpuint(strobe_string_table_n_ids(table), ==, INTERNED + 1);
    strobe_string_table_free(table);
}

/* Makes texts that would all have the same hash if its factor were fixed: the second word cancels
 * the effect of the first. */
static void make_hostile(guint64 words[2], guint64 i)
{
    const guint64 factor = 0x9e3779b97f4a7c15u;
    guint64 hash = (16 * factor ^ i) * factor;

    words[0] = i;
    words[1] = hash ^ hash >> 32;
}

/* Such texts must not be slow, for a capture and for an importer. */
static void test_hostile(void)
{
    const guint n = 20000;
    StrobeStringTable *table = strobe_string_table_new(n / 2);
    guint64 words[2];

    for (guint i = 1; i < n; i++) {
        make_hostile(words, i);
        if (i < n / 2)
            strobe_string_table_set(table, i, (const char *)words, sizeof words, FALSE);
        else
            strobe_string_table_intern(table, (const char *)words, sizeof words, FALSE);
    }
    g_assert_cmpuint(strobe_string_table_n_ids(table), ==, n);
    g_assert_cmpuint(strobe_string_table_steps(table), <, 8 * n);
    for (guint i = 1; i < n; i++) {
        make_hostile(words, i);
        g_assert_cmpuint(
            strobe_string_table_intern(table, (const char *)words, sizeof words, FALSE), ==, i);
    }
    strobe_string_table_free(table);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/string-table/set-and-intern", test_set_and_intern);
    g_test_add_func("/string-table/threads", test_threads);
    g_test_add_func("/string-table/undefined-frames", test_undefined_frames);
    g_test_add_func("/string-table/many-set", test_many_set);
    g_test_add_func("/string-table/in-files", test_in_files);
    g_test_add_func("/string-table/hostile", test_hostile);
    return g_test_run();
}
