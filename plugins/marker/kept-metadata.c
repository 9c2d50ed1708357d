/* SPDX-License-Identifier: Apache-2.0 */
#include "kept-metadata.h"

#include <stdatomic.h>

#define PLACES 4096u /* a power of two */
#define TRIES 8u

/* no key has these values, because each key has a high bit set */
enum { VACANT = 0, CHANGING = 1 };

static struct place {
    _Atomic uint64_t key;
    MarkMetadata metadata;
} places[PLACES];

/* number of entries; if it is 0, as in most programs, the table is not searched */
static _Atomic uint32_t n_kept;

static struct place *nth_place(uint64_t key, uint32_t n)
{
    return &places[((uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) + n) % PLACES];
}

void kept_metadata_put(uint64_t key, const MarkMetadata *metadata)
{
    for (uint32_t i = 0; i < TRIES; i++) {
        struct place *place = nth_place(key, i);
        uint64_t vacant = VACANT;
        if (!atomic_compare_exchange_strong_explicit(&place->key, &vacant, CHANGING,
                                                     memory_order_acquire, memory_order_relaxed))
            continue;
        place->metadata = *metadata;
        atomic_fetch_add_explicit(&n_kept, 1, memory_order_relaxed);
        atomic_store_explicit(&place->key, key, memory_order_release);
        return;
    }
}

int kept_metadata_take(uint64_t key, MarkMetadata *metadata)
{
    if (!atomic_load_explicit(&n_kept, memory_order_relaxed))
        return 0;
    for (uint32_t i = 0; i < TRIES; i++) {
        struct place *place = nth_place(key, i);
        uint64_t expected = key;
        if (atomic_load_explicit(&place->key, memory_order_relaxed) != key ||
            !atomic_compare_exchange_strong_explicit(&place->key, &expected, CHANGING,
                                                     memory_order_acquire, memory_order_relaxed))
            continue;
        *metadata = place->metadata;
        atomic_fetch_sub_explicit(&n_kept, 1, memory_order_relaxed);
        atomic_store_explicit(&place->key, VACANT, memory_order_release);
        return 1;
    }
    return 0;
}

void kept_metadata_clear(void)
{
    for (uint32_t i = 0; i < PLACES; i++)
        atomic_store_explicit(&places[i].key, VACANT, memory_order_relaxed);
    atomic_store_explicit(&n_kept, 0, memory_order_relaxed);
}
