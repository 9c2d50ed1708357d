/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PASSES_MEMORY_BLOCK_H
#define STROBE_PASSES_MEMORY_BLOCK_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps memory_block_ops;

#endif
