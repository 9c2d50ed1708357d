/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the memory collector. */
#ifndef STROBE_PLUGINS_MEMORY_H
#define STROBE_PLUGINS_MEMORY_H

#include <strobe/collector.h>

extern const StrobeCollectorOps strobe_memory_ops;

#endif
