/* SPDX-License-Identifier: Apache-2.0 */
#include "reader-survey.h"

#include <string.h>
#include "error.h"
#include "json-text.h"
#include "pool.h"

#define DAMAGE_TEXTS_MAX 100u

/* ---- damage ---- */

void strobe_survey_note_damage(StrobeSurvey *survey, guint piece, guint64 from, guint64 to,
                               const char *reason)
{
    gboolean is_foreign = piece == strobe_pieces_count(survey->files);
    const char *file = is_foreign ? STROBE_FOREIGN_NAME : strobe_pieces_name(survey->files, piece);
    g_autofree char *name = is_foreign || strobe_pieces_count(survey->files) > 1
                                ? g_strconcat(file, ": ", NULL)
                                : g_strdup("");

    survey->stats.n_damaged++;
    if (survey->damage->len >= DAMAGE_TEXTS_MAX)
        return;
    g_ptr_array_add(survey->damage,
                    from == to ? g_strconcat(name, reason, NULL)
                               : g_strdup_printf("%soffset %" G_GUINT64_FORMAT
                                                 ", %" G_GUINT64_FORMAT " bytes skipped: %s",
                                                 name, from, to - from, reason));
}

void strobe_survey_note_undefined(StrobeSurvey *survey, guint piece, guint64 from, guint64 to)
{
    g_autofree char *reason =
        g_strdup_printf("offset %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT
                        " bytes: records name strings that are not there, and have none",
                        from, to - from);

    strobe_survey_note_damage(survey, piece, 0, 0, reason);
}

void strobe_survey_on_damage(void *user, guint64 from, guint64 to, const char *reason)
{
    StrobeSurvey *survey = user;
    strobe_survey_note_damage(survey, survey->current, from, to, reason);
}

void strobe_survey_leave_out(StrobeSurvey *survey, guint piece, const char *reason)
{
    survey->pieces[piece].is_left_out = TRUE;
    strobe_survey_note_damage(survey, piece, 0, strobe_pieces_size(survey->files, piece), reason);
}

/* ---- definitions ---- */

static gboolean read_quietly(StrobeSurvey *survey, const StrobeBlockPlace *place)
{
    gsize n = MAX(place->header.payload_bytes, 1u);

    if (survey->buffer_bytes < n) {
        g_free(survey->buffer);
        survey->buffer = g_malloc(n);
        survey->buffer_bytes = n;
    }
    return strobe_block_cursor_read(&survey->cursor, place, survey->buffer);
}

gboolean strobe_survey_read(StrobeSurvey *survey, const StrobeBlockPlace *place)
{
    if (read_quietly(survey, place))
        return TRUE;
    strobe_survey_on_damage(survey, place->offset, strobe_block_place_end(place),
                            survey->cursor.problem);
    return FALSE;
}

static void take_facts(StrobeSurvey *survey, const StrobeBlockPlace *place)
{
    StrobeSurveyPiece *piece = &survey->pieces[survey->current];
    g_autoptr(JsonNode) root =
        strobe_json_parse(survey->buffer, place->header.payload_bytes, "facts", NULL);

    if (!root || piece->has_facts)
        return;
    JsonObject *facts = json_node_get_object(root);
    const char *pool_id = strobe_json_member_text(facts, "pool_id");
    if (survey->pool_id &&
        (strcmp(survey->pool_id, pool_id) || survey->window != place->header.window)) {
        strobe_survey_leave_out(survey, survey->current, "a piece of another capture");
        return;
    }
    if (!survey->pool_id) {
        survey->pool_id = g_strdup(pool_id);
        survey->window = place->header.window;
    }
    piece->has_facts = TRUE;
    piece->number = place->header.sequence;
    piece->first_pair = place->header.pair;
    if (survey->has_facts)
        return;
    json_object_unref(survey->facts);
    survey->facts = json_object_ref(facts);
    survey->has_facts = TRUE;
}

static void take_strings(StrobeSurvey *survey, const char *p, guint32 length)
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
        strobe_string_table_set(survey->strings, id, p + at + 8, n, is_stack);
        at += (8 + n + 3) & ~3u;
        if (at > length)
            return;
    }
}

static void take_pairs(StrobeSurvey *survey, const char *p, guint32 length)
{
    StrobeClockPair pair;

    for (guint32 at = 0; length - at >= sizeof pair; at += sizeof pair) {
        memcpy(&pair, p + at, sizeof pair);
        strobe_clock_map_add(survey->clock, &pair);
    }
}

