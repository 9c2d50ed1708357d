/* SPDX-License-Identifier: Apache-2.0 */
#include "index-pass.h"

#include <string.h>
#include "error.h"
#include "json-text.h"
#include "pool.h"

#define DAMAGE_TEXTS_MAX 100u

/* ---- damage ---- */

void strobe_index_pass_note_damage(StrobeIndexPass *index_pass, guint segment, guint64 from,
                                   guint64 to, const char *reason)
{
    gboolean is_external = segment == strobe_segments_count(index_pass->files);
    const char *file =
        is_external ? STROBE_EXTERNAL_NAME : strobe_segments_name(index_pass->files, segment);
    g_autofree char *name = is_external || strobe_segments_count(index_pass->files) > 1
                                ? g_strconcat(file, ": ", NULL)
                                : g_strdup("");

    index_pass->stats.n_damaged++;
    if (index_pass->damage->len >= DAMAGE_TEXTS_MAX)
        return;
    g_ptr_array_add(index_pass->damage,
                    from == to ? g_strconcat(name, reason, NULL)
                               : g_strdup_printf("%soffset %" G_GUINT64_FORMAT
                                                 ", %" G_GUINT64_FORMAT " bytes skipped: %s",
                                                 name, from, to - from, reason));
}

void strobe_index_pass_note_undefined(StrobeIndexPass *index_pass, guint segment, guint64 from,
                                      guint64 to)
{
    g_autofree char *reason =
        g_strdup_printf("offset %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT
                        " bytes: records use strings that are missing, and are shown without them",
                        from, to - from);

    strobe_index_pass_note_damage(index_pass, segment, 0, 0, reason);
}

void strobe_index_pass_on_damage(void *user, guint64 from, guint64 to, const char *reason)
{
    StrobeIndexPass *index_pass = user;
    strobe_index_pass_note_damage(index_pass, index_pass->current, from, to, reason);
}

void strobe_index_pass_leave_out(StrobeIndexPass *index_pass, guint segment, const char *reason)
{
    index_pass->segments[segment].is_left_out = TRUE;
    strobe_index_pass_note_damage(index_pass, segment, 0,
                                  strobe_segments_size(index_pass->files, segment), reason);
}

/* ---- definitions ---- */

static gboolean read_quietly(StrobeIndexPass *index_pass, const StrobeBlockPlace *place)
{
    gsize n = MAX(place->header.payload_bytes, 1u);

    if (index_pass->buffer_bytes < n) {
        g_free(index_pass->buffer);
        index_pass->buffer = g_malloc(n);
        index_pass->buffer_bytes = n;
    }
    return strobe_block_cursor_read(&index_pass->cursor, place, index_pass->buffer);
}

gboolean strobe_index_pass_read(StrobeIndexPass *index_pass, const StrobeBlockPlace *place)
{
    if (read_quietly(index_pass, place))
        return TRUE;
    strobe_index_pass_on_damage(index_pass, place->offset, strobe_block_place_end(place),
                                index_pass->cursor.problem);
    return FALSE;
}

static void take_metadata(StrobeIndexPass *index_pass, const StrobeBlockPlace *place)
{
    StrobeIndexPassSegment *segment = &index_pass->segments[index_pass->current];
    g_autoptr(JsonNode) root =
        strobe_json_parse(index_pass->buffer, place->header.payload_bytes, "metadata", NULL);

    if (!root || segment->has_metadata)
        return;
    JsonObject *metadata = json_node_get_object(root);
    const char *pool_id = strobe_json_member_text(metadata, "pool_id");
    if (index_pass->pool_id &&
        (strcmp(index_pass->pool_id, pool_id) || index_pass->window != place->header.window)) {
        strobe_index_pass_leave_out(index_pass, index_pass->current,
                                    "a segment of another capture");
        return;
    }
    if (!index_pass->pool_id) {
        index_pass->pool_id = g_strdup(pool_id);
        index_pass->window = place->header.window;
    }
    segment->has_metadata = TRUE;
    segment->number = place->header.sequence;
    segment->first_pair = place->header.pair;
    if (index_pass->has_metadata)
        return;
    json_object_unref(index_pass->metadata);
    index_pass->metadata = json_object_ref(metadata);
    index_pass->has_metadata = TRUE;
}

