/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clock, track and options for collectors that read counters of the system at an interval. libc
 * only. Since 1.0.
 */
#ifndef STROBE_HELPERS_SAMPLER_H
#define STROBE_HELPERS_SAMPLER_H

#include <strobe/collector.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Returns CLOCK_MONOTONIC_RAW in ns. Use this clock to compute rates: setting or adjusting the
 * system's time does not affect it.
 */
uint64_t strobe_sampler_now(void);

/* Makes a track of counters for a device, or for the host if `device` is -1. */
StrobeTrackId strobe_sampler_track(const StrobeHost *host, StrobeInstance *self, const char *group,
                                   int32_t device);

/* ---- entries of a list of options ---- */

#define STROBE_SAMPLER_INTERVAL                                                                    \
    {.struct_size = sizeof(StrobeOption),                                                          \
     .type = STROBE_OPTION_DURATION,                                                               \
     .name = "interval",                                                                           \
     .default_value = "20ms",                                                                      \
     .min = 1e6,                                                                                   \
     .max = 3.6e12,                                                                                \
     .summary = "Time between two samples."}

#define STROBE_SAMPLER_SYS_ROOT(summary_)                                                          \
    {.struct_size = sizeof(StrobeOption),                                                          \
     .type = STROBE_OPTION_PATH,                                                                   \
     .name = "sys_root",                                                                           \
     .default_value = "/sys",                                                                      \
     .summary = summary_}

#if defined(__cplusplus)
}
#endif

#endif
