/* SPDX-License-Identifier: Apache-2.0 */
/* Captures in pieces, blocks out of their order, and how much memory a long capture takes. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "block-cursor.h"
#include "error.h"
#include "made-capture.h"
#include "reader.h"
#include "result.h"
#include "support.h"

#define MB (1u << 20)
#define WALK_MAX_BYTES (64u * MB)
#define WALK_GROWTH_BYTES (4u * MB) /* clock pairs are kept up to a number */

static StrobeReader *open_reader(const char *path)
{
    g_autoptr(GError) error = NULL;
    StrobeReader *reader = strobe_reader_open(path, &error);

    g_assert_no_error(error);
    return reader;
}

/* Arguments of the markers in the order in which they come, as "1 2 u3": the last is unfinished. */
static char *arguments_of(const char *path, StrobeReaderStats *stats)
{
    StrobeReader *reader = open_reader(path);
    GString *text = g_string_new(NULL);
    StrobeView views[7];
    gsize n;

    while ((n = strobe_reader_next(reader, views, G_N_ELEMENTS(views), NULL)))
        for (gsize i = 0; i < n; i++)
            g_string_append_printf(text, "%s%s%" G_GUINT64_FORMAT, text->len ? " " : "",
                                   views[i].flags & STROBE_VIEW_UNFINISHED ? "u" : "",
                                   strobe_view_u64(&views[i], 0));
    if (stats)
        *stats = *strobe_reader_stats(reader);
    strobe_reader_free(reader);
    return g_string_free(text, FALSE);
}

static void assert_arguments(const char *path, const char *expected)
{
    g_autofree char *found = arguments_of(path, NULL);
    g_assert_cmpstr(found, ==, expected);
}

/* One block with one marker of a lane, `argument` ms after the window's begin. */
static void put_marker(MadeCapture *made, guint32 lane, guint64 sequence, guint32 offset,
                       guint64 argument)
{
    guint64 words[8], begin = MADE_BEGIN_NS + argument * 1000000;
    guint n = made_marker(words, begin, begin + 500000, argument);

    made->now_ns = MAX(made->now_ns, begin + 600000);
    made_capture_block(made, STROBE_BLOCK_RECORDS, lane, sequence, offset, words, n * 8);
}

/* ---- order ---- */

static void test_late_blocks(void)
{
    char *folder = scratch_new();
    g_autofree char *path = g_build_filename(folder, "capture.strobe", NULL);
    MadeCapture *made = made_capture_begin(path, 0, "a");

    put_marker(made, 0, 1, 0, 1);
    put_marker(made, 0, 4, 0, 6); /* three blocks of this lane come late */
    put_marker(made, 1, 9, 0, 100);
    put_marker(made, 0, 2, 0, 2);
    put_marker(made, 0, 3, 32, 4);
    put_marker(made, 1, 8, 0, 99);
    put_marker(made, 0, 3, 0, 3);
    put_marker(made, 0, 5, 0, 7);
    made_capture_block(made, STROBE_BLOCK_RECORDS, 0, 6, 0, "", 0);
    put_marker(made, 0, 4, 32, 6);
    put_marker(made, STROBE_LANE_NONE, 0, 0, 200); /* of no lane: as they lie */
    made_capture_seal(made, MADE_BEGIN_NS + 1000000000, FALSE);
    made_capture_end(made);
    assert_arguments(path, "1 2 3 4 6 99 100 6 7 200");
    scratch_remove(folder);
}