static void take_strings(StrobeIndexPass *index_pass, const char *p, guint32 length)
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
        strobe_string_table_set(index_pass->strings, id, p + at + 8, n, is_stack);
        at += (8 + n + 3) & ~3u;
        if (at > length)
            return;
    }
}

static void take_pairs(StrobeIndexPass *index_pass, const char *p, guint32 length)
{
    StrobeClockPair pair;

    for (guint32 at = 0; length - at >= sizeof pair; at += sizeof pair) {
        memcpy(&pair, p + at, sizeof pair);
        strobe_clock_map_add(index_pass->clock, &pair);
    }
}

static void take_seal(StrobeIndexPass *index_pass, const StrobeClockPair *pair, const char *p,
                      guint32 length)
{
    StrobeIndexPassSegment *segment = &index_pass->segments[index_pass->current];
    struct strobe_stored_seal seal;

    if (length < sizeof seal)
        return;
    memcpy(&seal, p, sizeof seal);
    /* A final seal in the reserve may be before a seal with `continued` in the file, and is still
     * the valid seal. */
    if (seal.continued && segment->is_sealed && !segment->seal.continued)
        return;
    segment->seal = seal;
    segment->seal_pair = *pair;
    segment->is_sealed = TRUE;
}

void strobe_index_pass_take_names(StrobeIndexPass *index_pass, const StrobeBlockPlace *place)
{
    guint32 n = place->header.payload_bytes;

    switch (place->header.type) {
    case STROBE_BLOCK_KINDS:
        strobe_definitions_take_kinds(index_pass->definitions, index_pass->buffer, n);
        break;
    case STROBE_BLOCK_TRACKS:
        if (!strobe_definitions_take_tracks(index_pass->definitions, index_pass->buffer, n))
            strobe_index_pass_note_damage(index_pass, index_pass->current, place->offset,
                                          strobe_block_place_end(place),
                                          "some tracks are not read: there are more than 2097152");
        break;
    case STROBE_BLOCK_STRINGS:
        take_strings(index_pass, index_pass->buffer, n);
        break;
    default:
        break; /* an unknown block type, from a later version of the format */
    }
}

static void take_definitions(StrobeIndexPass *index_pass, const StrobeBlockPlace *place)
{
    guint32 n = place->header.payload_bytes;

    if (!strobe_index_pass_read(index_pass, place))
        return;
    switch (place->header.type) {
    case STROBE_BLOCK_METADATA:
        take_metadata(index_pass, place);
        break;
    case STROBE_BLOCK_SEAL:
        take_seal(index_pass, &place->header.pair, index_pass->buffer, n);
        break;
    case STROBE_BLOCK_CLOCK:
        take_pairs(index_pass, index_pass->buffer, n);
        break;
    default:
        strobe_index_pass_take_names(index_pass, place);
    }
}

/* Reads the records of a block in this first walk if they may contain clock pairs, because the
 * conversion of earlier times needs later pairs too. A track is defined before its first record, so
 * its clock is known. Does not report damage, because the second walk reports it. */
static void take_clocks(StrobeIndexPass *index_pass, const StrobeBlockPlace *place)
{
    if (strobe_definitions_have_clocks(index_pass->definitions) && read_quietly(index_pass, place))
        strobe_device_clocks_take(index_pass->devices, index_pass->definitions, index_pass->buffer,
                                  place->header.payload_bytes, place->header.track);
}

