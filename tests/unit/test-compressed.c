/* SPDX-License-Identifier: Apache-2.0 */
/* Tests compressed blocks of a capture: which blocks the writer compresses, how they are read, and
 * which ones are refused. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <strobe/helpers/compression.h>
#include "block-cursor.h"
#include "capture-writer.h"
#include "made-capture.h"
#include "support.h"

#define MARKERS 500u

static gboolean needs_zstd(void)
{
    if (!strobe_compression_exists())
        g_test_skip("built without libzstd");
    return strobe_compression_exists();
}

/* ---- writing ---- */

static StrobeCaptureWriter *writer_new(const char *path)
{
    StrobeCaptureWriter *writer = g_new0(StrobeCaptureWriter, 1);

    g_assert_cmpint(strobe_capture_writer_init(writer), ==, 0);
    strobe_capture_writer_compress(writer);
    strobe_capture_writer_begin(writer, open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), 1);
    return writer;
}

/* Checks that the next block has this type, is compressed or not, and has the payload `bytes`. */
static void check_block(StrobeBlockCursor *cursor, guint32 type, gboolean is_compressed,
                        const char *bytes, gsize n)
{
    g_autofree char *payload = g_malloc(n);
    StrobeBlockPlace place;

    g_assert_true(strobe_block_cursor_next(cursor, &place, NULL));
    g_assert_cmpuint(place.header.type, ==, type);
    g_assert_cmpint(place.is_compressed, ==, is_compressed);
    g_assert_cmpuint(place.header.payload_bytes, ==, n);
    g_assert_cmpuint(strobe_block_place_end(&place), ==, cursor->at);
    g_assert_true((place.stored_bytes < n) == is_compressed);
    g_assert_true(strobe_block_cursor_read(cursor, &place, payload));
    g_assert_cmpmem(payload, n, bytes, n);
}

static void check_written(const char *path, const char *bytes, gboolean exists)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    StrobeBlockCursor cursor;
    StrobeBlockPlace place;

    strobe_block_cursor_begin(&cursor, fd, (guint64)lseek(fd, 0, SEEK_END), NULL, NULL);
    check_block(&cursor, STROBE_BLOCK_METADATA, FALSE, bytes, 4096);
    check_block(&cursor, STROBE_BLOCK_RECORDS, exists, bytes, 4096);
    check_block(&cursor, STROBE_BLOCK_STRINGS, exists, bytes, STROBE_COMPRESSED_MAX);
    check_block(&cursor, STROBE_BLOCK_STRINGS, FALSE, bytes, STROBE_COMPRESSED_MAX + 4);
    check_block(&cursor, STROBE_BLOCK_RECORDS, FALSE, bytes, 64);
    check_block(&cursor, STROBE_BLOCK_SEAL, FALSE, bytes, 1024);
    g_assert_false(strobe_block_cursor_next(&cursor, &place, NULL));
    strobe_block_cursor_end(&cursor);
    close(fd);
}

/* Metadata, seals, and payloads that are too short or too long are not compressed. */
static void test_written(void)
{
    char *folder = scratch_new();
    g_autofree char *path = g_build_filename(folder, "capture", NULL);
    g_autofree char *bytes = g_malloc0(STROBE_COMPRESSED_MAX + 4);
    StrobeCaptureWriter *writer = writer_new(path);

    strobe_capture_write_block(writer, STROBE_BLOCK_METADATA, bytes, 4096);
    strobe_capture_write_block(writer, STROBE_BLOCK_RECORDS, bytes, 4096);
    strobe_capture_write_block(writer, STROBE_BLOCK_STRINGS, bytes, STROBE_COMPRESSED_MAX);
    strobe_capture_write_block(writer, STROBE_BLOCK_STRINGS, bytes, STROBE_COMPRESSED_MAX + 4);
    strobe_capture_write_block(writer, STROBE_BLOCK_RECORDS, bytes, 64);
    strobe_capture_write_block(writer, STROBE_BLOCK_SEAL, bytes, 1024);
    strobe_capture_writer_clear(writer);
    g_free(writer);
    check_written(path, bytes, strobe_compression_exists());
    scratch_remove(folder);
}

