/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One event of a Chrome trace after the other, in the memory of the longest one.
 *
 * Both forms are read: an array of events, whose end may be missing, and an object with
 * "traceEvents", whose other members are handed out as they come, "stackFrames" frame by frame.
 * All texts are valid until the next call.
 */
#ifndef STROBE_CHROME_TRACE_EVENT_READER_H
#define STROBE_CHROME_TRACE_EVENT_READER_H

#include "byte-source.h"
#include "json-value.h"

#define EVENT_ARGS_MAX 256u
#define EVENT_OTHERS_MAX 8u
#define EVENT_BYTES_MAX STROBE_JSON_STRING_MAX /* longer events and members are damage */

typedef struct EventArg {
    StrobeJsonValue key, value;
} EventArg;

/* Members that an event lacks are of type STROBE_JSON_END and length 0. */
typedef struct Event {
    StrobeJsonValue phase, name, category, ts, dur, id, pid, tid, scope, bind;
    StrobeJsonValue frame, end_frame, stack, end_stack; /* sf, esf, stack, estack */
    StrobeJsonValue args; /* as a whole, if it is no object; of a top-level member: its value */
    guint n_args;
    guint n_others;
    gboolean is_overfull; /* it has more arguments */
    guint64 offset;       /* of its begin in the (decompressed) text */
    EventArg arg[EVENT_ARGS_MAX];
    EventArg others[EVENT_OTHERS_MAX]; /* members that no field is for */
} Event;

typedef struct EventReader EventReader;

enum {
    EVENT_END = 0,
    EVENT_ONE = 1,
    EVENT_MEMBER = 2, /* of the outermost object: `name` and `args` */
    EVENT_FRAME = 3,  /* of "stackFrames": `id`, `name`, the rest among `others` */
    EVENT_DAMAGE = -1 /* `error` says what was expected; reading goes on behind it */
};

/* From the begin of the text, or again from an event of "traceEvents" on, which begins at `offset`.
 */
EventReader *event_reader_new(ByteSource *source, guint64 offset);
void event_reader_free(EventReader *reader);
int event_reader_next(EventReader *reader, Event *event, const char **error);
/* Is the file an object? Known when something has been handed out. */
gboolean event_reader_is_object(const EventReader *reader);

#endif
