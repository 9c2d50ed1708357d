/* SPDX-License-Identifier: Apache-2.0 */
#include "byte-source.h"

#include <errno.h>
#include <gio/gio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INPUT_BYTES (128u << 10)
#define OUTPUT_BYTES (64u << 10) /* size of the output of one step of decompression */

struct ByteSource {
    int descriptor;
    guint64 position, total;
    guint64 until; /* number of bytes of the text that may still be read */
    char *error;
    GConverter *converter; /* NULL: the file is not compressed */
    guchar *input;
    gsize used, taken;
    /* has a constant size, so that the same bytes of a damaged file are read whatever size a caller
     * requests */
    char *output;
    gsize n_output, n_handed_out;
    gboolean is_end;     /* the end of the file has been reached */
    gboolean is_between; /* a gzip member has ended; another member may follow */
};

gboolean byte_source_is_gzip(const guchar *head, gsize length)
{
    return length >= 3 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8;
}

ByteSource *byte_source_new(int descriptor)
{
    ByteSource *s = g_new0(ByteSource, 1);
    struct stat st;
    guchar head[3];

    s->descriptor = descriptor;
    s->until = G_MAXUINT64;
    s->total = fstat(descriptor, &st) == 0 ? (guint64)MAX(st.st_size, 0) : 0;
    if (byte_source_is_gzip(head, (gsize)MAX(pread(descriptor, head, sizeof head, 0), 0))) {
        s->converter = G_CONVERTER(g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP));
        s->input = g_malloc(INPUT_BYTES);
        s->output = g_malloc(OUTPUT_BYTES);
    }
    return s;
}

void byte_source_free(ByteSource *s)
{
    g_clear_object(&s->converter);
    g_free(s->input);
    g_free(s->output);
    g_free(s->error);
    g_free(s);
}

static gssize read_file(ByteSource *s, void *bytes, gsize size)
{
    gssize n;

    do
        n = pread(s->descriptor, bytes, size, (off_t)s->position);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        s->error = g_strdup(g_strerror(errno));
    else
        s->position += (guint64)n;
    return n;
}

/* Reads more input, unless there is enough input or the file has ended. */
static gboolean fill_input(ByteSource *s)
{
    gssize n;

    if (s->is_end || s->used - s->taken >= INPUT_BYTES / 2)
        return TRUE;
    memmove(s->input, s->input + s->taken, s->used - s->taken);
    s->used -= s->taken;
    s->taken = 0;
    n = read_file(s, s->input + s->used, INPUT_BYTES - s->used);
    if (n < 0)
        return FALSE;
    s->is_end = n == 0;
    s->used += (gsize)n;
    return TRUE;
}

static gssize fail_gzip(ByteSource *s, const char *reason)
{
    s->error = g_strdup_printf("gzip: %s", reason);
    return -1;
}

/* Recovers the output that the converter produced before it failed. The converter does not report
 * the size of this output, so it is taken to end at the last byte that is not NUL. */
static gssize salvage_output(const ByteSource *s)
{
    gsize n = OUTPUT_BYTES;

    while (n && !s->output[n - 1])
        n--;
    return n ? (gssize)n : -1;
}

/* Skips zeros after a member, which fill the last block of a tape or an archive. gzip(1) also skips
 * them. */
static void skip_padding(ByteSource *s)
{
    while (s->taken < s->used && !s->input[s->taken])
        s->taken++;
}

/* Does one step of decompression. Returns the number of bytes; 0: no bytes yet; -1: error. */
static gssize convert_input(ByteSource *s)
{
    g_autoptr(GError) error = NULL;
    gsize n_read = 0, n_written = 0;
    GConverterResult result;

    if (s->is_between) {
        if (!byte_source_is_gzip(s->input + s->taken, s->used - s->taken))
            return fail_gzip(s, "something else follows the compressed data");
        g_converter_reset(s->converter);
        s->is_between = FALSE;
    }
    memset(s->output, 0, OUTPUT_BYTES);
    result = g_converter_convert(
        s->converter, s->input + s->taken, s->used - s->taken, s->output, OUTPUT_BYTES,
        s->is_end ? G_CONVERTER_INPUT_AT_END : G_CONVERTER_NO_FLAGS, &n_read, &n_written, &error);
    if (result == G_CONVERTER_ERROR) {
        if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT)) {
            fail_gzip(s, error->message);
            return salvage_output(s);
        }
        return s->is_end ? fail_gzip(s, "the file ends too early") : 0;
    }
    s->taken += n_read;
    s->is_between = result == G_CONVERTER_FINISHED;
    return (gssize)n_written;
}

/* Decompresses more of the text. Returns the number of bytes; 0: end of the text; -1: error. */
static gssize decompress_bytes(ByteSource *s)
{
    gssize n = 0;

    while (n == 0) {
        if (!fill_input(s))
            return -1;
        if (s->is_between)
            skip_padding(s);
        if (s->is_between && s->used - s->taken < INPUT_BYTES / 2 && !s->is_end)
            continue;
        if (s->is_end && s->is_between && s->taken == s->used)
            return 0;
        n = convert_input(s);
    }
    s->n_output = (gsize)MAX(n, 0);
    s->n_handed_out = 0;
    return n;
}

void byte_source_limit(ByteSource *s, guint64 bytes)
{
    s->until = bytes;
}

static gssize read_text(ByteSource *s, char *bytes, gsize size)
{
    gssize n;

    if (s->n_handed_out == s->n_output) {
        if (s->error)
            return -1;
        if (!s->converter)
            return read_file(s, bytes, size);
        if ((n = decompress_bytes(s)) <= 0)
            return n;
    }
    size = MIN(size, s->n_output - s->n_handed_out);
    memcpy(bytes, s->output + s->n_handed_out, size);
    s->n_handed_out += size;
    return (gssize)size;
}

gssize byte_source_read(ByteSource *s, char *bytes, gsize size)
{
    gssize n = read_text(s, bytes, (gsize)MIN(size, s->until));

    s->until -= (guint64)MAX(n, 0);
    return n;
}

void byte_source_skip(ByteSource *s, guint64 offset)
{
    g_autofree char *bytes = s->converter ? g_malloc(INPUT_BYTES) : NULL;
    gssize n;

    if (!s->converter)
        s->position = offset;
    else
        while (offset && (n = byte_source_read(s, bytes, MIN(offset, INPUT_BYTES))) > 0)
            offset -= (guint64)n;
}

const char *byte_source_error(const ByteSource *s)
{
    return s->error ? s->error : "";
}

guint64 byte_source_position(const ByteSource *s)
{
    return s->position;
}

guint64 byte_source_total(const ByteSource *s)
{
    return s->total;
}
