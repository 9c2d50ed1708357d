/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the events of a Chrome trace one by one, in as much memory as the longest event needs.
 *
 * There are two forms of the file: an array of events, whose end may be missing, and an object with
 * "traceEvents". The other members of the object are returned in the order of the file,
 * "stackFrames" frame by frame. All texts are valid until the next call.
 */
#ifndef STROBE_CHROME_TRACE_EVENT_READER_H
#define STROBE_CHROME_TRACE_EVENT_READER_H

#include "byte-source.h"
#include "json-value.h"

#define EVENT_ARGS_MAX 256u
#define EVENT_OTHERS_MAX 8u
/* maximum size of an event or a member; longer ones are damage */
#define EVENT_BYTES_MAX STROBE_JSON_STRING_MAX

typedef struct EventArg {
    StrobeJsonValue key, value;
} EventArg;

/* An event. A missing member has the type STROBE_JSON_END and length 0. */
typedef struct Event {
    StrobeJsonValue phase, name, category, ts, dur, id, pid, tid, scope, bind;
    StrobeJsonValue frame, end_frame, stack, end_stack; /* the members sf, esf, stack, estack */
    /* value of "args", unless it is an object; for EVENT_MEMBER, the member's value */
    StrobeJsonValue args;
    guint n_args;
    guint n_others;
    gboolean is_overfull; /* the event has more arguments than fit */
    guint64 offset;       /* offset of the event's begin in the (decompressed) text */
    EventArg arg[EVENT_ARGS_MAX];
    EventArg others[EVENT_OTHERS_MAX]; /* members that have no field above */
} Event;

typedef struct EventReader EventReader;

enum {
    EVENT_END = 0,
    EVENT_ONE = 1,
    /* a member of the outermost object: its name is in `name`, its value in `args` */
    EVENT_MEMBER = 2,
    /* a frame of "stackFrames": its id is in `id`, its name in `name`, its other members in
     * `others` */
    EVENT_FRAME = 3,
    EVENT_DAMAGE = -1 /* `error` says what was expected; the next call continues after the damage */
};

/* Makes a reader that begins at the begin of the text (`offset` 0), or at the event of
 * "traceEvents" that begins at `offset`. */
EventReader *event_reader_new(ByteSource *source, guint64 offset);
void event_reader_free(EventReader *reader);
int event_reader_next(EventReader *reader, Event *event, const char **error);
/* Returns whether the file is an object; valid after the first event_reader_next. */
gboolean event_reader_is_object(const EventReader *reader);

#endif