static void take_block(StrobeIndexPass *index_pass, const StrobeBlockPlace *place)
{
    index_pass->last_ns = MAX(index_pass->last_ns, place->header.pair.monotonic_ns);
    if (place->header.type == STROBE_BLOCK_RECORDS) {
        strobe_block_order_note(index_pass->order, place);
        take_clocks(index_pass, place);
    } else if (place->header.type != STROBE_BLOCK_OPEN) {
        take_definitions(index_pass, place);
    }
}

static gboolean index_pass_segment(StrobeIndexPass *index_pass, guint index, GError **error)
{
    GError *failure = NULL;
    StrobeBlockPlace place;
    int fd = strobe_segments_descriptor(index_pass->files, index, NULL);

    index_pass->current = index;
    if (fd < 0) {
        strobe_index_pass_leave_out(index_pass, index_pass->current,
                                    "the segment was removed meanwhile");
        return TRUE;
    }
    strobe_block_order_begin(index_pass->order, index);
    strobe_block_cursor_begin(&index_pass->cursor, fd,
                              strobe_segments_size(index_pass->files, index),
                              strobe_index_pass_on_damage, index_pass);
    while (!index_pass->segments[index].is_left_out &&
           strobe_block_cursor_next(&index_pass->cursor, &place, &failure)) {
        index_pass->stats.n_blocks++;
        take_block(index_pass, &place);
        if (!index_pass->segments[index].is_left_out)
            strobe_clock_map_add(index_pass->clock, &place.header.pair);
    }
    strobe_block_cursor_end(&index_pass->cursor);
    if (failure)
        g_propagate_prefixed_error(error, failure,
                                   "%s: ", strobe_segments_name(index_pass->files, index));
    return !failure;
}

/* ---- the window ---- */

/* Identifies the capture by its newest segment, because an earlier segment may be a remainder of
 * another capture. */
static void identify_capture(StrobeIndexPass *index_pass)
{
    guint newest = strobe_segments_count(index_pass->files) - 1;
    int fd = strobe_segments_descriptor(index_pass->files, newest, NULL);
    StrobeBlockPlace place;

    strobe_block_cursor_begin(&index_pass->cursor, fd,
                              strobe_segments_size(index_pass->files, newest), NULL, NULL);
    index_pass->current = newest;
    if (strobe_block_cursor_next(&index_pass->cursor, &place, NULL) &&
        place.header.type == STROBE_BLOCK_METADATA &&
        place.header.payload_bytes <= STROBE_JSON_MAX_BYTES) {
        g_autofree char *text = g_malloc(place.header.payload_bytes + 1u);
        g_autoptr(JsonNode) root = NULL;
        if (strobe_block_cursor_read(&index_pass->cursor, &place, text))
            root = strobe_json_parse(text, place.header.payload_bytes, "metadata", NULL);
        if (root)
            index_pass->pool_id =
                g_strdup(strobe_json_member_text(json_node_get_object(root), "pool_id"));
        index_pass->window = place.header.window;
    }
    strobe_block_cursor_end(&index_pass->cursor);
}

static const StrobeIndexPassSegment *last_segment(const StrobeIndexPass *index_pass)
{
    return &index_pass->segments[strobe_segments_count(index_pass->files) - 1];
}

/* Raises the error bound, which was computed from the pairs in the capture, to the bound that the
 * writer stored: the writer may have seen more pairs. */
static void add_reported(StrobeClockSummary *clock, const StrobeIndexPass *index_pass)
{
    StrobeClockSummary sum = {.n_jumps = 0};

    for (guint i = 0; i < strobe_segments_count(index_pass->files); i++) {
        const StrobeClockSummary *reported = &index_pass->segments[i].seal.clock;
        if (!index_pass->segments[i].is_sealed)
            continue;
        if (reported->error_ns != STROBE_CLOCK_ERROR_UNKNOWN)
            clock->error_ns = MAX(clock->error_ns, reported->error_ns);
        clock->gap_ns = MAX(clock->gap_ns, reported->gap_ns);
        clock->residual_ns = MAX(clock->residual_ns, reported->residual_ns);
        sum.suspended_ns += reported->suspended_ns;
        sum.broken_ns += reported->broken_ns;
        sum.n_jumps += reported->n_jumps;
    }
    clock->suspended_ns = MAX(clock->suspended_ns, sum.suspended_ns);
    clock->broken_ns = MAX(clock->broken_ns, sum.broken_ns);
    clock->n_jumps = MAX(clock->n_jumps, sum.n_jumps);
}

