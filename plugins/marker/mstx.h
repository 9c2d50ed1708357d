/* SPDX-License-Identifier: Apache-2.0 */
/* The tool behind mstx: injected into its dispatchers, and the functions themselves. */
#ifndef STROBE_PLUGINS_MARKER_MSTX_H
#define STROBE_PLUGINS_MARKER_MSTX_H

#include <strobe/collector.h>

/* Of one registered piece of memory; a program's allocator tells tools of its pools so. */
extern const StrobeKind mstx_region_kind;

StrobeStatus mstx_open(const StrobeHost *host, StrobeInstance *self);

#endif
