/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device's clock: pairs with the host's, as records of `clock_sync` on a track of its own.
 *
 * A pair is the device's clock, read between two readings of CLOCK_MONOTONIC: by
 * clGetDeviceAndHostTimer, or else by the time at which the program's own commands were put into
 * their queues; where the driver does not tell that, by a marker's end on a queue of ours that
 * nothing else is put into. The narrowest of several is recorded.
 */
#ifndef STROBE_PLUGINS_OPENCL_DEVICE_CLOCK_H
#define STROBE_PLUGINS_OPENCL_DEVICE_CLOCK_H

#include <pthread.h>
#include <strobe/collector.h>

#include "layer.h"

struct OpenclDevice;

typedef struct OpenclPair {
    int64_t device_time, host_time; /* ns, of CLOCK_MONOTONIC */
    uint64_t width_ns;              /* 0 in no pair that was taken */
} OpenclPair;

/* What a command tells of the clock. */
typedef struct OpenclTold {
    int64_t before, after; /* ns of CLOCK_MONOTONIC, around its enqueueing; 0: not taken */
    int64_t seen;          /* ... when it was known to have ended; 0: not taken */
    cl_ulong queued, end;  /* ns of the device's clock; 0: not told */
} OpenclTold;

typedef struct OpenclClock {
    pthread_mutex_t lock; /* one measures at a time */
    cl_context context;   /* ours, for the markers */
    cl_command_queue queue;
    int has_no_timer, has_no_markers; /* tried in vain */
    _Atomic int needs_markers;        /* the program's commands do not tell */
    OpenclPair last;
    _Atomic int n_wanted;     /* commands that may still tell a pair */
    _Atomic uint64_t best_ns; /* width of the narrowest that they told */
    _Atomic uint64_t track;   /* of the pairs, above it the session that it is of */
} OpenclClock;

void opencl_clock_init(OpenclClock *clock);

/* Takes a pair within about `limit_ns`, and records it if a window records. Takes nothing while
 * another thread is at it. Returns 0 if there is none. Any thread; waits for the device no longer
 * than that. */
int opencl_clock_measure(struct OpenclDevice *device, uint64_t limit_ns);

/* Records the last pair again, for a window that began after it. */
void opencl_clock_repeat(struct OpenclDevice *device);

/* A command may tell a pair: returns the host's time, before it is put into its queue; 0: not
 * wanted. Any thread. */
int64_t opencl_clock_before(OpenclClock *clock);
int64_t opencl_clock_now(void);
void opencl_clock_told(struct OpenclDevice *device, const OpenclTold *told);

/* Has any pair been taken in this process? */
int opencl_clock_is_known(struct OpenclDevice *device);

/* The track with the pairs. */
StrobeTrackId opencl_clock_track(struct OpenclDevice *device);

/* Gives back what is the driver's. */
void opencl_clock_release(OpenclClock *clock);

#endif
