/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One metric of one device, read through DCMI on a worker. A metric that the library does not
 * deliver is logged once; a tick at which the worker has exceeded its deadline is counted as lost.
 * Control thread. Since 1.0.
 */
#ifndef STROBE_HELPERS_DCMI_SOURCE_H
#define STROBE_HELPERS_DCMI_SOURCE_H

#include <strobe/collector.h>

#include <strobe/helpers/dcmi.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct StrobeDcmiMetric {
    const char *name; /* for messages */
    /* May block; fills `user`. Returns DCMI's status. */
    int (*read)(void *user, const StrobeDcmi *dcmi, const StrobeDcmiDevice *device);
    /* `is_first`: the first reading of a window, of which no difference can be formed. */
    void (*record)(void *user, StrobeWriter *writer, int is_first);
    void (*release)(void *user);
} StrobeDcmiMetric;

typedef struct StrobeDcmiSource StrobeDcmiSource;

/* Takes `user`. NULL: no memory or no thread (`user` is released). */
StrobeDcmiSource *strobe_dcmi_source_new(const StrobeHost *host, StrobeInstance *self,
                                         const StrobeDcmi *dcmi, const StrobeDcmiDevice *device,
                                         const StrobeDcmiMetric *metric, void *user,
                                         uint64_t deadline_ns);
/* A window begins. */
void strobe_dcmi_source_begin(StrobeDcmiSource *source);
/* A tick of the sampler; returns at once. */
void strobe_dcmi_source_tick(StrobeDcmiSource *source);
/* Returns soon, even if the driver does not. */
void strobe_dcmi_source_end(StrobeDcmiSource *source);

/* ---- entries of a list of options ---- */

/* `else_`: what the collector does on a host without the library. */
#define STROBE_DCMI_OPTION_LIBRARY(else_)                                                          \
    {.struct_size = sizeof(StrobeOption),                                                          \
     .type = STROBE_OPTION_STRING,                                                                 \
     .name = "dcmi",                                                                               \
     .default_value = "libdcmi.so",                                                                \
     .summary =                                                                                    \
         "The device management library of Ascend hosts; where it cannot be loaded, " else_}

/* After the option `dcmi`. */
#define STROBE_DCMI_OPTION_DEADLINE                                                                \
    {.struct_size = sizeof(StrobeOption),                                                          \
     .type = STROBE_OPTION_DURATION,                                                               \
     .name = "deadline",                                                                           \
     .default_value = "2s",                                                                        \
     .min = 1e6,                                                                                   \
     .max = 6e10,                                                                                  \
     .summary = "A call of that library that takes longer is counted as lost samples."}

#if defined(__cplusplus)
}
#endif

#endif
