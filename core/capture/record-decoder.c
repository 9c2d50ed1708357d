/* SPDX-License-Identifier: Apache-2.0 */
#include "record-decoder.h"

#include <string.h>
#include <strobe/kinds.h>
#include "capture-format.h"

#define SLACK_MAX 1000000000u /* ns */

#define KNOWN_TRACKS 64u

/* What the decoder needs of a track to decode the track's records. */
typedef struct KnownTrack {
    guint32 id; /* the track's captured id */
    guint32 number, clock;
    const StrobeDeviceClock *device; /* clock of a track with STROBE_CLOCK_OF_TRACK; NULL: none */
} KnownTrack;

struct StrobeRecordDecoder {
    const StrobeDefinitions *definitions;
    StrobeClockMap *clock;
    const StrobeDeviceClocks *devices;
    StrobeInlineStrings *beside;
    guint32 n_strings; /* number of strings that the capture's table contains; inline strings have
                          higher ids */
    StrobeWindowEdges edges;
    StrobeDecodedCounts counts;
    /* a hash table with one track in each slot; initially track 0 */
    KnownTrack known[KNOWN_TRACKS];
    const KnownTrack *last; /* track of the last decoded record */
    gint64 stored_ns;
    gboolean is_external;
};

StrobeRecordDecoder *strobe_record_decoder_new(const StrobeDefinitions *definitions,
                                               StrobeClockMap *clock,
                                               const StrobeDeviceClocks *devices,
                                               StrobeInlineStrings *beside)
{
    StrobeRecordDecoder *decoder = g_new0(StrobeRecordDecoder, 1);

    decoder->definitions = definitions;
    decoder->clock = clock;
    decoder->devices = devices;
    decoder->beside = beside;
    decoder->n_strings = strobe_inline_strings_n_stored(beside);
    decoder->last = decoder->known;
    decoder->known->clock = STROBE_CLOCK_HOST;
    return decoder;
}

void strobe_record_decoder_free(StrobeRecordDecoder *decoder)
{
    g_free(decoder);
}

void strobe_record_decoder_stored(StrobeRecordDecoder *decoder, gint64 monotonic_ns)
{
    decoder->stored_ns = monotonic_ns;
}

void strobe_record_decoder_set_edges(StrobeRecordDecoder *decoder, const StrobeWindowEdges *edges)
{
    decoder->edges = *edges;
}

void strobe_record_decoder_begin_external(StrobeRecordDecoder *decoder)
{
    decoder->is_external = TRUE;
    decoder->edges = (StrobeWindowEdges){.cuts_begin = FALSE};
    memset(decoder->known, 0, sizeof decoder->known);
    decoder->known->clock = STROBE_CLOCK_REALTIME;
    decoder->last = decoder->known;
}

const StrobeDecodedCounts *strobe_record_decoder_counts(const StrobeRecordDecoder *decoder)
{
    return &decoder->counts;
}

/* ---- inline strings ---- */

static void take_string(StrobeRecordDecoder *decoder, const guint64 *record, guint32 words)
{
    guint32 n = words < 2 ? 0 : (guint32)record[1];
    gboolean is_stack = (n & STROBE_STRING_IS_STACK) != 0;

    n &= ~STROBE_STRING_IS_STACK;
    if (words >= 2 && n <= (words - 2) * 8u)
        strobe_inline_strings_take(decoder->beside, (guint32)(record[0] >> 32),
                                   (const char *)(record + 2), n, is_stack);
}

/* Converts an id that is not in the capture's table. Without the conversion the id would mean a
 * string that the reader itself interns. */
static guint32 resolve_other(StrobeRecordDecoder *decoder, guint32 id)
{
    decoder->counts.n_undefined += !(id & STROBE_STRING_INLINE);
    return strobe_inline_strings_resolve(decoder->beside, id);
}

static inline guint32 resolve_name(StrobeRecordDecoder *decoder, guint32 id)
{
    if (G_LIKELY(id < decoder->n_strings))
        return id;
    decoder->counts.n_nameless += !strobe_inline_strings_knows(decoder->beside, id);
    return resolve_other(decoder, id);
}

/* Converts the ids of tracks and inline strings in fields to ids of the reader's tables. */
static void resolve_fields(StrobeRecordDecoder *decoder, const StrobeReaderKind *kind, char *fields)
{
    for (guint32 i = 0; i < kind->n_track_fields; i++) {
        guint32 id;
        memcpy(&id, fields + kind->track_offsets[i], 4);
        id = strobe_definitions_track_of(decoder->definitions, id);
        memcpy(fields + kind->track_offsets[i], &id, 4);
    }
    for (guint32 i = 0; i < kind->n_string_fields; i++) {
        guint32 id;
        memcpy(&id, fields + kind->string_offsets[i], 4);
        if (G_UNLIKELY(id >= decoder->n_strings)) {
            id = resolve_other(decoder, id);
            memcpy(fields + kind->string_offsets[i], &id, 4);
        }
    }
}

