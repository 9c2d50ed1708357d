/* SPDX-License-Identifier: Apache-2.0 */
/* The schedule: the action of a step, and the calls for a change of action. The functions have no
 * state. */
#ifndef STROBE_CORE_SCHEDULE_H
#define STROBE_CORE_SCHEDULE_H

#include <strobe/strobe.h>
#include "config.h"

/* Returns the action of step `step`, from 0. The configuration's limits ensure that no sum
 * overflows. */
StrobeAction strobe_schedule_action(const StrobeScheduleConfig *schedule, gint64 step);

/* A fifth action, for the table of transitions: the session does not run. */
#define STROBE_ACTION_EXIT 4

/* Calls of a transition, made in this order. */
enum {
    STROBE_CALL_WARN = 1u << 0,    /* the transition's message */
    STROBE_CALL_STOP = 1u << 1,    /* the window ends: stop, flush, seal, write the info files */
    STROBE_CALL_HANDLER = 1u << 2, /* call the function of on_trace_ready */
    STROBE_CALL_COOL = 1u << 3,
    STROBE_CALL_WARM = 1u << 4,
    STROBE_CALL_START = 1u << 5 /* a window begins */
};

typedef struct StrobeTransition {
    guint32 calls;
    const char *warning; /* the message for STROBE_CALL_WARN */
} StrobeTransition;

/* Returns the calls to make between two steps. `previous` is an action; `next` is an action or
 * STROBE_ACTION_EXIT. */
const StrobeTransition *strobe_schedule_transition(int previous, int next);

#endif
