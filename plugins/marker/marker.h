/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the marker collector. */
#ifndef STROBE_PLUGINS_MARKER_MARKER_H
#define STROBE_PLUGINS_MARKER_MARKER_H

#include <strobe/collector.h>

extern const StrobeCollectorOps strobe_marker_ops;

#endif
