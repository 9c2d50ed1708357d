/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends the program's requests to the writer (writer-loop.h) through words in the pool. The
 * writer is a separate process, or a thread of the program if no process can be started.
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
    struct StrobeWriterLoop *loop; /* loop of a writer thread; NULL: the writer is a process */
    pthread_t thread;
    int process_error; /* error of the start of a writer process; 0: there was none */
    int run_error;     /* why `strobe run` did not start the writer; ESRCH: `strobe run` started a
                          writer, which has ended */
    /* for the StrobeWriterLoopProgram of a writer thread; set before the thread starts */
    StrobeMakeDump *make_dump;
    void (*segment_done)(void *user, const char *name);
    void *user;
} StrobeWriterLink;

/* Starts the writer of the pool, whose settings must be set. With `may_start_process`, `strobe run`
 * starts a writer process if there is a run, or else this call does; if that is not possible, or
 * without `may_start_process`, this call starts a writer thread. */
int strobe_link_start(StrobeWriterLink *link, StrobePool *pool, int may_start_process);
/* Makes the writer end when all windows are written; waits for the end of a writer thread. Returns
 * 1 if the caller must remove the pool, otherwise 0. A writer process removes the pool itself. If
 * the process has ended early, the caller must remove the pool only if no window is left in it,
 * because recovery needs the pool of a window that is not written. */
int strobe_link_stop(StrobeWriterLink *link);

/* Waits until there is room for another window; EOWNERDEAD: the writer is gone. */
int strobe_link_await_place(StrobeWriterLink *link, uint32_t window);
/* Call this when the window's entry in the pool contains its begin and its capture's path. After
 * this, recovery knows the window. */
void strobe_link_name_window(StrobeWriterLink *link, uint32_t window);
/* Call this after strobe_link_name_window, when the window's capture has its metadata. Waits until
 * the writer has begun to write the window, unless the writer is busy with the previous window. If
 * the writer cannot write, returns the error; the caller must end the window even then. */
int strobe_link_begin_window(StrobeWriterLink *link, uint32_t window);
/* strobe_link_begin_sampling makes collectors in the writer process record in the window, and waits
 * at most a second until they have started, unless the writer is busy with the previous window.
 * strobe_link_end_sampling makes them stop. */
void strobe_link_begin_sampling(StrobeWriterLink *link, uint32_t window);
void strobe_link_end_sampling(StrobeWriterLink *link);
/* Pauses the collectors in the writer process whose bits are set in `paused`, and resumes those in
 * `resumed` (bits as in pool_control.paused). Waits at most a second until they have done so. */
void strobe_link_pause(StrobeWriterLink *link, uint64_t paused, uint64_t resumed);
/* Call this when the gate is shut: stores the window's end and the losses so far. The window is
 * active until strobe_link_end_window(). */
void strobe_link_shut_window(StrobeWriterLink *link, uint32_t window, uint64_t end);
/* Call this when the thread buffers have handed over their blocks: the writer then writes the rest,
 * and seals and closes the capture. */
void strobe_link_end_window(StrobeWriterLink *link, uint32_t window, uint64_t end, unsigned n_stuck,
                            int has_strays);
/* Waits until the window is written, for at most `patience_ns`, -1: without limit. Returns its
 * first write error; EINPROGRESS: the window is not written yet; EOWNERDEAD: the writer has
 * ended. */
int strobe_link_wait(StrobeWriterLink *link, uint32_t window, int64_t patience_ns);

/* Requests a dump of the ring and returns at once. Any thread, also in a signal handler. The writer
 * finds the request at its next check, even if the program has ended. */
void strobe_link_request_dump(StrobeWriterLink *link, uint32_t why);
/* Like strobe_link_request_dump, for a slow step, with the reason as text; one thread. */
void strobe_link_request_step_dump(StrobeWriterLink *link, const char *reason);
/* Requests a dump, waits for it, and returns the path of its result directory. Any thread. */
int strobe_link_dump(StrobeWriterLink *link, const char *reason, char path[PATH_MAX]);
/* Reads the outcome of the next dump for which no call waits, if the writer has made more than
 * `*n_taken`, and increments `*n_taken`. Returns 0 if there is none. */
int strobe_link_take_dump(StrobeWriterLink *link, uint32_t *n_taken, struct pool_dump *dump);
/* Returns the number of requests so far that the configuration did not allow (dump.max,
 * dump.min_interval). */
uint32_t strobe_link_refused_dumps(const StrobeWriterLink *link);
/* Requests the next segment of the capture. Any thread. */
void strobe_link_roll(StrobeWriterLink *link);
/* Sets `lost` to the losses of the current or last window, by cause. */
void strobe_link_losses(StrobeWriterLink *link, uint64_t lost[STROBE_LOSS_CAUSES]);
/* In a forked child: releases the parent's resources. */
void strobe_link_forget(StrobeWriterLink *link);

#endif
