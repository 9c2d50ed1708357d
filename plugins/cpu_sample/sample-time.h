/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the processor time that a sample represents, if the event counts cycles. */
#ifndef STROBE_CPU_SAMPLE_SAMPLE_TIME_H
#define STROBE_CPU_SAMPLE_SAMPLE_TIME_H

#include <stdint.h>

#define SAMPLE_PROCESSORS_MAX 1024

/* The rate of cycles, measured between consecutive samples of one thread on one processor. */
typedef struct SampleRate {
    uint64_t nominal_ns; /* requested time between two samples */
    double cycles, ns;
    struct {
        uint32_t tid;
        uint64_t time;
    } last[SAMPLE_PROCESSORS_MAX];
} SampleRate;

/* Returns the time of these cycles in ns. While the rate is not known, returns the nominal time, or
 * 0 for very few cycles. */
int64_t sample_rate_time(SampleRate *rate, uint32_t processor, uint32_t tid, uint64_t time,
                         uint64_t cycles);

#endif
