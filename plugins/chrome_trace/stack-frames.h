/* SPDX-License-Identifier: Apache-2.0 */
/* Reads stacks of events. An event has either the id of a frame ("sf", "esf"), which "stackFrames"
 * describes, usually after the events, or a list of its frames ("stack", "estack"). */
#ifndef STROBE_CHROME_TRACE_STACK_FRAMES_H
#define STROBE_CHROME_TRACE_STACK_FRAMES_H

#include "trace-import.h"

/* The stacks of one event at its begin and at its end; 0: none. */
typedef struct Stacks {
    StrobeStackId begin, end;
} Stacks;

StackFrames *stack_frames_new(void);
void stack_frames_free(StackFrames *frames); /* `frames` may be NULL */

/* Reads one frame of "stackFrames". */
void stack_frames_take(Import *import, const Event *frame);
/* Returns whether all frames have been read, or the file has none. */
gboolean stack_frames_are_known(const StackFrames *frames);
void stack_frames_set_known(StackFrames *frames);
/* Reports damage in the frames and stacks. */
void stack_frames_finish(Import *import);

static inline gboolean event_has_stack(const Event *event)
{
    return (event->frame.type | event->end_frame.type | event->stack.type |
            event->end_stack.type) != STROBE_JSON_END;
}

/* Returns whether the event refers to frames by their ids. */
static inline gboolean event_names_frames(const Event *event)
{
    return (event->frame.type | event->end_frame.type) != STROBE_JSON_END;
}

Stacks stacks_of_event(Import *import, const Event *event);
/* Emits the stacks of an event as separate records, because the event's own record has no field for
 * them. */
void stacks_emit(Import *import, const Stacks *stacks, StrobeTrackId track, StrobeStringId name,
                 gint64 begin, gint64 end);

#endif
