/* SPDX-License-Identifier: Apache-2.0 */
#include "event-reader.h"

#define PADDING 64u
#define TOO_LONG "something of less than 16 MiB"

/* Where in the file the reader is. */
enum { AT_BEGIN, IN_ARRAY, IN_FRAMES, IN_OBJECT, AT_TAIL, AT_END };

struct EventReader {
    ByteSource *source;
    char *buffer;
    gsize room; /* without the padding */
    const char *at;
    guint64 base;       /* offset of the buffer in the text */
    gboolean is_over;   /* nothing more comes from the source */
    gboolean is_object; /* the form of the file */
    gboolean wants_comma;
    guint8 state;
    char *message;
    PieceOwner owner;     /* wait NULL: the text comes from the source */
    gboolean is_cut;      /* behind the text at hand an event begins */
    gboolean is_given_up; /* what follows is of no interest */
    EventScan scan;
};

EventReader *event_reader_new(ByteSource *source, guint64 offset, gsize room)
{
    EventReader *r = g_new0(EventReader, 1);

    if (offset) {
        r->base = offset;
        r->state = IN_ARRAY;
        r->is_object = TRUE;
    }
    r->source = source;
    r->room = room;
    r->buffer = g_malloc(room + PADDING);
    r->at = r->scan.end = r->buffer;
    *r->buffer = '"';
    event_scan_init(&r->scan);
    return r;
}

void event_reader_free(EventReader *r)
{
    g_free(r->buffer);
    g_free(r->message);
    g_free(r);
}

gboolean event_reader_is_object(const EventReader *r)
{
    return r->is_object;
}

/* ---- the text in pieces ---- */

void event_reader_set_owner(EventReader *r, PieceOwner owner)
{
    r->owner = owner;
}

char *event_reader_buffer(EventReader *r, gsize *room)
{
    *room = r->room;
    return r->buffer;
}

/* A '"' behind the last byte ends every search. */
static void set_end(EventReader *r, gsize length)
{
    r->at = r->buffer;
    r->scan.end = r->buffer + length;
    memset(r->buffer + length, '"', PADDING);
}

void event_reader_set_piece(EventReader *r, guint64 offset, gsize length, gboolean is_cut)
{
    r->base = offset;
    r->is_over = r->is_given_up = r->wants_comma = FALSE;
    r->is_cut = is_cut;
    r->state = IN_ARRAY;
    set_end(r, length);
}

void event_reader_learn(EventReader *r, const EventReader *other)
{
    r->is_object = other->is_object;
    event_scan_learn(&r->scan, &other->scan);
}

const EventScan *event_reader_scan(const EventReader *r)
{
    return &r->scan;
}

/* ---- bytes ---- */

/* Room behind what is left, which is moved to the begin; FALSE: it is too much. */
static gboolean make_room(EventReader *r, gsize left)
{
    char *buffer;

    if (left <= r->room / 2) {
        memmove(r->buffer, r->at, left);
        return TRUE;
    }
    if (r->room >= 2 * EVENT_BYTES_MAX)
        return FALSE;
    buffer = g_malloc(2 * r->room + PADDING);
    memcpy(buffer, r->at, left);
    g_free(r->buffer);
    r->buffer = buffer;
    r->room *= 2;
    return TRUE;
}

static gssize read_more(EventReader *r, char *bytes, gsize size)
{
    return r->owner.read ? r->owner.read(r->owner.user, bytes, size, &r->is_cut)
                         : byte_source_read(r->source, bytes, size);
}

/* More bytes behind those from `at` on; FALSE: there are none, or there is no room for them. */
static gboolean fill(EventReader *r)
{
    const gsize left = (gsize)(r->scan.end - r->at);
    const guint64 base = r->base + (guint64)(r->at - r->buffer);
    gssize n;

    if (r->owner.wait && !r->is_over && !r->owner.wait(r->owner.user))
        r->is_over = r->is_given_up = TRUE;
    if (r->is_over || !make_room(r, left))
        return FALSE;
    r->base = base;
    n = read_more(r, r->buffer + left, r->room - left);
    r->is_over = n <= 0;
    set_end(r, left + (gsize)MAX(n, 0));
    return n > 0;
}

/* Why there are no more; "" where that was the end. */
static const char *reason_of(const EventReader *r)
{
    return r->is_given_up ? "" : byte_source_error(r->source);
}

static gboolean skip_blanks(EventReader *r)
{
    do
        r->at = slice_skip_blanks(r->at);
    while (r->at >= r->scan.end && fill(r));
    return r->at < r->scan.end;
}

static guint64 offset_of(const EventReader *r, const char *place)
{
    return r->base + (guint64)(place - r->buffer);
}

