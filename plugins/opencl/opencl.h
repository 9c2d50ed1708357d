/* SPDX-License-Identifier: Apache-2.0 */
/* The collector: its state, the records of calls, and what it has to say at the end. */
#ifndef STROBE_PLUGINS_OPENCL_OPENCL_H
#define STROBE_PLUGINS_OPENCL_OPENCL_H

#include <stdatomic.h>
#include <stdint.h>

#include <strobe/collector.h>
#include <strobe/kinds.h>

#include "texts.h"

extern const StrobeCollectorOps strobe_opencl_ops;

/* device_task with what OpenCL tells besides. */
typedef struct OpenclTask {
    struct strobe_device_task task;
    uint64_t start;             /* ns in the device's own clock */
    uint64_t queued_ns;         /* from being put into the queue to its start, absent: not told */
    uint64_t submit_ns;         /* from being handed to the device to its start */
    StrobeStringId global_size; /* work-items, absent: no kernel */
    uint32_t reserved;
} OpenclTask;

extern StrobeKind opencl_task_kind;

typedef struct Opencl {
    const StrobeHost *host; /* NULL: never opened */
    StrobeInstance *self;
    StrobeKindId task, call, pair;
    int records_calls;
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

/* A call into the interface, on the calling thread. `call` is no other's that the thread is in:
 * where its function has its place on the stack. */
#define OPENCL_CALL ((uint64_t)(uintptr_t)__builtin_frame_address(0))

void opencl_call_begin(uint64_t call, const char *name);
/* `connection` is absent where it caused no task; `mode` and `item` may be NULL. */
void opencl_call_end(uint64_t call, uint64_t connection, const OpenclText *mode,
                     const OpenclText *item);

/* Sees to it that what is finished is recorded before the driver ends at exit. Any thread. */
void opencl_mind_exit(void);

#endif
