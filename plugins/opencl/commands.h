/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands that the device has not finished yet, as far as we know.
 *
 * Each command is followed by its event. When it is complete, the first that sees it records it
 * once: the driver's callback, or a call of the program that has waited for it. No lock is taken.
 * Memory is allocated only if more commands are open than ever before.
 */
#ifndef STROBE_PLUGINS_OPENCL_COMMANDS_H
#define STROBE_PLUGINS_OPENCL_COMMANDS_H

#include "queues.h"
#include "opencl-tasks.h"

typedef struct OpenclCommand {
    _Atomic(struct OpenclCommand *) next; /* in its queue's list */
    _Atomic uint32_t next_free;           /* in the list of free ones, from 1 */
    uint32_t place;                       /* among all, from 1 */
    _Atomic uint32_t state;               /* see commands.c */
    _Atomic uint32_t holders;             /* the queue's list, the driver's callback */
    _Atomic(cl_event) event;
    OpenclQueue *queue;
    uint32_t number;            /* in its queue */
    uint32_t is_reported;       /* the driver calls us when it is complete */
    _Atomic uint32_t is_called; /* it has */
    uint64_t session;           /* that it was begun in */
    OpenclWork work;
} OpenclCommand;

/* One for a command of the queue, NULL: there is no memory. */
OpenclCommand *opencl_command_new(OpenclQueue *queue);
/* It was not begun after all. */
void opencl_command_drop(OpenclCommand *command);
/* It was begun, with this event, of which one reference is ours. `is_complete`: the call has waited
 * for it. */
void opencl_command_follow(OpenclCommand *command, cl_event event, int is_complete);

/* Records what is complete in the queue. */
void opencl_commands_reap(OpenclQueue *queue);
void opencl_commands_reap_all(void);
/* The event is known to be complete: records its command, if it is one of ours. */
void opencl_commands_release(cl_event event);
/* References to the event that are ours. */
cl_uint opencl_commands_holds(cl_event event);
/* Is any command under way that the device has begun or is about to begin? */
int opencl_commands_are_running(void);
/* How many are not recorded yet. */
uint64_t opencl_commands_count(void);

#endif