/* A late block that is damaged is left out, and nothing else. */
static void test_damaged_late_block(void)
{
    char *folder = scratch_new();
    g_autofree char *path = g_build_filename(folder, "capture.strobe", NULL), *bytes = NULL;
    MadeCapture *made = made_capture_begin(path, 0, "a");
    StrobeReaderStats stats;
    gsize n;

    put_marker(made, 0, 3, 0, 3);
    put_marker(made, 0, 1, 0, 1);
    long end = ftell(made->file);
    put_marker(made, 0, 2, 0, 2);
    put_marker(made, 0, 4, 0, 4);
    made_capture_end(made);
    g_assert_true(g_file_get_contents(path, &bytes, &n, NULL));
    bytes[end - 1] ^= 1;
    g_free(write_bytes(folder, "capture.strobe", bytes, n));
    g_autofree char *found = arguments_of(path, &stats);
    g_assert_cmpstr(found, ==, "2 3 4");
    g_assert_cmpuint(stats.n_damaged, ==, 1);
    scratch_remove(folder);
}

/* What its cause makes one of the window is there wherever it begins, and says that it goes on. */
static void test_of_window(void)
{
    char *folder = scratch_new();
    g_autofree char *path = g_build_filename(folder, STROBE_CAPTURE_NAME, NULL);
    MadeCapture *made = made_capture_begin(path, 0, "a");
    StrobeReaderStats stats;
    guint64 words[32];
    guint n = 0;

    for (guint64 at = 1; at <= 4; at++) {
        guint64 begin = MADE_BEGIN_NS + at * 10000000;
        guint64 *head = words + n;
        n += made_marker(head, begin, begin + 5, at);
        if (at != 3)
            *head |= STROBE_RECORD_OF_WINDOW;
    }
    made_capture_block(made, STROBE_BLOCK_RECORDS, 0, 1, 0, words, n * 8);
    made_capture_seal(made, MADE_BEGIN_NS + 15000000, FALSE);
    made_capture_end(made);
    g_autofree char *found = arguments_of(path, &stats);
    g_assert_cmpstr(found, ==, "1 2 4");
    g_assert_cmpuint(stats.n_outside, ==, 1);
    g_assert_cmpuint(stats.n_damaged, ==, 0);
    scratch_remove(folder);
}

/* ---- pieces ---- */

/* A result directory below `folder` with pieces: arguments of a piece are 10 * number and more. The
 * span 5 is open until the last. */
static char *make_pieces(const char *folder, guint first, guint n)
{
    char *directory = g_build_filename(folder, "host_1_2_ascend_pt", NULL);
    g_autofree char *framework = g_build_filename(directory, "FRAMEWORK", NULL);

    g_assert_cmpint(g_mkdir_with_parents(framework, 0700), ==, 0);
    for (guint i = first; i < first + n; i++) {
        gboolean is_last = i == first + n - 1;
        g_autofree char *name = is_last ? g_strdup(STROBE_CAPTURE_NAME) : strobe_piece_name(i + 1);
        g_autofree char *path = g_build_filename(framework, name, NULL);
        MadeCapture *made = made_capture_begin(path, i, "a");
        guint64 end = MADE_BEGIN_NS + (i + 1) * 10000000, open[8];
        made->now_ns += i * 10000000;
        put_marker(made, 0, 2 * i + 1, 0, 10 * i + 1);
        put_marker(made, 0, 2 * i + 2, 0, 10 * i + 2);
        guint words = is_last ? made_marker(open, MADE_BEGIN_NS + 5000000, end - 5, 5)
                              : made_unfinished(open, MADE_BEGIN_NS + 5000000, end, 5);
        made_capture_block(made, is_last ? STROBE_BLOCK_RECORDS : STROBE_BLOCK_OPEN,
                           is_last ? 0 : STROBE_LANE_NONE, 2 * i + 2, 32, open, words * 8);
        made_capture_seal(made, end, !is_last);
        made_capture_end(made);
    }
    return directory;
}

static char *piece_path(const char *directory, const char *name)
{
    return g_build_filename(directory, "FRAMEWORK", name, NULL);
}

