/* SPDX-License-Identifier: Apache-2.0 */
/*
 * off_cpu=true: where threads leave their processors, and for how long. The kernel samples each
 * switch (a software event) and tells when the thread goes on; that takes no trace points.
 */
#ifndef STROBE_CPU_SAMPLE_WAIT_SAMPLES_H
#define STROBE_CPU_SAMPLE_WAIT_SAMPLES_H

#include <strobe/record.h>

#include "cpu-sample-state.h"

/* "cpu_sample.wait": a thread was on no processor; named by the thread, on its track. */
struct cpu_sample_wait {
    StrobeStackId stack; /* of the user */
    uint32_t process;
    uint8_t is_preempted; /* it would have run on: it waited for a processor */
};

extern const StrobeKind cpu_sample_kind_wait;

/* A thread that is on no processor: what it left with. */
typedef struct PendingWait PendingWait;

/* Where the kernel refuses, says so in the log, and samples of processor time go on alone. */
void wait_samples_start(CpuSample *state, const SampleWish *wish);
/* Records the waits that have ended until then, CLOCK_MONOTONIC ns. */
void wait_samples_drain(CpuSample *state, uint64_t until);
/* Those that go on end with the window. */
void wait_samples_stop(CpuSample *state);

#endif
