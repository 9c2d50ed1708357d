/* SPDX-License-Identifier: Apache-2.0 */
/* Tests how a reader numbers tracks, independently of their ids in the capture. */
#include "capture-format.h"
#include "reader-definitions.h"
#include "support.h"

static gboolean take_track(StrobeDefinitions *definitions, guint32 id, guint64 number)
{
    struct strobe_stored_track stored = {
        .id = id, .type = STROBE_TRACK_THREAD, .number = number, .pid = 1};

    return strobe_definitions_take_tracks(definitions, (const char *)&stored, sizeof stored);
}

static void test_any_id(void)
{
    static const guint32 ids[] = {7, 1, 16385, 1000000, G_MAXUINT32, 0x80000000u};
    StrobeDefinitions *definitions = strobe_definitions_new();

    for (guint i = 0; i < G_N_ELEMENTS(ids); i++)
        g_assert_true(take_track(definitions, ids[i], i));
    g_assert_true(take_track(definitions, 0, 99)); /* the id 0 is not valid and is ignored */
    g_assert_cmpuint(strobe_definitions_n_tracks(definitions), ==, G_N_ELEMENTS(ids));
    for (guint i = 0; i < G_N_ELEMENTS(ids); i++) {
        guint32 number = strobe_definitions_track_of(definitions, ids[i]);
        const StrobeReaderTrack *track = strobe_definitions_track(definitions, number);
        g_assert_cmpuint(number, ==, i + 1);
        g_assert_cmpuint(track->view.id, ==, number);
        g_assert_cmpuint(track->view.number, ==, i);
    }
    g_assert_cmpuint(strobe_definitions_track_of(definitions, 0), ==, 0);
    g_assert_cmpuint(strobe_definitions_track_of(definitions, 2), ==, 0);
    g_assert_null(strobe_definitions_track(definitions, 0));
    g_assert_null(strobe_definitions_track(definitions, G_N_ELEMENTS(ids) + 1));
    g_assert_null(strobe_definitions_track(definitions, G_MAXUINT32));
    /* A repeated definition has no effect; recovery repeats those that the program had written. */
    g_assert_true(take_track(definitions, 16385, 42));
    g_assert_cmpuint(strobe_definitions_n_tracks(definitions), ==, G_N_ELEMENTS(ids));
    g_assert_cmpuint(strobe_definitions_track(definitions, 3)->view.number, ==, 42);
    strobe_definitions_free(definitions);
}

/* Memory is limited, even if a file defines very many tracks. */
static void test_too_many(void)
{
    StrobeDefinitions *definitions = strobe_definitions_new();

    for (guint32 i = 1; i <= STROBE_READER_TRACKS_MAX; i++)
        take_track(definitions, i * 2, i);
    g_assert_cmpuint(strobe_definitions_n_tracks(definitions), ==, STROBE_READER_TRACKS_MAX);
    g_assert_false(take_track(definitions, 1, 1));
    g_assert_cmpuint(strobe_definitions_track_of(definitions, 1), ==, 0);
    g_assert_true(take_track(definitions, 2, 5)); /* a known id may be defined again */
    g_assert_cmpuint(strobe_definitions_n_tracks(definitions), ==, STROBE_READER_TRACKS_MAX);
    strobe_definitions_free(definitions);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/reader-definitions/any-id", test_any_id);
    g_test_add_func("/reader-definitions/too-many", test_too_many);
    return g_test_run();
}
