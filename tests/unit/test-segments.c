/* SPDX-License-Identifier: Apache-2.0 */
/* Tests captures in segments: reading all segments, one of them, or the remaining ones, and finding
 * them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "made-capture.h"
#include "reader.h"
#include "result.h"
#include "support.h"

/* Makes a result directory below `folder` with `n` segments, the first of which has the number
 * `first`. The arguments of a segment's records begin with 10 * its number. The span with the
 * argument 5 is open until the last segment. */
static char *make_segments(const char *folder, guint first, guint n)
{
    char *directory = g_build_filename(folder, "host_1_2_ascend_pt", NULL);
    g_autofree char *framework = g_build_filename(directory, "FRAMEWORK", NULL);

    g_assert_cmpint(g_mkdir_with_parents(framework, 0700), ==, 0);
    for (guint i = first; i < first + n; i++) {
        gboolean is_last = i == first + n - 1;
        g_autofree char *name =
            is_last ? g_strdup(STROBE_CAPTURE_NAME) : strobe_segment_name(i + 1);
        g_autofree char *path = g_build_filename(framework, name, NULL);
        MadeCapture *made = made_capture_begin(path, i, "a");
        guint64 end = MADE_BEGIN_NS + (i + 1) * 10000000, open[8];
        made->now_ns += i * 10000000;
        made_capture_marker(made, 0, 2 * i + 1, 0, 10 * i + 1);
        made_capture_marker(made, 0, 2 * i + 2, 0, 10 * i + 2);
        guint words = is_last ? made_marker(open, MADE_BEGIN_NS + 5000000, end - 5, 5)
                              : made_unfinished(open, MADE_BEGIN_NS + 5000000, end, 5);
        made_capture_block(made, is_last ? STROBE_BLOCK_RECORDS : STROBE_BLOCK_OPEN,
                           is_last ? 0 : STROBE_THREAD_BUFFER_NONE, 2 * i + 2, 32, open, words * 8);
        made_capture_seal(made, end, !is_last);
        made_capture_end(made);
    }
    return directory;
}

static char *segment_path(const char *directory, const char *name)
{
    return g_build_filename(directory, "FRAMEWORK", name, NULL);
}

static void test_segments(void)
{
    char *folder = scratch_new();
    g_autofree char *directory = make_segments(folder, 0, 3);
    g_autofree char *first = segment_path(directory, "capture.00001.strobe");
    g_autofree char *second = segment_path(directory, "capture.00002.strobe");
    g_autofree char *last = segment_path(directory, "capture.strobe");
    StrobeReaderStats whole, alone;

    g_autofree char *all = made_arguments(directory, &whole);
    g_assert_cmpstr(all, ==, "1 2 11 12 21 22 5");
    g_assert_cmpuint(whole.n_segments, ==, 3);
    g_assert_cmpuint(whole.first_segment, ==, 0);
    g_assert_cmpuint(whole.n_damaged + whole.n_unfinished + whole.n_outside, ==, 0);
    g_assert_true(whole.sealed);
    g_assert_false(whole.continued);
    g_assert_cmpint(whole.begin_ns, ==, MADE_EPOCH_NS + MADE_BEGIN_NS);
    g_assert_cmpint(whole.end_ns, ==, MADE_EPOCH_NS + MADE_BEGIN_NS + 30000000);

    made_assert_arguments(first, "1 2 u5");
    made_assert_arguments(second, "11 12 u5");
    /* the span 5 began two segments before */
    g_autofree char *newest = made_arguments(last, &alone);
    g_assert_cmpstr(newest, ==, "21 22 5");
    g_assert_cmpuint(alone.first_segment, ==, 2);
    g_assert_cmpuint(alone.n_segments, ==, 1);
    scratch_remove(folder);
}

/* If rotation has removed the earliest segments, this does not count as damage. */
static void test_rolled_away(void)
{
    char *folder = scratch_new();
    g_autofree char *directory = make_segments(folder, 7, 2);
    StrobeReaderStats stats;
    g_autofree char *found = made_arguments(directory, &stats);

    g_assert_cmpstr(found, ==, "71 72 81 82 5");
    g_assert_cmpuint(stats.first_segment, ==, 7);
    g_assert_cmpuint(stats.n_segments, ==, 2);
    g_assert_cmpuint(stats.n_damaged, ==, 0);
    scratch_remove(folder);
}

