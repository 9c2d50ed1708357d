/* SPDX-License-Identifier: Apache-2.0 */
/* Samples the network ports of Ascend devices, through DCMI: kinds `mac`, `nic`, `roce`. */
#ifndef STROBE_PLUGINS_SYS_IO_DEVICES_H
#define STROBE_PLUGINS_SYS_IO_DEVICES_H

#include <strobe/collector.h>

#include <strobe/helpers/dcmi-source.h>

/* Returns NULL if the kinds cannot be declared, or if out of memory. */
StrobeDcmiSource *sys_device_open(const StrobeHost *host, StrobeInstance *self,
                                  const StrobeDcmi *dcmi, const StrobeDcmiDevice *device,
                                  uint64_t deadline_ns);

#endif
