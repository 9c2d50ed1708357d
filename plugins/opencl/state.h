/* SPDX-License-Identifier: Apache-2.0 */
/* The collector's state, which all its parts share. */
#ifndef STROBE_PLUGINS_OPENCL_STATE_H
#define STROBE_PLUGINS_OPENCL_STATE_H

#include <stdatomic.h>
#include <stdint.h>

#include <strobe/collector.h>
#include <strobe/kinds.h>

typedef struct Opencl {
    const StrobeHost *host; /* NULL: never opened */
    StrobeInstance *self;
    StrobeKindId task, call, pair;
    int records_calls;
    int64_t clock_interval_ns;
    void (*at_exit)(void);       /* records what is finished; set before is_open */
    uint64_t session, window;    /* count what was opened and started */
    _Atomic int is_open;         /* there is a session */
    _Atomic int is_forcing;      /* queues get profiling that they did not ask for */
    _Atomic int is_ending;       /* a window has stopped, and what comes late is flushed */
    _Atomic int is_gone;         /* the process ends, or is a forked child: no call to the driver */
    _Atomic uint64_t n_untimed;  /* commands of queues without profiling */
    _Atomic uint64_t n_mistimed; /* whose times make no sense, or were not told */
    _Atomic uint64_t n_failed;   /* that ended with an error */
    _Atomic uint64_t n_unmade;   /* that could not be followed for want of memory */
} Opencl;

extern Opencl opencl;

static inline void opencl_count(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* The next id for a link, of the calling thread's. */
uint64_t opencl_link_id(void);

/* Calls at_exit before the driver ends at exit. Any thread. */
void opencl_mind_exit(void);

#endif