static void assert_damage(const char *directory, const char *text)
{
    StrobeReader *reader = made_reader(directory);

    g_assert_cmpuint(strobe_reader_stats(reader)->n_damaged, ==, 1);
    g_assert_nonnull(strstr(strobe_reader_damage(reader)[0], text));
    strobe_reader_free(reader);
}

static void test_segment_missing(void)
{
    char *folder = scratch_new();
    g_autofree char *directory = make_segments(folder, 0, 3);
    g_autofree char *second = segment_path(directory, "capture.00002.strobe");

    g_assert_cmpint(unlink(second), ==, 0);
    made_assert_arguments(directory, "1 2 21 22 5");
    assert_damage(directory, "capture.strobe: the segment before this one is missing");
    scratch_remove(folder);
}

/* If the last segment is missing, spans that ended in it are unfinished. */
static void test_last_missing(void)
{
    char *folder = scratch_new();
    g_autofree char *directory = make_segments(folder, 0, 3);
    g_autofree char *last = segment_path(directory, "capture.strobe");
    StrobeReaderStats stats;

    g_assert_cmpint(unlink(last), ==, 0);
    g_autofree char *found = made_arguments(directory, &stats);
    g_assert_cmpstr(found, ==, "1 2 11 12 u5");
    g_assert_true(stats.continued);
    scratch_remove(folder);
}

/* Reads a segment that has an end in its middle, because it was continued. Spans that were open at
 * this end are read once. */
static void test_later_seal(void)
{
    char *folder = scratch_new();
    g_autofree char *path = g_build_filename(folder, "capture.strobe", NULL);
    MadeCapture *made = made_capture_begin(path, 2, "a");
    guint64 open[8], end = MADE_BEGIN_NS + 10000000;
    guint words = made_unfinished(open, MADE_BEGIN_NS + 5000000, end, 5);

    made_capture_block(made, STROBE_BLOCK_OPEN, STROBE_THREAD_BUFFER_NONE, 0, 0, open, words * 8);
    fflush(made->file);
    /* the program was killed before the seal, and only the OPEN block has the span */
    made_assert_arguments(path, "u5");
    made_capture_seal(made, end, TRUE);
    fflush(made->file);
    made_assert_arguments(path, "u5");
    made_capture_marker(made, 0, 1, 0, 12);
    words = made_marker(open, MADE_BEGIN_NS + 5000000, end + 5000000, 5);
    made_capture_block(made, STROBE_BLOCK_RECORDS, 0, 1, 32, open, words * 8);
    made_capture_seal(made, end + 10000000, FALSE);
    made_capture_end(made);
    made_assert_arguments(path, "12 5");
    scratch_remove(folder);
}

static void test_segment_of_another(void)
{
    char *folder = scratch_new();
    g_autofree char *directory = make_segments(folder, 1, 2);
    g_autofree char *other = segment_path(directory, "capture.00001.strobe");
    MadeCapture *made = made_capture_begin(other, 0, "b");

    made_capture_marker(made, 0, 1, 0, 999);
    made_capture_end(made);
    made_assert_arguments(directory, "11 12 21 22 5");
    assert_damage(directory, "a segment of another capture");
    scratch_remove(folder);
}

static void test_segment_not_closed(void)
{
    char *folder = scratch_new();
    g_autofree char *directory = make_segments(folder, 1, 2);
    g_autofree char *first = segment_path(directory, "capture.00001.strobe");
    MadeCapture *made = made_capture_begin(first, 0, "a");

    made_capture_marker(made, 0, 1, 0, 1);
    made_capture_end(made);
    made_assert_arguments(directory, "1 11 12 21 22 5");
    assert_damage(directory, "capture.00001.strobe: the segment was not closed");
    scratch_remove(folder);
}

/* The newest segment is empty, because it was just begun or could not be written. */
static void test_newest_empty(void)
{
    char *folder = scratch_new();
    g_autofree char *directory = make_segments(folder, 0, 2);
    g_autofree char *second = segment_path(directory, "capture.00002.strobe");
    g_autofree char *newest = segment_path(directory, "capture.strobe");
    StrobeReaderStats stats;

    g_assert_cmpint(rename(newest, second), ==, 0);
    g_free(write_bytes(directory, "FRAMEWORK/capture.strobe", "", 0));
    g_autofree char *found = made_arguments(directory, &stats);
    g_assert_cmpstr(found, ==, "1 2 11 12 5");
    g_assert_false(stats.sealed);
    g_assert_cmpuint(stats.n_segments, ==, 2);
    scratch_remove(folder);
}