/* The end of the capture in the reserve has the room that was reserved for uncompressed blocks. */
static void test_reserve(void)
{
    char *folder = scratch_new(), bytes[1024] = {0};
    g_autofree char *path = g_build_filename(folder, "capture", NULL);
    StrobeCaptureWriter *writer = writer_new(path);
    StrobeBlockCursor cursor;

    strobe_capture_write_block(writer, STROBE_BLOCK_METADATA, bytes, 16);
    g_assert_cmpint(strobe_capture_write_reserve(writer), ==, 0);
    g_assert_cmpint(strobe_capture_use_reserve(writer), ==, 0);
    strobe_capture_write_block(writer, STROBE_BLOCK_RECORDS, bytes, sizeof bytes);
    g_assert_cmpint(strobe_capture_close_reserve(writer), ==, 0);
    strobe_block_cursor_begin(&cursor, writer->fd, writer->bytes, NULL, NULL);
    check_block(&cursor, STROBE_BLOCK_METADATA, FALSE, bytes, 16);
    check_block(&cursor, STROBE_BLOCK_RECORDS, FALSE, bytes, sizeof bytes);
    strobe_block_cursor_end(&cursor);
    strobe_capture_writer_clear(writer);
    g_free(writer);
    scratch_remove(folder);
}

/* ---- reading ---- */

typedef struct {
    char *folder, *path;
    guint64 words[MARKERS * 8];
    gsize bytes; /* number of these bytes */
    char frame[MARKERS * 64];
    gsize n; /* number of bytes of the frame */
} Fixture;

static void set_up(Fixture *f, gconstpointer user)
{
    StrobeCompression *compression = strobe_compression_new();
    guint used = 0;

    f->folder = scratch_new();
    f->path = g_build_filename(f->folder, "capture.strobe", NULL);
    for (guint i = 0; i < MARKERS; i++)
        used += made_marker(f->words + used, MADE_BEGIN_NS + i * 10, MADE_BEGIN_NS + i * 10 + 5, i);
    f->bytes = used * 8;
    f->n = strobe_compress(compression, f->frame, f->words, f->bytes);
    strobe_compression_free(compression);
}

static void tear_down(Fixture *f, gconstpointer user)
{
    scratch_remove(f->folder);
    g_free(f->path);
}

/* Makes a capture with a block whose payload is the first `n` bytes of the frame, and an
 * uncompressed block. */
static void make_capture(const Fixture *f, gsize n)
{
    unlink(f->path); /* removes the capture of the previous call */
    MadeCapture *made = made_capture_begin(f->path, 0, "a");

    made_capture_block(made, STROBE_BLOCK_RECORDS | STROBE_BLOCK_COMPRESSED, 0, 1, 0, f->frame, n);
    made_capture_marker(made, 0, 2, 0, 7);
    made_capture_seal(made, MADE_BEGIN_NS + 10000000, FALSE);
    made_capture_end(made);
}

/* Returns the offset of the compressed block in the file. */
static guint64 find_block(const Fixture *f)
{
    int fd = open(f->path, O_RDONLY | O_CLOEXEC);
    struct strobe_block_header header = {.type = 0};
    guint64 at = 0;

    while (pread(fd, &header, sizeof header, (off_t)at) == sizeof header &&
           !(header.type & STROBE_BLOCK_COMPRESSED))
        at += sizeof header + header.payload_bytes;
    close(fd);
    g_assert_true(header.type & STROBE_BLOCK_COMPRESSED);
    return at;
}

/* Checks that only the uncompressed block is read, and that the damage is reported with its offset
 * and reason. */
