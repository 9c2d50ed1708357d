/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the heap collector. */
#ifndef STROBE_PLUGINS_HEAP_H
#define STROBE_PLUGINS_HEAP_H

#include <strobe/collector.h>

extern const StrobeCollectorOps strobe_heap_ops;

#endif
