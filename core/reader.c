/* SPDX-License-Identifier: Apache-2.0 */
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strobe/kinds.h>
#include <sys/stat.h>
#include <unistd.h>
#include "block-index.h"
#include "error.h"
#include "json-text.h"
#include "pool.h"
#include "reader-definitions.h"
#include "string-table.h"

#define DAMAGE_TEXTS_MAX 100u
#define BESIDE_SLOTS 65536u

struct beside { /* a string that was written beside its record */
    guint32 id, table_id;
};

struct StrobeReader {
    int fd;
    guint64 size;
    GArray *blocks; /* of StrobeBlockPlace: records and unfinished spans, in file order */
    guint next_block;
    StrobeClockMap *clock;
    StrobeStringTable *strings;
    StrobeDefinitions *definitions;
    JsonObject *facts;
    gboolean has_facts;
    StrobeClockPair first_pair, seal_pair; /* of their blocks */
    struct strobe_stored_seal seal;
    StrobeReaderStats stats;
    GPtrArray *damage;
    struct beside *beside;

    /* The block that is being read. */
    char *buffer;
    gsize buffer_size;
    guint32 at, end;
    const StrobeBlockPlace *place;
    gsize batch_max;
    guint64
        *expansion; /* fields of a batch's unfinished spans, STROBE_KIND_FIELDS_MAX words each */
    gsize expansion_slots;
};

/* ---- opening ---- */

static void note_damage(StrobeReader *reader, guint64 from, guint64 to, const char *reason)
{
    reader->stats.n_damaged++;
    if (reader->damage->len < DAMAGE_TEXTS_MAX)
        g_ptr_array_add(reader->damage, g_strdup_printf("offset %" G_GUINT64_FORMAT
                                                        ", %" G_GUINT64_FORMAT " bytes skipped: %s",
                                                        from, to - from, reason));
}

static void on_damage(void *user, guint64 from, guint64 to, const char *reason)
{
    note_damage(user, from, to, reason);
}

static void take_facts(StrobeReader *reader, const char *text, guint32 length)
{
    if (reader->has_facts)
        return;
    g_autoptr(JsonNode) root = strobe_json_parse(text, length, "facts", NULL);
    if (!root)
        return;
    json_object_unref(reader->facts);
    reader->facts = json_object_ref(json_node_get_object(root));
    reader->has_facts = TRUE;
}

static void take_strings(StrobeReader *reader, const char *p, guint32 length)
{
    guint32 at = 0;

    while (length - at >= 8) {
        guint32 id, n;
        memcpy(&id, p + at, 4);
        memcpy(&n, p + at + 4, 4);
        gboolean is_stack = (n & STROBE_STRING_IS_STACK) != 0;
        n &= ~STROBE_STRING_IS_STACK;
        if (n > length - at - 8)
            return;
        if (id < STROBE_POOL_STRINGS)
            strobe_string_table_set(reader->strings, id, p + at + 8, n, is_stack);
        at += (8 + n + 3) & ~3u;
        if (at > length)
            return;
    }
}

static void take_pairs(StrobeReader *reader, const char *p, guint32 length)
{
    StrobeClockPair pair;

    for (guint32 at = 0; length - at >= sizeof pair; at += sizeof pair) {
        memcpy(&pair, p + at, sizeof pair);
        strobe_clock_map_add(reader->clock, &pair);
    }
}

static void take_seal(StrobeReader *reader, const StrobeClockPair *pair, const char *p,
                      guint32 length)
{
    if (length < sizeof reader->seal)
        return;
    memcpy(&reader->seal, p, sizeof reader->seal);
    reader->seal_pair = *pair;
    reader->stats.sealed = TRUE;
    reader->stats.recovered = reader->seal.recovered != 0;
}

static gboolean ensure_buffer(StrobeReader *reader, gsize n)
{
    if (reader->buffer_size < n) {
        g_free(reader->buffer);
        reader->buffer = g_malloc(n);
        reader->buffer_size = n;
    }
    return TRUE;
}

