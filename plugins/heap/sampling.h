/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the allocations that are recorded: each allocated byte is equally likely to choose its
 * block. */
#ifndef STROBE_PLUGINS_HEAP_SAMPLING_H
#define STROBE_PLUGINS_HEAP_SAMPLING_H

#include "heap-gate.h"

/* Returns 0 if the allocation is not recorded, otherwise how many allocations of its size it stands
 * for. `sampler` belongs to the thread and is zero at first. `interval`: average number of bytes
 * from one choice to the next; 0: all allocations are recorded. Any thread. */
double heap_sampling_weight(HeapSampler *sampler, size_t size, uint64_t interval);

#endif
