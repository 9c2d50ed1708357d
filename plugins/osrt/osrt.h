/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the osrt collector. */
#ifndef STROBE_PLUGINS_OSRT_H
#define STROBE_PLUGINS_OSRT_H

#include <strobe/collector.h>

extern const StrobeCollectorOps strobe_osrt_ops;

#endif