static void take_definitions(StrobeReader *reader, const StrobeBlockPlace *place)
{
    guint32 n = place->header.payload_bytes;

    ensure_buffer(reader, n + 1u);
    if (!strobe_block_read(reader->fd, place, reader->buffer)) {
        note_damage(reader, place->offset, place->offset + n, "a block's checksum is wrong");
        return;
    }
    switch (place->header.type) {
    case STROBE_BLOCK_FACTS:
        if (!reader->has_facts)
            reader->first_pair = place->header.pair;
        take_facts(reader, reader->buffer, n);
        break;
    case STROBE_BLOCK_KINDS:
        strobe_definitions_take_kinds(reader->definitions, reader->buffer, n);
        break;
    case STROBE_BLOCK_TRACKS:
        strobe_definitions_take_tracks(reader->definitions, reader->buffer, n);
        break;
    case STROBE_BLOCK_STRINGS:
        take_strings(reader, reader->buffer, n);
        break;
    case STROBE_BLOCK_SEAL:
        take_seal(reader, &place->header.pair, reader->buffer, n);
        break;
    case STROBE_BLOCK_CLOCK:
        take_pairs(reader, reader->buffer, n);
        break;
    default:
        break; /* a block type of a later version: of no concern to these records */
    }
}

static gboolean on_block(void *user, const StrobeBlockPlace *place)
{
    StrobeReader *reader = user;

    reader->stats.n_blocks++;
    strobe_clock_map_add(reader->clock, &place->header.pair);
    if (place->header.type == STROBE_BLOCK_RECORDS)
        g_array_append_val(reader->blocks, *place);
    else
        take_definitions(reader, place);
    return TRUE;
}

/* The bound is that of the pairs that are there; but its writer may have seen more of them. */
static void set_clock(StrobeReader *reader)
{
    StrobeClockSummary *clock = &reader->stats.clock;
    const StrobeClockSummary *told = &reader->seal.clock;

    *clock = *strobe_clock_map_summary(reader->clock);
    reader->stats.ns_per_tick = strobe_clock_map_ns_per_tick(reader->clock);
    if (told->error_ns != STROBE_CLOCK_ERROR_UNKNOWN)
        clock->error_ns = MAX(clock->error_ns, told->error_ns);
    clock->gap_ns = MAX(clock->gap_ns, told->gap_ns);
    clock->residual_ns = MAX(clock->residual_ns, told->residual_ns);
    clock->suspended_ns = MAX(clock->suspended_ns, told->suspended_ns);
    clock->broken_ns = MAX(clock->broken_ns, told->broken_ns);
    clock->n_jumps = MAX(clock->n_jumps, told->n_jumps);
}

static gint64 time_in_block(const StrobeReader *reader, const StrobeClockPair *pair, guint64 ticks)
{
    strobe_clock_map_seek(reader->clock, pair);
    return strobe_clock_map_from_ticks(reader->clock, ticks);
}

static void set_window(StrobeReader *reader)
{
    StrobeReaderStats *stats = &reader->stats;

    strobe_clock_map_finish(reader->clock, reader->seal.end_ticks);
    set_clock(reader);
    stats->begin_ns =
        time_in_block(reader, &reader->first_pair,
                      stats->sealed ? reader->seal.begin_ticks : reader->first_pair.ticks);
    stats->end_ns = stats->begin_ns;
    if (stats->sealed)
        stats->end_ns = time_in_block(reader, &reader->seal_pair, reader->seal.end_ticks);
}

static gboolean index_file(StrobeReader *reader, const char *path, GError **error)
{
    if (!strobe_block_walk(reader->fd, reader->size, on_block, on_damage, reader, error)) {
        g_prefix_error(error, "%s: ", path);
        return FALSE;
    }
    if (!reader->has_facts) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT,
                    "%s: not a capture: no readable block of facts (%" G_GUINT64_FORMAT
                    " bytes, %" G_GUINT64_FORMAT " sound blocks)",
                    path, reader->size, reader->stats.n_blocks);
        return FALSE;
    }
    strobe_definitions_finish(reader->definitions, reader->strings);
    set_window(reader);
    return TRUE;
}