static void check_refused(Fixture *f, gsize n, guint64 skip, const char *reason)
{
    g_autoptr(GError) error = NULL;
    StrobeView views[MARKERS];

    make_capture(f, n);
    g_autofree char *offset =
        g_strdup_printf("offset %" G_GUINT64_FORMAT ",", find_block(f) + skip);
    StrobeReader *reader = strobe_reader_open(f->path, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(strobe_reader_next(reader, views, MARKERS, &error), ==, 1);
    g_assert_cmpuint(strobe_reader_next(reader, views, MARKERS, &error), ==, 0);
    g_assert_no_error(error);
    g_assert_cmpuint(strobe_reader_stats(reader)->n_damaged, ==, 1);
    const char *damage = strobe_reader_damage(reader)[0];
    g_assert_nonnull(strstr(damage, offset));
    g_assert_nonnull(strstr(damage, reason));
    strobe_reader_free(reader);
}

static void test_read(Fixture *f, gconstpointer user)
{
    g_autoptr(GString) expected = g_string_new(NULL);
    StrobeReaderStats stats;

    if (!needs_zstd())
        return;
    for (guint i = 0; i < MARKERS; i++)
        g_string_append_printf(expected, "%u ", i);
    g_string_append(expected, "7");
    make_capture(f, f->n);
    g_autofree char *found = made_arguments(f->path, &stats);
    g_assert_cmpstr(found, ==, expected->str);
    g_assert_cmpuint(stats.n_damaged, ==, 0);
}

static void test_truncated(Fixture *f, gconstpointer user)
{
    if (!needs_zstd())
        return;
    check_refused(f, f->n / 2, sizeof(struct strobe_block_header), "does not unpack");
    check_refused(f, 3, 0, "without its plain size");
    check_refused(f, 0, 0, "without its plain size");
}

static void test_no_frame(Fixture *f, gconstpointer user)
{
    if (!needs_zstd())
        return;
    memset(f->frame, 'x', sizeof f->frame);
    check_refused(f, 1000, 0, "without its plain size");
}

/* Writes the head of a frame that states the size `plain`, and returns the number of its bytes. */
static gsize put_head(char *frame, guint64 plain)
{
    /* a frame of one segment with 8 bytes for the size */
    static const guint8 head[] = {0x28, 0xb5, 0x2f, 0xfd, 0xe0};

    memcpy(frame, head, sizeof head);
    memcpy(frame + sizeof head, &plain, sizeof plain);
    return sizeof head + sizeof plain;
}

static void test_bad_size(Fixture *f, gconstpointer user)
{
    if (!needs_zstd())
        return;
    put_head(f->frame, f->bytes);
    check_refused(f, f->n, sizeof(struct strobe_block_header), "does not unpack");
    put_head(f->frame, STROBE_COMPRESSED_MAX);
    check_refused(f, f->n, sizeof(struct strobe_block_header), "does not unpack");
    for (guint bit = 22; bit < 64; bit++) {
        put_head(f->frame, (guint64)1 << bit);
        check_refused(f, f->n, 0, "more than 2 MiB");
    }
}

/* A small frame with a content much larger than its stated size is refused. It has blocks of one
 * repeated byte. */
static void test_bomb(Fixture *f, gconstpointer user)
{
    gsize n = put_head(f->frame, 1024);

    if (!needs_zstd())
        return;
    for (guint i = 0; i < 2000; i++) { /* blocks whose content is 128 KiB each */
        guint32 block = 0x20000u << 3 | 1u << 1 | (i == 1999);
        memcpy(f->frame + n, &block, 3);
        f->frame[n + 3] = 'x';
        n += 4;
    }
    check_refused(f, n, sizeof(struct strobe_block_header), "does not unpack");
}

static void add_test(const char *path, void (*test)(Fixture *, gconstpointer))
{
    g_test_add(path, Fixture, NULL, set_up, test, tear_down);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/compressed/written", test_written);
    g_test_add_func("/compressed/reserve", test_reserve);
    add_test("/compressed/read", test_read);
    add_test("/compressed/truncated", test_truncated);
    add_test("/compressed/no-frame", test_no_frame);
    add_test("/compressed/bad-size", test_bad_size);
    add_test("/compressed/bomb", test_bomb);
    return g_test_run();
}
