/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the host_sys collector. */
#ifndef STROBE_PLUGINS_HOST_SYS_H
#define STROBE_PLUGINS_HOST_SYS_H

#include <strobe/collector.h>

extern const StrobeCollectorOps strobe_host_sys_ops;

#endif