static void test_pieces(void)
{
    char *folder = scratch_new();
    g_autofree char *directory = make_pieces(folder, 0, 3);
    g_autofree char *first = piece_path(directory, "capture.00001.strobe");
    g_autofree char *second = piece_path(directory, "capture.00002.strobe");
    g_autofree char *last = piece_path(directory, "capture.strobe");
    StrobeReaderStats whole, alone;

    g_autofree char *all = arguments_of(directory, &whole);
    g_assert_cmpstr(all, ==, "1 2 11 12 21 22 5");
    g_assert_cmpuint(whole.n_pieces, ==, 3);
    g_assert_cmpuint(whole.first_piece, ==, 0);
    g_assert_cmpuint(whole.n_damaged + whole.n_unfinished + whole.n_outside, ==, 0);
    g_assert_true(whole.sealed);
    g_assert_false(whole.continued);
    g_assert_cmpint(whole.begin_ns, ==, MADE_EPOCH_NS + MADE_BEGIN_NS);
    g_assert_cmpint(whole.end_ns, ==, MADE_EPOCH_NS + MADE_BEGIN_NS + 30000000);

    assert_arguments(first, "1 2 u5");
    assert_arguments(second, "11 12 u5");
    g_autofree char *newest = arguments_of(last, &alone); /* 5 began two pieces earlier */
    g_assert_cmpstr(newest, ==, "21 22 5");
    g_assert_cmpuint(alone.first_piece, ==, 2);
    g_assert_cmpuint(alone.n_pieces, ==, 1);
    scratch_remove(folder);
}

/* The earliest were rolled away: that is no damage. */
static void test_rolled_away(void)
{
    char *folder = scratch_new();
    g_autofree char *directory = make_pieces(folder, 7, 2);
    StrobeReaderStats stats;
    g_autofree char *found = arguments_of(directory, &stats);

    g_assert_cmpstr(found, ==, "71 72 81 82 5");
    g_assert_cmpuint(stats.first_piece, ==, 7);
    g_assert_cmpuint(stats.n_pieces, ==, 2);
    g_assert_cmpuint(stats.n_damaged, ==, 0);
    scratch_remove(folder);
}

static void assert_damage(const char *directory, const char *text)
{
    StrobeReader *reader = open_reader(directory);

    g_assert_cmpuint(strobe_reader_stats(reader)->n_damaged, ==, 1);
    g_assert_nonnull(strstr(strobe_reader_damage(reader)[0], text));
    strobe_reader_free(reader);
}

static void test_piece_missing(void)
{
    char *folder = scratch_new();
    g_autofree char *directory = make_pieces(folder, 0, 3);
    g_autofree char *second = piece_path(directory, "capture.00002.strobe");

    g_assert_cmpint(unlink(second), ==, 0);
    assert_arguments(directory, "1 2 21 22 5");
    assert_damage(directory, "capture.strobe: the piece before this one is missing");
    scratch_remove(folder);
}

/* The last piece is gone: what it finished is unfinished. */
static void test_last_missing(void)
{
    char *folder = scratch_new();
    g_autofree char *directory = make_pieces(folder, 0, 3);
    g_autofree char *last = piece_path(directory, "capture.strobe");
    StrobeReaderStats stats;

    g_assert_cmpint(unlink(last), ==, 0);
    g_autofree char *found = arguments_of(directory, &stats);
    g_assert_cmpstr(found, ==, "1 2 11 12 u5");
    g_assert_true(stats.continued);
    scratch_remove(folder);
}

/* What was open at the end of a piece, which then was finished after all. */
static void test_later_seal(void)
{
    char *folder = scratch_new();
    g_autofree char *path = g_build_filename(folder, "capture.strobe", NULL);
    MadeCapture *made = made_capture_begin(path, 2, "a");
    guint64 open[8], end = MADE_BEGIN_NS + 10000000;
    guint words = made_unfinished(open, MADE_BEGIN_NS + 5000000, end, 5);

    made_capture_block(made, STROBE_BLOCK_OPEN, STROBE_LANE_NONE, 0, 0, open, words * 8);
    fflush(made->file);
    assert_arguments(path, "u5"); /* killed before the seal: no other word of it */
    made_capture_seal(made, end, TRUE);
    fflush(made->file);
    assert_arguments(path, "u5");
    put_marker(made, 0, 1, 0, 12);
    words = made_marker(open, MADE_BEGIN_NS + 5000000, end + 5000000, 5);
    made_capture_block(made, STROBE_BLOCK_RECORDS, 0, 1, 32, open, words * 8);
    made_capture_seal(made, end + 10000000, FALSE);
    made_capture_end(made);
    assert_arguments(path, "12 5");
    scratch_remove(folder);
}

