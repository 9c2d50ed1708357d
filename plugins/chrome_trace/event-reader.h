/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One event of a Chrome trace after the other, in the memory of the longest one.
 *
 * Both forms are read: an array of events, whose end may be missing, and an object with
 * "traceEvents", whose other members are handed out as they come, "stackFrames" frame by frame.
 * Everything is a slice of the buffer, valid until the next call.
 */
#ifndef STROBE_CHROME_TRACE_EVENT_READER_H
#define STROBE_CHROME_TRACE_EVENT_READER_H

#include "byte-source.h"
#include "event-scan.h"

typedef struct EventReader EventReader;

enum {
    EVENT_END = 0,
    EVENT_ONE = 1,
    EVENT_MEMBER = 2, /* of the outermost object: `name` and `args` */
    EVENT_FRAME = 3,  /* of "stackFrames": `id`, `name`, the rest among `others` */
    EVENT_CUT = 4,    /* the piece is over, and the next one begins with an event */
    EVENT_DAMAGE = -1 /* `error` tells what was expected; reading goes on behind it */
};

/* From the begin of the text, or again from an event of "traceEvents" on, which begins at `offset`.
 * `room` is what the buffer has to begin with. */
EventReader *event_reader_new(ByteSource *source, guint64 offset, gsize room);
void event_reader_free(EventReader *reader);
int event_reader_next(EventReader *reader, Event *event, const char **error);
/* Is the file an object? Known when something has been handed out. */
gboolean event_reader_is_object(const EventReader *reader);

/* ---- the text in pieces ---- */

/* Who hands out the text, instead of the source. */
typedef struct PieceOwner {
    void *user;
    /* The text at hand is over, and what was handed out of it is about to be moved. FALSE: there is
     * nobody any more who wants to know what follows. */
    gboolean (*wait)(void *user);
    /* As byte_source_read. `is_cut`: the next piece begins with an event. */
    gssize (*read)(void *user, char *bytes, gsize size, gboolean *is_cut);
} PieceOwner;

void event_reader_set_owner(EventReader *reader, PieceOwner owner);
/* Memory for the next piece, and what is there. */
char *event_reader_buffer(EventReader *reader, gsize *room);
/* `length` bytes are there, which are in the text at `offset` and begin with an event. */
void event_reader_set_piece(EventReader *reader, guint64 offset, gsize length, gboolean is_cut);
/* Goes on as the other one would, which has learned what events look like. */
void event_reader_learn(EventReader *reader, const EventReader *other);
const EventScan *event_reader_scan(const EventReader *reader);

/* Longer events and members are damage. */
#define EVENT_BYTES_MAX (16u << 20)

#endif
