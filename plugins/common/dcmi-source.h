/* SPDX-License-Identifier: Apache-2.0 */
/* One metric of one device, read through DCMI on a worker of its own. What a call cannot deliver
 * is said once; a tick at which the worker has not come back within its deadline is counted as
 * lost. */
#ifndef STROBE_PLUGINS_DCMI_SOURCE_H
#define STROBE_PLUGINS_DCMI_SOURCE_H

#include <strobe/collector.h>

#include "dcmi.h"

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

#endif