static void test_piece_of_another(void)
{
    char *folder = scratch_new();
    g_autofree char *directory = make_pieces(folder, 1, 2);
    g_autofree char *other = piece_path(directory, "capture.00001.strobe");
    MadeCapture *made = made_capture_begin(other, 0, "b");

    put_marker(made, 0, 1, 0, 999);
    made_capture_end(made);
    assert_arguments(directory, "11 12 21 22 5");
    assert_damage(directory, "a piece of another capture");
    scratch_remove(folder);
}

static void test_piece_not_closed(void)
{
    char *folder = scratch_new();
    g_autofree char *directory = make_pieces(folder, 1, 2);
    g_autofree char *first = piece_path(directory, "capture.00001.strobe");
    MadeCapture *made = made_capture_begin(first, 0, "a");

    put_marker(made, 0, 1, 0, 1);
    made_capture_end(made);
    assert_arguments(directory, "1 11 12 21 22 5");
    assert_damage(directory, "capture.00001.strobe: the piece was not closed");
    scratch_remove(folder);
}

/* The newest was just begun, or could not be written. */
static void test_newest_empty(void)
{
    char *folder = scratch_new();
    g_autofree char *directory = make_pieces(folder, 0, 2);
    g_autofree char *second = piece_path(directory, "capture.00002.strobe");
    g_autofree char *newest = piece_path(directory, "capture.strobe");
    StrobeReaderStats stats;

    g_assert_cmpint(rename(newest, second), ==, 0);
    g_free(write_bytes(directory, "FRAMEWORK/capture.strobe", "", 0));
    g_autofree char *found = arguments_of(directory, &stats);
    g_assert_cmpstr(found, ==, "1 2 11 12 5");
    g_assert_false(stats.sealed);
    g_assert_cmpuint(stats.n_pieces, ==, 2);
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
    g_autofree char *name = strobe_piece_name(123456);

    g_assert_cmpstr(name, ==, "capture.123456.strobe");
    g_assert_cmpuint(strobe_piece_number(name), ==, 123456);
    g_assert_cmpuint(strobe_piece_number("capture.00042.strobe"), ==, 42);
    g_assert_cmpuint(strobe_piece_number("capture.strobe"), >, STROBE_PIECE_NUMBER_MAX);
    for (guint i = 0; i < G_N_ELEMENTS(others); i++)
        g_assert_cmpuint(strobe_piece_number(others[i]), ==, 0);
}

/* ---- finding ---- */

/* What is found at a path: "directory|name of the capture|records". */
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
    g_autofree char *directory = make_pieces(folder, 0, 3);
    g_autofree char *framework = g_strconcat(directory, "/FRAMEWORK", NULL);
    g_autofree char *trailing = g_strconcat(directory, "/FRAMEWORK//", NULL);
    g_autofree char *first = piece_path(directory, "capture.00001.strobe");
    g_autofree char *last = piece_path(directory, "capture.strobe");
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
    g_autofree char *second = piece_path(directory, "capture.00002.strobe");
    g_assert_cmpint(unlink(second), ==, 0);
    assert_found(last, "host_1_2_ascend_pt|capture.strobe|3"); /* the only one: the whole result */
    g_autofree char *here = g_get_current_dir();
    g_assert_cmpint(chdir(framework), ==, 0);
    assert_found("capture.strobe", "host_1_2_ascend_pt|capture.strobe|3");
    assert_found(".", "host_1_2_ascend_pt|capture.strobe|3");
    g_assert_cmpint(chdir(here), ==, 0);
    scratch_remove(folder);
}