static void take_seal(StrobeSurvey *survey, const StrobeClockPair *pair, const char *p,
                      guint32 length)
{
    StrobeSurveyPiece *piece = &survey->pieces[survey->current];
    struct strobe_stored_seal seal;

    if (length < sizeof seal)
        return;
    memcpy(&seal, p, sizeof seal);
    /* The end in the reserve lies before a seal of a piece that then did go on. */
    if (seal.continued && piece->is_sealed && !piece->seal.continued)
        return;
    piece->seal = seal;
    piece->seal_pair = *pair;
    piece->is_sealed = TRUE;
}

void strobe_survey_take_names(StrobeSurvey *survey, const StrobeBlockPlace *place)
{
    guint32 n = place->header.payload_bytes;

    switch (place->header.type) {
    case STROBE_BLOCK_KINDS:
        strobe_definitions_take_kinds(survey->definitions, survey->buffer, n);
        break;
    case STROBE_BLOCK_TRACKS:
        if (!strobe_definitions_take_tracks(survey->definitions, survey->buffer, n))
            strobe_survey_note_damage(survey, survey->current, place->offset,
                                      strobe_block_place_end(place),
                                      "tracks are left out, there are more than 2097152");
        break;
    case STROBE_BLOCK_STRINGS:
        take_strings(survey, survey->buffer, n);
        break;
    default:
        break; /* a block type of a later version: of no concern to these records */
    }
}

static void take_definitions(StrobeSurvey *survey, const StrobeBlockPlace *place)
{
    guint32 n = place->header.payload_bytes;

    if (!strobe_survey_read(survey, place))
        return;
    switch (place->header.type) {
    case STROBE_BLOCK_FACTS:
        take_facts(survey, place);
        break;
    case STROBE_BLOCK_SEAL:
        take_seal(survey, &place->header.pair, survey->buffer, n);
        break;
    case STROBE_BLOCK_CLOCK:
        take_pairs(survey, survey->buffer, n);
        break;
    default:
        strobe_survey_take_names(survey, place);
    }
}

/* Records are looked at only where pairs of clocks may be among them: times before a pair need it
 * too. A track is defined before the first of its records. What is damaged is told by whoever reads
 * the records. */
static void take_clocks(StrobeSurvey *survey, const StrobeBlockPlace *place)
{
    if (strobe_definitions_have_clocks(survey->definitions) && read_quietly(survey, place))
        strobe_device_clocks_take(survey->devices, survey->definitions, survey->buffer,
                                  place->header.payload_bytes, place->header.track);
}

static void take_block(StrobeSurvey *survey, const StrobeBlockPlace *place)
{
    survey->last_ns = MAX(survey->last_ns, place->header.pair.monotonic_ns);
    if (place->header.type == STROBE_BLOCK_RECORDS) {
        strobe_block_order_note(survey->order, place);
        take_clocks(survey, place);
    } else if (place->header.type != STROBE_BLOCK_OPEN) {
        take_definitions(survey, place);
    }
}

static gboolean survey_piece(StrobeSurvey *survey, guint index, GError **error)
{
    GError *failure = NULL;
    StrobeBlockPlace place;
    int fd = strobe_pieces_descriptor(survey->files, index, NULL);

    survey->current = index;
    if (fd < 0) {
        strobe_survey_leave_out(survey, survey->current, "the piece was removed meanwhile");
        return TRUE;
    }
    strobe_block_order_begin(survey->order, index);
    strobe_block_cursor_begin(&survey->cursor, fd, strobe_pieces_size(survey->files, index),
                              strobe_survey_on_damage, survey);
    while (!survey->pieces[index].is_left_out &&
           strobe_block_cursor_next(&survey->cursor, &place, &failure)) {
        survey->stats.n_blocks++;
        take_block(survey, &place);
        if (!survey->pieces[index].is_left_out)
            strobe_clock_map_add(survey->clock, &place.header.pair);
    }
    strobe_block_cursor_end(&survey->cursor);
    if (failure)
        g_propagate_prefixed_error(error, failure,
                                   "%s: ", strobe_pieces_name(survey->files, index));
    return !failure;
}

/* ---- the window ---- */

