/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows the commands that are not known to be finished.
 *
 * A command is identified by its event. When the command is complete, the first thread that notices
 * this records it: in the driver's callback, or in a call of the program that has waited for the
 * command. No lock is taken. Memory is allocated only if more commands are open than ever before.
 */
#ifndef STROBE_PLUGINS_OPENCL_COMMANDS_H
#define STROBE_PLUGINS_OPENCL_COMMANDS_H

#include "queues.h"
#include "opencl-tasks.h"

typedef struct OpenclCommand {
    _Atomic(struct OpenclCommand *) next; /* next command in the queue's list */
    _Atomic uint32_t next_free;           /* `place` of the next free command; 0: none */
    uint32_t place;                       /* number of this OpenclCommand among all, from 1 */
    _Atomic uint32_t state;               /* see commands.c */
    /* number of references: one of the queue's list, one of the driver's callback */
    _Atomic uint32_t holders;
    _Atomic(cl_event) event;
    OpenclQueue *queue;
    uint32_t number; /* number of the command in its queue */
    /* the driver will call on_complete when the command is complete */
    uint32_t is_reported;
    _Atomic uint32_t is_called; /* the driver has called on_complete */
    uint64_t session;           /* number of the session in which the command began */
    OpenclWork work;
} OpenclCommand;

/* Returns a command for the queue; NULL: out of memory. */
OpenclCommand *opencl_command_new(OpenclQueue *queue);
/* Frees a command that was not put into the queue. */
void opencl_command_drop(OpenclCommand *command);
/* Follows a command that was put into the queue. Takes over one reference to its event.
 * `is_complete`: the command is complete, because the call has waited for it. */
void opencl_command_follow(OpenclCommand *command, cl_event event, int is_complete);

/* Records the commands of the queue that are complete. */
void opencl_commands_reap(OpenclQueue *queue);
void opencl_commands_reap_all(void);
/* Records the command of an event that is known to be complete, if the layer follows this
 * command. */
void opencl_commands_release(cl_event event);
/* Returns the number of references to the event that the layer holds. */
cl_uint opencl_commands_holds(cl_event event);
/* Returns whether the device has received or begun a command that the layer follows. */
int opencl_commands_are_running(void);
/* Returns the number of commands that are not recorded yet. */
uint64_t opencl_commands_count(void);

#endif
