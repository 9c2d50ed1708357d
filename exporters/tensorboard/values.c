/* SPDX-License-Identifier: Apache-2.0 */
/* Writes values of fields in the forms of Kineto's arguments. */
#include <math.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/json-scanner.h>

#include "tensorboard.h"

/* Writes the microseconds since the base with three decimals. */
char *put_time(const Board *board, char *at, gint64 time_ns)
{
    return at + strobe_format_us_fixed(at, time_ns - board->base_ns);
}

char *put_string_id(Board *board, char *at, guint32 id)
{
    const CachedText *text = text_cache_get(board->texts, TEXT_CACHE_PLAIN, id);

    return trace_out_text(&board->main, at, text->bytes, text->length);
}

/* Returns whether the text is valid JSON. A capture may contain any text; a text that is not JSON
 * is written as a JSON string. */
gboolean is_json(StrobeText text)
{
    StrobeJsonScanner *scanner = strobe_json_scanner_new_bytes(text.bytes, text.length);
    int token = STROBE_JSON_ERROR, n = 0;

    do
        token = strobe_json_scanner_next(scanner, NULL, NULL);
    while (token > 0 && ++n);
    strobe_json_scanner_free(scanner);
    for (gsize i = 0; i < text.length; i++)
        if ((guchar)text.bytes[i] < 0x20 && text.bytes[i] != '\n' && text.bytes[i] != '\t' &&
            text.bytes[i] != '\r')
            return FALSE;
    return n && token == STROBE_JSON_END && g_utf8_validate(text.bytes, (gssize)text.length, NULL);
}

char *put_json(Board *board, char *at, guint32 id)
{
    StrobeText text = board->host->string(board->self, id);

    if (!is_json(text))
        return put_string_id(board, at, id);
    return trace_out_text(&board->main, at, text.bytes, text.length);
}

static char *put_double(char *at, double value)
{
    if (!isfinite(value))
        return PUT_LITERAL(at, "null");
    if (value == floor(value) && fabs(value) < 1e15)
        return put_int(at, (gint64)value);
    return at + strobe_format_double(at, value);
}

static gboolean is_shape(const char *bytes, gsize length)
{
    for (gsize i = 0; i < length; i++)
        if (!memchr("0123456789-,[]", bytes[i], 14))
            return FALSE;
    return TRUE;
}

/* Writes one entry of a list. In the text, semicolons separate the entries. */
static char *put_entry(Board *board, char *at, guint8 form, const char *bytes, gsize length)
{
    if (form == KINETO_SHAPES && is_shape(bytes, length)) {
        if (length && *bytes == '[' && is_json((StrobeText){bytes, length}))
            return trace_out_text(&board->main, at, bytes, length);
        *at++ = '[';
        at = trace_out_text(&board->main, at, bytes, length);
        *at++ = ']';
        return at;
    }
    const CachedText *text = text_cache_escape(board->texts, bytes, length);
    return trace_out_text(&board->main, at, text->bytes, text->length);
}

/* Writes a list. For example, writes "2,3;;4" as [[2,3],[],[4]], and "a;b" as ["a","b"]. */
static char *put_list(Board *board, char *at, guint8 form, guint32 id)
{
    StrobeText text = board->host->string(board->self, id);
    const char *from = text.bytes, *end = text.bytes + text.length, *mark;

    *at++ = '[';
    while ((mark = memchr(from, ';', (gsize)(end - from)))) {
        at = put_entry(board, at, form, from, (gsize)(mark - from));
        at = trace_out_text(&board->main, at, ", ", 2);
        from = mark + 1;
    }
    at = put_entry(board, at, form, from, (gsize)(end - from));
    *at++ = ']';
    return at;
}

/* Writes a dimension list; for example, writes "1,2,3" as [1,2,3]. Writes any other text as a JSON
 * string. */
static char *put_dimension(Board *board, char *at, guint32 id)
{
    StrobeText text = board->host->string(board->self, id);

    if (!is_shape(text.bytes, text.length))
        return put_string_id(board, at, id);
    *at++ = '[';
    at = trace_out_text(&board->main, at, text.bytes, text.length);
    *at++ = ']';
    return at;
}

static char *put_stack(Board *board, char *at, guint32 id)
{
    const StrobeStringId *frames = NULL;
    size_t n = board->host->stack_frames(board->self, id, &frames);

    *at++ = '"';
    for (size_t i = 0; i < n; i++) {
        const CachedText *text = text_cache_get(board->texts, TEXT_CACHE_PLAIN, frames[i]);

        if (i)
            *at++ = ';';
        at = trace_out_text(&board->main, at, text->bytes + 1, text->length - 2);
    }
    *at++ = '"';
    return at;
}