/* ---- the clock ---- */

/* More clock pairs than are kept: times stay right. */
static void test_many_pairs(void)
{
    enum { BLOCKS = 80000 };
    char *folder = scratch_new();
    g_autofree char *path = g_build_filename(folder, "capture.strobe", NULL);
    MadeCapture *made = made_capture_begin(path, 0, "a");
    StrobeView views[100];
    gsize n;
    guint64 next = 0;

    for (guint64 i = 0; i < BLOCKS; i++) /* 80 s */
        put_marker(made, 0, i, 0, i);
    made_capture_seal(made, made->now_ns, FALSE);
    made_capture_end(made);
    StrobeReader *reader = open_reader(path);
    while ((n = strobe_reader_next(reader, views, G_N_ELEMENTS(views), NULL)))
        for (gsize i = 0; i < n; i++, next++)
            g_assert_cmpint(views[i].begin_ns, ==,
                            MADE_EPOCH_NS + MADE_BEGIN_NS + (gint64)next * 1000000);
    g_assert_cmpuint(next, ==, BLOCKS);
    strobe_reader_free(reader);
    scratch_remove(folder);
}

/* ---- memory ---- */

/* Most memory that this process had resident, files that it maps included. */
static guint64 peak_bytes(void)
{
    g_autofree char *status = NULL;

    g_assert_true(g_file_get_contents("/proc/self/status", &status, NULL, NULL));
    const char *line = strstr(status, "VmHWM:");
    g_assert_nonnull(line);
    return g_ascii_strtoull(line + 6, NULL, 10) * 1024;
}