/* ---- records ---- */

static inline gint64 time_of(const StrobeRecordDecoder *decoder, guint32 clock, guint64 value)
{
    switch (clock) {
    case STROBE_CLOCK_MONOTONIC:
        return strobe_clock_map_from_monotonic(decoder->clock, (gint64)value);
    case STROBE_CLOCK_HOST:
        return strobe_clock_map_from_ticks(decoder->clock, value);
    default:
        return (gint64)value;
    }
}

/* Returns the clock of a track's times; *id, as captured, becomes the track's number, 0 if there is
 * no such track. */
static guint32 clock_of(StrobeRecordDecoder *decoder, guint32 *id)
{
    KnownTrack *known = &decoder->known[*id % KNOWN_TRACKS];

    if (G_UNLIKELY(known->id != *id)) {
        guint32 number = strobe_definitions_track_of(decoder->definitions, *id);
        const StrobeReaderTrack *track = strobe_definitions_track(decoder->definitions, number);
        known->id = *id;
        known->number = number;
        known->clock = decoder->is_external ? STROBE_CLOCK_REALTIME
                       : track              ? track->clock
                                            : STROBE_CLOCK_HOST;
        known->device =
            track ? strobe_device_clocks_at(decoder->devices, track->clock_number) : NULL;
    }
    decoder->last = known;
    *id = known->number;
    return known->clock;
}

/* Converts times of a device's clock to host times, and stores them in `view`. FALSE: the host
 * times are unknown. */
static gboolean place_on_host(StrobeRecordDecoder *decoder, StrobeView *view, guint64 begin,
                              guint64 end)
{
    StrobeDeviceTime known = STROBE_DEVICE_TIME_UNKNOWN;

    view->begin_ns = CLAMP((gint64)begin, -STROBE_CLOCK_NS_LIMIT, STROBE_CLOCK_NS_LIMIT);
    view->end_ns = CLAMP((gint64)end, -STROBE_CLOCK_NS_LIMIT, STROBE_CLOCK_NS_LIMIT);
    if (decoder->last->device)
        known = strobe_device_clock_convert(decoder->last->device, decoder->stored_ns,
                                            &view->begin_ns, &view->end_ns);
    if (known != STROBE_DEVICE_TIME_UNKNOWN) {
        view->begin_ns = strobe_clock_map_from_monotonic(decoder->clock, view->begin_ns);
        view->end_ns = strobe_clock_map_from_monotonic(decoder->clock, view->end_ns);
    }
    if (known != STROBE_DEVICE_TIME_SURE) {
        view->flags |= STROBE_VIEW_CLOCK_UNSURE;
        decoder->counts.n_unsure++;
    }
    return known != STROBE_DEVICE_TIME_UNKNOWN;
}

/* Counts a loss record, and sets its name from its cause, because the writer stores it without a
 * name. */
static void take_loss(StrobeRecordDecoder *decoder, StrobeView *view)
{
    struct strobe_loss loss;

    memcpy(&loss, view->fields, sizeof loss);
    decoder->counts.n_loss_records += loss.count > 0;
    if (loss.cause >= STROBE_LOSS_CAUSES)
        return;
    decoder->counts.lost[loss.cause] += loss.count;
    if (!view->name) {
        const char *name = strobe_loss_name(loss.cause);
        view->name = strobe_inline_strings_intern(decoder->beside, name, strlen(name));
    }
}

/* Returns the time by which a record may appear outside of the window, because of its clock's
 * error, and still belong to the window; 0 on the host's clock, and if the record could belong to
 * another window (`is_alone` is FALSE). */
static gint64 slack_of(const StrobeRecordDecoder *decoder, guint32 clock, gboolean is_alone)
{
    guint64 error_ns = 0;

    if (clock == STROBE_CLOCK_OF_TRACK && decoder->last->device && is_alone)
        error_ns = strobe_device_clock_error(decoder->last->device);
    return (gint64)MIN(error_ns, SLACK_MAX);
}

/* Does the record belong to the window? Records of core kinds, and records with
 * STROBE_RECORD_OF_WINDOW (`is_reported`), always do. */
