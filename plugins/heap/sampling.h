/* SPDX-License-Identifier: Apache-2.0 */
/* Which allocations are recorded: each byte is as likely as any other to choose its block. */
#ifndef STROBE_PLUGINS_HEAP_SAMPLING_H
#define STROBE_PLUGINS_HEAP_SAMPLING_H

#include "heap-gate.h"

/* 0: the allocation is not recorded, else how many like it this one stands for. `sampler`: the
 * thread's, zeros at first. `interval`: bytes from one choice to the next on average, 0: all are
 * recorded. Any thread. */
double heap_sampling_weight(HeapSampler *sampler, size_t size, uint64_t interval);

#endif
