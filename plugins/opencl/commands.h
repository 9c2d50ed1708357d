/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands that the device has not finished yet, as far as we know.
 *
 * Each command is followed by its event. When the command is complete, the first thread to see it
 * records it: in the driver's callback, or in a call of the program that has waited for it. No lock
 * is taken. Memory is allocated only if more commands are open than ever before.
 */
#ifndef STROBE_PLUGINS_OPENCL_COMMANDS_H
#define STROBE_PLUGINS_OPENCL_COMMANDS_H

#include "queues.h"
#include "opencl-tasks.h"

typedef struct OpenclCommand {
    _Atomic(struct OpenclCommand *) next; /* in its queue's list */
    _Atomic uint32_t next_free;           /* in the list of free commands, from 1 */
    uint32_t place;                       /* its number among all commands, from 1 */
    _Atomic uint32_t state;               /* see commands.c */
    _Atomic uint32_t holders; /* references: of the queue's list and of the driver's callback */
    _Atomic(cl_event) event;
    OpenclQueue *queue;
    uint32_t number;            /* in its queue */
    uint32_t is_reported;       /* the driver calls us when it is complete */
    _Atomic uint32_t is_called; /* the driver has called */
    uint64_t session;           /* the session in which it began */
    OpenclWork work;
} OpenclCommand;

/* Returns a command for the queue; NULL: out of memory. */
OpenclCommand *opencl_command_new(OpenclQueue *queue);
/* Gives the command back: it was not put into the queue. */
void opencl_command_drop(OpenclCommand *command);
/* Follows a command that was put into the queue. `event` is its event; one reference to it is ours.
 * `is_complete`: the call has waited for the command. */
void opencl_command_follow(OpenclCommand *command, cl_event event, int is_complete);

/* Records the commands of the queue that are complete. */
void opencl_commands_reap(OpenclQueue *queue);
void opencl_commands_reap_all(void);
/* Records the command of an event that is known to be complete, if we follow it. */
void opencl_commands_release(cl_event event);
/* Returns how many references to the event are ours. */
cl_uint opencl_commands_holds(cl_event event);
/* Has the device begun any command that we follow, or received one? */
int opencl_commands_are_running(void);
/* Returns the number of commands that are not recorded yet. */
uint64_t opencl_commands_count(void);

#endif
