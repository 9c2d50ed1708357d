/* SPDX-License-Identifier: Apache-2.0 */
#include "sample-time.h"

/* The kernel starts with very short periods until it reaches the frequency. With such periods, most
 * of the time between two samples is the kernel's own work, so periods with fewer cycles are not
 * used to measure the rate. */
#define SHORT_CYCLES 10000

int64_t sample_rate_time(SampleRate *rate, uint32_t processor, uint32_t tid, uint64_t time,
                         uint64_t cycles)
{
    uint32_t place = processor % SAMPLE_PROCESSORS_MAX;
    uint64_t passed = time - rate->last[place].time;

    if (rate->last[place].tid == tid && passed < 2 * rate->nominal_ns && cycles > SHORT_CYCLES) {
        rate->cycles += (double)cycles;
        rate->ns += (double)passed;
    }
    rate->last[place].tid = tid;
    rate->last[place].time = time;
    if (rate->cycles > 0)
        return (int64_t)((double)cycles * (rate->ns / rate->cycles));
    return cycles > SHORT_CYCLES ? (int64_t)rate->nominal_ns : 0;
}
