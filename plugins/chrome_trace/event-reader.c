/* SPDX-License-Identifier: Apache-2.0 */
#include "event-reader.h"

/* Positions of the reader in the file. */
enum { AT_BEGIN, IN_ARRAY, IN_FRAMES, IN_OBJECT, AT_TAIL, AT_END };

struct EventReader {
    ByteSource *source;
    StrobeJsonScanner *scanner;
    guint64 base; /* offset in the text at which the scanner began */
    gboolean is_begun;
    gboolean is_object; /* the file is an object, not an array */
    guint8 state;
    char *message;
};

/* Reads bytes for the scanner; replaces a byte order mark by blanks. */
static int64_t read_source(void *user, char *bytes, size_t size)
{
    EventReader *r = user;
    gssize n = byte_source_read(r->source, bytes, size);

    if (!r->is_begun && n >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3))
        memset(bytes, ' ', 3);
    r->is_begun = TRUE;
    return n;
}

static void enter_events(EventReader *r)
{
    r->state = IN_ARRAY;
    strobe_json_scanner_allow_last_comma(r->scanner);
}

EventReader *event_reader_new(ByteSource *source, guint64 offset)
{
    EventReader *r = g_new0(EventReader, 1);

    r->source = source;
    r->scanner = strobe_json_scanner_new_reader(read_source, r);
    strobe_json_scanner_allow_non_finite(r->scanner);
    if (offset) {
        byte_source_skip(source, offset);
        strobe_json_scanner_set_levels(r->scanner, "{[");
        r->base = offset;
        r->is_begun = r->is_object = TRUE;
        enter_events(r);
    }
    return r;
}

void event_reader_free(EventReader *r)
{
    strobe_json_scanner_free(r->scanner);
    g_free(r->message);
    g_free(r);
}

gboolean event_reader_is_object(const EventReader *r)
{
    return r->is_object;
}

static guint64 offset_of(const EventReader *r)
{
    return r->base + strobe_json_scanner_offset(r->scanner);
}

static guint64 token_offset(const EventReader *r)
{
    return r->base + strobe_json_scanner_token_offset(r->scanner);
}

/* ---- members ---- */

/* Returns the member of `event` in which the value of this key is stored; NULL: there is none. */
static StrobeJsonValue *find_member(Event *event, const StrobeJsonValue *key)
{
    switch (key->length) {
    case 1:
        return *key->text == 's' ? &event->scope : NULL;
    case 2:
        return VALUE_IS(key, "ph")   ? &event->phase
               : VALUE_IS(key, "ts") ? &event->ts
               : VALUE_IS(key, "id") ? &event->id
               : VALUE_IS(key, "bp") ? &event->bind
               : VALUE_IS(key, "sf") ? &event->frame
                                     : NULL;
    case 3:
        return VALUE_IS(key, "cat")   ? &event->category
               : VALUE_IS(key, "pid") ? &event->pid
               : VALUE_IS(key, "tid") ? &event->tid
               : VALUE_IS(key, "dur") ? &event->dur
               : VALUE_IS(key, "id2") ? &event->id
               : VALUE_IS(key, "esf") ? &event->end_frame
                                      : NULL;
    case 4:
        return VALUE_IS(key, "name") ? &event->name : VALUE_IS(key, "args") ? &event->args : NULL;
    case 5:
        return VALUE_IS(key, "stack") ? &event->stack : NULL;
    case 6:
        return VALUE_IS(key, "estack") ? &event->end_stack : NULL;
    default:
        return NULL;
    }
}

/* Reads the rest of the value that begins with this token. */
static int take_rest(EventReader *r, int token, StrobeJsonValue *value)
{
    return token == STROBE_JSON_OBJECT || token == STROBE_JSON_ARRAY
               ? strobe_json_scanner_take_whole(r->scanner, value)
               : token;
}

static int take_value(EventReader *r, StrobeJsonValue *value)
{
    return take_rest(r, strobe_json_scanner_next_raw(r->scanner, value), value);
}

/* Reads the arguments, after the brace of "args". */
static int take_args(EventReader *r, Event *event)
{
    for (;;) {
        EventArg *arg = &event->arg[event->n_args];
        int token = strobe_json_scanner_next_raw(r->scanner, &arg->key);

        if (token != STROBE_JSON_KEY)
            return token; /* the end, or an error */
        token = take_value(r, &arg->value);
        if (token < 0)
            return token;
        event->is_overfull = event->n_args + 1 == EVENT_ARGS_MAX;
        event->n_args += !event->is_overfull;
    }
}

