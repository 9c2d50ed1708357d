/* SPDX-License-Identifier: Apache-2.0 */
/* The tool that mstx calls: this library is injected into mstx's dispatchers, and exports the mstx
 * functions. */
#ifndef STROBE_PLUGINS_MARKER_MSTX_H
#define STROBE_PLUGINS_MARKER_MSTX_H

#include <strobe/collector.h>

/* The kind of a record of one registered memory region. Allocators register their pools with
 * mstx. */
extern const StrobeKind mstx_region_kind;

StrobeStatus mstx_open(const StrobeHost *host, StrobeInstance *self);

#endif