static void finish_clock(StrobeIndexPass *index_pass)
{
    const StrobeIndexPassSegment *last = last_segment(index_pass);
    StrobeClockSummary *clock = &index_pass->stats.clock;

    strobe_clock_map_finish(index_pass->clock, last->is_sealed ? last->seal.end_ticks : 0);
    *clock = *strobe_clock_map_summary(index_pass->clock);
    add_reported(clock, index_pass);
    index_pass->stats.ns_per_tick = strobe_clock_map_ns_per_tick(index_pass->clock);
}

static gint64 time_in_block(const StrobeIndexPass *index_pass, const StrobeClockPair *pair,
                            guint64 ticks)
{
    strobe_clock_map_seek(index_pass->clock, pair);
    return strobe_clock_map_from_ticks(index_pass->clock, ticks);
}

static gboolean is_unscheduled(const StrobeIndexPass *index_pass)
{
    JsonNode *node = json_object_has_member(index_pass->metadata, "scheduled")
                         ? json_object_get_member(index_pass->metadata, "scheduled")
                         : NULL;

    return node && json_node_get_value_type(node) == G_TYPE_BOOLEAN && !json_node_get_boolean(node);
}

/* Sets the begin and end of the window, which covers all segments: each seal has the window's
 * begin, and the last seal its end. */
static void set_window(StrobeIndexPass *index_pass)
{
    StrobeReaderStats *stats = &index_pass->stats;
    const StrobeIndexPassSegment *last = last_segment(index_pass);
    guint64 begin = G_MAXUINT64;
    StrobeClockPair first = {.ticks = 0};

    for (guint i = strobe_segments_count(index_pass->files); i-- > 0;) {
        const StrobeIndexPassSegment *segment = &index_pass->segments[i];
        if (segment->is_sealed)
            begin = MIN(begin, segment->seal.begin_ticks);
        if (segment->is_sealed && segment->seal.recovered)
            stats->recovered = TRUE;
        if (segment->has_metadata)
            first = segment->first_pair;
    }
    stats->sealed = last->is_sealed;
    stats->continued = last->is_sealed && last->seal.continued;
    stats->begin_ns = time_in_block(index_pass, &first, begin == G_MAXUINT64 ? first.ticks : begin);
    stats->end_ns = stats->begin_ns;
    if (stats->sealed)
        stats->end_ns = time_in_block(index_pass, &last->seal_pair, last->seal.end_ticks);
    index_pass->edges =
        (StrobeWindowEdges){.begin_ns = stats->begin_ns,
                            .end_ns = stats->end_ns,
                            .cuts_begin = begin != G_MAXUINT64 || stats->first_segment == 0,
                            .cuts_end = stats->sealed && !stats->continued,
                            .is_first = index_pass->window == 1,
                            .is_only = index_pass->window == 1 && is_unscheduled(index_pass),
                            .is_end_reported = !stats->recovered};
}

static void finish_devices(StrobeIndexPass *index_pass)
{
    const StrobeReaderStats *stats = &index_pass->stats;
    gint64 offset = strobe_clock_map_from_monotonic(index_pass->clock, 0);
    gint64 end_ns = stats->sealed ? stats->end_ns - offset : index_pass->last_ns;
    guint64 error_ns = stats->clock.error_ns;

    if (error_ns == STROBE_CLOCK_ERROR_UNKNOWN)
        error_ns = STROBE_ABSENT_U64;
    strobe_device_clocks_finish(index_pass->devices, index_pass->definitions,
                                stats->begin_ns - offset, end_ns, error_ns);
}

