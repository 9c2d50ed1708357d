/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the interconnect collector. */
#ifndef STROBE_PLUGINS_INTERCONNECT_H
#define STROBE_PLUGINS_INTERCONNECT_H

#include <strobe/collector.h>

extern const StrobeCollectorOps strobe_interconnect_ops;

#endif
