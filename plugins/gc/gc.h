/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the gc collector. */
#ifndef STROBE_PLUGINS_GC_H
#define STROBE_PLUGINS_GC_H

#include <strobe/collector.h>

extern const StrobeCollectorOps strobe_gc_ops;

#endif