/* Counts the segments. A missing segment, and a segment before the last that was not closed, count
 * as damage. */
static void count_segments(StrobeIndexPass *index_pass)
{
    StrobeReaderStats *stats = &index_pass->stats;
    guint64 last = 0;

    for (guint i = 0; i < strobe_segments_count(index_pass->files); i++) {
        const StrobeIndexPassSegment *segment = &index_pass->segments[i];
        if (segment->is_left_out || !segment->has_metadata)
            continue;
        if (stats->n_segments++ == 0)
            stats->first_segment = segment->number;
        else if (segment->number > last + 1)
            strobe_index_pass_note_damage(index_pass, i, 0, 0,
                                          "the segment before this one is missing");
        last = segment->number;
        if (segment != last_segment(index_pass) && !segment->is_sealed)
            strobe_index_pass_note_damage(index_pass, i, 0, 0, "the segment was not closed");
    }
}

static gboolean index_files(StrobeIndexPass *index_pass, const char *path, gboolean takes_external,
                            GError **error)
{
    guint n = strobe_segments_count(index_pass->files);

    identify_capture(index_pass);
    for (guint i = 0; i < n; i++) {
        index_pass->stats.n_bytes += strobe_segments_size(index_pass->files, i);
        if (!index_pass_segment(index_pass, i, error))
            return FALSE;
    }
    if (!index_pass->has_metadata) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT,
                    "%s: not a capture: no readable metadata block (%" G_GUINT64_FORMAT
                    " bytes, %" G_GUINT64_FORMAT " sound blocks)",
                    path, index_pass->stats.n_bytes, index_pass->stats.n_blocks);
        return FALSE;
    }
    if (takes_external)
        strobe_index_pass_external(index_pass);
    finish_clock(index_pass);
    strobe_definitions_finish(index_pass->definitions, index_pass->strings);
    count_segments(index_pass);
    set_window(index_pass);
    finish_devices(index_pass);
    if (strobe_block_order_finish(index_pass->order))
        strobe_index_pass_note_damage(index_pass, 0, 0, 0, "too many blocks are out of order");
    return TRUE;
}

StrobeIndexPass *strobe_index_pass_new(const char *path, gboolean takes_external, GError **error)
{
    StrobeSegments *files = strobe_segments_open(path, error);

    if (!files)
        return NULL;
    StrobeIndexPass *index_pass = g_new0(StrobeIndexPass, 1);
    index_pass->files = files;
    index_pass->segments = g_new0(StrobeIndexPassSegment, strobe_segments_count(files));
    index_pass->order = strobe_block_order_new();
    index_pass->clock = strobe_clock_map_new();
    index_pass->devices = strobe_device_clocks_new();
    index_pass->last_ns = G_MININT64;
    index_pass->strings = strobe_string_table_new(STROBE_POOL_STRINGS);
    index_pass->definitions = strobe_definitions_new();
    index_pass->metadata = json_object_new();
    index_pass->damage = g_ptr_array_new_null_terminated(0, g_free, TRUE);
    gboolean good = index_files(index_pass, path, takes_external, error);
    g_clear_pointer(&index_pass->buffer, g_free);
    if (!good)
        g_clear_pointer(&index_pass, strobe_index_pass_free);
    return index_pass;
}

void strobe_index_pass_free(StrobeIndexPass *index_pass)
{
    if (!index_pass)
        return;
    strobe_segments_free(index_pass->files);
    g_free(index_pass->segments);
    strobe_block_order_free(index_pass->order);
    strobe_clock_map_free(index_pass->clock);
    strobe_device_clocks_free(index_pass->devices);
    strobe_string_table_free(index_pass->strings);
    strobe_definitions_free(index_pass->definitions);
    json_object_unref(index_pass->metadata);
    g_ptr_array_unref(index_pass->damage);
    g_free(index_pass->buffer);
    g_free(index_pass->pool_id);
    g_free(index_pass);
}