/* The program as `walk PATH`: prints records and peak bytes. */
static int walk(const char *path)
{
    static StrobeView views[2048];
    StrobeReader *reader = open_reader(path);
    guint64 total = 0;
    gsize n;

    while ((n = strobe_reader_next(reader, views, G_N_ELEMENTS(views), NULL)))
        total += n;
    g_assert_cmpuint(strobe_reader_stats(reader)->n_damaged, ==, 0);
    g_print("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT "\n", total, peak_bytes());
    strobe_reader_free(reader);
    return 0;
}

static const char *program;

/* Walks the capture in a process of its own; its peak in bytes. */
static guint64 peak_of_walk(const char *path, guint64 records)
{
    const char *arguments[] = {program, "walk", path, NULL};
    g_autofree char *out = NULL;
    g_autoptr(GError) error = NULL;
    int status;
    char *rest;

    g_spawn_sync(NULL, (char **)arguments, NULL, 0, NULL, NULL, &out, NULL, &status, &error);
    g_assert_no_error(error);
    g_assert_true(g_spawn_check_wait_status(status, &error));
    g_assert_cmpuint(g_ascii_strtoull(out, &rest, 10), ==, records);
    return g_ascii_strtoull(rest, NULL, 10);
}

static guint64 peak_of_load(const char *folder, guint64 records)
{
    g_autofree char *path = g_build_filename(folder, "load.strobe", NULL);

    made_capture_load(path, records);
    guint64 peak = peak_of_walk(path, records);
    g_test_message("%" G_GUINT64_FORMAT " records: %.1f MB", records, (double)peak / MB);
    g_assert_cmpint(unlink(path), ==, 0);
    return peak;
}

static void test_memory(void)
{
    guint64 records = test_count("STROBE_TEST_RECORDS", 2000000);
    char *folder = scratch_new();
    guint64 little = peak_of_load(folder, records / 4), much = peak_of_load(folder, records);

    g_assert_cmpuint(much, <, WALK_MAX_BYTES);
    g_assert_cmpuint(much, <, little + WALK_GROWTH_BYTES);
    scratch_remove(folder);
}

static guint64 peak_of_small_blocks(const char *folder, guint64 blocks)
{
    g_autofree char *path = g_build_filename(folder, "small.strobe", NULL);
    MadeCapture *made = made_capture_begin(path, 0, "a");
    guint64 words[8];

    for (guint64 i = 0; i < blocks; i++) { /* a hundred a flush, ten flushes a second */
        made->now_ns = MADE_BEGIN_NS + i / 100 * 100000000;
        guint n = made_marker(words, made->now_ns, made->now_ns, i);
        made_capture_block(made, STROBE_BLOCK_RECORDS, i % 100, 1, (guint32)(i / 100 * 32), words,
                           n * 8);
    }
    made_capture_end(made);
    guint64 peak = peak_of_walk(path, blocks);
    g_assert_cmpint(unlink(path), ==, 0);
    return peak;
}

/* Many lanes that record little: a block for each in every flush. */
static void test_memory_of_small_blocks(void)
{
    char *folder = scratch_new();
    guint64 little = peak_of_small_blocks(folder, 50000),
            much = peak_of_small_blocks(folder, 400000);

    g_assert_cmpuint(much, <, little + WALK_GROWTH_BYTES);
    scratch_remove(folder);
}

static guint64 peak_of_names(const char *folder, guint32 n)
{
    g_autofree char *path = g_build_filename(folder, "names.strobe", NULL);

    made_capture_named(path, n);
    guint64 peak = peak_of_walk(path, n);
    g_assert_cmpint(unlink(path), ==, 0);
    return peak;
}

/* Names that come but once, more than any table holds. */
static void test_memory_of_names(void)
{
    char *folder = scratch_new();
    guint64 little = peak_of_names(folder, 200000), much = peak_of_names(folder, 800000);

    g_assert_cmpuint(much, <, little + WALK_GROWTH_BYTES);
    scratch_remove(folder);
}

/* A failing disk is no end of the blocks. */
static void test_unreadable(void)
{
    char *folder = scratch_new(), bytes[4096] = {0};
    g_autofree char *path = g_build_filename(folder, "zeros", NULL);
    g_autoptr(GError) error = NULL;
    StrobeBlockCursor cursor;
    StrobeBlockPlace place;

    g_assert_true(g_file_set_contents(path, bytes, sizeof bytes, NULL));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    strobe_block_cursor_begin(&cursor, fd, sizeof bytes, NULL, NULL);
    g_assert_false(strobe_block_cursor_at(&cursor, 0, &place)); /* which reads the header */
    cursor.fd = -1;
    g_assert_false(strobe_block_cursor_next(&cursor, &place, &error));
    g_assert_error(error, STROBE_ERROR, STROBE_ERROR_IO);
    g_assert_nonnull(strstr(error->message, "offset 1:"));
    strobe_block_cursor_end(&cursor);
    close(fd);
    scratch_remove(folder);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "walk") == 0)
        return walk(argv[2]);
    program = argv[0];
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/reader/late-blocks", test_late_blocks);
    g_test_add_func("/reader/damaged-late-block", test_damaged_late_block);
    g_test_add_func("/reader/of-window", test_of_window);
    g_test_add_func("/reader/pieces", test_pieces);
    g_test_add_func("/reader/rolled-away", test_rolled_away);
    g_test_add_func("/reader/piece-missing", test_piece_missing);
    g_test_add_func("/reader/last-missing", test_last_missing);
    g_test_add_func("/reader/later-seal", test_later_seal);
    g_test_add_func("/reader/piece-of-another", test_piece_of_another);
    g_test_add_func("/reader/piece-not-closed", test_piece_not_closed);
    g_test_add_func("/reader/newest-empty", test_newest_empty);
    g_test_add_func("/reader/names", test_names);
    g_test_add_func("/reader/find", test_find);
    g_test_add_func("/reader/many-pairs", test_many_pairs);
    g_test_add_func("/reader/memory", test_memory);
    g_test_add_func("/reader/memory-of-names", test_memory_of_names);
    g_test_add_func("/reader/memory-of-small-blocks", test_memory_of_small_blocks);
    g_test_add_func("/reader/unreadable", test_unreadable);
    return g_test_run();
}