static char *put_text_form(Board *board, char *at, const BoardField *field, guint32 id)
{
    switch (field->form) {
    case KINETO_SHAPES:
    case KINETO_TYPES:
        return put_list(board, at, field->form, id);
    case KINETO_DIMENSION:
        return put_dimension(board, at, id);
    case KINETO_JSON:
        return put_json(board, at, id);
    default:
        return field->type == STROBE_FIELD_STACK ? put_stack(board, at, id)
                                                 : put_string_id(board, at, id);
    }
}

/* Returns whether the field has a value. */
static gboolean has_value(const BoardField *field, const BoardKind *kind, const StrobeView *record)
{
    switch (field->type) {
    case STROBE_FIELD_U64:
    case STROBE_FIELD_LINK:
        if (field->form == KINETO_FORWARD && strobe_field_i64(record, kind->sequence, -1) < 0)
            return FALSE;
        return strobe_view_u64(record, field->offset) != STROBE_ABSENT_U64;
    case STROBE_FIELD_I64:
        if (field->form == KINETO_SEQUENCE)
            return strobe_view_i64(record, field->offset) >= 0;
        return strobe_view_i64(record, field->offset) != STROBE_ABSENT_I64;
    case STROBE_FIELD_U32:
        return strobe_view_u32(record, field->offset) != STROBE_ABSENT_U32;
    case STROBE_FIELD_I32:
        return (gint32)strobe_view_u32(record, field->offset) != STROBE_ABSENT_I32;
    case STROBE_FIELD_F64:
        return !isnan(strobe_view_f64(record, field->offset));
    case STROBE_FIELD_STRING:
    case STROBE_FIELD_STACK:
    case STROBE_FIELD_TRACK:
        return strobe_view_u32(record, field->offset) != 0;
    default:
        return TRUE;
    }
}

static char *put_number(Board *board, char *at, const BoardField *field, const StrobeView *record)
{
    const StrobeTrackView *track;

    switch (field->type) {
    case STROBE_FIELD_U8:
        return put_uint(at, strobe_view_u8(record, field->offset));
    case STROBE_FIELD_BOOL:
        if (strobe_view_u8(record, field->offset))
            return PUT_LITERAL(at, "true");
        return PUT_LITERAL(at, "false");
    case STROBE_FIELD_U32:
        return put_uint(at, strobe_view_u32(record, field->offset));
    case STROBE_FIELD_I32:
        return put_int(at, (gint32)strobe_view_u32(record, field->offset));
    case STROBE_FIELD_I64:
        return put_int(at, strobe_view_i64(record, field->offset));
    case STROBE_FIELD_F64:
        return put_double(at, strobe_view_f64(record, field->offset));
    case STROBE_FIELD_TRACK:
        track = board->host->track(board->self, strobe_view_u32(record, field->offset));
        return put_uint(at, track ? track->number : 0);
    default:
        if (field->form == KINETO_PARENT && strobe_view_u64(record, field->offset) == 0)
            return PUT_LITERAL(at, "null");
        return put_uint(at, strobe_view_u64(record, field->offset));
    }
}

static char *put_value(Board *board, char *at, const BoardField *field, const StrobeView *record)
{
    const StrobeTrackView *track = board->host->track(board->self, record->track);

    if (field->form == KINETO_DEVICE)
        return put_int(at, track ? track->device : -1);
    if (field->form == KINETO_STREAM)
        return put_uint(at, track ? track->number : 0);
    if (field->type == STROBE_FIELD_STRING || field->type == STROBE_FIELD_STACK)
        return put_text_form(board, at, field, strobe_view_u32(record, field->offset));
    return put_number(board, at, field, record);
}

static char *put_key(Board *board, char *at, const char *key, gsize length, gboolean *first)
{
    if (!*first)
        PUT_LITERAL(at, ", ");
    *first = FALSE;
    return trace_out_text(&board->main, at, key, length);
}

/* Writes the members of the JSON object with the arguments that have no field, without braces.
 * Writes any other text as the argument "arguments". */
static char *put_others(Board *board, char *at, guint32 id, gboolean *first)
{
    StrobeText text = board->host->string(board->self, id);

    if (text.length < 3 || *text.bytes != '{' || !is_json(text)) {
        at = put_key(board, at, "\"arguments\": ", 13, first);
        return put_string_id(board, at, id);
    }
    return put_key(board, at, text.bytes + 1, text.length - 2, first);
}

char *put_arguments(Board *board, char *at, const BoardKind *kind, const StrobeView *record)
{
    gboolean first = TRUE;
    guint32 others = strobe_field_u32(record, kind->arguments, 0);

    *at++ = '{';
    for (guint i = 0; i < kind->n_fields; i++) {
        const BoardField *field = &kind->fields[i];

        if (!has_value(field, kind, record))
            continue;
        at = put_key(board, at, field->key, field->key_length, &first);
        at = put_value(board, at, field, record);
    }
    if (others)
        at = put_others(board, at, others, &first);
    if (record->flags & STROBE_VIEW_UNFINISHED) {
        at = put_key(board, at, "\"Unfinished\": true", 18, &first);
    }
    *at++ = '}';
    return at;
}
