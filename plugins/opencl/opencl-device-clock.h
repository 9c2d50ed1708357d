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

#include <strobe/collector.h>

#include "opencl-devices.h"

/* A command's contribution to the clock. */
typedef struct OpenclReported {
    int64_t before, after; /* ns of CLOCK_MONOTONIC, around its enqueueing; 0: not taken */
    int64_t seen;          /* ... when it was known to have ended; 0: not taken */
    cl_ulong queued, end;  /* ns of the device's clock; 0: not told */
} OpenclReported;

/* Takes a pair within about `limit_ns`, and records it if a window records. Takes nothing while
 * another thread is at it. Returns 0 if there is none. Any thread; waits for the device no longer
 * than that. */
int opencl_clock_measure(OpenclDevice *device, uint64_t limit_ns);

/* Takes a pair where the last one is older than the interval. The program's thread, at an enqueue;
 * waits for the device 1 ms at most. */
void opencl_clock_refresh(OpenclDevice *device);

/* Records the last pair again, for a window that began after it. */
void opencl_clock_repeat(OpenclDevice *device);

/* A command may tell a pair: returns the host's time, before it is put into its queue; 0: not
 * wanted. Any thread. */
int64_t opencl_clock_before(OpenclClock *clock);
int64_t opencl_clock_now(void);
void opencl_clock_reported(OpenclDevice *device, const OpenclReported *reported);

/* Has any pair been taken in this process? */
int opencl_clock_is_known(OpenclDevice *device);

/* The track with the pairs. */
StrobeTrackId opencl_clock_track(OpenclDevice *device);

/* Gives back what is the driver's. */
void opencl_clock_release(OpenclClock *clock);

#endif
