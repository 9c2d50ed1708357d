/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PASSES_MEMORY_TOTAL_H
#define STROBE_PASSES_MEMORY_TOTAL_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps memory_total_ops;

#endif
