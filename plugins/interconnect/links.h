/* SPDX-License-Identifier: Apache-2.0 */
/* Samples the traffic of one Ascend device on its links: kinds `hccs` and `pcie`. */
#ifndef STROBE_PLUGINS_INTERCONNECT_LINKS_H
#define STROBE_PLUGINS_INTERCONNECT_LINKS_H

#include <strobe/collector.h>

#include <strobe/helpers/dcmi-source.h>

/* Return NULL if the kind cannot be declared, or if there is no memory or thread. `time_ms`: time
 * for which the driver measures, if it has no totals. */
StrobeDcmiSource *interconnect_hccs(const StrobeHost *host, StrobeInstance *self,
                                    const StrobeDcmi *dcmi, const StrobeDcmiDevice *device,
                                    int32_t time_ms, uint64_t deadline_ns);
StrobeDcmiSource *interconnect_pcie(const StrobeHost *host, StrobeInstance *self,
                                    const StrobeDcmi *dcmi, const StrobeDcmiDevice *device,
                                    int32_t time_ms, uint64_t deadline_ns);

#endif
