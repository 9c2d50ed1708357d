/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Relates a device's clock to the host's: records pairs of times, as `clock_sync` on a separate
 * track.
 *
 * A pair consists of a time of the device's clock, and the readings of CLOCK_MONOTONIC just before
 * and after it. Pairs come from clGetDeviceAndHostTimer. If the driver does not have this function,
 * they come from the times at which the program's own commands were put into their queues. If the
 * driver does not report these times, pairs come from the end of a marker, on a separate queue that
 * has no other command. The narrowest of several pairs is recorded.
 */
#ifndef STROBE_PLUGINS_OPENCL_DEVICE_CLOCK_H
#define STROBE_PLUGINS_OPENCL_DEVICE_CLOCK_H

#include <strobe/collector.h>

#include "opencl-devices.h"

/* Times of a command from which a pair can be derived. */
typedef struct OpenclReported {
    /* ns of CLOCK_MONOTONIC before and after the call that enqueued the command; 0: not read */
    int64_t before, after;
    /* ns of CLOCK_MONOTONIC when the command was known to have ended; 0: not read */
    int64_t seen;
    cl_ulong queued, end; /* ns of the device's clock; 0: not reported */
} OpenclReported;

/* Reads a pair within about `limit_ns`, and records it if a window records. Returns 0 if no pair
 * was read, for example because another thread is reading one. Any thread may call this
 * function. */
int opencl_clock_measure(OpenclDevice *device, uint64_t limit_ns);

/* Reads a pair if the last pair is older than clock_interval. Waits for the device at most 1 ms.
 * The program's threads call this function when they enqueue a command. */
void opencl_clock_refresh(OpenclDevice *device);

/* Records the last pair again. Must be called for a window that began after this pair was read. */
void opencl_clock_repeat(OpenclDevice *device);

/* Must be called before a command is put into its queue. Returns the host's time if the command
 * must yield a pair, otherwise 0. Any thread may call this function. */
int64_t opencl_clock_before(OpenclClock *clock);
int64_t opencl_clock_now(void);
void opencl_clock_reported(OpenclDevice *device, const OpenclReported *reported);

/* Returns whether a pair of this device has been read in this process. */
int opencl_clock_is_known(OpenclDevice *device);

/* Returns the track on which the pairs are recorded. */
StrobeTrackId opencl_clock_track(OpenclDevice *device);

/* Releases the driver's objects that the clock holds. */
void opencl_clock_release(OpenclClock *clock);

#endif
