/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an import's capture to its file. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "capture-writer.h"
#include "error.h"
#include "import-capture.h"
#include "import-capture-parts.h"
#include "kind-declaration.h"

#define BLOCK_BYTES (1u << 20)
/* writing to the disk begins whenever this many bytes are new */
#define WRITEBACK_BYTES ((guint64)8 << 20)

static int flush_block(StrobeImportCapture *c, StrobeCaptureWriter *writer, guint32 type)
{
    int error = 0;

    if (c->block->len)
        error = strobe_capture_write_block(writer, type, c->block->data, c->block->len);
    g_byte_array_set_size(c->block, 0);
    return error;
}

static int write_kinds(StrobeImportCapture *c, StrobeCaptureWriter *writer)
{
    for (guint id = c->n_taken_kinds + 1; id <= c->n_kinds; id++) {
        gsize bytes = strobe_kind_stored_bytes(c->kinds[id].declaration);
        guint at = c->block->len;

        g_byte_array_set_size(c->block, (guint)(at + bytes));
        strobe_kind_put((char *)c->block->data + at, c->kinds[id].declaration, id);
    }
    return flush_block(c, writer, STROBE_BLOCK_KINDS);
}

static void put_string(StrobeImportCapture *c, guint32 id)
{
    static const guint8 zeros[4];
    const StrobeStringId *frames;
    gsize n_frames = strobe_string_table_stack(c->strings, id, &frames);
    StrobeText text = {(const char *)frames, n_frames * sizeof *frames};
    guint32 head[2] = {id, 0};

    if (n_frames == 0)
        text = strobe_string_table_text(c->strings, id);
    head[1] = (guint32)text.length | (n_frames ? STROBE_STRING_IS_STACK : 0);
    g_byte_array_append(c->block, (const void *)head, sizeof head);
    g_byte_array_append(c->block, (const void *)text.bytes, (guint)text.length);
    g_byte_array_append(c->block, zeros, (4 - text.length % 4) % 4);
}

static int write_strings(StrobeImportCapture *c, StrobeCaptureWriter *writer)
{
    for (guint32 id = c->first_string; id < c->n_strings; id++) {
        int error = 0;

        put_string(c, id);
        if (c->block->len >= BLOCK_BYTES)
            error = flush_block(c, writer, STROBE_BLOCK_STRINGS);
        if (error)
            return error;
    }
    return flush_block(c, writer, STROBE_BLOCK_STRINGS);
}

static int write_definitions(StrobeImportCapture *c, StrobeCaptureWriter *writer,
                             const char *metadata)
{
    int error = strobe_capture_write_block(writer, STROBE_BLOCK_METADATA, metadata,
                                           (guint32)strlen(metadata));

    if (!error)
        error = write_kinds(c, writer);
    if (!error && c->tracks->len)
        error = strobe_capture_write_block(writer, STROBE_BLOCK_TRACKS, c->tracks->data,
                                           c->tracks->len *
                                               (guint32)sizeof(struct strobe_stored_track));
    return error ? error : write_strings(c, writer);
}

/* Adds the capture's base to the times of a record, which follow its header. */
static void add_base(const StrobeImportCapture *c, guint64 *times)
{
    guint32 kind = strobe_record_kind(times[-1]);

    times[0] += (guint64)c->base;
    if (c->has_end[kind])
        times[1] += (guint64)c->base;
}

/* Fills the block with records. FALSE: there are no more records, or *failure is set. */
static gboolean fill_block(StrobeImportCapture *c, GError **failure)
{
    GByteArray *bytes = c->block;
    const guint64 *record = NULL;
    guint32 words;

    while (bytes->len < BLOCK_BYTES && (record = strobe_import_capture_next(c, &words, failure))) {
        const guint at = bytes->len;

        g_byte_array_append(bytes, (const void *)record, words * 8);
        if (c->base)
            add_base(c, (guint64 *)(void *)(bytes->data + at) + 1);
    }
    return record != NULL;
}

/* Begins to write new data to the disk now, so that the sync at the end need not wait for them. */
static void begin_writeback(const StrobeImportCapture *c, StrobeCaptureWriter *writer,
                            guint64 *begun)
{
    guint64 n = writer->bytes - *begun;

    if (c->is_temporary || n < WRITEBACK_BYTES)
        return;
    sync_file_range(writer->fd, (off_t)*begun, (off_t)n, SYNC_FILE_RANGE_WRITE);
    *begun += n;
}

static int write_records(StrobeImportCapture *c, StrobeCaptureWriter *writer, GError **failure)
{
    guint64 begun = writer->bytes;
    gboolean has_more = TRUE;
    int error = 0;

    while (has_more && !error) {
        has_more = fill_block(c, failure);
        error = flush_block(c, writer, STROBE_BLOCK_RECORDS);
        begin_writeback(c, writer, &begun);
    }
    return error;
}

gboolean strobe_import_capture_write(StrobeImportCapture *c, int file, const char *metadata,
                                     GError **error)
{
    /* In an import's capture the ticks are ns since the epoch. */
    static const StrobeClockPair pair = {.ns_per_tick = 1};
    g_autofree StrobeCaptureWriter *writer = g_new0(StrobeCaptureWriter, 1);
    StrobeClockTrend trend;
    GError *failure = NULL;
    int number = strobe_capture_writer_init(writer);

    if (number) {
        close(file);
    } else {
        strobe_clock_trend_begin(&trend, 1);
        strobe_capture_writer_resume(writer, file, 1, &trend, &pair);
        number = write_definitions(c, writer, metadata);
        if (!number)
            number = write_records(c, writer, &failure);
        if (!number && !failure)
            number = strobe_capture_write_seal(writer, (guint64)(c->begin + c->base),
                                               (guint64)(c->end + c->base), 0);
        if (!number && !failure && !c->is_temporary && fsync(writer->fd))
            number = errno;
        strobe_capture_writer_clear(writer);
    }
    if (failure)
        g_propagate_error(error, failure);
    else if (number)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot write the capture: %s",
                    g_strerror(number));
    return !failure && !number;
}
