/* SPDX-License-Identifier: Apache-2.0 */
/* The second walk over the segments of a capture, which returns the records. */
#include "reader.h"

#include <string.h>
#include "external-stream.h"
#include "index-pass.h"

struct StrobeReader {
    StrobeIndexPass *index_pass;
    StrobeInlineStrings *beside;
    StrobeRecordDecoder *decoder;
    StrobeExternalStream *external; /* the external data; NULL: none */
    gint64 until_ns; /* time at which the current block was written; its records ended before it */
    guint segment;   /* index of the current segment */
    guint64 bytes_before; /* total bytes of the segments before the current one */
    gboolean takes_open;  /* OPEN blocks (spans that are open at the segment's end) are read too */
    StrobeBlockCursor cursor;
    StrobeBlockPlace following; /* the cursor's block; late blocks are read before it */
    gboolean has_following;

    /* The current block. */
    StrobeBlockPlace place;
    StrobeRecordBlock block;
    StrobeBlockMemory *memory; /* memory to which the last views point, lent; NULL: none */
};

/* ---- blocks ---- */

/* Is a segment after number `index` read? If so, it contains the ends of the spans that were open
 * at the end of segment `index`. */
static gboolean has_later_segment(const StrobeIndexPass *index_pass, guint index)
{
    for (guint i = index + 1; i < strobe_segments_count(index_pass->files); i++)
        if (index_pass->segments[i].has_metadata && !index_pass->segments[i].is_left_out)
            return TRUE;
    return FALSE;
}

/* Goes to the start of a segment; FALSE after the last segment. Skips segments that cannot be
 * read. */
static gboolean begin_segment(StrobeReader *reader, guint index)
{
    guint n = strobe_segments_count(reader->index_pass->files);

    strobe_block_cursor_end(&reader->cursor);
    for (; index < n; index++) {
        const StrobeIndexPassSegment *segment = &reader->index_pass->segments[index];
        guint64 size = strobe_segments_size(reader->index_pass->files, index);
        int fd = segment->is_left_out
                     ? -1
                     : strobe_segments_descriptor(reader->index_pass->files, index, NULL);
        reader->segment = index;
        if (fd >= 0) {
            strobe_block_cursor_begin(&reader->cursor, fd, size, NULL, NULL);
            strobe_block_order_begin(reader->index_pass->order, index);
            reader->takes_open = !has_later_segment(reader->index_pass, index) &&
                                 (!segment->is_sealed || segment->seal.continued);
            return TRUE;
        }
        if (!segment->is_left_out)
            strobe_index_pass_leave_out(reader->index_pass, index,
                                        "the segment was removed meanwhile");
        reader->bytes_before += size;
    }
    return FALSE;
}

static gboolean has_records(const StrobeReader *reader, const StrobeBlockPlace *place)
{
    return place->header.type == STROBE_BLOCK_RECORDS ||
           (place->header.type == STROBE_BLOCK_OPEN && reader->takes_open);
}

/* Finds the next block of records, in the order in which the thread buffers filled them. Returns
 * FALSE at the end, or with an error. */
static gboolean next_block(StrobeReader *reader, StrobeBlockPlace *place, GError **error)
{
    GError *failure = NULL;
    guint64 late;

    for (;;) {
        while (!reader->has_following &&
               strobe_block_cursor_next(&reader->cursor, &reader->following, &failure))
            reader->has_following =
                has_records(reader, &reader->following) &&
                !strobe_block_order_was_taken(reader->index_pass->order, &reader->following);
        if (failure) {
            g_propagate_prefixed_error(
                error, failure,
                "%s: ", strobe_segments_name(reader->index_pass->files, reader->segment));
            return FALSE;
        }
        if (reader->has_following) {
            while (strobe_block_order_take(reader->index_pass->order, &reader->following, &late))
                if (strobe_block_cursor_at(&reader->cursor, late, place))
                    return TRUE;
            *place = reader->following;
            reader->has_following = FALSE;
            return TRUE;
        }
        if (reader->segment + 1 >= strobe_segments_count(reader->index_pass->files))
            return FALSE;
        reader->bytes_before += strobe_segments_size(reader->index_pass->files, reader->segment);
        if (!begin_segment(reader, reader->segment + 1))
            return FALSE;
    }
}

static gboolean read_payload(StrobeReader *reader)
{
    const StrobeBlockPlace *place = &reader->place;
    guint32 n = place->header.payload_bytes;

    reader->block.memory = strobe_block_memory_renew(reader->block.memory, n);
    if (strobe_block_cursor_read(&reader->cursor, place, reader->block.memory->bytes))
        return TRUE;
    strobe_index_pass_note_damage(reader->index_pass, reader->segment, place->offset,
                                  strobe_block_place_end(place), reader->cursor.problem);
    return FALSE;
}

