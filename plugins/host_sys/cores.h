/* SPDX-License-Identifier: Apache-2.0 */
/* Samples the use of each of the machine's processors, and of all together, from /proc/stat. */
#ifndef STROBE_PLUGINS_HOST_SYS_CORES_H
#define STROBE_PLUGINS_HOST_SYS_CORES_H

#include "host-sys-context.h"

typedef struct HostCores HostCores;

/* Opens /proc/stat. Returns NULL with errno on failure. */
HostCores *host_cores_open(HostContext *context);
void host_cores_close(HostCores *cores);
void host_cores_start(HostCores *cores);
/* Reads and records the use, if the last reading is at least HOST_SLOW_NS ago. */
void host_cores_sample(HostCores *cores, StrobeWriter *writer);

#endif
