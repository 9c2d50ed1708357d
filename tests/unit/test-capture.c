/* SPDX-License-Identifier: Apache-2.0 */
/* Tests captures that are truncated and changed at every offset: reading does not crash, invents no
 * record, and returns the records of intact parts. */
#include <fcntl.h>
#include <malloc.h>
#include <string.h>
#include <unistd.h>
#include "error.h"
#include "reader.h"
#include "support.h"

static char *record_sample(const char *folder, gsize *n, char **bytes)
{
    StrobeSession *session =
        session_new(folder, "{\"fake\": {\"records\": 40, \"threads\": 0}}", NULL);
    g_autoptr(GError) error = NULL;

    strobe_session_start(session, NULL);
    strobe_mark("hostile \"name\"\n\xff");
    strobe_session_stop(session, NULL);
    char *capture = capture_of(session);
    strobe_session_free(session);
    g_file_get_contents(capture, bytes, n, &error);
    g_assert_no_error(error);
    return capture;
}

/* Reads all records that can be read, and returns their number; -1 if the file was refused. */
static gint64 read_damaged(const char *path)
{
    g_autoptr(GError) error = NULL;
    StrobeReader *reader = strobe_reader_open(path, &error);
    StrobeView views[64];
    gint64 total = 0;
    gsize n;

    if (!reader) {
        g_assert_error(error, STROBE_ERROR, STROBE_ERROR_INPUT);
        g_assert_cmpint(strobe_exit_code(error), ==, 5);
        return -1;
    }
    while ((n = strobe_reader_next(reader, views, G_N_ELEMENTS(views), &error)))
        for (gsize i = 0; i < n; i++) {
            const StrobeKindView *kind = views[i].kind;
            for (guint f = 0; f < kind->n_fields; f++)
                if (kind->fields[f].type == STROBE_FIELD_STRING)
                    strobe_reader_string(reader,
                                         strobe_view_u32(&views[i], kind->fields[f].offset));
            g_assert_nonnull(strobe_reader_string(reader, views[i].name).bytes);
            total++;
        }
    g_assert_no_error(error);
    strobe_reader_free(reader);
    return total;
}

static void test_truncated(void)
{
    char *folder = scratch_new();
    g_autofree char *bytes = NULL;
    gsize n;
    g_autofree char *capture = record_sample(folder, &n, &bytes);
    gint64 whole = read_damaged(capture), last = -1;
    gsize step = g_test_thorough() ? 7 : 29;

    for (gsize cut = 0; cut <= n; cut += cut % 97 == 0 ? 1 : step) {
        g_autofree char *path = write_bytes(folder, "cut", bytes, cut);
        gint64 found = read_damaged(path);
        g_assert_cmpint(found, <=, whole);
        g_assert_cmpint(found, >=, last); /* a longer file never has fewer readable records */
        last = found;
    }
    scratch_remove(folder);
}

static void write_byte(int file, char byte, gsize at)
{
    g_assert_cmpint(pwrite(file, &byte, 1, (off_t)at), ==, 1);
}

/* Changes a random bit of each byte or of every fourth byte, and reads the capture after each
 * change. Uses the same file for all changes, which is faster than a new file for each. */
static void test_flipped(void)
{
    char *folder = scratch_new();
    g_autofree char *bytes = NULL;
    gsize n;
    g_autofree char *capture = record_sample(folder, &n, &bytes);
    gint64 whole = read_damaged(capture);
    g_autofree char *path = write_bytes(folder, "flipped", bytes, n);
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    GRand *random = g_rand_new_with_seed(4711);
    guint n_flips = 0, refused = 0;

    g_assert_cmpint(file, >=, 0);
    for (gsize at = 0; at < n; at++) {
        if (!g_test_thorough() && g_rand_int_range(random, 0, 16))
            continue;
        write_byte(file, (char)(bytes[at] ^ (1 << (at % 8))), at);
        gint64 found = read_damaged(path);
        write_byte(file, bytes[at], at);
        g_assert_cmpint(found, <, whole + 1);
        refused += found < 0;
        n_flips++;
    }
    close(file);
    g_rand_free(random);
    g_assert_cmpint(read_damaged(path), ==, whole);
    g_test_message("%u of %u flips refused the file", refused, n_flips);
    scratch_remove(folder);
}

static void test_not_a_capture(void)
{
    static const char *const texts[] = {"", "x", "StrobeB1", "StrobeB1StrobeB1StrobeB1", "{}"};
    char *folder = scratch_new();

    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *path = write_bytes(folder, "not", texts[i], strlen(texts[i]));
        g_assert_cmpint(read_damaged(path), ==, -1);
    }
    g_assert_cmpint(read_damaged(folder), ==, -1);
    g_assert_cmpint(read_damaged("/dev/null"), ==, -1);
    g_assert_cmpint(read_damaged("/nonexistent"), ==, -1);
    scratch_remove(folder);
}

/* Bytes between blocks that are no block are skipped and reported. */
static void test_resync(void)
{
    char *folder = scratch_new();
    g_autofree char *bytes = NULL;
    g_autoptr(GError) error = NULL;
    gsize n;
    g_autofree char *capture = record_sample(folder, &n, &bytes);
    gint64 whole = read_damaged(capture);
    GString *padded = g_string_new_len("garbage before", 14);

    g_string_append_len(padded, bytes, (gssize)n);
    g_string_append(padded, "and behind");
    g_autofree char *path = write_bytes(folder, "padded", padded->str, padded->len);
    g_assert_cmpint(read_damaged(path), ==, whole);
    StrobeReader *reader = strobe_reader_open(path, &error);
    g_assert_cmpuint(strobe_reader_stats(reader)->n_damaged, ==, 2);
    g_assert_nonnull(strstr(strobe_reader_damage(reader)[0], "offset 0, 14 bytes skipped"));
    strobe_reader_free(reader);
    g_string_free(padded, TRUE);
    scratch_remove(folder);
}

/* A file that contains only the magic of blocks is refused after a single pass over it. */
static void test_magics(void)
{
    enum { MAGICS = 400000 };
    char *folder = scratch_new();
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < MAGICS; i++)
        g_string_append(text, "StrobeB1");
    g_autofree char *path = write_bytes(folder, "magics", text->str, text->len);
    g_assert_cmpint(read_damaged(path), ==, -1);
    g_string_free(text, TRUE);
    scratch_remove(folder);
}

int main(int argc, char **argv)
{
    /* A reader begins with 4 MB of zeros for texts by their id, of which these captures fill a
     * page. The C library learns to keep such a block and clears it again for each of thousands
     * of readers; with MALLOC_PERTURB_, which meson sets, it also fills it. This option gives
     * the block back to the kernel. */
    mallopt(M_MMAP_THRESHOLD, 64 << 10);
    mallopt(M_PERTURB, 0);
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/capture/truncated", test_truncated);
    g_test_add_func("/capture/flipped", test_flipped);
    g_test_add_func("/capture/not-a-capture", test_not_a_capture);
    g_test_add_func("/capture/resync", test_resync);
    g_test_add_func("/capture/magics", test_magics);
    return g_test_run();
}
