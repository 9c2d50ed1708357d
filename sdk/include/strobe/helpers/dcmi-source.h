/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One metric of one device, read through DCMI on a worker. A metric that the library does not
 * deliver is logged once. A sample is counted as lost if the reading for an earlier sample has
 * already taken longer than the deadline. All calls must come from the control thread. Since 1.0.
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
    /* Reads the metric into `user`; may block. Returns DCMI's status. */
    int (*read)(void *user, const StrobeDcmi *dcmi, const StrobeDcmiDevice *device);
    /* Writes records of the reading in `user`. If `is_first`, there is no earlier value to
     * subtract, because this is the first reading of a window or follows a failed reading. */
    void (*record)(void *user, StrobeWriter *writer, int is_first);
    void (*release)(void *user);
} StrobeDcmiMetric;

typedef struct StrobeDcmiSource StrobeDcmiSource;

/* Makes a source, which owns `user` from now on. NULL: out of memory, or no thread could be started
 * (`user` is then released). */
StrobeDcmiSource *strobe_dcmi_source_new(const StrobeHost *host, StrobeInstance *self,
                                         const StrobeDcmi *dcmi, const StrobeDcmiDevice *device,
                                         const StrobeDcmiMetric *metric, void *user,
                                         uint64_t deadline_ns);
/* Call it when a window begins. */
void strobe_dcmi_source_begin(StrobeDcmiSource *source);
/* Call it at each tick of the sampler: requests a reading and returns at once. */
void strobe_dcmi_source_tick(StrobeDcmiSource *source);
/* Ends the source. Waits at most 2.5 s for a call of the driver that does not return. */
void strobe_dcmi_source_end(StrobeDcmiSource *source);

/* ---- entries of a list of options ---- */

/* `else_` is the end of the option's summary: it says what the collector does on a host without the
 * library. */
#define STROBE_DCMI_OPTION_LIBRARY(else_)                                                          \
    {.struct_size = sizeof(StrobeOption),                                                          \
     .type = STROBE_OPTION_STRING,                                                                 \
     .name = "dcmi",                                                                               \
     .default_value = "libdcmi.so",                                                                \
     .summary =                                                                                    \
         "The device management library of Ascend hosts; where it cannot be loaded, " else_}

/* Put this option directly after the option `dcmi`: "that library" in its summary means the library
 * of `dcmi`. */
#define STROBE_DCMI_OPTION_DEADLINE                                                                \
    {.struct_size = sizeof(StrobeOption),                                                          \
     .type = STROBE_OPTION_DURATION,                                                               \
     .name = "deadline",                                                                           \
     .default_value = "2s",                                                                        \
     .min = 1e6,                                                                                   \
     .max = 6e10,                                                                                  \
     .summary = "If a call of that library takes longer, the samples that it delays are counted "  \
                "as lost."}

#if defined(__cplusplus)
}
#endif

#endif