/* One of "stackFrames", from its key on. */
static const char *take_frame(EventReader *r, const char *p, Event *event)
{
    Slice id = {0};

    p = event_scan_key(&r->scan, p, &id);
    if (p && *p != '{')
        return event_scan_wrong(&r->scan, p, "a frame");
    p = p ? event_scan_one(&r->scan, p, event) : NULL;
    event->id = id;
    return p;
}

/* ---- damage ---- */

/* Goes on where an object, or the next frame, begins behind a comma that follows one. */
static void resume(EventReader *r)
{
    gboolean has_brace = FALSE, has_comma = FALSE;

    do {
        for (; r->at < r->scan.end; r->at++) {
            char c = *r->at;

            if (has_comma && (c == '{' || (c == '"' && r->state == IN_FRAMES))) {
                r->state = c == '{' ? IN_ARRAY : IN_FRAMES;
                r->wants_comma = FALSE;
                return;
            }
            if (c == '}') {
                has_brace = TRUE;
                has_comma = FALSE;
            } else if (c == ',' && has_brace) {
                has_comma = TRUE;
            } else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
                has_brace = has_comma = FALSE;
            }
        }
    } while (fill(r));
    r->state = AT_END;
}

static int damage(EventReader *r, Event *event, const char *place, const char *expected,
                  const char **error)
{
    event->offset = offset_of(r, place);
    g_free(r->message);
    r->message = g_strdup_printf("expected %s", expected);
    *error = r->message;
    r->at = MIN(place + 1, r->scan.end);
    resume(r);
    return EVENT_DAMAGE;
}

/* Whatever the buffer has room for. */
static gboolean is_too_long(const EventReader *r, guint64 begin, const char *end)
{
    return end && offset_of(r, end) - begin > EVENT_BYTES_MAX;
}

/* What the bytes at hand are the begin of does not end. */
static int cut(EventReader *r, Event *event, const char **error)
{
    const char *reason = reason_of(r);

    if (!r->is_over || is_too_long(r, offset_of(r, r->at), r->scan.end))
        return damage(r, event, r->at, TOO_LONG, error);
    event->offset = offset_of(r, r->scan.end);
    r->at = r->scan.end;
    r->state = AT_END;
    *error = *reason ? reason : "the file ends too early";
    return EVENT_DAMAGE;
}

/* ---- the file ---- */

/* `result` is EVENT_ONE or EVENT_FRAME. */
static int next_event(EventReader *r, int result, Event *event, const char **error)
{
    const guint64 offset = offset_of(r, r->at);
    const char *p;

    do {
        r->scan.expected = NULL;
        p = result == EVENT_FRAME ? take_frame(r, r->at, event)
                                  : event_scan_one(&r->scan, r->at, event);
    } while (!p && !r->scan.expected && fill(r));
    event->offset = offset;
    if (is_too_long(r, offset, r->scan.expected ? r->scan.place : p))
        return damage(r, event, r->at, TOO_LONG, error);
    if (r->scan.expected)
        return damage(r, event, r->scan.place, r->scan.expected, error);
    if (!p)
        return cut(r, event, error);
    r->at = p;
    r->wants_comma = TRUE;
    return result;
}

static int end_of_events(EventReader *r, Event *event, const char **error)
{
    const char *reason = reason_of(r);

    r->state = AT_END;
    event->offset = offset_of(r, r->scan.end);
    *error = *reason ? reason : "the file ends inside of traceEvents";
    /* The end of an array may be missing: what writes it need not live to its end. */
    return *reason || r->is_object ? EVENT_DAMAGE : EVENT_END;
}

static int in_array(EventReader *r, Event *event, const char **error)
{
    if (!skip_blanks(r))
        return end_of_events(r, event, error);
    if (r->wants_comma && *r->at == ',') {
        r->at++;
        r->wants_comma = FALSE;
        r->at = slice_skip_blanks(r->at);
        if (r->is_cut && r->at >= r->scan.end)
            return EVENT_CUT;
        if (!skip_blanks(r))
            return end_of_events(r, event, error);
    }
    if (*r->at == ']') { /* a comma before it is forgiven: writers that append leave one */
        r->at++;
        r->state = r->is_object ? IN_OBJECT : AT_TAIL;
        r->wants_comma = TRUE;
        return EVENT_MEMBER;
    }
    if (r->wants_comma)
        return damage(r, event, r->at, "a comma or the end of the events", error);
    if (*r->at != '{')
        return damage(r, event, r->at, "an event", error);
    return next_event(r, EVENT_ONE, event, error);
}

