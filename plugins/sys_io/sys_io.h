/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the sys_io collector. */
#ifndef STROBE_PLUGINS_SYS_IO_H
#define STROBE_PLUGINS_SYS_IO_H

#include <strobe/collector.h>

extern const StrobeCollectorOps strobe_sys_io_ops;

#endif
