/* SPDX-License-Identifier: Apache-2.0 */
/* Use of the machine's processors, each and all, as /proc/stat has it. */
#ifndef STROBE_PLUGINS_HOST_SYS_CORES_H
#define STROBE_PLUGINS_HOST_SYS_CORES_H

#include "host-sys-context.h"

typedef struct HostCores HostCores;

/* NULL: errno tells. */
HostCores *host_cores_open(HostContext *context);
void host_cores_close(HostCores *cores);
void host_cores_start(HostCores *cores);
/* Reads and records, if the last time is long enough ago. */
void host_cores_sample(HostCores *cores, StrobeWriter *writer);

#endif
