/* SPDX-License-Identifier: Apache-2.0 */
/* The processor time that a sample stands for, where the kernel counts cycles. */
#ifndef STROBE_CPU_SAMPLE_SAMPLE_TIME_H
#define STROBE_CPU_SAMPLE_SAMPLE_TIME_H

#include <stdint.h>

#define SAMPLE_PROCESSORS_MAX 1024

/* How fast cycles are counted, by samples of one thread that follow each other on one processor. */
typedef struct SampleRate {
    uint64_t nominal_ns; /* between two samples */
    double cycles, ns;
    struct {
        uint32_t tid;
        uint64_t time;
    } last[SAMPLE_PROCESSORS_MAX];
} SampleRate;

/* ns of so many cycles; the nominal time until the rate is known. */
int64_t sample_rate_time(SampleRate *rate, uint32_t processor, uint32_t tid, uint64_t time,
                         uint64_t cycles);

#endif
