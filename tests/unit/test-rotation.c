/* SPDX-License-Identifier: Apache-2.0 */
/* Tests a capture that is rotated: when a new segment begins, the names in each segment, and the
 * behaviour if rotation is not possible. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "segments.h"
#include "support.h"

static char *segment_path(StrobeSession *session, const char *name)
{
    return g_build_filename(strobe_session_directory(session), "FRAMEWORK", name, NULL);
}

static char **segment_names(StrobeSession *session)
{
    g_autofree char *folder = segment_path(session, ".");
    return strobe_segments_list(folder);
}

static guint n_segments(StrobeSession *session)
{
    g_auto(GStrv) names = segment_names(session);
    return g_strv_length(names);
}

static void wait_for_segments(StrobeSession *session, guint n)
{
    for (guint i = 0; i < 20000 && n_segments(session) < n; i++)
        g_usleep(1000);
}

/* ---- the size of a segment ---- */

/* Each segment repeats the texts of all earlier records. If these texts alone are larger than a
 * segment, new segments must not begin all the time and push out segments with records. The first
 * flush finds all texts, even on a slow machine, so they are in one segment that is too large. */
static void test_large_head(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        patient_session(folder, "\"buffer\": {\"size\": \"64MB\", \"flush_interval\": \"500ms\"}, "
                                "\"rotate\": {\"size\": \"1MB\", \"keep\": 3}");
    g_autofree char *name = g_strnfill(100000, 'x');

    strobe_session_start(session, NULL);
    for (guint i = 0; i < 30; i++) {
        memcpy(name, (char[]){(char)('a' + i % 26), (char)('a' + i / 26)}, 2);
        strobe_mark(name);
    }
    wait_for_segments(session, 2);
    g_usleep(300000); /* time for thirty checks of the size */
    for (guint i = 0; i < 10; i++)
        strobe_mark("after");
    strobe_session_stop(session, NULL);
    g_assert_cmpuint(n_segments(session), ==, 2);
    g_assert_cmpuint(read_capture(strobe_session_directory(session), "marker_instant", NULL, NULL),
                     ==, 40);
    /* the first segment of the next window repeats the texts too */
    strobe_session_start(session, NULL);
    g_usleep(100000);
    strobe_session_stop(session, NULL);
    g_assert_cmpuint(n_segments(session), ==, 1);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* ---- each segment alone ---- */

#define NAMES 50000

static gint keep_on;
static guint64 n_begun;

static gpointer begin_ever_new(gpointer data)
{
    char name[32];
    guint i;

    for (i = 0; g_atomic_int_get(&keep_on); i++) {
        /* the table of strings has room for these names */
        g_snprintf(name, sizeof name, "new %u", i % NAMES);
        StrobeRange range = strobe_range_begin(name);
        for (guint k = 0; k < 200; k++)
            g_atomic_int_get(&keep_on); /* a span is open most of the time */
        strobe_range_end(range);
    }
    n_begun = i;
    return NULL;
}

struct found {
    guint64 n, n_unfinished;
};

static void check_name(const StrobeView *view, StrobeText name, gpointer user)
{
    struct found *found = user;

    g_assert_true(g_str_has_prefix(name.bytes, "new "));
    if (view->flags & STROBE_VIEW_UNFINISHED)
        found->n_unfinished++;
    else
        found->n++;
}

/* A span that is open when a segment ends has its name in this segment, even if the name is new. */
static void test_new_names(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        patient_session(folder, "\"buffer\": {\"policy\": \"block\"}, \"rotate\": {\"steps\": 1}");
    struct found alone = {0}, whole = {0};

    g_atomic_int_set(&keep_on, 1);
    strobe_session_start(session, NULL);
    GThread *thread = g_thread_new("names", begin_ever_new, NULL);
    for (guint i = 0; i < 100; i++) {
        g_usleep(2000);
        strobe_session_step(session, NULL);
    }
    g_atomic_int_set(&keep_on, 0);
    g_thread_join(thread);
    strobe_session_stop(session, NULL);
    g_auto(GStrv) names = segment_names(session);
    g_assert_cmpuint(g_strv_length(names), >, 3);
    for (guint i = 0; names[i]; i++) {
        g_autofree char *path = segment_path(session, names[i]);
        read_capture(path, "marker", check_name, &alone);
    }
    read_capture(strobe_session_directory(session), "marker", check_name, &whole);
    g_assert_cmpuint(alone.n, ==, n_begun);
    g_assert_cmpuint(whole.n, ==, n_begun);
    g_assert_cmpuint(whole.n_unfinished, ==, 0);
    g_test_message("%u segments, %" G_GUINT64_FORMAT " spans open between them",
                   g_strv_length(names), alone.n_unfinished);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* ---- obstacles ---- */

static gint64 changed_at(const char *folder)
{
    struct stat st;

    g_assert_cmpint(stat(folder, &st), ==, 0);
    return st.st_mtim.tv_sec * G_GINT64_CONSTANT(1000000000) + st.st_mtim.tv_nsec;
}

/* Waits, without a time limit, until the writer thread has changed the folder. */
static void wait_for_change(const char *folder, gint64 since)
{
    for (guint i = 0; i < 20000 && changed_at(folder) == since; i++)
        g_usleep(1000);
}

/* If the name to which the full segment must be renamed exists already, recording continues in the
 * full segment. */
static void test_name_taken(void)
{
    char *folder = scratch_new();
    StrobeSession *session = patient_session(folder, "\"rotate\": {\"steps\": 1}");
    StrobeError *error = NULL;

    strobe_session_start(session, NULL);
    g_autofree char *taken = segment_path(session, "capture.00001.strobe");
    g_autofree char *next = segment_path(session, STROBE_SEGMENT_NEW);
    g_autofree char *folder_of_segments = g_path_get_dirname(taken);
    g_assert_cmpint(mkdir(taken, 0750), ==, 0);
    g_usleep(20000); /* longer than a tick, which is the resolution of a file system's times */
    gint64 before = changed_at(folder_of_segments);
    for (guint i = 0; i < 5; i++) {
        strobe_mark("x");
        strobe_session_step(session, NULL);
        wait_for_change(folder_of_segments, before);
    }
    g_assert_cmpint(strobe_session_stop(session, &error), ==, STROBE_ERROR_IO);
    g_assert_nonnull(strstr(strobe_error_message(error), "Is a directory"));
    strobe_error_free(error);
    g_autofree char *capture = capture_of(session);
    g_assert_cmpuint(read_capture(capture, "marker_instant", NULL, NULL), ==, 5);
    g_assert_false(g_file_test(next, G_FILE_TEST_EXISTS));
    strobe_session_free(session);
    scratch_remove(folder);
}

/* A link with the name of the next segment is not followed. */
static void test_link_in_the_way(void)
{
    char *folder = scratch_new();
    StrobeSession *session = patient_session(folder, "\"rotate\": {\"steps\": 1}");
    g_autofree char *victim = write_bytes(folder, "victim", "untouched", 9);
    g_autofree char *text = NULL;

    strobe_session_start(session, NULL);
    g_autofree char *next = segment_path(session, STROBE_SEGMENT_NEW);
    g_assert_cmpint(symlink(victim, next), ==, 0);
    strobe_mark("x");
    strobe_session_step(session, NULL);
    wait_for_segments(session, 2);
    g_assert_cmpint(strobe_session_stop(session, NULL), ==, STROBE_OK);
    g_assert_cmpuint(n_segments(session), ==, 2);
    g_assert_true(g_file_get_contents(victim, &text, NULL, NULL));
    g_assert_cmpstr(text, ==, "untouched");
    strobe_session_free(session);
    scratch_remove(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rotation/large-head", test_large_head);
    g_test_add_func("/rotation/new-names", test_new_names);
    g_test_add_func("/rotation/name-taken", test_name_taken);
    g_test_add_func("/rotation/link-in-the-way", test_link_in_the_way);
    return g_test_run();
}
