/* SPDX-License-Identifier: Apache-2.0 */
#include "event-scan.h"

const char *event_scan_wrong(EventScan *s, const char *p, const char *expected)
{
    if (p >= s->end)
        return NULL;
    s->expected = expected;
    s->place = p;
    return NULL;
}

const char *event_scan_key(EventScan *s, const char *p, Slice *key)
{
    if (*p != '"' || p >= s->end)
        return event_scan_wrong(s, p, "a key");
    p = slice_scan(p, s->end, key, &s->expected, &s->place);
    if (!p)
        return NULL;
    p = slice_skip_blanks(p);
    if (*p != ':')
        return event_scan_wrong(s, p, "a colon");
    return slice_skip_blanks(p + 1);
}

/* The place in an event for the value of a member with this key; NULL: there is none. */
static Slice *event_place(Event *event, const Slice *key)
{
    switch (key->length) {
    case 1:
        return *key->text == 's' ? &event->scope : NULL;
    case 2:
        return SLICE_IS(key, "ph")   ? &event->phase
               : SLICE_IS(key, "ts") ? &event->ts
               : SLICE_IS(key, "id") ? &event->id
               : SLICE_IS(key, "bp") ? &event->bind
               : SLICE_IS(key, "sf") ? &event->frame
                                     : NULL;
    case 3:
        return SLICE_IS(key, "cat")   ? &event->category
               : SLICE_IS(key, "pid") ? &event->pid
               : SLICE_IS(key, "tid") ? &event->tid
               : SLICE_IS(key, "dur") ? &event->dur
               : SLICE_IS(key, "id2") ? &event->id
               : SLICE_IS(key, "esf") ? &event->end_frame
                                      : NULL;
    case 4:
        return SLICE_IS(key, "name") ? &event->name : SLICE_IS(key, "args") ? &event->args : NULL;
    case 5:
        return SLICE_IS(key, "stack") ? &event->stack : NULL;
    case 6:
        return SLICE_IS(key, "estack") ? &event->end_stack : NULL;
    default:
        return NULL;
    }
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
static const char *scan_gap(EventScan *s, const char *p, gboolean is_first, Event *event,
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
                return event_scan_wrong(s, p, "a comma or the end of an object");
            p = slice_skip_blanks(p + 1);
        }
        p = event_scan_key(s, p, &found->key);
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
static G_GNUC_NO_INLINE const char *take_new_gap(EventScan *s, const char *p, guint *gap,
                                                 gboolean is_first, Event *event, GapEnd *found)
{
    const gboolean is_known = *gap || is_first; /* how it came here */
    const char *end = scan_gap(s, p, is_first, event, found);

    if (is_known && end && end < s->end && !is_of_args(found))
        *gap = gap_table_learn(&s->gaps, *gap, p, end, found);
    else
        *gap = 0;
    found->key.tag = (guint16)(*gap ? s->first_tag + *gap : 0);
    return end;
}

/* The next gap, from `*gap` on (0: it is not known); where it ends. */
static inline const char *take_gap(EventScan *s, const char *p, guint *gap, gboolean is_first,
                                   Event *event, GapEnd *found)
{
    const guint next = *gap || is_first ? gap_table_find(&s->gaps, *gap, p) : 0;
    const Gap *known = &s->gaps.gaps[next];

    /* One that goes on with more blanks is another one. */
    if (G_UNLIKELY(!next || (known->type != GAP_END && (guchar)p[known->length] <= ' ')))
        return take_new_gap(s, p, gap, is_first, event, found);
    *gap = next;
    found->type = known->type;
    found->in_args = known->in_args;
    found->member = known->member;
    found->key = (Slice){p + known->key_at, known->key_length, SLICE_STRING, known->has_escapes,
                         (guint16)(s->first_tag + next)};
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
        event->is_overfull = event->n_args + 1 == EVENT_ARGS_MAX;
        event->n_args += !event->is_overfull;
    } else {
        arg = &event->others[event->n_others];
        event->n_others += event->n_others + 1 < EVENT_OTHERS_MAX;
    }
    arg->key = found->key;
    return &arg->value;
}

const char *event_scan_one(EventScan *s, const char *p, Event *event)
{
    GapEnd found = {.in_args = FALSE};
    guint gap = 0;

    memset(event, 0, G_STRUCT_OFFSET(Event, arg));
    p = take_gap(s, p, &gap, TRUE, event, &found);
    while (p && found.type != GAP_END) {
        p = slice_scan(p, s->end, place_of(event, &found), &s->expected, &s->place);
        if (p)
            p = take_gap(s, p, &gap, FALSE, event, &found);
    }
    return p;
}

/* ---- where events begin ---- */

static gboolean is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* A brace behind a comma behind a brace. */
static gboolean follows_an_object(const char *text, const char *p)
{
    while (p > text && is_blank(p[-1]))
        p--;
    if (p == text || *--p != ',')
        return FALSE;
    while (p > text && is_blank(p[-1]))
        p--;
    return p > text && p[-1] == '}';
}

gsize event_scan_find_last(const EventScan *s, const char *text, gsize from, gsize until)
{
    gsize likely = 0;

    for (gsize at = until; at > from;) {
        const char *p = memrchr(text + from, '{', at - from);

        if (!p)
            break;
        at = (gsize)(p - text);
        if (!follows_an_object(text, p))
            continue;
        if (gap_table_find(&s->gaps, 0, p)) /* as events before it do */
            return at;
        likely = likely ? likely : at;
    }
    return likely;
}

void event_scan_init(EventScan *s)
{
    s->first_tag = 0;
    gap_table_init(&s->gaps);
}

void event_scan_learn(EventScan *s, const EventScan *other)
{
    s->gaps = other->gaps;
    s->first_tag = GAPS_MAX;
}