/* Which capture it is, by the newest piece: earlier ones may have been left there by another. */
static void identify(StrobeSurvey *survey)
{
    guint newest = strobe_pieces_count(survey->files) - 1;
    int fd = strobe_pieces_descriptor(survey->files, newest, NULL);
    StrobeBlockPlace place;

    strobe_block_cursor_begin(&survey->cursor, fd, strobe_pieces_size(survey->files, newest), NULL,
                              NULL);
    survey->current = newest;
    if (strobe_block_cursor_next(&survey->cursor, &place, NULL) &&
        place.header.type == STROBE_BLOCK_FACTS &&
        place.header.payload_bytes <= STROBE_JSON_MAX_BYTES) {
        g_autofree char *text = g_malloc(place.header.payload_bytes + 1u);
        g_autoptr(JsonNode) root = NULL;
        if (strobe_block_cursor_read(&survey->cursor, &place, text))
            root = strobe_json_parse(text, place.header.payload_bytes, "facts", NULL);
        if (root)
            survey->pool_id =
                g_strdup(strobe_json_member_text(json_node_get_object(root), "pool_id"));
        survey->window = place.header.window;
    }
    strobe_block_cursor_end(&survey->cursor);
}

static const StrobeSurveyPiece *last_piece(const StrobeSurvey *survey)
{
    return &survey->pieces[strobe_pieces_count(survey->files) - 1];
}

/* The bound is that of the pairs that are there; but the writer may have seen more of them. */
static void add_told(StrobeClockSummary *clock, const StrobeSurvey *survey)
{
    StrobeClockSummary sum = {.n_jumps = 0};

    for (guint i = 0; i < strobe_pieces_count(survey->files); i++) {
        const StrobeClockSummary *told = &survey->pieces[i].seal.clock;
        if (!survey->pieces[i].is_sealed)
            continue;
        if (told->error_ns != STROBE_CLOCK_ERROR_UNKNOWN)
            clock->error_ns = MAX(clock->error_ns, told->error_ns);
        clock->gap_ns = MAX(clock->gap_ns, told->gap_ns);
        clock->residual_ns = MAX(clock->residual_ns, told->residual_ns);
        sum.suspended_ns += told->suspended_ns;
        sum.broken_ns += told->broken_ns;
        sum.n_jumps += told->n_jumps;
    }
    clock->suspended_ns = MAX(clock->suspended_ns, sum.suspended_ns);
    clock->broken_ns = MAX(clock->broken_ns, sum.broken_ns);
    clock->n_jumps = MAX(clock->n_jumps, sum.n_jumps);
}

static void finish_clock(StrobeSurvey *survey)
{
    const StrobeSurveyPiece *last = last_piece(survey);
    StrobeClockSummary *clock = &survey->stats.clock;

    strobe_clock_map_finish(survey->clock, last->is_sealed ? last->seal.end_ticks : 0);
    *clock = *strobe_clock_map_summary(survey->clock);
    add_told(clock, survey);
    survey->stats.ns_per_tick = strobe_clock_map_ns_per_tick(survey->clock);
}

static gint64 time_in_block(const StrobeSurvey *survey, const StrobeClockPair *pair, guint64 ticks)
{
    strobe_clock_map_seek(survey->clock, pair);
    return strobe_clock_map_from_ticks(survey->clock, ticks);
}

static gboolean is_unscheduled(const StrobeSurvey *survey)
{
    JsonNode *node = json_object_has_member(survey->facts, "scheduled")
                         ? json_object_get_member(survey->facts, "scheduled")
                         : NULL;

    return node && json_node_get_value_type(node) == G_TYPE_BOOLEAN && !json_node_get_boolean(node);
}

/* The window is that of all pieces: each seal tells its begin, the last one its end. */
static void set_window(StrobeSurvey *survey)
{
    StrobeReaderStats *stats = &survey->stats;
    const StrobeSurveyPiece *last = last_piece(survey);
    guint64 begin = G_MAXUINT64;
    StrobeClockPair first = {.ticks = 0};

    for (guint i = strobe_pieces_count(survey->files); i-- > 0;) {
        const StrobeSurveyPiece *piece = &survey->pieces[i];
        if (piece->is_sealed)
            begin = MIN(begin, piece->seal.begin_ticks);
        if (piece->is_sealed && piece->seal.recovered)
            stats->recovered = TRUE;
        if (piece->has_facts)
            first = piece->first_pair;
    }
    stats->sealed = last->is_sealed;
    stats->continued = last->is_sealed && last->seal.continued;
    stats->begin_ns = time_in_block(survey, &first, begin == G_MAXUINT64 ? first.ticks : begin);
    stats->end_ns = stats->begin_ns;
    if (stats->sealed)
        stats->end_ns = time_in_block(survey, &last->seal_pair, last->seal.end_ticks);
    survey->edges =
        (StrobeWindowEdges){.begin_ns = stats->begin_ns,
                            .end_ns = stats->end_ns,
                            .cuts_begin = begin != G_MAXUINT64 || stats->first_piece == 0,
                            .cuts_end = stats->sealed && !stats->continued,
                            .is_first = survey->window == 1,
                            .is_only = survey->window == 1 && is_unscheduled(survey),
                            .is_end_told = !stats->recovered};
}

