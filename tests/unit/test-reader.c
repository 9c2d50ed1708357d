/* SPDX-License-Identifier: Apache-2.0 */
/* Tests blocks out of order, clock pairs, and the memory that a long capture needs. */
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
/* memory that may be used for clock pairs, whose number is limited */
#define WALK_GROWTH_BYTES (4u * MB)

/* ---- order ---- */

static void test_late_blocks(void)
{
    char *folder = scratch_new();
    g_autofree char *path = g_build_filename(folder, "capture.strobe", NULL);
    MadeCapture *made = made_capture_begin(path, 0, "a");

    made_capture_marker(made, 0, 1, 0, 1);
    /* three earlier blocks of this thread buffer come after this one */
    made_capture_marker(made, 0, 4, 0, 6);
    made_capture_marker(made, 1, 9, 0, 100);
    made_capture_marker(made, 0, 2, 0, 2);
    made_capture_marker(made, 0, 3, 32, 4);
    made_capture_marker(made, 1, 8, 0, 99);
    made_capture_marker(made, 0, 3, 0, 3);
    made_capture_marker(made, 0, 5, 0, 7);
    made_capture_block(made, STROBE_BLOCK_RECORDS, 0, 6, 0, "", 0);
    made_capture_marker(made, 0, 4, 32, 6);
    made_capture_marker(made, STROBE_THREAD_BUFFER_NONE, 0, 0,
                        /* a block of no thread buffer, which is read in the order of the file */
                        200);
    made_capture_seal(made, MADE_BEGIN_NS + 1000000000, FALSE);
    made_capture_end(made);
    made_assert_arguments(path, "1 2 3 4 6 99 100 6 7 200");
    scratch_remove(folder);
}

/* If a late block is damaged, only this block is left out. */
static void test_damaged_late_block(void)
{
    char *folder = scratch_new();
    g_autofree char *path = g_build_filename(folder, "capture.strobe", NULL), *bytes = NULL;
    MadeCapture *made = made_capture_begin(path, 0, "a");
    StrobeReaderStats stats;
    gsize n;

    made_capture_marker(made, 0, 3, 0, 3);
    made_capture_marker(made, 0, 1, 0, 1);
    long end = ftell(made->file);
    made_capture_marker(made, 0, 2, 0, 2);
    made_capture_marker(made, 0, 4, 0, 4);
    made_capture_end(made);
    g_assert_true(g_file_get_contents(path, &bytes, &n, NULL));
    bytes[end - 1] ^= 1;
    g_free(write_bytes(folder, "capture.strobe", bytes, n));
    g_autofree char *found = made_arguments(path, &stats);
    g_assert_cmpstr(found, ==, "2 3 4");
    g_assert_cmpuint(stats.n_damaged, ==, 1);
    scratch_remove(folder);
}

/* A record with the flag STROBE_RECORD_OF_WINDOW is read even if it begins outside of the window.
 * Other records outside are left out and counted. */
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
    g_autofree char *found = made_arguments(path, &stats);
    g_assert_cmpstr(found, ==, "1 2 4");
    g_assert_cmpuint(stats.n_outside, ==, 1);
    g_assert_cmpuint(stats.n_damaged, ==, 0);
    scratch_remove(folder);
}

/* ---- the clock ---- */

/* If there are more clock pairs than are kept, times stay right. */
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
        made_capture_marker(made, 0, i, 0, i);
    made_capture_seal(made, made->now_ns, FALSE);
    made_capture_end(made);
    StrobeReader *reader = made_reader(path);
    while ((n = strobe_reader_next(reader, views, G_N_ELEMENTS(views), NULL)))
        for (gsize i = 0; i < n; i++, next++)
            g_assert_cmpint(views[i].begin_ns, ==,
                            MADE_EPOCH_NS + MADE_BEGIN_NS + (gint64)next * 1000000);
    g_assert_cmpuint(next, ==, BLOCKS);
    strobe_reader_free(reader);
    scratch_remove(folder);
}