static int open_regular(const char *path, guint64 *size, GError **error)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0 || fstat(fd, &st)) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "Cannot open %s: %s", path,
                    g_strerror(errno));
    } else if (!S_ISREG(st.st_mode)) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "%s: not a regular file", path);
    } else {
        *size = (guint64)st.st_size;
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

StrobeReader *strobe_reader_open(const char *path, GError **error)
{
    guint64 size = 0;
    int fd = open_regular(path, &size, error);

    if (fd < 0)
        return NULL;
    StrobeReader *reader = g_new0(StrobeReader, 1);
    reader->fd = fd;
    reader->size = size;
    reader->stats.n_bytes = size;
    reader->blocks = g_array_new(FALSE, FALSE, sizeof(StrobeBlockPlace));
    reader->clock = strobe_clock_map_new();
    reader->strings = strobe_string_table_new(STROBE_POOL_STRINGS);
    reader->definitions = strobe_definitions_new();
    reader->facts = json_object_new();
    reader->damage = g_ptr_array_new_null_terminated(0, g_free, TRUE);
    if (!index_file(reader, path, error)) {
        strobe_reader_free(reader);
        return NULL;
    }
    return reader;
}

void strobe_reader_free(StrobeReader *reader)
{
    if (!reader)
        return;
    close(reader->fd);
    g_array_unref(reader->blocks);
    strobe_clock_map_free(reader->clock);
    strobe_string_table_free(reader->strings);
    strobe_definitions_free(reader->definitions);
    json_object_unref(reader->facts);
    g_ptr_array_unref(reader->damage);
    g_free(reader->beside);
    g_free(reader->buffer);
    g_free(reader->expansion);
    g_free(reader);
}

/* ---- records ---- */

static void take_string_beside(StrobeReader *reader, const guint64 *record, guint32 words)
{
    guint32 id = (guint32)(record[0] >> 32);
    guint32 n = (guint32)record[1];
    gboolean is_stack = (n & STROBE_STRING_IS_STACK) != 0;

    n &= ~STROBE_STRING_IS_STACK;
    if (words < 2 || n > (words - 2) * 8u)
        return;
    if (!reader->beside)
        reader->beside = g_new0(struct beside, BESIDE_SLOTS);
    struct beside *slot = &reader->beside[id % BESIDE_SLOTS];
    slot->id = id;
    slot->table_id =
        strobe_string_table_intern(reader->strings, (const char *)(record + 2), n, is_stack);
}

static guint32 resolve_string(const StrobeReader *reader, guint32 id)
{
    if (G_LIKELY(!(id & STROBE_STRING_BESIDE)))
        return id;
    const struct beside *slot = reader->beside ? &reader->beside[id % BESIDE_SLOTS] : NULL;
    return slot && slot->id == id ? slot->table_id : 0;
}

/* Fields that hold strings written beside their record are given their ids in the reader's table.
 */
static void resolve_fields(const StrobeReader *reader, const StrobeReaderKind *kind, char *fields)
{
    for (guint32 i = 0; i < kind->n_string_fields; i++) {
        guint32 id;
        memcpy(&id, fields + kind->string_offsets[i], 4);
        if (G_UNLIKELY(id & STROBE_STRING_BESIDE)) {
            id = resolve_string(reader, id);
            memcpy(fields + kind->string_offsets[i], &id, 4);
        }
    }
}

static gint64 time_of(const StrobeReader *reader, guint32 clock, guint64 value)
{
    switch (clock) {
    case STROBE_CLOCK_MONOTONIC:
        return strobe_clock_map_from_monotonic(reader->clock, (gint64)value);
    case STROBE_CLOCK_REALTIME:
        return (gint64)value;
    default:
        return strobe_clock_map_from_ticks(reader->clock, value);
    }
}

static void count_loss(StrobeReader *reader, const StrobeReaderKind *kind, const void *fields)
{
    struct strobe_loss loss;

    if (kind->role != STROBE_ROLE_LOSS)
        return;
    memcpy(&loss, fields, sizeof loss);
    if (loss.cause < STROBE_LOSS_CAUSES)
        reader->stats.lost[loss.cause] += loss.count;
}

/* Does the record belong to this capture's window? Core kinds always do. */
static gboolean in_window(StrobeReader *reader, const StrobeReaderKind *kind, StrobeView *view)
{
    if (kind->role != STROBE_ROLE_NONE)
        return TRUE;
    if (view->begin_ns < reader->stats.begin_ns ||
        (reader->stats.sealed && view->begin_ns > reader->stats.end_ns)) {
        reader->stats.n_outside++;
        return FALSE;
    }
    if (reader->stats.sealed && view->end_ns > reader->stats.end_ns)
        view->flags |= STROBE_VIEW_STRADDLES;
    return TRUE;
}

/* Fills a view from the words of one record; FALSE if the record makes no sense or is not wanted.
 */
static gboolean make_view(StrobeReader *reader, guint64 *record, guint32 words, StrobeView *view)
{
    guint64 head = record[0];
    const StrobeReaderKind *kind =
        strobe_definitions_kind(reader->definitions, (guint32)(head >> 16) & 0xffff);
    gboolean has_track = (head & STROBE_RECORD_HAS_TRACK) != 0;
    guint32 at = 2;

    if (!kind)
        return FALSE;
    if (words < 2u + kind->has_end + has_track + kind->field_words)
        return FALSE;
    guint64 begin = record[1], end = record[1];
    if (kind->has_end)
        end = record[at++];
    guint32 track_id = has_track ? (guint32)record[at++] : reader->place->header.track;
    const StrobeReaderTrack *track = strobe_definitions_track(reader->definitions, track_id);
    guint32 clock = track ? track->clock : STROBE_CLOCK_HOST;
    view->kind = &kind->view;
    view->fields = record + at;
    view->track = track ? track_id : 0;
    view->name = resolve_string(reader, (guint32)(head >> 32));
    view->flags = 0;
    view->begin_ns = time_of(reader, clock, begin);
    view->end_ns = kind->has_end ? time_of(reader, clock, end) : view->begin_ns;
    if (view->end_ns < view->begin_ns)
        view->end_ns = view->begin_ns;
    resolve_fields(reader, kind, (char *)(record + at));
    count_loss(reader, kind, view->fields);
    return in_window(reader, kind, view);
}

/* An open span is stored with one word of fields; the others read as zero. */
static gboolean make_unfinished(StrobeReader *reader, guint64 *record, guint32 words,
                                StrobeView *view, gsize index)
{
    const StrobeReaderKind *kind =
        strobe_definitions_kind(reader->definitions, (guint32)(record[0] >> 16) & 0xffff);
    guint64 full[4 + STROBE_KIND_FIELDS_MAX] = {0};

    if (!kind || !kind->has_end || words != STROBE_UNFINISHED_WORDS)
        return FALSE;
    memcpy(full, record, STROBE_UNFINISHED_WORDS * sizeof *full);
    if (!make_view(reader, full, 4 + MAX(kind->field_words, 1), view))
        return FALSE;
    /* The fields live as long as the batch. */
    if (reader->expansion_slots < reader->batch_max) {
        g_free(reader->expansion);
        reader->expansion = g_new(guint64, reader->batch_max * STROBE_KIND_FIELDS_MAX);
        reader->expansion_slots = reader->batch_max;
    }
    guint64 *keep = reader->expansion + index * STROBE_KIND_FIELDS_MAX;
    memcpy(keep, full + 4, STROBE_KIND_FIELDS_MAX * sizeof *full);
    view->fields = keep;
    view->flags |= STROBE_VIEW_UNFINISHED;
    if (!reader->stats.sealed)
        view->end_ns = MAX(view->begin_ns, view->end_ns);
    reader->stats.n_unfinished++;
    return TRUE;
}

static gboolean load_block(StrobeReader *reader)
{
    while (reader->next_block < reader->blocks->len) {
        const StrobeBlockPlace *place =
            &g_array_index(reader->blocks, StrobeBlockPlace, reader->next_block++);
        guint32 n = place->header.payload_bytes;
        ensure_buffer(reader, n);
        if (strobe_block_read(reader->fd, place, reader->buffer)) {
            strobe_clock_map_seek(reader->clock, &place->header.pair);
            reader->place = place;
            reader->at = 0;
            reader->end = n & ~7u;
            return TRUE;
        }
        note_damage(reader, place->offset, place->offset + n, "a block's checksum is wrong");
    }
    return FALSE;
}

gsize strobe_reader_next(StrobeReader *reader, StrobeView *views, gsize max, GError **error)
{
    gsize n = 0;

    reader->batch_max = max;
    while (n == 0) {
        if (reader->at >= reader->end && !load_block(reader))
            return 0;
        while (n < max && reader->at < reader->end) {
            guint64 *record = (guint64 *)(void *)(reader->buffer + reader->at);
            guint32 words = (guint32)(record[0] & STROBE_RECORD_WORDS_MASK);
            if (words == 0 || words * 8 > reader->end - reader->at) {
                note_damage(reader, reader->place->offset + reader->at,
                            reader->place->offset + reader->end, "a record has a bad length");
                reader->at = reader->end;
                break;
            }
            reader->at += words * 8;
            if (((record[0] >> 16) & 0xffff) == STROBE_KIND_STRING)
                take_string_beside(reader, record, words);
            else if (record[0] & STROBE_RECORD_UNFINISHED
                         ? make_unfinished(reader, record, words, &views[n], n)
                         : make_view(reader, record, words, &views[n]))
                n++;
        }
    }
    reader->stats.n_records += n;
    for (gsize i = 0; !reader->stats.sealed && i < n; i++)
        reader->stats.end_ns = MAX(reader->stats.end_ns, views[i].end_ns);
    return n;
}

/* ---- what was found ---- */

double strobe_reader_progress(const StrobeReader *reader)
{
    return reader->blocks->len ? (double)reader->next_block / reader->blocks->len : 1.0;
}

JsonObject *strobe_reader_facts(const StrobeReader *reader)
{
    return reader->facts;
}

const StrobeReaderStats *strobe_reader_stats(const StrobeReader *reader)
{
    return &reader->stats;
}

const StrobeClockEvent *strobe_reader_clock_events(const StrobeReader *reader, guint *n)
{
    return strobe_clock_map_events(reader->clock, n);
}

const char *const *strobe_reader_damage(const StrobeReader *reader)
{
    static const char *const none[] = {NULL};

    return reader->damage->len ? (const char *const *)reader->damage->pdata : none;
}

StrobeText strobe_reader_string(const StrobeReader *reader, StrobeStringId id)
{
    return strobe_string_table_text(reader->strings, resolve_string(reader, id));
}

gsize strobe_reader_stack(const StrobeReader *reader, StrobeStackId id,
                          const StrobeStringId **frames)
{
    return strobe_string_table_stack(reader->strings, resolve_string(reader, id), frames);
}

const StrobeTrackView *strobe_reader_track(const StrobeReader *reader, StrobeTrackId id)
{
    const StrobeReaderTrack *track = strobe_definitions_track(reader->definitions, id);
    return track ? &track->view : NULL;
}

guint32 strobe_reader_n_tracks(const StrobeReader *reader)
{
    return strobe_definitions_n_tracks(reader->definitions);
}

const StrobeKindView *strobe_reader_kind(const StrobeReader *reader, guint32 index)
{
    const StrobeReaderKind *kind = strobe_definitions_kind_at(reader->definitions, index);
    return kind ? &kind->view : NULL;
}

guint32 strobe_reader_n_kinds(const StrobeReader *reader)
{
    return strobe_definitions_n_kinds(reader->definitions);
}

StrobeStringId strobe_reader_intern(StrobeReader *reader, const char *bytes, gsize length)
{
    return strobe_string_table_intern(reader->strings, bytes, length, FALSE);
}

StrobeStackId strobe_reader_intern_stack(StrobeReader *reader, const StrobeStringId *frames,
                                         gsize n)
{
    return strobe_string_table_intern(reader->strings, (const char *)frames, n * sizeof *frames,
                                      TRUE);
}
