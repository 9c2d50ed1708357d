/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records where in their code threads leave their processors, and for how long (off_cpu=true). The
 * kernel samples each context switch (a software event, which needs no trace points) and reports
 * when the thread runs again.
 */
#ifndef STROBE_CPU_SAMPLE_WAIT_SAMPLES_H
#define STROBE_CPU_SAMPLE_WAIT_SAMPLES_H

#include <strobe/record.h>

#include "cpu-sample-state.h"

/* "cpu_sample.wait": a time in which a thread was on no processor. The record's name is the
 * thread's name, its track is the thread's track. */
struct cpu_sample_wait {
    StrobeStackId stack; /* user-space frames */
    uint32_t process;
    uint8_t is_preempted; /* the thread was ready to run, but waited for a processor */
};

extern const StrobeKind cpu_sample_kind_wait;

/* A wait that has begun: its time, and the stack at its begin. */
typedef struct PendingWait PendingWait;

/* Opens the events for switches. If the kernel refuses these events, the log says so, and only
 * samples of processor time are recorded. */
void wait_samples_start(CpuSample *state, const SampleWish *wish);
/* Processes the switches up to `until` (CLOCK_MONOTONIC, ns), and records the waits that have
 * ended. */
void wait_samples_drain(CpuSample *state, uint64_t until);
/* Records the remaining waits. A wait that has not ended gets the end of the window as its end. */
void wait_samples_stop(CpuSample *state);

#endif
