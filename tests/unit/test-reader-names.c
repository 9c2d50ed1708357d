/* SPDX-License-Identifier: Apache-2.0 */
/* Tests inline names: how long a reader knows them, and names that are lost. */
#include <string.h>
#include "made-capture.h"
#include "support.h"

static void check_name(StrobeReader *reader, const StrobeView *view)
{
    g_autofree char *expected =
        g_strdup_printf("a name that comes but once, number %u", (guint)strobe_view_u64(view, 0));
    g_assert_cmpstr(strobe_reader_string(reader, view->name).bytes, ==, expected);
}

/* Each name is right while its batch exists. If names are kept (`kept`), it is right until the
 * reader is freed. */
static void test_beside(gconstpointer kept)
{
    enum { NAMES = 100000 };
    char *folder = scratch_new();
    g_autofree char *path = g_build_filename(folder, "capture.strobe", NULL);
    g_autofree guint32 *ids = g_new(guint32, NAMES);
    StrobeView views[10];
    guint next = 0;
    gsize n;

    made_capture_named(path, NAMES);
    StrobeReader *reader = made_reader(path);
    if (kept)
        strobe_reader_keep_strings(reader);
    while ((n = strobe_reader_next(reader, views, G_N_ELEMENTS(views), NULL)))
        for (gsize i = 0; i < n; i++) {
            check_name(reader, &views[i]);
            ids[next++] = views[i].name;
        }
    g_assert_cmpuint(next, ==, NAMES);
    for (guint i = 0; kept && i < NAMES; i++) {
        g_autofree char *expected = g_strdup_printf("a name that comes but once, number %u", i);
        g_assert_cmpstr(strobe_reader_string(reader, ids[i]).bytes, ==, expected);
    }
    if (!kept) /* the first name was forgotten long before */
        g_assert_cmpstr(strobe_reader_string(reader, ids[0]).bytes, ==, "");
    g_assert_cmpuint(strobe_reader_stats(reader)->n_nameless, ==, 0);
    strobe_reader_free(reader);
    scratch_remove(folder);
}

/* A name is lost, because the block with it was overwritten or could not be written, while the next
 * block has the record. */
static void test_lost(gconstpointer kept)
{
    char *folder = scratch_new();
    g_autofree char *path = g_build_filename(folder, "capture.strobe", NULL);
    MadeCapture *made = made_capture_begin(path, 0, "a");
    guint64 words[100];
    StrobeView views[10];

    guint used = made_named(words, made->now_ns, 1, "here");
    used += made_named(words + used, made->now_ns, 2, "lost");
    /* Removes the string of the second record: a header, a length and a word of bytes. */
    memmove(words + used - 6, words + used - 3, 3 * sizeof *words);
    made_capture_block(made, STROBE_BLOCK_RECORDS, 0, 1, 0, words, (used - 3) * 8);
    made_capture_end(made);
    StrobeReader *reader = made_reader(path);
    if (kept)
        strobe_reader_keep_strings(reader);
    g_assert_cmpuint(strobe_reader_next(reader, views, G_N_ELEMENTS(views), NULL), ==, 2);
    g_assert_cmpstr(strobe_reader_string(reader, views[0].name).bytes, ==, "here");
    g_assert_cmpstr(strobe_reader_string(reader, views[1].name).bytes, ==, "");
    g_assert_cmpuint(strobe_reader_stats(reader)->n_nameless, ==, 1);
    strobe_reader_free(reader);
    scratch_remove(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/reader-names/beside/forgotten", NULL, test_beside);
    g_test_add_data_func("/reader-names/beside/kept", "kept", test_beside);
    g_test_add_data_func("/reader-names/lost/forgotten", NULL, test_lost);
    g_test_add_data_func("/reader-names/lost/kept", "kept", test_lost);
    return g_test_run();
}