static gboolean place_in_window(StrobeRecordDecoder *decoder, const StrobeReaderKind *kind,
                                guint32 clock, gboolean is_reported, StrobeView *view)
{
    const StrobeWindowEdges *edges = &decoder->edges;
    gboolean cuts_end = edges->cuts_end && (edges->is_end_reported || clock == STROBE_CLOCK_HOST);

    if (kind->role != STROBE_ROLE_NONE)
        return TRUE;
    if (!is_reported &&
        ((edges->cuts_begin &&
          view->begin_ns < edges->begin_ns - slack_of(decoder, clock, edges->is_first)) ||
         (cuts_end && view->begin_ns > edges->end_ns + slack_of(decoder, clock, edges->is_only)))) {
        decoder->counts.n_outside++;
        decoder->counts.n_device_outside += clock == STROBE_CLOCK_OF_TRACK;
        return FALSE;
    }
    if (cuts_end && view->end_ns > edges->end_ns)
        view->flags |= STROBE_VIEW_STRADDLES;
    return TRUE;
}

/* Decodes a complete record. FALSE if the record is invalid or outside of the window. */
static inline gboolean decode_whole(StrobeRecordDecoder *decoder, const StrobeReaderKind *kind,
                                    const StrobeRecordBlock *block, guint64 *record, guint32 words,
                                    StrobeView *view)
{
    guint64 head = record[0];
    gboolean has_track = (head & STROBE_RECORD_HAS_TRACK) != 0;
    gboolean is_short = (head & STROBE_RECORD_SHORT_TIMES) != 0;
    guint32 track_id = block->track, at = 2;

    if (words < 2u + (kind->has_end && !is_short) + has_track + kind->field_words)
        return FALSE;
    guint64 begin = record[1], end = begin;
    if (is_short) {
        begin = strobe_short_begin(block->base, record[1]);
        end = strobe_short_end(block->base, record[1]);
    } else if (kind->has_end) {
        end = record[at++];
    }
    if (has_track)
        track_id = (guint32)record[at++];
    guint32 clock = clock_of(decoder, &track_id);
    view->kind = &kind->view;
    view->fields = record + at;
    view->track = track_id;
    view->name = resolve_name(decoder, (guint32)(head >> 32));
    view->flags = 0;
    gboolean has_place = TRUE;
    if (G_UNLIKELY(clock == STROBE_CLOCK_OF_TRACK)) {
        has_place = place_on_host(decoder, view, begin, end);
    } else {
        view->begin_ns = time_of(decoder, clock, begin);
        view->end_ns = kind->has_end ? time_of(decoder, clock, end) : view->begin_ns;
    }
    if (view->end_ns < view->begin_ns)
        view->end_ns = view->begin_ns;
    resolve_fields(decoder, kind, (char *)(record + at));
    if (G_UNLIKELY(kind->role == STROBE_ROLE_LOSS))
        take_loss(decoder, view);
    gboolean is_reported = (head & STROBE_RECORD_OF_WINDOW) != 0;
    return !has_place || place_in_window(decoder, kind, clock, is_reported, view);
}

/* Decodes the record of an open span, which is stored with one word of fields; all other fields are
 * set to zero. */
static gboolean decode_unfinished(StrobeRecordDecoder *decoder, const StrobeReaderKind *kind,
                                  const StrobeRecordBlock *block, const guint64 *record,
                                  guint32 words, StrobeView *view)
{
    guint64 full[4 + STROBE_KIND_FIELDS_MAX] = {0};
    const gsize field_bytes = MAX(kind->field_words, 1) * sizeof *full;

    if (!kind->has_end || words != STROBE_UNFINISHED_WORDS)
        return FALSE;
    memcpy(full, record, STROBE_UNFINISHED_WORDS * sizeof *full);
    if (!decode_whole(decoder, kind, block, full, 4 + MAX(kind->field_words, 1), view))
        return FALSE;
    view->fields =
        memcpy(strobe_block_memory_append(block->memory, field_bytes), full + 4, field_bytes);
    view->flags |= STROBE_VIEW_UNFINISHED;
    decoder->counts.n_unfinished++;
    return TRUE;
}

gsize strobe_record_decode(StrobeRecordDecoder *decoder, StrobeRecordBlock *block,
                           StrobeView *views, gsize max)
{
    gsize n = 0;

    while (n < max && block->at < block->end) {
        guint64 *record = (guint64 *)(void *)(block->memory->bytes + block->at);
        guint32 words = (guint32)(record[0] & STROBE_RECORD_WORDS_MASK);
        guint32 id = strobe_record_kind(record[0]);
        if (words == 0 || words * 8 > block->end - block->at)
            break;
        block->at += words * 8;
        const StrobeReaderKind *kind = strobe_definitions_kind(decoder->definitions, id);
        if (id == STROBE_KIND_STRING)
            take_string(decoder, record, words);
        else if (kind && !(record[0] & STROBE_RECORD_UNFINISHED))
            n += decode_whole(decoder, kind, block, record, words, &views[n]) != FALSE;
        else if (kind)
            n += decode_unfinished(decoder, kind, block, record, words, &views[n]) != FALSE;
    }
    return n;
}
