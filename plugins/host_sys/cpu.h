/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PLUGINS_HOST_SYS_CPU_H
#define STROBE_PLUGINS_HOST_SYS_CPU_H

#include "host-sys-context.h"

extern const HostItem host_item_cpu;

#endif