static void finish_devices(StrobeSurvey *survey)
{
    const StrobeReaderStats *stats = &survey->stats;
    gint64 offset = strobe_clock_map_from_monotonic(survey->clock, 0);
    gint64 end_ns = stats->sealed ? stats->end_ns - offset : survey->last_ns;
    guint64 error_ns = stats->clock.error_ns;

    if (error_ns == STROBE_CLOCK_ERROR_UNKNOWN)
        error_ns = STROBE_ABSENT_U64;
    strobe_device_clocks_finish(survey->devices, survey->definitions, stats->begin_ns - offset,
                                end_ns, error_ns);
}

/* Counts the pieces; one in the middle that lacks its end, or lies not here, is damage. */
static void count_pieces(StrobeSurvey *survey)
{
    StrobeReaderStats *stats = &survey->stats;
    guint64 last = 0;

    for (guint i = 0; i < strobe_pieces_count(survey->files); i++) {
        const StrobeSurveyPiece *piece = &survey->pieces[i];
        if (piece->is_left_out || !piece->has_facts)
            continue;
        if (stats->n_pieces++ == 0)
            stats->first_piece = piece->number;
        else if (piece->number > last + 1)
            strobe_survey_note_damage(survey, i, 0, 0, "the piece before this one is missing");
        last = piece->number;
        if (piece != last_piece(survey) && !piece->is_sealed)
            strobe_survey_note_damage(survey, i, 0, 0, "the piece was not closed");
    }
}

static gboolean walk(StrobeSurvey *survey, const char *path, gboolean takes_foreign, GError **error)
{
    guint n = strobe_pieces_count(survey->files);

    identify(survey);
    for (guint i = 0; i < n; i++) {
        survey->stats.n_bytes += strobe_pieces_size(survey->files, i);
        if (!survey_piece(survey, i, error))
            return FALSE;
    }
    if (!survey->has_facts) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT,
                    "%s: not a capture: no readable block of facts (%" G_GUINT64_FORMAT
                    " bytes, %" G_GUINT64_FORMAT " sound blocks)",
                    path, survey->stats.n_bytes, survey->stats.n_blocks);
        return FALSE;
    }
    if (takes_foreign)
        strobe_survey_foreign(survey);
    finish_clock(survey);
    strobe_definitions_finish(survey->definitions, survey->strings);
    count_pieces(survey);
    set_window(survey);
    finish_devices(survey);
    if (strobe_block_order_finish(survey->order))
        strobe_survey_note_damage(survey, 0, 0, 0, "too many blocks are out of order");
    return TRUE;
}

StrobeSurvey *strobe_survey_new(const char *path, gboolean takes_foreign, GError **error)
{
    StrobePieces *files = strobe_pieces_open(path, error);

    if (!files)
        return NULL;
    StrobeSurvey *survey = g_new0(StrobeSurvey, 1);
    survey->files = files;
    survey->pieces = g_new0(StrobeSurveyPiece, strobe_pieces_count(files));
    survey->order = strobe_block_order_new();
    survey->clock = strobe_clock_map_new();
    survey->devices = strobe_device_clocks_new();
    survey->last_ns = G_MININT64;
    survey->strings = strobe_string_table_new(STROBE_POOL_STRINGS);
    survey->definitions = strobe_definitions_new();
    survey->facts = json_object_new();
    survey->damage = g_ptr_array_new_null_terminated(0, g_free, TRUE);
    gboolean good = walk(survey, path, takes_foreign, error);
    g_clear_pointer(&survey->buffer, g_free);
    if (!good)
        g_clear_pointer(&survey, strobe_survey_free);
    return survey;
}

void strobe_survey_free(StrobeSurvey *survey)
{
    if (!survey)
        return;
    strobe_pieces_free(survey->files);
    g_free(survey->pieces);
    strobe_block_order_free(survey->order);
    strobe_clock_map_free(survey->clock);
    strobe_device_clocks_free(survey->devices);
    strobe_string_table_free(survey->strings);
    strobe_definitions_free(survey->definitions);
    json_object_unref(survey->facts);
    g_ptr_array_unref(survey->damage);
    g_free(survey->buffer);
    g_free(survey->pool_id);
    g_free(survey);
}
