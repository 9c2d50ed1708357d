/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/block-table.h>

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#define BUCKET 4 /* number of entries in a bucket, which is a cache line */

typedef struct Block {
    _Atomic uint64_t address; /* 0: the entry is free */
    _Atomic uint64_t size;
} Block;

/* A part of the table. A block is in one of `n_tried` successive buckets, of which the first is the
 * bucket of its address. */
typedef struct Part {
    Block *blocks;
    uint32_t bits; /* the part has 2^bits buckets */
    uint32_t n_tried;
    /* maximum number of blocks; with more, a search for a free entry would take long */
    uint64_t n_max;
    _Atomic uint64_t n_used;
} Part;

/* Sizes of the near part and of the first far part. Each further part is four times as large as the
 * previous, so that a few blocks use little memory. */
#define NEAR_BITS 12
#define FAR_BITS 18
#define N_FAR 4
_Static_assert(BUCKET << NEAR_BITS == STROBE_BLOCKS_NEAR, "near");
_Static_assert(BUCKET << FAR_BITS == STROBE_BLOCKS_FAR, "far");

static _Alignas(64) Block near_blocks[STROBE_BLOCKS_NEAR];
static Part near_part = {.blocks = near_blocks, .bits = NEAR_BITS, .n_tried = 2};
static Part far_parts[N_FAR];
static uint32_t n_far;

static uint64_t places_of(uint32_t n_parts)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < n_parts; i++)
        n += (uint64_t)STROBE_BLOCKS_FAR << 2 * i;
    return n;
}

static void *map_parts(uint32_t n_parts)
{
    void *memory = mmap(NULL, places_of(n_parts) * sizeof(Block), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

uint64_t strobe_blocks_prepare(uint64_t n_blocks)
{
    uint32_t n_parts = 1;
    Block *memory = NULL;

    if (n_far)
        return STROBE_BLOCKS_NEAR + places_of(n_far);
    while (n_parts < N_FAR && places_of(n_parts) < n_blocks)
        n_parts++;
    while (n_parts && !(memory = map_parts(n_parts)))
        n_parts--;
    for (uint32_t i = 0; i < n_parts; i++) {
        uint64_t n = (uint64_t)STROBE_BLOCKS_FAR << 2 * i;
        far_parts[i].blocks = memory + places_of(i);
        far_parts[i].bits = FAR_BITS + 2 * i;
        far_parts[i].n_tried = i + 1 < n_parts ? 4 : 16; /* fewer if a further part follows */
        far_parts[i].n_max = n - n / 8;
    }
    n_far = n_parts;
    return STROBE_BLOCKS_NEAR + places_of(n_far);
}

/* Returns the first bucket of an address. Allocators align addresses to 64 bytes or to pages; the
 * multiplication spreads such addresses over all buckets. */
static uint32_t bucket_of(const Part *part, uint64_t address)
{
    return (uint32_t)((address * 0x9e3779b97f4a7c15u) >> (64 - part->bits));
}

static Block *block_at(const Part *part, uint32_t first, uint32_t i)
{
    uint32_t bucket = (first + i / BUCKET) & ((1u << part->bits) - 1);
    return &part->blocks[bucket * BUCKET + i % BUCKET];
}

static Block *find_block(Part *part, uint64_t address)
{
    uint32_t first = bucket_of(part, address);
    for (uint32_t i = 0; i < part->n_tried * BUCKET; i++) {
        Block *block = block_at(part, first, i);
        if (atomic_load_explicit(&block->address, memory_order_relaxed) == address)
            return block;
    }
    return NULL;
}

/* Returns the address's entry, or a free entry, which is then assigned to the address; NULL if
 * there is neither. */
static Block *claim_block(Part *part, uint64_t address, uint64_t *before)
{
    uint32_t first = bucket_of(part, address);
    for (uint32_t i = 0; i < part->n_tried * BUCKET; i++) {
        Block *block = block_at(part, first, i);
        uint64_t there = atomic_load_explicit(&block->address, memory_order_relaxed);
        if (there == address)
            *before = atomic_load_explicit(&block->size, memory_order_relaxed);
        if (there == address || (!there && atomic_compare_exchange_strong_explicit(
                                               &block->address, &there, address,
                                               memory_order_relaxed, memory_order_relaxed)))
            return block;
    }
    return NULL;
}

static Block *claim_far(uint64_t address, uint64_t *before)
{
    for (uint32_t i = 0; i < n_far; i++) {
        Part *part = &far_parts[i];
        if (atomic_load_explicit(&part->n_used, memory_order_relaxed) >= part->n_max)
            continue;
        Block *block = claim_block(part, address, before);
        if (block && !*before)
            atomic_fetch_add_explicit(&part->n_used, 1, memory_order_relaxed);
        if (block)
            return block;
    }
    return NULL;
}

int strobe_blocks_add(uint64_t address, uint64_t size, uint64_t *before)
{
    *before = 0;
    Block *block = claim_block(&near_part, address, before);
    if (!block)
        block = claim_far(address, before);
    if (!block)
        return 0;
    /* A relaxed store suffices: a thread that takes the block got its address from this thread, and
     * so sees this store. */
    atomic_store_explicit(&block->size, size, memory_order_relaxed);
    return 1;
}

static Block *find_far(uint64_t address)
{
    for (uint32_t i = 0; i < n_far; i++) {
        Part *part = &far_parts[i];
        if (!atomic_load_explicit(&part->n_used, memory_order_relaxed))
            continue;
        Block *block = find_block(part, address);
        if (block) {
            atomic_fetch_sub_explicit(&part->n_used, 1, memory_order_relaxed);
            return block;
        }
    }
    return NULL;
}

int strobe_blocks_take(uint64_t address, uint64_t *size)
{
    Block *block = find_block(&near_part, address);
    if (!block)
        block = find_far(address);
    if (!block)
        return 0;
    *size = atomic_load_explicit(&block->size, memory_order_relaxed);
    atomic_store_explicit(&block->address, 0, memory_order_release);
    return 1;
}