static void test_names(void)
{
    static const char *const others[] = {"capture.strob",
                                         "capture.1.strobe",
                                         "capture..strobe",
                                         "capture.00000.strobe",
                                         "capture",
                                         "xcapture.strobe",
                                         "capture.-0001.strobe",
                                         "capture.0000x.strobe",
                                         ".strobe",
                                         "capture.00001",
                                         "capture.00001.strobe.tmp",
                                         "capture.99999999999999999999.strobe"};
    g_autofree char *name = strobe_segment_name(123456);

    g_assert_cmpstr(name, ==, "capture.123456.strobe");
    g_assert_cmpuint(strobe_segment_number(name), ==, 123456);
    g_assert_cmpuint(strobe_segment_number("capture.00042.strobe"), ==, 42);
    g_assert_cmpuint(strobe_segment_number("capture.strobe"), >, STROBE_SEGMENT_NUMBER_MAX);
    for (guint i = 0; i < G_N_ELEMENTS(others); i++)
        g_assert_cmpuint(strobe_segment_number(others[i]), ==, 0);
}

/* ---- finding ---- */

/* Returns the captures that are found at a path, each as "directory|name of the capture|number of
 * records". */
static char *find_at(const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) results = strobe_result_find(path, &error);

    g_assert_no_error(error);
    g_assert_cmpuint(results->len, ==, 1);
    const StrobeResult *result = g_ptr_array_index(results, 0);
    g_autofree char *name = g_path_get_basename(result->capture);
    g_autofree char *directory =
        result->directory ? g_path_get_basename(result->directory) : g_strdup("-");
    return g_strdup_printf("%s|%s|%" G_GUINT64_FORMAT, directory, name,
                           read_capture(result->source, NULL, NULL, NULL));
}

static void assert_found(const char *path, const char *expected)
{
    g_autofree char *found = find_at(path);
    g_assert_cmpstr(found, ==, expected);
}

static void test_find(void)
{
    char *folder = scratch_new();
    g_autofree char *directory = make_segments(folder, 0, 3);
    g_autofree char *framework = g_strconcat(directory, "/FRAMEWORK", NULL);
    g_autofree char *trailing = g_strconcat(directory, "/FRAMEWORK//", NULL);
    g_autofree char *first = segment_path(directory, "capture.00001.strobe");
    g_autofree char *last = segment_path(directory, "capture.strobe");
    g_autofree char *lone = g_build_filename(folder, "lone", NULL);

    assert_found(folder, "host_1_2_ascend_pt|capture.strobe|7");
    assert_found(directory, "host_1_2_ascend_pt|capture.strobe|7");
    assert_found(framework, "host_1_2_ascend_pt|capture.strobe|7");
    assert_found(trailing, "host_1_2_ascend_pt|capture.strobe|7");
    assert_found(first, "-|capture.00001.strobe|3");
    assert_found(last, "-|capture.strobe|3");
    g_assert_cmpint(rename(framework, lone), ==, 0);
    assert_found(lone, "-|capture.strobe|7");
    g_assert_cmpint(rename(lone, framework), ==, 0);

    g_assert_cmpint(unlink(first), ==, 0);
    g_autofree char *second = segment_path(directory, "capture.00002.strobe");
    g_assert_cmpint(unlink(second), ==, 0);
    /* there is only one segment, which is the whole result */
    assert_found(last, "host_1_2_ascend_pt|capture.strobe|3");
    g_autofree char *here = g_get_current_dir();
    g_assert_cmpint(chdir(framework), ==, 0);
    assert_found("capture.strobe", "host_1_2_ascend_pt|capture.strobe|3");
    assert_found(".", "host_1_2_ascend_pt|capture.strobe|3");
    g_assert_cmpint(chdir(here), ==, 0);
    scratch_remove(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/segments/whole", test_segments);
    g_test_add_func("/segments/rolled-away", test_rolled_away);
    g_test_add_func("/segments/segment-missing", test_segment_missing);
    g_test_add_func("/segments/last-missing", test_last_missing);
    g_test_add_func("/segments/later-seal", test_later_seal);
    g_test_add_func("/segments/segment-of-another", test_segment_of_another);
    g_test_add_func("/segments/segment-not-closed", test_segment_not_closed);
    g_test_add_func("/segments/newest-empty", test_newest_empty);
    g_test_add_func("/segments/names", test_names);
    g_test_add_func("/segments/find", test_find);
    return g_test_run();
}
