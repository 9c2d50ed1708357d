/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends the program's requests to the writer (writer-loop.h) through words in the pool. The writer
 * is a process beside the program, or a thread of it if no process can be started.
 *
 * No function waits for a writer that has ended. All functions are for the control thread unless
 * documented otherwise. They return 0 or an errno value. libc only.
 */
#ifndef STROBE_CORE_WRITER_LINK_H
#define STROBE_CORE_WRITER_LINK_H

#include <pthread.h>
#include "pool.h"
#include "writer-state.h"

typedef struct StrobeWriterLink {
    struct pool_header *pool;
    struct StrobeWriterLoop *loop; /* of the thread; NULL: the writer is a process */
    pthread_t thread;
    int process_error; /* why it is no process */
    StrobeMakeDump
        *make_dump; /* of a StrobeWriterLoopProgram, for a thread; set before it starts */
    void *user;
} StrobeWriterLink;

/* Starts the writer of the pool, whose settings are set: in a process of `strobe run`, else in one
 * of its own, if it `may_start_process`, else in a thread. */
int strobe_link_start(StrobeWriterLink *link, StrobePool *pool, int may_start_process);
/* The writer ends when all windows are written. A thread is waited for. Returns whether the pool is
 * to be removed: a process does that itself, and where one is gone, recovery needs what is left. */
int strobe_link_stop(StrobeWriterLink *link);

/* Waits until there is room for another window; EOWNERDEAD: there will not be. */
int strobe_link_await_place(StrobeWriterLink *link, uint32_t window);
/* Call this when the window's place in the pool holds its begin and its capture's path. From
 * then on recovery knows the window. */
void strobe_link_name_window(StrobeWriterLink *link, uint32_t window);
/* The window that was named has its capture. Waits until the writer has
 * begun to write it, unless it is busy with the one before: returns why it cannot. Then, too, the
 * window is to be ended. */
int strobe_link_begin_window(StrobeWriterLink *link, uint32_t window);
/* Has collectors in the writer process record in the window, and waits until they have been
 * started, for a second at most; not while the writer is busy with the window before. Ends that. */
void strobe_link_begin_sampling(StrobeWriterLink *link, uint32_t window);
void strobe_link_end_sampling(StrobeWriterLink *link);
/* Has some of them paused, others go on: bits, as in struct pool_control. Waits as above. */
void strobe_link_pause(StrobeWriterLink *link, uint64_t paused, uint64_t resumed);
/* Call this when the gate is shut: stores the window's end and the losses so far. The window goes
 * on until strobe_link_end_window(). */
void strobe_link_shut_window(StrobeWriterLink *link, uint32_t window, uint64_t end);
/* The thread buffers have handed over: the writer writes everything that is left, seals and closes.
 */
void strobe_link_end_window(StrobeWriterLink *link, uint32_t window, uint64_t end, unsigned n_stuck,
                            int has_strays);
/* Waits until that is done for the window, for `patience_ns` at most, -1: as long as it takes.
 * Returns its first error of writing; EINPROGRESS: not done; EOWNERDEAD: the writer is gone. */
int strobe_link_wait(StrobeWriterLink *link, uint32_t window, int64_t patience_ns);

/* Requests a dump of the ring and returns: any thread, and in a signal handler. The writer finds
 * the request when it looks next, also if the program is gone. */
void strobe_link_request_dump(StrobeWriterLink *link, uint32_t why);
/* The same for a step, which has a reason; one thread. */
void strobe_link_request_step_dump(StrobeWriterLink *link, const char *reason);
/* The same for a call: waits, and returns the path of the result directory. Any thread. */
int strobe_link_dump(StrobeWriterLink *link, const char *reason, char path[PATH_MAX]);
/* Takes the next dump that was requested without waiting, if the writer has served one more than
 * `n_taken`, which is counted on. Returns 0: none. */
int strobe_link_take_dump(StrobeWriterLink *link, uint32_t *n_taken, struct pool_dump *dump);
/* How many requests the configuration did not allow so far (dump.max, dump.min_interval). */
uint32_t strobe_link_refused_dumps(const StrobeWriterLink *link);
/* Lets the next segment of the capture begin soon. Any thread. */
void strobe_link_roll(StrobeWriterLink *link);
/* Losses of the present or last window. */
void strobe_link_losses(StrobeWriterLink *link, uint64_t lost[STROBE_LOSS_CAUSES]);
/* In a forked child: gives up what is the parent's. */
void strobe_link_forget(StrobeWriterLink *link);

#endif
