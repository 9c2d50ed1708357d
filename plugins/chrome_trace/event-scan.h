/* SPDX-License-Identifier: Apache-2.0 */
/* One event of a text that lies in memory. */
#ifndef STROBE_CHROME_TRACE_EVENT_SCAN_H
#define STROBE_CHROME_TRACE_EVENT_SCAN_H

#include "event-gaps.h"

#define EVENT_ARGS_MAX 256u
#define EVENT_OTHERS_MAX 8u

typedef struct EventArg {
    Slice key, value;
} EventArg;

/* Members that an event lacks are of type SLICE_NONE and length 0. */
typedef struct Event {
    Slice phase, name, category, ts, dur, id, pid, tid, scope, bind;
    Slice frame, end_frame, stack, end_stack; /* sf, esf, stack, estack */
    Slice args; /* as a whole, if it is no object; of a top-level member: its value */
    guint n_args;
    guint n_others;
    gboolean is_overfull; /* it has more arguments */
    guint64 offset;       /* of its begin in the (decompressed) text */
    /* An event (no frame) may be kept without what follows its last argument. */
    EventArg arg[EVENT_ARGS_MAX];
    EventArg others[EVENT_OTHERS_MAX]; /* members that no field is for */
} Event;

/* What is known of the text while it is scanned. */
typedef struct EventScan {
    const char *end;              /* behind it a '"' stands, and 64 more bytes may be read */
    const char *expected, *place; /* of what is wrong */
    guint first_tag;              /* tags of keys are above it */
    GapTable gaps;
} EventScan;

void event_scan_init(EventScan *scan);
/* Knows what another one knows. Tags of keys are those of no other one: there are two at most. */
void event_scan_learn(EventScan *scan, const EventScan *other);

/* The event from its brace at `p` on, all but its offset. Returns where it ends; NULL as for
 * slice_scan. */
const char *event_scan_one(EventScan *scan, const char *p, Event *event);
/* "key": with the blanks around it. */
const char *event_scan_key(EventScan *scan, const char *p, Slice *key);
/* NULL, with `expected` NULL where `p` is the text's end: more of it is needed. */
const char *event_scan_wrong(EventScan *scan, const char *p, const char *expected);

/* Where behind `from` and before `until` the last event seems to begin; 0: nowhere. GAP_BYTES may
 * be read there. A text or an argument may look like it too. */
gsize event_scan_find_last(const EventScan *scan, const char *text, gsize from, gsize until);

#endif
