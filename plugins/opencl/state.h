/* SPDX-License-Identifier: Apache-2.0 */
/* The state that all parts of the collector share. */
#ifndef STROBE_PLUGINS_OPENCL_STATE_H
#define STROBE_PLUGINS_OPENCL_STATE_H

#include <stdatomic.h>
#include <stdint.h>

#include <strobe/collector.h>
#include <strobe/kinds.h>

typedef struct Opencl {
    const StrobeHost *host; /* NULL: no session has been opened */
    StrobeInstance *self;
    StrobeKindId task, call, pair;
    int records_calls;
    int64_t clock_interval_ns;
    /* called at exit to record the finished commands; set before is_open */
    void (*at_exit)(void);
    uint64_t session, window; /* numbers of the present session and window */
    _Atomic int is_open;      /* a session is open */
    _Atomic int is_forcing;   /* queues get profiling even if the program did not request it */
    _Atomic int is_ending;    /* a window has stopped, and its last commands are being recorded */
    /* the process is ending or is a forked child, so the driver must not be called */
    _Atomic int is_gone;
    _Atomic uint64_t n_untimed; /* number of commands of queues without profiling */
    /* number of commands whose times are impossible, or were not reported */
    _Atomic uint64_t n_mistimed;
    _Atomic uint64_t n_failed; /* number of commands that ended with an error */
    /* number of commands that could not be followed because there was no memory */
    _Atomic uint64_t n_unmade;
} Opencl;

extern Opencl opencl;

static inline void opencl_count(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* Returns the next link id of the calling thread. */
uint64_t opencl_link_id(void);

/* Registers an exit handler, which calls at_exit before the driver's exit handlers run. Any thread
 * may call this function. */
void opencl_mind_exit(void);

#endif