/* What is handed out piece by piece, by the state in which that is done. */
static guint8 state_of_member(const Slice *name, char first)
{
    if (first == '[' && SLICE_IS(name, "traceEvents"))
        return IN_ARRAY;
    return first == '{' && SLICE_IS(name, "stackFrames") ? IN_FRAMES : IN_OBJECT;
}

/* Key and value of a member; FALSE: see `expected`. */
static gboolean take_top(EventReader *r, Event *event, guint8 *state)
{
    const char *p = event_scan_key(&r->scan, r->at, &event->name);

    if (!p || p >= r->scan.end)
        return FALSE;
    *state = state_of_member(&event->name, *p);
    if (*state == IN_OBJECT)
        p = slice_scan(p, r->scan.end, &event->args, &r->scan.expected, &r->scan.place);
    else
        p++;
    if (p)
        r->at = p;
    return p != NULL;
}

static int top_member(EventReader *r, Event *event, const char **error)
{
    guint8 state = IN_OBJECT;
    gboolean is_good;

    memset(event, 0, G_STRUCT_OFFSET(Event, arg));
    event->offset = offset_of(r, r->at);
    do {
        r->scan.expected = NULL;
        is_good = take_top(r, event, &state);
    } while (!is_good && !r->scan.expected && fill(r));
    if (is_too_long(r, event->offset, r->scan.expected ? r->scan.place : r->at))
        return damage(r, event, r->buffer + (event->offset - r->base), TOO_LONG, error);
    if (r->scan.expected)
        return damage(r, event, r->scan.place, r->scan.expected, error);
    if (!is_good)
        return cut(r, event, error);
    r->wants_comma = state == IN_OBJECT;
    r->state = state;
    return EVENT_MEMBER;
}

/* To the next member of an object, or behind its last one. */
static gboolean skip_comma(EventReader *r)
{
    if (!skip_blanks(r))
        return FALSE;
    if (!r->wants_comma || *r->at != ',')
        return TRUE;
    r->at++;
    r->wants_comma = FALSE;
    return skip_blanks(r);
}

static int in_frames(EventReader *r, Event *event, const char **error)
{
    if (!skip_comma(r))
        return cut(r, event, error);
    if (*r->at == '}') {
        r->at++;
        r->state = IN_OBJECT;
        r->wants_comma = TRUE;
        return EVENT_MEMBER;
    }
    if (r->wants_comma)
        return damage(r, event, r->at, "a comma or the end of the frames", error);
    return next_event(r, EVENT_FRAME, event, error);
}

static int in_object(EventReader *r, Event *event, const char **error)
{
    if (!skip_comma(r))
        return cut(r, event, error);
    if (*r->at == '}') {
        r->at++;
        r->state = AT_TAIL;
        return EVENT_MEMBER;
    }
    if (r->wants_comma)
        return damage(r, event, r->at, "a comma or the end of the trace", error);
    return top_member(r, event, error);
}

/* Behind the trace: nothing should stand there. */
static int at_tail(EventReader *r, Event *event, const char **error)
{
    const gboolean has_more = skip_blanks(r);
    const char *reason = reason_of(r);

    r->state = AT_END;
    event->offset = offset_of(r, r->at);
    *error = has_more ? "what stands behind the end of the trace is left out" : reason;
    return has_more || *reason ? EVENT_DAMAGE : EVENT_END;
}

static int at_begin(EventReader *r, Event *event, const char **error)
{
    const char *reason;

    fill(r);
    if (r->scan.end - r->at >= 3 && !memcmp(r->at, "\xef\xbb\xbf", 3))
        r->at += 3;
    event->offset = 0;
    if (!skip_blanks(r)) {
        r->state = AT_END;
        reason = reason_of(r);
        *error = *reason ? reason : "the file is empty";
        return EVENT_DAMAGE;
    }
    if (*r->at != '{' && *r->at != '[')
        return damage(r, event, r->at, "an object or an array", error);
    r->is_object = *r->at++ == '{';
    r->state = r->is_object ? IN_OBJECT : IN_ARRAY;
    return EVENT_MEMBER;
}

int event_reader_next(EventReader *r, Event *event, const char **error)
{
    for (;;) {
        int result = EVENT_END;

        event->name.type = SLICE_NONE;
        switch (r->state) {
        case AT_BEGIN:
            result = at_begin(r, event, error);
            break;
        case IN_ARRAY:
            result = in_array(r, event, error);
            break;
        case IN_FRAMES:
            result = in_frames(r, event, error);
            break;
        case IN_OBJECT:
            result = in_object(r, event, error);
            break;
        case AT_TAIL:
            result = at_tail(r, event, error);
            break;
        default:
            break;
        }
        /* A bracket that was passed is nobody's business, nor is the key of the events. */
        if (result != EVENT_MEMBER || (event->name.type && event->args.type))
            return result;
    }
}