/* Loads the next block with a valid checksum. */
static gboolean load_block(StrobeReader *reader, GError **error)
{
    while (next_block(reader, &reader->place, error))
        if (read_payload(reader)) {
            reader->block.at = 0;
            reader->block.end = reader->place.header.payload_bytes & ~7u;
            reader->block.track = reader->place.header.track;
            reader->block.base = reader->place.header.base;
            strobe_clock_map_seek(reader->index_pass->clock, &reader->place.header.pair);
            strobe_record_decoder_stored(reader->decoder, reader->place.header.pair.monotonic_ns);
            reader->until_ns = strobe_clock_map_from_monotonic(
                reader->index_pass->clock, reader->place.header.pair.monotonic_ns);
            return TRUE;
        }
    return FALSE;
}

StrobeBlockMemory *strobe_reader_memory(const StrobeReader *reader)
{
    return reader->memory;
}

void strobe_reader_keep_strings(StrobeReader *reader)
{
    strobe_inline_strings_keep(reader->beside);
}

/* Returns the next external records that ended before the current recorded block was stored. So,
 * for example, a call comes before the operator around it, whose record is written when the
 * operator ends. */
static gsize next_external(StrobeReader *reader, StrobeView *views, gsize max)
{
    gsize n = 0;

    if (reader->external)
        n = strobe_external_stream_next(reader->external, reader->until_ns, views, max);
    if (n)
        reader->memory = strobe_external_stream_memory(reader->external);
    return n;
}

static gsize decode_records(StrobeReader *reader, StrobeView *views, gsize max)
{
    const StrobeDecodedCounts *counts = strobe_record_decoder_counts(reader->decoder);
    const guint64 n_undefined = counts->n_undefined;
    guint64 from = reader->block.at, to;
    gsize n;

    n = strobe_record_decode(reader->decoder, &reader->block, views, max);
    if (G_UNLIKELY(counts->n_undefined != n_undefined)) {
        to = reader->block.at;
        strobe_block_place_find(&reader->place, &from, &to);
        strobe_index_pass_note_undefined(reader->index_pass, reader->segment, from, to);
    }
    if (n)
        reader->memory = reader->block.memory;
    return n;
}

/* Called if the length of a record is invalid: skips the rest of the block. */
static void skip_rest(StrobeReader *reader)
{
    guint64 from = reader->block.at, to = reader->block.end;

    strobe_block_place_find(&reader->place, &from, &to);
    strobe_index_pass_note_damage(reader->index_pass, reader->segment, from, to,
                                  "a record has a bad length");
    reader->block.at = reader->block.end;
}

static gsize next_views(StrobeReader *reader, StrobeView *views, gsize max, GError **error)
{
    StrobeRecordBlock *block = &reader->block;
    GError *failure = NULL;
    gsize n = 0;

    reader->memory = NULL;
    while (n == 0) {
        if (block->at >= block->end && !load_block(reader, &failure)) {
            if (failure) {
                g_propagate_error(error, failure);
                break;
            }
            reader->until_ns = G_MAXINT64;
            return next_external(reader, views, max);
        }
        n = next_external(reader, views, max);
        if (n)
            break;
        n = decode_records(reader, views, max);
        if (n < max && block->at < block->end)
            skip_rest(reader);
    }
    return n;
}

static void update_stats(StrobeReaderStats *stats, const StrobeDecodedCounts *counts,
                         const StrobeDecodedCounts *external)
{
    static const StrobeDecodedCounts none;

    external = external ? external : &none;
    stats->n_unfinished = counts->n_unfinished + external->n_unfinished;
    stats->n_outside = counts->n_outside;
    stats->n_device_outside = counts->n_device_outside;
    stats->n_nameless = counts->n_nameless + external->n_nameless;
    stats->n_unsure = counts->n_unsure;
    stats->n_loss_records = counts->n_loss_records + external->n_loss_records;
    for (gsize i = 0; i < G_N_ELEMENTS(stats->lost); i++)
        stats->lost[i] = counts->lost[i] + external->lost[i];
}

gsize strobe_reader_next(StrobeReader *reader, StrobeView *views, gsize max, GError **error)
{
    StrobeReaderStats *stats = &reader->index_pass->stats;
    gsize n = next_views(reader, views, max, error);

    stats->n_records += n;
    update_stats(stats, strobe_record_decoder_counts(reader->decoder),
                 reader->external ? strobe_external_stream_counts(reader->external) : NULL);
    for (gsize i = 0; (!stats->sealed || stats->recovered) && i < n; i++)
        if (!(views[i].flags & STROBE_VIEW_CLOCK_UNSURE))
            stats->end_ns = MAX(stats->end_ns, views[i].end_ns);
    return n;
}

