/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the allocations that are recorded: with equal probability for each allocated byte, so
 * that large allocations are chosen more often. */
#ifndef STROBE_PLUGINS_HEAP_SAMPLING_H
#define STROBE_PLUGINS_HEAP_SAMPLING_H

#include "heap-gate.h"

/* Returns 0 if the allocation is not recorded, otherwise the number of allocations of this size
 * that it represents. `sampler` belongs to the thread and must be zero before the first call.
 * `interval`: average number of bytes from one recorded allocation to the next; 0: all allocations
 * are recorded. Any thread may call this function. */
double heap_sampling_weight(HeapSampler *sampler, size_t size, uint64_t interval);

#endif
