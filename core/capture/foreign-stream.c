/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign-stream.h"

#include "lane.h"

struct StrobeForeignStream {
    StrobeSurvey *survey;
    StrobeRecordDecoder *decoder;
    StrobeBlockCursor cursor;
    StrobeRecordBlock block;
    StrobeBlockPlace place; /* of the block */
    gboolean is_over;
};

StrobeForeignStream *strobe_foreign_stream_new(StrobeSurvey *survey, StrobeBesideStrings *beside)
{
    guint64 size;
    int fd = strobe_pieces_foreign(survey->files, &size);

    if (!survey->has_foreign || fd < 0)
        return NULL;
    StrobeForeignStream *stream = g_new0(StrobeForeignStream, 1);
    stream->survey = survey;
    stream->decoder =
        strobe_record_decoder_new(survey->definitions, survey->clock, survey->devices, beside);
    strobe_record_decoder_begin_foreign(stream->decoder);
    strobe_block_cursor_begin(&stream->cursor, fd, size, NULL, NULL);
    return stream;
}

void strobe_foreign_stream_free(StrobeForeignStream *stream)
{
    if (!stream)
        return;
    strobe_block_cursor_end(&stream->cursor);
    strobe_record_decoder_free(stream->decoder);
    strobe_block_memory_unref(stream->block.memory);
    g_free(stream);
}

/* Of the bytes [from, to) of the block's payload. */
static void note_damage(StrobeForeignStream *stream, guint64 from, guint64 to, const char *reason)
{
    strobe_block_place_find(&stream->place, &from, &to);
    strobe_survey_note_damage(stream->survey, strobe_pieces_count(stream->survey->files), from, to,
                              reason);
}

static void note_undefined(StrobeForeignStream *stream, guint64 from, guint64 to)
{
    strobe_block_place_find(&stream->place, &from, &to);
    strobe_survey_note_undefined(stream->survey, strobe_pieces_count(stream->survey->files), from,
                                 to);
}

static gboolean read_block(StrobeForeignStream *stream)
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

/* The next block of records whose checksum is right. */
static gboolean load_block(StrobeForeignStream *stream)
{
    while (!stream->is_over && strobe_block_cursor_next(&stream->cursor, &stream->place, NULL))
        if (stream->place.header.type == STROBE_BLOCK_RECORDS && read_block(stream))
            return TRUE;
    stream->is_over = TRUE;
    return FALSE;
}

/* Where the records end that ended until then; what is damaged counts to them. */
static guint32 end_of(const StrobeForeignStream *stream, gint64 until_ns)
{
    const StrobeRecordBlock *block = &stream->block;
    guint32 at = block->at;

    while (at < block->end) {
        const guint64 *record = (const guint64 *)(const void *)(block->memory->bytes + at);
        guint32 words = (guint32)(record[0] & STROBE_RECORD_WORDS_MASK);
        const StrobeReaderKind *kind =
            strobe_definitions_kind(stream->survey->definitions, strobe_record_kind(record[0]));
        guint32 time = kind && kind->has_end ? 2 : 1;

        if (words <= time || words * 8 > block->end - at)
            return block->end;
        if ((gint64)record[time] > until_ns)
            break;
        at += words * 8;
    }
    return at;
}

gsize strobe_foreign_stream_next(StrobeForeignStream *stream, gint64 until_ns, StrobeView *views,
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

StrobeBlockMemory *strobe_foreign_stream_memory(const StrobeForeignStream *stream)
{
    return stream->block.memory;
}

guint64 strobe_foreign_stream_bytes(const StrobeForeignStream *stream)
{
    return stream->cursor.at;
}

const StrobeDecodedCounts *strobe_foreign_stream_counts(const StrobeForeignStream *stream)
{
    return strobe_record_decoder_counts(stream->decoder);
}
