/* SPDX-License-Identifier: Apache-2.0 */
/* Samples the ports of the host's own adapters: network interfaces (/sys/class/net) and RDMA
 * devices (/sys/class/infiniband). */
#ifndef STROBE_PLUGINS_SYS_IO_PORTS_H
#define STROBE_PLUGINS_SYS_IO_PORTS_H

#include "port-record.h"

typedef struct SysPorts SysPorts;

/* Returns NULL if out of memory. If one of the folders does not exist, there are no such ports,
 * which is not an error. */
SysPorts *sys_ports_open(const StrobeHost *host, StrobeInstance *self);
void sys_ports_close(SysPorts *ports);
void sys_ports_start(SysPorts *ports);
void sys_ports_sample(SysPorts *ports, StrobeWriter *writer);

#endif
