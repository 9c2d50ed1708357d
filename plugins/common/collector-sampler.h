/* SPDX-License-Identifier: Apache-2.0 */
/* Parts shared by collectors that sample counters of the system at an interval: a clock, a
 * track, options. */
#ifndef STROBE_PLUGINS_SAMPLER_H
#define STROBE_PLUGINS_SAMPLER_H

#include <strobe/collector.h>

/* Returns CLOCK_MONOTONIC_RAW in ns. Rates use it because setting the time does not change it. */
uint64_t strobe_sampler_now(void);

/* A track of counters, of a device or, with -1, of the host. */
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

/* `else_`: what becomes of a host that has none. */
#define STROBE_SAMPLER_DCMI(else_)                                                                 \
    {.struct_size = sizeof(StrobeOption),                                                          \
     .type = STROBE_OPTION_STRING,                                                                 \
     .name = "dcmi",                                                                               \
     .default_value = "libdcmi.so",                                                                \
     .summary =                                                                                    \
         "The device management library of Ascend hosts; where it cannot be loaded, " else_}

/* Behind the option `dcmi`. */
#define STROBE_SAMPLER_DEADLINE                                                                    \
    {.struct_size = sizeof(StrobeOption),                                                          \
     .type = STROBE_OPTION_DURATION,                                                               \
     .name = "deadline",                                                                           \
     .default_value = "2s",                                                                        \
     .min = 1e6,                                                                                   \
     .max = 6e10,                                                                                  \
     .summary = "A call of that library that takes longer is counted as lost samples."}

#endif