static int take_member(EventReader *r, Event *event, const StrobeJsonValue *key)
{
    StrobeJsonValue *place = find_member(event, key), value;
    int token = strobe_json_scanner_next_raw(r->scanner, &value);

    if (place == &event->args && token == STROBE_JSON_OBJECT)
        return take_args(r, event);
    token = take_rest(r, token, &value);
    if (token < 0)
        return token;
    if (place) {
        *place = value;
    } else {
        event->others[event->n_others] = (EventArg){*key, value};
        event->n_others += event->n_others + 1 < EVENT_OTHERS_MAX;
    }
    return token;
}

/* Reads the members, after the brace of an event. */
static int take_members(EventReader *r, Event *event)
{
    StrobeJsonValue key;
    int token;

    do {
        token = strobe_json_scanner_next_raw(r->scanner, &key);
        if (token != STROBE_JSON_KEY)
            return token;
        token = take_member(r, event, &key);
    } while (token > 0);
    return token;
}

/* ---- damage ---- */

/* Moves to the next object, or the next frame, that begins after a comma. */
static void resume_events(EventReader *r)
{
    const int found = strobe_json_scanner_seek(r->scanner, r->state == IN_FRAMES ? '"' : '{');

    if (found == '{') {
        strobe_json_scanner_set_levels(r->scanner, r->is_object ? "{[" : "[");
        enter_events(r);
    } else if (found == '"') {
        strobe_json_scanner_set_levels(r->scanner, "{{");
    } else {
        r->state = AT_END;
    }
}

static int tell_damage(EventReader *r, Event *event, guint64 offset, const char *expected,
                       const char **error)
{
    event->offset = offset;
    g_free(r->message);
    r->message = g_strdup_printf("expected %s", expected);
    *error = r->message;
    return EVENT_DAMAGE;
}

static int skip_damage(EventReader *r, Event *event, guint64 offset, const char *expected,
                       const char **error)
{
    tell_damage(r, event, offset, expected, error);
    resume_events(r);
    return EVENT_DAMAGE;
}

/* Reports that the text ended unexpectedly: its end is missing, or cannot be read. */
static int end_early(EventReader *r, Event *event, const char *missing, const char **error)
{
    const char *reason = byte_source_error(r->source);

    r->state = AT_END;
    event->offset = offset_of(r);
    *error = *reason ? reason : missing;
    return EVENT_DAMAGE;
}

static gboolean is_over(const EventReader *r)
{
    return strobe_json_scanner_is_at_end(r->scanner);
}

/* Reports an error in an element that begins at `begin`. */
static int report_error(EventReader *r, Event *event, guint64 begin, const char **error)
{
    const char *expected = strobe_json_scanner_error(r->scanner);

    if (!strcmp(expected, STROBE_JSON_TOO_LONG))
        return skip_damage(r, event, begin, expected, error);
    if (is_over(r))
        return end_early(r, event, "the file ends too early", error);
    return skip_damage(r, event, offset_of(r), expected, error);
}

/* Reports unexpected text between events, frames or members. `expected` describes the expected
 * text; `end` describes it if the scanner expected a comma. */
static int fail_between(EventReader *r, Event *event, const char *expected, const char *end,
                        const char **error)
{
    const char *reason = strobe_json_scanner_error(r->scanner);

    if (!*reason) /* the value is valid, but was not expected here */
        return skip_damage(r, event, token_offset(r), expected, error);
    return skip_damage(r, event, offset_of(r), g_str_has_prefix(reason, "a comma") ? end : expected,
                       error);
}

/* ---- the file ---- */

/* Reads a token. The scanner keeps the texts from this token on. */
static int next_token(EventReader *r, StrobeJsonValue *value)
{
    int token;

    strobe_json_scanner_keep_texts(r->scanner, FALSE);
    token = strobe_json_scanner_next_raw(r->scanner, value);
    strobe_json_scanner_keep_texts(r->scanner, TRUE);
    return token;
}

/* Reads an event or a frame that begins at `begin`, after its brace. */
static int take_event(EventReader *r, int result, guint64 begin, Event *event, const char **error)
{
    const int token = take_members(r, event);

    event->offset = begin;
    if (token < 0)
        return report_error(r, event, begin, error);
    if (offset_of(r) - begin > EVENT_BYTES_MAX)
        return tell_damage(r, event, begin, STROBE_JSON_TOO_LONG, error);
    return result;
}

static int in_array(EventReader *r, Event *event, const char **error)
{
    StrobeJsonValue found;
    const int token = next_token(r, &found);

    if (token == STROBE_JSON_OBJECT)
        return take_event(r, EVENT_ONE, token_offset(r), event, error);
    if (token == STROBE_JSON_ARRAY_END) {
        r->state = r->is_object ? IN_OBJECT : AT_TAIL;
        return EVENT_MEMBER;
    }
    if (token > 0 || !is_over(r))
        return fail_between(r, event, "an event", "a comma or the end of the events", error);
    end_early(r, event, "the file ends inside of traceEvents", error);
    /* the end of an array may be missing, because the program that wrote the array may have been
     * killed */
    return r->is_object || *byte_source_error(r->source) ? EVENT_DAMAGE : EVENT_END;
}