/* Views, also those of open spans, do not change while their memory is referenced. */
static void test_referred_memory(void)
{
    enum { BLOCKS = 200 };
    char *folder = scratch_new();
    g_autofree char *path = g_build_filename(folder, "capture.strobe", NULL);
    MadeCapture *made = made_capture_begin(path, 0, "a");
    StrobeView views[BLOCKS + 1];
    StrobeBlockMemory *memories[BLOCKS + 1];
    guint64 words[16];
    guint n = 0;

    for (guint i = 0; i < BLOCKS; i++)
        made_capture_marker(made, 0, i, 0, i);
    guint used = made_unfinished(words, made->now_ns, made->now_ns, BLOCKS);
    made_capture_block(made, STROBE_BLOCK_OPEN, 0, BLOCKS, 0, words, used * 8);
    made_capture_end(made);
    StrobeReader *reader = made_reader(path);
    for (; strobe_reader_next(reader, &views[n], 1, NULL); n++)
        memories[n] = strobe_block_memory_ref(strobe_reader_memory(reader));
    g_assert_cmpuint(n, ==, BLOCKS + 1);
    g_assert_null(strobe_reader_memory(reader));
    for (guint i = 0; i < n; i++) {
        g_assert_cmpuint(strobe_view_u64(&views[i], 0), ==, i);
        strobe_block_memory_unref(memories[i]);
    }
    strobe_reader_free(reader);
    scratch_remove(folder);
}

/* ---- memory ---- */

/* Returns the largest resident memory of this process in bytes, including mapped files. */
static guint64 peak_bytes(void)
{
    g_autofree char *status = NULL;

    g_assert_true(g_file_get_contents("/proc/self/status", &status, NULL, NULL));
    const char *line = strstr(status, "VmHWM:");
    g_assert_nonnull(line);
    return g_ascii_strtoull(line + 6, NULL, 10) * 1024;
}

/* Runs this program as `walk PATH`: reads the capture, and prints the number of records and the
 * largest resident memory in bytes. */
static int walk_capture(const char *path)
{
    static StrobeView views[2048];
    StrobeReader *reader = made_reader(path);
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

/* Reads the capture in a separate process, which must find `records` records. Returns the largest
 * resident memory of this process in bytes. */
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

    /* a hundred blocks for each flush, ten flushes in a second */
    for (guint64 i = 0; i < blocks; i++) {
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

/* With many thread buffers that have few records, each flush writes a small block for each of
 * them. */
static void test_memory_of_small_blocks(void)
{
    char *folder = scratch_new();
    guint64 little = peak_of_small_blocks(folder, 50000),
            much = peak_of_small_blocks(folder, 400000);

    if (!WITH_TSAN) /* its own memory grows */
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

/* The capture has more names that occur only once than any table can hold. */
static void test_memory_of_names(void)
{
    char *folder = scratch_new();
    guint64 little = peak_of_names(folder, 200000), much = peak_of_names(folder, 800000);

    g_assert_cmpuint(much, <, little + WALK_GROWTH_BYTES);
    scratch_remove(folder);
}

/* A read error is not taken for the end of the blocks. */
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
    g_assert_false(strobe_block_cursor_at(&cursor, 0, &place)); /* this call reads the header */
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
        return walk_capture(argv[2]);
    program = argv[0];
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/reader/late-blocks", test_late_blocks);
    g_test_add_func("/reader/damaged-late-block", test_damaged_late_block);
    g_test_add_func("/reader/of-window", test_of_window);
    g_test_add_func("/reader/many-pairs", test_many_pairs);
    g_test_add_func("/reader/referred-memory", test_referred_memory);
    g_test_add_func("/reader/memory", test_memory);
    g_test_add_func("/reader/memory-of-names", test_memory_of_names);
    g_test_add_func("/reader/memory-of-small-blocks", test_memory_of_small_blocks);
    g_test_add_func("/reader/unreadable", test_unreadable);
    return g_test_run();
}
