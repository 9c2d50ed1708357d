/* SPDX-License-Identifier: Apache-2.0 */
#include "event-reader.h"

#include "event-gaps.h"

#define BUFFER_BYTES (256u << 10)
#define PADDING 64u

/* Where in the file the reader is. */
enum { AT_BEGIN, IN_ARRAY, IN_FRAMES, IN_OBJECT, AT_END };

struct EventReader {
    ByteSource *source;
    char *buffer;
    gsize room; /* without the padding */
    const char *at, *end;
    guint64 base;       /* offset of the buffer in the text */
    gboolean is_over;   /* nothing more comes from the source */
    gboolean is_object; /* the form of the file */
    gboolean wants_comma;
    guint8 state;
    const char *expected, *place;
    char *message;
    BufferOwner owner; /* retire NULL: there is none */
    gboolean is_used;  /* events were handed out of the buffer */
    GapTable gaps;
};

char *event_reader_new_buffer(void)
{
    return g_malloc(BUFFER_BYTES + PADDING);
}

void event_reader_set_owner(EventReader *r, BufferOwner owner)
{
    r->owner = owner;
}

EventReader *event_reader_new(ByteSource *source, guint64 offset)
{
    EventReader *r = g_new0(EventReader, 1);

    if (offset) {
        byte_source_skip(source, offset);
        r->base = offset;
        r->state = IN_ARRAY;
        r->is_object = TRUE;
    }

    r->source = source;
    r->room = BUFFER_BYTES;
    r->buffer = event_reader_new_buffer();
    r->at = r->end = r->buffer;
    *r->buffer = '"';
    gap_table_init(&r->gaps);
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

/* ---- bytes ---- */

/* What is left goes on in another buffer. */
static void replace_buffer(EventReader *r, char *buffer, gsize room, gsize left)
{
    memcpy(buffer, r->at, left);
    if (r->owner.retire && r->is_used)
        r->owner.retire(r->owner.user, r->buffer, r->room != BUFFER_BYTES);
    else
        g_free(r->buffer);
    r->is_used = FALSE;
    r->buffer = buffer;
    r->room = room;
}

/* Room behind what is left, which is moved to the begin; FALSE: it is too much. */
static gboolean make_room(EventReader *r, gsize left)
{
    const gboolean is_kept = r->owner.retire && r->is_used;

    if (left > r->room / 2) {
        if (r->room >= 2 * EVENT_BYTES_MAX)
            return FALSE;
        replace_buffer(r, g_malloc(2 * r->room + PADDING), 2 * r->room, left);
    } else if (!is_kept) {
        memmove(r->buffer, r->at, left);
    } else if (left > BUFFER_BYTES / 2) {
        replace_buffer(r, g_malloc(r->room + PADDING), r->room, left);
    } else {
        replace_buffer(r, r->owner.obtain(r->owner.user), BUFFER_BYTES, left);
    }
    return TRUE;
}

/* More bytes behind those from `at` on; FALSE: there are none, or there is no room for them. A '"'
 * behind the last one ends every search. */
static gboolean fill(EventReader *r)
{
    const gsize left = (gsize)(r->end - r->at);
    const guint64 base = r->base + (guint64)(r->at - r->buffer);
    gssize n;

    if (r->is_over || !make_room(r, left))
        return FALSE;
    r->base = base;
    n = byte_source_read(r->source, r->buffer + left, r->room - left);
    r->is_over = n <= 0;
    r->at = r->buffer;
    r->end = r->buffer + left + MAX(n, 0);
    memset((char *)r->end, '"', PADDING);
    return n > 0;
}

static gboolean skip_blanks(EventReader *r)
{
    do
        r->at = slice_skip_blanks(r->at);
    while (r->at >= r->end && fill(r));
    return r->at < r->end;
}

static guint64 offset_of(const EventReader *r, const char *place)
{
    return r->base + (guint64)(place - r->buffer);
}

/* ---- events ---- */

/* NULL with `expected` NULL: more bytes are needed. */
static const char *wrong(EventReader *r, const char *p, const char *expected)
{
    if (p >= r->end)
        return NULL;
    r->expected = expected;
    r->place = p;
    return NULL;
}

/* "key": with the blanks around it. */
static inline const char *take_key(EventReader *r, const char *p, Slice *key)
{
    if (*p != '"' || p >= r->end)
        return wrong(r, p, "a key");
    p = slice_scan(p, r->end, key, &r->expected, &r->place);
    if (!p)
        return NULL;
    p = slice_skip_blanks(p);
    if (*p != ':')
        return wrong(r, p, "a colon");
    return slice_skip_blanks(p + 1);
}

/* Whose value the key's is; FALSE: its value is the object of arguments. */
static gboolean find_place(Event *event, const char *value, GapEnd *found)
{
    Slice *slot = found->in_args ? NULL : event_place(event, &found->key);

    if (slot == &event->args && *value == '{')
        return FALSE;
    found->type = found->in_args ? GAP_ARGUMENT : slot ? GAP_MEMBER : GAP_OTHER;
    found->member = slot ? (guint16)((char *)slot - (char *)event) : 0;
    return TRUE;
}

/* From an event's begin (`is_first`) or from behind a value to the next value, or behind the event.
 * NULL as for slice_scan. */
static const char *scan_gap(EventReader *r, const char *p, gboolean is_first, Event *event,
                            GapEnd *found)
{
    p += is_first;
    for (;;) {
        p = slice_skip_blanks(p);
        if (*p == '}') {
            p++;
            if (!found->in_args) {
                found->type = GAP_END;
                return p;
            }
            found->in_args = FALSE;
            is_first = FALSE;
            continue;
        }
        if (!is_first) {
            if (*p != ',')
                return wrong(r, p, "a comma or the end of an object");
            p = slice_skip_blanks(p + 1);
        }
        p = take_key(r, p, &found->key);
        if (!p || find_place(event, p, found))
            return p;
        found->in_args = TRUE;
        is_first = TRUE;
        p++;
    }
}

/* What its value begins with says what it is. */
static gboolean is_of_args(const GapEnd *found)
{
    return found->type == GAP_MEMBER && found->member == G_STRUCT_OFFSET(Event, args);
}

/* The gap by its scan, kept if it can be. */
static G_GNUC_NO_INLINE const char *take_new_gap(EventReader *r, const char *p, guint *gap,
                                                 gboolean is_first, Event *event, GapEnd *found)
{
    const gboolean is_known = *gap || is_first; /* how it came here */
    const char *end = scan_gap(r, p, is_first, event, found);

    if (is_known && end && end < r->end && !is_of_args(found))
        *gap = gap_table_learn(&r->gaps, *gap, p, end, found);
    else
        *gap = 0;
    found->key.tag = (guint16)*gap;
    return end;
}

/* The next gap, from `*gap` on (0: it is not known); where it ends. */
static inline const char *take_gap(EventReader *r, const char *p, guint *gap, gboolean is_first,
                                   Event *event, GapEnd *found)
{
    const guint next = *gap || is_first ? gap_table_find(&r->gaps, *gap, p) : 0;
    const Gap *known = &r->gaps.gaps[next];

    /* One that goes on with more blanks is another one. */
    if (G_UNLIKELY(!next || (known->type != GAP_END && (guchar)p[known->length] <= ' ')))
        return take_new_gap(r, p, gap, is_first, event, found);
    *gap = next;
    found->type = known->type;
    found->in_args = known->in_args;
    found->member = known->member;
    found->key = (Slice){p + known->key_at, known->key_length, SLICE_STRING, known->has_escapes,
                         (guint16)next};
    return p + known->length;
}

/* Where the value goes. */
static inline Slice *place_of(Event *event, const GapEnd *found)
{
    EventArg *arg;

    if (found->type == GAP_MEMBER)
        return (Slice *)(void *)((char *)event + found->member);
    if (found->type == GAP_ARGUMENT) {
        arg = &event->arg[event->n_args];
        event->n_args += event->n_args + 1 < EVENT_ARGS_MAX;
    } else {
        arg = &event->others[event->n_others];
        event->n_others += event->n_others + 1 < EVENT_OTHERS_MAX;
    }
    arg->key = found->key;
    return &arg->value;
}

/* From the opening brace on; NULL as for slice_scan. */
static const char *take_event(EventReader *r, const char *p, Event *event)
{
    GapEnd found = {.in_args = FALSE};
    guint gap = 0;

    memset(event, 0, G_STRUCT_OFFSET(Event, others));
    event->offset = offset_of(r, p);
    p = take_gap(r, p, &gap, TRUE, event, &found);
    while (p && found.type != GAP_END) {
        p = slice_scan(p, r->end, place_of(event, &found), &r->expected, &r->place);
        if (p)
            p = take_gap(r, p, &gap, FALSE, event, &found);
    }
    return p;
}

/* One of "stackFrames", from its key on. */
static const char *take_frame(EventReader *r, const char *p, Event *event)
{
    Slice id = {0};

    p = take_key(r, p, &id);
    if (p && *p != '{')
        return wrong(r, p, "a frame");
    p = p ? take_event(r, p, event) : NULL;
    event->id = id;
    return p;
}

/* ---- damage ---- */

/* Goes on where an object, or the next frame, begins behind a comma that follows one. */
static void resume(EventReader *r)
{
    gboolean has_brace = FALSE, has_comma = FALSE;

    do {
        for (; r->at < r->end; r->at++) {
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
    r->at = MIN(place + 1, r->end);
    resume(r);
    return EVENT_DAMAGE;
}

/* What the bytes at hand are the begin of does not end. */
static int cut(EventReader *r, Event *event, const char **error)
{
    const char *reason = byte_source_error(r->source);

    if (!r->is_over)
        return damage(r, event, r->at, "something of less than 16 MiB", error);
    event->offset = offset_of(r, r->end);
    r->at = r->end;
    r->state = AT_END;
    *error = *reason ? reason : "the file ends too early";
    return EVENT_DAMAGE;
}

/* ---- the file ---- */

/* `result` is EVENT_ONE or EVENT_FRAME. */
static int next_event(EventReader *r, int result, Event *event, const char **error)
{
    const char *p;

    do {
        r->expected = NULL;
        p = result == EVENT_FRAME ? take_frame(r, r->at, event) : take_event(r, r->at, event);
    } while (!p && !r->expected && fill(r));
    if (r->expected)
        return damage(r, event, r->place, r->expected, error);
    if (!p)
        return cut(r, event, error);
    r->at = p;
    r->wants_comma = TRUE;
    return result;
}

static int end_of_events(EventReader *r, Event *event, const char **error)
{
    const char *reason = byte_source_error(r->source);

    r->state = AT_END;
    event->offset = offset_of(r, r->end);
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
        if (!skip_blanks(r))
            return end_of_events(r, event, error);
    }
    if (*r->at == ']') { /* a comma before it is forgiven: writers that append leave one */
        r->at++;
        r->state = r->is_object ? IN_OBJECT : AT_END;
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
    const char *p = take_key(r, r->at, &event->name);

    if (!p || p >= r->end)
        return FALSE;
    *state = state_of_member(&event->name, *p);
    if (*state == IN_OBJECT)
        p = slice_scan(p, r->end, &event->args, &r->expected, &r->place);
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

    memset(event, 0, G_STRUCT_OFFSET(Event, others));
    event->offset = offset_of(r, r->at);
    do {
        r->expected = NULL;
        is_good = take_top(r, event, &state);
    } while (!is_good && !r->expected && fill(r));
    if (r->expected)
        return damage(r, event, r->place, r->expected, error);
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
        r->state = AT_END;
        return EVENT_END;
    }
    if (r->wants_comma)
        return damage(r, event, r->at, "a comma or the end of the trace", error);
    return top_member(r, event, error);
}

static int at_begin(EventReader *r, Event *event, const char **error)
{
    const char *reason;

    fill(r);
    reason = byte_source_error(r->source);
    if (r->end - r->at >= 3 && !memcmp(r->at, "\xef\xbb\xbf", 3))
        r->at += 3;
    event->offset = 0;
    if (!skip_blanks(r)) {
        r->state = AT_END;
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
        default:
            break;
        }
        /* A bracket that was passed is nobody's business, nor is the key of the events. */
        if (result != EVENT_MEMBER || (event->name.type && event->args.type)) {
            r->is_used = TRUE;
            return result;
        }
    }
}