static StrobeReader *open_reader(const char *path, gboolean takes_external, GError **error)
{
    StrobeIndexPass *index_pass = strobe_index_pass_new(path, takes_external, error);

    if (!index_pass)
        return NULL;
    StrobeReader *reader = g_new0(StrobeReader, 1);
    reader->index_pass = index_pass;
    reader->beside = strobe_inline_strings_new(index_pass->strings, index_pass->metadata);
    reader->decoder = strobe_record_decoder_new(index_pass->definitions, index_pass->clock,
                                                index_pass->devices, reader->beside);
    strobe_record_decoder_set_edges(reader->decoder, &index_pass->edges);
    reader->external = strobe_external_stream_new(index_pass, reader->beside);
    begin_segment(reader, 0);
    return reader;
}

StrobeReader *strobe_reader_open(const char *path, GError **error)
{
    return open_reader(path, TRUE, error);
}

StrobeReader *strobe_reader_open_own(const char *path, GError **error)
{
    return open_reader(path, FALSE, error);
}

void strobe_reader_free(StrobeReader *reader)
{
    if (!reader)
        return;
    strobe_block_cursor_end(&reader->cursor);
    strobe_record_decoder_free(reader->decoder);
    strobe_external_stream_free(reader->external);
    strobe_inline_strings_free(reader->beside);
    strobe_index_pass_free(reader->index_pass);
    strobe_block_memory_unref(reader->block.memory);
    g_free(reader);
}

/* ---- results ---- */

gint64 strobe_reader_monotonic_offset(const StrobeReader *reader)
{
    return strobe_clock_map_from_monotonic(reader->index_pass->clock, 0);
}

double strobe_reader_progress(const StrobeReader *reader)
{
    guint64 done = reader->bytes_before + reader->cursor.at +
                   (reader->external ? strobe_external_stream_bytes(reader->external) : 0);

    return done < reader->index_pass->stats.n_bytes
               ? (double)done / (double)reader->index_pass->stats.n_bytes
               : 1.0;
}

JsonObject *strobe_reader_metadata(const StrobeReader *reader)
{
    return reader->index_pass->metadata;
}

const StrobeReaderStats *strobe_reader_stats(const StrobeReader *reader)
{
    StrobeIndexPass *index_pass = reader->index_pass;

    return &index_pass->stats;
}

guint64 strobe_reader_stats_lost(const StrobeReaderStats *stats)
{
    guint64 lost = 0;

    for (guint i = 0; i < STROBE_LOSS_CAUSES; i++)
        if (i != STROBE_LOSS_STRING_CUT)
            lost += stats->lost[i];
    return lost;
}

guint64 strobe_reader_stats_stored(const StrobeReaderStats *stats)
{
    return stats->n_records - stats->n_loss_records;
}

const StrobeClockEvent *strobe_reader_clock_events(const StrobeReader *reader, guint *n)
{
    return strobe_clock_map_events(reader->index_pass->clock, n);
}

const StrobeClockView *strobe_reader_device_clock(const StrobeReader *reader, guint32 index)
{
    return strobe_device_clocks_view(reader->index_pass->devices, index + 1);
}

const char *const *strobe_reader_damage(const StrobeReader *reader)
{
    static const char *const none[] = {NULL};

    return reader->index_pass->damage->len ? (const char *const *)reader->index_pass->damage->pdata
                                           : none;
}

StrobeText strobe_reader_string(const StrobeReader *reader, StrobeStringId id)
{
    return strobe_inline_strings_text(reader->beside, id);
}

gsize strobe_reader_stack(const StrobeReader *reader, StrobeStackId id,
                          const StrobeStringId **frames)
{
    return strobe_inline_strings_stack(reader->beside, id, frames);
}

const StrobeTrackView *strobe_reader_track(const StrobeReader *reader, StrobeTrackId id)
{
    const StrobeReaderTrack *track = strobe_definitions_track(reader->index_pass->definitions, id);
    return track ? &track->view : NULL;
}

guint32 strobe_reader_captured_track(const StrobeReader *reader, StrobeTrackId id)
{
    const StrobeReaderTrack *track = strobe_definitions_track(reader->index_pass->definitions, id);
    return track ? track->captured_id : 0;
}

guint32 strobe_reader_n_tracks(const StrobeReader *reader)
{
    return strobe_definitions_n_tracks(reader->index_pass->definitions);
}

const StrobeKindView *strobe_reader_kind(const StrobeReader *reader, guint32 index)
{
    const StrobeReaderKind *kind =
        strobe_definitions_kind_at(reader->index_pass->definitions, index);
    return kind ? &kind->view : NULL;
}

guint32 strobe_reader_n_kinds(const StrobeReader *reader)
{
    return strobe_definitions_n_kinds(reader->index_pass->definitions);
}

StrobeStringId strobe_reader_intern(StrobeReader *reader, const char *bytes, gsize length)
{
    return strobe_string_table_intern(reader->index_pass->strings, bytes, length, FALSE);
}

StrobeStackId strobe_reader_intern_stack(StrobeReader *reader, const StrobeStringId *frames,
                                         gsize n)
{
    return strobe_string_table_intern(reader->index_pass->strings, (const char *)frames,
                                      n * sizeof *frames, TRUE);
}