static int in_frames(EventReader *r, Event *event, const char **error)
{
    StrobeJsonValue key, found;
    int result, token = next_token(r, &key);
    const guint64 begin = token_offset(r);

    if (token == STROBE_JSON_OBJECT_END) {
        r->state = IN_OBJECT;
        return EVENT_MEMBER;
    }
    if (token != STROBE_JSON_KEY)
        return is_over(r)
                   ? report_error(r, event, begin, error)
                   : fail_between(r, event, "a key", "a comma or the end of the frames", error);
    token = strobe_json_scanner_next_raw(r->scanner, &found);
    if (token < 0)
        return report_error(r, event, begin, error);
    if (token != STROBE_JSON_OBJECT)
        return fail_between(r, event, "a frame", NULL, error);
    result = take_event(r, EVENT_FRAME, begin, event, error);
    event->id = key;
    event->id.type = STROBE_JSON_STRING;
    return result;
}

/* Reads the value of the member event->name. For "traceEvents" and "stackFrames", only changes the
 * state so that their elements are read one by one. */
static int take_member_value(EventReader *r, Event *event)
{
    int token = strobe_json_scanner_next_raw(r->scanner, &event->args);

    if (token == STROBE_JSON_ARRAY && VALUE_IS(&event->name, "traceEvents")) {
        enter_events(r);
        event->args.type = STROBE_JSON_END;
    } else if (token == STROBE_JSON_OBJECT && VALUE_IS(&event->name, "stackFrames")) {
        r->state = IN_FRAMES;
        event->args.type = STROBE_JSON_END;
    } else {
        token = take_rest(r, token, &event->args);
    }
    return token;
}

static int in_object(EventReader *r, Event *event, const char **error)
{
    int token = next_token(r, &event->name);
    const guint64 begin = token_offset(r);

    event->offset = begin;
    if (token == STROBE_JSON_OBJECT_END) {
        event->name.type = STROBE_JSON_END;
        r->state = AT_TAIL;
        return EVENT_MEMBER;
    }
    if (token != STROBE_JSON_KEY)
        return is_over(r)
                   ? report_error(r, event, begin, error)
                   : fail_between(r, event, "a key", "a comma or the end of the trace", error);
    token = take_member_value(r, event);
    if (token < 0)
        return report_error(r, event, begin, error);
    if (event->args.type && offset_of(r) - begin > EVENT_BYTES_MAX)
        return tell_damage(r, event, begin, STROBE_JSON_TOO_LONG, error);
    return EVENT_MEMBER;
}

/* Reads the text after the end of the trace, and reports damage if there is any. */
static int at_tail(EventReader *r, Event *event, const char **error)
{
    StrobeJsonValue found;
    const int token = next_token(r, &found);
    const char *reason = byte_source_error(r->source);

    r->state = AT_END;
    event->offset = offset_of(r);
    *error = token == STROBE_JSON_ERROR ? "text after the end of the trace is left out" : reason;
    return token == STROBE_JSON_ERROR || *reason ? EVENT_DAMAGE : EVENT_END;
}

static int at_begin(EventReader *r, Event *event, const char **error)
{
    StrobeJsonValue found;
    const int token = next_token(r, &found);

    if (token == STROBE_JSON_OBJECT || token == STROBE_JSON_ARRAY) {
        r->is_object = token == STROBE_JSON_OBJECT;
        r->state = IN_OBJECT;
        if (!r->is_object)
            enter_events(r);
        return EVENT_MEMBER;
    }
    if (token == STROBE_JSON_END || token == STROBE_JSON_IO)
        return end_early(r, event, "the file is empty", error);
    return skip_damage(r, event, token_offset(r), "an object or an array", error);
}

int event_reader_next(EventReader *r, Event *event, const char **error)
{
    static int (*const read[])(EventReader *, Event *, const char **) = {
        [AT_BEGIN] = at_begin,   [IN_ARRAY] = in_array, [IN_FRAMES] = in_frames,
        [IN_OBJECT] = in_object, [AT_TAIL] = at_tail,
    };
    int result = EVENT_END;

    do {
        if (r->state == AT_END)
            return EVENT_END;
        memset(event, 0, G_STRUCT_OFFSET(Event, arg));
        result = read[r->state](r, event, error);
        /* continues after a bracket or the key of the events, because these are no members to
         * return */
    } while (result == EVENT_MEMBER && (!event->name.type || !event->args.type));
    return result;
}
