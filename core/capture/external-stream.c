/* SPDX-License-Identifier: Apache-2.0 */
#include "external-stream.h"

#include "thread-buffer.h"

struct StrobeExternalStream {
    StrobeIndexPass *index_pass;
    StrobeRecordDecoder *decoder;
    StrobeBlockCursor cursor;
    StrobeRecordBlock block;
    StrobeBlockPlace place; /* place of the current block */
    gboolean is_over;
};

StrobeExternalStream *strobe_external_stream_new(StrobeIndexPass *index_pass,
                                                 StrobeInlineStrings *beside)
{
    guint64 size;
    int fd = strobe_segments_external(index_pass->files, &size);

    if (!index_pass->has_external || fd < 0)
        return NULL;
    StrobeExternalStream *stream = g_new0(StrobeExternalStream, 1);
    stream->index_pass = index_pass;
    stream->decoder = strobe_record_decoder_new(index_pass->definitions, index_pass->clock,
                                                index_pass->devices, beside);
    strobe_record_decoder_begin_external(stream->decoder);
    strobe_block_cursor_begin(&stream->cursor, fd, size, NULL, NULL);
    return stream;
}

void strobe_external_stream_free(StrobeExternalStream *stream)
{
    if (!stream)
        return;
    strobe_block_cursor_end(&stream->cursor);
    strobe_record_decoder_free(stream->decoder);
    strobe_block_memory_unref(stream->block.memory);
    g_free(stream);
}

/* Reports damage in bytes [from, to) of the block's payload. */
static void note_damage(StrobeExternalStream *stream, guint64 from, guint64 to, const char *reason)
{
    strobe_block_place_find(&stream->place, &from, &to);
    strobe_index_pass_note_damage(
        stream->index_pass, strobe_segments_count(stream->index_pass->files), from, to, reason);
}

static void note_undefined(StrobeExternalStream *stream, guint64 from, guint64 to)
{
    strobe_block_place_find(&stream->place, &from, &to);
    strobe_index_pass_note_undefined(stream->index_pass,
                                     strobe_segments_count(stream->index_pass->files), from, to);
}

static gboolean read_block(StrobeExternalStream *stream)
{
    const struct strobe_block_header *header = &stream->place.header;
    guint32 n = header->payload_bytes;

    stream->block.memory = strobe_block_memory_renew(stream->block.memory, n);
    stream->block.at = 0;
    stream->block.end = n & ~7u;
    stream->block.track = header->track;
    stream->block.base = header->base;
    if (strobe_block_cursor_read(&stream->cursor, &stream->place, stream->block.memory->bytes))
        return TRUE;
    note_damage(stream, 0, n, stream->cursor.problem);
    stream->block.end = 0;
    return FALSE;
}

/* Loads the next block of records with a valid checksum. */
static gboolean load_block(StrobeExternalStream *stream)
{
    while (!stream->is_over && strobe_block_cursor_next(&stream->cursor, &stream->place, NULL))
        if (stream->place.header.type == STROBE_BLOCK_RECORDS && read_block(stream))
            return TRUE;
    stream->is_over = TRUE;
    return FALSE;
}

/* Returns the offset in the block after the last record that ended until `until_ns`; the end of the
 * block if a record is damaged. */
static guint32 end_of(const StrobeExternalStream *stream, gint64 until_ns)
{
    const StrobeRecordBlock *block = &stream->block;
    guint32 at = block->at;

    while (at < block->end) {
        const guint64 *record = (const guint64 *)(const void *)(block->memory->bytes + at);
        guint32 words = (guint32)(record[0] & STROBE_RECORD_WORDS_MASK);
        const StrobeReaderKind *kind =
            strobe_definitions_kind(stream->index_pass->definitions, strobe_record_kind(record[0]));
        guint32 time = kind && kind->has_end ? 2 : 1;

        if (words <= time || words * 8 > block->end - at)
            return block->end;
        if ((gint64)record[time] > until_ns)
            break;
        at += words * 8;
    }
    return at;
}

gsize strobe_external_stream_next(StrobeExternalStream *stream, gint64 until_ns, StrobeView *views,
                                  gsize max)
{
    const StrobeDecodedCounts *counts = strobe_record_decoder_counts(stream->decoder);
    StrobeRecordBlock *block = &stream->block;
    gsize n = 0;

    while (n == 0) {
        if (block->at >= block->end && !load_block(stream))
            break;
        guint32 whole = block->end, until = end_of(stream, until_ns);
        if (until == block->at)
            break;
        const guint64 n_undefined = counts->n_undefined;
        const guint32 from = block->at;
        block->end = until;
        n = strobe_record_decode(stream->decoder, block, views, max);
        gboolean is_bad = n < max && block->at < until;
        block->end = whole;
        if (counts->n_undefined != n_undefined)
            note_undefined(stream, from, block->at);
        if (is_bad) {
            note_damage(stream, block->at, whole, "a record has a bad length");
            block->at = whole;
        }
    }
    return n;
}

StrobeBlockMemory *strobe_external_stream_memory(const StrobeExternalStream *stream)
{
    return stream->block.memory;
}

guint64 strobe_external_stream_bytes(const StrobeExternalStream *stream)
{
    return stream->cursor.at;
}

const StrobeDecodedCounts *strobe_external_stream_counts(const StrobeExternalStream *stream)
{
    return strobe_record_decoder_counts(stream->decoder);
}
