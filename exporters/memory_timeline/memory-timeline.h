/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the memory_timeline exporter. */
#ifndef STROBE_MEMORY_TIMELINE_H
#define STROBE_MEMORY_TIMELINE_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps memory_timeline_ops;

#endif
