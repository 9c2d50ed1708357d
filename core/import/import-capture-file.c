/* SPDX-License-Identifier: Apache-2.0 */
/* An import's capture into its file. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "capture-writer.h"
#include "crc32c.h"
#include "crew.h"
#include "error.h"
#include "import-capture.h"
#include "import-capture-parts.h"
#include "kind-declaration.h"

#define BLOCK_BYTES (1u << 20)
#define BLOCKS 2u                          /* handed over at once */
#define WRITEBACK_BYTES ((guint64)8 << 20) /* the disk begins to write when so much is there */

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

static int write_definitions(StrobeImportCapture *c, StrobeCaptureWriter *writer, const char *facts)
{
    int error =
        strobe_capture_write_block(writer, STROBE_BLOCK_FACTS, facts, (guint32)strlen(facts));

    if (!error)
        error = write_kinds(c, writer);
    if (!error && c->tracks->len)
        error = strobe_capture_write_block(writer, STROBE_BLOCK_TRACKS, c->tracks->data,
                                           c->tracks->len *
                                               (guint32)sizeof(struct strobe_stored_track));
    return error ? error : write_strings(c, writer);
}

/* The times behind the header of a record. */
static void add_base(const StrobeImportCapture *c, guint64 *times)
{
    guint32 kind = strobe_record_kind(times[-1]);

    times[0] += (guint64)c->base;
    if (c->ends[kind])
        times[1] += (guint64)c->base;
}

/* A block of records. */
struct records_block {
    GByteArray *bytes;
    guint32 crc;
};

/* Records on their way: some blocks are filled while those before them are written. */
struct records {
    StrobeImportCapture *capture;
    StrobeCaptureWriter *writer;
    struct records_block blocks[2][BLOCKS];
    guint n_blocks;      /* of a half: what one fills and writes is one, which stays in its cache */
    guint filling;       /* which half; the other one is written, but for what is empty */
    guint64 handed_over; /* bytes that the disk was told to write */
    gboolean is_over;
    GError *failure; /* to read */
    int error;       /* to write */
};

static void fill_block(struct records *records, struct records_block *block)
{
    StrobeImportCapture *c = records->capture;
    GByteArray *bytes = block->bytes;
    guint8 *at = bytes->data;
    const guint64 *record;
    guint32 words;

    while (!records->is_over && at < bytes->data + BLOCK_BYTES) {
        record = strobe_record_sorter_next(c->sorter, &words, &records->failure);
        if (!record) {
            records->is_over = TRUE;
            break;
        }
        memcpy(at, record, words * 8);
        if (c->base)
            add_base(c, (guint64 *)(void *)at + 1);
        at += words * 8;
    }
    g_byte_array_set_size(bytes, (guint)(at - bytes->data));
    block->crc = strobe_crc32c(0, bytes->data, bytes->len);
}

/* What the disk has begun with when the file is synced is not waited for then. */
static void hand_over(struct records *records)
{
    guint64 n = records->writer->bytes - records->handed_over;

    if (records->capture->is_temporary || n < WRITEBACK_BYTES)
        return;
    sync_file_range(records->writer->fd, (off_t)records->handed_over, (off_t)n,
                    SYNC_FILE_RANGE_WRITE);
    records->handed_over += n;
}

static void write_block(struct records *records, struct records_block *block)
{
    GByteArray *bytes = block->bytes;

    if (bytes->len && !records->error)
        records->error = strobe_capture_write_summed(records->writer, STROBE_BLOCK_RECORDS,
                                                     bytes->data, bytes->len, block->crc);
    g_byte_array_set_size(bytes, 0);
    hand_over(records);
}

/* The caller fills, the other one writes. */
static void do_part(gpointer user, guint index)
{
    struct records *records = user;
    struct records_block *blocks = records->blocks[index ? !records->filling : records->filling];

    for (guint i = 0; i < records->n_blocks; i++)
        if (index)
            write_block(records, &blocks[i]);
        else
            fill_block(records, &blocks[i]);
}

static int write_records(StrobeImportCapture *c, StrobeCaptureWriter *writer, GError **failure)
{
    struct records records = {.capture = c, .writer = writer};
    StrobeCrew *crew = strobe_crew_new(1);

    records.n_blocks = strobe_crew_n_threads(crew) ? BLOCKS : 1;
    for (guint i = 0; i < 2 * BLOCKS; i++) /* what the last record is longer by fits too */
        records.blocks[i / BLOCKS][i % BLOCKS].bytes =
            g_byte_array_sized_new(BLOCK_BYTES + BLOCK_BYTES / 64);
    while (!records.is_over && !records.error) {
        strobe_crew_run(crew, do_part, &records, 2);
        records.filling = !records.filling;
    }
    if (!records.error && !records.failure)
        do_part(&records, 1);
    strobe_crew_free(crew);
    for (guint i = 0; i < 2 * BLOCKS; i++)
        g_byte_array_unref(records.blocks[i / BLOCKS][i % BLOCKS].bytes);
    if (records.failure)
        g_propagate_error(failure, records.failure);
    return records.error;
}

gboolean strobe_import_capture_write(StrobeImportCapture *c, int file, const char *facts,
                                     GError **error)
{
    /* Counts of the clock are ns since the epoch here. */
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
        number = write_definitions(c, writer, facts);
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
