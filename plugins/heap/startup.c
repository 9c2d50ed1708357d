/* SPDX-License-Identifier: Apache-2.0 */
#include "startup.h"

#include <stdlib.h>

#include <strobe/helpers/block-table.h>
#include "sampling.h"

typedef struct Account {
    uint64_t threshold, interval;
    int64_t total;
    HeapSampler sampler;
} Account;

/* Fills `block` for an allocation, and stores size + 1 in the table, because the table cannot store
 * 0. Returns 0 if the allocation is not recorded. */
static int follow_allocation(Account *account, const HeapStartupEvent *event,
                             HeapStartupBlock *block)
{
    uint64_t before;

    if (event->size < account->threshold)
        return 0;
    block->weight = heap_sampling_weight(&account->sampler, event->size, account->interval);
    if (block->weight <= 0 || !strobe_blocks_add(block->address, event->size + 1, &before))
        return 0;
    block->size = (int64_t)event->size;
    block->total = account->total += block->size - (before ? (int64_t)before - 1 : 0);
    return 1;
}

static int follow_release(Account *account, HeapStartupBlock *block)
{
    uint64_t found;

    if (!strobe_blocks_take(block->address, &found))
        return 0;
    block->weight = 1;
    block->size = 1 - (int64_t)found;
    block->total = account->total += block->size;
    return 1;
}

static int follow_event(Account *account, const HeapStartupEvent *event, HeapStartupBlock *block)
{
    *block = (HeapStartupBlock){
        .address = (uintptr_t)atomic_load_explicit(&event->address, memory_order_acquire),
        .caller = event->caller};
    if (!block->address)
        return 0;
    return event->size == HEAP_GIVEN_BACK ? follow_release(account, block)
                                          : follow_allocation(account, event, block);
}

HeapStartupBlock *heap_startup_follow(HeapGate *gate, uint64_t threshold, uint64_t interval,
                                      uint32_t *n, int64_t *total)
{
    uint32_t n_events = atomic_exchange(&gate->n_startup, 0);
    Account account = {.threshold = threshold, .interval = interval};
    HeapStartupBlock *blocks =
        n_events && n_events <= HEAP_STARTUP_MAX ? malloc(n_events * sizeof *blocks) : NULL;

    *n = 0;
    for (uint32_t i = 0; blocks && i < n_events; i++)
        *n += (uint32_t)follow_event(&account, &gate->startup[i], &blocks[*n]);
    *total = account.total;
    return blocks;
}
